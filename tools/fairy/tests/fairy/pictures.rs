//! Pictures: how many squares, marks and bars they have, and whether they can be read.

use std::collections::BTreeSet;

use svg::node::element::tag::Type;
use svg::parser::Event;
use tbindex::fairy::{Grid, Verdict};
use tbindex::{Color, Leaper};
use tbindex_fairy::{
    MatePosition, MateTable, MateTally, distances_picture, longest_mates_picture, mates_picture,
    verdict_picture,
};

use super::piece;

/// The colours of the elements with this name in the text, which must be well formed.
fn fills(text: &str, name: &str) -> Vec<String> {
    let events = svg::read(text).unwrap();
    events
        .filter_map(|event| match event {
            Event::Error(error) => panic!("{error}"),
            Event::Tag(tag, kind, attributes) if tag == name && kind != Type::End => Some(
                attributes
                    .get("fill")
                    .map(ToString::to_string)
                    .unwrap_or_default(),
            ),
            _ => None,
        })
        .collect()
}

/// The number of elements with this name.
fn count(text: &str, name: &str) -> usize {
    fills(text, name).len()
}

#[test]
fn pictures_have_all_squares_and_all_moves() {
    for grid in [
        Grid::CHESS,
        Grid::new(5, 6),
        Grid::new(1, 1),
        Grid::new(32, 2),
        Grid::new(16, 16),
    ] {
        for piece in [Leaper::EMPTY, Leaper::KNIGHT, piece("A"), !Leaper::EMPTY] {
            let text = verdict_picture(&Verdict::of(piece), &grid);
            let squares = grid.square_count();
            // The background, the diagram, the board.
            assert_eq!(count(&text, "rect"), 1 + 25 + squares as usize);
            // The piece twice, its moves, and the squares reached except the one where it stands.
            let reached = grid.distances(piece, grid.middle()).reached();
            let circles = 1 + piece.bits().count_ones() + reached;
            assert_eq!(count(&text, "circle"), circles as usize, "{grid} {piece}");
            let picture = distances_picture(piece, &grid, 0);
            assert_eq!(count(&picture, "rect"), 1 + 25 + squares as usize);
        }
    }
}

#[test]
fn every_length_has_a_bar() {
    let tally = MateTally {
        longest: [(0, 3), (2, 1), (74, 1_000_000), (400, 12)].into(),
        ..MateTally::default()
    };
    let text = longest_mates_picture(&tally, "A headline");
    // And the background.
    assert_eq!(count(&text, "rect"), 1 + 4);
    let empty = longest_mates_picture(&MateTally::default(), "");
    assert!(empty.starts_with("<svg "));
}

#[test]
fn classes_have_as_many_colours_as_the_index() {
    for (name, colours) in [("N", 1), ("F", 2), ("hlN", 5), ("A", 8)] {
        let text = verdict_picture(&Verdict::of(piece(name)), &Grid::CHESS);
        // The background and the diagram come first. Each of these pieces reaches a square of its own class.
        let board = fills(&text, "rect").split_off(1 + 25);
        let grey = &fills(&text, "rect")[1];
        let used: BTreeSet<_> = board.iter().filter(|&colour| colour != grey).collect();
        assert_eq!(used.len(), colours, "{name}");
    }
}

/// The contrast of two colours `#rrggbb`, as the Web Content Accessibility Guidelines define it.
fn contrast(a: &str, b: &str) -> f64 {
    let luminance = |colour: &str| {
        let channel = |at: usize| {
            let value = u8::from_str_radix(&colour[at..at + 2], 16).unwrap();
            let value = f64::from(value) / 255.0;
            match value <= 0.04045 {
                true => value / 12.92,
                false => ((value + 0.055) / 1.055).powf(2.4),
            }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    };
    let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
    a.max(b) / a.min(b)
}

/// Text and dots are in the page's own colour, on all colours of squares: of eight classes, of squares that are never
/// reached, and of distances up to the greatest, which is the darkest blue.
#[test]
fn all_text_and_marks_can_be_read() {
    let mates = MateTable::new(&Grid::CHESS, piece("0x26425"));
    let start = mates.longest().unwrap();
    let start = MatePosition {
        side: Color::Black,
        ..start
    };
    let pictures = [
        verdict_picture(&Verdict::of(piece("A")), &Grid::CHESS),
        verdict_picture(&Verdict::of(piece("01,10,15,23")), &Grid::CHESS),
        distances_picture(piece("01,10,15,23"), &Grid::CHESS, 28),
        distances_picture(piece("F"), &Grid::CHESS, 0),
        mates_picture(&mates, start),
    ];
    for text in pictures {
        let page = fills(&text, "svg").remove(0);
        for colour in fills(&text, "rect") {
            assert!(contrast(&colour, &page) >= 4.5, "{colour} and {page}");
        }
    }
    // The piece itself stands on the first class.
    let text = verdict_picture(&Verdict::of(Leaper::KNIGHT), &Grid::CHESS);
    let (square, mark) = (fills(&text, "rect").pop(), fills(&text, "circle").remove(0));
    assert!(contrast(&square.unwrap(), &mark) >= 4.5);
}
