//! The command line as a user meets it: results, exit statuses, error messages.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn tbindex(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tbindex"))
        .args(args)
        .output()
        .expect("the program runs")
}

fn stdout(args: &[&str]) -> String {
    let output = tbindex(args);
    assert!(
        output.status.success(),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&stdout(args)).unwrap()
}

/// The exit status and the message of a call that must fail.
fn failure(args: &[&str]) -> (i32, String) {
    let output = tbindex(args);
    assert!(output.stdout.is_empty(), "{args:?} printed a result");
    (
        output.status.code().unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

fn with_input(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tbindex"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}

/// A path in a directory that goes away with the test.
struct Temp(tempfile::TempDir);

impl Temp {
    fn new() -> Temp {
        Temp(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }
}

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
fn enumerate_counts_stages_and_writes_what_it_counts() {
    let temp = Temp::new();
    let out = temp.path("KRvK.tbi");
    let counts = json(&[
        "enumerate",
        "KRvK",
        "--stage",
        "legal",
        "--side",
        "white",
        "--reduce",
        "--json",
        "-o",
        &out,
    ]);
    for (key, count) in [
        ("all", 32_896),
        ("distinct", 31_332),
        ("kings_apart", 28_056),
        ("legal", 21_959),
        ("count", 21_959),
    ] {
        assert_eq!(counts[key], count, "{key}");
    }
    assert_eq!(json(&["info", &out, "--json"])["count"], 21_959);
    stdout(&["verify", &out]);
    let raw = json(&["enumerate", "KRvK", "--stage", "distinct", "--json"]);
    assert_eq!(raw["all"], 64 * 64 * 64);
    assert_eq!(raw["distinct"], 64 * 63 * 62);
    assert_eq!(raw.get("legal"), None);
    // Reducing the raw placements is another way to the same file.
    let raw = temp.path("raw.tbi");
    let reduced = temp.path("reduced.tbi");
    stdout(&["enumerate", "KRvK", "--stage", "legal", "-o", &raw]);
    stdout(&["reduce", &raw, "-o", &reduced]);
    assert_eq!(fs::read(&reduced).unwrap(), fs::read(&out).unwrap());
    // Existing files stay unless told otherwise.
    let (status, message) = failure(&["enumerate", "KRvK", "-o", &out]);
    assert_eq!(status, 1);
    assert!(
        message.contains("KRvK.tbi") && message.contains("--force"),
        "{message}"
    );
    assert_eq!(fs::read(&reduced).unwrap(), fs::read(&out).unwrap());
}

#[test]
fn numberings_convert_there_and_back() {
    let temp = Temp::new();
    let natural = temp.path("n.tbi");
    let alternate = temp.path("a.tbi");
    let back = temp.path("b.tbi");
    let args = ["enumerate", "KRRvK", "--stage", "legal", "--reduce"];
    stdout(&[&args[..], &["-o", &natural]].concat());
    stdout(&[
        "convert",
        &natural,
        "-o",
        &alternate,
        "--numbering",
        "alternate",
    ]);
    stdout(&["verify", &alternate]);
    assert_eq!(
        json(&["info", &alternate, "--json"])["numbering"],
        "alternate"
    );
    stdout(&["convert", &alternate, "-o", &back, "--numbering", "natural"]);
    let sorted = |file: &str| -> Vec<String> {
        let text = stdout(&["decode", file]);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&natural), sorted(&alternate));
    assert_eq!(sorted(&natural), sorted(&back));
    // What is canonical in one numbering need not be in the other; reduced, they agree.
    let again = temp.path("again.tbi");
    stdout(&["reduce", &alternate, "-o", &again, "--numbering", "natural"]);
    assert_eq!(fs::read(&again).unwrap(), fs::read(&natural).unwrap());
}

#[test]
fn decode_prints_what_encode_reads_back() {
    let temp = Temp::new();
    for (material, extra) in [
        ("KRRvK", &["--reduce"][..]),
        ("KQvK", &[]),
        ("KPvK", &["--reduce", "--numbering", "alternate"]),
    ] {
        let first = temp.path(&format!("{material}-1.tbi"));
        let second = temp.path(&format!("{material}-2.tbi"));
        let args = [
            "enumerate",
            material,
            "--stage",
            "legal",
            "--side",
            "black",
            "-o",
            &first,
        ];
        stdout(&[&args[..], extra].concat());
        let lines = stdout(&["decode", &first]);
        let numbering = if extra.len() > 1 {
            "alternate"
        } else {
            "natural"
        };
        let args = [
            "encode",
            material,
            "-",
            "-o",
            &second,
            "--side",
            "black",
            "--numbering",
            numbering,
        ];
        let output = with_input(&args, &lines);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert_eq!(stdout(&["decode", &second]), lines);
        assert!(
            fs::read(first).unwrap() == fs::read(second).unwrap(),
            "{material}"
        );
    }
}

#[test]
fn encode_refuses_what_does_not_fit_and_names_the_line() {
    let temp = Temp::new();
    let out = temp.path("x.tbi");
    let good = "8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1\n";
    for (line, options, expected) in [
        (
            "8/8/8/8/8/8/8/K1k5 w - -",
            &[][..],
            "the material is KvK: expected KQvKR",
        ),
        ("8/8/2K5/1R6/8/8/8/2kq4 w - -", &[], "--swap-colours"),
        (
            "8/8/2k5/1r6/8/8/8/2KQ4 w - -",
            &["--side", "black"],
            "expected black",
        ),
        ("8/8/2k5/1r6/8/8/8/2KQ4 b K -", &[], "castling rights"),
        ("8/8/2k5/1r6/8/8/8/2KQ4 b - e3", &[], "en-passant square"),
        ("8/8/2k5/1r6/8/8/2KQ4 b - -", &[], "7 ranks"),
        ("8/8/2k5/1r6/8/8/8/2KQ4", &[], "side to move"),
        ("8/8/2k5/1r6/8/8/8/2KQ3x b - -", &[], "'x'"),
    ] {
        let input = format!("# comment\n\n{good}{line}\n");
        let args = [&["encode", "KQvKR", "-", "-o", &out][..], options].concat();
        let output = with_input(&args, &input);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{line}: {message}");
        assert!(
            message.contains("line 4") && message.contains(expected),
            "{line}: {message}"
        );
        assert!(!Path::new(&out).exists(), "nothing half-written stays");
        assert_eq!(
            fs::read_dir(temp.0.path()).unwrap().count(),
            0,
            "no rubbish stays"
        );
    }
}

#[test]
fn encode_takes_what_it_is_told_to_take() {
    let temp = Temp::new();
    let out = temp.path("x.tbi");
    let input = "8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1\n\
                 # a comment\n\
                 8/8/2K5/1R6/8/8/8/2kq4 w - - dm 3;\n\
                 8/8/8/8/8/8/8/K1k5 w - -\n\
                 8/8/2k5/1r6/8/8/8/2KQ4 b - e3\n\
                 8/8/2k5/1r6/8/8/8/2KQ4 w - -\n\
                 8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1\n";
    let args = [
        "encode",
        "KQvKR",
        "-",
        "-o",
        &out,
        "--side",
        "black",
        "--skip-other",
        "--allow-rights",
        "--swap-colours",
        "--json",
    ];
    let output = with_input(&args, input);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let counts: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(counts["count"], 4, "repetitions stay");
    assert_eq!(counts["turned_round"], 1);
    assert_eq!(counts["with_rights"], 1);
    assert_eq!(counts["skipped"], 2);
    let lines = stdout(&["decode", &out]);
    let expected = "8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1";
    let turned = "2KQ4/8/8/8/1r6/2k5/8/8 b - - 0 1";
    assert_eq!(
        lines.lines().collect::<Vec<_>>(),
        [expected, turned, expected, expected]
    );
}

/// Every line of real collections is taken in exactly once over all materials, and comes back.
#[test]
fn published_positions_are_all_taken_in_exactly_once() {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/epd"));
    if !folder.exists() {
        // Not `eprintln!`, which the test harness swallows.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED published_positions_are_all_taken_in_exactly_once: no {}",
            folder.display()
        );
        return;
    }
    for (name, known) in [("endgame.epd", 200), ("endgame-dm-4.epd", 48)] {
        let path = folder.join(name);
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .collect();
        assert_eq!(lines.len(), known, "{name}");
        // Materials by the letters on the board, each with its twin under one name.
        let mut by_material: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for line in &lines {
            let placement = line.split(' ').next().unwrap();
            let own = material_of(placement);
            let (white, black) = own.split_once('v').unwrap();
            let twin = format!("{black}v{white}");
            // The placement as it is kept: turned round where the name is the twin's.
            let kept = if own <= twin {
                placement.to_owned()
            } else {
                turned_round(placement)
            };
            by_material.entry(own.min(twin)).or_default().push(kept);
        }
        let temp = Temp::new();
        let mut taken = 0;
        for (material, expected) in &by_material {
            let out = temp.path(material);
            let counts = json(&[
                "encode",
                material,
                path.to_str().unwrap(),
                "-o",
                &out,
                "--skip-other",
                "--swap-colours",
                "--allow-rights",
                "--json",
            ]);
            taken += counts["count"].as_u64().unwrap();
            let decoded = stdout(&["decode", &out]);
            let placements: Vec<&str> = decoded
                .lines()
                .map(|l| l.split(' ').next().unwrap())
                .collect();
            assert_eq!(&placements, expected, "{name} {material}");
        }
        assert_eq!(taken, known as u64, "{name}");
    }
}

fn material_of(placement: &str) -> String {
    let letters = |side: fn(&char) -> bool| {
        let mut letters: Vec<char> = placement.chars().filter(side).collect();
        letters.sort_by_key(|c| "KQRBNP".find(c.to_ascii_uppercase()));
        letters.into_iter().collect::<String>().to_uppercase()
    };
    let white = letters(char::is_ascii_uppercase);
    let black = letters(char::is_ascii_lowercase);
    format!("{white}v{black}")
}

fn turned_round(placement: &str) -> String {
    let swap = |c: char| match c.is_ascii_uppercase() {
        true => c.to_ascii_lowercase(),
        false => c.to_ascii_uppercase(),
    };
    let ranks: Vec<String> = placement
        .split('/')
        .rev()
        .map(|r| r.chars().map(swap).collect())
        .collect();
    ranks.join("/")
}

#[test]
fn damaged_and_missing_files_are_data_errors() {
    let temp = Temp::new();
    let out = temp.path("x.tbi");
    stdout(&["enumerate", "KvK", "--reduce", "-o", &out]);
    let mut bytes = fs::read(&out).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let damaged = temp.path("damaged.tbi");
    fs::write(&damaged, &bytes).unwrap();
    let (status, message) = failure(&["verify", &damaged]);
    assert_eq!(status, 1);
    assert!(
        message.contains("damaged.tbi") && message.contains("checksum"),
        "{message}"
    );
    for command in ["info", "verify", "decode"] {
        let (status, message) = failure(&[command, &temp.path("missing.tbi")]);
        assert_eq!(status, 1);
        assert!(message.contains("missing.tbi"), "{message}");
        let (status, message) =
            failure(&[command, concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")]);
        assert_eq!(status, 1);
        assert!(
            message.contains("Cargo.toml") && message.contains("not an index file"),
            "{message}"
        );
    }
}

#[test]
fn estimates_are_the_known_sizes() {
    let one = json(&["estimate", "KQRvKR", "--json"]);
    let slots = |row: &Value, scheme: &str| row["schemes"][scheme]["slots"].as_u64().unwrap();
    assert_eq!(one["material"], "KQRvKR");
    assert_eq!(slots(&one, "orbit"), 134_225_920);
    assert_eq!(slots(&one, "triangle"), 10 << 24);
    assert_eq!(slots(&one, "kings"), 462 << 18);
    assert_eq!(slots(&one, "compact_both"), 462 * 62 * 61 * 60);
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
    let ten = json(&["estimate", "KQRBNvKQRBN", "--json"]);
    assert_eq!(slots(&ten, "orbit"), (1 << 57) + (1 << 28));
    let thirteen = json(&["estimate", "KQQRBNPvKQRBNP", "--json"]);
    let large = thirteen["schemes"]["orbit"]["slots"].as_str().unwrap();
    assert_eq!(large, (1u128 << 77).to_string());
    let text = stdout(&["estimate", "KQRvKR"]);
    assert!(text.contains("121 110 528"), "{text}");
    assert_eq!(failure(&["estimate"]).0, 2);
    assert_eq!(failure(&["estimate", "KQKR"]).0, 2);
}
