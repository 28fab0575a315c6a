//! Boards of any size, and distances on them.

use tbindex::fairy::Grid;
use tbindex::{Leaper, Square};

use super::piece;

fn sizes() -> impl Iterator<Item = Grid> {
    (1..=64).flat_map(|width| {
        (1..=(256 / u16::from(width)).min(64) as u8).map(move |height| Grid::new(width, height))
    })
}

#[test]
fn the_chessboard_is_numbered_as_everywhere() {
    for square in Square::all() {
        let number = square.number();
        assert_eq!(Grid::CHESS.square_name(number), square.to_string());
        assert_eq!(Grid::CHESS.square_named(&square.to_string()), Ok(number));
    }
    assert_eq!(Grid::CHESS.square_name(Grid::CHESS.middle()), "e4");
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
fn sizes_read_back_and_wrong_ones_are_refused() {
    for grid in sizes() {
        assert_eq!(grid.to_string().parse(), Ok(grid));
    }
    let refuse = |texts: &[&str], expected: &str| {
        for text in texts {
            let error = text.parse::<Grid>().unwrap_err().to_string();
            let start = format!("{text:?} is not a size of a board: expected {expected}");
            assert!(error.starts_with(&start), "{error}");
        }
    };
    refuse(
        &["17x16", "0x4", "4x0", "65x1", "300x1", "99999x1"],
        "1 to 256 squares",
    );
    refuse(
        &["", "8", "8x", "x8", "+8x8", "8x8x1", "axb"],
        "files x ranks",
    );
    assert!(Grid::CHESS.square_named("i1").is_err());
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
    for piece in Leaper::all().step_by(65_521) {
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
    let king = strip.distances(Leaper::KING, 0).to_string();
    assert!(king.starts_with("32| V V\n31| U U\n"), "{king}");
    // Up the first file only, one square at a time.
    let crawler = Grid::new(1, 40).distances("fW".parse().unwrap(), 0);
    assert!(crawler.to_string().starts_with("40| 39\n39| 38\n"));
    let ferz = strip.distances(piece("F"), 0).to_string();
    assert!(ferz.ends_with(" 2| . 1\n 1| 0 .\n    a b\n"), "{ferz}");
}
