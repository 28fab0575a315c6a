//! The page without its script.

mod links;

use std::collections::BTreeSet;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use tbgen::{Library, Metric, Options, Table, solve};
use tbindex::Material;
use tbindex::batch::Backend;
use tbindex::store::Overwrite;
use tower::ServiceExt;

use super::{Limits, Server, Sources, send, server};

/// A published position: a win in 17 plies, which begins with a promotion.
const PUBLISHED: &str = "4k3/6KP/8/8/8/8/7p/8_w_-_-_0_1";

fn router() -> Router {
    server(&[], Limits::default()).router()
}

async fn page(router: &Router, query: &str) -> (StatusCode, String) {
    let request = Request::get(format!("/{query}")).body(Body::empty());
    let (status, body) = send(router, request.unwrap()).await;
    (status, String::from_utf8(body).unwrap())
}

async fn good(router: &Router, query: &str) -> String {
    let (status, html) = page(router, query).await;
    assert_eq!(status, StatusCode::OK, "{query}: {html}");
    html
}

/// The texts between two others.
fn between<'a>(html: &'a str, begin: &'a str, end: &'a str) -> impl Iterator<Item = &'a str> {
    let parts = html.split(begin).skip(1);
    parts.filter_map(move |part| part.split(end).next())
}

/// The targets of links, relative to the page.
fn links_of(html: &str) -> Vec<String> {
    let links = between(html, "href=\"", "\"");
    links.map(|link| link.replace("&amp;", "&")).collect()
}

fn verdict(html: &str) -> &str {
    let said = between(html, "<p class=\"verdict\">", "</p>").next();
    said.unwrap_or_else(|| panic!("no verdict: {html}"))
}

/// The FEN in the field.
fn shown(html: &str) -> &str {
    let field = between(html, "<input id=\"fen\"", ">").next().unwrap();
    between(field, "value=\"", "\"").next().unwrap()
}

/// The headings of the moves, each with the moves below it.
fn groups(html: &str) -> Vec<(&str, Vec<&str>)> {
    let groups = between(html, "<tbody>", "</tbody>").map(|group| {
        let heading = between(group, "scope=\"rowgroup\">", "<").next().unwrap();
        let rows = between(group, "data-uci=\"", "/a>");
        let sans = rows.map(|row| between(row, ">", "<").next().unwrap());
        (heading, sans.collect())
    });
    groups.collect()
}

#[tokio::test]
async fn a_published_position_is_explained() {
    let html = good(&router(), &format!("?fen={PUBLISHED}")).await;
    assert_eq!(
        verdict(&html),
        "White wins: mate in 9 moves (DTM 17 plies), next capture or pawn move in 1 ply (DTZ 1)."
    );
    let losing = vec!["Kf6", "Kg6", "Kh6", "Kh8", "h8=N", "h8=B"];
    let expected = [
        ("Winning", vec!["h8=Q+", "h8=R+"]),
        ("Drawn", vec!["Kg8"]),
        ("Losing", losing),
    ];
    assert_eq!(groups(&html), expected);
    // The distances of the position after h8=Q+.
    let row = between(&html, "h8=Q+</a></td>", "</tr>").next().unwrap();
    assert_eq!(row, "<td>8 (16)</td><td>2</td>");
    assert!(
        html.contains("<strong>White to move</strong>, fifty-move counter: 0"),
        "{html}"
    );
}

#[tokio::test]
async fn the_fifty_move_rule_is_named() {
    let html = good(&router(), "?fen=8/8/2k5/1r6/8/8/8/2KQ4_b_-_-_40_90").await;
    assert_eq!(
        verdict(&html),
        "Draw by the fifty-move rule. Without that rule White would win: \
         mate in 35 moves (DTM 70 plies), next capture or pawn move in 62 plies (DTZ 62)."
    );
    let names: Vec<&str> = groups(&html).into_iter().map(|group| group.0).collect();
    let names = names.into_iter().collect::<BTreeSet<_>>();
    let expected = ["Draw by the fifty-move rule, a loss without it", "Losing"];
    assert_eq!(names, BTreeSet::from(expected));
    let ends = [
        (
            "7k/6Q1/6K1/8/8/8/8/8_b_-_-_0_1",
            "Black is checkmated: White has won.",
        ),
        (
            "7k/8/6Q1/8/8/8/8/K7_b_-_-_0_1",
            "Black is stalemated: a draw.",
        ),
        (
            "7k/8/8/8/8/8/8/K5N1_b_-_-_0_1",
            "Draw: no side has the pieces to mate.",
        ),
        (
            "8/8/8/3k4/8/8/8/KNN5_w_-_-_0_1",
            "Draw: no side can force mate.",
        ),
        ("4k3/8/8/8/8/3q4/8/RBB1K3_w_-_-_0_1", "Unknown: "),
    ];
    for (fen, expected) in ends {
        let html = good(&router(), &format!("?fen={fen}")).await;
        assert!(verdict(&html).starts_with(expected), "{}", verdict(&html));
        let is_over = !expected.contains("force") && expected != "Unknown: ";
        let told = html.contains("There is none: the game is over.");
        assert_eq!(told, is_over, "{html}");
    }
}

/// By the distance to mate alone it is open whether the counter reaches 100.
#[tokio::test]
async fn open_outcomes_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let material: Material = "KRvK".parse().unwrap();
    let never = false.into();
    let options = Options::new(Metric::Dtm, Backend::detect(), &never);
    let table = solve(&material, &Library::default(), options).unwrap();
    let path = Table::path(folder.path(), material, Metric::Dtm);
    table.write(&path, Overwrite::Refuse).unwrap();
    // Without the memory to solve.
    let limits = Limits::default();
    let folders = vec![folder.path().to_path_buf()];
    let sources = Sources::open(folders, 1, limits.request).unwrap();
    let router = Server::new(sources, limits, None).router();
    // The counter leaves 20 plies, and the mates take more.
    for (fen, verdict_begins, group) in [
        (
            "8/8/3k4/8/8/8/8/KR6_w_-_-_80_1",
            "White wins, or the fifty-move rule saves Black: mate in ",
            "Win or draw by the fifty-move rule",
        ),
        (
            "8/8/3k4/8/8/8/8/KR6_b_-_-_80_1",
            "White wins, or the fifty-move rule saves Black: mate in ",
            "Loss or draw by the fifty-move rule",
        ),
    ] {
        let html = good(&router, &format!("?fen={fen}")).await;
        assert!(
            verdict(&html).starts_with(verdict_begins),
            "{}",
            verdict(&html)
        );
        assert!(
            verdict(&html).contains("it is open whether the counter reaches 100"),
            "{html}"
        );
        assert!(
            groups(&html).iter().any(|(name, _)| *name == group),
            "{:?}",
            groups(&html)
        );
    }
}

#[tokio::test]
async fn what_is_wrong_is_a_page_with_a_sentence() {
    let router = router();
    for (query, sentence) in [
        (
            "?fen=x",
            "No answer: the board has 1 ranks between slashes: expected 8.",
        ),
        (
            "?fen=k7/1K6/8/8/8/8/8/8_w_-_-_0_1",
            "No answer: the position is not legal: the kings touch.",
        ),
        (
            "?fen=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR_w_KQkq_-_0_1",
            "No answer: the position has 32 pieces: expected at most 8.",
        ),
        (
            "?ply=abc",
            "No answer: the ply is &quot;abc&quot;: expected a number such as 3.",
        ),
        (
            "?edit=Q&to=z9",
            "No answer: &quot;z9&quot; is not a square: expected a file a-h and a rank 1-8, such as e4.",
        ),
        (
            "?edit=P&to=a8",
            "No answer: a pawn stands on a8: expected pawns on ranks 2 to 7.",
        ),
    ] {
        let (status, html) = page(&router, query).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{query}");
        assert!(
            html.starts_with("<!DOCTYPE html>") && html.contains(sentence),
            "{query}: {html}"
        );
        assert!(html.contains("<form"), "{query}");
    }
    // The readable part of a position is shown, so that it can be mended.
    let (_, html) = page(&router, "?fen=k7/1K6/8/8/8/8/8/8_w_-_-_0_1&edit=Q").await;
    assert!(
        html.contains("data-name=\"black king\"") && html.contains("Put a white rook"),
        "{html}"
    );
}

#[tokio::test]
async fn nothing_of_an_address_is_markup() {
    let router = router();
    let evil = "%22%3E%3Cscript%3Ealert(1)%3C/script%3E";
    for name in ["fen", "ply", "view", "edit", "from", "to", "other"] {
        let (_, html) = page(&router, &format!("?{name}={evil}")).await;
        assert!(
            !html.contains("<script>") && !html.contains("alert(1)<"),
            "{name}: {html}"
        );
    }
    let request = Request::get("/").body(Body::empty()).unwrap();
    let response = router.clone().oneshot(request).await.unwrap();
    let policy = &response.headers()["content-security-policy"];
    assert!(policy.to_str().unwrap().contains("default-src 'none'"));
}

#[tokio::test]
async fn files_of_the_page_are_kept_for_good() {
    let router = router();
    let html = good(&router, "").await;
    let files: Vec<&str> = between(&html, "\"board.", "\"").collect();
    assert_eq!(files.len(), 2, "{html}");
    for file in files {
        let request = Request::get(format!("/board.{file}")).body(Body::empty());
        let response = router.clone().oneshot(request.unwrap()).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        let kept = response.headers()["cache-control"].to_str().unwrap();
        assert!(kept.contains("immutable"), "{kept}");
    }
}

/// The relative luminance of `#rrggbb`, by the formula of WCAG 2.
fn luminance(color: &str) -> f64 {
    let channel = |k: usize| {
        let value = u8::from_str_radix(&color[2 * k + 1..2 * k + 3], 16).unwrap();
        match f64::from(value) / 255.0 {
            low if low <= 0.04045 => low / 12.92,
            high => ((high + 0.055) / 1.055).powf(2.4),
        }
    };
    0.2126 * channel(0) + 0.7152 * channel(1) + 0.0722 * channel(2)
}

#[tokio::test]
async fn text_has_contrast_in_both_schemes() {
    let (status, style) = page(&router(), "board.css").await;
    assert_eq!(status, StatusCode::OK);
    let schemes: Vec<&str> = between(&style, ":root {", "}").collect();
    assert_eq!(schemes.len(), 2, "light and dark");
    for scheme in schemes {
        let color = |name: &str| {
            between(scheme, &format!("--{name}: "), ";")
                .next()
                .unwrap()
                .to_owned()
        };
        for (text, ground) in [
            ("text", "ground"),
            ("soft", "ground"),
            ("link", "ground"),
            ("link", "mark"),
        ] {
            let [text, ground] = [text, ground].map(|name| luminance(&color(name)));
            let contrast = (text.max(ground) + 0.05) / (text.min(ground) + 0.05);
            assert!(contrast >= 4.5, "{contrast} in {scheme}");
        }
    }
}
