//! Counts of tables, and metrics of the server.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use tbserve::Limits;

use super::{get, send, server};

#[tokio::test]
async fn counts_are_those_of_the_table_and_kept() {
    let router = server(&[], Limits::default()).router();
    // The colours of a name may be exchanged.
    for path in ["/stats/KQvK", "/stats/KvKQ", "/stats/KQvK?metric=dtm"] {
        let (status, json) = get(&router, path).await;
        assert_eq!(status, StatusCode::OK, "{path}");
        assert_eq!(json["material"], "KQvK");
        // No win takes more than ten moves, and White to move never loses.
        assert_eq!(json["white"]["longest_win"]["plies"], 19, "{path}");
        assert_eq!(json["white"]["losses"], 0);
        let by_plies = json["black"]["loss_in"].as_object().unwrap().values();
        assert_eq!(
            json["black"]["losses"],
            by_plies.map(|count| count.as_u64().unwrap()).sum::<u64>()
        );
    }
    let (_, text) = send(
        &router,
        Request::get("/metrics").body(Body::empty()).unwrap(),
    )
    .await;
    let text = String::from_utf8(text).unwrap();
    let line = "tbserve_requests_total{route=\"/stats/{material}\",status=\"200\"} 3";
    assert!(text.lines().any(|found| found == line), "{text}");
    // A short-range piece has a letter of its own.
    let (_, json) = get(&router, "/stats/K%5BWD%5DvK?metric=dtm").await;
    let longest = json["white"]["longest_win"]["position"].as_str().unwrap();
    assert!(longest.contains('X') && !longest.contains('Q'), "{longest}");
}
