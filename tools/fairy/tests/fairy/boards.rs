//! Squares by name, distances, components and colours.

use std::collections::{BTreeSet, VecDeque};

use tbindex::fairy::{Grid, Lattice, Verdict};
use tbindex::{Leaper, Square};
use tbindex_fairy::Board as _;

use super::piece;
use crate::board::Board;

#[test]
fn the_chessboard_is_numbered_as_everywhere() {
    for square in Square::all() {
        let number = square.number();
        assert_eq!(Grid::CHESS.square_name(number), square.to_string());
        assert_eq!(Grid::CHESS.square_named(&square.to_string()), Ok(number));
    }
    assert_eq!(Grid::CHESS.square_name(Grid::CHESS.middle()), "e4");
    let error = Grid::CHESS.square_named("i1").unwrap_err().to_string();
    assert_eq!(
        error,
        "\"i1\" is not a square of the 8x8 board: expected a1 to h8"
    );
}

#[test]
fn names_go_beyond_z() {
    let strip = Grid::new(64, 1);
    let names: Vec<_> = (0..64).map(|square| strip.square_name(square)).collect();
    assert_eq!(
        (&*names[25], &*names[26], &*names[63]),
        ("z1", "aa1", "bl1")
    );
    for (square, name) in names.iter().enumerate() {
        assert_eq!(strip.square_named(name), Ok(square as u8));
    }
}

#[test]
fn components_are_drawn_as_letters() {
    let rank: Leaper = "sW".parse().unwrap();
    let picture = Grid::new(2, 3).component_picture(rank);
    assert_eq!(picture, "3| c c\n2| b b\n1| a a\n   a b\n");
    let knight = Grid::new(3, 3).component_picture(Leaper::KNIGHT);
    assert_eq!(knight, "3| a a a\n2| a . a\n1| a a a\n   a b c\n");
}

#[test]
fn components_partition_the_board() {
    let grid = Grid::new(5, 6);
    for piece in (0..Leaper::COUNT).map(Leaper::new).step_by(65_521) {
        let components = grid.components(piece);
        let mut squares = components.concat();
        squares.sort_unstable();
        assert!(squares.into_iter().eq(grid.squares()), "{piece}");
        let is_connected = grid.is_connected(piece);
        assert_eq!(components.len() == 1, is_connected, "{piece}");
        assert_eq!(grid.diameter(piece).is_some(), is_connected, "{piece}");
    }
}

#[test]
fn diameters_are_the_longest_ways_across_a_board() {
    assert_eq!(Grid::CHESS.diameter(Leaper::KNIGHT), Some(6));
    assert_eq!(Grid::new(16, 16).diameter(Leaper::KING), Some(15));
    assert_eq!(Grid::CHESS.diameter(Leaper::KING), Some(7));
    assert_eq!(Grid::CHESS.diameter(piece("W")), Some(14));
}

#[test]
fn long_distances_are_printed_in_decimal() {
    let strip = Grid::new(2, 32);
    let king = strip.draw_distances(&strip.distances(Leaper::KING, 0));
    assert!(king.starts_with("32| V V\n31| U U\n"), "{king}");
    // Up the first file only, one square at a time.
    let file = Grid::new(1, 40);
    let crawler = file.draw_distances(&file.distances("fW".parse().unwrap(), 0));
    assert!(crawler.starts_with("40| 39\n39| 38\n"));
    let ferz = strip.draw_distances(&strip.distances(piece("F"), 0));
    assert!(ferz.ends_with(" 2| . 1\n 1| 0 .\n    a b\n"), "{ferz}");
}

/// The published table of the semi-pinwheel's distances from e4 on the chessboard has two errors:
/// a4 is printed A (10), the true distance is 8; b2 is printed B (11), the true distance is 9.
#[test]
fn the_table_of_the_semi_pinwheel_is_the_published_one_but_for_two_errors() {
    let printed = "\
        8| 2 D B 9 7 5 3 E\n\
        7| A 8 6 4 2 D B 9\n\
        6| 5 3 1 C A 8 6 4\n\
        5| 2 B 9 7 5 3 1 C\n\
        4| A 6 4 2 0 B 9 7\n\
        3| 5 3 1 A 8 6 4 2\n\
        2| 2 B 7 5 3 1 C A\n\
        1| 8 6 4 2 B 9 7 5\n\
        \x20  a b c d e f g h\n";
    let corrected = printed.replace("4| A", "4| 8").replace("2| 2 B", "2| 2 9");
    let grid = Grid::CHESS;
    let distances = grid.distances(piece("01,10,15,23"), grid.square_named("e4").unwrap());
    assert_eq!(grid.draw_distances(&distances), corrected);
    let to = |name: &str| distances[usize::from(grid.square_named(name).unwrap())];
    assert_eq!((to("a4"), to("b2")), (Some(8), Some(9)));
    let differ = printed.bytes().zip(corrected.bytes());
    assert_eq!(differ.filter(|(a, b)| a != b).count(), 2);
}

/// Distances once more, by a queue of squares and nothing else.
#[test]
fn distances_are_those_of_a_breadth_first_search() {
    for (grid, step) in [
        (Grid::CHESS, 40_009),
        (Grid::new(5, 7), 100_003),
        (Grid::new(21, 3), 200_003),
        (Grid::new(16, 16), 1_000_003),
    ] {
        for piece in (0..Leaper::COUNT).map(Leaper::new).step_by(step) {
            let board = Board::new(grid.width().into(), grid.height().into(), piece.bits());
            let from = grid.middle();
            let mut expected = vec![None; grid.square_count() as usize];
            expected[usize::from(from)] = Some(0u8);
            let mut queue = VecDeque::from([from]);
            while let Some(square) = queue.pop_front() {
                let next = expected[usize::from(square)].map(|moves| moves + 1);
                for target in board.targets(square) {
                    if expected[usize::from(target)].is_none() {
                        expected[usize::from(target)] = next;
                        queue.push_back(target);
                    }
                }
            }
            let found = grid.distances(piece, from);
            assert_eq!(*found, expected, "{grid} {piece}");
        }
    }
}

/// All lattices that short-range pieces generate, each once: those of up to three steps.
fn lattices() -> BTreeSet<Lattice> {
    let steps = |bits: [u32; 3]| bits.into_iter().fold(0, |all, bit| all | 1 << bit);
    let pieces = (0..24).flat_map(|a| (0..24).flat_map(move |b| (0..24).map(move |c| [a, b, c])));
    let all = pieces.map(|bits| Verdict::of(Leaper::new(steps(bits))).lattice);
    all.chain([Verdict::of(Leaper::EMPTY).lattice]).collect()
}

#[test]
fn colours_are_the_classes() {
    for lattice in lattices() {
        // The origin is in the middle.
        let colours = Grid::new(16, 16).colours(lattice, 8 * 16 + 8);
        let (Some(index), Some(colours)) = (lattice.index(), &colours) else {
            assert_eq!((lattice.index(), colours), (None, None));
            continue;
        };
        let square = |n: i32| (n % 16 - 8, n / 16 - 8, colours[n as usize]);
        let mut seen = vec![false; index as usize];
        for (f, r, colour) in (0..256).map(square) {
            seen[colour as usize] = true;
            assert_eq!(colour == 0, (lattice.reduce(f, r) == (0, 0)));
            for (x, y, other) in (0..256).step_by(7).map(square) {
                let same = lattice.reduce(f - x, r - y) == (0, 0);
                assert_eq!(colour == other, same, "{lattice}");
            }
        }
        assert!(seen.iter().all(|&seen| seen), "{lattice}: {seen:?}");
    }
}
