//! Sparse sets, for the few positions that are new in a ply.

use std::io;

use super::domain::Domain;
use super::eight_boards::{EightBoards, HasBoards};
use super::notes::{Source, noted};
use super::pages::Pages;
use super::row::Row;
use super::slice::{load_slab, store_slab};
use super::slots::Slot;
use crate::batch::Portable;
use crate::checks::check_below;
use crate::debug::debug_by;

/// A sparse set of positions of a [`Domain`], such as the new positions of a ply.
///
/// It notes which slabs and rows have positions, so that the work on it is in proportion to these. It takes
/// memory as it is written to, at most that of a [`Bitbase`](super::Bitbase) and about nine bits for each
/// slab. [`shrink`](Frontier::shrink) gives memory back.
///
/// It is written slice by slice, by [`fill`](FrontierSlice::fill), [`take_new`](super::Accumulator::take_new) or
/// [`take_confined`](super::Accumulator::take_confined):
///
/// ```
/// use tbindex::bitbase::{Domain, Frontier, Row};
/// let domain = Domain::try_new("KQvKR".parse()?, &[])?;
/// let mut new = Frontier::try_new(&domain)?;
/// let mut slice = new.slices_mut().nth(100).expect("one of 462 slices");
/// slice.fill(|row| if row == 5 { Row([7, 0, 0, 0, 0, 0, 0, 1]) } else { Row::EMPTY });
/// assert_eq!(slice.rows().count(), 1);
/// // Row 5 of slice 100: the queen is on rank 6, in the last word on h6 with the rook on a1.
/// assert_eq!(new.rows().next(), Some((100 * domain.rows() + 5, &Row([7, 0, 0, 0, 0, 0, 0, 1]))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Frontier {
    domain: Domain,
    /// Only rows of slabs that are noted in `groups` are valid. The others are left over from earlier plies and
    /// are never read.
    rows: Pages,
    /// For each slab the rows that are not empty.
    active: Vec<u8>,
    /// For each slice, 64 slabs to a word, the slabs that are not empty.
    groups: Vec<u64>,
    /// The greatest number of slabs that were not empty at the same time since `rows` was made.
    most: u64,
}

/// The number of words that note the slabs of a slice.
pub(super) fn groups_of(domain: &Domain) -> usize {
    domain.slabs().div_ceil(64)
}

/// `count` empty notes.
fn notes<T: bytemuck::Zeroable>(count: usize) -> io::Result<Vec<T>> {
    let notes = bytemuck::allocation::try_zeroed_vec(count);
    notes.map_err(|()| io::Error::from(io::ErrorKind::OutOfMemory))
}

impl Frontier {
    /// An empty frontier.
    ///
    /// ```
    /// # use tbindex::bitbase::{Domain, Frontier};
    /// let frontier = Frontier::try_new(&Domain::try_new("KQvKR".parse()?, &[])?)?;
    /// assert!(frontier.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no memory.
    pub fn try_new(domain: &Domain) -> io::Result<Frontier> {
        Frontier::on(Pages::large(domain.all_rows()?)?, domain)
    }

    /// An empty frontier of which only a few slices will be written to at the same time. They take no more memory
    /// than they need, and [`release_slice`](Frontier::release_slice) gives it back. All slices together may be larger than
    /// memory.
    ///
    /// ```
    /// # use tbindex::bitbase::{Domain, Frontier, Row};
    /// let mut frontier = Frontier::with_few_slices(&Domain::try_new("KQRvKR".parse()?, &[])?)?;
    /// let mut slice = frontier.slices_mut().nth(300).expect("one of 462 slices");
    /// slice.put_slab(63, &[Row([1; 8]); 8]);
    /// assert_eq!(frontier.rows().count(), 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no memory.
    pub fn with_few_slices(domain: &Domain) -> io::Result<Frontier> {
        Frontier::on(Pages::small(domain.all_rows()?)?, domain)
    }

    fn on(rows: Pages, domain: &Domain) -> io::Result<Frontier> {
        Ok(Frontier {
            rows,
            active: notes(domain.slices() * domain.slabs())?,
            groups: notes(domain.slices() * groups_of(domain))?,
            most: 0,
            domain: domain.clone(),
        })
    }

    /// The domain.
    pub(super) fn domain(&self) -> &Domain {
        &self.domain
    }

    /// Empties a slice and gives its memory back to the system, if it has pages of its own.
    ///
    /// ```
    /// # use tbindex::bitbase::{Domain, Frontier, Row};
    /// let mut frontier = Frontier::with_few_slices(&Domain::try_new("KQvKR".parse()?, &[])?)?;
    /// for mut slice in frontier.slices_mut().take(2) {
    ///     slice.fill(|_| Row([1; 8]));
    /// }
    /// frontier.release_slice(0);
    /// // The eight rows of the second slice are left.
    /// assert_eq!(frontier.rows().map(|(number, _)| number).min(), Some(8));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If `number` is not below [`Domain::slices`].
    #[track_caller]
    pub fn release_slice(&mut self, number: usize) {
        check_below("release_slice", "slice", number, self.domain.slices());
        let (rows, groups) = (self.domain.rows(), groups_of(&self.domain));
        self.groups[number * groups..(number + 1) * groups].fill(0);
        self.rows.release(number * rows..(number + 1) * rows);
    }

    /// Whether a slice has no position.
    ///
    /// ```
    /// # use tbindex::bitbase::{Domain, Frontier, Row};
    /// let mut frontier = Frontier::try_new(&Domain::try_new("KQvKR".parse()?, &[])?)?;
    /// frontier.slices_mut().nth(100).expect("one of 462 slices").fill(|_| Row([1; 8]));
    /// assert!(frontier.is_empty_slice(99) && !frontier.is_empty_slice(100));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If `slice` is not below [`Domain::slices`].
    #[must_use]
    pub fn is_empty_slice(&self, number: usize) -> bool {
        self.source(number).is_empty()
    }

    /// Empties the frontier, and gives its memory back if less than half as many slabs had positions as at
    /// the highest since it was taken.
    ///
    /// ```
    /// # use tbindex::bitbase::{Domain, Frontier, Row};
    /// let mut frontier = Frontier::try_new(&Domain::try_new("KQvKR".parse()?, &[])?)?;
    /// for mut slice in frontier.slices_mut() {
    ///     slice.fill(|_| Row([1; 8]));
    /// }
    /// // It is as full as it has ever been, and keeps its memory; the next ply has less.
    /// frontier.shrink()?;
    /// assert!(frontier.is_empty());
    /// frontier.shrink()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no memory.
    pub fn shrink(&mut self) -> io::Result<()> {
        let now: u64 = self.groups.iter().map(|g| u64::from(g.count_ones())).sum();
        self.most = self.most.max(now);
        if 2 * now < self.most {
            self.rows = Pages::small(self.domain.all_rows()?)?;
            self.most = now;
        }
        self.clear();
        Ok(())
    }

    /// Whether the frontier has no position.
    ///
    /// ```
    /// # use tbindex::bitbase::{Domain, Frontier, Row};
    /// let mut frontier = Frontier::try_new(&Domain::try_new("KQvKR".parse()?, &[])?)?;
    /// frontier.slices_mut().last().expect("462 slices").fill(|_| Row([0, 1, 0, 0, 0, 0, 0, 0]));
    /// assert!(!frontier.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.groups.iter().all(|&slabs| slabs == 0)
    }

    /// Empties the frontier, and keeps its memory.
    ///
    /// ```
    /// # use tbindex::bitbase::{Domain, Frontier, Row};
    /// let mut frontier = Frontier::try_new(&Domain::try_new("KQvKR".parse()?, &[])?)?;
    /// frontier.slices_mut().for_each(|mut slice| slice.fill(|_| Row([1; 8])));
    /// frontier.clear();
    /// assert_eq!(frontier.rows().count(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn clear(&mut self) {
        self.groups.fill(0);
    }

    /// All rows that have positions, in order, with their numbers among the [rows](super::Bitbase::rows) of a
    /// dense set.
    ///
    /// ```
    /// # use tbindex::bitbase::{Bitbase, Domain, Frontier, Row};
    /// let domain = Domain::try_new("KQvKR".parse()?, &[])?;
    /// let mut new = Frontier::try_new(&domain)?;
    /// new.slices_mut().nth(100).expect("one of 462 slices").fill(|row| Row([row as u64; 8]));
    /// let mut all = Bitbase::try_new(&domain)?;
    /// for (number, &row) in new.rows() {
    ///     all.rows_mut()[number] |= row;
    /// }
    /// assert_eq!(all.count(), 8 * (1..8_u64).map(|row| u64::from(row.count_ones())).sum::<u64>());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rows(&self) -> impl Iterator<Item = (usize, &Row)> {
        let rows = self.domain.rows();
        (0..self.domain.slices()).flat_map(move |slice| {
            let of_slice = self.source(slice).active_rows();
            of_slice.map(move |(at, row)| (slice * rows + at, row))
        })
    }

    /// The slots of the set, in order.
    ///
    /// ```
    /// use tbindex::batch::Backend;
    /// use tbindex::bitbase::{Bitbase, Domain, Frontier};
    /// let domain = Domain::try_new("KRvK".parse()?, &[])?;
    /// let legal = Bitbase::legal(&domain, tbindex::Color::White, Backend::detect())?;
    /// let mut some = Frontier::try_new(&domain)?;
    /// for (number, mut slice) in some.slices_mut().enumerate() {
    ///     slice.fill(|row| legal.slice(number)[row]);
    /// }
    /// assert!(some.slots().eq(legal.slots()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn slots(&self) -> impl Iterator<Item = Slot> {
        self.rows()
            .flat_map(|(at, row)| self.domain.slots_of_row(at, row))
    }

    /// The slices of the frontier in order, to write to.
    ///
    /// ```
    /// # use tbindex::bitbase::{Domain, Frontier};
    /// let mut frontier = Frontier::try_new(&Domain::try_new("KQvKR".parse()?, &[])?)?;
    /// assert_eq!(frontier.slices_mut().len(), 462);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn slices_mut(&mut self) -> impl ExactSizeIterator<Item = FrontierSlice<'_>> {
        let (slabs, groups) = (self.domain.slabs(), groups_of(&self.domain));
        self.rows
            .chunks_exact_mut(slabs * 8)
            .zip(self.active.chunks_exact_mut(slabs))
            .zip(self.groups.chunks_exact_mut(groups))
            .map(|((rows, active), groups)| FrontierSlice {
                rows,
                active,
                groups,
            })
    }

    /// The positions of a slice.
    #[inline(always)]
    pub(super) fn source(&self, slice: usize) -> Source<'_> {
        let (slabs, groups) = (self.domain.slabs(), groups_of(&self.domain));
        Source {
            rows: &self.rows[slice * slabs * 8..][..slabs * 8],
            active: &self.active[slice * slabs..][..slabs],
            groups: &self.groups[slice * groups..][..groups],
        }
    }
}

/// A slice of a [`Frontier`] that is being written.
pub struct FrontierSlice<'a> {
    pub(super) rows: &'a mut [Row],
    pub(super) active: &'a mut [u8],
    pub(super) groups: &'a mut [u64],
}

impl FrontierSlice<'_> {
    /// Removes all positions of the slice.
    ///
    /// ```
    /// # use tbindex::bitbase::{Domain, Frontier, Row};
    /// let mut frontier = Frontier::try_new(&Domain::try_new("KQvKR".parse()?, &[])?)?;
    /// let mut slice = frontier.slices_mut().nth(100).expect("one of 462 slices");
    /// slice.fill(|_| Row([1; 8]));
    /// slice.clear();
    /// assert!(slice.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn clear(&mut self) {
        self.groups.fill(0);
    }

    /// Whether the slice has no position.
    ///
    /// ```
    /// # use tbindex::bitbase::{Domain, Frontier, Row};
    /// let mut frontier = Frontier::try_new(&Domain::try_new("KQvKR".parse()?, &[])?)?;
    /// let mut slice = frontier.slices_mut().nth(100).expect("one of 462 slices");
    /// slice.fill(|row| if row == 7 { Row([1; 8]) } else { Row::EMPTY });
    /// assert!(!slice.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.source().is_empty()
    }

    /// The rows that have positions, in order, with their numbers within the slice.
    #[doc(hidden)]
    pub fn rows(&self) -> impl Iterator<Item = (usize, &Row)> {
        self.source().active_rows()
    }

    fn source(&self) -> Source<'_> {
        Source {
            rows: self.rows,
            active: self.active,
            groups: self.groups,
        }
    }

    /// Hands over each slab that has positions, in order: its number, a byte with a bit for each row that has some, and
    /// its rows. The other rows are left over from before, and mean nothing.
    ///
    /// ```
    /// # use tbindex::bitbase::{Domain, Frontier, Row};
    /// let mut frontier = Frontier::try_new(&Domain::try_new("KQRvKR".parse()?, &[])?)?;
    /// let mut slice = frontier.slices_mut().nth(100).expect("one of 462 slices");
    /// // Row 2 of slab 5.
    /// slice.fill(|row| if row == 5 * 8 + 2 { Row([1; 8]) } else { Row::EMPTY });
    /// let mut seen = Vec::new();
    /// slice.for_each_slab(|slab, active, rows| seen.push((slab, active, rows[2].len())));
    /// assert_eq!(seen, [(5, 0b100, 8)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline(always)]
    pub fn for_each_slab(&self, mut each: impl FnMut(usize, u8, &[Row; 8])) {
        let slabs = self.rows.as_chunks::<8>().0;
        for slab in noted(self.groups) {
            each(slab, self.active[slab], &slabs[slab]);
        }
    }

    /// Replaces the positions of a slab, given by its eight rows.
    ///
    /// ```
    /// # use tbindex::bitbase::{Domain, Frontier, Row};
    /// let mut frontier = Frontier::try_new(&Domain::try_new("KQRvKR".parse()?, &[])?)?;
    /// let mut slice = frontier.slices_mut().nth(100).expect("one of 462 slices");
    /// slice.put_slab(5, &[Row([1; 8]); 8]);
    /// slice.put_slab(5, &[Row::EMPTY; 8]);
    /// assert!(slice.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If `slab` is not below [`Domain::slabs`].
    pub fn put_slab(&mut self, slab: usize, rows: &[Row; 8]) {
        self.groups[slab / 64] &= !(1 << (slab % 64));
        self.put::<<Portable as HasBoards>::Boards>(slab, &load_slab(Portable, rows));
    }

    /// Writes the rows of a slab that has no positions so far.
    #[inline(always)]
    pub(super) fn put<L: EightBoards>(&mut self, slab: usize, rows: &[L; 8]) {
        let mut active = 0u8;
        for (r, row) in rows.iter().enumerate() {
            active |= u8::from(!row.is_zero()) << r;
        }
        self.active[slab] = active;
        // Rows that are not written take no memory.
        if active != 0 {
            store_slab(rows, &mut self.rows[slab * 8..slab * 8 + 8]);
            self.groups[slab / 64] |= 1 << (slab % 64);
        }
    }

    /// Replaces the positions of the slice: `row` gives each row from its number, below [`Domain::rows`].
    ///
    /// ```
    /// # use tbindex::bitbase::{Domain, Frontier, Row};
    /// let mut frontier = Frontier::try_new(&Domain::try_new("KQvKR".parse()?, &[])?)?;
    /// let mut slice = frontier.slices_mut().nth(100).expect("one of 462 slices");
    /// // The queen on the first rank, the rook on any square.
    /// slice.fill(|row| if row == 0 { Row([!0; 8]) } else { Row::EMPTY });
    /// assert_eq!(frontier.rows().map(|(_, row)| row.len()).sum::<u32>(), 512);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fill(&mut self, row: impl Fn(usize) -> Row) {
        self.clear();
        for slab in 0..self.active.len() {
            self.put_slab(slab, &std::array::from_fn(|r| row(slab * 8 + r)));
        }
    }
}

debug_by!([] Frontier: domain);
debug_by!([] FrontierSlice<'_>:);
