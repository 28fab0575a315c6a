//! Canonical legal positions of four pieces, and of five if `TBINDEX_THOROUGH` is set, counted in two ways:
//! made one by one, and by Burnside's lemma from all legal positions and those that a symmetry leaves as they
//! are.

use tbindex::store::{enumerate, unwatched};
use tbindex::{Color, Enumeration, Material, Numbering, Piece, PieceType, Square, Stage};

use crate::thorough::one_in;

/// The smaller of two materials, or the larger if the tests are thorough.
fn material(small: &str, large: &str) -> Material {
    let name = if one_in(2) == 1 { large } else { small };
    name.parse().unwrap()
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn legal(material: Material, side: Color, canonical: bool) -> u128 {
    let mut all = Enumeration::<u32>::try_new(material, Numbering::Natural)
        .unwrap()
        .stage(Stage::Legal, side);
    if canonical {
        all = all.canonical_only();
    }
    let mut made = 0;
    let take = |some: &[u32]| {
        made += some.len() as u128;
        Ok(())
    };
    let counts = enumerate(&all, take, threads(), unwatched).unwrap();
    assert_eq!(counts.get(Stage::Legal), made);
    made
}

/// Whether a position is legal: no two pieces on one square, the kings apart, and, as another program
/// sees it, the side not to move not in check.
fn is_legal(pieces: &[(Piece, Square)], side: Color) -> bool {
    let color = |c| match c {
        Color::White => cozy_chess::Color::White,
        Color::Black => cozy_chess::Color::Black,
    };
    let mut board = cozy_chess::BoardBuilder::empty();
    board.side_to_move = color(side);
    for (piece, square) in pieces {
        let place = &mut board.board[square.index()];
        if place.is_some() {
            return false;
        }
        let kind = piece.kind.letter().to_ascii_lowercase().to_string();
        *place = Some((kind.parse().unwrap(), color(piece.color)));
    }
    let mut kings = pieces
        .iter()
        .filter(|(piece, _)| piece.kind == PieceType::King);
    let [Some((_, one)), Some((_, other))] = [kings.next(), kings.next()] else {
        return false;
    };
    let files = (one.file() as u8).abs_diff(other.file() as u8);
    let ranks = (one.rank() as u8).abs_diff(other.rank() as u8);
    files.max(ranks) > 1 && board.build().is_ok()
}

/// The legal positions that the mirror along a1-h8 leaves as they are, all pieces but two on the
/// diagonal; those two, if they are alike, may have changed places.
fn fixed(material: Material, side: Color, exchanged: Option<[usize; 2]>) -> u128 {
    let pieces: Vec<Piece> = material.name_order().collect();
    let square = |file: u8, rank: u8| Square::new(8 * rank + file);
    // The exchanged ones count as one, on any square off the diagonal.
    let places: Vec<usize> = (0..pieces.len())
        .filter(|&k| exchanged.is_none_or(|[_, second]| second != k))
        .collect();
    let mut found = 0;
    let mut digits = vec![0u8; places.len()];
    loop {
        let mut placed = Vec::new();
        for (&k, &digit) in places.iter().zip(&digits) {
            match exchanged {
                Some([first, second]) if first == k => {
                    placed.push((pieces[first], square(digit % 8, digit / 8)));
                    placed.push((pieces[second], square(digit / 8, digit % 8)));
                }
                _ => placed.push((pieces[k], square(digit, digit))),
            }
        }
        found += u128::from(is_legal(&placed, side));
        // The next one, as an odometer counts.
        let mut at = 0;
        loop {
            if at == digits.len() {
                return found;
            }
            let end = match exchanged {
                Some([first, _]) if first == places[at] => 64,
                _ => 8,
            };
            digits[at] += 1;
            if digits[at] < end {
                break;
            }
            digits[at] = 0;
            at += 1;
        }
    }
}

#[test]
fn distinct_pieces_are_counted_as_burnside_counts_them() {
    let material = material("KRBvK", "KRBvKR");
    let side = Color::White;
    // Only the identity and the two mirrors along a diagonal leave squares where they are.
    let all = legal(material, side, false) + 2 * fixed(material, side, None);
    assert_eq!(all % 8, 0);
    assert_eq!(legal(material, side, true), all / 8);
}

#[test]
fn a_pair_of_like_pieces_is_counted_once() {
    let material = material("KRRvK", "KRRvKR");
    let names: String = material.name_order().map(Piece::letter).collect();
    assert!(names.starts_with("KRRk"));
    let side = Color::White;
    // The group of the board with that of the pair: sixteen elements. The exchange alone leaves only
    // what is illegal; with a diagonal, pairs that mirror each other.
    let all = legal(material, side, false)
        + 2 * fixed(material, side, None)
        + 2 * fixed(material, side, Some([1, 2]));
    assert_eq!(all % 16, 0);
    assert_eq!(legal(material, side, true), all / 16);
}
