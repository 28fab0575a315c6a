//! Many positions in the lines of a body.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use tbserve::Limits;

use super::{post, send, server};

#[tokio::test]
async fn a_wrong_line_does_not_keep_others_from_their_answers() {
    let router = server(&[], Limits::default()).router();
    let good = "\"8/8/2k5/8/8/8/8/2KQ4 w - - 0 1\"";
    let lines = [
        good.as_bytes(),
        b"\xff\xfe",
        b"",
        b"{\"fen\": 1}",
        b"{}",
        b"\"x\"",
        good.as_bytes(),
    ];
    let answers = post(&router, lines.join(&b'\n')).await;
    let errors: Vec<bool> = answers
        .iter()
        .map(|json| json["error"].is_string())
        .collect();
    // Empty lines have no answer.
    assert_eq!(errors, [false, true, true, true, true, false]);
    assert_eq!(answers[0], answers[5]);
    assert_eq!(answers[0]["category"], "win");

    for (long, answers) in [
        (vec![b' '; 100_000], 1),
        (format!("\"{}\"\n{good}", "x".repeat(4095)).into_bytes(), 2),
    ] {
        let long = post(&router, long).await;
        assert_eq!(long.len(), answers);
        assert!(long[0]["error"].as_str().unwrap().contains("4096"));
    }
}

#[tokio::test]
async fn bodies_may_not_be_larger_than_the_limit() {
    let limits = Limits {
        body: 10_000,
        ..Limits::default()
    };
    let router = server(&[], limits).router();
    let line = "\"8/8/2k5/8/8/8/8/2KQ4 w - - 0 1\"\n";
    let lines = line.repeat(10_000 / line.len());
    assert_eq!(
        post(&router, lines.clone()).await.len(),
        10_000 / line.len()
    );
    // Its length is not known before it has come.
    let parts =
        futures_util::stream::iter([Ok::<_, std::io::Error>(lines.clone()), Ok(lines.clone())]);
    let answers = post(&router, Body::from_stream(parts)).await;
    assert!(
        answers.last().unwrap()["error"]
            .as_str()
            .unwrap()
            .contains("limit")
    );
    let request = Request::post("/standard").header("content-length", 2 * lines.len());
    let (status, _) = send(&router, request.body(Body::from(lines.repeat(2))).unwrap()).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
}
