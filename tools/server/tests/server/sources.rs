//! Files and solving, each where the other has no answer.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use axum::http::StatusCode;
use serde_json::json;
use tbgen::{GamePosition, Letters, Library, Metric, Options, Tables, solve};
use tbindex::batch::Backend;
use tbindex::store::Overwrite;
use tbserve::{Limits, Server, Sources};

use super::{MEMORY, get, look_up, positions, server, signed};

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
