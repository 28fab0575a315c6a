//! Where the page's links lead.

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use tower::ServiceExt;

use super::super::{get, positions, send};
use super::{PUBLISHED, between, good, links_of, router, shown, verdict};

#[tokio::test]
async fn links_lead_to_pages_that_answer() {
    let router = router();
    let a_piece_is_put = format!("?fen={PUBLISHED}&edit=N&view=black");
    let mut queries = vec![
        String::new(),
        format!("?fen={PUBLISHED}&ply=4&view=black"),
        a_piece_is_put,
    ];
    let some = positions("KQvKR", 3)
        .into_iter()
        .chain(positions("KPvK", 3));
    queries.extend(some.map(|position| format!("?fen={}", position.fen().replace(' ', "_"))));
    for query in queries {
        let html = good(&router, &query).await;
        let links = links_of(&html);
        assert!(
            links.iter().filter(|link| link.contains("fen=")).count() > 10,
            "{html}"
        );
        let fen = shown(&html).replace(' ', "_");
        // A piece put somewhere leaves no legal position in some cases.
        let own = links.into_iter().filter(|link| {
            !link.starts_with("http")
                && !link.starts_with("data:")
                && !link.starts_with('#')
                && !link.contains("&to=")
        });
        for link in own {
            let path = link.split('#').next().unwrap().trim_start_matches('.');
            let request = Request::get(format!("/{path}")).body(Body::empty());
            let (status, _) = send(&router, request.unwrap()).await;
            assert_eq!(status, StatusCode::OK, "{link} of {fen}");
        }
    }
}

#[tokio::test]
async fn moves_lead_to_the_positions_after_them() {
    let router = router();
    for position in positions("KQvKR", 4)
        .into_iter()
        .chain(positions("KPvKP", 2))
    {
        let html = good(
            &router,
            &format!("?fen={}", position.fen().replace(' ', "_")),
        )
        .await;
        assert_eq!(shown(&html), position.fen());
        let moves = position.moves();
        let rows: Vec<&str> = between(&html, "<td><a href=\"", "</a>").collect();
        assert_eq!(rows.len(), moves.len());
        for row in rows {
            let uci = between(row, "data-uci=\"", "\"").next().unwrap();
            let after = &moves.iter().find(|step| step.uci() == uci).unwrap().after;
            let link = row.split('"').next().unwrap();
            assert_eq!(shown(&good(&router, link).await), after.fen(), "{uci}");
        }
    }
}

/// The link on from each position is followed, as a reader does.
#[tokio::test]
async fn the_best_line_is_stepped_through_to_its_end() {
    let router = router();
    let (_, line) = get(&router, &format!("/standard/mainline?fen={PUBLISHED}")).await;
    let sans: Vec<&str> = line["mainline"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["san"].as_str().unwrap())
        .collect();
    let named = |html: &str, name: &str| {
        let begin = format!("<a id=\"{name}\" href=\"");
        between(html, &begin, "#")
            .next()
            .map(|link| link.replace("&amp;", "&"))
    };
    let mut html = good(&router, &format!("?fen={PUBLISHED}")).await;
    let first = shown(&html).to_owned();
    assert_eq!((named(&html, "first"), named(&html, "back")), (None, None));
    let mut fens = vec![first.clone()];
    for san in &sans {
        html = good(&router, &named(&html, "on").unwrap()).await;
        let current = between(&html, "aria-current=\"step\">", "<").next();
        assert_eq!(current, Some(*san));
        fens.push(shown(&html).to_owned());
    }
    assert_eq!(verdict(&html), "Black is checkmated: White has won.");
    assert_eq!((named(&html, "on"), named(&html, "last")), (None, None));
    let back = good(&router, &named(&html, "back").unwrap()).await;
    assert_eq!(shown(&back), fens[sans.len() - 1]);
    let start = good(&router, &named(&html, "first").unwrap()).await;
    assert_eq!(shown(&start), first);
    let end = good(&router, &named(&start, "last").unwrap()).await;
    assert_eq!(shown(&end), fens[sans.len()]);
    // A ply beyond the end is the end.
    let beyond = good(&router, &format!("?fen={PUBLISHED}&ply=999")).await;
    assert_eq!(shown(&beyond), fens[sans.len()]);
}

/// Where the server sends a change of the board.
async fn changed(router: &Router, query: &str) -> String {
    let request = Request::get(format!("/{query}"))
        .body(Body::empty())
        .unwrap();
    let response = router.clone().oneshot(request).await.unwrap();
    assert_eq!(response.status(), StatusCode::SEE_OTHER, "{query}");
    response.headers()["location"].to_str().unwrap().to_owned()
}

#[tokio::test]
async fn pieces_are_put_moved_and_removed() {
    let router = router();
    let fen = "?fen=4k3/8/8/8/8/8/8/4K2R_w_K_-_7_1";
    for (change, expected) in [
        (
            "&edit=Q&to=a1",
            "?fen=4k3/8/8/8/8/8/8/Q3K2R_w_K_-_7_1&edit=Q",
        ),
        (
            "&edit=Q&from=h1&to=a1",
            "?fen=4k3/8/8/8/8/8/8/R3K3_w_K_-_7_1&edit=Q",
        ),
        (
            "&edit=-&from=h1&view=black",
            "?fen=4k3/8/8/8/8/8/8/4K3_w_K_-_7_1&view=black&edit=-",
        ),
        ("&edit=x&to=h1", "?fen=4k3/8/8/8/8/8/8/4K3_w_K_-_7_1&edit=x"),
        (
            "&edit=-&to=h1",
            "?fen=4k3/8/8/8/8/8/8/4K2R_w_K_-_7_1&edit=-",
        ),
    ] {
        let link = changed(&router, &format!("{fen}{change}")).await;
        assert_eq!(link, expected, "{change}");
        good(&router, &link).await;
    }
    // With a piece to put, each square is a link, and a pawn can't be put on the ranks at the ends.
    for (piece, expected) in [("Q", 64), ("p", 48)] {
        let html = good(&router, &format!("{fen}&edit={piece}")).await;
        let links = links_of(&html);
        let squares = links.iter().filter(|link| link.contains("&to="));
        assert_eq!(squares.count(), expected, "{piece}");
    }
}

#[tokio::test]
async fn the_position_is_changed_as_a_whole() {
    let router = router();
    let link = |html: &str, name: &str| {
        let end = format!("\">{name}</a>");
        let before = html.split(&end).next().unwrap();
        before
            .rsplit("href=\"")
            .next()
            .unwrap()
            .replace("&amp;", "&")
    };
    let html = good(&router, "?fen=4k3/8/8/8/1Pp5/8/8/4K2R_b_K_b3_0_1").await;
    for (name, expected) in [
        (
            "Turn the board",
            "?fen=4k3/8/8/8/1Pp5/8/8/4K2R_b_K_b3_0_1&view=black",
        ),
        (
            "Other side to move",
            "?fen=4k3/8/8/8/1Pp5/8/8/4K2R_w_K_-_0_1",
        ),
        (
            "Exchange colours",
            "?fen=4k2r/8/8/1pP5/8/8/8/4K3_w_k_b6_0_1",
        ),
        ("Clear", "?fen=4k3/8/8/8/8/8/8/4K3_b_-_-_0_1"),
    ] {
        assert_eq!(link(&html, name), expected);
        good(&router, expected).await;
    }
    // Kings that touch are put where they begin.
    let request = Request::get("/?fen=k7/1K6/8/8/8/8/8/8_w_-_-_0_1").body(Body::empty());
    let (_, html) = send(&router, request.unwrap()).await;
    let html = String::from_utf8(html).unwrap();
    assert_eq!(link(&html, "Clear"), "?fen=4k3/8/8/8/8/8/8/4K3_w_-_-_0_1");
    // On the best line it stays where it is.
    let html = good(&router, "?fen=4k3/8/8/8/8/8/8/4K2R_b_K_-_0_1&ply=2").await;
    let turned = "?fen=4k3/8/8/8/8/8/8/4K2R_b_K_-_0_1&view=black&ply=2";
    assert_eq!(link(&html, "Turn the board"), turned);
    // Where the side to move is in check, it can't be the other's turn.
    let html = good(&router, "?fen=4k3/8/8/8/8/8/8/4RK2_b_-_-_0_1").await;
    assert!(
        html.contains("<a aria-disabled=\"true\">Other side to move</a>"),
        "{html}"
    );
}
