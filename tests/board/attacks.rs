//! Attacks, and the sets of squares that they are, against an independent generator (`cozy-chess`).

use tbindex::{Bitboard, Color, Piece, PieceType, Square, attacks};

/// An independent generator's opinion of the same attacks.
fn by_cozy_chess(piece: Piece, from: Square, occupied: Bitboard) -> Bitboard {
    let square = cozy_chess::Square::index(from.index());
    let blockers = cozy_chess::BitBoard(occupied.0);
    let color = match piece.color {
        Color::White => cozy_chess::Color::White,
        Color::Black => cozy_chess::Color::Black,
    };
    let set = match piece.kind {
        PieceType::King => cozy_chess::get_king_moves(square),
        PieceType::Queen => {
            cozy_chess::get_rook_moves(square, blockers)
                | cozy_chess::get_bishop_moves(square, blockers)
        }
        PieceType::Rook => cozy_chess::get_rook_moves(square, blockers),
        PieceType::Bishop => cozy_chess::get_bishop_moves(square, blockers),
        PieceType::Knight => cozy_chess::get_knight_moves(square),
        PieceType::Pawn => cozy_chess::get_pawn_attacks(square, color),
    };
    Bitboard(set.0)
}

#[test]
fn attacks_agree_with_an_independent_generator() {
    let mut occupied = Bitboard(0x0123_4567_89ab_cdef);
    for _ in 0..300 {
        for color in Color::ALL {
            for kind in PieceType::ALL {
                let piece = Piece::new(color, kind);
                for from in Square::all() {
                    let expected = by_cozy_chess(piece, from, occupied);
                    assert_eq!(
                        attacks(piece, from, occupied),
                        expected,
                        "{piece} on {from}"
                    );
                }
            }
        }
        occupied =
            Bitboard(occupied.0.wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ occupied.0.rotate_left(31));
    }
}

#[test]
fn the_empty_set_has_no_first() {
    assert_eq!(Bitboard::EMPTY.into_iter().next_back(), None);
    assert_eq!(Bitboard::EMPTY.into_iter().next(), None);
}

#[test]
fn iteration_goes_both_ways_and_knows_its_length() {
    let set = Bitboard(0x8000_2208_5600_2411);
    let up: Vec<_> = set.into_iter().collect();
    let mut down: Vec<_> = set.into_iter().rev().collect();
    down.reverse();
    assert_eq!(up, down);
    assert_eq!(set.into_iter().len(), up.len());
    assert!(up.windows(2).all(|w| w[0] < w[1]));
    assert_eq!(up.into_iter().collect::<Bitboard>(), set);
}
