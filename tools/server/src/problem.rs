//! Why a request has no answer.

use std::fmt::Display;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tbgen::{BoardError, TablesError};

use crate::startup::say;

/// Why a request has no answer, as HTTP has it.
#[derive(Debug)]
pub(crate) enum Problem {
    /// The request is wrong.
    Bad(String),
    /// A table is missing.
    Missing(String),
    /// There was no time left, which may be otherwise after so many seconds.
    Late(u64),
    /// A table is damaged, or the server is wrong. Clients are not told the names of files.
    Internal(String),
}

impl Problem {
    pub(crate) fn internal(error: impl Display) -> Problem {
        Problem::Internal(error.to_string())
    }

    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Problem::Bad(_) => StatusCode::BAD_REQUEST,
            Problem::Missing(_) => StatusCode::NOT_FOUND,
            Problem::Late(_) => StatusCode::SERVICE_UNAVAILABLE,
            Problem::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The message for clients.
    pub(crate) fn message(&self) -> &str {
        match self {
            Problem::Bad(message) | Problem::Missing(message) => message,
            Problem::Late(_) => "the server had no time left: a later request may be answered",
            Problem::Internal(error) => {
                say(error);
                "the server can't answer"
            }
        }
    }
}

impl From<TablesError> for Problem {
    fn from(error: TablesError) -> Problem {
        Problem::internal(error)
    }
}

impl From<BoardError> for Problem {
    fn from(error: BoardError) -> Problem {
        Problem::Bad(error.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = in_json(self.status(), self.message());
        if let Problem::Late(seconds) = self {
            let seconds = HeaderValue::from(seconds);
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        response
    }
}

/// An answer that says what is wrong.
pub(crate) fn in_json(status: StatusCode, message: &str) -> Response {
    let json = json!({ "error": message }).to_string();
    (status, [("content-type", "application/json")], json).into_response()
}
