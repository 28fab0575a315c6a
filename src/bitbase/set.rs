//! Dense sets of positions, one bit for each slot.

use std::io;

use super::domain::Domain;
use super::notes::Source;
use super::pages::Pages;
use super::row::Row;
use super::slice::Slice;
use super::slots::Slot;
use crate::batch::Backend;
use crate::board::Color;
use crate::checks::check_below;
use crate::debug::debug_by;

/// A dense set of positions of a [`Domain`]: one bit for each slot, slice after slice.
///
/// ```
/// use tbindex::bitbase::{Bitbase, Domain, LikeMen};
/// use tbindex::batch::Backend;
/// use tbindex::{Color, Fen};
/// let domain = Domain::try_new("KRRvK".parse()?, &[])?;
/// let legal = Bitbase::legal(&domain, Color::Black, Backend::detect())?;
/// assert_eq!(legal.count(), 1_747_284);
/// assert_eq!(legal.count_classes(LikeMen::Apart), 1_707_888);
/// assert_eq!(legal.count_classes(LikeMen::Together), 854_238);
/// let fen: Fen = "8/8/8/3k4/8/1R6/8/K6R b - - 0 1".parse()?;
/// assert!(legal.contains(domain.slot(&fen.position)?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Bitbase {
    domain: Domain,
    pages: Pages,
}

impl Bitbase {
    /// An empty set. It takes memory as it is written to, [`Domain::bytes`] at most.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn try_new(domain: &Domain) -> io::Result<Bitbase> {
        Ok(Bitbase {
            pages: Pages::large(domain.all_rows()?)?,
            domain: domain.clone(),
        })
    }

    /// An empty set of which only a few slices will be written to at the same time. They take no more memory
    /// than they need, and [`release_slice`](Bitbase::release_slice) gives it back. All slices together may be larger than
    /// memory.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn with_few_slices(domain: &Domain) -> io::Result<Bitbase> {
        Ok(Bitbase {
            pages: Pages::small(domain.all_rows()?)?,
            domain: domain.clone(),
        })
    }

    /// Empties a slice and gives its memory back to the system, if it has pages of its own.
    ///
    /// # Panics
    /// If `number` is not below [`Domain::slices`].
    #[track_caller]
    pub fn release_slice(&mut self, number: usize) {
        check_below("release_slice", "slice", number, self.domain.slices());
        let rows = self.domain.rows();
        self.pages.release(number * rows..(number + 1) * rows);
    }

    /// The same rows as a set of a domain that has as many.
    pub(super) fn in_domain(self, domain: Domain) -> Bitbase {
        Bitbase { domain, ..self }
    }

    /// A copy of the set.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn try_clone(&self) -> io::Result<Bitbase> {
        let mut copy = Bitbase::try_new(&self.domain)?;
        copy.pages.copy_from_slice(&self.pages);
        Ok(copy)
    }

    /// The illegal placements of a domain with `side` to move: two pieces share a square, or the king of the
    /// other side is in check. In a domain of less than two men, the words that no slot is in are full, too.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn illegal(domain: &Domain, side: Color, backend: Backend) -> io::Result<Bitbase> {
        let mut set = Bitbase::try_new(domain)?;
        for (number, rows) in set.slices_mut().enumerate() {
            Slice::new(domain, number).illegal_into(side, rows, backend);
        }
        Ok(set)
    }

    /// All legal positions of a domain with `side` to move.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn legal(domain: &Domain, side: Color, backend: Backend) -> io::Result<Bitbase> {
        let mut set = Bitbase::illegal(domain, side, backend)?;
        for row in set.rows_mut() {
            *row = !*row;
        }
        Ok(set)
    }

    /// The domain.
    #[must_use]
    #[inline]
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// All rows, slice after slice; [`Domain::rows`] of each.
    #[must_use]
    #[inline]
    pub fn rows(&self) -> &[Row] {
        &self.pages
    }

    /// All rows, slice after slice, to write to.
    #[must_use]
    #[inline]
    pub fn rows_mut(&mut self) -> &mut [Row] {
        &mut self.pages
    }

    /// The rows of a slice.
    ///
    /// # Panics
    /// If `number` is not below [`Domain::slices`].
    #[must_use]
    #[inline]
    #[track_caller]
    pub fn slice(&self, number: usize) -> &[Row] {
        check_below("slice", "slice", number, self.domain.slices());
        let rows = self.domain.rows();
        &self.pages[number * rows..(number + 1) * rows]
    }

    /// The rows of each slice in order, to write to.
    pub fn slices_mut(&mut self) -> impl ExactSizeIterator<Item = &mut [Row]> {
        let rows = self.domain.rows();
        self.pages.chunks_exact_mut(rows)
    }

    /// Whether a slot is in the set.
    ///
    /// # Panics
    /// If the domain does not have the slot.
    #[must_use]
    #[inline]
    #[track_caller]
    pub fn contains(&self, slot: Slot) -> bool {
        let (row, lane, bit) = self.place("contains", slot);
        self.pages[row].0[lane] >> bit & 1 != 0
    }

    /// Adds a slot, and returns whether it is new to the set.
    ///
    /// # Panics
    /// If the domain does not have the slot.
    #[inline]
    #[track_caller]
    pub fn insert(&mut self, slot: Slot) -> bool {
        let (row, lane, bit) = self.place("insert", slot);
        let word = &mut self.pages[row].0[lane];
        let new = *word >> bit & 1 == 0;
        *word |= 1 << bit;
        new
    }

    #[inline]
    #[track_caller]
    fn place(&self, function: &str, slot: Slot) -> (usize, usize, u32) {
        self.domain.check_slot(function, slot);
        let word = (slot.offset >> 6) as usize;
        let row = slot.slice * self.domain.rows() + word / 8;
        (row, word % 8, (slot.offset & 63) as u32)
    }

    /// The slots of the set, in order.
    pub fn slots(&self) -> impl Iterator<Item = Slot> {
        let rows = self.pages.iter().enumerate();
        rows.filter(|(_, row)| !row.is_empty())
            .flat_map(|(at, row)| self.domain.slots_of_row(at, row))
    }

    /// The number of slots in the set. [Twins](Domain::has_twins) count as two, and exchanges of like men
    /// count apart.
    #[must_use]
    pub fn count(&self) -> u64 {
        let rows = self.pages.chunks_exact(self.domain.rows());
        rows.flat_map(|rows| rows.iter().enumerate())
            .map(|(at, row)| u64::from(self.domain.slots_of(at, row).len()))
            .sum()
    }

    /// The positions of a slice.
    #[inline]
    pub(super) fn source(&self, slice: usize) -> Source<'_> {
        Source::full(&self.domain, self.slice(slice))
    }
}

debug_by!([] Bitbase: domain);
