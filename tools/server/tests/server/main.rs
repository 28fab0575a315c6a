//! The server from outside: requests in the process, and over sockets.

use std::path::Path;

use axum::Router;
use axum::body::Body;
use axum::http::request::Builder;
use axum::http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value as Json;
use tbgen::{GamePosition, Value};
use tbindex::{Color, Material, Position, Square};
use tbserve::{Limits, Server, Sources};
use tower::ServiceExt;

mod answers;
mod categories;
mod headers;
mod lines;
mod page;
mod program;
mod refusals;
mod sockets;
mod sources;
mod stats;

/// A position that White wins.
const FEN: &str = "8/8/2k5/8/8/8/8/2KQ4_w_-_-_0_1";

const MEMORY: u64 = 256 << 20;

fn server(folders: &[&Path], limits: Limits) -> Server {
    let folders = folders.iter().map(|folder| folder.to_path_buf()).collect();
    let sources = Sources::open(folders, MEMORY, limits.request).unwrap();
    Server::new(sources, limits, None)
}

async fn send(router: &Router, request: Request<Body>) -> (StatusCode, Vec<u8>) {
    let response = router.clone().oneshot(request).await.unwrap();
    let status = response.status();
    let body = response.into_body().collect().await.unwrap();
    (status, body.to_bytes().to_vec())
}

/// The answer of a server without files to a request without a body.
async fn answer(limits: Limits, request: Builder) -> (StatusCode, HeaderMap, Vec<u8>) {
    let router = server(&[], limits).router();
    let response = router
        .oneshot(request.body(Body::empty()).unwrap())
        .await
        .unwrap();
    let (head, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes().to_vec();
    (head.status, head.headers, body)
}

async fn get(router: &Router, path: &str) -> (StatusCode, Json) {
    let (status, body) = send(router, Request::get(path).body(Body::empty()).unwrap()).await;
    (status, serde_json::from_slice(&body).unwrap_or(Json::Null))
}

async fn look_up(router: &Router, fen: &str) -> Json {
    let (status, json) = get(router, &format!("/standard?fen={}", fen.replace(' ', "_"))).await;
    assert_eq!(status, StatusCode::OK, "{fen}");
    json
}

/// The lines of the answer to lines.
async fn post(router: &Router, lines: impl Into<Body>) -> Vec<Json> {
    let (status, body) = send(
        router,
        Request::post("/standard").body(lines.into()).unwrap(),
    )
    .await;
    assert_eq!(status, StatusCode::OK);
    let lines = body.split_inclusive(|&byte| byte == b'\n');
    lines
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect()
}

/// The same numbers in every run.
fn random() -> impl FnMut() -> u64 {
    let mut state = 1u64;
    move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        state >> 33
    }
}

/// Random legal positions of a material, with counters.
fn positions(material: &str, count: usize) -> Vec<GamePosition> {
    let material: Material = material.parse().unwrap();
    let mut random = random();
    let mut all = Vec::new();
    while all.len() < count {
        let mut board = [None; 64];
        for piece in material.name_order() {
            board[Square::new(random() as u8 % 64).index()] = Some(piece);
        }
        let side = Color::ALL[random() as usize % 2];
        let position = Position { board, side };
        let there = position.occupied().map(|(piece, _)| piece);
        let is_whole = Material::from_pieces(there).is_ok_and(|there| there == material);
        if let Some(board) = GamePosition::new(&position, None).filter(|_| is_whole) {
            let counter = [0, 0, random() as u16 % 101][all.len() % 3];
            all.push(board.with_counter(counter));
        }
    }
    all
}

fn signed(value: Value) -> i64 {
    let sign = (value.outcome as i64).signum();
    sign * i64::from(value.plies)
}
