//! The command line as a user meets it: results, exit statuses, error messages.

use serde_json::Value;

use crate::program::{Folder, commands, json, run, stdout};
use crate::support::says::says;

#[test]
fn single_indices_are_answered() {
    assert_eq!(stdout("index KQvKR a1,c3,d1,h8"), "0o270327\n");
    let squares = stdout("squares KQvKR 0o270327");
    assert_eq!(squares, "a1,c3,d1,h8\n7r/8/8/8/8/2Q5/8/K2k4\n");
    let images = json("flip KQvKR 0o270327");
    assert_eq!(images.as_object().unwrap().len(), 8);
    assert_eq!(images["flip_vertical"], "0o77500327");
    assert_eq!(images["flip_diagonal"], "0o3270027");
    let one = stdout("flip KQvKR 94423 --symmetry flip_vertical");
    assert_eq!(one, "0o77500327\n");
    let canonical = json("canonical KQvKR 0o77507450");
    let canonical = &canonical["positions"][0];
    assert_eq!(canonical["canonical"], "0o270327");
    assert_eq!(canonical["symmetry"], "rotate_180");
    assert_eq!(canonical["orbit"], 8);
    let picture = stdout("board --numbering alternate");
    assert!(picture.starts_with("8| 64 04 14 24 26 16 06 66\n"));
}

#[test]
fn twenty_one_pieces_work_where_no_file_is_written() {
    let material = format!("K{}vK{}", "Q".repeat(10), "N".repeat(9));
    let square = |k: u8| format!("{}{}", char::from(b'a' + k % 8), 1 + k / 8);
    let squares: Vec<String> = (0..21).map(square).collect();
    let squares = squares.join(",");
    let index = stdout(&format!("index {material} {squares}"));
    let back = stdout(&format!("squares {material} {index}"));
    assert_eq!(back.lines().next(), Some(&squares[..]));
    let flipped = stdout(&format!("flip {material} {index} --symmetry rotate_90"));
    let again = stdout(&format!("flip {material} {flipped} --symmetry rotate_270"));
    assert_eq!(again, index);
    stdout(&format!("canonical {material} {index} {flipped}"));
    for line in ["enumerate {} -o x", "encode {} - -o x"] {
        let message = run(&line.replace("{}", &material)).failure(2);
        says(&message, &["21 pieces", "at most 10"]);
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[test]
fn wrong_calls_exit_with_2_and_say_what_was_expected() {
    for (line, expected) in [
        ("index KQKR a1,b1", "one 'v'"),
        ("index KQvKR a1,c3,d1", "3 squares for the 4 pieces"),
        ("index KQvKR a1,c3,d1,i8", "\"i8\" is not a square"),
        ("squares KvK 0o10000", "out of range"),
        ("squares KvK 0o18", "expected an index"),
        ("squares KvK -1", "unexpected argument"),
        ("flip KvK 0 --symmetry mirror", "is not a symmetry"),
        ("enumerate KvK --stage some", "is not a stage"),
        ("enumerate KvK --side red", "expected white or black"),
        ("board --numbering x", "is not a numbering"),
        ("nonsense", "unrecognized subcommand"),
        ("estimate", "required arguments"),
        ("estimate KQKR", "one 'v'"),
        ("verify x --backend abacus", "is not a backend"),
        ("fairy classify N --json --svg -", "--svg - and --json"),
        ("fairy distances N --json --svg -", "--svg - and --json"),
        ("fairy mate N --json --svg -", "--svg - and --json"),
        ("fairy census --mates --json --svg -", "--svg - and --json"),
        // The message points at the fault of a notation.
        ("fairy classify ffXN", "  ffXN\n    ^"),
        ("fairy mate WD --svg - --standing e4,e4", "both stand on e4"),
        ("fairy classify fR", "R goes beyond the 5x5 range"),
        ("fairy classify 0x12g", "  0x12g\n      ^"),
        ("fairy classify 02,25", "  02,25\n     ^"),
        ("fairy classify N --board 17x16", "17x16"),
        (
            "fairy distances N --from i9",
            "\"i9\" is not a square of the 8x8 board",
        ),
        (
            "fairy list --filter free,boundd",
            "\n  free,boundd\n       ^",
        ),
        ("fairy mate WD --svg - --standing c3", "c3"),
        ("fairy mate WD --svg - --standing c3,i9", "i9"),
        // The histogram is one of mates.
        ("fairy census --svg x.svg", "--mates"),
        // Measurements that can't be made.
        ("bench --pieces 6 --word 32", "1 to 5 pieces"),
        ("bench --memory 99999999 --seconds 0", "the buffers take"),
        ("bench --memory 17592186044416", "expected a number of MiB"),
        ("bench --memory 0", "expected a number of MiB"),
        ("bench --seconds=-1", "expected a number of seconds"),
        ("bench --seconds=NaN", "expected a number of seconds"),
        ("bench --seconds=1e30", "expected a number of seconds"),
        ("bench --seconds=x", "expected a number of seconds"),
    ] {
        says(run(line).failure(2), &[expected]);
    }
}

#[test]
fn every_command_has_an_example_in_its_help() {
    let names = commands("");
    assert!(names.len() >= 12, "{names:?}");
    let fairy = commands("fairy").into_iter();
    let fairy = fairy.map(|name| format!("fairy {name}"));
    for command in names.into_iter().chain(fairy) {
        let help = stdout(&format!("{command} --help"));
        says(&help, &[&format!("tbindex {command}"), "Example"]);
        // An interactive shell takes ! in quotes alone.
        let examples = help.lines().filter(|line| line.starts_with("  tbindex"));
        let mut bare = examples.flat_map(|line| line.split('\'').step_by(2));
        assert!(!bare.any(|part| part.contains('!')), "{help}");
    }
    for command in ["transform", "squares", "index", "decode"] {
        let help = stdout(&format!("{command} --help"));
        says(help.replace('\n', " "), &["first or last rank"]);
    }
}

#[test]
fn estimates_are_the_known_sizes() {
    let one = &json("estimate KQRvKR")["materials"][0];
    let slots = |row: &Value, scheme: &str| row["schemes"][scheme]["slots"].as_u64().unwrap();
    assert_eq!(one["material"], "KQRvKR");
    assert_eq!(slots(one, "orbit"), 134_225_920);
    assert_eq!(one["exact"], one["schemes"]["compact_exact"]["slots"]);
    assert_eq!(one["schemes"]["kings"]["bytes_2_bits"], 462 << 16);
    assert_eq!(one["schemes"]["compact_exact"]["overhead"], 0.0);

    // More than 64 bits can count.
    let thirteen = &json("estimate KQQRBNPvKQRBNP")["materials"][0];
    let large = thirteen["schemes"]["orbit"]["slots"].as_str().unwrap();
    assert_eq!(large, (1u128 << 77).to_string());
    says(stdout("estimate KQRvKR"), &["121 110 528"]);
}

/// One answer and several have the same shape.
#[test]
fn answers_in_json_are_always_arrays() {
    let folder = Folder::new();
    folder.stdout("enumerate KvK --reduce -o out");
    for (line, key, count) in [
        ("canonical KvK 0", "positions", 1),
        ("canonical KvK 0 1", "positions", 2),
        ("find out 0", "indices", 1),
        ("find out 0 1", "indices", 2),
        ("estimate KQvK", "materials", 1),
        ("estimate KQvK KRvK", "materials", 2),
    ] {
        let answer = folder.json(line);
        assert_eq!(answer[key].as_array().unwrap().len(), count, "{line}");
    }
}
