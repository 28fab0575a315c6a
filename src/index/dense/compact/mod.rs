//! The smallest tables: king pairs, like pieces as sets, squares not shared, diagonals counted once.
//!
//! A slot is, from the top, the number of the [king pair](KingPairs), then for each set of like
//! pieces the number of its set of squares among all sets of so many squares:
//!
//! - Pawns come first, white's before black's, because they choose from other squares than the
//!   pieces; then the pieces in the order of the material's name.
//! - Where squares may not be shared, a set chooses from the squares that those before it have left;
//!   they are counted through without gaps.
//! - m like pieces on m of t squares have C(t, m) sets; they are numbered in lexicographic order, by
//!   the least square first. Where squares may be shared, like pieces may, too: the square of the
//!   j-th of them, counted from 0, is raised by j, which makes m of t + m − 1 different squares.
//!
//! Pawns choose from 48 squares less those that the kings occupy, so a slice's size depends on how
//! many kings stand on the ranks 2 to 7, and slices start where a table says.
//!
//! With both kings on the diagonal, the mirror along it is still to be divided out; `mirror` does it.

mod block;
mod mirror;
mod sets;

pub(crate) use block::BLOCK;

use std::ops::Range;

use self::block::Tables;
use self::mirror::{Mirror, mirrored};
use self::sets::{LikeSet, Place};
use super::binomial::choose_from;
use super::digits::{Others, apply_code};
use super::{Cursor, Dense, KingDistance, KingPairs, Layout, Run, Sliced, Word, check_slot};
use crate::board::{Bitboard, Material, Square};
use crate::index::{LayoutError, Numbering, Stage};

/// What is done where all leading pieces are on the diagonal, so that a position and its mirror
/// image along it can't be told apart by them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Diagonal {
    /// Both have a slot and are [twins](Dense::twin). Simpler arithmetic, a few slots too many.
    Both,
    /// They share one: every class has exactly one slot.
    Exact,
}

/// Which positions a [`Compact`] numbering has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    kings: KingDistance,
    shared: bool,
    diagonal: Diagonal,
}

impl Rules {
    /// Any squares, shared or not; pawns on ranks 2 to 7. Exact.
    pub const ALL: Rules = Rules {
        kings: KingDistance::Any,
        shared: true,
        diagonal: Diagonal::Exact,
    };

    /// No two pieces on one square. Exact.
    pub const DISTINCT: Rules = Rules {
        kings: KingDistance::Distinct,
        shared: false,
        diagonal: Diagonal::Exact,
    };

    /// No two pieces on one square, kings not on neighbouring squares. Exact.
    pub const KINGS_APART: Rules = Rules {
        kings: KingDistance::Apart,
        shared: false,
        diagonal: Diagonal::Exact,
    };

    /// Kings not on neighbouring squares, the other pieces anywhere, on shared squares, too. Exact.
    pub const KINGS_APART_SHARED: Rules = Rules {
        kings: KingDistance::Apart,
        shared: true,
        diagonal: Diagonal::Exact,
    };

    /// The rules that leave what a stage of an [`Enumeration`](crate::Enumeration) leaves; `None` for
    /// [`Stage::Legal`], which no arithmetic counts.
    #[must_use]
    pub const fn of_stage(stage: Stage) -> Option<Rules> {
        match stage {
            Stage::All => Some(Rules::ALL),
            Stage::Distinct => Some(Rules::DISTINCT),
            Stage::KingsApart => Some(Rules::KINGS_APART),
            Stage::Legal => None,
        }
    }

    /// These rules with another policy for the diagonal.
    #[must_use]
    pub const fn with_diagonal(self, diagonal: Diagonal) -> Rules {
        Rules { diagonal, ..self }
    }

    /// How far apart the kings have to be.
    #[must_use]
    pub const fn kings(&self) -> KingDistance {
        self.kings
    }

    /// Whether pieces other than the kings may share squares.
    #[must_use]
    pub const fn shared(&self) -> bool {
        self.shared
    }

    /// What is done on the diagonal.
    #[must_use]
    pub const fn diagonal(&self) -> Diagonal {
        self.diagonal
    }
}

/// Why a material has no dense numbering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DenseError {
    /// The word does not hold the index.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// More pieces than are numbered.
    #[error("{material} has {} pieces: compact slots are for up to {max}", material.piece_count(), max = Compact::<u64>::MAX_PIECES)]
    TooManyPieces {
        /// The material.
        material: Material,
    },
}

/// The numbering by king pairs and sets of like pieces: the smallest tables, and under
/// [`Diagonal::Exact`] exactly one slot for every class of equivalent positions.
///
/// Indices are of the natural numbering, pieces numbered as in the material's index. Unranking gives
/// like pieces their canonical order.
///
/// ```
/// use tbindex::{Compact, Dense, Diagonal, Rules};
/// let material = "KRRvK".parse()?;
/// let exact = Compact::<u32>::try_new(&material, Rules::KINGS_APART)?;
/// assert_eq!(exact.size(), 854_238);
/// let both = Compact::<u32>::try_new(&material, Rules::KINGS_APART.with_diagonal(Diagonal::Both))?;
/// assert_eq!(both.size(), 462 * (62 * 61 / 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Compact<W> {
    layout: Layout<W>,
    material: Material,
    rules: Rules,
    pairs: KingPairs,
    /// The index of each pair with all other pieces on a1.
    leading: Box<[W; 4096]>,
    /// The other pieces.
    digits: Others<W>,
    sets: Vec<LikeSet>,
    /// The place of each set's number in a slot, by how many kings stand on ranks 2 to 7.
    places: [Vec<Place>; 3],
    /// Where each slice starts, and the size.
    firsts: Starts,
    /// The numbering of the slices with both kings on the diagonal, if it is exact.
    mirror: Option<Mirror>,
    /// What blocks look up.
    tables: Tables<W>,
}

/// The squares of all pieces, by their numbers; those of pieces that there are not are 0.
type Squares = [u8; Compact::<u64>::MAX_PIECES];

/// How many kings of a pair stand where pawns may.
#[inline]
fn kings_among_pawns(kings: [Square; 2]) -> usize {
    let among = |square: Square| usize::from(sets::PAWN_SQUARES.contains(square));
    among(kings[0]) + among(kings[1])
}

/// Where slices start.
#[derive(Clone, Debug)]
struct Starts {
    /// The first slot of each slice, and the number of all slots.
    firsts: Vec<u64>,
    /// For the highest bits of a slot the slice of the first slot with these bits.
    buckets: Vec<u16>,
    /// How many bits below those there are.
    shift: u32,
}

impl Starts {
    fn new(firsts: Vec<u64>) -> Starts {
        let end = firsts[firsts.len() - 1];
        // More buckets than slices, so that few buckets hold the start of more than one.
        let bits = 2 + firsts.len().ilog2();
        let shift = (end.ilog2() + 1).saturating_sub(bits);
        let buckets = (0..=end >> shift)
            .map(|bucket| {
                let after = firsts.partition_point(|&first| first <= bucket << shift);
                (after - 1).min(firsts.len() - 2) as u16
            })
            .collect();
        Starts {
            firsts,
            buckets,
            shift,
        }
    }

    #[inline(always)]
    fn of(&self, id: usize) -> u64 {
        self.firsts[id]
    }

    /// The slice of a slot.
    #[inline(always)]
    fn find(&self, slot: u64) -> usize {
        let mut id = usize::from(self.buckets[(slot >> self.shift) as usize]);
        while self.firsts[id + 1] <= slot {
            id += 1;
        }
        id
    }
}

/// What a numbering will be, its sizes in 128 bits so that any material can be counted.
struct Plan {
    pairs: KingPairs,
    sets: Vec<LikeSet>,
    shared: bool,
    /// How many squares each set chooses from, by how many kings stand on ranks 2 to 7.
    squares: [Vec<usize>; 3],
    /// Each set's number of possibilities, by the same.
    choices: [Vec<u128>; 3],
    mirror: Option<Mirror>,
}

impl Plan {
    fn new(material: &Material, rules: Rules) -> Plan {
        let pairs = KingPairs::new(material.group(), rules.kings);
        let sets = LikeSet::of_material(material);
        let squares = [0, 1, 2].map(|kings| {
            let mut taken = 0;
            let mut squares = Vec::new();
            for set in &sets {
                let kings = if set.zone == Bitboard::ALL { 2 } else { kings };
                let others = if rules.shared { 0 } else { kings + taken };
                squares.push((set.zone.len() as usize).saturating_sub(others));
                taken += set.count;
            }
            squares
        });
        let choices: [Vec<u128>; 3] = squares.each_ref().map(|squares| {
            let sets = sets.iter().zip(squares);
            sets.map(|(set, &free)| choose_from(free, set.count, rules.shared))
                .collect()
        });
        let tied = pairs.diagonal_from() < pairs.len() && rules.diagonal == Diagonal::Exact;
        let mirror = tied.then(|| Mirror::new(&sets, &choices[0], rules.shared));
        Plan {
            pairs,
            sets,
            shared: rules.shared,
            squares,
            choices,
            mirror,
        }
    }

    /// Where each set's number is in a slot, with so many kings on ranks 2 to 7; `None` if a weight
    /// does not fit.
    fn places(&self, kings: usize) -> Option<Vec<Place>> {
        let mut weight = 1u64;
        let mut places = Vec::new();
        let choices = self.choices[kings].iter().zip(&self.squares[kings]);
        for (set, (&count, &free)) in self.sets.iter().zip(choices).rev() {
            let repeats = if self.shared { set.count - 1 } else { 0 };
            places.push(Place {
                weight,
                squares: free + repeats,
            });
            weight = weight.checked_mul(u64::try_from(count).ok()?)?;
        }
        places.reverse();
        Some(places)
    }

    fn slice_sizes(&self) -> impl Iterator<Item = u128> + '_ {
        let usual = self.choices.each_ref().map(|c| c.iter().product::<u128>());
        let tied = self.mirror.as_ref().map(Mirror::size);
        self.pairs
            .all()
            .iter()
            .enumerate()
            .map(move |(id, &kings)| {
                tied.filter(|_| id >= self.pairs.diagonal_from())
                    .unwrap_or(usual[kings_among_pawns(kings)])
            })
    }
}

impl<W: Word> Compact<W> {
    /// The most pieces that have compact slots: as many as an index of 64 bits.
    pub const MAX_PIECES: usize = 10;

    /// The numbering of a material's positions.
    ///
    /// # Errors
    /// If the material has more than ten pieces, or more than the word holds.
    pub fn try_new(material: &Material, rules: Rules) -> Result<Compact<W>, DenseError> {
        let layout = Layout::of_material(material, Numbering::Natural)?;
        let too_many = DenseError::TooManyPieces {
            material: *material,
        };
        if material.piece_count() > Self::MAX_PIECES {
            return Err(too_many);
        }
        let plan = Plan::new(material, rules);
        let mut places = [const { Vec::new() }; 3];
        for (kings, places) in places.iter_mut().enumerate() {
            *places = plan.places(kings).ok_or(too_many)?;
        }
        let mut firsts = vec![0];
        let mut end = 0;
        for size in plan.slice_sizes() {
            end += size;
            firsts.push(u64::try_from(end).map_err(|_| too_many)?);
        }
        let firsts = Starts::new(firsts);
        let weights: Vec<[u64; 3]> = (0..plan.sets.len())
            .map(|set| places.each_ref().map(|places| places[set].weight))
            .collect();
        Ok(Compact {
            tables: Tables::new(&firsts, &weights),
            layout,
            material: *material,
            rules,
            leading: plan.pairs.leading_indices(layout),
            digits: Others::new(layout, layout.pieces() - 2),
            pairs: plan.pairs,
            sets: plan.sets,
            places,
            firsts,
            mirror: plan.mirror,
        })
    }

    /// How many slots the numbering of a material has, for any number of pieces and without making
    /// it.
    ///
    /// ```
    /// # use tbindex::{Compact, Rules};
    /// let material = "KQRBNvKQRBN".parse()?;
    /// let slots = Compact::<u64>::slots(&material, Rules::KINGS_APART);
    /// assert_eq!(slots, 61_551_140_840_481_600);
    /// # Ok::<(), tbindex::MaterialError>(())
    /// ```
    #[must_use]
    pub fn slots(material: &Material, rules: Rules) -> u128 {
        Plan::new(material, rules).slice_sizes().sum()
    }

    /// The material.
    #[must_use]
    pub const fn material(&self) -> &Material {
        &self.material
    }

    /// The rules.
    #[must_use]
    pub const fn rules(&self) -> Rules {
        self.rules
    }

    /// The king pairs: slice `id` has the kings on `pairs().squares(id)`.
    #[must_use]
    pub const fn pairs(&self) -> &KingPairs {
        &self.pairs
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

    /// The squares of the pieces that are no kings.
    #[inline(always)]
    fn squares(&self, index: W) -> Squares {
        let mut digits = Self::number(self.digits.concatenate(index));
        std::array::from_fn(|_| {
            let square = digits as u8 & 63;
            digits >>= 6;
            square
        })
    }

    /// The index of a slice's kings and pieces on these squares.
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
        if self.rules.shared {
            Bitboard::EMPTY
        } else {
            self.pairs.squares(id).into_iter().collect()
        }
    }

    /// The numbering up to the mirror, if the slice is subject to it.
    #[inline]
    fn mirror(&self, id: usize) -> Option<&Mirror> {
        let mirror = self.mirror.as_ref();
        mirror.filter(|_| id >= self.pairs.diagonal_from())
    }

    #[inline]
    fn places(&self, id: usize) -> &[Place] {
        if self.material.has_pawns() {
            &self.places[kings_among_pawns(self.pairs.squares(id))]
        } else {
            &self.places[0]
        }
    }

    /// The number, within their part of a slot, of the sets from set `from` on.
    #[inline]
    fn rank_sets(
        &self,
        from: usize,
        places: &[Place],
        squares: &Squares,
        mut occupied: Bitboard,
    ) -> Option<u64> {
        let mut number = 0;
        for (set, place) in self.sets.iter().zip(places).skip(from) {
            let (choice, taken) = set.rank(
                squares,
                set.zone - occupied,
                place.squares,
                self.rules.shared,
            )?;
            number += choice * place.weight;
            if !self.rules.shared {
                occupied |= taken;
            }
        }
        Some(number)
    }

    #[inline]
    fn unrank_sets(
        &self,
        from: usize,
        places: &[Place],
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
                self.rules.shared,
                squares,
            );
            number %= place.weight;
            if !self.rules.shared {
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
                // The numbers of up to ten pieces fit 64 bits.
                let first = tied.number as u64;
                first + self.rank_sets(tied.sets, places, &squares, tied.occupied)?
            }
        };
        Some(Self::word(self.firsts.of(id) + number))
    }

    /// The slice of a slot, the squares of its pieces, and whether the position is its own mirror
    /// image where the slice is exact.
    #[inline]
    fn decode(&self, slot: W) -> (usize, Squares, bool) {
        self.decode_in(self.slice_of(slot), slot)
    }

    /// [`decode`](Compact::decode) where the slice is known.
    #[inline]
    fn decode_in(&self, id: usize, slot: W) -> (usize, Squares, bool) {
        let places = self.places(id);
        let number = Self::number(slot) - self.firsts.of(id);
        let kings = self.taken_by_kings(id);
        let mut squares = Squares::default();
        match self.mirror(id) {
            None => {
                self.unrank_sets(0, places, number, &mut squares, kings);
                (id, squares, false)
            }
            Some(mirror) => {
                let tied = mirror.unrank(&self.sets, kings, u128::from(number), &mut squares);
                let rest = tied.number as u64;
                self.unrank_sets(tied.sets, places, rest, &mut squares, tied.occupied);
                (id, squares, !tied.broken)
            }
        }
    }

    /// The squares from its own on that the last piece may have, the others staying; for slices
    /// whose runs are of consecutive slots.
    #[inline]
    fn last_squares(&self, id: usize, squares: &Squares) -> Bitboard {
        let Some((last, before)) = self.sets.split_last() else {
            return Bitboard::EMPTY;
        };
        if self.rules.shared {
            return last.last_squares(squares, last.zone);
        }
        let others = before.iter().flat_map(|set| set.low..set.low + set.count);
        let occupied = others
            .chain(last.low + 1..last.low + last.count)
            .map(|k| Square::from_low_bits(squares[k]))
            .fold(self.taken_by_kings(id), Bitboard::with);
        last.last_squares(squares, last.zone - occupied)
    }
}

impl<W: Word> Dense<W> for Compact<W> {
    fn layout(&self) -> Layout<W> {
        self.layout
    }

    #[inline]
    fn size(&self) -> W {
        Self::word(self.firsts.of(self.pairs.len()))
    }

    #[inline]
    fn rank(&self, index: W) -> Option<W> {
        let (id, symmetry) = self.pairs.find_leading(self.layout, index)?;
        let folded = apply_code(self.layout, symmetry, index);
        self.rank_in_slice(id, &self.squares(folded))
    }

    #[inline]
    fn unrank(&self, slot: W) -> W {
        let (id, squares, _) = self.decode(slot);
        self.index(id, &squares)
    }

    fn weight(&self, slot: W) -> u32 {
        let id = self.slice_of(slot);
        if id < self.pairs.diagonal_from() {
            return self.pairs.group().order();
        }
        match self.mirror(id) {
            // A position that is not its own mirror image has a slot for both.
            Some(_) if !self.decode(slot).2 => 8,
            _ => 4,
        }
    }

    fn twin(&self, slot: W) -> Option<W> {
        let id = self.slice_of(slot);
        if id < self.pairs.diagonal_from() || self.mirror(id).is_some() {
            return None;
        }
        let (id, squares, _) = self.decode(slot);
        self.rank_in_slice(id, &squares.map(mirrored))
            .filter(|&twin| twin != slot)
    }

    fn rank_after_move(&self, slot: W, piece: usize, to: Square) -> Option<W> {
        if piece < self.others() {
            // The kings stay, and with them the slice.
            let (id, mut squares, _) = self.decode(slot);
            squares[piece] = to.number();
            return self.rank_in_slice(id, &squares);
        }
        self.rank(self.layout.with_square(self.unrank(slot), piece, to))
    }

    fn last_piece(&self) -> usize {
        self.sets.last().map_or(0, |set| set.low)
    }

    fn run_at(&self, mark: W) -> Option<(Run<W>, W)> {
        if mark >= self.size() {
            return None;
        }
        let (id, squares, _) = self.decode(mark);
        let index = self.index(id, &squares);
        let piece = self.last_piece();
        let last = if self.sets.is_empty() {
            Bitboard::from_square(self.layout.square(index, piece))
        } else if self.mirror(id).is_none() {
            self.last_squares(id, &squares)
        } else {
            self.tied_run(mark, index, self.slice(id).end)
        };
        let run = Run {
            index,
            piece,
            last,
            first: Some(mark),
        };
        Some((run, mark + W::from(last.len() as u8)))
    }

    #[inline]
    fn advance(&self, cursor: &mut Cursor<W>) -> bool {
        let next = cursor.slot + W::ONE;
        if next >= self.size() {
            return false;
        }
        // The slice is known without looking for the slot: the position is as unrank gives it.
        let found = self.pairs.find_leading(self.layout, cursor.index);
        let id = found.map_or(0, |found| found.0);
        let piece = self.last_piece();
        let from = Bitboard::from_square(self.layout.square(cursor.index, piece));
        let to = if self.mirror(id).is_some() {
            None
        } else {
            (self.last_squares(id, &self.squares(cursor.index)) - from).first()
        };
        *cursor = match to {
            Some(to) => Cursor {
                slot: next,
                index: self.layout.with_square(cursor.index, piece, to),
            },
            None => self.seek(next),
        };
        true
    }
}

impl<W: Word> Compact<W> {
    /// The squares of the last piece in the slots from `first` on that follow each other in a slice
    /// numbered up to the mirror: there the order is that of the parts a set is taken apart into, so
    /// runs are found by looking, and are shorter.
    fn tied_run(&self, first: W, index: W, end: W) -> Bitboard {
        let piece = self.last_piece();
        let mut at = self.layout.square(index, piece);
        let mut last = Bitboard::from_square(at);
        let mut slot = first + W::ONE;
        while slot < end {
            let next = self.unrank(slot);
            let to = self.layout.square(next, piece);
            if to <= at || self.layout.with_square(index, piece, to) != next {
                break;
            }
            (at, last, slot) = (to, last.with(to), slot + W::ONE);
        }
        last
    }
}

impl<W: Word> Sliced<W> for Compact<W> {
    fn slice_count(&self) -> usize {
        self.pairs.len()
    }

    fn slice(&self, id: usize) -> Range<W> {
        Self::word(self.firsts.of(id))..Self::word(self.firsts.of(id + 1))
    }

    #[inline]
    fn slice_of(&self, slot: W) -> usize {
        check_slot(slot, self.size());
        self.firsts.find(Self::number(slot))
    }

    fn leading_squares(&self, id: usize) -> &[Square] {
        &self.pairs.all()[id]
    }
}
