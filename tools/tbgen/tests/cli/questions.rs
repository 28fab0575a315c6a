//! Queries and helpmates on the command line.

use std::path::Path;

use crate::{fail, folder, json, names, succeed};

#[test]
fn queries_are_counted_and_listed_from_files_and_without() {
    let (_folder, folder) = &folder();
    succeed(&["generate", "KPvK", "--metric", "dtm", "-o", folder]);
    let counts = |more: &[&str]| {
        let call = ["mine", "KPvK", "--find", "zugzwang", "--metric", "dtm"];
        json(&[&call[..], &["--format", "json"], more].concat())
    };
    let counted = counts(&[]);
    assert_eq!(counted["white"]["draws"], counted["placements"]);
    assert_eq!(counted["black"]["losses"], counted["placements"]);
    assert_eq!(counts(&["--tables", folder]), counted, "from files");
    let lists = |limit: &[&str]| {
        let call = ["mine", "KPvK", "--find", "zugzwang and black to move"];
        let more = ["--metric", "dtm", "--format", "epd", "--longest"];
        succeed(&[&call[..], &more, limit].concat())
    };
    let all = lists(&[]);
    assert_eq!(
        Some(all.lines().count() as u64),
        counted["placements"].as_u64()
    );
    let first: Vec<&str> = all.lines().take(3).collect();
    assert_eq!(lists(&["--limit", "3"]).lines().collect::<Vec<_>>(), first);
    fail(&["mine", "KPvK", "--find", "win and wins"], 2, "column 9");
}

#[test]
fn helpmates_are_made_and_solved_and_say_who_can_mate() {
    let (_folder, folder) = &folder();
    succeed(&["generate", "KQvK", "--metric", "help", "-o", folder]);
    let mut made = names(Path::new(folder));
    made.sort();
    assert_eq!(made, ["KQvK.tbhb", "KQvK.tbhw"]);
    let fen = "8/8/7k/6Q1/8/8/8/K7 b - - 0 1";
    let solved = succeed(&["help", fen, "6"]);
    assert!(solved.contains("1 solution\n") && solved.trim_end().ends_with("Qg7#"));
    assert_eq!(succeed(&["help", fen, "6", "--tables", folder]), solved);
    assert!(succeed(&["help", fen, "7"]).contains("cooked"));
    let counted = json(&["stats", &format!("{folder}/KQvK.tbhb"), "--json"]);
    let black = &counted["black"];
    let longest = &black["longest_unique"];
    let shortest = &json(&["help", longest["position"].as_str().unwrap(), "--json"])["help-black"];
    assert_eq!(shortest["plies"], longest["plies"]);
    assert_eq!(shortest["unique"], true);
    let of = |field: &str| -> u64 {
        let plies = black[format!("{field}_in")].as_object().unwrap().values();
        plies.map(|count| count.as_u64().unwrap()).sum()
    };
    assert_eq!(Some(of("unique")), black["unique"].as_u64());
    assert_eq!(Some(of("several")), black["several"].as_u64());
    assert!(succeed(&["verify", folder]).contains("KQvK (help-black): "));
    let packed = &format!("{folder}/packed");
    succeed(&["export", folder, "--packed", packed, "--check"]);
    assert_eq!(succeed(&["help", fen, "6", "--tables", packed]), solved);
    let dead = succeed(&["solve", "8/8/8/3k4/8/8/3KB3/8 w - - 0 1"]);
    assert!(dead.contains("dead"), "{dead}");
}
