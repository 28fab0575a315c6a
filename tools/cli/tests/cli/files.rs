//! The commands that write and read index files, as a user meets them.

use serde_json::{Value, json};

use crate::program::Folder;
use crate::support::checksums::forged;
use crate::support::says::says;

#[test]
fn enumerate_counts_stages_and_writes_what_it_counts() {
    let folder = Folder::new();
    let counts = folder.json("enumerate KRvK --stage legal --side white --reduce -o out");
    let found = ["all", "distinct", "kings_apart", "legal", "count"].map(|key| &counts[key]);
    let known = json!([32_896, 31_332, 28_056, 21_959, 21_959]);
    assert_eq!(json!(found), known);
    assert_eq!(folder.json("info out")["count"], 21_959);
    folder.stdout("verify out");
    let raw = folder.json("enumerate KRvK --stage distinct");
    assert_eq!(raw["all"], 64 * 64 * 64);
    assert_eq!(raw["distinct"], 64 * 63 * 62);
    assert_eq!(raw.get("legal"), None);
    // Reducing the raw placements is another way to the same file, on any backend.
    folder.stdout("enumerate KRvK --stage legal -o raw");
    for backend in tbindex::batch::Backend::available() {
        let how = format!("--backend {backend}");
        folder.stdout(&format!("reduce raw -o reduced --force {how}"));
        folder.stdout(&format!("verify reduced {how}"));
        assert_eq!(folder.read("reduced"), folder.read("out"), "{backend}");
    }
    // Existing files stay unless told otherwise.
    let refused = folder.run("enumerate KRvK -o out").failure(1);
    says(refused, &["out: ", "--force"]);
    assert_eq!(folder.read("reduced"), folder.read("out"));
}

#[test]
fn enumerate_writes_compressed_files_that_hold_the_same() {
    let folder = Folder::new();
    for how in ["white --reduce", "black"] {
        let line = format!("enumerate KRvK --stage legal --force --side {how} -o");
        folder.stdout(&format!("{line} plain"));
        folder.stdout(&format!("{line} compressed --compress"));
        folder.stdout("verify compressed");
        // The same positions in the same order, in less than half the bytes.
        let decoded = folder.stdout("decode compressed");
        assert_eq!(decoded, folder.stdout("decode plain"));
        let [small, large] = ["compressed", "plain"].map(|name| folder.read(name).len());
        assert!(2 * small < large, "{how}");
        let info = folder.json("info compressed");
        assert_eq!(info["count"], folder.json("info plain")["count"]);
    }
}

#[test]
fn a_set_comes_back_from_the_other_numbering() {
    let folder = Folder::new();
    folder.stdout("enumerate KRRvK --stage legal --reduce -o natural");
    folder.stdout("convert natural -o alternate --numbering alternate");
    folder.stdout("verify alternate");
    assert_eq!(folder.json("info alternate")["numbering"], "alternate");
    // An index that is canonical in one numbering need not be in the other; reduced, they agree.
    folder.stdout("reduce alternate -o again --numbering natural");
    assert_eq!(folder.read("again"), folder.read("natural"));
}

#[test]
fn decode_prints_what_encode_reads_back() {
    let folder = Folder::new();
    for (material, numbering, more) in [
        ("KRRvK", "natural", "--reduce"),
        ("KQvK", "natural", ""),
        ("KPvK", "alternate", "--reduce"),
    ] {
        let how = format!("--side black --numbering {numbering} --force");
        let enumerate = format!("enumerate {material} --stage legal -o first");
        folder.stdout(&format!("{enumerate} {more} {how}"));
        let lines = folder.stdout("decode first");
        let encode = format!("encode {material} - -o second {how}");
        folder.with_input(&encode, &lines).success();
        assert_eq!(folder.stdout("decode second"), lines);
        assert!(folder.read("first") == folder.read("second"), "{material}");
    }
}

#[test]
fn encode_refuses_what_does_not_fit_and_names_the_line() {
    let folder = Folder::new();
    let good = "8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1\n";
    for (line, options, expected) in [
        (
            "8/8/8/8/8/8/8/K1k5 w - -",
            "",
            "the material is KvK: expected KQvKR",
        ),
        ("8/8/2K5/1R6/8/8/8/2kq4 w - -", "", "--swap-colors"),
        (
            "8/8/2k5/1r6/8/8/8/2KQ4 w - -",
            "--side black",
            "expected black",
        ),
        ("4k2r/8/8/8/8/8/8/K2Q4 b k -", "", "castling rights"),
        (
            "8/8/2k5/1r6/8/8/8/2KQ4 b - e3",
            "--rights refuse",
            "expected none",
        ),
        ("8/8/2k5/1r6/8/8/2KQ4 b - -", "", "7 ranks"),
        ("8/8/2k5/1r6/8/8/8/2KQ4", "", "side to move"),
        ("8/8/2k5/1r6/8/8/8/2KQ3x b - -", "", "'x'"),
    ] {
        let input = format!("# comment\n\n{good}{line}\n");
        let encode = format!("encode KQvKR - -o out {options}");
        let refused = folder.with_input(&encode, &input).failure(1);
        says(refused, &["line 4", expected]);
        assert_eq!(folder.names(), [""; 0], "nothing half-written stays");
    }
}

#[test]
fn encode_takes_what_it_is_told_to_take() {
    let folder = Folder::new();
    let input = "8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1\n\
                 # a comment\n\
                 8/8/2K5/1R6/8/8/8/2kq4 w - - dm 3;\n\
                 8/8/8/8/8/8/8/K1k5 w - -\n\
                 8/8/2k5/1r6/8/8/8/2KQ4 b - e3\n\
                 8/8/2k5/1r6/8/8/8/2KQ4 w - -\n\
                 8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1\n";
    let line = "encode KQvKR - -o out --side black --skip-other --rights drop --swap-colors";
    let counts = folder.with_input(&format!("{line} --json"), input).json();
    assert_eq!(counts["count"], 4, "repetitions stay");
    assert_eq!(counts["turned_round"], 1);
    assert_eq!(counts["with_rights"], 1);
    assert_eq!(counts["skipped"], 2);
    // Lines may end in other ways.
    let other = input.replace('\n', "\r").replacen("8/8", "\u{feff}8/8", 1);
    let line_of_other = line.replace("out", "other");
    let of_other = folder
        .with_input(&format!("{line_of_other} --json"), &other)
        .json();
    assert_eq!(of_other, counts);
    // Rights that can't be are dropped by default.
    let line = line.replace("out", "kept").replace("drop", "keep");
    let kept = folder.with_input(&format!("{line} --json"), input).json();
    assert_eq!(kept, counts);
    let lines = folder.stdout("decode out");
    let expected = "8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1";
    let turned = "2KQ4/8/8/8/1r6/2k5/8/8 b - - 0 1";
    assert!(lines.lines().eq([expected, turned, expected, expected]));
}

#[test]
fn lines_of_the_other_side_fit_when_they_are_turned_round() {
    let folder = Folder::new();
    let lines = "8/8/8/8/8/1q6/1Q6/K6k w - -\n8/8/8/8/8/1q6/1Q6/K6k b - -\n";
    let encode = "encode KQvKQ - -o out --side white";
    let refused = folder.with_input(encode, lines).failure(1);
    says(refused, &["give --swap-colors"]);
    let swapped = format!("{encode} --swap-colours --json");
    let counts = folder.with_input(&swapped, lines).json();
    assert_eq!(counts["count"], 2);
    assert_eq!(counts["turned_round"], 1);
    let decoded = folder.stdout("decode out");
    let turned = "k6K/1q6/1Q6/8/8/8/8/8 w - - 0 1";
    assert_eq!(decoded.lines().nth(1), Some(turned));
}

#[test]
fn missing_and_foreign_files_are_data_errors() {
    let folder = Folder::new();
    folder.write("text", "[package]\n");
    for command in ["info", "verify", "decode"] {
        let missing = folder.run(&format!("{command} missing.tbi")).failure(1);
        says(missing, &["missing.tbi"]);
        let foreign = folder.run(&format!("{command} text")).failure(1);
        says(foreign, &["text: ", "not an index file"]);
    }
}

#[test]
fn verify_says_in_json_what_is_wrong_and_where() {
    let folder = Folder::new();
    folder.stdout("enumerate KQvK -o good");
    let bytes = folder.read("good");
    for (at, place) in [
        (
            5000,
            json!({"part": "block", "block": 0, "start": 256, "end": 1_048_832}),
        ),
        (
            20,
            json!({"part": "header", "block": null, "start": 0, "end": 256}),
        ),
        (bytes.len() - 1, json!({"part": "table", "block": null})),
        (0, json!({"part": "header", "start": 0, "end": 8})),
    ] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        folder.write("bad", damaged);
        let ended = folder.run("verify bad --json");
        assert_eq!(ended.status.code(), Some(1));
        let report: Value = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!(report["ok"], false);
        assert_eq!(report["file"], "bad");
        let message = format!("tbindex: {}\n", report["error"].as_str().unwrap());
        assert_eq!(ended.errors, message);
        says(message, &["bad: "]);
        for (key, value) in place.as_object().unwrap() {
            assert_eq!(&report[key], value, "{key}: {report}");
        }
    }
    let missing = folder.run("verify none --json");
    let report: Value = serde_json::from_str(&missing.stdout).unwrap();
    assert_eq!(report["ok"], false);
    assert_eq!(missing.status.code(), Some(1));
    assert_eq!(folder.json("verify good")["ok"], true);
}

#[test]
fn what_the_system_says_is_printed_once() {
    let folder = Folder::new();
    folder.stdout("enumerate KvK -o good");
    for line in [
        "verify none/x",
        "info none/x",
        "reduce none/x -o good --force",
        "reduce good -o none/x",
        "enumerate KvK -o none/x",
        "encode KvK none/x -o good --force",
        "union good -o none/x",
        "fairy distances 01,10 --svg none/x",
    ] {
        let errors = folder.run(line).failure(1);
        says(&errors, &["none"]);
        let times = errors.matches("No such file or directory").count();
        assert_eq!(times, 1, "{errors}");
    }
}

#[test]
fn messages_are_not_among_the_results() {
    let folder = Folder::new();
    let line = "8/8/8/8/8/8/1Q6/K6k b - -\n";
    let encoded = folder.with_input("encode KQvK - -o first", line);
    assert_eq!(encoded.stdout, "");
    says(encoded.errors, &["wrote 1 index to "]);
    for (line, expected) in [
        ("reduce first -o second", "reduced 1 index to 1 in "),
        ("union first first -o second", "of 2 indices in 2 files"),
        ("union second -o first", "union of 1 index in 1 file: "),
        (
            "transform first -o second --symmetry rotate_90",
            "wrote 1 index to ",
        ),
    ] {
        let ended = folder.run(&format!("{line} --force"));
        assert_eq!(ended.stdout, "", "{line}");
        says(ended.errors, &[expected]);
    }
    let shared = folder.run("squares KvK 0");
    assert_eq!(shared.stdout, "a1,a1\n");
    says(shared.errors, &["no FEN of it"]);
    let diagram = folder.with_input("fairy classify -", "xx").errors;
    assert_eq!(diagram.matches("a diagram has 5 rows").count(), 1);
}

#[test]
fn a_false_claim_does_not_go_into_another_file() {
    const CANONICAL: u8 = 1;
    const SORTED_AND_DISTINCT: u8 = 6;
    let folder = Folder::new();
    // A copy of a file whose header claims more.
    let claim = |from: &str, flags: u8| {
        let bytes = folder.read(from);
        folder.write("crafted", forged(&bytes, 15, &[bytes[15] | flags]));
    };
    for (name, more) in [
        ("plain", ""),
        ("compact", "--compress"),
        ("good", "--reduce"),
    ] {
        folder.stdout(&format!("enumerate KRvK --stage legal -o {name} {more}"));
    }
    folder.stdout("transform good -o turned --symmetry rotate_90");
    let line = "8/8/8/8/8/8/1R6/K6k w - -\n";
    let encode = "encode KRvK - -o twice --side white";
    folder.with_input(encode, &line.repeat(2)).success();

    for (from, flags, fault) in [
        ("plain", CANONICAL, "is not canonical"),
        ("compact", CANONICAL, "is not canonical"),
        ("turned", CANONICAL, "is not canonical"),
        ("turned", SORTED_AND_DISTINCT, "comes after"),
        ("twice", SORTED_AND_DISTINCT, "comes after"),
    ] {
        claim(from, flags);
        let sorted = from != "turned" || flags == SORTED_AND_DISTINCT;
        for (line, relies_on_it) in [
            ("union crafted good", sorted),
            ("union crafted crafted --compress", sorted),
            ("difference crafted good", sorted),
            ("intersect plain crafted", sorted),
            // These are right whatever the file claims of its order.
            ("reduce crafted", false),
            ("convert crafted --numbering natural", false),
            ("convert crafted --numbering alternate", false),
            ("transform crafted --symmetry identity", false),
        ] {
            let ended = folder.run(&format!("{line} -o out --force"));
            if ended.status.success() {
                assert!(!relies_on_it, "{line} {fault}");
                folder.stdout("verify out");
            } else {
                let unsorted = "does not say that its indices are sorted";
                let is_unsorted = ended.errors.contains(unsorted);
                let reason = if is_unsorted { unsorted } else { fault };
                says(ended.errors, &["crafted: ", reason]);
            }
        }
        if flags == SORTED_AND_DISTINCT && from == "turned" {
            says(folder.run("find crafted 0o777000").failure(1), &[fault]);
        }
    }
    // The indices that both have are canonical.
    claim("plain", CANONICAL);
    folder.stdout("intersect crafted good -o out --force");
    folder.stdout("verify out");
    assert_eq!(folder.read("out"), folder.read("good"));
}
