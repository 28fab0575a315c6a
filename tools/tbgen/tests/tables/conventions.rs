//! The meaning of the values, how positions are counted, and what is refused.

use tbgen::{Counting, GamePosition, Letters, Library, Metric, Outcome, Value, solve};
use tbindex::batch::Backend;
use tbindex::{Enumeration, Numbering, Stage, StageCounts};

use crate::small::{METRICS, small_tables, stats_of, table};
use crate::solved::{material, quietly};

/// Where the colours are those of the name, the enumeration by indices must find as many positions.
#[test]
fn there_are_as_many_positions_as_the_enumeration_finds() {
    for name in ["KQvK", "KRRvK", "KBvKN", "KQvKQ", "KPvK", "KPvKP", "KPPvK"] {
        let stats = METRICS.map(|metric| stats_of(table(name, metric), Counting::Unordered));
        for side in tbindex::Color::ALL {
            let all = Enumeration::<u32>::try_new(material(name), Numbering::Natural)
                .unwrap()
                .stage(Stage::Legal, side)
                .canonical_only();
            let (mut counts, mut indices) = (StageCounts::default(), Vec::new());
            for chunk in 0..all.chunk_count() {
                indices.clear();
                counts += all.chunk(chunk, &mut indices);
            }
            let expected = counts[Stage::Legal];
            for stats in &stats {
                let found = u128::from(stats.sides[side as usize].total());
                assert_eq!(found, expected, "{name}");
            }
        }
    }
}

/// The counts of like pieces that can be told apart: each pair of squares counts twice, except where
/// a mirror exchanges the two.
#[test]
fn ordered_counts_of_like_pieces_are_nearly_double() {
    let both = [Counting::Unordered, Counting::Ordered];
    let counts = |name: &str, side: usize| {
        both.map(|counting| stats_of(table(name, Metric::Dtz), counting).sides[side].total())
    };
    for side in 0..2 {
        let [unordered, ordered] = counts("KRRvK", side);
        assert!(ordered < 2 * unordered && ordered > 2 * unordered - unordered / 100);
        // The mirror that is left with pawns moves every king.
        let [unordered, ordered] = counts("KPPvK", side);
        assert_eq!(ordered, 2 * unordered);
    }
    for name in ["KQvKR", "KBNvK", "KPvKP"] {
        let stats = both.map(|counting| stats_of(table(name, Metric::Dtz), counting));
        assert_eq!(stats[0], stats[1], "{name} has no like pieces");
    }
}

fn value(metric: Metric, fen: &str) -> Value {
    let position = GamePosition::parse(fen, &Letters::default()).unwrap();
    small_tables(metric).probe(metric, &position).unwrap()
}

#[test]
fn distances_to_zeroing_follow_their_conventions() {
    let value = |fen| value(Metric::Dtz, fen);
    // Checkmate, mate in one, stalemate.
    assert_eq!(value("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1"), Value::loss(0));
    assert_eq!(value("k7/8/1K6/8/8/8/1Q6/8 w - - 0 1"), Value::win(1));
    assert_eq!(value("k7/8/1Q6/8/8/8/8/2K5 b - - 0 1"), Value::DRAW);
    // A capture that wins, by a piece and by the king.
    assert_eq!(value("8/8/8/8/k7/8/1Q4r1/4K3 w - - 0 1"), Value::win(1));
    assert_eq!(value("8/8/8/8/8/k7/8/1Q2Kr2 w - - 0 1"), Value::win(1));
    // Colours exchanged: the same table.
    assert_eq!(value("8/8/8/8/K7/8/1q4R1/4k3 b - - 0 1"), Value::win(1));
    // Moves of pawns that win: a promotion, a step, and a step of black.
    assert_eq!(value("8/4P3/8/8/8/k7/8/4K3 w - - 0 1"), Value::win(1));
    assert_eq!(value("8/8/8/4P3/8/8/8/k3K3 w - - 0 1"), Value::win(1));
    assert_eq!(value("K3k3/8/8/8/4p3/8/8/8 b - - 0 1"), Value::win(1));
    // A pawn that is stopped, and one that stalemates.
    assert_eq!(value("4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"), Value::DRAW);
    assert_eq!(value("4k3/4P3/4K3/8/8/8/8/8 b - - 0 1"), Value::DRAW);
    // Only a promotion to a rook wins, as the queen stalemates.
    assert_eq!(value("8/k1P5/8/1K6/8/8/8/8 w - - 0 1"), Value::win(1));
}

#[test]
fn distances_to_mate_count_on_through_captures_and_promotions() {
    let value = |fen| value(Metric::Dtm, fen);
    let win = |plies| Metric::Dtm.win(plies);
    assert_eq!(value("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1"), Metric::Dtm.loss(0));
    assert_eq!(value("k7/8/1K6/8/8/8/1Q6/8 w - - 0 1"), win(1));
    assert_eq!(value("k7/8/1Q6/8/8/8/8/2K5 b - - 0 1"), Value::DRAW);
    // A promotion that mates, and the longest win of a pawn: mate in 28 moves.
    assert_eq!(value("k7/2P5/1K6/8/8/8/8/8 w - - 0 1"), win(1));
    assert_eq!(value("8/8/8/1k6/8/8/K5P1/8 w - - 0 1"), win(2 * 28 - 1));
    // No win is cursed, however long it takes.
    assert_eq!(win(200).outcome, Outcome::Win);
    assert_eq!(Metric::Dtm.loss(200).outcome, Outcome::Loss);
    assert_eq!(Metric::Dtz.win(101).outcome, Outcome::CursedWin);
    assert_eq!(Metric::Dtz.win(100).outcome, Outcome::Win);
}

/// Where no side can zero but by a mate, the two metrics are one.
#[test]
fn without_captures_and_pawns_both_distances_are_the_same() {
    for name in ["KQvK", "KRvK"] {
        let stats = METRICS.map(|metric| stats_of(table(name, metric), Counting::Unordered));
        assert_eq!(stats[0], stats[1], "{name}");
    }
    // A winner that captures is not at its goal yet.
    let longest = METRICS.map(|metric| {
        let stats = stats_of(table("KQvKR", metric), Counting::Unordered);
        stats.sides[1].loss_in.keys().max().copied()
    });
    assert_eq!(longest, [Some(62), Some(70)]);
}

#[test]
fn what_is_out_of_reach_is_refused_in_a_sentence() {
    for (name, says) in [
        ("KQRBNvKRB", "8 pieces"),
        ("KPPPPvKPP", "8 pieces"),
        ("KvK", "2 pieces"),
        ("KQvKR", "is needed"),
        ("KPvK", "is needed"),
    ] {
        let options = quietly(Metric::Dtz, Backend::detect());
        let error = solve(&material(name), &Library::default(), options).unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
    }
}
