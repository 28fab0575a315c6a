//! Responses that clients get instead of an answer, from this program or from the layers around it.

use std::sync::Arc;

use axum::body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::time::timeout;

use crate::problem::{Problem, in_json};
use crate::{App, page};

/// The most bytes that a layer's words about an error have.
const MOST_OF_WORDS: usize = 4096;

/// Answers that the time is up where no response has begun.
pub(crate) async fn in_time(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let time = app.limits.request;
    match timeout(time, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Problem::Late(time.as_secs().max(1)).into_response(),
    }
}

/// Has every error say what is wrong, in JSON, and at `/` in HTML. Nobody may keep it.
pub(crate) async fn explain(request: Request, next: Next) -> Response {
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let (mut head, body) = next.run(request).await.into_parts();
    let status = head.status;
    if !status.is_client_error() && !status.is_server_error() {
        return Response::from_parts(head, body);
    }
    let no_store = HeaderValue::from_static("no-store");
    head.headers.insert(header::CACHE_CONTROL, no_store);
    let kind = head.headers.get(header::CONTENT_TYPE);
    let is = |wanted: &str| kind.is_some_and(|kind| kind.as_bytes().starts_with(wanted.as_bytes()));
    if is("text/html") || (is("application/json") && path != "/") {
        return Response::from_parts(head, body);
    }
    let words = body::to_bytes(body, MOST_OF_WORDS).await;
    let words = words.unwrap_or_default();
    let words = String::from_utf8_lossy(&words);
    let message = match status {
        StatusCode::NOT_FOUND => format!("there is nothing at {path}"),
        StatusCode::METHOD_NOT_ALLOWED => format!("{path} does not take {method}"),
        StatusCode::SERVICE_UNAVAILABLE => Problem::Late(0).message().to_owned(),
        _ => words.into_owned(),
    };
    let mut response = match path.as_str() {
        "/" => page::refusal(status, &message),
        _ => in_json(status, &message),
    };
    head.headers.remove(header::CONTENT_LENGTH);
    head.headers.remove(header::CONTENT_TYPE);
    response.headers_mut().extend(head.headers);
    response
}
