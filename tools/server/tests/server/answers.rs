//! Answers are those of tbgen's tables and of lichess.

use axum::http::StatusCode;
use serde_json::{Value as Json, json};
use tbgen::{Evaluation, Outcome, Tables};
use tbindex::Color;
use tbindex::batch::Backend;
use tbserve::Limits;

use super::{MEMORY, get, look_up, positions, post, server, signed};

fn on_demand() -> Tables {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    Tables::on_demand(MEMORY, pool, Tables::solver(Backend::detect()))
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
