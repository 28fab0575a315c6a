//! Queries as they are read, and what searches keep.

use std::collections::BTreeMap;

use tbgen::{ByDistance, Hit, Metric, MineLog, Outcome, Query, Reservoir, Value};
use tbindex::{Color, Piece, PieceType, Position};

const OUTCOMES: [Outcome; 5] = [
    Outcome::Win,
    Outcome::CursedWin,
    Outcome::Draw,
    Outcome::BlessedLoss,
    Outcome::Loss,
];

#[test]
fn and_binds_before_or_and_not_before_both() {
    let query = |text: &str| text.parse::<Query>().unwrap();
    let parsed = query("win or not loss and check");
    assert_eq!(parsed, query("win or ((not loss) and check)"));
    assert_eq!(query("((loss))"), query("loss"));
    assert_ne!(query("(win or not loss) and check"), parsed);
    assert_ne!(query("win or not (loss and check)"), parsed);
}

#[test]
fn squares_are_rectangles_and_lists() {
    let on = |squares: &str| format!("black pawn on {squares}").parse::<Query>();
    let all = "a1,a2,a3,a4,b1,b2,b3,b4,c1,c2,c3,c4,d1,d2,d3,d4";
    assert_eq!(on("a1-d4"), on(all));
    assert_eq!(on("d1-a4"), on("a1-d4"));
    assert_ne!(on("a1,h8"), on("a1-h8"));
    assert_ne!(on("a1,h8"), on("a1"));
    assert!(on("a1-").is_err());
}

#[test]
fn errors_point_at_a_column() {
    for (text, column, says) in [
        ("", 1, "found the end"),
        ("win and", 8, "found the end"),
        ("win loss", 5, "and, or, or the end"),
        ("(win", 5, ")"),
        ("dtz > x", 7, "a number of plies"),
        ("dtz 5", 5, "one of ="),
        ("dtz>5 and dtm=3", 11, "one metric"),
        ("half win", 6, "zugzwang"),
        ("white rook on z9", 15, "squares"),
        ("white moves", 7, "to move"),
        ("black helpmate 4", 16, "one of ="),
        ("wïn", 1, "only-move"),
    ] {
        let error = text.parse::<Query>().unwrap_err();
        assert_eq!(error.column, column, "{text}: {error}");
        assert!(error.message.contains(says), "{text}: {error}");
    }
}

#[test]
fn signs_need_no_spaces() {
    let query: Query = "dtm>=37".parse().unwrap();
    assert_eq!(query, "dtm >= 37".parse().unwrap());
    assert_eq!(query.metric(), Some(Metric::Dtm));
    let query: Query = "black helpmate<5 and not white unique-helpmate"
        .parse()
        .unwrap();
    assert!(query.asks_for_helpmates());
    assert_eq!(query.metric(), None);
}

/// As a stable sort of all, and of the longest that are wanted.
#[test]
fn the_longest_come_first_from_the_file_and_from_memory() {
    let mut hits = Vec::new();
    for number in 0..6000u16 {
        let mut board = [None; 64];
        for (k, at) in (0..7).map(|k| (k, usize::from(number * 7 + k * 9) % 64)) {
            let kind = PieceType::ALL[usize::from(number + k) % 6];
            let color = Color::ALL[usize::from(number / 2 + k) % 2];
            board[at] = Some(Piece::new(color, kind));
        }
        let side = Color::ALL[usize::from(number / 3) % 2];
        let value = Value {
            outcome: OUTCOMES[usize::from(number) % 5],
            plies: number % 97 % 13,
        };
        let position = Position { board, side };
        hits.push(Hit { position, value });
    }
    for most in [u64::MAX, 400, 2000] {
        let mut sorted = ByDistance::new(&std::env::temp_dir(), most).unwrap();
        hits.iter().for_each(|hit| sorted.push(hit).unwrap());
        let mut found = Vec::new();
        sorted
            .each(|hit| {
                found.push(hit);
                Ok(())
            })
            .unwrap();
        let mut expected = hits.clone();
        expected.sort_by_key(|hit| std::cmp::Reverse(hit.value.plies));
        let wanted = hits.len().min(most as usize);
        assert!(found.len() >= wanted);
        // Positions that can't be wanted are forgotten.
        assert_eq!(most < u64::MAX, found.len() < hits.len(), "{most}");
        assert!(found[..wanted] == expected[..wanted], "{most}");
    }
}

/// Over many seeds, each of the sets that a sample may be comes as often as the others.
#[test]
fn every_sample_is_equally_likely() {
    const SEEDS: u64 = 40_000;
    let mut counts: BTreeMap<Vec<u64>, u64> = BTreeMap::new();
    for seed in 0..SEEDS {
        let mut sample = Reservoir::new(3, seed);
        let mut seen = 0;
        for count in [2, 0, 3, 1] {
            let new = sample.choose(count);
            sample.extend(new.into_iter().map(|number| seen + number));
            seen += count;
        }
        *counts.entry(sample.into_kept()).or_default() += 1;
    }
    assert_eq!(counts.len(), 20);
    // Five standard deviations are 218.
    let is_usual = |&count: &u64| count.abs_diff(SEEDS / 20) < 218;
    assert!(counts.values().all(is_usual), "{counts:?}");
    assert!(counts.keys().all(|set| set.is_sorted_by(|a, b| a < b)));
}

#[test]
fn samples_keep_what_was_chosen() {
    let run = |seed: u64| {
        let mut sample = Reservoir::new(5, seed);
        for group in [0..3, 3..20, 20..1000] {
            let new = sample.choose(group.end - group.start);
            sample.extend(new.into_iter().map(|number| group.start + number));
        }
        assert_eq!(sample.seen(), 1000);
        sample.into_kept()
    };
    let samples: Vec<Vec<u64>> = (0..9).map(run).collect();
    assert!(samples.iter().all(|sample| sample.len() == 5));
    assert!(
        samples
            .iter()
            .all(|sample| sample.is_sorted_by(|a, b| a < b))
    );
    assert_ne!(samples[0], samples[1]);
    assert_eq!(run(0), samples[0]);
}

#[test]
fn a_log_is_of_one_search_and_one_process_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log");
    let open = |find| MineLog::open(&path, "KQvK".parse().unwrap(), Metric::Dtz, find, false);
    let log = open("mate  or check").unwrap();
    assert!(open("mate or check").is_err());
    drop(log);
    open("mate or check").unwrap();
    let error = open("mate").unwrap_err().to_string();
    let says = "expected a search of KQvK by dtz for counts: mate: remove the file to begin anew";
    assert!(error.contains(says), "{error}");
    std::fs::write(&path, "tbgen mine, format 2, revision 1").unwrap();
    let error = open("mate").unwrap_err().to_string();
    assert!(
        error.contains("or it is of an earlier version of tbgen"),
        "{error}"
    );
}
