//! The results of promotions, for all files at once.
//!
//! A part that promotions lead to is 64 times as large as what one of them leads to, the positions with the new piece on one
//! square. Placements of pawns that differ in the file of the pawn that promotes lead to the same part, so it is read
//! once for all files.

use tbindex::bitbase::Domain;
use tbindex::{Piece, PieceType, Square};

use crate::subtables::library::SolveError;

/// Promotions to a piece that lead to a part, or to its mirror image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Promotions {
    pub(crate) mirrored: bool,
    pub(crate) piece: Piece,
}

/// The piece that a pawn has just become in a domain, and its square.
pub(crate) fn promoted_in(from: &Domain) -> Option<(Piece, Square)> {
    let mut fixed = from.fixed().iter().copied();
    fixed.find(|(piece, _)| piece.kind != PieceType::Pawn)
}

/// The set that is seen from a domain, and from those with the new piece on the other files of its rank.
pub(crate) fn on_each_file<V>(
    from: &Domain,
    see: impl Fn(&Domain) -> Result<V, SolveError>,
) -> Result<Vec<V>, SolveError> {
    let (new, square) = promoted_in(from).expect("a new piece");
    let files = 0..8u8;
    let views = files.map(|file| {
        let mut fixed = from.fixed().to_vec();
        for (piece, at) in &mut fixed {
            if *piece == new {
                *at = Square::new(square.number() / 8 * 8 + file);
            }
        }
        see(&from
            .with_others_fixed(&fixed)
            .expect("pawns on other ranks"))
    });
    views.collect()
}
