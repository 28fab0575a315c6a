//! A board at `/`, as HTML and SVG that need no script: what tables say about a position, its moves and its best line.

mod address;
mod board;
mod controls;
mod line;
mod moves;
mod pieces;
mod setup;
mod verdict;

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use maud::{DOCTYPE, Markup, html};
use tbgen::{GamePosition, TablesError};
use tbindex::Square;

use self::address::{Asked, At, Look};
use self::board::{board, color_name, palette};
use self::controls::{EXAMPLES, controls, examples};
use self::setup::Setup;
use self::verdict::verdict;
use crate::answers::{Lookup, Mainline, NoLine, Reply};
use crate::problem::Problem;
use crate::{App, parse};

const STYLE: &str = include_str!("board.css");
const SCRIPT: &str = include_str!("board.js");

/// The sources that a browser may load for the page.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; form-action 'self'; base-uri 'none'";

/// A number that another text most likely does not have, so that clients may keep what has it in its address.
const fn fingerprint(text: &str) -> u64 {
    let (bytes, mut hash, mut k) = (text.as_bytes(), 0xcbf2_9ce4_8422_2325u64, 0);
    while k < bytes.len() {
        hash = (hash ^ bytes[k] as u64).wrapping_mul(0x100_0000_01b3);
        k += 1;
    }
    hash
}

/// A position on the best line of another, and what is known of both.
struct Content {
    root: GamePosition,
    line: Result<Mainline, NoLine>,
    /// How many moves of the line were made.
    ply: usize,
    shown: GamePosition,
    reply: Reply,
}

impl Content {
    /// # Errors
    /// If a table is damaged.
    fn new(root: &GamePosition, ply: usize, lookup: Lookup<'_>) -> Result<Content, TablesError> {
        let line = Mainline::new(root, lookup)?;
        let steps = line.as_ref().map_or(&[][..], |line| &line.mainline);
        let ply = ply.min(steps.len());
        let shown = match ply {
            0 => root.clone(),
            _ => steps[ply - 1].after.clone(),
        };
        Ok(Content {
            reply: Reply::new(&shown, lookup)?,
            root: root.clone(),
            line,
            ply,
            shown,
        })
    }

    /// The squares of the last move.
    fn last(&self) -> Vec<Square> {
        let steps = self.line.as_ref().map_or(&[][..], |line| &line.mainline);
        let uci = self.ply.checked_sub(1).map_or("", |k| &steps[k].uci);
        let squares = [uci.get(..2), uci.get(2..4)].into_iter().flatten();
        squares.flat_map(str::parse).collect()
    }
}

/// The page around what it shows.
fn document(status: StatusCode, title: &str, look: Look, main: &Markup) -> Response {
    let asset = |name: &str, text: &str| format!("{name}?{:x}", fingerprint(text));
    let html = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                link rel="icon" href="data:,";
                link rel="stylesheet" href=(asset("board.css", STYLE));
                script src=(asset("board.js", SCRIPT)) defer {}
            }
            body {
                a .skip href="#main" { "Skip to the board" }
                header {
                    h1 { a href="." { "Chess endgame tables" } }
                    (examples(look))
                }
                main #main tabindex="-1" { (main) }
                footer {
                    p {
                        "Programs ask this server as they ask "
                        a href="https://lichess.org/api#tag/Tablebase" { "lichess’s tablebase" }
                        ": /standard?fen=FEN, /standard/mainline?fen=FEN, "
                        a href="stats/KQvKR" { "/stats/KQvKR" } ", " a href="metrics" { "/metrics" } "."
                    }
                }
            }
        }
    };
    let head = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (status, head, Html(html.into_string())).into_response()
}

/// The terms that are used above.
fn terms() -> Markup {
    html! {
        section aria-labelledby="terms" {
            h2 #terms { "DTM, DTZ and plies" }
            dl {
                dt { "Ply" }
                dd { "A move of one side. “Mate in 12 moves” counts the moves of the winner." }
                dt { "DTM, distance to mate" }
                dd { "The plies until mate if both sides play their best and there is no fifty-move rule." }
                dt { "DTZ, distance to zeroing" }
                dd {
                    "The plies until the next capture, pawn move or mate if both sides play their best. A capture or a pawn "
                    "move sets the fifty-move counter to zero; when it reaches 100 plies, a player may claim a draw."
                }
            }
            p { "Distances beside a move are those of the position after it." }
        }
    }
}

fn answered(content: &Content, look: Look) -> Response {
    let setup = Setup::of(&content.shown);
    let side = setup.fen.position.side;
    let said = verdict(&content.reply.info, side);
    let root = content.root.fen();
    let at = At {
        fen: &root,
        ply: content.ply,
    };
    let fen = setup.text();
    let main = html! {
        section .position aria-labelledby="to-move" {
            (board(&setup, look, &content.last()))
            p #to-move {
                strong { (color_name(side)) " to move" }
                ", fifty-move counter: " (content.shown.counter())
            }
            p #word role="status" {}
            @if look.edit.is_some() { (palette(&setup, look)) }
            @if let Ok(line) = &content.line && !line.mainline.is_empty() { (line::steps(line, at, look)) }
        }
        div .answer {
            p .verdict { (said) }
            @if !content.reply.moves.is_empty() { (moves::moves(&content.reply, look)) }
            (line::line(&content.line, &content.root, at, look))
            (terms())
            p { "As JSON: " a href={ "standard" (Look::PLAIN.link(&fen)) } { "this position" } }
        }
        (controls(&fen, Some(&setup), at, look))
    };
    document(StatusCode::OK, &said, look, &main)
}

/// The board, if there is one, and why there is no answer.
fn refused(text: &str, look: Look, problem: &Problem) -> Response {
    let setup = Setup::read(text).ok();
    let fen = setup.as_ref().map(Setup::text);
    let at = At {
        fen: fen.as_deref().unwrap_or_default(),
        ply: 0,
    };
    let main = html! {
        @if let Some(setup) = &setup {
            section .position aria-label="Board" {
                (board(setup, look, &[]))
                p #word role="status" {}
                @if look.edit.is_some() { (palette(setup, look)) }
            }
        }
        div .answer { p .verdict role="alert" { "No answer: " (problem.message()) "." } }
        (controls(&text.replace('_', " "), setup.as_ref(), at, look))
    };
    document(problem.status(), "No answer", look, &main)
}

/// The page of a request that was refused before it was read.
pub(crate) fn refusal(status: StatusCode, message: &str) -> Response {
    let main = html! {
        div .answer {
            p .verdict role="alert" { "No answer: " (message) "." }
            p { a href="" { "Ask again" } }
        }
    };
    document(status, "No answer", Look::PLAIN, &main)
}

/// `GET /`.
pub(crate) async fn show(State(app): State<Arc<App>>, Query(asked): Query<Asked>) -> Response {
    let look = asked.look();
    let text = asked.fen.as_deref().map(str::trim);
    let text = text
        .filter(|text| !text.is_empty())
        .unwrap_or(EXAMPLES[0].1);
    let answer = async {
        if let Some(squares) = asked.change()? {
            let changed = Setup::read(text)?.changed(look.edit, squares)?;
            return Ok(Redirect::to(&look.link(&changed.text())).into_response());
        }
        let (position, ply) = (parse(text)?, asked.ply()?);
        let content = app
            .sources
            .ask(move |lookup| Content::new(&position, ply, lookup));
        Ok::<_, Problem>(answered(&content.await??, look))
    };
    match answer.await {
        Ok(response) => response,
        Err(problem) => refused(text, look, &problem),
    }
}

/// A file that is served from memory. Its address has its fingerprint.
fn asset(kind: &'static str, text: &'static str) -> Response {
    let keep = "public, max-age=31536000, immutable";
    let head = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, keep)];
    (head, text).into_response()
}

/// `GET /board.css`.
pub(crate) async fn style() -> Response {
    asset("text/css; charset=utf-8", STYLE)
}

/// `GET /board.js`.
pub(crate) async fn script() -> Response {
    asset("text/javascript; charset=utf-8", SCRIPT)
}
