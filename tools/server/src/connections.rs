//! Connections: how many, how long, and how they end.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::time::{Duration, sleep, timeout};

use crate::App;

/// Serves until `stop` is there, and then ends the requests that have begun.
///
/// A client has a limited time for the head of a request, and a connection ends after ten times as long as a request may
/// take, so slow clients keep a place among the [connections](crate::Limits::connections), and nothing else, for that time.
pub(crate) async fn serve(
    app: &Arc<App>,
    router: Router,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
) {
    let limits = app.limits;
    let places = Arc::new(Semaphore::new(limits.connections));
    let (stopping, stopped) = watch::channel(());
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.header)
        .max_buf_size(64 << 10);
    let mut stop = pin!(stop);
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            next = next => next,
            () = &mut stop => break,
        };
        let Ok((stream, _)) = accepted else {
            // Too many files are open, or the client is gone.
            sleep(Duration::from_millis(10)).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        let connection = http.serve_connection(TokioIo::new(stream), service);
        let (mut stopped, app) = (stopped.clone(), Arc::clone(app));
        tokio::spawn(async move {
            let _place = place;
            app.metrics.connections.inc();
            let mut connection = pin!(connection);
            // A failure of a connection is its client's affair.
            let ended = tokio::select! {
                _ = &mut connection => true,
                _ = stopped.changed() => false,
                () = sleep(10 * limits.request) => false,
            };
            if !ended {
                connection.as_mut().graceful_shutdown();
                let _ = timeout(limits.request, connection).await;
            }
            app.metrics.connections.dec();
        });
    }
    drop(listener);
    drop(stopping);
    // When all places are free, all connections have ended.
    let _ = places.acquire_many(limits.connections as u32).await;
}
