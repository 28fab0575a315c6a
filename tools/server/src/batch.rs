//! `POST /standard`: many positions, one in each line.

use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use http_body_util::BodyExt;
use rayon::prelude::*;
use serde::Deserialize;
use serde_json::json;
use tbgen::GamePosition;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout, timeout_at};

use crate::answers::{Info, Lookup};
use crate::problem::Problem;
use crate::{App, parse};

/// The type of the answer.
pub(crate) const LINES: &str = "application/x-ndjson";

/// The bytes that are answered together, if so many come without a pause.
const TOGETHER: usize = 512 << 10;

/// The pause after which what has come is answered.
const PAUSE: Duration = Duration::from_millis(2);

/// The most bytes of a line.
const MOST_OF_LINE: usize = 4096;

/// A line: `"FEN"` or `{"fen": "FEN"}`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Line<'a> {
    Fen(#[serde(borrow)] Cow<'a, str>),
    Object {
        #[serde(borrow)]
        fen: Cow<'a, str>,
    },
}

/// A request that is being answered.
struct Exchange {
    app: Arc<App>,
    body: Body,
    /// The requests that have come and are not answered.
    waiting: Vec<u8>,
    ended: bool,
    deadline: Instant,
}

fn too_long() -> Problem {
    Problem::Bad(format!("a line is longer than {MOST_OF_LINE} bytes"))
}

fn parse_line(line: &[u8]) -> Result<GamePosition, Problem> {
    if line.len() > MOST_OF_LINE {
        return Err(too_long());
    }
    let bad = |error: serde_json::Error| {
        let expected = "expected \"FEN\" or {\"fen\": \"FEN\"} in each line";
        Problem::Bad(match error.is_data() {
            true => expected.to_owned(),
            false => format!("{error}: {expected}"),
        })
    };
    match serde_json::from_slice(line).map_err(bad)? {
        Line::Fen(fen) | Line::Object { fen } => parse(&fen),
    }
}

fn late(_: Elapsed) -> Problem {
    Problem::Bad("the time is up".to_owned())
}

fn error_line(message: &str) -> Vec<u8> {
    format!("{}\n", json!({ "error": message })).into_bytes()
}

/// The lines that a thread writes answers for at a time.
const LINES_AT_ONCE: usize = 256;

/// Answers for lines, in order.
fn answer(lines: &[u8], lookup: Lookup<'_>) -> (usize, Vec<u8>) {
    // In JSON no text has the end of a line.
    let lines = lines.split(|byte| matches!(byte, b'\n' | b'\r'));
    let lines = lines.map(|line| {
        line.strip_prefix(b"\xef\xbb\xbf")
            .unwrap_or(line)
            .trim_ascii()
    });
    let lines: Vec<&[u8]> = lines.filter(|line| !line.is_empty()).collect();
    let parsed: Vec<_> = lines.into_par_iter().map(parse_line).collect();
    let positions: Vec<GamePosition> = parsed.iter().flatten().cloned().collect();
    let mut found = lookup(&positions).into_iter();
    let found = parsed.into_iter().map(|line| {
        let position = line?;
        let found = found.next().unwrap_or(Ok(None));
        Ok((position, found?))
    });
    let found: Vec<Result<_, Problem>> = found.collect();
    let answers = found.par_chunks(LINES_AT_ONCE).map(|found| {
        let mut answers = Vec::with_capacity(256 * found.len());
        for found in found {
            match found {
                Ok((position, found)) => {
                    // Numbers, names and truths are written to memory without an error.
                    let _ = serde_json::to_writer(&mut answers, &Info::new(position, *found));
                    answers.push(b'\n');
                }
                Err(problem) => answers.extend(error_line(problem.message())),
            }
        }
        answers
    });
    let answers: Vec<Vec<u8>> = answers.collect();
    (found.len(), answers.concat())
}

impl Exchange {
    /// Waits until whole lines are there, and takes them.
    async fn lines(&mut self) -> Result<Vec<u8>, Problem> {
        let mut end = None;
        while !self.ended && self.waiting.len() < TOGETHER {
            let frame = match end {
                None => timeout_at(self.deadline, self.body.frame()).await,
                Some(_) => match timeout(PAUSE, self.body.frame()).await {
                    Err(_) => break,
                    frame => frame,
                },
            };
            match frame.map_err(late)?.transpose() {
                Err(error) => return Err(Problem::Bad(format!("can't read the body: {error}"))),
                Ok(None) => self.ended = true,
                Ok(Some(frame)) => {
                    let before = self.waiting.len();
                    self.waiting
                        .extend_from_slice(frame.data_ref().map_or(&[], |data| &data[..]));
                    let new = self.waiting[before..]
                        .iter()
                        .rposition(|&byte| byte == b'\n');
                    end = new.map(|at| before + at + 1).or(end);
                    if end.unwrap_or(0) + MOST_OF_LINE < self.waiting.len() {
                        return Err(too_long());
                    }
                }
            }
        }
        let end = if self.ended {
            self.waiting.len()
        } else {
            end.unwrap_or(0)
        };
        let rest = self.waiting.split_off(end);
        Ok(std::mem::replace(&mut self.waiting, rest))
    }

    /// The answers to the next lines, or `None` after the last.
    async fn next(&mut self) -> Result<Option<Vec<u8>>, Problem> {
        let lines = self.lines().await?;
        if lines.is_empty() {
            return Ok(None);
        }
        let lines: Arc<[u8]> = lines.into();
        let found = self.app.sources.ask(move |lookup| answer(&lines, lookup));
        let (count, answers) = timeout_at(self.deadline, found).await.map_err(late)??;
        self.app.metrics.positions(count);
        Ok(Some(answers))
    }
}

/// `POST /standard`.
pub(crate) async fn answer_lines(State(app): State<Arc<App>>, body: Body) -> Response {
    let exchange = Exchange {
        deadline: Instant::now() + app.limits.request,
        app,
        body,
        waiting: Vec::new(),
        ended: false,
    };
    let answers = stream::unfold(Some(exchange), |exchange| async {
        let mut exchange = exchange?;
        match exchange.next().await {
            Ok(lines) => lines.map(|lines| (Ok::<_, Infallible>(lines), Some(exchange))),
            // The rest of the body is not read.
            Err(problem) => Some((Ok(error_line(problem.message())), None)),
        }
    });
    let kind = [("content-type", LINES)];
    (kind, Body::from_stream(answers)).into_response()
}
