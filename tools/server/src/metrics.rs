//! Counters for Prometheus.

use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use tokio::time::Instant;

use crate::App;
use crate::problem::Problem;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Labels {
    route: String,
    status: u16,
}

/// The counters.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Labels, Counter>,
    seconds: Histogram,
    positions: Counter,
    pub(crate) connections: Gauge,
}

impl Metrics {
    pub(crate) fn new() -> Metrics {
        let mut registry = Registry::with_prefix("tbserve");
        let requests = Family::default();
        // From 10 µs to 10 s.
        let seconds = Histogram::new(exponential_buckets(1e-5, 10f64.sqrt(), 13));
        let (positions, connections) = (Counter::default(), Gauge::default());
        registry.register("requests", "Requests", requests.clone());
        registry.register(
            "request_seconds",
            "Time from a request to the head of its response",
            seconds.clone(),
        );
        registry.register("positions", "Positions in lines of POST", positions.clone());
        registry.register("connections", "Open connections", connections.clone());
        Metrics {
            registry,
            requests,
            seconds,
            positions,
            connections,
        }
    }

    pub(crate) fn positions(&self, count: usize) {
        self.positions.inc_by(count as u64);
    }
}

/// Counts a request.
pub(crate) async fn count(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let begin = Instant::now();
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or_else(|| "page".to_owned(), |path| path.as_str().to_owned());
    let response = next.run(request).await;
    let status = response.status().as_u16();
    let labels = Labels { route, status };
    app.metrics.requests.get_or_create(&labels).inc();
    app.metrics.seconds.observe(begin.elapsed().as_secs_f64());
    response
}

/// `GET /metrics`.
pub(crate) async fn show(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    let mut text = String::new();
    encode(&mut text, &app.metrics.registry).map_err(Problem::internal)?;
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    Ok(([("content-type", kind)], text).into_response())
}
