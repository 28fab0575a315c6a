//! The command line as a user meets it: results, exit statuses, error messages.

use serde_json::Value;

use crate::program::{Temp, failure, json, stdout};

#[test]
fn single_indices_are_answered() {
    assert_eq!(stdout(&["index", "KQvKR", "a1,c3,d1,h8"]), "0o270327\n");
    let squares = stdout(&["squares", "KQvKR", "0o270327"]);
    assert_eq!(squares, "a1,c3,d1,h8\n7r/8/8/8/8/2Q5/8/K2k4\n");
    let images = json(&["flip", "KQvKR", "0o270327", "--json"]);
    assert_eq!(images.as_object().unwrap().len(), 8);
    assert_eq!(images["flip_vertical"], "0o77500327");
    assert_eq!(images["flip_diagonal"], "0o3270027");
    let one = stdout(&["flip", "KQvKR", "94423", "--symmetry", "flip_vertical"]);
    assert_eq!(one, "0o77500327\n");
    let canonical = json(&["canonical", "KQvKR", "0o77507450", "--json"]);
    let canonical = &canonical["positions"][0];
    assert_eq!(canonical["canonical"], "0o270327");
    assert_eq!(canonical["symmetry"], "rotate_180");
    assert_eq!(canonical["orbit"], 8);
    let picture = stdout(&["board", "--numbering", "alternate"]);
    assert!(picture.starts_with("8| 64 04 14 24 26 16 06 66\n"));
}

#[test]
fn twenty_one_pieces_work_where_no_file_is_written() {
    let material = format!("K{}vK{}", "Q".repeat(10), "N".repeat(9));
    let squares: Vec<String> = (0..21)
        .map(|k| format!("{}{}", char::from(b'a' + k % 8), 1 + k / 8))
        .collect();
    let index = stdout(&["index", &material, &squares.join(",")]);
    let back = stdout(&["squares", &material, index.trim()]);
    assert_eq!(back.lines().next().unwrap(), squares.join(","));
    let flipped = stdout(&["flip", &material, index.trim(), "--symmetry", "rotate_90"]);
    let again = stdout(&[
        "flip",
        &material,
        flipped.trim(),
        "--symmetry",
        "rotate_270",
    ]);
    assert_eq!(again, index);
    stdout(&["canonical", &material, index.trim(), flipped.trim()]);
    let temp = Temp::new();
    for args in [
        vec!["enumerate", &material, "-o", &temp.path("x")],
        vec!["encode", &material, "-", "-o", &temp.path("x")],
    ] {
        let (status, message) = failure(&args);
        assert_eq!(status, 2, "{message}");
        assert!(
            message.contains("21 pieces") && message.contains("at most 10"),
            "{message}"
        );
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[test]
fn wrong_calls_exit_with_2_and_say_what_was_expected() {
    for (args, expected) in [
        (vec!["index", "KQKR", "a1,b1"], "one 'v'"),
        (
            vec!["index", "KQvKR", "a1,c3,d1"],
            "3 squares for the 4 pieces",
        ),
        (
            vec!["index", "KQvKR", "a1,c3,d1,i8"],
            "\"i8\" is not a square",
        ),
        (vec!["squares", "KvK", "0o10000"], "out of range"),
        (vec!["squares", "KvK", "0o18"], "expected an index"),
        (vec!["squares", "KvK", "-1"], "unexpected argument"),
        (
            vec!["flip", "KvK", "0", "--symmetry", "mirror"],
            "is not a symmetry",
        ),
        (
            vec!["enumerate", "KvK", "--stage", "some"],
            "is not a stage",
        ),
        (
            vec!["enumerate", "KvK", "--side", "red"],
            "expected white or black",
        ),
        (vec!["board", "--numbering", "x"], "is not a numbering"),
        (vec!["nonsense"], "unrecognized subcommand"),
    ] {
        let (status, message) = failure(&args);
        assert_eq!(status, 2, "{args:?}: {message}");
        assert!(message.contains(expected), "{args:?}: {message}");
    }
}

#[test]
fn every_command_has_an_example_in_its_help() {
    let help = stdout(&["--help"]);
    let commands = help
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        // Deeper lines are the wrapped tails of descriptions.
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|command| *command != "help");
    let mut seen = 0;
    for command in commands {
        let help = stdout(&[command, "--help"]);
        assert!(help.contains("tbindex "), "{command}");
        assert!(help.contains("Example"), "{command}");
        seen += 1;
    }
    assert!(seen >= 12, "{seen} commands");
}

#[test]
fn estimates_are_the_known_sizes() {
    let one = &json(&["estimate", "KQRvKR", "--json"])["materials"][0];
    let slots = |row: &Value, scheme: &str| row["schemes"][scheme]["slots"].as_u64().unwrap();
    assert_eq!(one["material"], "KQRvKR");
    assert_eq!(slots(one, "orbit"), 134_225_920);
    assert_eq!(slots(one, "triangle"), 10 << 24);
    assert_eq!(slots(one, "kings"), 462 << 18);
    assert_eq!(slots(one, "compact_both"), 462 * 62 * 61 * 60);
    assert_eq!(one["exact"], one["schemes"]["compact_exact"]["slots"]);
    assert_eq!(one["schemes"]["kings"]["bytes_2_bits"], 462 << 16);
    assert_eq!(one["schemes"]["compact_exact"]["overhead"], 0.0);

    let two = json(&["estimate", "KRRvK", "KPvKP", "--json"]);
    let rows = two["materials"].as_array().unwrap();
    assert_eq!(slots(&rows[0], "compact_exact"), 854_238);
    assert_eq!(slots(&rows[0], "compact_distinct"), 953_666);
    assert_eq!(slots(&rows[0], "compact_all"), 1_065_984);
    assert_eq!(slots(&rows[1], "compact_exact"), 3_824_744);

    // Ten pieces, and more than 64 bits can count.
    let ten = &json(&["estimate", "KQRBNvKQRBN", "--json"])["materials"][0];
    assert_eq!(slots(ten, "orbit"), (1 << 57) + (1 << 28));
    let thirteen = &json(&["estimate", "KQQRBNPvKQRBNP", "--json"])["materials"][0];
    let large = thirteen["schemes"]["orbit"]["slots"].as_str().unwrap();
    assert_eq!(large, (1u128 << 77).to_string());
    let text = stdout(&["estimate", "KQRvKR"]);
    assert!(text.contains("121 110 528"), "{text}");
    assert_eq!(failure(&["estimate"]).0, 2);
    assert_eq!(failure(&["estimate", "KQKR"]).0, 2);
}
