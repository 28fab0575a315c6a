//! `tbindex fairy` as a user meets it.

use serde_json::{Value, json};

use crate::program::{Folder, json, run, stdout};
use crate::support::held::Held;
use crate::support::says::says;
use crate::support::signals::send;
use crate::support::thorough::one_in;

#[test]
fn classify_answers_in_the_documented_keys() {
    assert_eq!(
        json("fairy classify N"),
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
    let read = Folder::new().with_input("fairy classify - --json", "N\n");
    assert_eq!(read.json(), json("fairy classify knight"));
    let pinwheel = json("fairy classify hlN");
    assert_eq!(pinwheel["components"], json!([13, 13, 13, 13, 12]));
    let bound = json("fairy classify 01,02,10,15");
    assert_eq!(bound["unlisted_masks"], json!(["no south-south-east"]));
    assert_eq!(bound["cant_leave"], json!(["a8", "b8"]));
    assert_eq!(bound["cant_reach"], json!(["g1", "h1"]));
    assert_eq!(bound["never_makes"].as_array().map(Vec::len), Some(7));
    let empty = json("fairy classify 0x0");
    assert_eq!(empty["masks"].as_array().map(Vec::len), Some(15));
    assert_eq!(empty["lattice_index"], Value::Null);
    assert_eq!(empty["half_plane"], true);
    let strip = json("fairy classify sW --board 9x1");
    assert_eq!(strip["free"], false);
    assert_eq!(strip["board_connected"], true);
}

#[test]
fn classify_explains_itself() {
    let verdict = stdout("fairy classify hlN");
    assert!(verdict.starts_with("Bound: every move keeps to one colour of 5 (pinwheel 1)"));
    let details = stdout("fairy classify hlN --details");
    assert!(details.starts_with(&verdict) && details.len() > 2 * verdict.len());
    says(verdict, &["hlN  (0x404202), 4 moves\n"]);
    says(
        stdout("fairy classify N"),
        &["N  (knight, 0x54422a), 8 moves\n"],
    );
    let pinwheel = [
        "Bound: every move keeps to one colour of 5 (pinwheel 1)",
        "On the 8x8 board: not connected, 5 components of 4 × 13, 12 squares.",
        "masks       pinwheel 1",
        "lattice     rank 2, index 5, Hermite normal form (1,3) (0,5)",
        "4| 2 4 1 3 0 2 4 1",
    ];
    says(details, &pinwheel);
    let half_plane = [
        "masks       none\nunlisted    no south-south-east\n",
        "can't leave a8 b8\ncan't reach g1 h1\n",
    ];
    says(stdout("fairy classify 01,02,10,15 --details"), &half_plane);
}

#[test]
fn distances_are_printed_as_published_but_correct() {
    let text = stdout("fairy distances 01,10,15,23 --from e4");
    assert!(text.starts_with("from e4: 64 of 64 squares, the farthest in 14 moves"));
    let ranks = [
        "8| 2 D B 9 7 5 3 E\n7| A 8 6 4 2 D B 9\n",
        "4| 8 6 4 2 0 B 9 7\n",
        "2| 2 9 7 5 3 1 C A\n",
    ];
    says(&text, &ranks);
    let object = json("fairy distances F --from a1 --board 3x3");
    assert_eq!(object["distances"]["c3"], 2);
    assert_eq!(object["distances"]["a2"], Value::Null);
    assert_eq!(object["reached"], 5);
    assert_eq!(object["diameter"], Value::Null);
}

#[test]
fn boards_have_up_to_256_squares_where_pieces_only_move() {
    let king = json("fairy distances commoner --board 16x16 --from a1");
    assert_eq!(
        king["distances"].as_object().map(serde_json::Map::len),
        Some(256)
    );
    assert_eq!(
        (&king["distances"]["p16"], &king["diameter"]),
        (&json!(15), &json!(15))
    );
    let ferz = json("fairy classify ferz --board 16x16");
    assert_eq!(ferz["components"], json!([128, 128]));
    let picture = stdout("fairy distances knight --board 16x16 --svg -");
    // The page, the diagram of the piece, and the squares.
    assert_eq!(picture.matches("<rect").count(), 1 + 25 + 256);
    says(
        run("fairy classify N --board 17x16").failure(2),
        &["1 to 256 squares"],
    );
    for command in ["mate N", "compare N W", "list --limit 1", "census"] {
        let refused = run(&format!("fairy {command} --board 9x8")).failure(2);
        says(refused, &["9x8 has 72 squares: expected at most 64"]);
    }
}

#[test]
fn pieces_are_compared_side_by_side() {
    let compared = json("fairy compare gold ferz 0x54422a");
    for (at, name) in ["WfF", "F", "N"].into_iter().enumerate() {
        let (piece, mate) = (&compared["pieces"][at], json(&format!("fairy mate {name}")));
        for key in ["piece", "betza", "mates", "longest"] {
            assert_eq!(piece[key], mate[key], "{name} {key}");
        }
        let verdict = json(&format!("fairy classify {name}"));
        assert_eq!(piece["free"], verdict["free"], "{name}");
        assert_eq!(piece["colours"], verdict["lattice_index"], "{name}");
    }
    let ferz = &compared["pieces"][1];
    assert_eq!(
        (&ferz["reached"], &ferz["farthest"]),
        (&json!(32), &json!(4))
    );
    let text = stdout("fairy compare gold ferz 0x54422a");
    let rows = [
        "number               0x022e00  0x020a00",
        "free                      yes        no       yes\n",
        "won                    92.2 %",
    ];
    says(&text, &rows[1..]);
    assert!(
        text.lines()
            .all(|line| line.len() == text.lines().next().map_or(0, str::len))
    );
    says(run("fairy compare gold").failure(2), &["PIECE"]);
}

#[test]
fn names_are_listed_with_their_pieces() {
    let names = json("fairy pieces");
    let lines = stdout("fairy pieces");
    for (named, line) in names["pieces"]
        .as_array()
        .unwrap()
        .iter()
        .zip(lines.lines())
    {
        let word = |key: &str| named[key].as_str().unwrap();
        assert!(
            line.split_whitespace().eq([word("name"), word("betza")]),
            "{line}"
        );
        let [by_name, by_betza] =
            ["name", "betza"].map(|key| json(&format!("fairy classify {}", word(key))));
        assert_eq!(by_name, by_betza);
    }
    assert_eq!(
        names["pieces"].as_array().unwrap().len(),
        lines.lines().count()
    );
}

#[test]
fn the_census_is_printed_in_three_ways() {
    let object = json("fairy census");
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
    let classes = json("fairy census --symmetric --threads 1");
    assert_eq!(classes["pieces"], 2_105_872);
    let keys = |object: &Value| object.as_object().map(serde_json::Map::len);
    assert_eq!(keys(&classes), keys(&object));
    let connected = "connected on the board                               16 451 956\n";
    says(stdout("fairy census --board 4x4"), &[connected]);

    let folder = Folder::new();
    assert_eq!(folder.stdout("fairy census --csv census.csv"), "");
    let table = folder.text("census.csv");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 1 + 25 + 1);
    assert!(lines[0].starts_with("moves,pieces,free,bound,index_1,index_2,"));
    assert!(lines[4].starts_with("3,2024,224,1800,"));
    assert!(lines[26].starts_with("all,16777216,16614446,162770,"));
    let columns = |line: &str| line.split(',').count();
    assert!(lines.iter().all(|line| columns(line) == columns(lines[0])));

    let refused = folder.run("fairy census --csv census.csv").failure(1);
    says(refused, &["census.csv", "--force"]);
    folder.stdout("fairy census --csv census.csv --force --symmetric");
    assert_ne!(folder.text("census.csv"), table);
}

#[test]
fn lists_are_filtered() {
    let count = stdout("fairy list --filter free,moves<=3 --count");
    assert_eq!(count, "224\n");
    let few = stdout("fairy list --filter bound,!masked,moves<=3 --symmetric");
    let lines = [
        "0x4300    3  09,10,15  frFfrblN\n",
        "0x4a00    3  10,12,15  lWfrblN\n",
    ];
    assert_eq!(few, lines.concat());
    let object = json("fairy list --filter free,disconnected --limit 2");
    assert_eq!(object["count"], 162_366);
    assert_eq!(object["pieces"].as_array().map(Vec::len), Some(2));
    let none = run("fairy list --filter moves>24");
    assert_eq!(
        (&*none.stdout, &*none.errors),
        ("", "tbindex: no piece meets the conditions\n")
    );
    assert_eq!(
        json("fairy list --limit 1")["pieces"],
        json!([{ "piece": "0x0", "moves": 0, "squares": "none", "betza": null }])
    );
    let ended = run("fairy list --filter bound --filter moves=14 --limit 1");
    assert_eq!(
        ended.stdout,
        "0x3fff   14  01,02,03,04,05,06,07,08,09,10,11,12,13,14  fsWfFfsDfAfhN\n"
    );
    assert_eq!(ended.errors, "tbindex: 1 of 10 pieces listed\n");

    let few = if one_in(2) == 1 { 3 } else { 2 };
    let line = &format!("fairy list --filter moves<={few},mates --symmetric");
    let lines = stdout(line);
    let first = lines.lines().next().expect("a piece of few moves");
    says(first, &["  mates ", " longest "]);
    let strongest = &format!("{line} --by-strength");
    let object = json(strongest);
    let pieces = object["pieces"].as_array().unwrap();
    assert_eq!(object["count"], pieces.len());
    assert!(pieces[0]["mates"].as_u64() > Some(0));
    let strength = |piece: &Value| {
        let number = |key: &str| piece[key].as_i64().unwrap();
        (-number("wins_white"), number("longest"))
    };
    assert!(pieces.is_sorted_by_key(strength));
    assert_eq!(pieces.len(), lines.lines().count());
    let bound = |filter: &str| json(&format!("fairy list --filter {filter} --count"));
    assert_eq!(bound("colourbound,!confined"), bound("bound,!confined"));
    let all = json("fairy list --filter moves<=2,!mates --count");
    assert_eq!(all["count"], 1 + 24 + 276 - 36);
}

#[test]
fn pictures_are_written_and_not_overwritten() {
    let folder = Folder::new();
    folder.stdout("fairy classify hlN --svg x.svg");
    let picture = folder.text("x.svg");
    assert!(picture.starts_with("<svg ") && picture.trim_end().ends_with("</svg>"));
    let refused = folder.run("fairy distances N --svg x.svg").failure(1);
    says(refused, &["exists already"]);
    folder.stdout("fairy distances N --svg x.svg --force");
    assert_ne!(folder.text("x.svg"), picture);
    assert_eq!(folder.stdout("fairy classify hlN --svg -"), picture);
}

#[test]
fn mate_answers_in_the_documented_keys() {
    let gold = json("fairy mate WfF");
    let known = json!([36, 205_896, 189_792, 223_944, 175_050, 74]);
    let keys = [
        "mates",
        "legal_white",
        "wins_white",
        "legal_black",
        "losses_black",
        "longest",
    ];
    assert_eq!(json!(keys.map(|key| &gold[key])), known);
    assert_eq!(gold["line"].as_array().map(Vec::len), Some(74));
    let knight = json("fairy mate N");
    assert_eq!((&knight["mates"], &knight["line"]), (&json!(0), &json!([])));
    assert_eq!(knight["position"], Value::Null);
    assert_eq!(json("fairy mate K --board 5x4")["board"], "5x4");
}

#[test]
fn the_longest_mate_is_shown_move_by_move() {
    let text = stdout("fairy mate 0xffffff --diagrams");
    let parts = [
        "White to move wins from everywhere.\n\nKDAN  (0xffffff), 24 moves, on the 8x8 board\n",
        "checkmates           7 108\n",
        "White to move wins   163 460 of 163 460 positions (100.00 %)\n",
        "longest mate         10 plies: 5 moves of White\n",
        "\n...",
        " 5.",
        "\nstart               ...",
    ];
    says(&text, &parts);
    // Eleven diagrams, each with one piece, of three rows of four.
    assert_eq!(text.matches("8| ").count(), 11);
    assert_eq!(text.matches(" k").count(), 11);
    assert!(text.lines().all(|line| line.len() <= 100), "{text}");
    let short = stdout("fairy mate 0xffffff");
    assert!(
        text.starts_with(&short) && !short.contains("8| "),
        "{short}"
    );
    let none = stdout("fairy mate W --diagrams");
    assert!(none.contains("King and piece have no checkmate.") && !none.contains("8| "));
    let own = stdout("fairy mate WD --svg -");
    assert!(own.starts_with("<svg "), "{own}");
    says(own, &["58 plies"]);
    let other = stdout("fairy mate WD --svg - --standing c3,d4");
    says(other, &["White: king c3 (K), piece d4."]);
}

/// On a board that has room for the kings and little else, 2x3, or 3x3 if `TBINDEX_THOROUGH` is set.
#[test]
fn the_census_of_mates_adds_up() {
    let board = if one_in(2) == 1 { "3x3" } else { "2x3" };
    let ended = run(&format!("fairy census --mates --board {board} --json"));
    // Off a terminal there are lines instead of a bar.
    let tenths = (1..=10).map(|tenth| format!("{tenth}0 % of 16777216 pieces solved"));
    assert!(ended.errors.lines().eq(tenths), "{}", ended.errors);
    let object: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(object["pieces"], 16_777_216);
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
    let alone = json(&format!("fairy mate {piece} --board {board}"));
    for key in ["mates", "wins_white", "legal_white", "longest"] {
        assert_eq!(alone[key], longest[key], "{key}");
    }
}

#[test]
#[cfg(unix)]
fn an_interrupted_census_of_mates_writes_nothing() {
    let folder = Folder::new();
    let mut census = folder.command("fairy census --mates --csv mates.csv");
    let held = Held::at("cli::interrupt_check", 3, &mut census);
    send(&held.child, "-TERM");
    let (status, errors) = held.go_on();
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    assert_eq!(signal, Some(15));
    says(errors, &["interrupted"]);
    assert_eq!(folder.names(), [""; 0]);
}
