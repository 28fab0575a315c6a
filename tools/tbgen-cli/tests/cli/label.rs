//! Labels of streams of positions, and answers for them.

use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

use bulletformat::{BulletFormat, ChessBoard};
use serde_json::Value as Json;

use crate::{as_csv, command, ended, folder, text};

/// Runs the program with this input.
fn fed(call: &str, input: impl AsRef<[u8]>) -> Output {
    let mut child = command(call)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A program that refuses the call does not read.
    let _ = stdin.write_all(input.as_ref());
    drop(stdin);
    child.wait_with_output().unwrap()
}

pub(crate) fn labelled(call: &str, input: &str) -> String {
    let output = fed(call, input);
    ended(&output, 0, &[]);
    text(&output.stdout)
}

/// Folders with the tables of three pieces: own ones by both metrics, and Syzygy files.
fn tables() -> [(tempfile::TempDir, String); 2] {
    let [own, syzygy] = [folder(), folder()];
    succeed!("generate --all 3 --metric dtz,dtm -o {}", own.1);
    succeed!("generate --all 3 --format syzygy -o {}", syzygy.1);
    [own, syzygy]
}

/// A queen mates in 13 plies; black is checkmated; a rook mates; a rook is taken; a pawn becomes a queen.
const POSITIONS: [&str; 5] = [
    "8/8/2k5/8/8/8/8/2KQ4 w - - ",
    "k7/1Q6/1K6/8/8/8/8/8 b - - ",
    "8/8/8/8/8/2k5/8/KR6 w - - ",
    "8/8/8/8/8/2k5/1r6/K7 w - - ",
    "8/4P3/4K3/8/8/8/8/k7 w - - ",
];

#[test]
fn own_and_syzygy_tables_give_the_same_labels() {
    let [(_own, own), (_syzygy, syzygy)] = tables();
    let mut input = String::new();
    for position in POSITIONS {
        for counters in ["", "0 1", "60 90", "95 120", "100 130", "101 130"] {
            input += &format!("{position}{counters}\n");
        }
    }
    let label = &format!("label --tables {own}");
    let by_own = labelled(label, &input);
    let by_syzygy = labelled(&format!("label --tables {syzygy}"), &input);
    assert_eq!(by_own, by_syzygy);
    let solved = "label --memory 1G";
    assert_eq!(labelled(solved, &input), by_own, "without files");
    let both = format!("{solved} --values dtz,dtm");
    let of_folder = format!("{both} --tables {own}");
    assert_eq!(labelled(&both, &input), labelled(&of_folder, &input));
    let lines: Vec<&str> = by_own.lines().collect();
    assert_eq!(lines.len(), 30);
    // The counter makes wins cursed, and a checkmate stands.
    for (line, label) in [
        (0, " wdl 2; dtz 13;"),
        (4, " wdl 1; dtz 13;"),
        (10, "100 130 wdl -2; dtz -1;"),
        (11, "101 130 wdl -2; dtz -1;"),
    ] {
        assert!(lines[line].ends_with(label), "{}", lines[line]);
    }
    let operation = labelled(label, &format!("{}hmvc 95;", POSITIONS[0]));
    let expected = " hmvc 95; wdl 1; dtz 13;\n";
    assert!(operation.ends_with(expected), "{operation}");
    // Labelling again changes nothing.
    assert_eq!(labelled(label, &by_own), by_own);
    let mates = labelled(&format!("{label} --values wdl,dtm"), POSITIONS[4]);
    assert!(mates.contains("wdl 2; dm "), "{mates}");
}

#[test]
fn operations_comments_and_positions_without_tables_stay() {
    let [_, (_kept, syzygy)] = tables();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let input = format!(
        "# positions\n\n{start}\n8/8/2k5/8/8/8/8/2KQ4 w - - id \"a\"; wdl 0;\n8/8/2k5/8/8/8/8/2KQR3 w - -\n"
    );
    let output = fed(&format!("label --tables {syzygy} --stats"), &input);
    let stats = [
        "3 positions, 1 labelled, 1 labels changed",
        "1 with more than seven pieces",
        "1 without a label, or a value of it: the table of KQRvK is needed: there is no",
    ];
    ended(&output, 0, &stats);
    let expected = input.replace("wdl 0;", "wdl 2; dtz 13;");
    assert_eq!(text(&output.stdout), expected);
}

#[test]
fn a_run_without_labels_says_so() {
    let [_, (_kept, syzygy)] = tables();
    let (_empty, empty) = folder();
    let input = "8/8/2k5/8/8/8/8/2KQR3 w - -\n";
    let output = fed(&format!("label --tables {empty}"), input);
    ended(
        &output,
        1,
        &[&format!("{empty}: there are no files of tables")],
    );
    let output = fed(&format!("label --tables {syzygy}"), input);
    ended(&output, 1, &["no position has a label"]);
    assert_eq!(text(&output.stdout), input);
}

/// As `probe` says it, which names the same file and the same damage: it is no missing table.
#[test]
fn a_damaged_table_that_is_alone_is_no_missing_one() {
    let (temp, path) = &folder();
    let fen = POSITIONS[2].trim();
    for (make, file, place, part) in [
        ("--metric dtm", "KRvK.tbm", 100, "the header is damaged"),
        (
            "--metric dtm",
            "KRvK.tbm",
            260,
            "the list of values is damaged",
        ),
        ("--metric dtz", "KRvK.tbg", 100, "the header is damaged"),
        ("--metric dtm --packed", "KRvK.tbmp", 30, "damaged"),
    ] {
        succeed!("generate KRvK {make} -o {path}");
        crate::damage(temp.path().join(file), |_| place);
        let label = format!("label --tables {path}");
        let output = fed(&label, fen);
        let says = ["1 positions lack a label or a value: ", file, part];
        let errors = ended(&output, 1, &says);
        let probed = fail!(1, "", "probe --tables {path} '{fen}'");
        let (_, damage) = probed.trim_end().split_once(": ").unwrap();
        assert!(errors.contains(damage), "{errors}{probed}");
        assert_eq!(text(&output.stdout).trim_end(), fen);
        let reason = format!("1 without a label, or a value of it: {damage}");
        ended(&fed(&format!("{label} --stats"), fen), 1, &[&reason]);
        std::fs::remove_file(temp.path().join(file)).unwrap();
    }
}

/// An outcome alone does not say whether a counter reaches 100.
#[test]
fn open_outcomes_are_not_written() {
    let [_, (_kept, syzygy)] = tables();
    let rook = "8/8/8/8/8/2k5/8/K6R w - - 40 21";
    let queen = "8/8/2k5/8/8/8/8/2KQ4 w - - 0 1";
    let label = format!("label --tables {syzygy} --values wdl,c0");
    let input = format!("{rook}\n{queen}\n");
    let known = format!("{rook} wdl 2; c0 \"win\";\n{queen} wdl 2; c0 \"win\";\n");
    assert_eq!(labelled(&label, &input), known);
    std::fs::remove_file(Path::new(&syzygy).join("KRvK.rtbz")).unwrap();
    let open = known.replacen(
        "wdl 2; c0 \"win\"",
        "c0 \"win, or a draw by the fifty-move counter\"",
        1,
    );
    assert_eq!(labelled(&label, &input), open);
    // The answer of an earlier run does not stay beside what is open now.
    let csv = |values: &str| format!("fen,dtz,wdl\n{rook},{values}\n");
    let object = |dtz: &str| format!("{{\"fen\":\"{rook}\",\"dtz\":{dtz}}}\n");
    for (format, old, new) in [
        (
            "epd",
            format!("{rook} wdl 2; id 1; dtz 27;\n"),
            format!("{rook} id 1;\n"),
        ),
        ("csv", csv("27,2"), csv(",")),
        ("jsonl", object("27"), object("null")),
    ] {
        let label = format!("label --tables {syzygy} --format {format} --stats");
        let output = fed(&label, old);
        ended(&output, 0, &["1 positions, 1 labelled, 1 labels changed"]);
        assert_eq!(text(&output.stdout), new);
    }
    // For a single position, solving settles it.
    let probe = format!("probe --tables {syzygy} '{rook}' --values-only");
    let answer = succeed!("{probe} --memory 1K");
    let says = "win, or a draw by the fifty-move counter";
    assert!(answer.contains(says), "{answer}");
    let answer = succeed!("{probe}");
    assert!(
        answer.contains("win in 27 plies to zeroing, 27 plies to mate"),
        "{answer}"
    );
    let plain = format!("fen {rook}\nresult 0\ne\n");
    let label = format!("label --tables {syzygy} --format plain");
    assert_eq!(labelled(&label, &plain), plain);
}

#[test]
fn bad_lines_are_named_and_refused_or_passed_through() {
    let [_, (_kept, syzygy)] = tables();
    let input = format!(
        "{}\nnonsense\n{}\n8/8/2kK4/8/8/8/8/Q7 w - -\n",
        POSITIONS[0], POSITIONS[1]
    );
    let label = format!("label --tables {syzygy}");
    let output = fed(&label, &input);
    ended(&output, 1, &["line 2: "]);
    assert_eq!(text(&output.stdout).lines().count(), 1);
    let output = fed(&format!("{label} --bad pass"), &input);
    ended(
        &output,
        0,
        &[
            "line 2: ",
            "line 4: the position is not legal: the kings touch",
        ],
    );
    let out = text(&output.stdout);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!((lines.len(), lines[1]), (4, "nonsense"));
    assert!(lines[2].contains("wdl -2;"));
    assert_eq!(lines[3], "8/8/2kK4/8/8/8/8/Q7 w - -");
}

#[test]
fn columns_of_csv_are_added_or_replaced() {
    let [_, (_kept, syzygy)] = tables();
    let queen = POSITIONS[0].trim();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let input = format!("name,position,wdl\n\"a, \"\"b\"\"\n\",{queen},0\nc,{start},1\n");
    let label = format!("label --tables {syzygy} --format csv");
    let output = labelled(&format!("{label} --column position"), &input);
    let expected =
        format!("name,position,wdl,dtz\n\"a, \"\"b\"\"\n\",{queen},2,13\nc,{start},1,\n");
    assert_eq!(output, expected);
    ended(&fed(&label, &input), 2, &["--column"]);
}

/// A line that is not understood is named, or passed on as it came.
#[test]
fn records_of_another_width_are_refused_or_passed_through() {
    let [_, (_kept, syzygy)] = tables();
    let queen = "8/8/2k5/8/8/8/8/2KQ4 w - - 0 1";
    let label = format!("label --tables {syzygy} --format csv");
    let input = format!("fen,x\n{queen},1\n{queen},1,keep me\n{queen}\n");
    ended(
        &fed(&label, &input),
        1,
        &["line 3: the record has 3 fields: expected 2"],
    );
    let output = fed(&format!("{label} --bad pass"), &input);
    let says = [
        "line 3: the record has 3 fields: expected 2: --bad pass leaves it out",
        "line 4: the record has 1 fields",
    ];
    ended(&output, 0, &says);
    let labelled_one = format!("fen,x,wdl,dtz\n{queen},1,2,13\n");
    assert_eq!(text(&output.stdout), labelled_one);
    // Its fields would be read as labels.
    let more = format!("fen\n{queen} 0 1,1,2\n");
    let output = fed(&format!("{label} --bad pass"), &more);
    ended(&output, 1, &["line 2: the record has 3 fields: expected 1"]);
    assert_eq!(text(&output.stdout), "fen,wdl,dtz\n");
    let open = format!("fen,x\n{queen},1\n{queen},\"1\n{queen},1\n");
    let output = fed(&format!("{label} --bad pass"), &open);
    ended(&output, 0, &["line 3: the quote of a field is not closed"]);
    assert_eq!(text(&output.stdout), labelled_one);
    // A quote within a field is a part of it, and a quoted one may have ends of lines.
    let quotes = format!("fen,x\n{queen},x\"y\n{queen},\"\n1\"\"\n\"\n");
    let expected = format!("fen,x,wdl,dtz\n{queen},\"x\"\"y\",2,13\n{queen},\"\n1\"\"\n\",2,13\n");
    assert_eq!(labelled(&label, &quotes), expected);
    for head in ["fen,wdl,wdl", "fen,fen", "dtz,fen,x,dtz"] {
        let output = fed(&label, format!("{head}\n"));
        ended(
            &output,
            2,
            &["standard input: there is more than one column"],
        );
    }
    let output = fed(&format!("{label} --column wdl"), "wdl\n");
    ended(&output, 2, &["--column wdl: a label has this name"]);
}

/// Lines that can't be read are bad ones as others are, and too long ones are not held.
#[test]
fn no_line_ends_a_run() {
    let [_, (_kept, syzygy)] = tables();
    let queen = "8/8/2k5/8/8/8/8/2KQ4 w - - 0 1";
    let long = [b"0".repeat(1 << 21), b"\r\n".to_vec()].concat();
    let [plain, plain_won] = [0, 1].map(|result| format!("fen {queen}\nresult {result}\ne\n"));
    let object = format!("{{\"fen\":\"{queen}\"");
    for (format, good, new) in [
        (
            "epd",
            format!("{queen}\n"),
            format!("{queen} wdl 2; dtz 13;\n"),
        ),
        (
            "jsonl",
            format!("{object}}}\n"),
            format!("{object},\"wdl\":2,\"dtz\":13}}\n"),
        ),
        ("plain", plain, plain_won),
    ] {
        let wrong = match format {
            "plain" => &b"fen \xff\nresult 0\ne\n"[..],
            _ => b"b \xff x\n",
        };
        let long = match format {
            "plain" => [b"ply ", &long[..], b"result 0\ne\n"].concat(),
            _ => long.clone(),
        };
        let input = [b"a\n", good.as_bytes(), wrong, &long, good.as_bytes()].concat();
        // A record of .plain goes on to its end.
        let (input, first) = match format {
            "plain" => (input[2..].to_vec(), &b""[..]),
            _ => (input, &b"a\n"[..]),
        };
        let label = format!("label --tables {syzygy} --format {format}");
        let output = fed(&format!("{label} --bad pass"), &input);
        let says = [
            "it is no UTF-8",
            "it is longer than 64 KiB: --bad pass leaves it out",
        ];
        ended(&output, 0, &says);
        let expected = [first, new.as_bytes(), wrong, new.as_bytes()].concat();
        assert_eq!(output.stdout, expected, "{format}");
        let refused = fed(&label, &input[first.len()..]);
        ended(&refused, 1, &["line ", ": it is no UTF-8"]);
        assert_eq!(refused.stdout, new.as_bytes(), "{format}");
    }
    let csv = [
        format!("fen\n{queen}\n").as_bytes(),
        &long,
        queen.as_bytes(),
    ]
    .concat();
    let output = fed(
        &format!("label --tables {syzygy} --format csv --bad pass"),
        csv,
    );
    ended(&output, 0, &["line 3: it is longer than 64 KiB"]);
    let row = format!("{queen},2,13\n");
    assert_eq!(text(&output.stdout), format!("fen,wdl,dtz\n{row}{row}"));
    // A position without an answer does not keep the others from theirs.
    let input = [
        format!("{queen}\n").as_bytes(),
        &long,
        b"\xff\n",
        queen.as_bytes(),
    ]
    .concat();
    let probed = fed(&format!("probe --tables {syzygy} - --values-only"), input);
    let says = [
        "line 2: it is longer",
        "line 3: it is no UTF-8",
        "2 of 4 positions",
    ];
    ended(&probed, 1, &says);
    assert_eq!(text(&probed.stdout).lines().count(), 2);
}

#[test]
fn an_empty_input_has_an_empty_result() {
    let [_, (_kept, syzygy)] = tables();
    for format in ["epd", "csv", "jsonl", "plain", "bullet"] {
        assert_eq!(
            labelled(&format!("label --tables {syzygy} --format {format}"), ""),
            ""
        );
    }
}

#[test]
fn results_of_training_data_are_corrected() {
    let [_, (_kept, syzygy)] = tables();
    let record = |fen: &str, result: i32| {
        format!("fen {fen} 0 1\nmove a1b1\nscore 10\nply 100\nresult {result}\ne\n")
    };
    let [won, mated, _, drawn, _] = POSITIONS.map(str::trim);
    let late = |result| record(won, result).replace(" 0 1\n", " 99 120\n");
    let input = [record(won, 0), record(mated, 1), record(drawn, 0), late(1)];
    let expected = [record(won, 1), record(mated, -1), record(drawn, 0), late(0)].concat();
    let label = format!("label --tables {syzygy} --format plain --stats");
    let output = fed(&label, input.concat());
    ended(&output, 0, &["4 positions, 4 labelled, 3 labels changed"]);
    assert_eq!(text(&output.stdout), expected);
    assert_eq!(labelled(&label, &expected), expected);
}

/// Ends of lines stay as they came; short lines, quotes and byte-order marks are read.
#[test]
fn texts_are_read_in_every_form() {
    let queen = POSITIONS[0].trim();
    let short = "8/8/2k5/8/8/8/8/2KQ4 w";
    let labels = "wdl 2; dtz 13;";
    let quoted = r#"c0 "a; \"b\"; c";"#;
    for (input, expected) in [
        (format!("\u{feff}{queen}\n"), format!("{queen} {labels}\n")),
        (
            format!("{queen}\r\n{queen}\r\n"),
            format!("{queen} {labels}\r\n{queen} {labels}\r\n"),
        ),
        (
            format!("{queen}\r\r# nothing\r{queen}"),
            format!("{queen} {labels}\r\r# nothing\r{queen} {labels}\n"),
        ),
        (format!("{short}\n"), format!("{short} - - {labels}\n")),
        (format!("{queen};\n"), format!("{queen} {labels}\n")),
        (
            format!("{queen}\t{quoted}\n"),
            format!("{queen} {quoted} {labels}\n"),
        ),
        (
            format!("{queen} 0 1 id \"x\";\n"),
            format!("{queen} 0 1 id \"x\"; {labels}\n"),
        ),
    ] {
        let output = labelled("label", &input);
        assert_eq!(output, expected);
        assert_eq!(labelled("label", &output), output, "labels are replaced");
    }
    let open = fed("label", format!("{queen} c0 \"open\n"));
    ended(
        &open,
        1,
        &["line 1: a quote of its operations is not closed"],
    );
    let record = format!("fen {queen} 0 1\r\nresult 0\r\ne\r\n");
    let label = "label --format plain";
    assert_eq!(
        labelled(label, &format!("\u{feff}{record}")),
        record.replace("result 0", "result 1")
    );
    let together = record.replace("e\r\n", "").repeat(2);
    ended(
        &fed(label, together),
        1,
        &["line 1: the record has more than one fen"],
    );
    let [(_own, own), _] = tables();
    let probe = format!("probe --tables {own} - --values-only --format jsonl");
    let probed = labelled(&probe, &format!("\u{feff}{queen}\r{queen}\r\n"));
    assert_eq!(probed.lines().count(), 2, "{probed}");
}

/// Whatever is no label stays as it is written, numbers that no program holds exactly, too.
#[test]
fn fields_of_json_lines_are_added_or_replaced() {
    let [_, (_kept, syzygy)] = tables();
    let label = format!("label --tables {syzygy} --format jsonl");
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let lines = |wdl, dtz, new| {
        let first = r#""x": {"fen": [1e400, 0.10], "wdl": "}"} }"#;
        let first = format!(
            "{{\"wdl\": {wdl}, \"fen\": \"{}\", \"dtz\": {dtz}, {first}",
            POSITIONS[0]
        );
        let mated = format!("{{\"fen\":\"{}\"{new}}}", POSITIONS[1]);
        format!("{first}\r\n\n{mated}\n{{\"fen\":null}}\n{{\"fen\":\"{start}\"}}")
    };
    let input = format!("\u{feff}{}", lines("0", "null", ""));
    let output = fed(&format!("{label} --stats"), input);
    ended(&output, 0, &["3 positions, 2 labelled, 1 labels changed"]);
    let expected = lines("2", "13", ",\"wdl\":-2,\"dtz\":-1");
    assert_eq!(text(&output.stdout), expected);
    assert_eq!(labelled(&label, &expected), expected, "labels are replaced");
    let line = format!("{{\"position\":\"{}\",\"x\":1}}\n", POSITIONS[1]);
    let label = format!("{label} --column position");
    let csv = labelled(&label.replace("jsonl", "csv"), &as_csv(&line));
    assert_eq!(as_csv(&labelled(&label, &line)), csv);
    for (bad, says) in [
        ("{\"position\": ", "the line is no JSON object"),
        ("{\"fen\": 1}", "no field \"position\": name it by --column"),
        (
            "{\"position\": null, \"dtz\": 1, \"dtz\": 2}",
            "there is more than one field \"dtz\"",
        ),
        ("{\"position\": 1}", "the field \"position\" is no text"),
        ("{\"position\": \"K7\"}", "the board has 1 ranks"),
    ] {
        let input = format!("{line}{bad}\n");
        ended(&fed(&label, &input), 1, &["line 2: ", says]);
        let passed = fed(&format!("{label} --bad pass"), &input);
        ended(&passed, 0, &["line 2: ", says]);
        assert!(text(&passed.stdout).ends_with(&format!("\"dtz\":-1}}\n{bad}\n")));
    }
}

#[test]
fn results_of_bullets_records_are_corrected() {
    let [_, (_kept, syzygy)] = tables();
    let black = "8/8/8/8/2k5/8/1R6/K7 b - -";
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    // By what white gets.
    let records = |results: [&str; 4]| {
        let fens = [POSITIONS[0], POSITIONS[1], black, start].map(str::trim);
        let lines = fens.iter().zip(results);
        let records = lines.map(|(fen, result)| format!("{fen} | -7 | {result}").parse());
        let records: Vec<ChessBoard> = records.collect::<Result<_, _>>().unwrap();
        ChessBoard::as_bytes_slice(&records).to_vec()
    };
    let input = records(["0.5", "0.0", "1.0", "0.0"]);
    let expected = records(["1.0", "1.0", "1.0", "0.0"]);
    let label = format!("label --tables {syzygy} --format bullet --stats");
    let output = fed(&label, &input);
    ended(&output, 0, &["4 positions, 3 labelled, 2 labels changed"]);
    assert_eq!(output.stdout, expected);
    assert_eq!(fed(&label, &expected).stdout, expected);
    let cut = fed(&label, &input[..42]);
    ended(&cut, 1, &["record 2: it has 10 bytes: expected 32"]);
    assert_eq!(cut.stdout, expected[..32]);
    for (place, byte, says) in [(26, 3, "record 1: the result is 3"), (8, 0x66, "no piece")] {
        let mut wrong = input.clone();
        wrong[place] = byte;
        ended(&fed(&label, &wrong), 1, &[says]);
    }
}

#[test]
fn comments_say_the_values_in_words() {
    let input = format!("{}hmvc 95; c0 \"before; that\"; id \"x\";\n", POSITIONS[0]);
    let label = "label --values dtz,dtm,c0";
    let output = labelled(label, &input);
    let expected = "hmvc 95; id \"x\"; wdl 1; dtz 13; dm 7; c0 \"draw by the fifty-move counter (with 0: win in 13 plies to zeroing, 13 plies to mate)\";\n";
    assert!(output.ends_with(expected), "{output}");
    assert_eq!(labelled(label, &output), output);
    for values in ["c0", "wdl,dtz,dtm,c0"] {
        let mated = format!("{}101 90\n", POSITIONS[1]);
        let mated = labelled(&format!("label --values {values}"), &mated);
        assert!(mated.ends_with(" c0 \"checkmate\";\n"), "{mated}");
    }
}

/// All commands read a position in one way.
#[test]
fn labels_and_probes_refuse_the_same_positions() {
    let [(_own, own), _] = tables();
    for (line, says) in [
        ("8/8/2k5/44/8/8/8/2KQ4 w - -", "rank 5 has two numbers"),
        ("8/8/2k70/8/8/8/8/2KQ4 w - -", "rank 6 has '0'"),
        ("8/8/2k5/8/8/8/8/2KQ4 w - - hmvc 60", "counter is \"hmvc\""),
        (
            "8/8/2k5/8/8/8/8/2KQ4 w - - 0 99999999999",
            "the number of the move is \"99999999999\"",
        ),
        (
            "8/8/2k5/8/8/8/8/2KQ4 w - - 0 1 # comment",
            "there is \"#\" after",
        ),
        (
            "8/8/2k5/8/8/8/8/2KQ4 w - - c0 \"open;",
            "a quote of its operations is not closed",
        ),
        (
            "rnbqkbnr/pppppppp/44/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "rank 6 has two numbers",
        ),
    ] {
        ended(&fed("label", format!("{line}\n")), 1, &["line 1: ", says]);
        let probed = fed(&format!("probe --tables {own} -"), format!("{line}\n"));
        ended(&probed, 1, &["standard input: line 1: ", says]);
    }
}

#[test]
fn captures_en_passant_count_in_tables_that_are_solved() {
    let fens = ["b6", "-"].map(|square| format!("7K/k7/8/Pp6/8/8/8/8 w - {square} 0 1"));
    let output = labelled("label", &fens.join("\n"));
    let expected = format!("{} wdl 0; dtz 0;\n{} wdl -2; dtz -2;\n", fens[0], fens[1]);
    assert_eq!(output, expected);
}

#[test]
fn tables_that_memory_does_not_hold_are_not_solved() {
    let input = "8/8/2k5/8/8/8/1r4b1/2KQ4 w - -\n8/8/8/3k4/8/8/8/3K4 w - -\n";
    let refused = fed("label --threads 1 --memory 10M", input);
    let least = ended(
        &refused,
        2,
        &["label needs at least ", "--memory allows 10 MiB"],
    );
    let least = least.split(' ').nth(5).unwrap();
    let output = fed(
        &format!("label --threads 1 --memory {least}M --stats"),
        input,
    );
    let reason = "1 without a label, or a value of it: a position of KRBvKQ needs up to";
    ended(&output, 0, &["2 positions, 1 labelled", reason]);
    assert!(text(&output.stdout).ends_with("w - - wdl 0; dtz 0;\n"));
}

/// The same labels as with the whole table, which memory does not hold.
#[test]
fn positions_of_larger_tables_are_solved_one_by_one() {
    let fens = [
        "8/8/1p1k4/1P6/8/1K6/8/8 w - - 0 1",
        "8/8/1p6/1P6/2k5/8/8/K7 b - - 98 120",
        "8/8/8/8/8/1p6/1P6/K2k4 w - - 0 1",
    ];
    let input = fens.map(|fen| format!("{fen}\n")).concat();
    let label = "label --threads 1 --memory";
    let reached = fed(&format!("{label} 180M"), &input);
    assert_eq!(text(&reached.stderr), "");
    let whole = fed(&format!("{label} 400M"), &input);
    assert_eq!(text(&whole.stderr), "");
    assert_eq!(text(&reached.stdout), text(&whole.stdout));
    assert_eq!(text(&whole.stdout).matches(" wdl ").count(), 3);
}

#[test]
fn files_are_written_whole_and_not_replaced() {
    let [_, (_kept, syzygy)] = tables();
    let (_kept, path) = folder();
    let [input, output] = ["in.epd", "out.epd"].map(|name| format!("{path}/{name}"));
    std::fs::write(&input, format!("{}\n", POSITIONS[0])).unwrap();
    let label = format!("label {input} --tables {syzygy} -o");
    succeed!("{label} {output}");
    assert!(std::fs::read_to_string(&output).unwrap().contains("wdl 2;"));
    fail!(1, "exists", "{label} {output}");
    succeed!("{label} {output} --force");
    std::fs::write(&input, "nonsense\n").unwrap();
    let new = format!("{path}/new.epd");
    fail!(1, "line 1", "{label} {new}");
    assert!(!Path::new(&new).exists());
}

/// Positions that no table has are solved; those that can't be are dropped.
#[test]
fn castling_rights_are_answered_by_solving() {
    let castles = "8/8/6k1/8/8/8/8/R3K3 w Q - 0 1";
    let input = format!("{castles}\n8/8/2k5/8/8/8/8/2KQ4 w KQkq e6 0 1\n");
    let solved = text(&fed("label --values wdl,dtz,dtm", &input).stdout);
    let [with, stale] = solved.lines().collect::<Vec<_>>()[..] else {
        panic!("{solved}");
    };
    let answer = report!("solve '{castles}' --json");
    let dtz = &answer["dtz"];
    assert!(
        with.contains(&format!(" wdl 2; dtz {dtz};")),
        "{with} {dtz}"
    );
    assert!(stale.ends_with("wdl 2; dtz 13; dm 7;"), "{stale}");
    let castling = answer["moves"].as_array().unwrap().iter();
    let mut castling = castling.filter(|step| step["san"].as_str().unwrap().starts_with("O-O-O"));
    assert_eq!(castling.next().unwrap()["move"], "e1c1");
    // By files alone it is not known; solving settles it.
    let [(_own, own), _] = tables();
    let black = castles.replace(" w ", " b ");
    let without = fed(&format!("label --tables {own} --stats"), &black);
    ended(
        &without,
        1,
        &["no table has positions with castling rights"],
    );
    let with = fed(&format!("label --tables {own} --solve 256M"), &black);
    ended(&with, 0, &[]);
    let by_rights = |rights: &str| {
        let label = format!("label --tables {own} --rights {rights}");
        fed(&label, &black)
    };
    ended(
        &by_rights("refuse"),
        1,
        &["line 1: there are castling rights"],
    );
    // A damaged table is no missing one: white's moves lead to it.
    let (_damaged, wrong) = folder();
    std::fs::write(format!("{wrong}/KRvK.tbg"), "nonsense").unwrap();
    let damaged = fed(&format!("label --tables {wrong} --stats"), castles);
    ended(
        &damaged,
        1,
        &[
            "1 positions lack a label or a value: ",
            "KRvK.tbg: not a table file",
        ],
    );
    // Without its rights, the position is in the files.
    let dropped = by_rights("drop");
    ended(&dropped, 0, &[]);
    assert!(text(&dropped.stdout).contains(" wdl -2; dtz -"));
}

#[test]
fn streams_are_probed_in_lines_of_json_and_in_csv() {
    let [(_own, own), _] = tables();
    let bare = "8/8/2k5/8/8/8/8/2KB4 w - -";
    let input = format!(
        "# a comment\n{}\n\nnonsense\n{bare}\n{}\n",
        POSITIONS[0], POSITIONS[1]
    );
    let probe = format!("probe --tables {own} - --values-only --format jsonl");
    let output = fed(&probe, &input);
    let place = "standard input: line 4: \"nonsense\": ";
    ended(&output, 1, &[place, "1 of 4 positions have no answer"]);
    // A position without an answer has a record and a line, too.
    for (format, head, line) in [("csv", 1, "nonsense,,,,,,,,,,"), ("epd", 0, "nonsense")] {
        let output = fed(&probe.replace("jsonl", format), &input);
        ended(&output, 1, &[place]);
        let printed = text(&output.stdout);
        let lines: Vec<&str> = printed.lines().collect();
        assert_eq!((lines.len(), lines[head + 1]), (head + 4, line));
    }
    let nothing = fed(&probe.replace("jsonl", "json"), "nonsense\n");
    ended(&nothing, 1, &["1 of 1 positions have no answer"]);
    let nothing: Json = serde_json::from_slice(&nothing.stdout).unwrap();
    assert_eq!(nothing["positions"][0]["fen"], "nonsense");
    let lines = serde_json::Deserializer::from_slice(&output.stdout).into_iter();
    let lines: Vec<Json> = lines.collect::<Result<_, _>>().unwrap();
    assert_eq!(lines.len(), 4);
    for (field, expected) in [("wdl", 2), ("dtz", 13), ("dtm", 13)] {
        assert_eq!(lines[0][field], expected, "{field}");
    }
    assert!(lines[0]["moves"].is_null());
    assert!(lines[1]["error"].is_string());
    assert_eq!(lines[2]["insufficient_material"], true);
    assert_eq!(lines[3]["checkmate"], true);
    assert_eq!(lines[0]["insufficient_material"], false);

    let (_kept, path) = folder();
    let file = format!("{path}/positions.fen");
    std::fs::write(&file, format!("{}\n{}\n", POSITIONS[0], POSITIONS[1])).unwrap();
    let csv = succeed!("probe --tables {own} --input {file} --format csv");
    let rows: Vec<&str> = csv.lines().collect();
    assert_eq!(rows.len(), 3);
    let columns =
        "fen,wdl,dtz,dtm,exact,wdl_at_zero,check,checkmate,stalemate,insufficient_material,best";
    assert_eq!(rows[0], columns);
    let known = |name: &str| name == "best" || !lines[0][name].is_null();
    assert!(columns.split(',').all(known));
    let [won, mated, ..] = POSITIONS.map(str::trim);
    let start = format!("{won},2,13,13,true,2,false,false,");
    assert!(rows[1].starts_with(&start), "{}", rows[1]);
    // The best moves are named, and a checkmated side has none.
    let best = rows[1].rsplit(',').next().unwrap();
    assert!(best.starts_with("Kb2"), "{best}");
    // A checkmated side is one ply from its end by the distance to zeroing.
    let mated = format!("{mated},-2,-1,0,true,-2,true,true,false,false,");
    assert_eq!(rows[2], mated);
    // EPD has the same values, and `label` gives them, too.
    let epd = succeed!("probe --tables {own} --input {file} --format epd");
    let start = format!("{won} bm {best}; wdl 2; dtz 13; dm 7;");
    assert!(epd.starts_with(&start), "{epd}");
    let label = format!("label --tables {own} --values dtz,dtm");
    assert_eq!(labelled(&label, &epd), epd);
    succeed!("probe --tables {own} --input {file} --values-only");
    fail!(1, "nowhere", "probe --tables {own} --input nowhere");
    fail!(2, "required", "probe --tables {own}");
}
