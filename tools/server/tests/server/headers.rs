//! Headers tell who may ask, how long answers may be kept, and how they are compressed.

use axum::http::{Request, StatusCode};
use tbserve::Limits;

use super::{FEN, answer};

#[tokio::test]
async fn pages_and_scripts_of_other_servers_may_ask() {
    let request = Request::get("/standard?fen=x").header("origin", "http://elsewhere");
    let (_, headers, _) = answer(Limits::default(), request).await;
    assert_eq!(headers["access-control-allow-origin"], "*");
}

#[tokio::test]
async fn answers_that_never_change_may_be_kept() {
    let unknown = "4k3/8/8/8/8/3q4/8/RBB1K3_w_-_-_0_1";
    for (path, kept) in [
        (format!("/standard?fen={FEN}"), "public, max-age=86400"),
        (
            format!("/standard/mainline?fen={FEN}"),
            "public, max-age=86400",
        ),
        ("/stats/KQvK".to_owned(), "public, max-age=86400"),
        (format!("/standard?fen={unknown}"), "no-cache"),
        (format!("/?fen={FEN}"), "no-cache"),
    ] {
        let (status, headers, _) = answer(Limits::default(), Request::get(&path)).await;
        assert_eq!(
            (status, &headers["cache-control"]),
            (StatusCode::OK, &kept.parse().unwrap()),
            "{path}"
        );
    }
}

#[tokio::test]
async fn answers_are_compressed_if_clients_take_that() {
    for path in [
        format!("/standard?fen={FEN}"),
        "/".to_owned(),
        "/board.css".to_owned(),
    ] {
        let (_, headers, plain) = answer(Limits::default(), Request::get(&path)).await;
        assert!(!headers.contains_key("content-encoding"));
        let request = Request::get(&path).header("accept-encoding", "gzip");
        let (_, headers, packed) = answer(Limits::default(), request).await;
        assert_eq!(headers["content-encoding"], "gzip");
        assert!(
            packed.len() < plain.len() / 2,
            "{path}: {} of {}",
            packed.len(),
            plain.len()
        );
    }
    // Lines come when they are there.
    let request = Request::post("/standard").header("accept-encoding", "gzip");
    let (_, headers, _) = answer(Limits::default(), request).await;
    assert!(!headers.contains_key("content-encoding"));
}
