//! The claims of a file's author about its indices.

use std::path::Path;

use super::error::{StoreError, StoreErrorKind};
use crate::board::{Color, Material};
use crate::index::{Equivalence, Numbering, Word};

/// The number of pieces that fit a `u64`.
pub(super) const MAX_PIECES: usize = 10;

/// The word that holds an index of a file. The discriminant is the number of its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileWord {
    /// `u32`, for up to 5 pieces.
    U32 = 32,
    /// `u64`, for 6 to 10 pieces.
    U64 = 64,
}

impl FileWord {
    /// 32 or 64.
    pub(super) const fn bits(self) -> u32 {
        self as u32
    }

    /// The error that `W` is the other word.
    pub(super) fn mismatch<W: Word>(self, path: &Path) -> StoreError {
        let message = format!(
            "{}-bit words were asked for: this file's material takes words of {} bits",
            W::BITS,
            self.bits()
        );
        StoreError::new(StoreErrorKind::WrongWord, message).at(path)
    }
}

/// The claims of a file's author about its indices.
///
/// The group of symmetries follows from the material, and so does the [word](FileWord).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The pieces.
    pub material: Material,
    /// The numbering of the squares.
    pub numbering: Numbering,
    /// The side to move, where it is known.
    pub side: Option<Color>,
    /// Whether every index is the smallest of its equivalents.
    pub canonical: bool,
    /// Whether the indices ascend.
    pub sorted: bool,
    /// Whether no index occurs twice; only together with `sorted`.
    pub distinct: bool,
}

impl Contents {
    /// Any indices of a material, in any order.
    ///
    /// ```
    /// # use tbindex::Numbering;
    /// # use tbindex::store::Contents;
    /// let contents = Contents::new("KRvK".parse()?, Numbering::Natural);
    /// assert_eq!((contents.side, contents.sorted, contents.canonical), (None, false, false));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn new(material: Material, numbering: Numbering) -> Contents {
        Contents {
            material,
            numbering,
            side: None,
            canonical: false,
            sorted: false,
            distinct: false,
        }
    }

    /// These contents with this side to move.
    ///
    /// ```
    /// # use tbindex::{Color, Numbering};
    /// # use tbindex::store::Contents;
    /// let set = Contents::new("KRvK".parse()?, Numbering::Natural).reduced();
    /// let [white, black] = Color::ALL.map(|side| set.with_side(Some(side)));
    /// // Files of different sides are not combined.
    /// assert!(white != black && white.canonical);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn with_side(self, side: Option<Color>) -> Contents {
        Contents { side, ..self }
    }

    /// These contents with the claim that the indices are canonical, sorted and distinct: a reduced set.
    ///
    /// ```
    /// # use tbindex::Numbering;
    /// # use tbindex::store::Contents;
    /// let contents = Contents::new("KRvK".parse()?, Numbering::Natural).reduced();
    /// assert!(contents.canonical && contents.sorted && contents.distinct);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn reduced(self) -> Contents {
        Contents {
            canonical: true,
            sorted: true,
            distinct: true,
            ..self
        }
    }

    /// The word that holds an index of the material.
    ///
    /// ```
    /// # use tbindex::Numbering;
    /// # use tbindex::store::{Contents, FileWord};
    /// let words = ["KQRvKR", "KQRvKQR"].map(|name| {
    ///     Contents::new(name.parse().unwrap(), Numbering::Natural).word()
    /// });
    /// assert_eq!(words, [FileWord::U32, FileWord::U64]);
    /// ```
    #[must_use]
    pub fn word(self) -> FileWord {
        match self.material.piece_count() <= u32::MAX_PIECES {
            true => FileWord::U32,
            false => FileWord::U64,
        }
    }

    /// Checks the claims of a writer of words `W`.
    pub(super) fn check<W: Word>(&self, path: &Path) -> Result<(), StoreError> {
        let found = self.material.piece_count();
        if found > MAX_PIECES {
            let message = format!(
                "{} has {found} pieces: a file holds indices of at most {MAX_PIECES} pieces",
                self.material
            );
            return Err(StoreError::new(StoreErrorKind::WrongWord, message).at(path));
        }
        if self.distinct && !self.sorted {
            let message = "a file that says its indices are distinct must say that they are sorted";
            return Err(StoreError::unsuitable(path, message));
        }
        match W::BITS == self.word().bits() {
            true => Ok(()),
            false => Err(self.word().mismatch::<W>(path)),
        }
    }

    /// The equivalence of positions in a file of these words.
    pub(super) fn equivalence<W: Word>(&self) -> Equivalence<W> {
        Equivalence::try_new(self.material, self.numbering)
            .expect("the word holds the material, as was checked before")
    }

    /// The file's claim about the order of its indices, in words.
    pub(super) const fn order_claim(&self) -> &'static str {
        match self.distinct {
            true => "sorted and distinct",
            false => "sorted",
        }
    }
}
