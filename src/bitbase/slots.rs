//! The numbers of placements: the place of each piece's square in them.

use super::domain::{Domain, DomainError};
use super::row::Row;
use crate::board::{Bitboard, Color, Piece, PieceType, Position, Square, Symmetry, attacks, bits};
use crate::checks::check_length;

/// The number of a placement in a [`Domain`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// The number of the kings' pair of squares, below [`Domain::slices`]; 0 if the kings are free.
    pub slice: usize,
    /// The number within the slice, below [`Domain::slice_slots`]: six bits for the square of each man, a1 =
    /// 0 to h8 = 63, the last man's lowest.
    pub offset: u64,
}

impl Domain {
    /// Panics if the domain does not have a slot.
    #[track_caller]
    #[inline]
    pub(super) fn check_slot(&self, function: &str, slot: Slot) {
        let (slices, slots) = (self.slices(), self.slice_slots());
        assert!(
            slot.slice < slices && slot.offset < slots,
            "{function}: {slot:?} in a domain of {slices} slices of {slots} slots"
        );
    }

    /// The positions of a row of a slice that are slots. With less than two men, only the first word of a
    /// slice has slots, and without any only its first bit.
    #[inline]
    pub(super) fn slots_of(&self, row_of_slice: usize, row: &Row) -> Row {
        let men = self.men().len();
        if men >= 2 {
            return *row;
        }
        let mut used = Row::EMPTY;
        if row_of_slice == 0 {
            used.0[0] = if men == 1 { row.0[0] } else { row.0[0] & 1 };
        }
        used
    }

    /// The slots of a row of a whole set.
    pub(super) fn slots_of_row(&self, at: usize, row: &Row) -> impl Iterator<Item = Slot> + use<> {
        let (slice, at) = (at / self.rows(), at % self.rows());
        let words = self.slots_of(at, row).0.into_iter().zip(at * 8..);
        words.flat_map(move |(word, at)| {
            bits(word).map(move |bit| Slot {
                slice,
                offset: (at * 64 + bit) as u64,
            })
        })
    }

    /// The number of a slot among those of all slices, which is its place in a table in the
    /// [order of the domain](crate::order::Order::of_domain).
    ///
    /// ```
    /// use tbindex::bitbase::{Domain, Slot};
    /// let domain = Domain::try_new("KRvK".parse()?, &[])?;
    /// let slot = Slot { slice: 3, offset: 5 };
    /// assert_eq!(domain.number(slot), 3 * 64 + 5);
    /// assert_eq!(domain.slot_of_number(3 * 64 + 5), slot);
    /// # Ok::<(), tbindex::bitbase::DomainError>(())
    /// ```
    ///
    /// # Panics
    /// If the domain does not have the slot.
    #[must_use]
    #[track_caller]
    pub fn number(&self, slot: Slot) -> u64 {
        self.check_slot("number", slot);
        slot.slice as u64 * self.slice_slots() + slot.offset
    }

    /// The slot with a [number](Domain::number).
    ///
    /// ```
    /// # use tbindex::bitbase::Domain;
    /// let domain = Domain::try_new("KRvK".parse()?, &[])?;
    /// assert_eq!(domain.slot_of_number(64).slice, 1);
    /// # Ok::<(), tbindex::bitbase::DomainError>(())
    /// ```
    ///
    /// # Panics
    /// If the domain does not have the slot.
    #[must_use]
    #[track_caller]
    pub fn slot_of_number(&self, number: u64) -> Slot {
        let slot = Slot {
            slice: (number / self.slice_slots()) as usize,
            offset: number % self.slice_slots(),
        };
        self.check_slot("slot_of_number", slot);
        slot
    }

    /// The squares of the white king, the black king, and the other men in their order, whether the kings have
    /// slices or are free.
    ///
    /// ```
    /// # use tbindex::bitbase::{Domain, Slot};
    /// let domain = Domain::try_new("KRvK".parse()?, &[])?;
    /// let squares = domain.squares(Slot { slice: 0, offset: 63 }).map(|square| square.to_string());
    /// assert_eq!(squares.collect::<Vec<_>>(), ["b1", "d1", "h8"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the domain does not have the slot.
    #[inline]
    #[track_caller]
    pub fn squares(&self, slot: Slot) -> impl Iterator<Item = Square> + use<> {
        self.check_slot("squares", slot);
        let men = self.men().len();
        let offset = slot.offset;
        let men = (0..men).map(move |k| digit(offset, men, k));
        let kings = self.king_pairs().map(|pairs| pairs.all()[slot.slice]);
        kings.into_iter().flatten().chain(men)
    }

    /// The slot of a placement, given by the squares of the white king and the black king and of the other men
    /// in their order, and the symmetry that takes these squares to the slot's. Men's squares may coincide.
    ///
    /// Returns `None` if the kings touch or are on the same square, even where they are free and the placement has
    /// a slot.
    ///
    /// ```
    /// # use tbindex::bitbase::{Domain, Slot};
    /// # use tbindex::{Square, Symmetry};
    /// let domain = Domain::try_new("KRvK".parse()?, &[])?;
    /// let [g1, e1, a8, f1] = ["g1", "e1", "a8", "f1"].map(|name| name.parse::<Square>().unwrap());
    /// let slot = Slot { slice: 0, offset: 63 };
    /// assert_eq!(domain.slot_of_squares([g1, e1], &[a8]), Some((slot, Symmetry::FlipHorizontal)));
    /// assert_eq!(domain.slot_of_squares([g1, f1], &[a8]), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If there are not as many squares as men other than kings.
    #[must_use]
    #[track_caller]
    pub fn slot_of_squares(&self, kings: [Square; 2], men: &[Square]) -> Option<(Slot, Symmetry)> {
        check_length("slot_of_squares", men.len(), self.others().len());
        let [white, black] = kings;
        let (free, (slice, symmetry)) = match self.king_pairs() {
            Some(pairs) => (&[][..], pairs.find(white, black)?),
            None => {
                let king = Piece::new(Color::White, PieceType::King);
                let near = attacks(king, white, Bitboard::EMPTY).with(white);
                let slice = (!near.contains(black)).then_some((0, Symmetry::Identity))?;
                (&kings[..], slice)
            }
        };
        let offset = free.iter().chain(men).fold(0, |offset, &square| {
            offset << 6 | u64::from(symmetry.apply(square).number())
        });
        Some((Slot { slice, offset }, symmetry))
    }

    /// A slot of a position. Like pieces are taken in the order of their squares, a1 first. Their exchange,
    /// and the [twin](Domain::has_twins) of the position, have other slots.
    ///
    /// ```
    /// # use tbindex::bitbase::{Domain, Slot};
    /// # use tbindex::Fen;
    /// let domain = Domain::try_new("KRvK".parse()?, &[])?;
    /// let fen: Fen = "R7/8/8/8/8/8/8/4k1K1 b - -".parse()?;
    /// assert_eq!(domain.slot(&fen.position)?, Slot { slice: 0, offset: 63 });
    /// let fen: Fen = "Q7/8/8/8/8/8/8/4k1K1 b - -".parse()?;
    /// assert!(domain.slot(&fen.position).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the position has other pieces, the kings touch, a fixed piece is not on its square, or there are
    /// leapers.
    ///
    /// # Panics
    /// Never.
    pub fn slot(&self, position: &Position) -> Result<Slot, DomainError> {
        let expected = self.material().ok_or(DomainError::Leapers)?;
        let found = position.material()?;
        if found != expected {
            return Err(DomainError::OtherMaterial { expected, found });
        }
        let mut board = position.board;
        for &(piece, square) in self.fixed() {
            if board[square.index()].take() != Some(piece) {
                return Err(DomainError::NotThere(piece, square));
            }
        }
        let mut take = |piece: Piece| {
            let at = board.iter().position(|&there| there == Some(piece));
            let at = at.expect("the material is the same");
            board[at] = None;
            Square::new(at as u8)
        };
        let kings = Color::ALL.map(|color| take(Piece::new(color, PieceType::King)));
        let pieces = self.others().iter().filter_map(|man| man.piece());
        let men: Vec<Square> = pieces.map(take).collect();
        let slot = self.slot_of_squares(kings, &men);
        slot.map(|(slot, _)| slot)
            .ok_or(DomainError::Touching(kings))
    }

    /// The position of a slot with a side to move, or `None` if two pieces share a square. The position is
    /// not necessarily legal: the other side may be in check.
    ///
    /// ```
    /// # use tbindex::bitbase::{Domain, Slot};
    /// # use tbindex::Color;
    /// let domain = Domain::try_new("KRvK".parse()?, &[])?;
    /// let position = domain.position(Slot { slice: 0, offset: 63 }, Color::Black)?;
    /// assert_eq!(position.map(|p| p.placement()).as_deref(), Some("7R/8/8/8/8/8/8/1K1k4"));
    /// // The rook and the black king are on d1.
    /// assert_eq!(domain.position(Slot { slice: 0, offset: 3 }, Color::Black)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there are leapers.
    ///
    /// # Panics
    /// If the domain does not have the slot.
    #[track_caller]
    pub fn position(&self, slot: Slot, side: Color) -> Result<Option<Position>, DomainError> {
        if self.material().is_none() {
            return Err(DomainError::Leapers);
        }
        let kings = Color::ALL.map(|color| Piece::new(color, PieceType::King));
        let pieces = self.others().iter().filter_map(|man| man.piece());
        let free = kings.into_iter().chain(pieces).zip(self.squares(slot));
        let mut board = [None; 64];
        for (piece, square) in free.chain(self.fixed().iter().copied()) {
            if board[square.index()].replace(piece).is_some() {
                return Ok(None);
            }
        }
        Ok(Some(Position { board, side }))
    }
}

/// The square of man `k` of `men` in an offset or, if `men` counts only the men whose squares number the slabs, in
/// the number of a slab.
#[inline(always)]
pub(super) fn digit(offset: u64, men: usize, k: usize) -> Square {
    Square::from_low_bits((offset >> (6 * (men - 1 - k))) as u8)
}
