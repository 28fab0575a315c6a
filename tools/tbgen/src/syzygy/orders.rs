//! Orders of the library: that of a table's slots, and those of Syzygy's numberings.

use syzygy_tables::numbering::Numbering;
use tbindex::bitbase::Man;
use tbindex::order::{Digit, Leading, Order, OrderError, SetOrder};
use tbindex::{Bitboard, Color, Group, Piece, PieceType, Square};

use crate::chess::cozy::piece_of;
use crate::table::shape::Shape;

/// The order of the slots of some parts of a table with a side to move, one after the other and in these slice after slice, but
/// with the men of the domain in this order, of which the last one counts fastest.
///
/// # Errors
/// If the order has too many slots.
pub fn order_of_slots(shape: &Shape, parts: &[usize], men: &[Man]) -> Result<Order, OrderError> {
    let king = |color| Man::from(Piece::new(color, PieceType::King));
    let domain = shape.any_domain();
    let leading = match domain.king_pairs() {
        Some(pairs) => Leading {
            men: Color::ALL.map(king).to_vec(),
            placements: pairs.all().iter().map(|pair| pair.to_vec()).collect(),
            group: domain.group(),
        },
        None => {
            let placements = parts.iter().map(|&part| shape.pawns(part).pieces());
            let squares = |pawns: Vec<(Piece, Square)>| pawns.iter().map(|pawn| pawn.1).collect();
            let pawns = shape.pawns(0).pieces();
            Leading {
                men: pawns.into_iter().map(|pawn| pawn.0.into()).collect(),
                placements: placements.map(squares).collect(),
                group: Group::FileMirror,
            }
        }
    };
    let digits = men.iter().map(|&man| Digit {
        man,
        count: 1,
        squares: !Bitboard::EMPTY,
        sets: SetOrder::Lexicographic,
    });
    let places: Vec<usize> = (0..=men.len()).collect();
    Order::try_new(&leading, &digits.collect::<Vec<_>>(), &places, false)
}

/// These pieces as men.
pub(crate) fn men_of(pieces: impl Iterator<Item = syzygy_tables::ColoredPiece>) -> Vec<Man> {
    pieces.map(|piece| piece_of(piece).into()).collect()
}

/// The order of a numbering's places.
///
/// # Errors
/// If the order has too many places.
pub fn order_of_numbering(numbering: &Numbering) -> Result<Order, OrderError> {
    let pieces = men_of(numbering.pieces());
    let squares = |squares: Vec<u8>| squares.into_iter().map(Square::new).collect();
    let mut groups = numbering.groups_of_pieces();
    let leading = Leading {
        men: pieces[groups.next().unwrap_or_default()].to_vec(),
        placements: numbering.leading_placements().map(squares).collect(),
        group: match numbering.leading_file() {
            Some(_) => Group::FileMirror,
            None => Group::D4,
        },
    };
    let digits: Vec<Digit> = groups
        .map(|group| {
            let man = pieces[group.start];
            Digit {
                man,
                count: group.len(),
                squares: if is_pawn(man) {
                    PAWNS
                } else {
                    !Bitboard::EMPTY
                },
                sets: SetOrder::Colexicographic,
            }
        })
        .collect();
    let places: Vec<usize> = numbering.groups_by_weight().collect();
    Order::try_new(&leading, &digits, &places, true)
}

pub(crate) fn is_pawn(man: Man) -> bool {
    (man.piece()).is_some_and(|piece| piece.kind == PieceType::Pawn)
}

/// The squares of pawns.
const PAWNS: Bitboard = Bitboard(0x00ff_ffff_ffff_ff00);
