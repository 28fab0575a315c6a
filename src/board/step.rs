//! One step of a leaper, as a difference of squares.

use std::fmt;

use super::Symmetry;

/// One step of a [`Leaper`](super::Leaper): so many files to the right and ranks up.
///
/// Both parts are −2 … 2, and not both are 0. "Forward" is up, for white and for black.
///
/// ```
/// use tbindex::{Square, Step};
/// let step = Step::new(1, 2);
/// let to = Square::A1.offset(step.files, step.ranks);
/// assert_eq!(to, Some("b3".parse()?));
/// assert_eq!(step.to_string(), "(+1,+2)");
/// # Ok::<(), tbindex::NameError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    /// The number of files to the right, −2 to 2.
    pub files: i8,
    /// The number of ranks forward, that is up, −2 to 2.
    pub ranks: i8,
}

impl Step {
    /// All 24 steps in the order of their numbers: rank by rank from the top left.
    pub(crate) const ALL: [Step; 24] = {
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

    /// The step by so many files and ranks.
    ///
    /// # Panics
    /// If both are 0 or either is not −2 … 2.
    #[must_use]
    pub const fn new(files: i8, ranks: i8) -> Step {
        match Step::from_offset(files, ranks) {
            Some(step) => step,
            None => panic!("a step is by at most two files and two ranks, and not by none"),
        }
    }

    /// The step by so many files and ranks, or `None` if both are 0 or either is not −2 … 2.
    #[must_use]
    pub(crate) const fn from_offset(files: i8, ranks: i8) -> Option<Step> {
        let in_range = -2 <= files && files <= 2 && -2 <= ranks && ranks <= 2;
        if in_range && (files != 0 || ranks != 0) {
            Some(Step { files, ranks })
        } else {
            None
        }
    }

    /// The step to the square with this number, 1 to 24, or `None`.
    ///
    /// The squares around the piece are numbered from the top left, without the middle.
    #[must_use]
    pub(crate) const fn from_number(number: u8) -> Option<Step> {
        if 1 <= number && number <= 24 {
            Some(Step::ALL[number as usize - 1])
        } else {
            None
        }
    }

    /// The number of the step's square, 1 to 24: 5·(2 − ranks) + files + 3 before the middle, one less
    /// after it.
    #[must_use]
    pub(crate) const fn number(self) -> u8 {
        let place = (5 * (2 - self.ranks) + self.files + 2) as u8;
        if place < 12 { place + 1 } else { place }
    }

    /// The step's image under a symmetry of the plane around the piece.
    #[must_use]
    pub(crate) const fn image(self, symmetry: Symmetry) -> Step {
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
