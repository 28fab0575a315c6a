//! The planes of codes as sets of positions, one for each bit.

use std::io;

use tbindex::bitbase::{Bitbase, Domain, Row};

use crate::table::codes::BITS;

/// Sets of a domain that have the bits of codes, the lowest first. Sets that are not in use any more are kept for later,
/// because fresh memory costs more than what is emptied.
#[derive(Debug, Default)]
pub struct CodeSets {
    sets: Vec<Bitbase>,
    /// The sets that are not in use.
    spare: Vec<Bitbase>,
    /// Whether few slices will be in use at the same time.
    few: bool,
}

/// The bits of the codes in a row of a slice, the lowest first, and empty rows behind them.
#[inline(always)]
pub(crate) fn codes_at(planes: &[Bitbase], slice: usize, row: usize) -> [Row; BITS] {
    let mut codes = [Row::EMPTY; BITS];
    for (code, plane) in codes.iter_mut().zip(planes) {
        *code = plane.slice(slice)[row];
    }
    codes
}

impl CodeSets {
    /// Without a bit yet, of sets of which these slices alone will be in use, or all if none are chosen.
    pub(crate) fn for_slices(chosen: Option<&[bool]>) -> CodeSets {
        CodeSets {
            few: chosen.is_some(),
            ..CodeSets::default()
        }
    }

    /// Begins anew without a bit. The next sets are of a domain with the same men and slices as the last ones.
    pub(crate) fn clear(&mut self) {
        self.spare.append(&mut self.sets);
        if self.few {
            // New sets have nothing in memory.
            self.spare.clear();
        }
    }

    /// The set of the next bit, in a domain, with whatever it had before.
    fn push_dirty(&mut self, domain: &Domain) -> io::Result<&mut Bitbase> {
        self.sets.push(match self.spare.pop() {
            None if self.few => Bitbase::with_few_slices(domain)?,
            None => Bitbase::try_new(domain)?,
            Some(set) => set.with_same_squares(domain),
        });
        Ok(self.sets.last_mut().expect("it was pushed"))
    }

    /// The set of the next bit, in a domain, which is empty.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn push(&mut self, domain: &Domain) -> io::Result<&mut Bitbase> {
        let is_old = !self.spare.is_empty();
        let set = self.push_dirty(domain)?;
        if is_old {
            set.rows_mut().fill(Row::EMPTY);
        }
        Ok(set)
    }

    /// Becomes a copy of other sets.
    pub(crate) fn copy_of(&mut self, other: &CodeSets) -> io::Result<()> {
        self.clear();
        for plane in other.planes() {
            let copy = self.push_dirty(plane.domain())?;
            copy.rows_mut().copy_from_slice(plane.rows());
        }
        Ok(())
    }

    pub(crate) fn pop(&mut self) {
        self.spare.extend(self.sets.pop());
    }

    /// The sets in use.
    #[must_use]
    pub fn planes(&self) -> &[Bitbase] {
        &self.sets
    }

    pub(crate) fn planes_mut(&mut self) -> &mut [Bitbase] {
        &mut self.sets
    }

    /// The sets in use.
    pub(crate) fn into_sets(self) -> Vec<Bitbase> {
        self.sets
    }
}
