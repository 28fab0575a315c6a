//! The operations on sets: what they do to slices, which files they take, and what files they make.

use std::ops::Range;

use super::super::contents::Contents;
use super::super::error::{StoreError, StoreErrorKind};
use super::super::reader::IndexFile;
use super::super::storage::Storage;
use crate::batch::{Backend, merge};
use crate::index::Word;

/// An operation on sets of indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetOperation {
    /// What is in any of the sets.
    Union,
    /// What is in all of them.
    Intersection,
    /// What is in the first and in no other.
    Difference,
}

impl SetOperation {
    /// All three.
    pub const ALL: [SetOperation; 3] = [
        SetOperation::Union,
        SetOperation::Intersection,
        SetOperation::Difference,
    ];

    /// `union`, `intersection` or `difference`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            SetOperation::Union => "union",
            SetOperation::Intersection => "intersection",
            SetOperation::Difference => "difference",
        }
    }

    /// Whether the operation keeps what is only in the first of two sets, in both, and only in the second.
    pub(super) const fn keeps(self) -> [bool; 3] {
        use merge::Keeps;
        match self {
            SetOperation::Union => merge::Union::KEEPS,
            SetOperation::Intersection => merge::Intersection::KEEPS,
            SetOperation::Difference => merge::Difference::KEEPS,
        }
    }

    /// The result for two slices, which must ascend without repeats.
    ///
    /// ```
    /// use tbindex::store::SetOperation;
    /// let (a, b) = ([1u32, 2, 3], [2, 4]);
    /// assert_eq!(SetOperation::Union.of_slices(&a, &b), [1, 2, 3, 4]);
    /// assert_eq!(SetOperation::Intersection.of_slices(&a, &b), [2]);
    /// assert_eq!(SetOperation::Difference.of_slices(&a, &b), [1, 3]);
    /// ```
    #[must_use]
    pub fn of_slices<W: Word>(self, a: &[W], b: &[W]) -> Vec<W> {
        let mut out = vec![W::ZERO; a.len() + b.len()];
        let parts = self.combine_in_parts(a, b, &mut out);
        let count = merge::join(&mut out, parts);
        out.truncate(count);
        out
    }

    /// Writes the result for two slices to `out`, which must be as long as both, and returns in ascending
    /// order the places of `out` where it lies.
    pub(super) fn combine_in_parts<W: Word>(
        self,
        a: &[W],
        b: &[W],
        out: &mut [W],
    ) -> Vec<Range<usize>> {
        use merge::{Difference, Intersection, Union, combine_in_parts};
        let backend = Backend::detect();
        match self {
            SetOperation::Union => combine_in_parts::<W, Union>(backend, a, b, out),
            SetOperation::Intersection => combine_in_parts::<W, Intersection>(backend, a, b, out),
            SetOperation::Difference => combine_in_parts::<W, Difference>(backend, a, b, out),
        }
    }

    /// What the file of the result may claim: that it is sorted and distinct, as all files must be, and that it
    /// is canonical, if every index of it comes from a file that is.
    ///
    /// # Errors
    /// If a file is not sorted and distinct, or if the files differ in material, numbering or side to move.
    ///
    /// # Panics
    /// If there is no file.
    pub fn contents<D: Storage>(self, files: &[IndexFile<D>]) -> Result<Contents, StoreError> {
        let (first, others) = files.split_first().expect("an operation needs a set");
        for file in others {
            file.check_goes_with(&first.header().contents())?;
        }
        for file in files {
            if !file.header().distinct {
                return Err(StoreErrorKind::NotSorted {
                    operation: self.name(),
                    expected: "sorted and distinct",
                }
                .at(file.name()));
            }
        }
        let mut canonical = files.iter().map(|file| file.header().canonical);
        Ok(Contents {
            canonical: match self {
                SetOperation::Union => canonical.all(|canonical| canonical),
                SetOperation::Intersection => canonical.any(|canonical| canonical),
                SetOperation::Difference => first.header().canonical,
            },
            ..first.header().contents()
        })
    }

    /// The least number of indices that the result of the operation on these files can have, by their headers.
    #[must_use]
    pub fn least<D: Storage>(self, files: &[IndexFile<D>]) -> u64 {
        let mut counts = files.iter().map(|file| file.header().count);
        match self {
            SetOperation::Union => counts.max().unwrap_or(0),
            SetOperation::Intersection => match counts.len() {
                1 => counts.next().unwrap_or(0),
                _ => 0,
            },
            SetOperation::Difference => {
                let first = counts.next().unwrap_or(0);
                first.saturating_sub(counts.fold(0, u64::saturating_add))
            }
        }
    }
}

impl std::fmt::Display for SetOperation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}
