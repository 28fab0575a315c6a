//! Errors are told in JSON, and answers tell how long they may be kept.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value as Json;
use tower::ServiceExt;

use super::{Limits, post, server};

const FEN: &str = "8/8/2k5/8/8/8/8/2KQ4_w_-_-_0_1";

async fn answer(
    limits: Limits,
    request: axum::http::request::Builder,
) -> (StatusCode, HeaderMap, Vec<u8>) {
    let router = server(&[], limits).router();
    let response = router
        .oneshot(request.body(Body::empty()).unwrap())
        .await
        .unwrap();
    let (head, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes().to_vec();
    (head.status, head.headers, body)
}

fn said(headers: &HeaderMap, body: &[u8]) -> String {
    assert_eq!(headers["content-type"], "application/json");
    assert_eq!(headers["cache-control"], "no-store");
    let json: Json = serde_json::from_slice(body).unwrap();
    json["error"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn every_error_is_json() {
    let long = Request::post("/standard").header("content-length", 11);
    let small = Limits {
        body: 10,
        ..Limits::default()
    };
    for (limits, request, status, words) in [
        (
            Limits::default(),
            Request::get("/standard"),
            400,
            "there is no position: expected ?fen=FEN",
        ),
        (
            Limits::default(),
            Request::get("/standard/mainline?x=1"),
            400,
            "there is no position: expected ?fen=FEN",
        ),
        (
            Limits::default(),
            Request::get("/nothing"),
            404,
            "there is nothing at /nothing",
        ),
        (
            Limits::default(),
            Request::get("/stats/KQRRvKQR"),
            404,
            "there is no table of KQRRvKQR to count",
        ),
        (
            Limits::default(),
            Request::delete("/standard"),
            405,
            "/standard does not take DELETE",
        ),
        (small, long, 413, "length limit exceeded"),
    ] {
        let (found, headers, body) = answer(limits, request).await;
        assert_eq!(found.as_u16(), status, "{words}");
        assert_eq!(said(&headers, &body), words);
    }
    let (_, headers, body) = answer(Limits::default(), Request::get("/standard?fen=a&fen=b")).await;
    assert!(said(&headers, &body).contains("fen"));
}

/// No request is worked on, so that all wait until the time is up.
#[tokio::test]
async fn a_late_answer_says_when_to_ask_again() {
    let limits = Limits {
        together: 0,
        request: Duration::from_millis(1),
        ..Limits::default()
    };
    let (status, headers, body) =
        answer(limits, Request::get(format!("/standard?fen={FEN}"))).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(headers["retry-after"], "1");
    assert!(said(&headers, &body).contains("no time left"));
    let (status, headers, body) = answer(limits, Request::get("/")).await;
    assert_eq!(
        (status, &headers["retry-after"]),
        (StatusCode::SERVICE_UNAVAILABLE, &"1".parse().unwrap())
    );
    let html = String::from_utf8(body).unwrap();
    assert!(
        html.starts_with("<!DOCTYPE html>") && html.contains("Ask again"),
        "{html}"
    );
}

#[tokio::test]
async fn words_are_those_of_clients() {
    let lines = post(
        &server(&[], Limits::default()).router(),
        "{\"fen\": 1}\n7\n{]\n",
    )
    .await;
    let errors = lines.iter().map(|line| line["error"].as_str().unwrap());
    let expected = "expected \"FEN\" or {\"fen\": \"FEN\"} in each line";
    let errors: Vec<&str> = errors.collect();
    assert_eq!(errors[..2], [expected; 2]);
    assert!(
        errors[2].ends_with(expected) && errors[2].contains("column 2"),
        "{}",
        errors[2]
    );
    let many = "/standard?fen=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR_w_KQkq_-_0_1";
    let (_, headers, body) = answer(Limits::default(), Request::get(many)).await;
    assert_eq!(
        said(&headers, &body),
        "the position has 32 pieces: expected at most 8"
    );
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
