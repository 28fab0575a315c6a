//! Slots of bitbases and interleaved indices of the same positions.

use super::classes::LikeMen;
use super::domain::{Domain, DomainError, MOST_PIECES};
use super::man::Man;
use super::row::Row;
use super::set::Bitbase;
use super::slots::Slot;
use crate::batch::{Backend, BatchWord};
use crate::board::{Color, Piece, PieceType, Square, Symmetry, bits};
use crate::index::{Equivalence, Numbering, Word};

/// A map between the slots of a [`Domain`] and the indices of the same positions.
///
/// An index numbers the pieces by their material, and a slot has its kings reduced by the domain's group. So
/// a codec also knows when two indices stand for the same position.
///
/// ```
/// use tbindex::bitbase::{Domain, SlotCodec};
/// use tbindex::{Color, Fen, Numbering, PlacementCodec};
/// let material = "KQvKR".parse()?;
/// let domain = Domain::try_new(material, &[])?;
/// let codec = SlotCodec::<u32>::try_new(&domain, Numbering::Natural)?;
/// let fen: Fen = "8/8/2k5/1r6/8/8/8/2KQ4 b - -".parse()?;
/// let index = PlacementCodec::<u32>::try_new(material, Numbering::Natural)?.encode(&fen.position)?;
/// let slot = codec.slot(index).expect("the kings don't touch");
/// assert_eq!(slot, domain.slot(&fen.position)?);
/// // The slot's own index is that of an image: the black king is in the triangle a1–d1–d4.
/// assert_eq!(codec.slot(codec.index(slot)), Some(slot));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SlotCodec<W> {
    domain: Domain,
    same: Equivalence<W>,
    /// The pieces by their numbers in an index.
    pieces: Vec<Piece>,
    /// The numbers of the white king, the black king, the other men and the fixed pieces.
    numbers: Vec<usize>,
    /// For each of them and each square the number that it adds to an index.
    parts: Vec<[W; 64]>,
}

impl<W: Word> SlotCodec<W> {
    /// The codec of a domain, for indices under a numbering.
    ///
    /// # Errors
    /// If there are leapers, or the word is too small for the pieces.
    ///
    /// # Panics
    /// Never.
    pub fn try_new(domain: &Domain, numbering: Numbering) -> Result<SlotCodec<W>, DomainError> {
        let material = domain.material().ok_or(DomainError::Leapers)?;
        let same = Equivalence::try_new(material, numbering)?;
        let pieces: Vec<Piece> = material.index_order().collect();
        let mut free: Vec<Option<Piece>> = pieces.iter().copied().map(Some).collect();
        let kings = Color::ALL.map(|color| Piece::new(color, PieceType::King));
        let men = domain.others().iter().filter_map(|man| man.piece());
        let fixed = domain.fixed().iter().map(|&(piece, _)| piece);
        let mut numbers = Vec::new();
        for piece in kings.into_iter().chain(men).chain(fixed) {
            let number = free.iter().position(|&other| other == Some(piece));
            let number = number.expect("the material has the domain's pieces");
            free[number] = None;
            numbers.push(number);
        }
        let part = |&number: &usize| -> [W; 64] {
            std::array::from_fn(|square| {
                same.layout()
                    .with_square(W::ZERO, number, Square::new(square as u8))
            })
        };
        Ok(SlotCodec {
            parts: numbers.iter().map(part).collect(),
            domain: domain.clone(),
            same,
            pieces,
            numbers,
        })
    }

    /// The equivalence that makes indices canonical. It has the group of the material, whatever the domain's
    /// is, and its like pieces.
    #[must_use]
    pub fn equivalence(&self) -> &Equivalence<W> {
        &self.same
    }

    /// The index of a slot, with all pieces where the slot has them. It need not be canonical.
    ///
    /// # Panics
    /// If the slot's slice is not below [`Domain::slices`].
    #[must_use]
    pub fn index(&self, slot: Slot) -> W {
        let fixed = self.domain.fixed().iter().map(|&(_, square)| square);
        let squares = self.domain.squares(slot).chain(fixed);
        let parts = self.parts.iter().zip(squares);
        parts.fold(W::ZERO, |index, (part, square)| {
            index | part[square.index()]
        })
    }

    /// The slot of an index, or of an equivalent, or `None` if the kings touch or no equivalent has the fixed
    /// pieces on their squares. Like men are taken in the order of their numbers in the index.
    #[must_use]
    pub fn slot(&self, index: W) -> Option<Slot> {
        let mut first = None;
        self.equivalents(index, false, &mut |slot| first = first.or(Some(slot)));
        first
    }

    /// Calls a function for the slots of an index's class: with `all` for every one, in no order and perhaps
    /// several times, otherwise for one.
    fn equivalents(&self, index: W, all: bool, each: &mut impl FnMut(Slot)) {
        let group = self.same.group();
        for &symmetry in group.members() {
            let squares = self.same.layout().decode(index);
            let squares = squares.map(|square| symmetry.apply(square));
            let mut men = [None; MOST_PIECES];
            for (man, (&piece, square)) in men.iter_mut().zip(self.pieces.iter().zip(squares)) {
                *man = Some((piece, square));
            }
            let Some((slice, turn, free_kings)) = self.take_kings_and_fixed(&mut men) else {
                continue;
            };
            let mut squares = [Square::A1; MOST_PIECES];
            self.assign(0, turn, &mut men, &mut squares, all, &mut |squares| {
                let squares = free_kings.iter().flatten().chain(squares);
                let offset =
                    squares.fold(0, |offset, square| offset << 6 | u64::from(square.number()));
                each(Slot { slice, offset });
            });
            let twins = self.domain.has_twins(slice) || self.domain.group() != group;
            if !all || !twins {
                return;
            }
        }
    }

    /// Takes the kings, and the pieces on fixed squares, out of a list. Returns the slice, the symmetry that
    /// leads there, and the kings' squares if they are free, or `None` if the kings touch or a fixed piece is
    /// missing.
    fn take_kings_and_fixed(
        &self,
        men: &mut [Option<(Piece, Square)>],
    ) -> Option<(usize, Symmetry, Option<[Square; 2]>)> {
        let kings = [self.numbers[0], self.numbers[1]];
        let [white, black] = kings.map(|number| men[number].take().map(|(_, square)| square));
        let kings = [white?, black?];
        let (slice, turn) = self.domain.slice_of_kings(kings)?;
        for &(piece, square) in self.domain.fixed() {
            let found = men.iter_mut().find(|man| {
                man.is_some_and(|(other, at)| other == piece && turn.apply(at) == square)
            })?;
            *found = None;
        }
        let free_kings = self.domain.has_free_kings().then_some(kings);
        Some((slice, turn, free_kings))
    }

    /// Gives the men from `k` on squares of their own kind, in all ways or in one.
    fn assign(
        &self,
        k: usize,
        turn: Symmetry,
        men: &mut [Option<(Piece, Square)>; MOST_PIECES],
        squares: &mut [Square; MOST_PIECES],
        all: bool,
        each: &mut impl FnMut(&[Square]),
    ) {
        let own = self.domain.others();
        if k == own.len() {
            each(&squares[..k]);
            return;
        }
        for at in 0..men.len() {
            let Some((piece, square)) = men[at].filter(|&(piece, _)| Man::from(piece) == own[k])
            else {
                continue;
            };
            men[at] = None;
            squares[k] = turn.apply(square);
            self.assign(k + 1, turn, men, squares, all, each);
            men[at] = Some((piece, square));
            if !all {
                return;
            }
        }
    }
}

impl Bitbase {
    /// Hands `each` the canonical index of each position of the set once, in no order and in batches. The set
    /// must have all slots of a position or none, as [`insert_indices`](Bitbase::insert_indices) makes it. With a
    /// dense scheme, [`Backend::rank_in_place`] makes dense numbers of a batch.
    ///
    /// A domain under a smaller group than its material's may have a position in several places. Its index is
    /// then handed over several times.
    ///
    /// # Errors
    /// The error that `each` returns; then nothing more is handed over.
    ///
    /// # Panics
    /// If the codec is of another domain.
    pub fn canonical_indices<W: BatchWord, E>(
        &self,
        codec: &SlotCodec<W>,
        backend: Backend,
        mut each: impl FnMut(&mut [W]) -> Result<(), E>,
    ) -> Result<(), E> {
        assert!(codec.domain == *self.domain(), "a codec of the domain");
        let domain = self.domain();
        let men = domain.men().len();
        let mut masks: [Option<Vec<Row>>; 2] = [None, None];
        let mut batch: Vec<W> = Vec::with_capacity(BATCH + 64);
        let mut hand_over = |batch: &mut Vec<W>| {
            backend.canonical_in_place(&codec.same, batch);
            each(batch)?;
            batch.clear();
            Ok(())
        };
        for slice in 0..domain.slices() {
            let mask = &mut masks[usize::from(domain.has_twins(slice))];
            let mask =
                &*mask.get_or_insert_with(|| domain.representatives(slice, LikeMen::Together));
            let kings = codec.index(Slot { slice, offset: 0 });
            // The parts of the men, which may have the kings among them. They are on a1 so far, and the number that they
            // add for that is taken out again.
            let first = 2 + domain.others().len() - men;
            let parts = &codec.parts[first..first + men];
            let base = parts.iter().fold(kings, |index, part| index ^ part[0]);
            let rows = self.slice(slice).iter().zip(mask);
            let words = rows.flat_map(|(&row, mask)| (row & *mask).0);
            for (mut squares, word) in words.enumerate().filter(|&(_, word)| word != 0) {
                let mut index = base;
                for k in (0..men.saturating_sub(1)).rev() {
                    index |= parts[k][squares & 63];
                    squares >>= 6;
                }
                match parts.last() {
                    Some(last) => batch.extend(bits(word).map(|bit| index | last[bit])),
                    None => batch.push(index),
                }
                if batch.len() >= BATCH {
                    hand_over(&mut batch)?;
                }
            }
        }
        if batch.is_empty() {
            return Ok(());
        }
        hand_over(&mut batch)
    }

    /// Adds all slots of the positions of some indices, with like men in every order and both of
    /// [twins](Domain::has_twins), and returns the number of indices that have no slot because their kings
    /// touch or fixed pieces are elsewhere. So the indices of [`canonical_indices`](Bitbase::canonical_indices)
    /// give back the set, but for placements in which free kings touch, which are never legal.
    ///
    /// # Panics
    /// If the codec is of another domain.
    pub fn insert_indices<W: Word>(&mut self, codec: &SlotCodec<W>, indices: &[W]) -> usize {
        assert!(codec.domain == *self.domain(), "a codec of the domain");
        let mut without = 0;
        for &index in indices {
            let mut any = false;
            codec.equivalents(index, true, &mut |slot| {
                any = true;
                self.insert(slot);
            });
            without += usize::from(!any);
        }
        without
    }
}

/// The least number of indices in a batch, but for the last: they stay in the nearest cache.
const BATCH: usize = 4096;
