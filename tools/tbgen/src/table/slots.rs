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
        let slot = |swapped: bool| {
            let slots = RowSlots::of(self, pieces.iter().map(|man| man.0), swapped);
            slots.find(pieces.iter().map(|man| man.1.number()), side)
        };
        let found = slot(swapped);
        let same = || self.material() == self.material().swap_colors();
        match found {
            Err(ProbeError::Pawns(_)) if same() => slot(!swapped),
            found => found,
        }
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

/// Finds the slots of rows of squares, with the pieces in a fixed order.
#[derive(Debug)]
pub(crate) struct RowSlots<'s> {
    shape: &'s Shape,
    roles: [Role; bitbase::MOST_PIECES],
    pieces: usize,
    /// Whether the colours of the row are exchanged in the shape.
    swapped: bool,
    men: usize,
    has_like_men: bool,
}

impl<'s> RowSlots<'s> {
    /// The rows of a shape with all placements of pawns and of pieces of chess, which must be its own, perhaps with colours exchanged.
    pub(crate) fn new(shape: &'s Shape, pieces: &[Piece]) -> RowSlots<'s> {
        let swapped = Material::from_pieces(pieces.iter().copied())
            .is_ok_and(|material| table_of(&material).1);
        let slots = RowSlots::of(shape, pieces.iter().copied(), swapped);
        let men = shape.any_domain().men();
        let has_like_men = (1..men.len()).any(|b| men[..b].contains(&men[b]));
        RowSlots {
            has_like_men,
            ..slots
        }
    }

    /// Of the pieces of a shape, after an exchange of colours if `swapped`. Like men are in any order.
    fn of(shape: &'s Shape, pieces: impl Iterator<Item = Piece>, swapped: bool) -> RowSlots<'s> {
        let others = || (shape.any_domain().men().iter()).filter(|man| !man.is_king());
        let mut slots = RowSlots {
            shape,
            roles: [Role::King(Color::White); bitbase::MOST_PIECES],
            pieces: 0,
            swapped,
            men: others().count(),
            has_like_men: false,
        };
        let mut taken = [false; bitbase::MOST_PIECES];
        for piece in pieces {
            let piece = if swapped {
                Piece::new(!piece.color, piece.kind)
            } else {
                piece
            };
            slots.roles[slots.pieces] = match piece.kind {
                PieceType::King => Role::King(piece.color),
                PieceType::Pawn => Role::Pawn(piece.color),
                _ => {
                    let man = shape.piece_set().man(piece);
                    let mut own = others().zip(&mut taken).enumerate();
                    let free = own.find(|(_, (own, taken))| **own == man && !**taken);
                    let (number, (_, taken)) = free.expect("the shape's pieces");
                    *taken = true;
                    Role::Man(number)
                }
            };
            slots.pieces += 1;
        }
        slots
    }

    /// The slot of pieces on squares below 64, with like men in order, or `None` if the kings touch or a pawn is on a rank where
    /// there are none.
    pub(crate) fn slot(&self, squares: &[u8], side: Color) -> Option<Slot> {
        self.find(squares.iter().copied(), side).ok()
    }

    fn find(
        &self,
        squares: impl Iterator<Item = u8> + Clone,
        side: Color,
    ) -> Result<Slot, ProbeError> {
        let roles = &self.roles[..self.pieces];
        let mut pawns = Pawns::default();
        for (role, square) in roles.iter().zip(squares.clone()) {
            if let Role::Pawn(color) = role {
                pawns.add(*color, Square::new(square));
            }
        }
        if self.swapped {
            // The colours are those of the shape already.
            pawns = pawns.image(Symmetry::FlipVertical);
        }
        let part = self.shape.placements().look_for(pawns);
        let (part, mirrored) = part.ok_or(ProbeError::Pawns(self.shape.material()))?;
        // Upside down if colours are exchanged, and mirrored or not.
        let turn = if self.swapped { 56 } else { 0 } | if mirrored { 7 } else { 0 };
        let (mut kings, mut men) = ([Square::A1; 2], [Square::A1; bitbase::MOST_PIECES]);
        for (role, square) in roles.iter().zip(squares) {
            let square = Square::new(square ^ turn);
            match *role {
                Role::King(color) => kings[color as usize] = square,
                Role::Man(man) => men[man] = square,
                Role::Pawn(_) => {}
            }
        }
        let domain = self.shape.any_domain();
        let at = domain.slot_of_squares(kings, &men[..self.men]);
        let before = |king: Square| Square::new(king.number() ^ turn);
        let (mut at, _) = at.ok_or_else(|| ProbeError::Kings(kings.map(before)))?;
        if self.has_like_men {
            at.offset = in_order(domain.men(), at.offset);
        }
        let side = if self.swapped { !side } else { side };
        Ok(Slot { side, part, at })
    }
}
