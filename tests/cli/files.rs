//! The commands that write and read index files, as a user meets them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::program::{Temp, failure, json, stdout, tbindex, with_input};
use crate::skipped::skipped;

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
fn enumerate_writes_compressed_files_that_hold_the_same() {
    let temp = Temp::new();
    let [plain, compressed] = ["plain.tbi", "compressed.tbi"].map(|name| temp.path(name));
    for (side, more) in [("white", &["--reduce"][..]), ("black", &[])] {
        let args = ["enumerate", "KRvK", "--stage", "legal", "--side", side];
        let to = |path: &str, more: &[&str]| {
            let args = [&args[..], more, &["--force", "-o", path]].concat();
            stdout(&args)
        };
        to(&plain, more);
        to(&compressed, &[more, &["--compress"]].concat());
        stdout(&["verify", &compressed]);
        // The same positions in the same order, in less than half the bytes.
        assert_eq!(
            stdout(&["decode", &compressed]),
            stdout(&["decode", &plain])
        );
        let bytes = |path: &str| fs::metadata(path).unwrap().len();
        assert!(2 * bytes(&compressed) < bytes(&plain), "{side}");
        let info = json(&["info", &compressed, "--json"]);
        assert_eq!(info["count"], json(&["info", &plain, "--json"])["count"]);
    }
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
        ("8/8/2K5/1R6/8/8/8/2kq4 w - -", &[], "--swap-colors"),
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
        "--swap-colors",
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
        skipped(
            "published_positions_are_all_taken_in_exactly_once",
            &format!("no {}", folder.display()),
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
                "--swap-colors",
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
fn verify_says_in_json_what_is_wrong_and_where() {
    let temp = Temp::new();
    let (good, bad) = (temp.path("good.tbi"), temp.path("bad.tbi"));
    stdout(&["enumerate", "KQvK", "-o", &good]);
    let bytes = fs::read(&good).unwrap();
    for (at, place) in [
        (
            5000,
            json_of(r#"{"part":"block","block":0,"start":256,"end":1048832}"#),
        ),
        (
            20,
            json_of(r#"{"part":"header","block":null,"start":0,"end":256}"#),
        ),
        (bytes.len() - 1, json_of(r#"{"part":"table","block":null}"#)),
        (0, json_of(r#"{"part":"header","start":null}"#)),
    ] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        fs::write(&bad, damaged).unwrap();
        let output = tbindex(&["verify", &bad, "--json"]);
        assert_eq!(output.status.code(), Some(1));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["ok"], false);
        assert_eq!(report["file"], bad);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            errors.trim(),
            format!("tbindex: {}", report["error"].as_str().unwrap())
        );
        for (key, value) in place.as_object().unwrap() {
            assert_eq!(&report[key], value, "{key}: {report}");
        }
    }
    let missing = tbindex(&["verify", &temp.path("none"), "--json"]);
    let report: Value = serde_json::from_slice(&missing.stdout).unwrap();
    assert_eq!(
        (&report["ok"], missing.status.code()),
        (&Value::from(false), Some(1))
    );
    assert_eq!(json(&["verify", &good, "--json"])["ok"], true);
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn what_the_system_says_is_printed_once() {
    let temp = Temp::new();
    let good = temp.path("good.tbi");
    stdout(&["enumerate", "KvK", "-o", &good]);
    let nowhere = temp.path("none/x.tbi");
    for args in [
        vec!["verify", &nowhere],
        vec!["info", &nowhere],
        vec!["reduce", &nowhere, "-o", &good, "--force"],
        vec!["reduce", &good, "-o", &nowhere],
        vec![
            "reduce", &good, "-o", &good, "--force", "--temp", &nowhere, "--method", "sort",
        ],
        vec!["enumerate", "KvK", "-o", &nowhere],
        vec!["encode", "KvK", &nowhere, "-o", &good, "--force"],
        vec!["union", &good, "-o", &nowhere],
        vec!["fairy", "distances", "01,10", "--svg", &nowhere],
    ] {
        let output = tbindex(&args);
        if args.contains(&"--temp") && output.status.success() {
            // So little is sorted without temporary files.
            continue;
        }
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {errors}");
        assert!(errors.contains("none"), "{errors}");
        assert_eq!(
            errors.matches("No such file or directory").count(),
            1,
            "{errors}"
        );
    }
}
