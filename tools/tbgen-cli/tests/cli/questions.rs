//! Queries and helpmates on the command line.

use std::path::Path;

use serde_json::{Value, json};
use tbindex::Color;
use tbindex::batch::Backend;
use tbindex::store::IndexFile;

use crate::killed::kill;
use crate::{as_csv, fail, folder, least_memory, names, succeed};

#[test]
fn queries_are_counted_and_listed_from_files_and_without() {
    let (_folder, folder) = &folder();
    succeed!("generate KPvK --metric dtm -o {folder}");
    let counts =
        |more: &str| report!("mine KPvK --find zugzwang --metric dtm --format json {more}");
    let counted = counts("");
    assert_eq!(counted["white"]["draws"], counted["placements"]);
    assert_eq!(counted["black"]["losses"], counted["placements"]);
    let from_files = counts(&format!("--tables {folder}"));
    assert_eq!(from_files, counted, "from files");
    let lists = |limit: &str| {
        let call = "mine KPvK --find 'zugzwang and black to move'";
        succeed!("{call} --metric dtm --format epd --longest {limit}")
    };
    let all = lists("");
    assert_eq!(all.lines().count(), counted["placements"]);
    let first: Vec<&str> = all.lines().take(3).collect();
    assert_eq!(lists("--limit 3").lines().collect::<Vec<_>>(), first);
    fail!(2, "column 9", "mine KPvK --find 'win and wins'");
}

/// Runs that are killed, with one slice at a time and with many, go on from the file, and write in the end what one run
/// writes.
#[test]
fn searches_in_slices_go_on_where_they_were_killed() {
    let (_folder, folder) = &folder();
    succeed!("generate KRvK --metric dtm -o {folder}");
    let log = &format!("{folder}/log");
    let find = "only-move and (win or check) or capture-loses";
    let call = format!("mine KRvK --metric dtm --find '{find}' --tables {folder} --threads 1");
    let least = format!("{}M", least_memory(&format!("{call} --memory")));
    for format in ["--format json", "--format epd --longest"] {
        let whole = succeed!("{call} {format}");
        let resumed = format!("{call} {format} --resume {log}");
        for (passes, memory) in [(0, "1G"), (1, &*least), (3, "1G")] {
            let resumed = format!("{resumed} --memory {memory}");
            kill(("tbgen::slices_searched", passes), &resumed);
            assert!(Path::new(log).exists());
        }
        // The part that was not yet whole is cut off.
        let kept = std::fs::read(log).unwrap();
        std::fs::write(log, &kept[..kept.len() - 3]).unwrap();
        let says = "expected a search of KRvK by dtm for";
        fail(1, says, &resumed.replace(find, "win"));
        assert!(succeed(&resumed) == whole, "{format}");
        assert!(!Path::new(log).exists());
    }
    fail!(2, "one material", "mine --all 3 --find win --resume {log}");
}

/// The file of the search still has what was found: run again, the search writes the same, and removes the file.
#[test]
fn a_search_that_is_killed_after_its_result_leaves_nothing_for_good() {
    let (temp, folder) = &folder();
    let call = "mine KRvK --metric dtm --find only-move --format";
    for format in ["csv --longest --limit 20", "json", "tbi"] {
        let whole = &format!("{folder}/whole");
        succeed!("{call} {format} -o {whole} --force");
        let whole = std::fs::read(whole).unwrap();
        let (out, log) = (&format!("{folder}/out"), &format!("{folder}/log"));
        let resumed = format!("{call} {format} --resume {log} -o {out}");
        kill(("tbgen::search_written", 0), &resumed);
        assert!(std::fs::read(out).unwrap() == whole, "{format}");
        assert_eq!(names(temp.path()), ["log", "out", "whole"]);
        // The result stays, too, until it may be replaced.
        fail!(1, "out: the file exists", "{resumed}");
        succeed!("{resumed} --force");
        assert!(std::fs::read(out).unwrap() == whole, "{format}");
        assert_eq!(names(temp.path()), ["out", "whole"]);
        std::fs::remove_file(out).unwrap();
    }
    let find = "mine KRvK --find zugzwang --format json";
    let resumed = format!("{find} --resume {folder}/log");
    kill(("tbgen::search_written", 0), &resumed);
    assert_eq!(succeed(&resumed), succeed(find));
    assert_eq!(names(temp.path()), ["whole"]);
}

#[test]
fn images_are_all_positions_of_a_class() {
    let list = |more: &str| {
        let list = succeed!("mine KRvKB --find zugzwang --format csv {more}");
        let fens = list.lines().skip(1).map(|line| line.split(',').next());
        fens.map(|fen| fen.unwrap().to_owned())
            .collect::<Vec<String>>()
    };
    let (classes, images) = (list(""), list("--images"));
    let distinct: std::collections::HashSet<&String> = images.iter().collect();
    // None of the five placements is its own mirror image; each is there with either side to move.
    assert_eq!((classes.len(), images.len(), distinct.len()), (10, 80, 80));
    assert!(classes.iter().all(|fen| distinct.contains(fen)));
    assert_eq!(list("--images --limit 9"), images[..9]);
    let says = "--format epd, csv, jsonl or parquet";
    fail!(2, says, "mine KRvKB --find zugzwang --images");
}

/// The signs are those of the side to move, and a checkmated side is one ply from its end by the distance to zeroing.
#[test]
fn lists_have_the_same_columns_in_every_format() {
    for (metric, mated, operation) in [("dtz", -1, "dtz -1"), ("dtm", 0, "dm 0")] {
        let mine = format!("mine --all 3 --find 'only-move or mate' --metric {metric} --format");
        let [csv, lines, epd] = ["csv", "jsonl", "epd"].map(|format| succeed!("{mine} {format}"));
        assert_eq!(as_csv(&lines), csv);
        assert!(csv.starts_with(&format!("fen,material,wdl,{metric},best\n")));
        for (record, epd) in csv.lines().skip(1).zip(epd.lines()) {
            let fields: Vec<&str> = record.split(',').collect();
            let [wdl, plies] = [2, 3].map(|k: usize| fields[k].parse::<i32>().unwrap());
            let place = fields[0].strip_suffix(" 0 1").unwrap();
            if fields[4].is_empty() {
                assert_eq!((wdl, plies), (-2, mated), "{record}");
                assert_eq!(epd, format!("{place} wdl -2; {operation};"));
            } else {
                assert!(plies.signum() == wdl.signum(), "{record}");
                assert!(epd.starts_with(&format!("{place} bm {}; wdl {wdl}; d", fields[4])));
            }
        }
        assert!(csv.contains(&format!(",-2,{mated},\n")), "checkmates");
    }
}

/// The winner's moves of the line are only moves, and no other position has a longer one.
#[test]
fn chains_of_only_moves_are_lines() {
    let call = "mine KPvK --metric dtm --chain --find";
    let chain = |query: &str| report!("{call} '{query}' --format json");
    let longest = chain("only-move and win");
    let moves = longest["line"].as_array().unwrap().len() as u64;
    let length = longest["chain"].as_u64().unwrap();
    assert!(length > 3 && moves == 2 * length - 1, "{longest}");
    assert_eq!(chain("win"), longest, "others have none");
    let text = succeed!("{call} win");
    let fen = longest["fen"].as_str().unwrap();
    assert!(text.starts_with(&format!("KPvK: {length} only moves in ")) && text.contains(fen));
    assert_eq!(chain("draw")["chain"], 0);
}

#[test]
fn captures_en_passant_and_dead_positions_are_found() {
    let (_folder, folder) = &folder();
    let call = "mine KPvKP --find only-en-passant --metric dtm";
    let list = succeed!("{call} --format epd --limit 5");
    assert_eq!(list.lines().count(), 5);
    for line in list.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        assert!(words[5].contains(&format!("x{}", words[3])), "{line}");
    }
    let dead = |more: &str| report!("mine KBvK --find dead --format json {more}");
    let counted = dead("");
    let white = &counted["white"];
    assert_eq!(white["draws"], white["positions"]);
    assert!(white["positions"].as_u64() > Some(1000), "{counted}");
    let all = report!("mine KBvK --find draw --format json");
    for side in ["white", "black"] {
        assert_eq!(counted[side], all[side], "a bishop can't mate");
    }
    let from_files = format!("--tables {folder}");
    succeed!("generate KBvK -o {folder}");
    fail!(1, "--metric help", "mine KBvK --find dead {from_files}");
    succeed!("generate KBvK --metric help -o {folder}");
    assert_eq!(dead(&from_files), counted);
}

#[test]
fn positions_are_a_file_of_indices() {
    let (_folder, folder) = &folder();
    let path = format!("{folder}/zugzwangs.tbi");
    let call = format!("mine KPvK --format tbi -o {path} --find");
    let find = |query: &str| succeed!("{call} '{query}' --force");
    for (query, side) in [
        ("zugzwang", None),
        ("zugzwang and black to move", Some(Color::Black)),
    ] {
        find(query);
        let file = IndexFile::open(&path, Backend::detect()).unwrap();
        let contents = file.header().contents;
        assert_eq!((contents.side, contents.distinct), (side, true));
        assert_eq!(file.header().count, 80, "{query}");
    }
    fail!(2, "--output OUT", "mine KPvK --format tbi --find win");
    let says = "one material";
    fail!(2, says, "mine --all 3 --format tbi --find win -o {path}");
}

#[test]
fn helpmates_are_made_and_solved_and_say_who_can_mate() {
    let (_folder, folder) = &folder();
    succeed!("generate KQvK --metric help -o {folder}");
    assert_eq!(names(folder), ["KQvK.tbhb", "KQvK.tbhw"]);
    let fen = "8/8/7k/6Q1/8/8/8/K7 b - - 0 1";
    let solved = succeed!("help '{fen}' 6");
    assert!(solved.contains("1 solution\n") && solved.trim_end().ends_with("Qg7#"));
    assert_eq!(succeed!("help '{fen}' 6 --tables {folder}"), solved);
    assert!(succeed!("help '{fen}' 7").contains("cooked"));
    let counted = report!("stats {folder}/KQvK.tbhb --json");
    let black = &counted["black"];
    let longest = &black["longest_unique"];
    let position = longest["position"].as_str().unwrap();
    let shortest = &report!("help '{position}' --json")["help-black"];
    assert_eq!(shortest["plies"], longest["plies"]);
    assert_eq!(shortest["unique"], true);
    let of = |field: &str| -> u64 {
        let plies = black[format!("{field}_in")].as_object().unwrap().values();
        plies.map(|count| count.as_u64().unwrap()).sum()
    };
    assert_eq!(Some(of("unique")), black["unique"].as_u64());
    assert_eq!(Some(of("several")), black["several"].as_u64());
    assert!(succeed!("verify --tables {folder}").contains("KQvK (help-black): "));
    let packed = &format!("{folder}/packed");
    succeed!("export --tables {folder} --packed {packed} --check");
    assert_eq!(succeed!("help '{fen}' 6 --tables {packed}"), solved);
    let line = succeed!("line --tables {packed} '{fen}' --metric help");
    assert!(line.contains("mated: h#6: 1 solution\n") && line.contains("mated: no helpmate\n"));
    assert_eq!(line.lines().last(), solved.lines().last());
    let several = "7k/8/8/8/8/8/8/KQ6 w - - 0 1";
    let line = report!("line --tables {folder} '{several}' --metric help --most 2 --json");
    let line = &line["help-black"];
    assert_eq!(line["solutions"].as_array().map(Vec::len), Some(2));
    assert!(line["more"] == true && line["unique"] == false, "{line}");
    let probe = |folder: &str, more: &str| {
        succeed!("probe --tables {folder} '{fen}' '{several}' --metric help {more}")
    };
    let probed = probe(folder, "");
    assert_eq!(probe(packed, ""), probed);
    let each = [fen, several].map(|fen| succeed!("help '{fen}'"));
    assert_eq!(probed, each.concat());
    let csv = probe(folder, "--format csv");
    let csv: Vec<&str> = csv.lines().collect();
    let head = "fen,help-white.plies,help-white.unique,help-black.plies,help-black.unique";
    assert_eq!(csv[0], head);
    assert_eq!(csv[1], format!("{fen},,,12,true"));
    assert!(csv[2].starts_with(&format!("{several},,,")) && csv[2].ends_with(",false"));
    let lines = probe(folder, "--format jsonl");
    let first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&first["fen"], &first["help-black"]["moves"]),
        (&fen.into(), &"h#6".into())
    );
    let missing = "8/8/7k/6R1/8/8/8/K7 b - - 0 1";
    let says = "no helpmates of KRvK in";
    fail!(1, says, "probe --tables {folder} '{missing}' --metric help");
    // Helpmates of one victim are made of those of both, which are solved again if those of either are packed.
    succeed!("generate KPvK --metric help -o {folder}");
    succeed!("export --tables {folder} --packed {folder} --table KQvK --metric help");
    std::fs::remove_file(format!("{folder}/KPvK.tbhw")).unwrap();
    let verify = format!("verify --tables {folder} --table KPvK --memory");
    let [files, one, both] = ["tbhw", "tbhb", "tbwp"].map(|next| {
        let least = least_memory(&verify);
        std::fs::remove_file(format!("{folder}/KQvK.{next}")).unwrap();
        least
    });
    assert!(files < one && one == both, "{files} {one} {both}");
    let dead = succeed!("solve '8/8/8/3k4/8/8/3KB3/8 w - - 0 1'");
    assert!(dead.contains("dead"), "{dead}");
}

/// Five men whose tables take minutes, and seven, which have none.
#[test]
fn short_helpmates_need_no_tables() {
    let problem = |call: &str, victim: &str| report!("help {call} --json")[victim].clone();
    let fen = "'8/8/8/5k2/4pP2/6K1/8/7Q b - f3 0 1'";
    let solved = problem(&format!("{fen} 2"), "help-black");
    assert!(
        solved["count"] == 1 && solved["cooked"] == false,
        "{solved}"
    );
    assert!(
        solved["moves"] == "h#2" && solved["problem"] == "h#2",
        "{solved}"
    );
    let none = problem(&format!("{fen} 1.5"), "help-white");
    assert_eq!((&none["count"], &none["moves"]), (&0.into(), &Value::Null));
    let seven = "'8/7p/2k5/1r6/3q4/8/2Q5/2KQ4 b - - 0 1'";
    let solved = problem(&format!("{seven} 2 --most 2"), "help-black");
    assert!(solved["count"] == 15 && solved["more"] == true, "{solved}");
    assert_eq!(solved["solutions"].as_array().map(Vec::len), Some(2));
}

#[test]
fn helpmates_are_packed_at_once_or_not_written() {
    let (_folder, folder) = &folder();
    let made = |more: &str| report!("generate KNvK --metric help {more} --json");
    let pack = format!("--packed -o {folder}");
    let packed = made(&pack);
    assert_eq!(packed["packed"].as_array().map(Vec::len), Some(2));
    assert_eq!(names(folder), ["KNvK.tbbp", "KNvK.tbwp"]);
    assert_eq!(made(&pack)["packed"], json!([]));
    // The files that an interrupted run by another metric has left stay.
    let of_another = Path::new(folder).join("unpacked-dtm");
    std::fs::create_dir(&of_another).unwrap();
    made(&format!("{pack} --force"));
    assert!(of_another.exists());
    // Packed tables do not stand for those that others are made of.
    let whole = made(&format!("-o {folder}"));
    assert_eq!(whole["tables"][0]["metric"], "help-white");
    let again = made("--no-write");
    for field in ["white_to_move", "help-black"] {
        assert_eq!(again["tables"][0][field], packed["tables"][0][field]);
    }
    let plan = made("--no-write --dry-run");
    assert!(plan["memory_bytes"].as_u64() > Some(0) && plan["temporary_bytes"] == 0);
    // All tables of five pieces in 4 GB.
    let plan = "generate --all 5 --metric help --no-write --dry-run --json --threads 2";
    let plan = report!("{plan}");
    assert!(plan["memory_bytes"].as_u64() < Some(4 << 30), "{plan}");
    fail!(2, "--memory", "generate KRRvKRB --metric help -o {folder}");
}
