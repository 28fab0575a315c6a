//! `tbindex fairy` as a user meets it.

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::held::Held;
use crate::program::signal;

fn fairy(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tbindex"))
        .arg("fairy")
        .args(args)
        .output()
        .expect("the program runs")
}

fn stdout(args: &[&str]) -> String {
    let output = fairy(args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn json_of(args: &[&str]) -> Value {
    serde_json::from_str(&stdout(args)).unwrap()
}

/// The exit status and the message of a call that must fail without a result.
fn failure(args: &[&str]) -> (i32, String) {
    let output = fairy(args);
    assert!(output.stdout.is_empty(), "{args:?} printed a result");
    let errors = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), errors)
}

#[test]
fn classify_answers_in_the_documented_keys() {
    assert_eq!(
        json_of(&["classify", "N", "--json"]),
        json!({
            "piece": "0x54422a", "squares": "02,04,06,10,15,19,21,23", "betza": "N",
            "moves": [[-1, 2], [1, 2], [-2, 1], [2, 1], [-2, -1], [2, -1], [-1, -2], [1, -2]],
            "images": ["0x54422a"], "free": true,
            "reason": "Free: its moves add up to every square, and no half-plane holds them all.",
            "masks": [], "unlisted_masks": [], "free_atoms": ["crab"],
            "lattice_rank": 2, "lattice_index": 1, "lattice_form": "(1,0) (0,1)",
            "half_plane": false, "never_makes": [],
            "board": "8x8", "board_connected": true, "diameter": 6, "components": [64],
            "cant_leave": [], "cant_reach": [],
        })
    );
    let pinwheel = json_of(&["classify", "hlN", "--json"]);
    assert_eq!(pinwheel["components"], json!([13, 13, 13, 13, 12]));
    let bound = json_of(&["classify", "01,02,10,15", "--json"]);
    assert_eq!(bound["unlisted_masks"], json!(["no south-south-east"]));
    assert_eq!(bound["cant_leave"], json!(["a8", "b8"]));
    assert_eq!(bound["cant_reach"], json!(["g1", "h1"]));
    assert_eq!(bound["never_makes"].as_array().map(Vec::len), Some(7));
    assert_eq!(
        json_of(&["classify", "0x0", "--json"])["masks"]
            .as_array()
            .map(Vec::len),
        Some(15)
    );
    let empty = json_of(&["classify", "none", "--json"]);
    assert_eq!(empty["lattice_rank"], 0);
    assert_eq!(empty["lattice_index"], Value::Null);
    assert_eq!(empty["half_plane"], true);
    let corners = json_of(&["classify", "04,15", "--json"]);
    assert_eq!(corners["masks"], json!(["no south-east", "three-way A"]));
    assert_eq!(corners["lattice_index"], 3);
    let strip = json_of(&["classify", "sW", "--board", "9x1", "--json"]);
    assert_eq!(strip["free"], false);
    assert_eq!(strip["board_connected"], true);
}

#[test]
fn all_notations_are_the_same_piece() {
    let expected = json_of(&["classify", "0x54422a", "--json"]);
    for text in [
        "0b010101000100001000101010",
        "02,04,06,10,15,19,21,23",
        "ffbbfsbsN",
        ".X.X./X...X/..N../X...X/.X.X.",
        ".. 02 .. 04 ..\n06 .. .. .. 10\n.. .. -- .. ..\n15 .. .. .. 19\n.. 21 .. 23 ..",
        "- x - x -/x - - - x/- - o - -/x - - - x/- x - x -",
    ] {
        assert_eq!(json_of(&["classify", text, "--json"]), expected, "{text}");
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_tbindex"))
        .args(["fairy", "classify", "-", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"N\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        serde_json::from_slice::<Value>(&output.stdout).unwrap(),
        expected
    );
}

#[test]
fn classify_explains_itself() {
    let text = stdout(&["classify", "hlN"]);
    for part in [
        "Bound: every move keeps to one colour of 5 (pinwheel 1)",
        "masks       pinwheel 1",
        "lattice     rank 2, index 5, Hermite normal form (1,3) (0,5)",
        "4| 2 4 1 3 0 2 4 1",
        "On the 8x8 board: not connected, 5 components of 4 × 13, 12 squares.",
    ] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
    let text = stdout(&["classify", "01,02,10,15"]);
    assert!(
        text.contains("masks       none\nunlisted    no south-south-east\n"),
        "{text}"
    );
    assert!(
        text.contains("can't leave a8 b8\ncan't reach g1 h1\n"),
        "{text}"
    );
}

#[test]
fn bad_notation_is_a_usage_error_that_points_at_the_character() {
    for (text, lines) in [
        ("ffXN", "  ffXN\n    ^"),
        ("fR", "R goes beyond the 5x5 range"),
        ("0x12g", "  0x12g\n      ^"),
        ("02,25", "  02,25\n     ^"),
    ] {
        let (status, message) = failure(&["classify", text]);
        assert_eq!(status, 2, "{message}");
        assert!(message.contains(lines), "{message}");
    }
    assert_eq!(failure(&["classify", "N", "--board", "9x9"]).0, 2);
    let (status, message) = failure(&["distances", "N", "--from", "i9"]);
    assert_eq!(status, 2);
    assert!(
        message.contains("\"i9\" is not a square of the 8x8 board"),
        "{message}"
    );
    let (status, message) = failure(&["list", "--filter", "free,boundd"]);
    assert_eq!(status, 2);
    assert!(message.contains("\n  free,boundd\n       ^"), "{message}");
}

#[test]
fn distances_are_printed_as_published_but_correct() {
    let text = stdout(&["distances", "01,10,15,23", "--from", "e4"]);
    assert!(
        text.starts_with("8| 2 D B 9 7 5 3 E\n7| A 8 6 4 2 D B 9\n"),
        "{text}"
    );
    assert!(text.contains("4| 8 6 4 2 0 B 9 7\n"));
    assert!(text.contains("2| 2 9 7 5 3 1 C A\n"));
    assert!(text.contains("from e4: 64 of 64 squares, the farthest in 14 moves"));
    let object = json_of(&["distances", "F", "--from", "a1", "--board", "3x3", "--json"]);
    assert_eq!(object["distances"]["c3"], 2);
    assert_eq!(object["distances"]["a2"], Value::Null);
    assert_eq!(object["reached"], 5);
    assert_eq!(object["diameter"], Value::Null);
}

#[test]
fn the_census_is_printed_in_three_ways() {
    let object = json_of(&["census", "--json"]);
    assert_eq!(
        object,
        json!({
            "pieces": 16_777_216, "free": 16_614_446, "bound": 162_770,
            "by_lattice_index": {
                "1": 16_614_446, "2": 31_340, "3": 208, "4": 182, "5": 2, "6": 4, "8": 1,
            },
            "half_plane_full_rank": 130_960, "degenerate": 73,
            "within_a_mask": 146_954, "bound_but_in_no_mask": 15_816,
            "board_connected": 16_452_080, "board_connected_but_bound": 0,
            "free_but_board_disconnected": 162_366,
        })
    );
    let classes = json_of(&["census", "--symmetric", "--json", "--threads", "1"]);
    assert_eq!(classes["pieces"], 2_105_872);
    assert_eq!(
        classes.as_object().map(serde_json::Map::len),
        object.as_object().map(serde_json::Map::len)
    );
    let text = stdout(&["census", "--board", "4x4"]);
    assert!(
        text.contains("connected on the board                               16 451 956\n"),
        "{text}"
    );

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("census.csv");
    let name = path.to_str().unwrap();
    assert_eq!(stdout(&["census", "--csv", name]), "");
    let table = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 1 + 25 + 1);
    assert!(lines[0].starts_with("moves,pieces,free,bound,index_1,index_2,"));
    assert!(lines[4].starts_with("3,2024,224,1800,"));
    assert!(lines[26].starts_with("all,16777216,16614446,162770,"));
    let columns = |line: &str| line.split(',').count();
    assert!(lines.iter().all(|line| columns(line) == columns(lines[0])));

    let (status, message) = failure(&["census", "--csv", name]);
    assert_eq!(status, 1, "an existing file is not replaced");
    assert!(
        message.contains(name) && message.contains("--force"),
        "{message}"
    );
    stdout(&["census", "--csv", name, "--force", "--symmetric"]);
    assert_ne!(fs::read_to_string(&path).unwrap(), table);
}

#[test]
fn lists_are_filtered() {
    assert_eq!(
        stdout(&["list", "--filter", "free,moves<=3", "--count"]),
        "224\n"
    );
    let few = stdout(&["list", "--filter", "bound,!masked,moves<=3", "--symmetric"]);
    let lines = [
        "0x4300    3  09,10,15  frFfrblN\n",
        "0x4a00    3  10,12,15  lWfrblN\n",
    ];
    assert_eq!(few, lines.concat());
    let object = json_of(&[
        "list",
        "--filter",
        "free,disconnected",
        "--limit",
        "2",
        "--json",
    ]);
    assert_eq!(object["count"], 162_366);
    assert_eq!(object["pieces"].as_array().map(Vec::len), Some(2));
    assert_eq!(
        json_of(&["list", "--filter", "moves>24", "--json"]),
        json!({ "pieces": [], "count": 0 })
    );
    let none = json_of(&["list", "--limit", "1", "--json"]);
    assert_eq!(
        none["pieces"],
        json!([{ "piece": "0x0", "moves": 0, "squares": "none", "betza": null }])
    );
    let output = fairy(&[
        "list", "--filter", "bound", "--filter", "moves=14", "--limit", "1",
    ]);
    assert_eq!(
        output.stdout,
        b"0x3fff   14  01,02,03,04,05,06,07,08,09,10,11,12,13,14  fsWfFfsDfAfhN\n"
    );
    assert_eq!(output.stderr, b"tbindex: 1 of 10 pieces listed\n");
}

#[test]
fn pictures_are_written_and_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pinwheel.svg");
    let name = path.to_str().unwrap();
    stdout(&["classify", "hlN", "--svg", name]);
    let picture = fs::read_to_string(&path).unwrap();
    assert!(picture.starts_with("<svg ") && picture.trim_end().ends_with("</svg>"));
    let (status, message) = failure(&["distances", "N", "--svg", name]);
    assert_eq!(status, 1);
    assert!(message.contains("exists already"), "{message}");
    stdout(&["distances", "N", "--svg", name, "--force"]);
    assert_ne!(fs::read_to_string(&path).unwrap(), picture);
    assert_eq!(stdout(&["classify", "hlN", "--svg", "-"]), picture);
    assert_eq!(failure(&["classify", "N", "--svg", "/nowhere/x.svg"]).0, 1);
}

#[test]
fn mate_answers_in_the_documented_keys() {
    let gold = json_of(&["mate", "WfF", "--json"]);
    for (key, value) in [
        ("mates", 36),
        ("legal_white", 205_896),
        ("wins_white", 189_792),
        ("legal_black", 223_944),
        ("losses_black", 175_050),
        ("longest", 74),
    ] {
        assert_eq!(gold[key], value, "{key}");
    }
    assert_eq!(gold["line"].as_array().map(Vec::len), Some(74));
    let knight = json_of(&["mate", "N", "--json"]);
    assert_eq!(
        (&knight["mates"], &knight["longest"]),
        (&json!(0), &json!(0))
    );
    assert_eq!(
        (&knight["position"], &knight["line"]),
        (&Value::Null, &json!([]))
    );
    let small = json_of(&["mate", "K", "--board", "5x4", "--json"]);
    assert_eq!(small["board"], "5x4");
}

#[test]
fn the_longest_mate_is_shown_move_by_move() {
    let text = stdout(&["mate", "0xffffff"]);
    for part in [
        "24 moves, on the 8x8 board\nWhite to move wins from everywhere.\n",
        "checkmates           7 108\n",
        "White to move wins   163 460 of 163 460 positions (100.00 %)\n",
        "longest mate         10 plies: 5 moves of White\n",
        "\n1...",
        "\nstart               1...",
    ] {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
    // Eleven diagrams, each with one piece, of three rows of four.
    assert_eq!(text.matches("8| ").count(), 11);
    assert_eq!(text.matches(" k").count(), 11);
    assert!(text.lines().all(|line| line.len() <= 100), "{text}");
    let none = stdout(&["mate", "W"]);
    assert!(none.contains("King and piece have no checkmate.") && !none.contains("8| "));
}

#[test]
fn the_plies_of_all_squares_are_drawn() {
    let own = stdout(&["mate", "WD", "--svg", "-"]);
    assert!(
        own.starts_with("<svg ") && own.contains("58 plies"),
        "{own}"
    );
    let other = stdout(&["mate", "WD", "--svg", "-", "--standing", "c3,d4"]);
    assert!(other.contains("White: king c3, piece d4"), "{other}");
    for wrong in ["c3", "c3,i9"] {
        let (status, message) = failure(&["mate", "WD", "--svg", "-", "--standing", wrong]);
        assert_eq!(status, 2, "{message}");
    }
}

#[test]
fn lists_are_filtered_by_mates() {
    let few = ["list", "--filter", "moves<=3,mates", "--symmetric"];
    let lines = stdout(&few);
    let first = lines
        .lines()
        .next()
        .expect("a piece of three moves can mate");
    assert!(
        first.contains("  mates ") && first.contains(" longest "),
        "{first}"
    );
    let object = json_of(&[
        "list",
        "--filter",
        "moves<=3,mates",
        "--symmetric",
        "--json",
    ]);
    assert_eq!(object["count"], lines.lines().count());
    assert!(object["pieces"][0]["mates"].as_u64() > Some(0));
    let all = json_of(&["list", "--filter", "moves<=2,!mates", "--count", "--json"]);
    assert_eq!(all["count"], 1 + 24 + 276 - 36);
}

/// On a board that has room for the kings and little else.
#[test]
fn the_census_of_mates_adds_up() {
    let output = fairy(&["census", "--mates", "--board", "3x3", "--json"]);
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(object["pieces"], 16_777_216);
    // Off a terminal there are lines instead of a bar.
    let errors = String::from_utf8(output.stderr).unwrap();
    let tenths = (1..=10).map(|tenth| format!("{tenth}0 % of 16777216 pieces solved"));
    assert!(errors.lines().eq(tenths), "{errors}");
    let sum = |object: &Value| -> u64 {
        let counts = object.as_object().unwrap().values();
        counts.map(|count| count.as_u64().unwrap()).sum()
    };
    assert_eq!(sum(&object["longest"]), 16_777_216);
    for groups in ["by_moves", "by_symmetry", "by_verdict"] {
        for key in ["pieces", "mates", "won_everywhere", "won_more_than_half"] {
            let groups = object[groups].as_object().unwrap().values();
            let total: u64 = groups.map(|group| group[key].as_u64().unwrap()).sum();
            assert_eq!(object[key], total, "{key}");
        }
    }
    let longest = &object["records"]["longest"][0];
    let piece = longest["piece"].as_str().unwrap();
    let alone = json_of(&["mate", piece, "--board", "3x3", "--json"]);
    for key in ["mates", "wins_white", "legal_white", "longest"] {
        assert_eq!(alone[key], longest[key], "{key}");
    }
    let (status, _) = failure(&["census", "--svg", "x.svg"]);
    assert_eq!(status, 2, "the histogram is one of mates");
}

#[test]
#[cfg(unix)]
fn an_interrupted_census_of_mates_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mates.csv");
    let mut census = Command::new(env!("CARGO_BIN_EXE_tbindex"));
    census
        .args(["fairy", "census", "--mates", "--csv"])
        .arg(&path);
    let held = Held::at("cli::interrupt_check", 3, &mut census);
    signal(&held.child, "-TERM");
    let (status, errors) = held.go_on();
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    assert_eq!(signal, Some(15));
    assert!(errors.contains("interrupted"), "{errors}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn every_help_has_an_example() {
    for command in ["classify", "distances", "mate", "census", "list"] {
        let help = stdout(&[command, "--help"]);
        assert!(help.contains(&format!("tbindex fairy {command}")), "{help}");
        assert!(help.contains("Example"), "{help}");
        // An interactive shell takes ! in quotes alone.
        let examples = help.lines().filter(|line| line.starts_with("  tbindex"));
        let mut bare = examples.flat_map(|line| line.split('\'').step_by(2));
        assert!(!bare.any(|part| part.contains('!')), "{help}");
    }
    assert!(stdout(&["--help"]).contains("Example"));
}
