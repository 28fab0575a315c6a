//! Positions whose leading men leave the mirror along the diagonal, where an order has one slot for a position and its
//! mirror image.

use super::exact::{Exact, ExactScheme};
use super::numbering::{Order, Set};
use super::squares::{MOST_PIECES, NumberedPlacement, Squares};
use crate::board::{Bitboard, Square, Symmetry};
use crate::index::Numbering;

impl Exact {
    /// Whether a position may be anywhere among the slots of its placement, which leaves the mirror, when these squares
    /// of it are known.
    pub(super) fn is_anywhere(
        &self,
        order: &Order,
        squares: &Squares,
        known: impl Iterator<Item = usize>,
    ) -> bool {
        match self.scheme {
            ExactScheme::Compact(_) => true,
            // All but those on the diagonal are words, whose digits stay where they are.
            ExactScheme::Orbit(_) => {
                (known.chain(0..order.leading)).all(|piece| on_diagonal(squares[piece]))
            }
        }
    }

    pub(super) fn rank(&self, order: &Order, squares: &Squares) -> Option<i64> {
        let pieces = order.men.len();
        let mut own = [Square::A1; MOST_PIECES];
        for (&number, &square) in self.numbers[..pieces].iter().zip(squares) {
            own[number] = Square::from_low_bits(square);
        }
        let index = self.layout.encode(&own[..pieces]);
        self.dense().rank(index).map(|slot| slot as i64)
    }

    fn unrank(&self, order: &Order, slot: i64) -> Squares {
        let index = self.dense().unrank(slot as u64);
        let mut own = [Square::A1; MOST_PIECES];
        for (own, square) in own.iter_mut().zip(self.layout.decode(index)) {
            *own = square;
        }
        let mut squares = Squares::default();
        for (square, &number) in squares.iter_mut().zip(&self.numbers[..order.men.len()]) {
            *square = own[number].number();
        }
        squares
    }

    /// Whether the digits before those of some pieces choose between a position and its mirror image. Then all squares of
    /// these pieces have the same symmetry.
    pub(super) fn is_settled(&self, order: &Order, squares: &Squares, men: &[usize]) -> bool {
        if squares[..order.leading]
            .iter()
            .any(|&square| !on_diagonal(square))
        {
            return true;
        }
        for set in &order.sets {
            if men.iter().any(|man| set.pieces().contains(man)) || set.repeated {
                return false;
            }
            if !is_even(set, squares) {
                return true;
            }
        }
        false
    }

    /// The slot of a position, and the symmetry that takes it to the squares whose shares add up to it.
    pub(super) fn turned(
        &self,
        order: &Order,
        placed: NumberedPlacement,
        squares: &Squares,
    ) -> Option<(i64, u8)> {
        let turned = Symmetry::from_code(placed.code).then(Symmetry::FlipDiagonal);
        let turned = turned as u8;
        let folded = order.images(placed.code, squares);
        let images = order.images(turned, squares);
        let (slot, is_turned) = match &self.scheme {
            ExactScheme::Compact(_) => {
                let slot = self.rank(order, squares)?;
                let is_turned = match order.sets.iter().find(|set| !is_even(set, &folded)) {
                    None => false,
                    // The first man off the diagonal is below it.
                    Some(set) if set.count == 1 => {
                        let square = folded[set.first];
                        square >> 3 > square & 7
                    }
                    Some(_) => {
                        let own = self.unrank(order, slot);
                        !order.are_same(&own, &folded) && order.are_same(&own, &images)
                    }
                };
                (slot, is_turned)
            }
            ExactScheme::Orbit(_) => {
                let word = order.sum(placed.number, &folded)?.address;
                let image = order.sum(placed.number, &images)?.address;
                // The leading square tells which of the two words is the slot. If they are one, it belongs to another position.
                let lead = Square::from_low_bits(folded[0]);
                match Numbering::Alternate.code(lead) & 1 {
                    0 => (word.min(image), image < word),
                    _ if word == image => (self.rank(order, squares)?, false),
                    _ => (word.max(image), image > word),
                }
            }
        };
        Some((slot, if is_turned { turned } else { placed.code }))
    }
}

/// Whether the squares of a set are their own mirror image along the diagonal.
#[inline(always)]
fn is_even(set: &Set, squares: &Squares) -> bool {
    if set.count == 1 {
        return on_diagonal(squares[set.first]);
    }
    let own = squares[set.pieces()].iter();
    let own: Bitboard = own.map(|&square| Square::from_low_bits(square)).collect();
    own == Symmetry::FlipDiagonal.apply_to_set(own)
}

#[inline(always)]
fn on_diagonal(square: u8) -> bool {
    square & 7 == square >> 3
}
