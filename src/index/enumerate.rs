//! All placements of a material, in ascending order of their indices, by stages.
//!
//! The octal digits of the index are set one after the other from the top, so the indices come out
//! sorted. Canonical placements are made directly: like pieces get their codes in
//! ascending order only, and a leading king off the diagonal is canonical or not by its own square
//! alone; only with the leading king on the diagonal is each index compared with its mirror image.
//! Checks are bit-parallel over the squares of the last piece.

use std::fmt;

use super::{Equivalence, Layout, LayoutError, LikePieces, Numbering, Word};
use crate::board::{
    Bitboard, Color, Group, Material, Piece, PieceType, Rank, Square, attacks, between,
};
use crate::checks::check_below;
use crate::debug::debug_by;

/// The strictness of an enumeration; each stage includes the conditions of the stages before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Pieces stand on any squares, which they may share; pawns stand on ranks 2 to 7.
    All,
    /// No two pieces share a square.
    Distinct,
    /// Moreover, the kings are not on neighbouring squares.
    KingsApart,
    /// Moreover, the side *not* to move is not in check. There are no castling rights and no en passant.
    Legal,
}

impl Stage {
    /// All stages, the widest first.
    pub const ALL: [Stage; 4] = [Stage::All, Stage::Distinct, Stage::KingsApart, Stage::Legal];
}

/// Writes `all`, `distinct`, `kings_apart` or `legal`.
impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Stage::All => "all",
            Stage::Distinct => "distinct",
            Stage::KingsApart => "kings_apart",
            Stage::Legal => "legal",
        })
    }
}

crate::board::read_names!(Stage, "stage");

/// The number of placements that each stage leaves: 0 beyond the stage of the enumeration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct StageCounts([u128; 4]);

impl std::ops::Index<Stage> for StageCounts {
    type Output = u128;

    fn index(&self, stage: Stage) -> &u128 {
        &self.0[stage as usize]
    }
}

impl std::ops::AddAssign for StageCounts {
    fn add_assign(&mut self, other: StageCounts) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count += more;
        }
    }
}

/// The most pieces that are enumerated.
const MAX_PIECES: usize = 14;

/// All placements of a material up to a stage: every index, or the canonical ones only.
///
/// They come in ascending order, in chunks, which many threads may make, and which are counted by stages:
///
/// ```
/// use tbindex::{Color, Enumeration, Material, Numbering, Stage, StageCounts};
/// let material: Material = "KRvK".parse()?;
/// let all = Enumeration::<u32>::try_new(material, Numbering::Natural)?
///     .stage(Stage::Legal, Color::White)
///     .canonical_only();
/// let (mut counts, mut indices) = (StageCounts::default(), Vec::new());
/// for chunk in 0..all.chunk_count() {
///     counts += all.chunk(chunk, &mut indices);
/// }
/// assert_eq!(counts[Stage::KingsApart], 28_056);
/// assert!(indices.is_sorted() && indices.len() == 21_959);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Enumeration<W> {
    same: Equivalence<W>,
    pieces: Vec<Piece>,
    stage: Stage,
    side: Color,
    canonical_only: bool,
    /// The square of each code.
    squares: [Square; 64],
    /// For each like piece its next greater twin: it may not have a smaller code than that.
    twin: Vec<Option<usize>>,
}

impl<W: Word> Enumeration<W> {
    /// All placements of a material, shared squares included.
    ///
    /// ```
    /// # use tbindex::{Enumeration, Numbering};
    /// let kings = Enumeration::<u32>::try_new("KvK".parse()?, Numbering::Natural)?;
    /// let mut all = Vec::new();
    /// kings.chunk(0, &mut all);
    /// assert!(all.into_iter().eq(0..64 * 64));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the material has more pieces than the word holds, or more than 14: the chunks of
    /// 64¹⁵ placements could not be counted in 64 bits.
    pub fn try_new(material: Material, numbering: Numbering) -> Result<Self, LayoutError> {
        let same = Equivalence::<W>::try_new(material, numbering)?;
        let pieces = same.layout().pieces();
        if pieces > MAX_PIECES {
            return Err(LayoutError::Pieces {
                pieces,
                bits: W::BITS,
                max: MAX_PIECES,
            });
        }
        let pieces: Vec<Piece> = material.index_order().collect();
        let twin = (0..pieces.len())
            .map(|k| (k + 1..pieces.len()).find(|&j| pieces[j] == pieces[k]))
            .collect();
        Ok(Enumeration {
            same,
            pieces,
            stage: Stage::All,
            side: Color::White,
            canonical_only: false,
            squares: std::array::from_fn(|code| numbering.square(code as u8)),
            twin,
        })
    }

    /// Only the placements that this stage leaves; `side` is to move (it matters for
    /// [`Stage::Legal`] alone).
    ///
    /// ```
    /// # use tbindex::{Color, Enumeration, Numbering, Stage};
    /// let kings = Enumeration::<u32>::try_new("KvK".parse()?, Numbering::Natural)?;
    /// let mut all = Vec::new();
    /// let counts = kings.stage(Stage::Legal, Color::White).chunk(0, &mut all);
    /// assert_eq!((counts[Stage::Distinct], all.len()), (64 * 63, 3612));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn stage(self, stage: Stage, side: Color) -> Self {
        Enumeration {
            stage,
            side,
            ..self
        }
    }

    /// Only canonical placements, one of each class of equivalents.
    ///
    /// ```
    /// # use tbindex::{Color, Enumeration, Numbering, Stage};
    /// let kings = Enumeration::<u32>::try_new("KvK".parse()?, Numbering::Natural)?;
    /// let mut all = Vec::new();
    /// kings.stage(Stage::Legal, Color::White).canonical_only().chunk(0, &mut all);
    /// assert_eq!(all.len(), 462);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn canonical_only(self) -> Self {
        Enumeration {
            canonical_only: true,
            ..self
        }
    }

    /// The number of low bits that vary within a chunk: seven octal digits.
    fn chunk_bits(&self) -> u32 {
        (2 * self.same.layout().half()).min(21)
    }

    /// The number of chunks. A chunk is the placements whose indices agree in all but their
    /// lowest 21 bits, so it has at most 2²¹ of them.
    ///
    /// ```
    /// # use tbindex::{Enumeration, Numbering};
    /// let all = Enumeration::<u32>::try_new("KQRvKR".parse()?, Numbering::Natural)?;
    /// assert_eq!(all.chunk_count(), 512);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn chunk_count(&self) -> u64 {
        (self.same.layout().index_count() >> self.chunk_bits()) as u64
    }

    /// Appends the indices of a chunk to `out` in ascending order, and returns how many placements
    /// of the chunk each stage up to the one asked for leaves. Chunks are independent of each other:
    /// many threads may work on them.
    ///
    /// ```
    /// # use tbindex::{Color, Enumeration, Numbering, Stage};
    /// let all = Enumeration::<u32>::try_new("KQvKR".parse()?, Numbering::Natural)?;
    /// let (all, mut last) = (all.stage(Stage::Legal, Color::White), Vec::new());
    /// let counts = all.chunk(7, &mut last);
    /// assert_eq!(counts[Stage::Legal], last.len() as u128);
    /// assert_eq!(last.first(), Some(&0o7000_0021));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If `chunk` is not below [`chunk_count`](Enumeration::chunk_count).
    #[track_caller]
    pub fn chunk(&self, chunk: u64, out: &mut Vec<W>) -> StageCounts {
        check_below("chunk", "chunk", chunk, self.chunk_count());
        let n = self.pieces.len();
        let prefix = W::truncate(u128::from(chunk) << self.chunk_bits());
        let mut walk = Walk {
            all: self,
            prefix,
            free: self.chunk_bits() / 3,
            codes: [0; Material::MAX_PIECES],
            counts: StageCounts::default(),
            out,
        };
        walk.high_digit(n - 1, W::ZERO);
        walk.counts
    }

    /// Whether a placement with this code of its leading piece can be canonical, and if so, whether that piece leaves it
    /// open which of the placement and its mirror image is.
    fn lead(&self, code: u8) -> Option<bool> {
        let (lead, group) = (
            Layout::<u32>::new(1, self.same.layout().numbering()),
            self.same.group(),
        );
        let (code, alone) = (
            u32::from(code),
            Equivalence::new(lead, group, LikePieces::default()),
        );
        let is_fixed = group == Group::D4 && lead.flip_diagonal(code) == code;
        (alone.canonical(code) == code).then_some(is_fixed)
    }

    fn may_stand_on(&self, piece: usize, square: Square) -> bool {
        self.pieces[piece].kind != PieceType::Pawn
            || !matches!(square.rank(), Rank::First | Rank::Eighth)
    }
}

/// The digits set so far, from the top.
struct Walk<'a, W> {
    all: &'a Enumeration<W>,
    /// The chunk's part of the index.
    prefix: W,
    /// The number of low digits that are free; the prefix gives the others.
    free: u32,
    codes: [u8; Material::MAX_PIECES],
    counts: StageCounts,
    out: &'a mut Vec<W>,
}

/// The facts known of a placement whose low digits are partly set.
#[derive(Clone, Copy)]
struct Placed {
    occupied: Bitboard,
    distinct: bool,
    kings_apart: bool,
    /// The leading king is on the diagonal: each index has to be compared with its mirror image.
    undecided: bool,
}

impl<'a, W: Word> Walk<'a, W> {
    /// The values that the digit at `place` (counted in octal digits from the lowest) may have.
    fn digits(&self, place: usize) -> std::ops::Range<u8> {
        if (place as u32) < self.free {
            return 0..8;
        }
        let digit = (self.prefix >> (3 * place as u32)).low_byte() & 7;
        digit..digit + 1
    }

    fn high_digit(&mut self, k: usize, index: W) {
        let n = self.all.pieces.len();
        for high in self.digits(n + k) {
            if self.all.canonical_only
                && self.all.twin[k].is_some_and(|twin| high < self.codes[twin] >> 3)
            {
                continue;
            }
            self.codes[k] = high << 3;
            let index = index | W::from(high) << (3 * (n + k)) as u32;
            match k {
                0 => self.low_digit(
                    n - 1,
                    index,
                    Placed {
                        occupied: Bitboard::EMPTY,
                        distinct: true,
                        kings_apart: true,
                        undecided: false,
                    },
                ),
                _ => self.high_digit(k - 1, index),
            }
        }
    }

    /// The codes that piece `k` may have, its high digit being set.
    fn codes_of(&self, k: usize) -> impl Iterator<Item = u8> + use<'a, W> {
        let all = self.all;
        let high = self.codes[k] & 0o70;
        let least = match all.twin[k] {
            Some(twin) if all.canonical_only => self.codes[twin],
            _ => 0,
        };
        self.digits(k)
            .map(move |low| high | low)
            .filter(move |&code| code >= least)
            .filter(move |&code| all.may_stand_on(k, all.squares[usize::from(code)]))
    }

    fn low_digit(&mut self, k: usize, index: W, placed: Placed) {
        if k == 0 {
            return self.last_piece(index, placed);
        }
        let n = self.all.pieces.len();
        for code in self.codes_of(k) {
            let mut placed = placed;
            if k == n - 1 && self.all.canonical_only {
                let Some(undecided) = self.all.lead(code) else {
                    continue;
                };
                placed.undecided = undecided;
            }
            let square = self.all.squares[usize::from(code)];
            placed.distinct &= !placed.occupied.contains(square);
            placed.kings_apart &= k != n - 2 || self.is_off_white_king(square);
            placed.occupied = placed.occupied.with(square);
            self.codes[k] = code;
            self.low_digit(k - 1, index | W::from(code & 7) << (3 * k) as u32, placed);
        }
    }

    fn square(&self, k: usize) -> Square {
        self.all.squares[usize::from(self.codes[k])]
    }

    fn is_off_white_king(&self, square: Square) -> bool {
        let king = self.all.pieces.len() - 1;
        !attacks(self.all.pieces[king], self.square(king), Bitboard::EMPTY).contains(square)
    }

    /// Piece 0, whose squares are judged all at once.
    fn last_piece(&mut self, index: W, placed: Placed) {
        let all = self.all;
        let kings_apart = match all.pieces.len() {
            // KvK: the last piece is the black king.
            2 => !attacks(all.pieces[1], self.square(1), Bitboard::EMPTY),
            _ if placed.kings_apart => Bitboard::ALL,
            _ => Bitboard::EMPTY,
        };
        let distinct = if placed.distinct {
            !placed.occupied
        } else {
            Bitboard::EMPTY
        };
        let kings_apart = kings_apart & distinct;
        let legal = if all.stage == Stage::Legal && !kings_apart.is_empty() {
            kings_apart & self.without_check(placed.occupied)
        } else {
            Bitboard::EMPTY
        };
        let left = [Bitboard::ALL, distinct, kings_apart, legal];
        let stage = left[all.stage as usize];
        let mut seen = Bitboard::EMPTY;
        for code in self.codes_of(0) {
            let square = all.squares[usize::from(code)];
            let index = index | W::from(code & 7);
            if placed.undecided && all.same.canonical(index) != index {
                continue;
            }
            seen = seen.with(square);
            if stage.contains(square) {
                self.out.push(index);
            }
        }
        let counts = &mut self.counts.0[..=all.stage as usize];
        for (count, squares) in counts.iter_mut().zip(left) {
            *count += u128::from((squares & seen).len());
        }
    }

    /// The squares of the last piece with which the side not to move is not in check.
    fn without_check(&self, occupied: Bitboard) -> Bitboard {
        let all = self.all;
        let n = all.pieces.len();
        let attacker = all.side;
        let king = match attacker {
            Color::White => n - 2,
            Color::Black => n - 1,
        };
        if king == 0 {
            // KvK: two kings apart are never in check.
            return Bitboard::ALL;
        }
        let target = self.square(king);
        let mut safe = Bitboard::ALL;
        for k in (1..n).filter(|&k| all.pieces[k].color == attacker) {
            let from = self.square(k);
            let way = between(from, target);
            if attacks(all.pieces[k], from, Bitboard::EMPTY).contains(target)
                && (way & occupied).is_empty()
            {
                // Only the last piece can still step in between.
                safe &= way;
            }
        }
        let last = all.pieces[0];
        if last.color == attacker {
            // It attacks the king from where the same piece of the king's side would attack it.
            safe -= attacks(last.swap_color(), target, occupied);
        }
        safe
    }
}

debug_by!([W: fmt::Debug] Enumeration<W>: same, pieces, stage, side, canonical_only);
