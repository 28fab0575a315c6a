//! The program as people run it.

use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use serde_json::Value as Json;

fn tbgen(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tbgen"))
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn succeed(arguments: &[&str]) -> String {
    let output = tbgen(arguments);
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        text(&output.stderr)
    );
    text(&output.stdout)
}

fn json(arguments: &[&str]) -> Json {
    serde_json::from_str(&succeed(arguments)).unwrap()
}

/// Names and contents of a folder's files, hidden ones left out.
fn tables(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(&path).unwrap())
        })
        .filter(|(name, _)| !name.starts_with('.'))
        .collect();
    all.sort();
    all
}

#[test]
fn a_table_is_generated_probed_played_out_and_verified() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let report = json(&[
        "generate",
        "KQvKR",
        "-o",
        folder,
        "--json",
        "--threads",
        "2",
    ]);
    let made: Vec<&str> = (report["tables"].as_array().unwrap().iter())
        .map(|table| table["table"].as_str().unwrap())
        .collect();
    assert_eq!(made.last(), Some(&"KQvKR"));
    assert_eq!(made.len(), 3);
    let again = json(&["generate", "KRvKQ", "-o", folder, "--json"]);
    for table in again["tables"].as_array().unwrap() {
        assert!(table["solve_seconds"].is_null(), "{table} is there already");
    }

    let longest = "8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1";
    let answer = json(&["probe", folder, longest, "--json"]);
    let value = &answer["positions"][0]["value"];
    assert_eq!(
        (value["wdl"].as_i64(), value["plies"].as_u64()),
        (Some(-2), Some(62))
    );
    let line = json(&["line", folder, longest, "--json"]);
    assert_eq!(line["mate"], Json::Bool(true));
    assert!(line["moves"].as_array().unwrap().len() >= 62);

    let checked = json(&["verify", folder, "--json"]);
    assert_eq!(checked["tables"].as_array().unwrap().len(), 3);
    let stats = json(&["stats", "KQvKR", "--json"]);
    let file = json(&["stats", &format!("{folder}/KQvKR.tbg"), "--json"]);
    assert_eq!(stats, file);
    assert_eq!(stats["white"]["wins"].as_u64(), Some(1_108_111));
    let sum: u64 = (stats["black"]["loss_in"].as_object().unwrap().values())
        .map(|count| count.as_u64().unwrap())
        .sum();
    assert_eq!(Some(sum), stats["black"]["losses"].as_u64());
}

#[test]
fn wrong_calls_and_missing_tables_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    for (arguments, status, says) in [
        (vec!["generate", "KPvK", "-o", folder], 2, "has pawns"),
        (vec!["generate", "KQRBvKR", "-o", folder], 2, "6 pieces"),
        (
            vec!["generate", "KRBvKR", "--no-write", "--memory", "1M"],
            2,
            "--memory allows",
        ),
        (vec!["stats", "nonsense"], 2, "nonsense"),
        (
            vec!["probe", folder, "8/8/8/8/8/2k5/8/K6R w - - 0 1"],
            1,
            "KRvK.tbg",
        ),
        (vec!["verify", folder], 1, "no table files"),
    ] {
        let output = tbgen(&arguments);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        let message = text(&output.stderr);
        assert!(message.contains(says), "{arguments:?}: {message}");
    }
}

#[test]
fn illegal_positions_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    succeed(&["generate", "KRvK", "-o", folder]);
    for fen in [
        "8/8/8/8/8/8/1k6/K6R w - - 0 1",
        "k6R/8/1K6/8/8/8/8/8 w - - 0 1",
    ] {
        let output = tbgen(&["probe", folder, fen]);
        assert_eq!(output.status.code(), Some(1), "{fen}");
    }
}

#[test]
fn a_killed_run_leaves_nothing_false_and_the_next_one_makes_the_same_tables() {
    let whole = tempfile::tempdir().unwrap();
    succeed(&["generate", "KRvKN", "-o", whole.path().to_str().unwrap()]);
    let expected = tables(whole.path());
    for delay in [1, 5, 10, 15, 20, 30, 40, 60] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_tbgen"))
            .args(["generate", "KRvKN", "-o", path])
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(delay));
        child.kill().unwrap();
        child.wait().unwrap();
        // Whatever has its name already is complete.
        for table in tables(folder.path()) {
            assert!(expected.contains(&table), "{} after {delay} ms", table.0);
        }
        succeed(&["generate", "KRvKN", "-o", path]);
        assert!(tables(folder.path()) == expected, "after {delay} ms");
    }
}

#[test]
fn a_damaged_table_is_named_and_not_built_upon() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    succeed(&["generate", "KRvK", "-o", path]);
    let file = folder.path().join("KRvK.tbg");
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() - 1000;
    bytes[middle] ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    let output = tbgen(&["generate", "KRRvK", "-o", path]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("KRvK.tbg"));
    assert!(!folder.path().join("KRRvK.tbg").exists());
    succeed(&["generate", "KRRvK", "-o", path, "--force"]);
    succeed(&["verify", path, "--no-moves"]);
}
