//! A server of chess endgame tables with lichess's tablebase API: answers from tbgen's files, from Syzygy files, or from
//! tables that are solved when they are asked for.

#![forbid(unsafe_code)]

mod answers;
mod batch;
mod connections;
mod metrics;
mod page;
mod problem;
mod refusals;
mod sources;
mod startup;

use std::future::Future;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{self, Query, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Router, middleware};
use serde::{Deserialize, Serialize};
use tbgen::{Endgame, GamePosition, Letters, Metric};
use tokio::net::TcpListener;
use tower::limit::GlobalConcurrencyLimitLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate};
use tower_http::cors::{Any, CorsLayer};
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::services::ServeDir;

#[doc(hidden)]
pub use crate::answers::Category;
use crate::answers::{Mainline, NoLine, Reply};
use crate::metrics::Metrics;
use crate::problem::Problem;
pub use crate::sources::Sources;
pub use crate::startup::{describe, say};

/// The limits of clients.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The time for the head of a request.
    pub header: Duration,
    /// The time until a response begins, and that for reading and answering a body.
    pub request: Duration,
    /// The most bytes of a body.
    pub body: usize,
    /// The most requests that are worked on at a time; others wait.
    pub together: usize,
    /// The most connections; others wait.
    pub connections: usize,
}

/// The state that all requests share.
#[derive(Debug)]
struct App {
    sources: Arc<Sources>,
    limits: Limits,
    metrics: Metrics,
}

/// A server.
#[derive(Clone, Debug)]
pub struct Server {
    app: Arc<App>,
    router: Router,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            header: Duration::from_secs(10),
            request: Duration::from_secs(30),
            body: 64 << 20,
            together: 256,
            connections: 4096,
        }
    }
}

impl Server {
    /// A server of tables, and of a board, or of a page in a folder if one is given.
    #[must_use]
    pub fn new(sources: Sources, limits: Limits, page: Option<&Path>) -> Server {
        let app = Arc::new(App {
            sources: Arc::new(sources),
            limits,
            metrics: Metrics::new(),
        });
        let router = Router::new()
            .route("/standard", get(standard).post(batch::answer_lines))
            .route("/standard/mainline", get(mainline))
            .route("/stats/{material}", get(stats))
            .route("/metrics", get(metrics::show));
        let router = match page {
            Some(folder) => router.fallback_service(ServeDir::new(folder)),
            None => (router.route("/", get(page::show)))
                .route("/board.css", get(page::style))
                .route("/board.js", get(page::script)),
        };
        // Lines are sent when they are there, and the coder would hold them back.
        let lines = NotForContentType::const_new(batch::LINES);
        let compression = CompressionLayer::new().compress_when(DefaultPredicate::new().and(lines));
        let in_time = middleware::from_fn_with_state(Arc::clone(&app), refusals::in_time);
        let router = router
            .layer(RequestBodyLimitLayer::new(limits.body))
            .layer(GlobalConcurrencyLimitLayer::new(limits.together))
            .layer(in_time)
            .layer(middleware::from_fn(refusals::explain))
            .layer(compression)
            .layer(CorsLayer::new().allow_origin(Any).allow_headers(Any))
            .layer(middleware::from_fn_with_state(
                Arc::clone(&app),
                metrics::count,
            ))
            .with_state(Arc::clone(&app));
        Server { app, router }
    }

    /// The routes, for requests without a connection.
    pub fn router(&self) -> Router {
        self.router.clone()
    }

    /// Serves until `stop` is there, and then ends the requests that have begun.
    pub async fn serve(self, listener: TcpListener, stop: impl Future<Output = ()>) {
        connections::serve(&self.app, self.router, listener, stop).await;
    }
}

/// `?fen=`.
#[derive(Deserialize)]
struct Asked {
    fen: Option<String>,
}

impl Asked {
    fn position(&self) -> Result<GamePosition, Problem> {
        let missing = || Problem::Bad("there is no position: expected ?fen=FEN".to_owned());
        parse(self.fen.as_ref().ok_or_else(missing)?)
    }
}

/// `?metric=`.
#[derive(Deserialize)]
struct Counted {
    metric: Option<String>,
}

fn parse(fen: &str) -> Result<GamePosition, Problem> {
    let fen = fen.replace('_', " ");
    Ok(GamePosition::parse(&fen, &Letters::default())?)
}

/// JSON, which clients may keep for a day if it never changes.
fn json(text: String, never_changes: bool) -> Response {
    let keep = if never_changes {
        "public, max-age=86400"
    } else {
        "no-cache"
    };
    let head = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CACHE_CONTROL, keep),
    ];
    (head, text).into_response()
}

fn to_json(value: &impl Serialize) -> Result<String, Problem> {
    serde_json::to_string(value).map_err(Problem::internal)
}

async fn standard(
    State(app): State<Arc<App>>,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let position = asked.position()?;
    let reply = app.sources.ask(move |lookup| {
        let reply = Reply::new(&position, lookup)?;
        Ok::<_, Problem>(json(to_json(&reply)?, reply.is_settled()))
    });
    reply.await?
}

async fn mainline(
    State(app): State<Arc<App>>,
    Query(asked): Query<Asked>,
) -> Result<Response, Problem> {
    let position = asked.position()?;
    let line = app
        .sources
        .ask(move |lookup| Mainline::new(&position, lookup));
    let missing = |why: &str| Problem::Missing(why.to_owned());
    match line.await?? {
        Ok(line) => Ok(json(to_json(&line)?, line.settled)),
        Err(NoLine::Unknown) => Err(missing("there are no tables of the position")),
        Err(NoLine::Rounded) => Err(missing(
            "the tables have no exact distances that tell the way",
        )),
    }
}

async fn stats(
    State(app): State<Arc<App>>,
    extract::Path(material): extract::Path<String>,
    Query(Counted { metric }): Query<Counted>,
) -> Result<Response, Problem> {
    let endgame = material.parse::<Endgame>();
    let endgame = endgame.map_err(|error| Problem::Bad(error.to_string()))?;
    let metric = match metric.as_deref() {
        None | Some("dtz") if endgame.piece_set.is_chess() => Metric::Dtz,
        None | Some("dtm") => Metric::Dtm,
        _ => return Err(Problem::Bad("expected metric=dtz or metric=dtm".to_owned())),
    };
    let sources = Arc::clone(&app.sources);
    let stats = (app.sources).solving(move || sources.stats(endgame.normal(), metric));
    Ok(json(stats.await?, true))
}
