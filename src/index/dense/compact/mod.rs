//! The smallest tables: king pairs, like pieces as sets, squares not shared, diagonals counted once.
//!
//! A slot is, from the top, the number of the [king pair](KingPairs), then for each set of like
//! pieces the number of its set of squares among all sets of so many squares:
//!
//! - Pawns come first, white's before black's, because they choose from other squares than the
//!   pieces; then the pieces in the order of the material's name.
//! - Where squares may not be shared, a set chooses from the squares that earlier sets have left;
//!   they are counted through without gaps.
//! - m like pieces on m of t squares have C(t, m) sets; they are numbered in lexicographic order, by
//!   the least square first. Where squares may be shared, like pieces may, too: the square of the
//!   j-th of them, counted from 0, is raised by j, which makes m of t + m − 1 different squares.
//!
//! Pawns choose from 48 squares less the kings' squares, so a slice's size depends on how
//! many kings stand on the ranks 2 to 7, and slices start where a table says.
//!
//! With both kings on the diagonal, the mirror along it is still to be divided out; `mirror` does it.

mod block;
mod mirror;
mod outline;
mod rows;
mod rules;
mod scheme;
mod sets;
mod tables;

pub(crate) use rows::{BLOCK, BlockRow};
pub use rules::{Diagonal, Rules};
pub use tables::WideDivision;

use self::mirror::DiagonalMirror;
use self::outline::{Outline, kings_among_pawns};
use self::sets::{LikeSet, MAX_PIECES, SetDigit, Squares};
use self::tables::Tables;
use super::digits::Others;
use super::{KingPairs, Layout, Word};
use crate::board::{Bitboard, Material};
use crate::debug::debug_by;
use crate::index::{LayoutError, Numbering};

/// The numbering by king pairs and sets of like pieces: the smallest tables, and under
/// [`Diagonal::Exact`] exactly one slot for every class of equivalent positions.
///
/// Pieces are numbered as in the material's index. The scheme computes in the natural numbering; it
/// converts an index of the alternate one first. Unranking gives like pieces the order that they have in a
/// canonical natural index.
///
/// ```
/// use tbindex::{Compact, Dense, Diagonal, Numbering, Rules};
/// let (material, natural) = ("KRRvK".parse()?, Numbering::Natural);
/// let exact = Compact::<u32>::try_new(material, natural, Rules::KingsApart, Diagonal::Exact)?;
/// assert_eq!(exact.size(), 854_238);
/// let both = Compact::<u32>::try_new(material, natural, Rules::KingsApart, Diagonal::Both)?;
/// assert_eq!(both.size(), 462 * (62 * 61 / 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Compact<W> {
    /// The layout of the indices that callers give and get.
    layout: Layout<W>,
    material: Material,
    rules: Rules,
    diagonal: Diagonal,
    /// Whether pieces other than the kings may share squares.
    shared: bool,
    pairs: KingPairs,
    /// The index of each pair with all other pieces on a1.
    leading: Box<[W; 4096]>,
    /// The other pieces.
    digits: Others<W>,
    sets: Vec<LikeSet>,
    /// The place of each set's number in a slot, by how many kings stand on ranks 2 to 7.
    places: [Vec<SetDigit>; 3],
    /// The numbering of the slices with both kings on the diagonal, if it is exact.
    mirror: Option<DiagonalMirror>,
    /// The look-up tables, among them where each slice starts.
    tables: Tables<W>,
}

/// A set of like pieces, numbered from `low` on, as a digit of slots.
pub(crate) struct CompactDigit {
    pub(crate) low: usize,
    pub(crate) count: usize,
    pub(crate) zone: Bitboard,
    /// How many squares it chooses from, with one more for each repetition, and its weight, by how many kings stand on
    /// ranks 2 to 7.
    pub(crate) places: [(usize, u64); 3],
}

impl<W: Word> Compact<W> {
    /// The most pieces that have compact slots: as many as an index of 64 bits.
    pub(crate) const MAX_PIECES: usize = MAX_PIECES;

    /// The numbering of a material's positions.
    ///
    /// ```
    /// # use tbindex::{Compact, Dense, Diagonal, Numbering, Rules};
    /// let (natural, exact) = (Numbering::Natural, Diagonal::Exact);
    /// let sizes = [Rules::All, Rules::Distinct, Rules::KingsApart].map(|rules| {
    ///     let scheme = Compact::<u32>::try_new("KRRvK".parse().unwrap(), natural, rules, exact);
    ///     scheme.unwrap().size()
    /// });
    /// assert_eq!(sizes, [1_065_984, 953_666, 854_238]);
    /// ```
    ///
    /// # Errors
    /// If the material has more than ten pieces, or more than the word holds.
    pub fn try_new(
        material: Material,
        numbering: Numbering,
        rules: Rules,
        diagonal: Diagonal,
    ) -> Result<Compact<W>, LayoutError> {
        let layout = Layout::try_new(material.piece_count(), numbering)?;
        let pieces = layout.pieces();
        let too_many = LayoutError::Pieces {
            pieces,
            bits: W::BITS,
            max: Self::MAX_PIECES,
        };
        if pieces > Self::MAX_PIECES {
            return Err(too_many);
        }
        let outline = Outline::new(material, rules, diagonal);
        let mut places = [const { Vec::new() }; 3];
        for (kings, places) in places.iter_mut().enumerate() {
            *places = outline.places(kings).ok_or(too_many)?;
        }
        let mut firsts = vec![0];
        let mut end = 0;
        for size in outline.slice_sizes() {
            end += size;
            firsts.push(u64::try_from(end).map_err(|_| too_many)?);
        }
        let weights: Vec<[u64; 3]> = (0..outline.sets.len())
            .map(|set| places.each_ref().map(|places| places[set].weight))
            .collect();
        Ok(Compact {
            tables: Tables::new(&firsts, &weights),
            layout,
            material,
            rules,
            diagonal,
            shared: rules.shares(),
            leading: outline.pairs.leading.indices(layout),
            digits: Others::new(layout, pieces - 2),
            pairs: outline.pairs,
            sets: outline.sets,
            places,
            mirror: outline.mirror,
        })
    }

    /// The number of slots that the numbering of a material has, for any number of pieces and without making
    /// it.
    ///
    /// ```
    /// # use tbindex::{Compact, Diagonal, Rules};
    /// let material = "KQRBNvKQRBN".parse()?;
    /// let slots = Compact::<u64>::slots(material, Rules::KingsApart, Diagonal::Exact);
    /// assert_eq!(slots, 61_551_140_840_481_600);
    /// # Ok::<(), tbindex::MaterialError>(())
    /// ```
    #[must_use]
    pub fn slots(material: Material, rules: Rules, diagonal: Diagonal) -> u128 {
        Outline::new(material, rules, diagonal).slice_sizes().sum()
    }

    /// The sets of like pieces, from the slowest to the fastest.
    pub(crate) fn digits(&self) -> impl Iterator<Item = CompactDigit> + '_ {
        let sets = self.sets.iter().enumerate();
        sets.map(|(k, set)| CompactDigit {
            low: set.low,
            count: set.count,
            zone: set.zone,
            places: (self.places.each_ref()).map(|places| (places[k].squares, places[k].weight)),
        })
    }

    /// How many kings of a slice stand where pawns may, if there are pawns.
    pub(crate) fn class(&self, id: usize) -> usize {
        let kings = self.material.has_pawns().then(|| self.pairs.all()[id]);
        kings.map_or(0, kings_among_pawns)
    }

    /// The first slice that leaves the mirror along the diagonal.
    pub(crate) fn diagonal_from(&self) -> usize {
        self.pairs.diagonal_from()
    }

    /// How many pieces there are besides the kings.
    #[inline]
    fn others(&self) -> usize {
        self.layout.pieces() - 2
    }

    #[inline]
    fn word(number: u64) -> W {
        W::truncate(u128::from(number))
    }

    #[inline]
    fn number(slot: W) -> u64 {
        let slot: u128 = slot.into();
        slot as u64
    }

    /// The squares of the pieces that are no kings, of a natural index.
    #[inline(always)]
    fn squares(&self, index: W) -> Squares {
        Self::squares_of(self.digits.concatenate(index))
    }

    /// The squares in the digits of a slot, piece 0 lowest.
    #[inline(always)]
    fn squares_of(digits: W) -> Squares {
        let mut digits = Self::number(digits);
        std::array::from_fn(|_| {
            let square = digits as u8 & 63;
            digits >>= 6;
            square
        })
    }

    /// The natural index of a slice's kings and of pieces on these squares.
    #[inline(always)]
    fn index(&self, id: usize, squares: &Squares) -> W {
        let digits = squares[..self.others()]
            .iter()
            .rev()
            .fold(0, |digits, &square| digits << 6 | u64::from(square));
        self.leading[id] | self.digits.interleave(Self::word(digits))
    }

    /// The kings' squares, where these are taken.
    #[inline]
    fn taken_by_kings(&self, id: usize) -> Bitboard {
        if self.shared {
            Bitboard::EMPTY
        } else {
            self.pairs.all()[id].into_iter().collect()
        }
    }

    /// The numbering up to the mirror, if the slice is subject to it.
    #[inline]
    fn mirror(&self, id: usize) -> Option<&DiagonalMirror> {
        let mirror = self.mirror.as_ref();
        mirror.filter(|_| id >= self.pairs.diagonal_from())
    }

    #[inline]
    fn places(&self, id: usize) -> &[SetDigit] {
        if self.material.has_pawns() {
            &self.places[kings_among_pawns(self.pairs.all()[id])]
        } else {
            &self.places[0]
        }
    }

    /// The number, within their part of a slot, of the sets from set `from` on.
    #[inline]
    fn rank_sets(
        &self,
        from: usize,
        places: &[SetDigit],
        squares: &Squares,
        mut occupied: Bitboard,
    ) -> Option<u64> {
        let mut number = 0;
        for (set, place) in self.sets.iter().zip(places).skip(from) {
            let (choice, taken) =
                set.rank(squares, set.zone - occupied, place.squares, self.shared)?;
            number += choice * place.weight;
            if !self.shared {
                occupied |= taken;
            }
        }
        Some(number)
    }

    #[inline]
    fn unrank_sets(
        &self,
        from: usize,
        places: &[SetDigit],
        mut number: u64,
        squares: &mut Squares,
        mut occupied: Bitboard,
    ) {
        for (set, place) in self.sets.iter().zip(places).skip(from) {
            let free = set.zone - occupied;
            let taken = set.unrank(
                number / place.weight,
                free,
                place.squares,
                self.shared,
                squares,
            );
            number %= place.weight;
            if !self.shared {
                occupied |= taken;
            }
        }
    }

    /// The slot of pieces on these squares, with the kings as the slice has them.
    #[inline]
    fn rank_in_slice(&self, id: usize, squares: &Squares) -> Option<W> {
        let places = self.places(id);
        let kings = self.taken_by_kings(id);
        let number = match self.mirror(id) {
            None => self.rank_sets(0, places, squares, kings)?,
            Some(mirror) => {
                let mut squares = *squares;
                let tied = mirror.rank(&self.sets, kings, &mut squares)?;
                tied.number + self.rank_sets(tied.sets, places, &squares, tied.occupied)?
            }
        };
        Some(Self::word(self.tables.first(id) + number))
    }

    /// The squares of the pieces of a slot, whose slice is `id`, and whether the position is its own mirror image where the
    /// slice is exact.
    #[inline]
    fn decode(&self, id: usize, slot: W) -> (Squares, bool) {
        let places = self.places(id);
        let number = Self::number(slot) - self.tables.first(id);
        let kings = self.taken_by_kings(id);
        let mut squares = Squares::default();
        match self.mirror(id) {
            None => {
                self.unrank_sets(0, places, number, &mut squares, kings);
                (squares, false)
            }
            Some(mirror) => {
                let tied = mirror.unrank(&self.sets, kings, number, &mut squares);
                self.unrank_sets(tied.sets, places, tied.number, &mut squares, tied.occupied);
                (squares, !tied.broken)
            }
        }
    }
}

debug_by!([W: std::fmt::Debug] Compact<W>: layout, material, rules, diagonal);
