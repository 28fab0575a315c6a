//! Errors are told in JSON, and say what is wrong.

use std::time::Duration;

use axum::http::{HeaderMap, Request, StatusCode};
use serde_json::Value as Json;
use tbserve::Limits;

use super::{FEN, answer, get, post, random, server};

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
        request: Duration::ZERO,
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
async fn wrong_requests_are_told_what_is_wrong() {
    let router = server(&[], Limits::default()).router();
    for fen in [
        "",
        "x",
        "%ff%fe",
        "%",
        "8/8/8/8/8/8/8/8_w_-_-_0_1",
        "kk6/8/8/8/8/8/8/KK6_w_-_-_0_1",
        "k7/1K6/8/8/8/8/8/8_w_-_-_0_1",
        "4k3/8/8/8/8/8/8/4KR2_w_F_-_0_1",
        "8/8/2k5/1r6/8/8/8/2KQ4_b_-_e4_0_1",
        "8/8/2k5/1r6/8/8/8/2KQ4_b_-_-_151_1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR_w_-_-_0_1",
    ] {
        for path in ["standard", "standard/mainline"] {
            let (status, json) = get(&router, &format!("/{path}?fen={fen}")).await;
            assert_eq!(status, StatusCode::BAD_REQUEST, "{path} {fen}");
            assert!(
                json["error"]
                    .as_str()
                    .is_some_and(|error| !error.is_empty()),
                "{fen}"
            );
        }
    }
    let mut random = random();
    for _ in 0..2000 {
        let count = random() % 40;
        let text: String = (0..count)
            .map(|_| format!("%{:02x}", random() % 256))
            .collect();
        let (status, _) = get(&router, &format!("/standard?fen={text}")).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{text}");
    }
    for (path, wanted) in [
        ("/standard", StatusCode::BAD_REQUEST),
        ("/stats/KQ", StatusCode::BAD_REQUEST),
        ("/stats/KQvK?metric=x", StatusCode::BAD_REQUEST),
        ("/nothing", StatusCode::NOT_FOUND),
    ] {
        assert_eq!(get(&router, path).await.0, wanted, "{path}");
    }
}
