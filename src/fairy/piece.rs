//! Short-range pieces: sets of the 24 steps to the squares of a 5×5 grid.

use std::fmt;
use std::ops::Not;

use crate::board::Symmetry;

/// One step of a short-range piece, as a difference of squares.
///
/// Both parts are −2 … 2, and not both are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    /// The number of files to the right.
    pub files: i8,
    /// The number of ranks forward, that is up.
    pub ranks: i8,
}

impl Step {
    /// All 24 steps in the order of their numbers: rank by rank from the top left.
    pub const ALL: [Step; 24] = {
        let mut all = [Step { files: 0, ranks: 0 }; 24];
        let mut place = 0;
        let mut index = 0;
        while place < 25 {
            if place != 12 {
                all[index] = Step {
                    files: (place % 5) as i8 - 2,
                    ranks: 2 - (place / 5) as i8,
                };
                index += 1;
            }
            place += 1;
        }
        all
    };

    /// The step to the square with this number, 1 to 24, or `None`.
    ///
    /// The squares around the piece are numbered from the top left, without the middle.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Step> {
        if 1 <= number && number <= 24 {
            Some(Step::ALL[number as usize - 1])
        } else {
            None
        }
    }

    /// The step by so many files and ranks, or `None` if both are 0 or either is not −2 … 2.
    #[must_use]
    pub const fn new(files: i8, ranks: i8) -> Option<Step> {
        let in_range = -2 <= files && files <= 2 && -2 <= ranks && ranks <= 2;
        if in_range && (files != 0 || ranks != 0) {
            Some(Step { files, ranks })
        } else {
            None
        }
    }

    /// The number of the step's square, 1 to 24.
    #[must_use]
    pub const fn number(self) -> u8 {
        let place = (5 * (2 - self.ranks) + self.files + 2) as u8;
        if place < 12 { place + 1 } else { place }
    }

    /// The step's image under a symmetry of the plane around the piece.
    #[must_use]
    pub const fn image(self, symmetry: Symmetry) -> Step {
        let (files, ranks) = if symmetry.exchanges_file_and_rank() {
            (self.ranks, self.files)
        } else {
            (self.files, self.ranks)
        };
        Step {
            files: if symmetry.mirrors_files() {
                -files
            } else {
                files
            },
            ranks: if symmetry.mirrors_ranks() {
                -ranks
            } else {
                ranks
            },
        }
    }
}

/// The step as `(files,ranks)` with signs, such as `(-1,+2)`.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let signed = |value: i8| match value {
            0 => "0".to_owned(),
            _ => format!("{value:+}"),
        };
        f.pad(&format!("({},{})", signed(self.files), signed(self.ranks)))
    }
}

/// A piece that leaps at most two files and two ranks: a set of steps, as 24 bits.
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
/// Row 1 is two ranks *forward*. The operators `&`, `|`, `^`, `!` and `-` are those of sets. The
/// order of pieces is that of their numbers.
///
/// A piece is read from any of its notations, and printed in all of them:
///
/// ```
/// use tbindex::fairy::ShortRange;
/// let knight: ShortRange = "0x54422a".parse()?;
/// assert_eq!("02,04,06,10,15,19,21,23".parse(), Ok(knight));
/// assert_eq!("N".parse(), Ok(knight));
/// assert_eq!(knight.to_string(), "0x54422a");
/// assert_eq!(knight.list().to_string(), "02,04,06,10,15,19,21,23");
/// assert_eq!(knight.betza().as_deref(), Some("N"));
/// assert_eq!(
///     knight.diagram().to_string(),
///     ".. 02 .. 04 ..\n\
///      06 .. .. .. 10\n\
///      .. .. -- .. ..\n\
///      15 .. .. .. 19\n\
///      .. 21 .. 23 ..\n"
/// );
/// assert_eq!(knight.diagram().to_string().parse(), Ok(knight));
/// # Ok::<(), tbindex::fairy::NotationError>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct ShortRange(u32);

impl ShortRange {
    /// The number of all pieces, 2²⁴.
    pub const COUNT: u32 = 1 << 24;
    /// The piece that can't move.
    pub const EMPTY: ShortRange = ShortRange(0);
    /// The piece with all 24 moves.
    pub const ALL: ShortRange = ShortRange(ShortRange::COUNT - 1);

    /// The wazir, W: one square along a file or rank.
    pub const WAZIR: ShortRange = ShortRange(0x01_1880);
    /// The ferz, F: one square diagonally.
    pub const FERZ: ShortRange = ShortRange::leaper(1, 1);
    /// The dabbaba, D: a leap of two squares along a file or rank.
    pub const DABBABA: ShortRange = ShortRange::leaper(2, 0);
    /// The alfil, A: a leap of two squares diagonally.
    pub const ALFIL: ShortRange = ShortRange::leaper(2, 2);
    /// The knight, N.
    pub const KNIGHT: ShortRange = ShortRange(0x54_422a);
    /// The piece that moves like a king but is not royal, K = WF.
    pub const KING: ShortRange = ShortRange(ShortRange::WAZIR.0 | ShortRange::FERZ.0);
    /// The crab: the two foremost and the two hindmost *sideways* moves of a knight, `ffbsN`.
    pub const CRAB: ShortRange = ShortRange(0x04_400a);
    /// The Y: one square diagonally forwards, or one straight back.
    pub const Y: ShortRange = ShortRange(0x01_0140);
    /// The semi-pinwheel, 01,10,15,23: a pinwheel with one arm bent.
    pub const SEMI_PINWHEEL: ShortRange = ShortRange(0x40_4201);

    /// All steps by `long` squares in one direction and `short` in the other.
    const fn leaper(long: i8, short: i8) -> ShortRange {
        let mut bits = 0;
        let mut index = 0;
        while index < 24 {
            let Step { files, ranks } = Step::ALL[index];
            let (files, ranks) = (files.abs(), ranks.abs());
            if (files == long && ranks == short) || (files == short && ranks == long) {
                bits |= 1 << index;
            }
            index += 1;
        }
        ShortRange(bits)
    }

    /// The piece with these 24 bits.
    ///
    /// # Panics
    /// If a bit above the 24th is set.
    #[must_use]
    #[inline]
    pub const fn new(bits: u32) -> ShortRange {
        assert!(bits < ShortRange::COUNT, "a short-range piece has 24 bits");
        ShortRange(bits)
    }

    /// The piece with these bits, or `None` if one above the 24th is set.
    #[must_use]
    #[inline]
    pub const fn from_bits(bits: u32) -> Option<ShortRange> {
        if bits < ShortRange::COUNT {
            Some(ShortRange(bits))
        } else {
            None
        }
    }

    /// The piece as a number below 2²⁴: square `k` is bit `k − 1`.
    #[must_use]
    #[inline]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// All 2²⁴ pieces in the order of their numbers.
    pub fn all() -> impl DoubleEndedIterator<Item = ShortRange> + Clone {
        (0..ShortRange::COUNT).map(ShortRange)
    }

    /// The number of moves that the piece has, 0 to 24.
    #[must_use]
    #[inline]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the piece can't move at all.
    #[must_use]
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the step is one of the piece's moves.
    #[must_use]
    #[inline]
    pub const fn contains(self, step: Step) -> bool {
        self.0 >> (step.number() - 1) & 1 != 0
    }

    /// Whether every move of this piece is one of `other`'s.
    #[must_use]
    #[inline]
    pub const fn is_within(self, other: ShortRange) -> bool {
        self.0 & !other.0 == 0
    }

    /// The piece with `step` among its moves.
    #[must_use]
    #[inline]
    pub const fn with(self, step: Step) -> ShortRange {
        ShortRange(self.0 | 1 << (step.number() - 1))
    }

    /// The piece without `step`.
    #[must_use]
    #[inline]
    pub const fn without(self, step: Step) -> ShortRange {
        ShortRange(self.0 & !(1 << (step.number() - 1)))
    }

    /// The moves in the order of their numbers.
    pub fn steps(self) -> impl Iterator<Item = Step> + Clone {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let index = rest.trailing_zeros() as usize;
            rest &= rest.wrapping_sub(1);
            Step::ALL.get(index).copied()
        })
    }

    /// The piece turned or mirrored around its own square.
    ///
    /// ```
    /// use tbindex::{Symmetry, fairy::ShortRange};
    /// let forward: ShortRange = "fW".parse()?;
    /// assert_eq!(forward.image(Symmetry::Rotate90), "rW".parse()?);
    /// # Ok::<(), tbindex::fairy::NotationError>(())
    /// ```
    #[must_use]
    pub fn image(self, symmetry: Symmetry) -> ShortRange {
        self.steps().map(|step| step.image(symmetry)).collect()
    }

    /// The eight images, in the order of [`Symmetry::ALL`]. Some images of a symmetric piece are equal.
    #[must_use]
    pub fn images(self) -> [ShortRange; 8] {
        Symmetry::ALL.map(|symmetry| self.image(symmetry))
    }

    /// The image with the smallest number. It is the same for all pieces that differ only by a symmetry.
    #[must_use]
    pub fn canonical(self) -> ShortRange {
        self.images().into_iter().fold(self, ShortRange::min)
    }

    /// The squares of the moves with commas between them, `02,04,06`, or `none` for the empty piece.
    #[must_use]
    pub fn list(self) -> impl fmt::Display {
        let numbers: Vec<_> = self
            .steps()
            .map(|step| format!("{:02}", step.number()))
            .collect();
        if numbers.is_empty() {
            "none".to_owned()
        } else {
            numbers.join(",")
        }
    }

    /// The 5×5 diagram: the numbers of the moves' squares, dots elsewhere, the piece as `--`.
    #[must_use]
    pub fn diagram(self) -> impl fmt::Display {
        let mut text = String::new();
        for ranks in (-2..=2).rev() {
            let row: Vec<_> = (-2..=2)
                .map(|files| match Step::new(files, ranks) {
                    None => "--".to_owned(),
                    Some(step) if self.contains(step) => format!("{:02}", step.number()),
                    Some(_) => "..".to_owned(),
                })
                .collect();
            text += &row.join(" ");
            text.push('\n');
        }
        text
    }
}

impl FromIterator<Step> for ShortRange {
    fn from_iter<I: IntoIterator<Item = Step>>(steps: I) -> ShortRange {
        steps.into_iter().fold(ShortRange::EMPTY, ShortRange::with)
    }
}

crate::board::set_operators!(ShortRange);

impl Not for ShortRange {
    type Output = ShortRange;

    /// The piece with exactly the moves that this one lacks.
    #[inline]
    fn not(self) -> ShortRange {
        ShortRange(!self.0 & ShortRange::ALL.0)
    }
}

/// The number in hexadecimal, `0x54422a`.
impl fmt::Display for ShortRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:#x}", self.0))
    }
}

impl fmt::Debug for ShortRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ShortRange({:#x})", self.0)
    }
}

impl fmt::LowerHex for ShortRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::LowerHex::fmt(&self.0, f)
    }
}

impl fmt::UpperHex for ShortRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::UpperHex::fmt(&self.0, f)
    }
}

impl fmt::Binary for ShortRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Binary::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_numbered_as_in_the_published_picture() {
        // Typed from the picture: the numbers of each row from the top, with 0 in the middle.
        let picture = [
            [1, 2, 3, 4, 5],
            [6, 7, 8, 9, 10],
            [11, 12, 0, 13, 14],
            [15, 16, 17, 18, 19],
            [20, 21, 22, 23, 24],
        ];
        for (row, numbers) in picture.iter().enumerate() {
            for (column, &number) in numbers.iter().enumerate() {
                let step = Step::new(column as i8 - 2, 2 - row as i8);
                assert_eq!(step, Step::from_number(number));
                assert_eq!(step.map_or(0, Step::number), number);
            }
        }
        assert_eq!(Step::from_number(25), None);
        assert_eq!(Step::new(3, 0), None);
    }

    #[test]
    fn published_pieces_have_their_numbers() {
        let of = |numbers: &[u8]| -> ShortRange {
            numbers
                .iter()
                .filter_map(|&number| Step::from_number(number))
                .collect()
        };
        assert_eq!(
            of(&[2, 4, 6, 10, 15, 19, 21, 23]),
            ShortRange::new(0x54_422a)
        );
        assert_eq!(ShortRange::KNIGHT, ShortRange::leaper(2, 1));
        assert_eq!(ShortRange::WAZIR, ShortRange::leaper(1, 0));
        assert_eq!(of(&[2, 4, 15, 19]), ShortRange::CRAB);
        assert_eq!(of(&[7, 9, 17]), ShortRange::Y);
        assert_eq!(of(&[1, 10, 15, 23]), ShortRange::SEMI_PINWHEEL);
    }

    #[test]
    fn images_are_a_group_action() {
        for index in 0..24 {
            let piece = ShortRange::new(0x8_1234 ^ 1 << index);
            for a in Symmetry::ALL {
                for b in Symmetry::ALL {
                    assert_eq!(piece.image(a).image(b), piece.image(a.then(b)), "{a}, {b}");
                }
                assert_eq!(piece.image(a).canonical(), piece.canonical());
            }
        }
    }

    #[test]
    fn sets_are_sets() {
        let (a, b) = (ShortRange::KNIGHT, ShortRange::CRAB);
        assert_eq!(a & b, b);
        assert_eq!(a | b, a);
        assert_eq!((a - b) | b, a);
        assert_eq!(a ^ b, a - b);
        assert_eq!(!!a, a);
        assert_eq!(a | !a, ShortRange::ALL);
        assert!(b.is_within(a) && !a.is_within(b));
        assert_eq!(a.steps().collect::<ShortRange>(), a);
        assert_eq!(a.len() + (!a).len(), 24);
    }
}
