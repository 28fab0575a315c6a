//! Laws of short-range pieces: published examples, and the answers for slices and for all pieces against the definitions.

use tbindex::Step;
use tbindex::fairy::{Census, Classifier, Grid, MASKS, PieceFacts, Tally, Verdict};
use tbindex::{Group, Leaper};

use super::naive::Board;
use super::{canonical, piece};
use crate::laws::notations::notations_read_back;
use crate::support::thorough::one_in;

#[test]
fn every_notation_of_a_piece_reads_back() {
    (0..Leaper::COUNT)
        .map(Leaper::new)
        .step_by(1009)
        .for_each(notations_read_back);
}

#[test]
fn the_published_cases_of_the_exact_answer_hold() {
    let sly = Verdict::of(piece("01,02,10,15"));
    let masks = || MASKS.iter().map(|&(_, mask)| mask);
    assert!(masks().all(|mask| sly.piece & mask != sly.piece));
    assert!(sly.is_confined() && !sly.is_free());
    let corners = Verdict::of(piece("04,15"));
    assert_eq!(corners.lattice.name(), Some("staircase A"));
    assert!(corners.is_confined());
    for atom in ["W", "ffbsN", "07,09,17"] {
        assert!(Verdict::of(piece(atom)).is_free());
    }
}

/// All pieces in the order of their numbers, with their facts.
fn classified(classifier: &Classifier) -> impl Iterator<Item = (Leaper, PieceFacts)> {
    const RUN: usize = 1 << 12;
    (0..1 << 24).step_by(RUN).flat_map(|start| {
        let pieces: Vec<Leaper> = (start..start + RUN as u32).map(Leaper::new).collect();
        let mut facts = vec![PieceFacts::default(); RUN];
        classifier.classify_into(&pieces, &mut facts);
        pieces.into_iter().zip(facts)
    })
}

#[test]
fn the_documented_findings_are_those_of_the_census() {
    let classifier = Classifier::new(Grid::CHESS);
    let census = Census::new(&classifier, &|_| {});
    let expected = Tally {
        pieces: 16_777_216,
        free: 16_614_446,
        by_lattice_index: [0, 16_614_446, 31_340, 208, 182, 2, 4, 0, 1],
        half_plane_full_rank: 130_960,
        degenerate: 73,
        within_a_mask: 146_954,
        bound_but_in_no_mask: 15_816,
        board_connected: 16_452_080,
        board_connected_but_bound: 0,
        free_but_board_disconnected: 162_366,
    };
    assert_eq!(census.pieces, expected);
    let bound = |tally: &Tally| tally.pieces - tally.free;
    assert_eq!(bound(&census.pieces), 162_770);
    let expected = Tally {
        pieces: 2_105_872,
        free: 2_084_994,
        by_lattice_index: [0, 2_084_994, 4_157, 39, 39, 1, 1, 0, 1],
        half_plane_full_rank: 16_619,
        degenerate: 21,
        within_a_mask: 18_901,
        bound_but_in_no_mask: 1_977,
        board_connected: 2_064_565,
        board_connected_but_bound: 0,
        free_but_board_disconnected: 20_429,
    };
    assert_eq!(census.classes, expected);

    let by_moves = &census.pieces_by_moves;
    assert!(by_moves[..3].iter().all(|tally| tally.free == 0));
    assert_eq!(by_moves[3].free, 224);
    assert_eq!(census.classes_by_moves[3].free, 31);
    assert_eq!(bound(&by_moves[14]), 10);
    assert!(by_moves[15..].iter().all(|tally| bound(tally) == 0));
    assert_eq!(by_moves[16].free_but_board_disconnected, 4);
    let is_connected = |tally: &Tally| tally.board_connected == tally.pieces;
    assert!(by_moves[17..].iter().all(is_connected));
    for (moves, tally) in by_moves.iter().enumerate() {
        let binomial = (0..moves as u64).fold(1, |sum, k| sum * (24 - k) / (k + 1));
        assert_eq!(tally.pieces, binomial);
    }

    // The missing kind, and the smallest examples.
    let all = classified(&classifier);
    let (bound, free): (Vec<_>, Vec<_>) = all
        .filter(|(_, facts)| !facts.free || !facts.board_connected && facts.moves == 16)
        .partition(|(_, facts)| !facts.free);
    let of = |is_met: &dyn Fn(&PieceFacts) -> bool| -> Vec<Leaper> {
        let met = bound.iter().filter(|(_, facts)| is_met(facts));
        met.map(|&(piece, _)| piece).collect()
    };
    let unlisted = |facts: &PieceFacts| facts.masks == 0;
    let all_unlisted =
        |facts: &PieceFacts| unlisted(facts) && facts.half_plane && facts.lattice_index == Some(1);
    assert_eq!(of(&all_unlisted).len(), 15_816);
    let smallest = of(&|facts| unlisted(facts) && facts.moves <= 3);
    let examples = ["09,10,15", "10,12,15"].map(|text| canonical(piece(text)));
    assert_eq!(smallest.len(), 16);
    let mut smallest = smallest.iter().map(|&piece| canonical(piece));
    assert!(smallest.all(|piece| examples.contains(&piece)));
    for (text, index, fewer) in [
        ("01,05,17", 2, 3),
        ("04,15,18", 3, 3),
        ("03,15,19", 4, 3),
        ("02,10,15,23", 5, 4),
        ("01,10,15,24", 6, 4),
        ("01,05,20,24", 8, 4),
    ] {
        let verdict = Verdict::of(piece(text));
        assert_eq!(verdict.lattice.index(), Some(index), "{text}");
        assert!(!verdict.is_confined() && verdict.piece.bits().count_ones() == fewer);
        let smaller = |facts: &PieceFacts| {
            facts.lattice_index == Some(index) && !facts.half_plane && facts.moves < fewer
        };
        assert!(of(&smaller).is_empty());
    }
    for colours in [4, 6, 8] {
        for piece in of(&|facts| facts.lattice_index == Some(colours) && !facts.half_plane) {
            // Checker, rows and files.
            let mut coarser = MASKS[..3].iter().map(|&(_, mask)| mask);
            assert!(coarser.any(|mask| piece & mask == piece), "{piece}");
        }
    }
    let pinwheels = of(&|facts| facts.lattice_index == Some(5) && !facts.half_plane).into_iter();
    let mut names: Vec<_> = pinwheels
        .map(|piece| Verdict::of(piece).lattice.name())
        .collect();
    names.sort_unstable();
    assert_eq!(names, [Some("pinwheel 1"), Some("pinwheel 2")]);
    for (piece, _) in free {
        let corners = [0, 7, 56, 63];
        let board = Board::new(8, 8, piece.bits());
        assert!(
            corners
                .iter()
                .any(|&corner| board.targets(corner).next().is_none())
        );
    }
}

/// On boards of at least 4×5 squares edges do no other harm than corners that can't be left. A piece
/// that can't leave one corner can't get into the opposite one.
#[test]
fn a_free_piece_is_connected_exactly_if_it_can_leave_every_corner() {
    for size in ["8x8", "4x5", "10x6", "4x16"] {
        let grid: Grid = size.parse().unwrap();
        let (width, count) = (grid.width(), grid.width() * grid.height());
        let corners = [0, width - 1, count - width, count - 1];
        // The moves that leave each corner.
        let leaving = corners.map(|corner| -> Leaper {
            let leaves = |&step: &Step| {
                let piece: Leaper = [step].into_iter().collect();
                let board = Board::new(width.into(), grid.height().into(), piece.bits());
                board.targets(corner).next().is_some()
            };
            (!Leaper::EMPTY).steps().filter(leaves).collect()
        });
        let classifier = Classifier::new(grid);
        for (piece, facts) in classified(&classifier) {
            let can_leave = leaving.iter().all(|&moves| piece & moves != Leaper::EMPTY);
            let is_connected = facts.free && can_leave;
            assert_eq!(facts.board_connected, is_connected, "{size} {piece}");
        }
    }
}

/// The published masks as the rules that their names state.
const RULES: [fn(i32, i32) -> bool; 15] = [
    |f, r| (f + r) % 2 == 0,
    |_, r| r % 2 == 0,
    |f, _| f % 2 == 0,
    |_, r| r >= 0,
    |_, r| r <= 0,
    |f, _| f >= 0,
    |f, _| f <= 0,
    |f, r| r >= f,
    |f, r| r <= f,
    |f, r| f + r >= 0,
    |f, r| f + r <= 0,
    |f, r| (f + r) % 3 == 0,
    |f, r| (f - r) % 3 == 0,
    |f, r| (2 * f + r) % 5 == 0,
    |f, r| (f + 2 * r) % 5 == 0,
];

/// The facts about a piece by their definitions, without a table, a mask or a normal form: the index of a lattice is
/// the greatest common divisor of its vectors' determinants, and a half-plane that holds all moves has one of them on
/// its edge. Whether the piece is connected is the one answer of the library.
fn by_definition(grid: &Grid, piece: Leaper) -> PieceFacts {
    let moves: Vec<(i32, i32)> = (piece.steps())
        .map(|step| (step.files.into(), step.ranks.into()))
        .collect();
    let determinant = |a: (i32, i32), b: (i32, i32)| a.0 * b.1 - a.1 * b.0;
    let (mut index, mut half_plane) = (0, moves.is_empty());
    for &a in &moves {
        let (mut least, mut greatest) = (0, 0);
        for &b in &moves {
            let area = determinant(a, b);
            (least, greatest) = (area.min(least), area.max(greatest));
            let mut rest = area.abs();
            while rest != 0 && index != 1 {
                (index, rest) = (rest, index % rest);
            }
        }
        half_plane |= least == 0 || greatest == 0;
    }
    let holds = |rule: fn(i32, i32) -> bool| moves.iter().all(|&(f, r)| rule(f, r));
    let masks = RULES.iter().enumerate();
    PieceFacts {
        moves: moves.len() as u32,
        masks: masks.fold(0, |masks, (k, &rule)| masks | u16::from(holds(rule)) << k),
        lattice_rank: match index {
            0 => u32::from(!moves.is_empty()),
            _ => 2,
        },
        lattice_index: (index != 0).then_some(index as u32),
        half_plane,
        free: index == 1 && !half_plane,
        board_connected: grid.is_connected(piece),
    }
}

/// Verdicts and all facts of the batch classifier against the definitions, for the pieces of this step.
fn assert_all_is_by_definition(grid: Grid, step: usize) {
    let classifier = Classifier::new(grid);
    let pieces: Vec<Leaper> = (0..Leaper::COUNT).map(Leaper::new).step_by(step).collect();
    let mut found = vec![PieceFacts::default(); pieces.len()];
    classifier.classify_into(&pieces, &mut found);
    for (&piece, found) in pieces.iter().zip(&found) {
        let facts = by_definition(&grid, piece);
        assert_eq!(*found, facts, "{piece} on {grid}");
        let verdict = Verdict::of(piece);
        let lattice = verdict.lattice;
        let found = (lattice.rank(), lattice.index(), verdict.is_confined());
        let expected = (facts.lattice_rank, facts.lattice_index, facts.half_plane);
        assert_eq!(found, expected, "{piece}");
        assert_eq!(verdict.is_free(), facts.free, "{piece}");
    }
}

#[test]
fn verdicts_and_the_batch_classifier_answer_by_definition() {
    assert_all_is_by_definition(Grid::CHESS, one_in(211));
    // Small and narrow boards, where hardly anything fits, and boards of one file or rank, where bound
    // pieces can be connected.
    for size in [
        "1x1", "1x2", "64x1", "1x9", "2x2", "2x32", "3x3", "4x3", "6x5", "16x4", "9x7",
    ] {
        assert_all_is_by_definition(size.parse().unwrap(), 10_007);
    }
}

#[test]
fn censuses_count_every_piece_and_report_it() {
    use std::sync::atomic::{AtomicU64, Ordering};
    for (size, group) in [("3x3", Group::D4.members().len()), ("1x3", 4)] {
        let grid: Grid = size.parse().unwrap();
        let classifier = Classifier::new(grid);
        assert_eq!(grid.symmetries().len(), group);
        let done = AtomicU64::new(0);
        let census = Census::new(&classifier, &|pieces| {
            done.fetch_add(pieces, Ordering::Relaxed);
        });
        assert_eq!(done.into_inner(), 1 << 24);
        // Without symmetries: all pieces, one after the other.
        let mut tally = Tally::default();
        for (_, facts) in classified(&classifier) {
            tally.add(&facts, 1);
        }
        assert_eq!(census.pieces, tally, "{size}");
        let bound_and_connected = tally.board_connected_but_bound > 0;
        assert_eq!(bound_and_connected, size == "1x3");
    }
}
