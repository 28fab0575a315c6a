//! The program as people run it.

#![allow(clippy::missing_panics_doc, reason = "for tests alone")]

#[path = "../../../../tests/support/held.rs"]
pub mod held;
#[cfg(unix)]
mod hostile;
mod killed;
mod label;
mod memory;
mod packed;
mod parquet;
mod questions;
#[path = "../../../../tests/support/random.rs"]
pub mod random;
mod sample;
#[cfg(unix)]
#[path = "../../../../tests/support/signals.rs"]
pub mod signals;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value as Json;

const PROGRAM: &str = env!("CARGO_BIN_EXE_tbgen");

fn tbgen(arguments: &[&str]) -> Output {
    Command::new(PROGRAM).args(arguments).output().unwrap()
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

/// Runs the program, which has to end with a status and to say something. Returns its messages.
fn fail(arguments: &[&str], status: i32, says: &str) -> String {
    let output = tbgen(arguments);
    let errors = text(&output.stderr);
    let found = output.status.code();
    assert_eq!(found, Some(status), "{arguments:?}: {errors}");
    assert!(errors.contains(says), "{arguments:?}: {errors}");
    errors
}

/// A folder, and its path as text.
fn folder() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap().to_owned();
    (folder, path)
}

fn json(arguments: &[&str]) -> Json {
    serde_json::from_str(&succeed(arguments)).unwrap()
}

/// The names in a folder, hidden ones too.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

/// Names and contents of a folder's files, hidden ones left out.
fn tables(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<_> = (names(folder).into_iter())
        .filter(|name| !name.starts_with('.'))
        .map(|name| {
            let bytes = std::fs::read(folder.join(&name)).unwrap();
            (name, bytes)
        })
        .collect();
    all.sort();
    all
}

#[test]
fn a_table_is_generated_probed_played_out_and_verified() {
    let (_folder, folder) = &folder();
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
        (value["wdl"].as_i64(), value["dtz"].as_u64()),
        (Some(-2), Some(62))
    );
    let line = json(&["line", folder, longest, "--json"]);
    assert_eq!(line["ending"], "checkmate");
    assert!(line["line"].as_array().unwrap().len() >= 62);
    for (counter, wdl, ending, plies) in [
        (38, -2, "checkmate", 62..200),
        (39, -1, "fifty moves", 61..62),
        (100, -1, "fifty moves", 0..1),
        (150, -1, "fifty moves", 0..1),
    ] {
        let fen = longest.replace("0 1", &format!("{counter} 90"));
        let value = &json(&["probe", folder, &fen, "--json"])["positions"][0]["value"];
        assert_eq!(
            (&value["wdl"], &value["wdl_at_zero"]),
            (&wdl.into(), &(-2).into())
        );
        let line = json(&["line", folder, &fen, "--json"]);
        assert_eq!((&line["ending"], &line["value"]), (&ending.into(), value));
        assert!(
            plies.contains(&line["line"].as_array().unwrap().len()),
            "{fen}"
        );
    }
    // A mate stands, whatever the counter is.
    let mate = succeed(&["probe", folder, "k7/1Q6/1K6/8/8/8/8/8 b - - 100 100"]);
    assert!(mate.ends_with(": checkmate\n"), "{mate}");

    let checked = json(&["verify", folder, "--one-in", "8", "--json"]);
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
fn short_range_pieces_go_the_same_way() {
    let (_folder, folder) = &folder();
    let report = json(&["generate", "KN[0x11880]vK", "-o", folder, "--json"]);
    let made: Vec<&str> = (report["tables"].as_array().unwrap().iter())
        .map(|table| table["table"].as_str().unwrap())
        .collect();
    assert_eq!(made, ["K[W]vK", "KNvK", "K[W]NvK"]);
    let report = json(&["generate", "K[WD]vK", "-o", folder, "--json"]);
    assert_eq!(report["tables"][0]["table"], "K[WD]vK");
    let again = json(&["generate", "KvK[0x213c84]", "-o", folder, "--json"]);
    assert!(again["tables"][0]["solve_seconds"].is_null(), "{again}");

    let stats = json(&["stats", "K[WD]vK", "--json"]);
    assert_eq!(stats["black"]["longest_loss"]["plies"], 58);
    assert_eq!(stats["pieces"][0], "X=WD");
    let file = json(&["stats", &format!("{folder}/K[WD]vK.tbm"), "--json"]);
    assert_eq!(stats, file);

    let longest = stats["black"]["longest_loss"]["position"].as_str().unwrap();
    let longest = longest.replace('X', "L");
    let answer = json(&["probe", folder, &longest, "--piece", "L=WD", "--json"]);
    let value = &answer["positions"][0]["value"];
    assert_eq!(
        (value["wdl"].as_i64(), value["dtm"].as_u64()),
        (Some(-2), Some(58))
    );
    let line = json(&["line", folder, &longest, "--piece", "l=WD", "--json"]);
    assert_eq!(line["ending"], "checkmate");
    assert_eq!(line["line"].as_array().unwrap().len(), 58);
    let solved = json(&["solve", &longest, "--piece", "L=WD", "--json"]);
    for key in ["value", "line", "end"] {
        assert_eq!(solved[key], line[key]);
    }
    assert_eq!(solved["moves"], answer["positions"][0]["moves"]);

    let checked = json(&[
        "verify", folder, "--table", "K[WD]vK", "--table", "K[W]vK", "--json",
    ]);
    let tables = checked["tables"].as_array().unwrap();
    assert_eq!(tables.len(), 2);
    assert!(
        tables
            .iter()
            .all(|table| table["positions"].as_u64() > Some(10_000)),
        "{checked}"
    );
    let all = json(&["verify", folder, "--no-moves", "--json"]);
    assert!(all["tables"].as_array().unwrap().len() == 4, "{all}");

    let refused = |arguments: &[&str], says: &str| fail(arguments, 2, says);
    refused(&["generate", "K[WD]PvK", "--no-write"], "pawns");
    refused(&["generate", "K[WX]vK", "--no-write"], "[WX]");
    let generate = ["generate", "K[WD]vK", "-o", folder];
    refused(&[&generate[..], &["--metric", "dtz"]].concat(), "dtm");
    refused(
        &[&generate[..], &["--format", "syzygy"]].concat(),
        "no Syzygy files of short-range pieces",
    );
    refused(&["probe", folder, &longest], "rank");
    refused(&["probe", folder, &longest, "--piece", "Q=WD"], "--piece");
}

#[test]
fn wrong_calls_and_missing_tables_are_told_apart() {
    let (_folder, path) = folder();
    for (call, says) in [
        ("KQRBNvKRB -o", "8 pieces"),
        ("KRRvKRB --memory 100M -o", "KRRvKRB needs at least"),
        ("KRBvKR --metric dtm --memory 20M -o", "--memory allows"),
        ("--all 8 -o", "from 3 to 6"),
        ("--all 7 -o", "too many placements of pawns"),
        ("KQvK --all 3 -o", "cannot be used with"),
        ("KQvK --rounded -o", "add --format syzygy"),
        (
            "KQvK --format syzygy --metric dtm -o",
            "distances to zeroing only",
        ),
    ] {
        let call = ["generate"].into_iter().chain(call.split(' '));
        fail(&call.chain([&*path]).collect::<Vec<_>>(), 2, says);
    }
    for (call, says) in [
        ("generate KRBvKR --no-write --memory 1M", "--memory allows"),
        ("generate KRBvKR --no-write --memory 60M", "with --no-write"),
        ("generate KQvK --no-write --metric dtc", "dtz, dtm"),
        ("stats nonsense", "nonsense"),
    ] {
        fail(&call.split(' ').collect::<Vec<_>>(), 2, says);
    }
    let missing = "8/8/8/8/8/2k5/8/K6R w - - 0 1";
    fail(&["probe", &path, missing], 1, "KRvK.tbg");
    fail(&["verify", &path], 1, "no such table files");
}

/// Whatever command they are given to.
#[test]
fn positions_that_no_game_has_are_refused() {
    let (_folder, path) = folder();
    for (fen, says) in [
        (
            "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
            "the FEN has castling rights, which no table knows",
        ),
        (
            "4k3/8/8/8/4P3/8/8/4K3 b - d3 0 1",
            "no pawn can just have passed",
        ),
        (
            "4k2P/8/8/8/8/8/8/4K3 w - - 0 1",
            "expected pawns on ranks 2 to 7",
        ),
        (
            "8/8/8/8/8/8/1k6/K6R w - - 0 1",
            "not legal: the kings touch",
        ),
        (
            "k6R/8/1K6/8/8/8/8/8 w - - 0 1",
            "not legal: the side not to move is in check",
        ),
        (
            "8/8/8/1k6/8/8/K6R/8 w - - 151 1",
            "the fifty-move counter is \"151\": expected 0 to 150",
        ),
    ] {
        for arguments in [
            vec!["probe", &path, fen],
            vec!["line", &path, fen],
            vec!["solve", fen],
        ] {
            fail(&arguments, 2, says);
        }
    }
    let leaper = "8/8/8/8/8/8/1k6/K6L w - - 0 1";
    let arguments = ["probe", &path, leaper, "--piece", "L=WDsD"];
    fail(&arguments, 2, "not legal: the kings touch");
}

#[test]
fn tables_of_either_metric_answer() {
    let (_folder, path) = &folder();
    succeed(&["generate", "KRvK", "--metric", "dtm", "-o", path]);
    let fen = "8/8/8/1k6/8/8/K6R/8 w - - 0 1";
    let counted = "8/8/8/1k6/8/8/K6R/8 w - - 99 90";
    for more in [&[][..], &["--metric", "dtm"]] {
        let output = tbgen(&[&["probe", path, fen, counted][..], more].concat());
        let answers = text(&output.stdout);
        assert_eq!(answers.matches("plies to mate; best: ").count(), 2);
        let says = "counter 99 is not counted: there are distances to mate alone";
        assert_eq!(text(&output.stderr).matches(says).count(), 1);
    }
    fail(
        &["probe", path, fen, "--metric", "dtz"],
        1,
        "the table of KRvK is needed: there is no KRvK.tbg, nor KRvK.rtbw",
    );
    // That of the capture is there.
    succeed(&["generate", "KRvK", "-o", path]);
    fail(
        &["probe", path, "8/8/8/1k6/8/8/K6R/7r w - - 0 1"],
        1,
        "the table of KRvKR is needed: there is no KRvKR.tbg, nor KRvKR.rtbw",
    );
}

#[test]
fn a_dry_run_makes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new");
    let path = path.to_str().unwrap();
    let plan = succeed(&["generate", "--all", "4", "--dry-run", "-o", path]);
    assert!(plan.contains("35 to make, up to "), "{plan}");
    let plan = json(&["generate", "--all", "4", "--dry-run", "-o", path, "--json"]);
    assert_eq!(plan["tables"].as_u64(), Some(35));
    assert!(!Path::new(path).exists());
}

#[test]
fn a_check_goes_on_after_a_damaged_table_and_lists_it() {
    let (folder, path) = &folder();
    succeed(&["generate", "--all", "3", "-o", path]);
    let file = folder.path().join("KBvK.tbg");
    let mut bytes = std::fs::read(&file).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    for more in [&["--no-moves"][..], &["--one-in", "50"]] {
        let output = tbgen(&[&["verify", path][..], more].concat());
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let (found, message) = (text(&output.stdout), text(&output.stderr));
        // KPvK comes last, and does not need the damaged one.
        for name in ["KNvK", "KQvK", "KRvK"] {
            assert!(found.contains(&format!("{name}: ")), "{found}");
        }
        assert!(message.contains("KBvK.tbg: block "), "{message}");
        let end = message.lines().last().unwrap_or_default();
        assert!(
            end.contains("of 5 tables are damaged or wrong: KBvK"),
            "{message}"
        );
    }
    let output = tbgen(&["verify", path, "--no-moves", "--json"]);
    let report: Json = serde_json::from_slice(&output.stdout).unwrap();
    let errors = report["tables"].as_array().unwrap().iter();
    let errors: Vec<_> = errors.filter(|table| table["error"].is_string()).collect();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0]["table"], "KBvK");
}

#[test]
fn a_damaged_table_is_named_and_not_built_upon() {
    let (folder, path) = &folder();
    succeed(&["generate", "KRvK", "-o", path]);
    let file = folder.path().join("KRvK.tbg");
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() - 1000;
    bytes[middle] ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    for arguments in [
        vec!["generate", "KRRvK", "-o", path],
        vec!["stats", file.to_str().unwrap()],
    ] {
        let message = fail(&arguments, 1, "KRvK.tbg: block ");
        let part = message.split("KRvK.tbg: block ").nth(1).unwrap_or_default();
        assert!(part.contains("is damaged"), "{message}");
        assert!(
            part.ends_with("remove the file and generate it again\n"),
            "{message}"
        );
        assert!(!message.contains("temporary"), "{message}");
    }
    assert!(!folder.path().join("KRRvK.tbg").exists());
    succeed(&["generate", "KRRvK", "-o", path, "--force"]);
    succeed(&["verify", path, "--no-moves"]);
}

/// The metric and the name of each table in a report, and whether it was made or was there.
fn made(report: &Json) -> Vec<(String, String, bool)> {
    let text = |value: &Json| value.as_str().unwrap().to_owned();
    let tables = report["tables"].as_array().unwrap().iter();
    tables
        .map(|table| {
            let solved = table["solve_seconds"].is_number();
            assert_eq!(solved, table["write_seconds"].is_number(), "{table}");
            (text(&table["metric"]), text(&table["table"]), solved)
        })
        .collect()
}

#[test]
fn all_tables_of_three_pieces_are_made_by_both_metrics() {
    let (folder, path) = &folder();
    let all = [
        "generate", "--all", "3", "--metric", "dtz,dtm", "-o", path, "--json",
    ];
    let first = made(&json(&all));
    let names = ["KBvK", "KNvK", "KQvK", "KRvK", "KPvK"];
    let expected =
        ["dtz", "dtm"].map(|metric| names.map(|name| (metric.to_owned(), name.to_owned(), true)));
    assert_eq!(first, expected.concat());
    let files: Vec<String> = tables(folder.path())
        .into_iter()
        .map(|file| file.0)
        .collect();
    let mut expected: Vec<String> = (names.iter())
        .flat_map(|name| ["tbg", "tbm"].map(|end| format!("{name}.{end}")))
        .collect();
    expected.sort();
    assert_eq!(files, expected);

    // Nothing is made twice, and a table that was lost is made again.
    let bytes = tables(folder.path());
    assert!(made(&json(&all)).iter().all(|table| !table.2));
    std::fs::remove_file(folder.path().join("KPvK.tbm")).unwrap();
    let again = made(&json(&all));
    let solved: Vec<_> = again.iter().filter(|table| table.2).collect();
    assert_eq!(solved.len(), 1);
    assert_eq!((&*solved[0].0, &*solved[0].1), ("dtm", "KPvK"));
    assert!(tables(folder.path()) == bytes);

    let checked = json(&["verify", path, "--json"]);
    let checked = checked["tables"].as_array().unwrap();
    assert_eq!(checked.len(), 10);
    for table in checked {
        assert!(table["positions"].as_u64() > Some(40_000), "{table}");
    }
    // One pawn, the longest mate, by both metrics.
    let longest = "8/8/8/1k6/8/8/K5P1/8 w - - 0 1";
    let value = |metric: &str| {
        let answer = json(&["probe", path, longest, "--metric", metric, "--json"]);
        answer["positions"][0]["value"].clone()
    };
    let [dtz, dtm] = ["dtz", "dtm"].map(value);
    assert_eq!(dtm["dtm"], 55);
    assert!(dtz["dtz"].as_u64() < Some(20) && dtz["dtm"].is_null());
    let both = json(&["probe", path, longest, "--json"]);
    let both = &both["positions"][0]["value"];
    assert_eq!((&both["dtz"], &both["dtm"]), (&dtz["dtz"], &dtm["dtm"]));
    for more in [&["--metric", "dtm", "--json"][..], &["--json"]] {
        let line = json(&[&["line", path, longest][..], more].concat());
        assert_eq!(line["ending"], "checkmate");
        assert_eq!(line["line"].as_array().unwrap().len(), 55);
    }
    // A file knows its metric, a material has to be told.
    let stats = json(&["stats", "KPvK", "--metric", "dtm", "--json"]);
    let file = json(&["stats", &format!("{path}/KPvK.tbm"), "--json"]);
    assert_eq!(stats, file);
    assert_eq!(stats["white"]["longest_win"]["plies"].as_u64(), Some(55));
}

#[test]
fn an_estimate_says_what_a_table_takes() {
    let report = json(&["estimate", "KRRvKRB", "--memory", "1G,8G", "--json"]);
    assert_eq!(report["slots"].as_u64(), Some((2 * 462) << 24));
    let plans = report["plans"].as_array().unwrap();
    let of = |k: usize, key: &str| plans[k][key].as_u64().unwrap();
    assert_eq!(
        [0, 1].map(|k| plans[k]["sets"].as_str().unwrap()),
        ["disk", "memory"]
    );
    assert!(of(0, "memory") <= 1 << 30 && of(1, "memory") <= 6_000_000_000);
    // Two sets are read and written.
    assert_eq!(of(0, "bytes_per_ply"), (4 * 462) << 21);
    let text = succeed(&["estimate", "KQRvKRBN"]);
    assert!(
        text.contains("sets on disk") && text.contains("sets in memory"),
        "{text}"
    );
    let too_little = ["estimate", "KRRvKRB", "--memory", "100M"];
    fail(&too_little, 2, "KRRvKRB needs at least");
}

#[test]
fn syzygy_files_are_made_without_others() {
    let [tables_first, straight] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let [first, straight_path] = [&tables_first, &straight].map(|f| f.path().to_str().unwrap());
    let exported = tempfile::tempdir().unwrap();
    succeed(&["generate", "KPvK", "-o", first]);
    let to = exported.path().to_str().unwrap();
    succeed(&["export", first, "--syzygy", to]);
    let expected = tables(exported.path());
    assert_eq!(expected.len(), 10);

    fn arguments(folder: &str) -> Vec<&str> {
        let fixed = ["generate", "KPvK", "--format", "syzygy", "--json", "-o"];
        fixed.into_iter().chain([folder]).collect()
    }
    succeed(&arguments(straight_path));
    assert!(tables(straight.path()) == expected);
    // What is not intact is made again, a pair of files together, and nothing else.
    std::fs::remove_file(straight.path().join("KRvK.rtbw")).unwrap();
    let file = straight.path().join("KPvK.rtbz");
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, &bytes).unwrap();
    let report = json(&arguments(straight_path));
    let written: Vec<&str> = (report["tables"].as_array().unwrap().iter())
        .filter(|table| table["write_seconds"].is_number())
        .map(|table| table["table"].as_str().unwrap())
        .collect();
    assert_eq!(written, ["KRvK", "KPvK"]);
    assert!(tables(straight.path()) == expected);

    // The other commands answer from these files as from tables.
    for fen in [
        "8/8/8/1k6/8/8/K5P1/8 w - - 0 1",
        "8/8/8/1k6/8/8/6P1/K7 b - - 0 1",
        "8/8/8/8/8/1k6/8/K6R b - - 0 1",
        "k7/1Q6/1K6/8/8/8/8/8 b - - 0 1",
        "8/8/8/8/8/1k6/8/K6N b - - 0 1",
    ] {
        for command in ["probe", "line"] {
            let [ours, theirs] =
                [first, straight_path].map(|dir| json(&[command, dir, fen, "--json"]));
            assert_eq!(ours, theirs, "{command} {fen}");
        }
    }
    let checked = json(&["verify", straight_path, "--table", "KRvK", "--json"]);
    let positions = checked["tables"][0]["values"].as_u64();
    assert!(positions > Some(40_000), "{checked}");
    let bytes = json(&["verify", straight_path, "--no-moves", "--json"]);
    assert_eq!(bytes["tables"].as_array().unwrap().len(), 5);
    let stats = |file: String| json(&["stats", &file, "--json"]);
    assert_eq!(
        stats(format!("{straight_path}/KRvK.rtbw")),
        stats(format!("{first}/KRvK.tbg"))
    );
    let (_wrong, wrong) = &folder();
    for kind in ["rtbw", "rtbz"] {
        std::fs::copy(
            straight.path().join(format!("KRvK.{kind}")),
            format!("{wrong}/KRvK.{kind}"),
        )
        .unwrap();
    }
    let file = &format!("{wrong}/KRvK.rtbz");
    succeed(&["stats", file]);
    let mut bytes = std::fs::read(file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(file, bytes).unwrap();
    fail(&["stats", file], 1, "KRvK.rtbz: the checksum is");
    std::fs::remove_file(file).unwrap();
    let file = &format!("{wrong}/KRvK.rtbw");
    fail(&["stats", file], 1, "KRvK.rtbw and KRvK.rtbz are needed");
    let fen = "8/8/8/8/8/1k6/8/K6R b - - 0 1";
    let mate = ["probe", straight_path, fen, "--metric", "dtm"];
    fail(&mate, 2, "no distances to mate");
    std::fs::copy(
        straight.path().join("KRvK.rtbw"),
        tables_first.path().join("KRvK.rtbw"),
    )
    .unwrap();
    fail(&["verify", first], 1, "give each kind a folder of its own");
}

/// A pawn that is taken en passant, or not: KPvKP and what it needs, which takes some seconds here.
#[test]
fn probe_and_line_know_of_en_passant() {
    let (_folder, path) = &folder();
    succeed(&["generate", "KPvKP", "-o", path]);
    // Black has just played b7-b5. The pawn on a5 takes it or runs.
    let board = "7K/k7/8/Pp6/8/8/8/8 w - ";
    let probe = |square: &str| {
        let fen = format!("{board}{square} 0 1");
        let answer = json(&["probe", path, &fen, "--json"]);
        answer["positions"][0].clone()
    };
    let [with, without] = ["b6", "-"].map(probe);
    assert_eq!(with["value"]["wdl"].as_i64(), Some(0));
    assert_eq!(without["value"]["wdl"].as_i64(), Some(-2));
    assert_eq!(with["best"], serde_json::json!(["a5b6"]));
    assert_eq!(with["fen"].as_str(), Some("7K/k7/8/Pp6/8/8/8/8 w - b6 0 1"));
    let moves = |answer: &Json| answer["moves"].as_array().unwrap().len();
    assert_eq!(moves(&with), moves(&without) + 1);
    // Before black's move: two steps give the win away, one keeps it.
    let before = format!("{} b - - 0 1", "7K/kp6/8/P7/8/8/8/8");
    let answer = json(&["probe", path, &before, "--json"]);
    let of = |name: &str| {
        let moves = answer["positions"][0]["moves"].as_array().unwrap();
        let found = moves.iter().find(|step| step["move"] == name).unwrap();
        found["wdl"].as_i64().unwrap()
    };
    assert_eq!(of("b7b5"), 0);
    let line = json(&["line", path, &format!("{board}- 0 1"), "--json"]);
    assert_eq!(line["ending"], "checkmate");
    let line = json(&["line", path, &format!("{board}b6 0 1"), "--json"]);
    assert_eq!(line["line"], serde_json::json!([]));
}

#[test]
fn a_position_is_solved_without_files() {
    let answer = json(&["solve", "8/8/8/1k6/8/8/K5P1/8 w - - 0 1", "--json"]);
    assert_eq!(
        (
            answer["value"]["wdl"].as_i64(),
            answer["value"]["dtm"].as_u64()
        ),
        (Some(2), Some(55))
    );
    assert_eq!(answer["line"].as_array().unwrap().len(), 55);
    let moves = answer["moves"].as_array().unwrap();
    let wins: Vec<_> = moves.iter().filter(|step| step["wdl"] == 2).collect();
    assert_eq!(
        wins[0]["dtm"].as_u64(),
        Some(55),
        "the best move comes first"
    );
    assert!(wins.len() < moves.len());
    // Black is the stronger side, whose colours tables exchange, and a capture leaves the same pieces on both sides.
    let before = json(&["solve", "8/8/8/p7/8/P7/1r6/K6k w - - 0 1", "--json"]);
    let after = json(&["solve", "8/8/8/p7/8/P7/1K6/7k b - - 0 1", "--json"]);
    let moves = before["moves"].as_array().unwrap();
    let capture = moves.iter().find(|step| step["move"] == "a1b2").unwrap();
    let lost = after["value"]["wdl"].as_i64().unwrap();
    assert_eq!(capture["wdl"].as_i64(), Some(-lost));
    assert_eq!(
        capture["dtm"].as_u64(),
        after["value"]["dtm"].as_u64().map(|plies| plies + 1)
    );
    assert_eq!(capture["san"], "Kxb2");
    assert_eq!(capture["after"]["dtm"], after["value"]["dtm"]);
    let mate = succeed(&["solve", "k7/1Q6/1K6/8/8/8/8/8 b - - 0 1"]);
    assert!(mate.contains("checkmate"), "{mate}");
    let fen = "8/8/8/1k6/8/8/K5P1/8 w - - 37 90";
    assert!(succeed(&["solve", fen]).starts_with(&format!("{fen}: win in ")));
    let answer = json(&["solve", fen, "--json"]);
    assert_eq!(
        (&answer["fen"], &answer["counter"]),
        (&fen.into(), &37.into())
    );
    fail(&["solve", fen, "--memory", "1K"], 2, "--memory allows");
}
