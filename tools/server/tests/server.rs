//! The server from outside: requests in the process, and over sockets.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value as Json, json};
use tbgen::{
    Evaluation, GamePosition, Letters, Library, Metric, Options, Outcome, Tables, Value, solve,
};
use tbindex::batch::Backend;
use tbindex::store::Overwrite;
use tbindex::{Color, Material, Position, Square};
use tbserve::{Category, Limits, Server, Sources};
use tower::ServiceExt;

mod page;
mod program;
mod refusals;
mod sockets;

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

fn on_demand() -> Tables {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    Tables::on_demand(MEMORY, pool, Tables::solver(Backend::detect()))
}

fn signed(value: Value) -> i64 {
    let sign = (value.outcome as i64).signum();
    sign * i64::from(value.plies)
}

/// Compares an object with what tables say where both distances are known.
fn compare(json: &Json, evaluation: &Evaluation, what: &str) {
    let names = ["loss", "blessed-loss", "draw", "cursed-win", "win"];
    let name = names[(evaluation.outcome as i8 + 2) as usize];
    assert_eq!(json["category"], name, "{what}");
    let dtz = match (json["checkmate"].as_bool(), evaluation.dtz.map(signed)) {
        (Some(true), Some(0)) => Some(-1),
        (_, dtz) => dtz,
    };
    assert_eq!(json["dtz"], json!(dtz), "{what}");
    assert_eq!(json["precise_dtz"], json!(dtz), "{what}");
    assert_eq!(json["dtm"], json!(evaluation.dtm.map(signed)), "{what}");
}

#[tokio::test]
async fn a_published_answer_of_lichess_is_the_same() {
    let router = server(&[], Limits::default()).router();
    let fen = "4k3/6KP/8/8/8/8/7p/8 w - - 0 1";
    let json = look_up(&router, fen).await;
    let info = ["category", "dtz", "precise_dtz", "dtm", "dtc", "dtw"];
    assert_eq!(
        info.map(|key| json[key].clone()),
        [
            json!("win"),
            json!(1),
            json!(1),
            json!(17),
            Json::Null,
            Json::Null
        ]
    );
    let moves = json["moves"].as_array().unwrap().iter();
    let keys = [
        "uci",
        "san",
        "category",
        "dtz",
        "dtm",
        "zeroing",
        "conversion",
    ];
    let moves: Vec<Json> = moves
        .map(|step| keys.map(|key| step[key].clone()).into_iter().collect())
        .collect();
    assert_eq!(
        Json::from(moves),
        json!([
            ["h7h8q", "h8=Q+", "loss", -2, -16, true, true],
            ["h7h8r", "h8=R+", "loss", -2, -26, true, true],
            ["g7g8", "Kg8", "draw", 0, 0, false, false],
            ["g7f6", "Kf6", "win", 1, 19, false, false],
            ["g7g6", "Kg6", "win", 1, 19, false, false],
            ["g7h6", "Kh6", "win", 1, 19, false, false],
            ["g7h8", "Kh8", "win", 1, 19, false, false],
            ["h7h8n", "h8=N", "win", 1, 19, true, true],
            ["h7h8b", "h8=B", "win", 1, 15, true, true],
        ])
    );
    let (status, line) = get(
        &router,
        &format!("/standard/mainline?fen={}", fen.replace(' ', "_")),
    )
    .await;
    assert_eq!(status, StatusCode::OK);
    let moves = line["mainline"].as_array().unwrap().iter();
    let sans: Vec<&str> = moves.map(|step| step["san"].as_str().unwrap()).collect();
    let published = "h8=Q+ Kd7 Qxh2 Kc6 Qe5 Kb6 Kf6 Ka6 Qb2 Ka5 Ke5 Ka4 Kd4 Ka5 Kc5 Ka4 Qa2#";
    assert_eq!(sans.join(" "), published);
    assert_eq!((&line["winner"], &line["dtz"]), (&json!("w"), &json!(1)));
    assert_eq!(line["precise_dtz"], 1);
    assert_eq!(line["mainline"][16]["dtz"], -1);
    assert_eq!(line["mainline"][16]["precise_dtz"], -1);
}

#[tokio::test]
async fn answers_are_those_of_the_tables() {
    let router = server(&[], Limits::default()).router();
    let tables = on_demand();
    for (material, count) in [
        ("KQvK", 60),
        ("KBNvK", 60),
        ("KQvKR", 60),
        ("KNNvK", 20),
        ("KPvK", 6),
    ] {
        let positions = positions(material, count);
        let lines = positions
            .iter()
            .enumerate()
            .map(|(number, position)| match number % 2 {
                0 => format!("{}\n", json!(position.fen())),
                _ => format!("{}\n", json!({ "fen": position.fen() })),
            });
        let lines = post(&router, lines.collect::<String>()).await;
        assert_eq!(lines.len(), count);
        for (position, line) in positions.iter().zip(lines) {
            let fen = position.fen();
            let mut json = look_up(&router, &fen).await;
            let answer = tables.answer(position).unwrap();
            compare(&json, &answer.evaluation, &fen);
            let expected = tables.moves(position).unwrap();
            let moves = json["moves"].take();
            let moves = moves.as_array().unwrap();
            assert_eq!(moves.len(), expected.len(), "{fen}");
            for step in &expected {
                let json = moves.iter().find(|json| json["uci"] == step.uci).unwrap();
                let after = step.after.unwrap();
                compare(json, &after.evaluation, &format!("{fen} {}", step.uci));
                assert_eq!(json["san"], step.san);
                assert_eq!(json["zeroing"], step.zeroing);
                assert_eq!(json["checkmate"], after.checkmate);
                assert_eq!(json["stalemate"], after.stalemate);
                assert_eq!(
                    json["insufficient_material"],
                    step.position.is_insufficient()
                );
            }
            let order: Vec<&str> = moves
                .iter()
                .filter_map(|step| step["uci"].as_str())
                .collect();
            let expected: Vec<&str> = expected.iter().map(|step| step.uci.as_str()).collect();
            assert_eq!(order, expected, "{fen}");
            json.as_object_mut().unwrap().remove("moves");
            assert_eq!(json, line, "{fen}");
        }
    }
}

#[tokio::test]
async fn a_main_line_keeps_the_outcome_to_its_end() {
    let router = server(&[], Limits::default()).router();
    let tables = on_demand();
    for position in positions("KQvKR", 30)
        .into_iter()
        .chain(positions("KBNvK", 10))
    {
        let fen = position.fen();
        let (status, line) = get(
            &router,
            &format!("/standard/mainline?fen={}", fen.replace(' ', "_")),
        )
        .await;
        assert_eq!(status, StatusCode::OK, "{fen}");
        let mut end = position.clone();
        let steps = line["mainline"].as_array().unwrap();
        for step in steps {
            let moves = end.moves().into_iter();
            end = moves
                .into_iter()
                .find(|one| step["uci"] == one.uci())
                .unwrap()
                .after;
        }
        let mover = if position.position().side == Color::White {
            "w"
        } else {
            "b"
        };
        let other = if mover == "w" { "b" } else { "w" };
        let outcome = tables.answer(&position).unwrap().evaluation.outcome;
        match outcome {
            Outcome::Draw => assert!(steps.is_empty(), "{fen}"),
            Outcome::Win => assert_eq!(line["winner"], mover, "{fen}"),
            Outcome::Loss => assert_eq!(line["winner"], other, "{fen}"),
            _ => assert_eq!(end.counter(), 100, "{fen}"),
        }
        let mated = end.in_check() && !end.can_move();
        assert_eq!(mated, !line["winner"].is_null(), "{fen}");
    }
}

#[tokio::test]
async fn positions_without_tables_are_unknown() {
    let router = server(&[], Limits::default()).router();
    // A queen takes the other, and what is left can be solved.
    let fen = "4k3/8/8/8/8/3q4/8/RBB1K3 w - - 0 1";
    let json = look_up(&router, fen).await;
    assert_eq!(
        (&json["category"], &json["dtz"], &json["dtm"]),
        (&json!("unknown"), &Json::Null, &Json::Null)
    );
    let (status, line) = get(
        &router,
        "/standard/mainline?fen=4k3/8/8/8/8/3q4/8/RBB1K3_w_-_-_0_1",
    )
    .await;
    assert_eq!(
        (status, line["error"].is_string()),
        (StatusCode::NOT_FOUND, true)
    );
    let (status, _) = get(&router, "/stats/KQRRvKQR").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
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

/// The position that lichess answers as unknown.
#[tokio::test]
async fn castling_is_answered() {
    let router = server(&[], Limits::default()).router();
    let (status, json) = get(&router, "/standard?fen=4k3/8/8/8/8/8/8/4K2R_w_Kq_-_0_1").await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(json["category"], "win");
    let moves = json["moves"].as_array().unwrap().iter();
    let castles: Vec<_> = moves.filter(|step| step["san"] == "O-O").collect();
    assert!(castles.len() == 1 && castles[0]["uci"] == "e1g1", "{json}");
    let (status, json) = get(
        &router,
        "/standard/mainline?fen=4k3/8/8/8/8/8/8/4K2R_b_K_-_0_1",
    )
    .await;
    assert_eq!((status, &json["winner"]), (StatusCode::OK, &"w".into()));
}

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

    let long = post(&router, vec![b' '; 100_000]).await;
    assert!(long[0]["error"].as_str().unwrap().contains("4096"));
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

#[tokio::test]
async fn pages_and_scripts_of_other_servers_may_ask() {
    let router = server(&[], Limits::default()).router();
    let request = Request::get("/standard?fen=x").header("origin", "http://elsewhere");
    let response = router
        .clone()
        .oneshot(request.body(Body::empty()).unwrap())
        .await
        .unwrap();
    assert_eq!(response.headers()["access-control-allow-origin"], "*");
}

#[tokio::test]
async fn files_come_first_and_the_rest_is_solved() {
    let data = Path::new("../../../shared/data/syzygy");
    if !data.exists() {
        println!("skipped: there is no {}", data.display());
        return;
    }
    let router = server(&[data], Limits::default()).router();
    let tables = Tables::open(&[data]).unwrap();
    for material in ["KQvKR", "KBNvK", "KPvKP"] {
        for position in positions(material, 40) {
            let json = look_up(&router, &position.fen()).await;
            let dtm = &json["dtm"];
            match tables.value(Metric::Dtz, &position) {
                // A promotion leads to tables that are not there.
                Err(_) => assert!(dtm.is_i64(), "{json}"),
                // An open outcome is settled by solving.
                Ok(_) if dtm.is_i64() => {
                    let open = tables
                        .answer(&position)
                        .map(|answer| answer.evaluation.certain);
                    assert!(!open.unwrap_or(false), "{json}");
                }
                Ok((value, exact)) => {
                    let mated = json["checkmate"] == true;
                    let dtz = if mated { -1 } else { signed(value) };
                    assert_eq!(json["dtz"], dtz, "{}", position.fen());
                    assert_eq!(json["precise_dtz"].is_null(), !exact);
                }
            }
        }
    }
    let position = GamePosition::parse("8/8/2k5/8/8/7n/8/2KB4 w - - 0 1", &Letters::default());
    let json = look_up(&router, &position.unwrap().fen()).await;
    assert!(json["dtm"].is_i64(), "{json}");
}

/// A damaged table is an error where there is no memory to solve it again, and else its positions are solved.
#[tokio::test]
async fn damaged_tables_are_solved_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("KRvK.tbg");
    let stop = AtomicBool::new(false);
    let options = Options::new(Metric::Dtz, Backend::detect(), &stop);
    let table = solve(&"KRvK".parse().unwrap(), &Library::default(), options).unwrap();
    table.write(&path, Overwrite::Refuse).unwrap();
    let fen = "8/8/8/8/8/2k5/8/K6R_w_-_-_0_1";
    let answer = async |memory: u64| {
        let folders = vec![folder.path().to_owned()];
        let limits = Limits::default();
        let sources = Sources::open(folders, memory, limits.request).unwrap();
        let router = Server::new(sources, limits, None).router();
        get(&router, &format!("/standard?fen={fen}")).await
    };
    let (status, intact) = answer(1 << 20).await;
    assert_eq!((status, &intact["dtz"]), (StatusCode::OK, &json!(27)));
    assert!(intact["dtm"].is_null(), "nothing is solved");
    let mut bytes = std::fs::read(&path).unwrap();
    let half = bytes.len() / 2;
    (bytes[half..].iter_mut().step_by(64)).for_each(|byte| *byte ^= 1);
    std::fs::write(&path, bytes).unwrap();
    let (status, _) = answer(1 << 20).await;
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    let (status, solved) = answer(MEMORY).await;
    assert_eq!((status, &solved["dtz"]), (StatusCode::OK, &json!(27)));
    // Black's half is the damaged one.
    let best = &solved["moves"][0];
    assert_eq!((&best["dtz"], &best["dtm"]), (&json!(-26), &json!(-26)));
}

fn category(outcome: Outcome, plies: [Option<u16>; 2], certain: bool) -> String {
    let value = |metric: Metric, plies| match outcome {
        Outcome::Draw => Value::DRAW,
        outcome if outcome > Outcome::Draw => metric.win(plies),
        _ => metric.loss(plies),
    };
    let dtz = plies[0].map(|plies| value(Metric::Dtz, plies));
    let evaluation = Evaluation {
        outcome,
        certain,
        at_zero: dtz.map_or(outcome, |value| value.outcome),
        dtz,
        exact: certain,
        dtm: plies[1].map(|plies| value(Metric::Dtm, plies)),
    };
    let category = Category::of(&evaluation);
    serde_json::to_value(category)
        .unwrap()
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn categories_say_what_is_known_about_the_fifty_move_rule() {
    use Outcome::{BlessedLoss, CursedWin, Draw, Loss, Win};
    for (outcome, plies, certain, expected) in [
        (Win, [Some(40), Some(60)], true, "win"),
        (Win, [Some(40), None], false, "syzygy-win"),
        (CursedWin, [Some(40), None], true, "cursed-win"),
        (CursedWin, [Some(101), Some(150)], true, "cursed-win"),
        (Draw, [Some(0), Some(0)], true, "draw"),
        (BlessedLoss, [Some(40), None], true, "blessed-loss"),
        (Loss, [Some(40), None], false, "syzygy-loss"),
        // Moves may leave open whether there is a draw.
        (BlessedLoss, [Some(40), None], false, "syzygy-loss"),
        (Loss, [Some(0), Some(0)], true, "loss"),
        // By the distance to mate alone.
        (Win, [None, Some(100)], true, "win"),
        (Win, [None, Some(100)], false, "maybe-win"),
        (Loss, [None, Some(100)], false, "maybe-loss"),
        (BlessedLoss, [None, Some(100)], false, "maybe-loss"),
        (Loss, [None, Some(40)], true, "loss"),
    ] {
        let found = category(outcome, plies, certain);
        assert_eq!(found, expected, "{outcome:?} {plies:?}");
    }
}
