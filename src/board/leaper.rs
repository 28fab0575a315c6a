//! Leapers: pieces given as a set of steps, each by at most two files and two ranks.

use std::fmt;
use std::ops::Not;

use super::{Bitboard, NameError, Square, Step, Symmetry};

/// A piece that leaps, over whatever stands in between, at most two files and two ranks: a set of
/// [steps](Step), as 24 bits.
///
/// The squares around the piece are numbered from the top left, row by row, without the middle;
/// square `k` is bit `k − 1`:
///
/// ```text
/// 01 02 03 04 05
/// 06 07 08 09 10
/// 11 12 -- 13 14
/// 15 16 17 18 19
/// 20 21 22 23 24
/// ```
///
/// Row 1 is two ranks *forward*, that is up. The operators `&`, `|`, `^`, `!` and `-` are the operators of
/// sets. Leapers are ordered by their numbers.
///
/// ```
/// use tbindex::Step;
/// use tbindex::{Leaper, Square, Symmetry};
/// let knight = Leaper::KNIGHT;
/// assert_eq!((knight.bits(), knight.steps().len()), (0x54422a, 8));
/// assert!(knight.steps().any(|step| step == Step::new(1, 2)));
/// assert_eq!(knight.attacks(Square::A1), ["c2".parse()?, "b3".parse()?].into_iter().collect());
/// assert_eq!(knight.image(Symmetry::Rotate90), knight);
/// // The attacks of a white pawn, and the squares from which it attacks.
/// let pawn: Leaper = [Step::new(-1, 1), Step::new(1, 1)].into_iter().collect();
/// let back = [Step::new(1, -1), Step::new(-1, -1)].into_iter().collect();
/// assert_eq!(pawn.image(Symmetry::Rotate180), back);
/// # Ok::<(), tbindex::NameError>(())
/// ```
///
/// [`fairy`](crate::fairy) reads and writes leapers in several notations, and tells whether they are
/// bound.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Leaper(u32);

impl Leaper {
    /// The number of all leapers, 2²⁴: `(0..Leaper::COUNT).map(Leaper::new)` are all.
    pub const COUNT: u32 = 1 << 24;
    /// The leaper that can't move.
    pub const EMPTY: Leaper = Leaper(0);

    /// The knight, N.
    pub const KNIGHT: Leaper = Leaper::by(2, 1);
    /// The commoner, which moves like a king but is not royal, K = WF.
    pub const KING: Leaper = Leaper(Leaper::by(1, 0).0 | Leaper::by(1, 1).0);

    /// All steps by `long` squares in one direction and `short` in the other.
    pub(crate) const fn by(long: i8, short: i8) -> Leaper {
        let mut leaper = Leaper::EMPTY;
        let mut index = 0;
        while index < 24 {
            let step = Step::ALL[index];
            let (files, ranks) = (step.files.abs(), step.ranks.abs());
            if (files == long && ranks == short) || (files == short && ranks == long) {
                leaper = leaper.with(step);
            }
            index += 1;
        }
        leaper
    }

    /// The leaper with these 24 bits.
    ///
    /// # Panics
    /// If a bit above the 24th is set.
    #[must_use]
    #[inline]
    pub const fn new(bits: u32) -> Leaper {
        assert!(bits < Leaper::COUNT, "a leaper has 24 bits");
        Leaper(bits)
    }

    /// The leaper as a number below 2²⁴: square `k` is bit `k − 1`.
    #[must_use]
    #[inline]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The number of steps that the leaper has, 0 to 24.
    #[inline]
    pub(crate) const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the leaper can't move at all.
    #[inline]
    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the step is one of the leaper's.
    #[inline]
    pub(crate) const fn contains(self, step: Step) -> bool {
        self.0 >> (step.number() - 1) & 1 != 0
    }

    /// Whether every step of this leaper is one of `other`'s.
    #[must_use]
    #[inline]
    pub(crate) const fn is_within(self, other: Leaper) -> bool {
        self.0 & !other.0 == 0
    }

    /// The leaper with `step` among its steps.
    #[must_use]
    #[inline]
    pub(crate) const fn with(self, step: Step) -> Leaper {
        Leaper(self.0 | 1 << (step.number() - 1))
    }

    /// The steps in the order of their numbers.
    pub fn steps(self) -> impl ExactSizeIterator<Item = Step> + Clone {
        let steps = Bitboard(self.0.into()).into_iter();
        steps.map(|square| Step::ALL[square.index()])
    }

    /// The squares of the board that the leaper on `from` reaches by one step.
    #[must_use]
    #[inline]
    pub const fn attacks(self, from: Square) -> Bitboard {
        // The five rows of the picture, five bits each, with an empty middle.
        let rows = self.0 & 0xfff | (self.0 & 0xff_f000) << 1;
        let (file, rank) = (from.file() as u32, from.rank() as u32);
        let mut attacked = 0;
        let mut row = 0;
        while row < 5 {
            // Row 0 is two ranks above the piece; a rank below the board wraps around to a large number.
            // Bit 0 of a row is two files left of the piece.
            let to = (rank + 2).wrapping_sub(row);
            if to < 8 {
                let on_rank = (rows >> (5 * row) & 31) << file >> 2 & 0xff;
                attacked |= (on_rank as u64) << (8 * to);
            }
            row += 1;
        }
        Bitboard(attacked)
    }

    /// The leaper with the opposite steps: it leaps from `a` to `b` if this one
    /// leaps from `b` to `a`.
    #[must_use]
    #[inline]
    pub(crate) const fn reversed(self) -> Leaper {
        // The step back from square k of the picture is square 25 − k.
        Leaper(self.0.reverse_bits() >> 8)
    }

    /// The leaper turned or mirrored around its own square. The least of the eight images is the same for all that differ only
    /// by a symmetry.
    ///
    /// ```
    /// use tbindex::Step;
    /// use tbindex::{Leaper, Symmetry};
    /// let forward: Leaper = [Step::new(0, 1)].into_iter().collect();
    /// let right = [Step::new(1, 0)].into_iter().collect();
    /// assert_eq!(forward.image(Symmetry::Rotate90), right);
    /// ```
    #[must_use]
    pub const fn image(self, symmetry: Symmetry) -> Leaper {
        let mut image = Leaper::EMPTY;
        let mut rest = self.0;
        while rest != 0 {
            image = image.with(Step::ALL[rest.trailing_zeros() as usize].image(symmetry));
            rest &= rest - 1;
        }
        image
    }
}

impl TryFrom<u32> for Leaper {
    type Error = NameError;

    /// The leaper with these bits, of which none may be above the 24th.
    fn try_from(bits: u32) -> Result<Leaper, NameError> {
        let error = || NameError::new(&format!("{bits:#x}"), "leaper's number", "24 bits");
        (bits < Leaper::COUNT)
            .then_some(Leaper(bits))
            .ok_or_else(error)
    }
}

impl FromIterator<Step> for Leaper {
    fn from_iter<I: IntoIterator<Item = Step>>(steps: I) -> Leaper {
        steps.into_iter().fold(Leaper::EMPTY, Leaper::with)
    }
}

crate::board::set_operators!(Leaper);

impl Not for Leaper {
    type Output = Leaper;

    /// The leaper with exactly the steps that this one lacks.
    #[inline]
    fn not(self) -> Leaper {
        Leaper(!self.0 & (Leaper::COUNT - 1))
    }
}

/// The number in hexadecimal, `0x54422a`.
impl fmt::Display for Leaper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:#x}", self.0))
    }
}

impl fmt::Debug for Leaper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Leaper({:#x})", self.0)
    }
}
