//! The slots of positions: where in a table their values are.

use tbindex::bitbase::Man;
use tbindex::{Color, Material, Piece, PieceType, Position, Square, Symmetry, bitbase};

use crate::chess::error::ProbeError;
use crate::chess::pawns::Pawns;
use crate::table::shape::{Shape, table_of};

/// The place of a position in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The side to move.
    pub side: Color,
    /// The number of the placement of the pawns.
    pub part: usize,
    /// The place in the part.
    pub at: bitbase::Slot,
}

/// The number that turns a square's into that of its image, upside down if colours are exchanged, and mirrored or not.
const fn turn(swapped: bool, mirrored: bool) -> u8 {
    (if swapped { 56 } else { 0 }) | (if mirrored { 7 } else { 0 })
}

impl Shape {
    /// The place of a position in this shape's tables. Its colours may be exchanged.
    #[doc(hidden)]
    pub fn slot(&self, position: &Position) -> Result<Slot, ProbeError> {
        let found = position.material()?;
        let (material, swapped) = table_of(&found);
        if material != self.material() {
            return Err(ProbeError::Material {
                expected: self.material(),
                found,
            });
        }
        let pieces: Vec<_> = position.occupied().collect();
        self.slot_of(&pieces, position.side, swapped)
    }

    /// The place in this shape's tables of pieces on squares. They must be those of its material, after an
    /// exchange of colours if `swapped`. Where both sides have the same pieces, colours are exchanged if pawns are only
    /// then where the shape has them: what led there may be a table that has its own colours exchanged.
    pub(crate) fn slot_of(
        &self,
        pieces: &[(Piece, Square)],
        side: Color,
        swapped: bool,
    ) -> Result<Slot, ProbeError> {
        let pawns = Pawns::among(pieces);
        let there = |swapped: bool| {
            let pawns = if swapped { pawns.turned() } else { pawns };
            let (part, mirrored) = self.placements().look_for(pawns)?;
            Some((swapped, part, mirrored))
        };
        let same = self.material() == self.material().swap_colors();
        let (swapped, part, mirrored) = there(swapped)
            .or_else(|| there(!swapped).filter(|_| same))
            .ok_or(ProbeError::Pawns(self.material()))?;
        let turned =
            |square: Square| Square::from_low_bits(square.number() ^ turn(swapped, mirrored));
        let mut kings = [Square::A1; 2];
        let others = self.any_domain().men().iter().filter(|man| !man.is_king());
        let mut squares = [None; bitbase::MOST_PIECES];
        for &(piece, square) in pieces {
            let piece = if swapped { piece.swap_color() } else { piece };
            let square = turned(square);
            match piece.kind {
                PieceType::King => kings[piece.color as usize] = square,
                PieceType::Pawn => {}
                _ => {
                    let man = self.piece_set().man(piece);
                    let mut own = others.clone().zip(&mut squares);
                    let free = own.find(|(own, there)| **own == man && there.is_none());
                    if let Some((_, free)) = free {
                        *free = Some(square);
                    }
                }
            }
        }
        let squares = squares.map(|square| square.unwrap_or(Square::A1));
        let count = others.count();
        let at = self.any_domain().slot_of_squares(kings, &squares[..count]);
        let (at, _) = at.ok_or_else(|| ProbeError::Kings(kings.map(turned)))?;
        let side = if swapped { !side } else { side };
        Ok(Slot { side, part, at })
    }

    /// The offset of a slot with like men in ascending order of their squares.
    pub(crate) fn in_order(&self, offset: u64) -> u64 {
        in_order(self.any_domain().men(), offset)
    }

    /// The position of a slot, whether legal or not, or `None` if two pieces share a square.
    #[doc(hidden)]
    #[must_use]
    pub fn position(&self, slot: Slot) -> Option<Position> {
        let domain = self.domain(slot.part);
        let free = self.free_pieces().zip(domain.squares(slot.at));
        let mut board = [None; 64];
        for (piece, square) in free.chain(domain.fixed().iter().copied()) {
            if board[square.index()].replace(piece).is_some() {
                return None;
            }
        }
        Some(Position {
            board,
            side: slot.side,
        })
    }
}

/// The offset of a slot of these men with like ones in ascending order of their squares.
pub(crate) fn in_order(men: &[Man], offset: u64) -> u64 {
    let shift = |k: usize| 6 * (men.len() - 1 - k);
    let mut offset = offset;
    for _ in 1..men.len() {
        for a in 0..men.len() {
            for b in a + 1..men.len() {
                let [first, second] = [a, b].map(|k| offset >> shift(k) & 63);
                if men[a] == men[b] && first > second {
                    offset ^= (first ^ second) << shift(a) | (first ^ second) << shift(b);
                }
            }
        }
    }
    offset
}

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
        let turn = turn(self.swapped, mirrored);
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
            at.offset = in_order(domain.men(), at.offset);
        }
        let side = if self.swapped { !side } else { side };
        Some(Slot { side, part, at })
    }
}
