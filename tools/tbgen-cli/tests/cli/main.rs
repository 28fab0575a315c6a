//! The program as people run it.

#![allow(clippy::missing_panics_doc, reason = "for tests alone")]

/// Runs the program, which has to succeed, and returns what it prints.
macro_rules! succeed {
    ($($call:tt)*) => { $crate::succeed(&format!($($call)*)) };
}

/// Runs the program, which has to succeed, and returns the JSON that it prints.
macro_rules! report {
    ($($call:tt)*) => {
        serde_json::from_str::<serde_json::Value>(&succeed!($($call)*)).unwrap()
    };
}

/// Runs the program, which has to end with a status and to say something, and returns its messages.
macro_rules! fail {
    ($status:expr, $says:expr, $($call:tt)*) => {
        $crate::fail($status, $says, &format!($($call)*))
    };
}

#[cfg(target_os = "linux")]
mod disk;
#[cfg(unix)]
mod faults;
#[path = "../../../../tests/support/held.rs"]
pub mod held;
#[cfg(unix)]
mod hostile;
mod killed;
mod label;
mod memory;
mod packed;
mod questions;
#[path = "../../../bench/src/random.rs"]
pub mod random;
mod sample;
#[cfg(unix)]
#[path = "../../../../tests/support/signals.rs"]
pub mod signals;
#[path = "../../../../tests/support/thorough.rs"]
pub mod thorough;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value as Json;

const PROGRAM: &str = env!("CARGO_BIN_EXE_tbgen");

/// The words of a call, as a shell takes it: between spaces, or between two single quotes.
fn words(call: &str) -> Vec<&str> {
    let parts = call.split('\'').enumerate();
    let words = parts.map(|(number, part)| match number % 2 {
        0 => part.split_whitespace().collect(),
        _ => vec![part],
    });
    words.collect::<Vec<_>>().concat()
}

/// The program with the arguments of a call.
fn command(call: &str) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(words(call));
    command
}

fn tbgen(call: &str) -> Output {
    command(call).output().unwrap()
}

/// The program under a limit of the shell, such as `-f 8`.
#[cfg(unix)]
fn limited(limit: &str, call: &str) -> Output {
    let script = format!("ulimit {limit}; exec \"$0\" \"$@\"");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script, PROGRAM]).args(words(call));
    shell.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn succeed(call: &str) -> String {
    let output = tbgen(call);
    let errors = text(&output.stderr);
    assert!(output.status.success(), "{call}: {errors}");
    text(&output.stdout)
}

fn fail(status: i32, says: &str, call: &str) -> String {
    ended(&tbgen(call), status, &[says])
}

/// The least memory, in mebibytes, with which a call can do that ends in `--memory`.
fn least_memory(call: &str) -> u64 {
    let refused = fail(2, " of memory", &format!("{call} 1M"));
    let least = refused.split(" MiB of memory").next().unwrap();
    least.rsplit(' ').next().unwrap().parse().unwrap()
}

/// JSON lines as CSV, with the fields of the first as the head.
fn as_csv(lines: &str) -> String {
    let mut csv = Vec::new();
    for line in lines.lines() {
        let row: serde_json::Map<String, Json> = serde_json::from_str(line).unwrap();
        if csv.is_empty() {
            csv.push(row.keys().cloned().collect::<Vec<_>>());
        }
        let words = |field: &Json| {
            field
                .to_string()
                .replace(['"', '[', ']'], "")
                .replace(',', " ")
        };
        csv.push(row.values().map(words).collect());
    }
    csv.iter().map(|fields| fields.join(",") + "\n").collect()
}

/// The messages of a run, which has to have ended with a status and to have said some things.
fn ended(output: &Output, status: i32, says: &[&str]) -> String {
    let errors = text(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{errors}");
    for says in says {
        assert!(errors.contains(says), "{says}: {errors}");
    }
    errors
}

/// A folder, and its path as text.
fn folder() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap().to_owned();
    (folder, path)
}

/// The names in a folder, in order, hidden ones too.
fn names(folder: impl AsRef<Path>) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// Changes a byte of a file, at a place by its length.
fn damage(file: impl AsRef<Path>, place: impl Fn(usize) -> usize) {
    let mut bytes = std::fs::read(&file).unwrap();
    let place = place(bytes.len());
    bytes[place] ^= 1;
    std::fs::write(file, bytes).unwrap();
}

/// Names and contents of files.
type Tables = Vec<(String, Vec<u8>)>;

/// The files of a folder, in order, hidden ones left out.
fn tables(folder: &Path) -> Tables {
    let names = names(folder).into_iter();
    let names = names.filter(|name| !name.starts_with('.'));
    let read = |name: String| (name.clone(), std::fs::read(folder.join(name)).unwrap());
    names.map(read).collect()
}

#[test]
fn a_table_is_generated_probed_played_out_and_verified() {
    let (_folder, folder) = &folder();
    let report = report!("generate KQvKR -o {folder} --json --threads 2");
    let made_first = made(&report);
    assert_eq!(made_first.last().unwrap().1, "KQvKR");
    assert_eq!(made_first.len(), 3);
    let again = report!("generate KRvKQ -o {folder} --json");
    assert!(made(&again).iter().all(|table| !table.2), "they are there");

    let longest = "8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1";
    let answer = report!("probe --tables {folder} '{longest}' --json");
    let value = &answer["positions"][0];
    assert!(value["wdl"] == -2 && value["dtz"] == -62, "{value}");
    // A move is worth as much to the side that makes it.
    let best = &value["moves"][0];
    assert!(best["dtz"] == -62 && best["after"]["dtz"] == 61, "{best}");
    let line = report!("line --tables {folder} '{longest}' --json");
    assert_eq!(line["ending"], "checkmate");
    assert!(line["line"].as_array().unwrap().len() >= 62);
    for (counter, wdl, ending, plies) in [
        (38, -2, "checkmate", 62..200),
        (39, -1, "fifty moves", 61..62),
        (100, -1, "fifty moves", 0..1),
        (150, -1, "fifty moves", 0..1),
    ] {
        let fen = longest.replace("0 1", &format!("{counter} 90"));
        let value = &report!("probe --tables {folder} '{fen}' --json")["positions"][0];
        assert!(value["wdl"] == wdl && value["wdl_at_zero"] == -2, "{value}");
        let line = report!("line --tables {folder} '{fen}' --json");
        assert!(
            line["ending"] == ending && line["text"] == value["text"],
            "{line}"
        );
        let length = line["line"].as_array().unwrap().len();
        assert!(plies.contains(&length), "{fen}");
    }
    // A mate stands that comes with the counter at 100, and none after it.
    let late = report!("probe --tables {folder} '7k/8/5K2/8/8/8/8/6Q1 w - - 100 100' --json");
    let late = &late["positions"][0]["moves"][0];
    assert_eq!(
        (&late["san"], &late["wdl"]),
        (&"Qg7#".into(), &1.into()),
        "the game is over"
    );
    let mate = succeed!("probe --tables {folder} 'k7/1Q6/1K6/8/8/8/8/8 b - - 100 100'");
    assert!(mate.ends_with(": checkmate\n"), "{mate}");

    let checked = report!("verify --tables {folder} --one-in 8 --json");
    assert_eq!(checked["tables"].as_array().unwrap().len(), 3);
    let stats = report!("stats KQvKR --json");
    assert_eq!(stats, report!("stats {folder}/KQvKR.tbg --json"));
    assert_eq!(stats["white"]["wins"].as_u64(), Some(1_108_111));
    let counts = stats["black"]["loss_in"].as_object().unwrap().values();
    let sum: u64 = counts.map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(sum, stats["black"]["losses"]);
}

#[test]
fn short_range_pieces_go_the_same_way() {
    let (_folder, folder) = &folder();
    let report = report!("generate KN[0x11880]vK -o {folder} --json");
    let names = made(&report).into_iter().map(|table| table.1);
    assert_eq!(names.collect::<Vec<_>>(), ["K[W]vK", "KNvK", "K[W]NvK"]);
    let report = report!("generate K[WD]vK -o {folder} --json");
    assert_eq!(report["tables"][0]["table"], "K[WD]vK");
    let again = report!("generate KvK[0x213c84] -o {folder} --json");
    assert!(again["tables"][0]["solve_seconds"].is_null(), "{again}");

    let stats = report!("stats K[WD]vK --json");
    assert_eq!(stats["black"]["longest_loss"]["plies"], 58);
    assert_eq!(stats["pieces"][0], "X=WD");
    assert_eq!(stats, report!("stats {folder}/K[WD]vK.tbm --json"));

    let longest = stats["black"]["longest_loss"]["position"].as_str().unwrap();
    let longest = longest.replace('X', "L");
    let answer = report!("probe --tables {folder} '{longest}' --piece L=WD --json");
    let value = &answer["positions"][0];
    assert!(value["wdl"] == -2 && value["dtm"] == -58, "{value}");
    let line = report!("line --tables {folder} '{longest}' --piece l=WD --json");
    assert_eq!(line["ending"], "checkmate");
    assert_eq!(line["line"].as_array().unwrap().len(), 58);
    let solved = report!("solve '{longest}' --piece L=WD --json");
    // One shape: whatever two commands say of a position is the same.
    let same = |of: &Json, keys: [&str; 4]| keys.iter().all(|&key| solved[key] == of[key]);
    assert!(same(&line, ["dtm", "text", "line", "end"]), "{line}");
    assert!(same(value, ["dtm", "text", "best", "moves"]), "{value}");

    let checked = report!("verify --tables {folder} --table K[WD]vK --table K[W]vK --json");
    let tables = checked["tables"].as_array().unwrap();
    assert_eq!(tables.len(), 2);
    for table in tables {
        assert!(table["positions"].as_u64() > Some(10_000), "{table}");
    }
    let all = report!("verify --tables {folder} --no-moves --json");
    assert!(all["tables"].as_array().unwrap().len() == 4, "{all}");

    fail!(2, "pawns", "generate K[WD]PvK --no-write");
    fail!(2, "[WX]", "generate K[WX]vK --no-write");
    let generate = format!("generate K[WD]vK -o {folder}");
    fail!(2, "dtm", "{generate} --metric dtz");
    let says = "no Syzygy files of short-range pieces";
    fail!(2, says, "{generate} --format syzygy");
    fail!(2, "rank", "probe --tables {folder} '{longest}'");
    fail!(
        2,
        "--piece",
        "probe --tables {folder} '{longest}' --piece Q=WD"
    );
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
        fail!(2, says, "generate {call} {path}");
    }
    for (call, says) in [
        ("generate KRBvKR --no-write --memory 1M", "--memory allows"),
        ("generate KRBvKR --no-write --memory 60M", "with --no-write"),
        ("generate KQvK --no-write --metric dtc", "dtz, dtm"),
        ("stats nonsense", "nonsense"),
    ] {
        fail(2, says, call);
    }
    for call in [
        "label x.parquet",
        "sample KQvK --count 1 --format parquet",
        "mine KQvK --find mate --format parquet",
    ] {
        fail(2, "tbindex-parquet", call);
    }
    let missing = "8/8/8/8/8/2k5/8/K6R w - - 0 1";
    fail!(
        1,
        "there are no files of tables",
        "probe --tables {path} '{missing}'"
    );
    fail!(1, "no such table files", "verify --tables {path}");
}

/// Whatever command they are given to.
#[test]
fn positions_that_no_game_has_are_refused() {
    let (_folder, path) = folder();
    succeed!("generate KNvK -o {path}");
    for case in [
        "4k3/8/8/8/8/8/8/4KR2 w F - 0 1: castling rights of Chess960",
        "4k2P/8/8/8/8/8/8/4K3 w - - 0 1: expected pawns on ranks 2 to 7",
        "8/8/8/8/8/8/1k6/K6R w - - 0 1: not legal: the kings touch",
        "k6R/8/1K6/8/8/8/8/8 w - - 0 1: not legal: the side not to move is in check",
        "8/8/8/1k6/8/8/K6R/8 w - - 151 1: the fifty-move counter is \"151\": expected 0 to 150",
    ] {
        let (fen, says) = case.split_once(": ").unwrap();
        fail!(2, says, "probe --tables {path} '{fen}'");
        fail!(2, says, "line --tables {path} '{fen}'");
        fail!(2, says, "solve '{fen}'");
    }
    let leaper = "8/8/8/8/8/8/1k6/K6L w - - 0 1";
    let says = "not legal: the kings touch";
    fail!(2, says, "probe --tables {path} '{leaper}' --piece L=WDsD");
}

#[test]
fn tables_of_either_metric_answer() {
    let (_folder, path) = &folder();
    succeed!("generate KRvK --metric dtm -o {path}");
    let fen = "8/8/8/1k6/8/8/K6R/8 w - - 0 1";
    let counted = "8/8/8/1k6/8/8/K6R/8 w - - 98 90";
    // The mate may come too late, or there is no fifty-move rule.
    for (more, open) in [("", 1), ("--metric dtm", 0)] {
        let output = tbgen(&format!("probe --tables {path} '{fen}' '{counted}' {more}"));
        let answers = text(&output.stdout);
        let says = "plies to mate, or a draw by the fifty-move counter; best: ";
        assert_eq!(answers.matches(says).count(), open);
        assert_eq!(answers.matches("plies to mate; best: ").count(), 2 - open);
        let says = "counter 98 is not counted: there are distances to mate alone";
        assert_eq!(text(&output.stderr).matches(says).count(), 1 - open);
    }
    // After 100 plies every mate is too late, whatever source knows it.
    succeed!("generate KPvK --metric dtm -o {path}");
    let late = "8/2P1k3/8/8/8/8/4K3/8 w - - 119 100";
    for call in [format!("--tables {path}"), "--metric dtm".to_owned()] {
        let counts = !call.contains("metric");
        let tables = if counts { "" } else { "--tables" };
        let folder = if counts { "" } else { path };
        let call = format!("{call} {tables} {folder}");
        let output = tbgen(&format!("probe {call} '{late}'"));
        let says = "draw by the fifty-move counter (with 0: win in ";
        assert_eq!(text(&output.stdout).contains(says), counts, "{call}");
        let note = "counter 119 is not counted";
        assert_eq!(text(&output.stderr).contains(note), !counts, "{call}");
        let line = text(&tbgen(&format!("line {call} '{late}'")).stdout);
        let ends = if counts {
            "119 100: fifty moves\n"
        } else {
            ": checkmate\n"
        };
        assert!(line.ends_with(ends), "{line}");
        assert_eq!(line.lines().count() == 2, counts, "{line}");
    }
    let says = "the table of KRvK is needed: there is no KRvK.tbg, nor KRvK.rtbw";
    fail!(
        1,
        says,
        "probe --tables {path} '{fen}' --metric dtz --memory 1M"
    );
    // That of the capture is there.
    succeed!("generate KRvK -o {path}");
    let says = "the table of KRvKR is needed: there is no KRvKR.tbg, nor KRvKR.rtbw";
    fail!(
        1,
        says,
        "probe --tables {path} '8/8/8/1k6/7r/8/K7/6R1 w - - 0 1' --memory 1M"
    );
}

#[test]
fn a_dry_run_makes_nothing() {
    let (_folder, folder) = folder();
    let path = format!("{folder}/new");
    let plan = succeed!("generate --all 4 --dry-run -o {path}");
    assert!(plan.contains("35 to make, up to "), "{plan}");
    let plan = report!("generate --all 4 --dry-run -o {path} --json");
    assert_eq!(plan["tables"].as_u64(), Some(35));
    assert!(!Path::new(&path).exists());
}

#[test]
fn a_check_goes_on_after_a_damaged_table_and_lists_it() {
    let (_folder, path) = folder();
    succeed!("generate --all 3 -o {path}");
    damage(format!("{path}/KBvK.tbg"), |length| length - 1);
    for more in ["--no-moves", "--one-in 50"] {
        let output = tbgen(&format!("verify --tables {path} {more}"));
        let message = ended(&output, 1, &["KBvK.tbg: block "]);
        let found = text(&output.stdout);
        // KPvK comes last, and does not need the damaged one.
        for name in ["KNvK", "KQvK", "KRvK"] {
            assert!(found.contains(&format!("{name}: ")), "{found}");
        }
        let says = "of 5 tables are damaged or wrong: KBvK";
        assert!(message.lines().last().unwrap().contains(says), "{message}");
    }
    let output = tbgen(&format!("verify --tables {path} --no-moves --json"));
    let report: Json = serde_json::from_slice(&output.stdout).unwrap();
    let errors = report["tables"].as_array().unwrap().iter();
    let errors: Vec<_> = errors.filter(|table| table["error"].is_string()).collect();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0]["table"], "KBvK");
}

#[test]
fn a_damaged_table_is_named_and_not_built_upon() {
    let (folder, path) = &folder();
    succeed!("generate KRvK -o {path}");
    damage(format!("{path}/KRvK.tbg"), |length| length - 1000);
    for call in [
        format!("generate KRRvK -o {path}"),
        format!("stats {path}/KRvK.tbg"),
    ] {
        let message = fail(1, "KRvK.tbg: block ", &call);
        let part = message.split("KRvK.tbg: block ").nth(1).unwrap_or_default();
        assert!(part.contains("is damaged"), "{message}");
        let says = "remove the file and generate it again\n";
        assert!(part.ends_with(says), "{message}");
        assert!(!message.contains("temporary"), "{message}");
    }
    assert!(!folder.path().join("KRRvK.tbg").exists());
    succeed!("generate KRRvK -o {path} --force");
    succeed!("verify --tables {path} --no-moves");
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
    let generate = format!("generate --all 3 --metric dtz,dtm -o {path} --json");
    let all = || made(&report!("{generate}"));
    let first = all();
    let names = ["KBvK", "KNvK", "KQvK", "KRvK", "KPvK"];
    let expected =
        ["dtz", "dtm"].map(|metric| names.map(|name| (metric.to_owned(), name.to_owned(), true)));
    assert_eq!(first, expected.concat());
    let bytes = tables(folder.path());
    let files: Vec<&String> = bytes.iter().map(|file| &file.0).collect();
    let mut expected: Vec<String> = (names.iter())
        .flat_map(|name| ["tbg", "tbm"].map(|end| format!("{name}.{end}")))
        .collect();
    expected.sort();
    assert_eq!(files, expected.iter().collect::<Vec<_>>());

    // Nothing is made twice, and a table that was lost is made again.
    assert!(all().iter().all(|table| !table.2));
    std::fs::remove_file(folder.path().join("KPvK.tbm")).unwrap();
    let again = all();
    let solved: Vec<_> = again.iter().filter(|table| table.2).collect();
    assert_eq!(solved.len(), 1);
    assert_eq!((&*solved[0].0, &*solved[0].1), ("dtm", "KPvK"));
    assert!(tables(folder.path()) == bytes);

    let checked = report!("verify --tables {path} --json");
    let checked = checked["tables"].as_array().unwrap();
    assert_eq!(checked.len(), 10);
    for table in checked {
        assert!(table["positions"].as_u64() > Some(40_000), "{table}");
    }
    // One pawn, the longest mate, by both metrics.
    let longest = "8/8/8/1k6/8/8/K5P1/8 w - - 0 1";
    let value = |metric: &str| {
        let answer = report!("probe --tables {path} '{longest}' --metric {metric} --json");
        answer["positions"][0].clone()
    };
    let [dtz, dtm] = ["dtz", "dtm"].map(value);
    assert_eq!(dtm["dtm"], 55);
    assert!((1..20).contains(&dtz["dtz"].as_i64().unwrap()) && dtz["dtm"].is_null());
    let both = report!("probe --tables {path} '{longest}' --json");
    let both = &both["positions"][0];
    assert_eq!((&both["dtz"], &both["dtm"]), (&dtz["dtz"], &dtm["dtm"]));
    for more in ["--metric dtm", ""] {
        let line = report!("line --tables {path} '{longest}' {more} --json");
        assert_eq!(line["ending"], "checkmate");
        assert_eq!(line["line"].as_array().unwrap().len(), 55);
    }
    // A file knows its metric, a material has to be told.
    let stats = report!("stats KPvK --metric dtm --json");
    assert_eq!(stats, report!("stats {path}/KPvK.tbm --json"));
    assert_eq!(stats["white"]["longest_win"]["plies"].as_u64(), Some(55));
}

#[test]
fn an_estimate_says_what_a_table_takes() {
    let report = report!("estimate KRRvKRB --memory 1G,8G --json");
    assert_eq!(report["slots"].as_u64(), Some((2 * 462) << 24));
    let plans = report["plans"].as_array().unwrap();
    let of = |k: usize, key: &str| plans[k][key].as_u64().unwrap();
    assert!(plans[0]["sets"] == "disk" && plans[1]["sets"] == "memory");
    assert!(of(0, "memory") <= 1 << 30 && of(1, "memory") <= 6_000_000_000);
    // Two sets are read and written.
    assert_eq!(of(0, "bytes_per_ply"), (4 * 462) << 21);
    let text = succeed!("estimate KQRvKRBN");
    for says in ["sets on disk", "sets in memory"] {
        assert!(text.contains(says), "{text}");
    }
    let says = "KRRvKRB needs at least";
    fail!(2, says, "estimate KRRvKRB --memory 100M");
}

#[test]
fn syzygy_files_are_made_without_others() {
    let folders = [(); 4].map(|()| folder());
    let [first, straight, exported, wrong] = folders.each_ref().map(|(_, path)| path);
    succeed!("generate KPvK -o {first}");
    succeed!("export --tables {first} --syzygy {exported}");
    let expected = tables(exported.as_ref());
    assert_eq!(expected.len(), 10);

    let generate = || report!("generate KPvK --format syzygy --json -o {straight}");
    generate();
    assert!(tables(straight.as_ref()) == expected);
    // Files that are not intact are made again, a pair of files together, and nothing else.
    std::fs::remove_file(format!("{straight}/KRvK.rtbw")).unwrap();
    damage(format!("{straight}/KPvK.rtbz"), |length| length / 2);
    let report = generate();
    let tables_made = report["tables"].as_array().unwrap().iter();
    let written = tables_made.filter(|table| table["write_seconds"].is_number());
    let written: Vec<&Json> = written.map(|table| &table["table"]).collect();
    assert_eq!(written, ["KRvK", "KPvK"]);
    assert!(tables(straight.as_ref()) == expected);

    // The other commands answer from these files as from tables.
    for fen in [
        "8/8/8/1k6/8/8/K5P1/8 w - - 0 1",
        "8/8/8/1k6/8/8/6P1/K7 b - - 0 1",
        "8/8/8/8/8/1k6/8/K6R b - - 0 1",
        "k7/1Q6/1K6/8/8/8/8/8 b - - 0 1",
        "8/8/8/8/8/1k6/8/K6N b - - 0 1",
    ] {
        for command in ["probe", "line"] {
            let answer = |folder: &str| report!("{command} --tables {folder} '{fen}' --json");
            assert_eq!(answer(first), answer(straight), "{command} {fen}");
        }
    }
    let checked = report!("verify --tables {straight} --table KRvK --json");
    let positions = checked["tables"][0]["values"].as_u64();
    assert!(positions > Some(40_000), "{checked}");
    let bytes = report!("verify --tables {straight} --no-moves --json");
    assert_eq!(bytes["tables"].as_array().unwrap().len(), 5);
    let stats = report!("stats {straight}/KRvK.rtbw --json");
    assert_eq!(stats, report!("stats {first}/KRvK.tbg --json"));
    let copy = |name: &str, to: &str| {
        std::fs::copy(format!("{straight}/{name}"), format!("{to}/{name}")).unwrap();
    };
    for name in ["KRvK.rtbw", "KRvK.rtbz"] {
        copy(name, wrong);
    }
    let file = &format!("{wrong}/KRvK.rtbz");
    succeed!("stats {file}");
    damage(file, |length| length / 2);
    fail!(1, "KRvK.rtbz: the checksum is", "stats {file}");
    std::fs::remove_file(file).unwrap();
    let file = &format!("{wrong}/KRvK.rtbw");
    fail!(1, "KRvK.rtbw and KRvK.rtbz are needed", "stats {file}");
    let fen = "8/8/8/8/8/1k6/8/K6R b - - 0 1";
    let says = "no distances to mate";
    fail!(2, says, "probe --tables {straight} '{fen}' --metric dtm");
    copy("KRvK.rtbw", first);
    fail!(
        1,
        "give each kind a folder of its own",
        "verify --tables {first}"
    );
}

/// A pawn that is taken en passant, or not: KPvKP and what it needs, which takes some seconds here.
#[test]
fn probe_and_line_know_of_en_passant() {
    let (_folder, path) = &folder();
    succeed!("generate KPvKP -o {path}");
    // Black has just played b7-b5. The pawn on a5 takes it or runs.
    let board = "7K/k7/8/Pp6/8/8/8/8 w - ";
    let probe = |square: &str| {
        let fen = format!("{board}{square} 0 1");
        let answer = report!("probe --tables {path} '{fen}' --json");
        answer["positions"][0].clone()
    };
    let [with, without] = ["b6", "-"].map(probe);
    assert_eq!(with["wdl"].as_i64(), Some(0));
    assert_eq!(without["wdl"].as_i64(), Some(-2));
    assert_eq!(with["best"], serde_json::json!(["axb6+"]));
    assert_eq!(with["fen"].as_str(), Some("7K/k7/8/Pp6/8/8/8/8 w - b6 0 1"));
    let moves = |answer: &Json| answer["moves"].as_array().unwrap().len();
    assert_eq!(moves(&with), moves(&without) + 1);
    // Before black's move: two steps give the win away, one keeps it.
    let before = format!("{} b - - 0 1", "7K/kp6/8/P7/8/8/8/8");
    let answer = report!("probe --tables {path} '{before}' --json");
    let of = |name: &str| {
        let moves = answer["positions"][0]["moves"].as_array().unwrap();
        let found = moves.iter().find(|step| step["move"] == name).unwrap();
        found["wdl"].as_i64().unwrap()
    };
    assert_eq!(of("b7b5"), 0);
    let line = report!("line --tables {path} '{board}- 0 1' --json");
    assert_eq!(line["ending"], "checkmate");
    let line = report!("line --tables {path} '{board}b6 0 1' --json");
    assert_eq!(line["line"], serde_json::json!([]));
}

#[test]
fn a_position_is_solved_without_files() {
    let answer = report!("solve '8/8/8/1k6/8/8/K5P1/8 w - - 0 1' --json");
    assert!(answer["wdl"] == 2 && answer["dtm"] == 55, "{answer}");
    assert_eq!(answer["line"].as_array().unwrap().len(), 55);
    let moves = answer["moves"].as_array().unwrap();
    let wins: Vec<_> = moves.iter().filter(|step| step["wdl"] == 2).collect();
    assert_eq!(wins[0]["dtm"], 55, "the best move comes first");
    assert!(wins.len() < moves.len());
    // Black is the stronger side, whose colours tables exchange, and a capture leaves the same pieces on both sides.
    let before = report!("solve '8/8/8/p7/8/P7/1r6/K6k w - - 0 1' --json");
    let after = report!("solve '8/8/8/p7/8/P7/1K6/7k b - - 0 1' --json");
    let moves = before["moves"].as_array().unwrap();
    let capture = moves.iter().find(|step| step["move"] == "a1b2").unwrap();
    let lost = after["wdl"].as_i64().unwrap();
    assert_eq!(capture["wdl"], -lost);
    let plies = after["dtm"].as_i64().unwrap();
    assert_eq!(capture["dtm"], -plies - plies.signum());
    assert_eq!(capture["san"], "Kxb2");
    assert_eq!(capture["after"]["dtm"], after["dtm"]);
    let mate = succeed!("solve 'k7/1Q6/1K6/8/8/8/8/8 b - - 0 1'");
    assert!(mate.contains("checkmate"), "{mate}");
    let fen = "8/8/8/1k6/8/8/K5P1/8 w - - 37 90";
    assert!(succeed!("solve '{fen}'").starts_with(&format!("{fen}: win in ")));
    let answer = report!("solve '{fen}' --json");
    assert!(answer["fen"] == fen && answer["counter"] == 37, "{answer}");
    fail!(2, "--memory allows", "solve '{fen}' --memory 1K");
}
