//! The slots of positions that are rows of squares, with the pieces in a fixed order.

use tbindex::{Color, Material, Piece, PieceType, Square, Symmetry, bitbase};

use crate::chess::pawns::Pawns;
use crate::table::shape::{Shape, Slot, table_of};

/// The part of a piece's square in a slot.
#[derive(Clone, Copy, Debug)]
enum Role {
    King(Color),
    Pawn(Color),
    /// Another man, by its number among those.
    Man(usize),
}

/// Finds the slots of rows of squares.
#[derive(Debug)]
pub(crate) struct RowSlots<'s> {
    shape: &'s Shape,
    roles: Vec<Role>,
    /// Whether the colours of the row are exchanged in the shape.
    swapped: bool,
    men: usize,
    has_like_men: bool,
}

impl<'s> RowSlots<'s> {
    /// Of a shape with all placements of pawns and of pieces of chess, which must be its own, perhaps with colours exchanged.
    pub(crate) fn new(shape: &'s Shape, pieces: &[Piece]) -> RowSlots<'s> {
        let swapped = Material::from_pieces(pieces.iter().copied())
            .is_ok_and(|material| table_of(&material).1);
        let domain = shape.any_domain();
        let others = domain.men().iter().filter(|man| !man.is_king());
        let mut free: Vec<Option<Piece>> = others.map(|man| man.piece()).collect();
        let men = free.len();
        let has_like_men = (1..men).any(|b| free[..b].contains(&free[b]));
        let roles = pieces.iter().map(|&piece| {
            let piece = if swapped { piece.swap_color() } else { piece };
            match piece.kind {
                PieceType::King => Role::King(piece.color),
                PieceType::Pawn => Role::Pawn(piece.color),
                _ => {
                    let man = free.iter().position(|&man| man == Some(piece));
                    let man = man.expect("the shape's pieces");
                    free[man] = None;
                    Role::Man(man)
                }
            }
        });
        RowSlots {
            shape,
            roles: roles.collect(),
            swapped,
            men,
            has_like_men,
        }
    }

    /// The slot of pieces on squares below 64, with like men in order, or `None` if the kings touch or a pawn is on a rank where
    /// there are none.
    pub(crate) fn slot(&self, squares: &[u8], side: Color) -> Option<Slot> {
        let mut pawns = Pawns::default();
        for (role, &square) in self.roles.iter().zip(squares) {
            if let Role::Pawn(color) = role {
                pawns.add(*color, Square::from_low_bits(square));
            }
        }
        if self.swapped {
            // The colours are those of the shape already.
            pawns = pawns.image(Symmetry::FlipVertical);
        }
        let (part, mirrored) = self.shape.placements().look_for(pawns)?;
        let turn = match (self.swapped, mirrored) {
            (false, false) => 0,
            (false, true) => 7,
            (true, false) => 56,
            (true, true) => 63,
        };
        let (mut kings, mut men) = ([Square::A1; 2], [Square::A1; bitbase::MOST_PIECES]);
        for (role, &square) in self.roles.iter().zip(squares) {
            let square = Square::from_low_bits(square ^ turn);
            match *role {
                Role::King(color) => kings[color as usize] = square,
                Role::Man(man) => men[man] = square,
                Role::Pawn(_) => {}
            }
        }
        let domain = self.shape.any_domain();
        let (mut at, _) = domain.slot_of_squares(kings, &men[..self.men])?;
        if self.has_like_men {
            at.offset = self.shape.in_order(at.offset);
        }
        let side = if self.swapped { !side } else { side };
        Some(Slot { side, part, at })
    }
}
