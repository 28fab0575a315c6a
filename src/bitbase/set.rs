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
    /// ```
    /// # use tbindex::bitbase::{Bitbase, Domain};
    /// let set = Bitbase::try_new(&Domain::try_new("KQvKR".parse()?, &[])?)?;
    /// assert_eq!((set.rows().len(), set.count()), (462 * 8, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    /// ```
    /// # use tbindex::bitbase::{Bitbase, Domain, Slot};
    /// // A set of five pieces is 15 MB, of which a page of 4 KiB is touched here.
    /// let mut set = Bitbase::with_few_slices(&Domain::try_new("KQRvKR".parse()?, &[])?)?;
    /// assert!(set.insert(Slot { slice: 461, offset: 1 << 17 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    /// ```
    /// # use tbindex::bitbase::{Bitbase, Domain, Slot};
    /// let mut set = Bitbase::with_few_slices(&Domain::try_new("KQvKR".parse()?, &[])?)?;
    /// let slots = [100, 101].map(|slice| Slot { slice, offset: 7 });
    /// slots.map(|slot| set.insert(slot));
    /// set.release_slice(100);
    /// assert_eq!(set.slots().collect::<Vec<_>>(), slots[1..]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    /// ```
    /// # use tbindex::bitbase::{Bitbase, Domain, Slot};
    /// let set = Bitbase::try_new(&Domain::try_new("KQvKR".parse()?, &[])?)?;
    /// let mut copy = set.try_clone()?;
    /// copy.insert(Slot { slice: 100, offset: 7 });
    /// assert_eq!((set.count(), copy.count()), (0, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Bitbase, Domain};
    /// # use tbindex::{Color, Fen};
    /// let domain = Domain::try_new("KRvK".parse()?, &[])?;
    /// let illegal = Bitbase::illegal(&domain, Color::White, Backend::detect())?;
    /// // White has given check, so it can't be white's turn.
    /// let fen: Fen = "7k/8/8/8/8/8/8/K6R b - -".parse()?;
    /// assert!(illegal.contains(domain.slot(&fen.position)?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Bitbase, Domain, LikeMen};
    /// # use tbindex::Color;
    /// let domain = Domain::try_new("KRvK".parse()?, &[])?;
    /// let count = |side| Bitbase::legal(&domain, side, Backend::detect()).unwrap().count_classes(LikeMen::Together);
    /// assert_eq!(Color::ALL.map(count), [21_959, 28_056]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    ///
    /// ```
    /// # use tbindex::bitbase::{Bitbase, Domain};
    /// let set = Bitbase::try_new(&Domain::try_new("KQvKR".parse()?, &[])?)?;
    /// assert_eq!(set.domain().bytes(), 64 * set.rows().len() as u64);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// All rows, slice after slice; [`Domain::rows`] of each.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Bitbase, Domain, Row};
    /// # use tbindex::Color;
    /// let domain = Domain::try_new("KQvKR".parse()?, &[])?;
    /// let legal = Bitbase::legal(&domain, Color::White, Backend::detect())?;
    /// let count: u32 = legal.rows().iter().map(Row::len).sum();
    /// assert_eq!(u64::from(count), legal.count());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn rows(&self) -> &[Row] {
        &self.pages
    }

    /// All rows, slice after slice, to write to.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Bitbase, Domain};
    /// # use tbindex::Color;
    /// // With white to move, those with black in check are missing.
    /// let domain = Domain::try_new("KQvKR".parse()?, &[])?;
    /// let [white, mut checks] = Color::ALL.map(|side| Bitbase::legal(&domain, side, Backend::detect()).unwrap());
    /// for (row, &other) in checks.rows_mut().iter_mut().zip(white.rows()) {
    ///     *row &= !other;
    /// }
    /// assert_eq!(checks.count(), 472_435);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn rows_mut(&mut self) -> &mut [Row] {
        &mut self.pages
    }

    /// The rows of a slice.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Bitbase, Domain, Row};
    /// # use tbindex::Color;
    /// let domain = Domain::try_new("KQvKR".parse()?, &[])?;
    /// let legal = Bitbase::legal(&domain, Color::White, Backend::detect())?;
    /// // K on d4 and k on h8: the squares of Q and r from which Q gives no check.
    /// assert_eq!(legal.slice(461).iter().map(Row::len).sum::<u32>(), 2790);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If `number` is not below [`Domain::slices`].
    #[must_use]
    #[inline]
    #[track_caller]
    pub fn slice(&self, number: usize) -> &[Row] {
        check_below("slice", "slice", number, self.domain.slices());
        self.source(number).rows
    }

    /// The rows of each slice in order, to write to.
    ///
    /// ```
    /// # use tbindex::bitbase::{Bitbase, Domain, Row};
    /// // Everything with the kings on the long diagonal, the last 21 slices.
    /// let mut set = Bitbase::try_new(&Domain::try_new("KQvKR".parse()?, &[])?)?;
    /// set.slices_mut().skip(441).for_each(|rows| rows.fill(!Row::EMPTY));
    /// assert_eq!(set.count(), 21 * 64 * 64);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn slices_mut(&mut self) -> impl ExactSizeIterator<Item = &mut [Row]> {
        let rows = self.domain.rows();
        self.pages.chunks_exact_mut(rows)
    }

    /// Whether a slot is in the set.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Bitbase, Domain, Slot};
    /// # use tbindex::Color;
    /// let domain = Domain::try_new("KRvK".parse()?, &[])?;
    /// let legal = Bitbase::legal(&domain, Color::White, Backend::detect())?;
    /// // K on b1, k on d1, and R on h8 or on h1, where it gives check.
    /// let [h8, h1] = [63, 7].map(|offset| Slot { slice: 0, offset });
    /// assert!(legal.contains(h8) && !legal.contains(h1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    /// ```
    /// # use tbindex::bitbase::{Bitbase, Domain, Slot};
    /// let mut set = Bitbase::try_new(&Domain::try_new("KRvK".parse()?, &[])?)?;
    /// let slot = Slot { slice: 0, offset: 63 };
    /// assert!(set.insert(slot) && !set.insert(slot));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    ///
    /// ```
    /// # use tbindex::bitbase::{Bitbase, Domain, Slot};
    /// let mut set = Bitbase::try_new(&Domain::try_new("KRvK".parse()?, &[])?)?;
    /// for slice in [7, 3] {
    ///     set.insert(Slot { slice, offset: 63 });
    /// }
    /// assert_eq!(set.slots().map(|slot| slot.slice).collect::<Vec<_>>(), [3, 7]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn slots(&self) -> impl Iterator<Item = Slot> {
        let rows = self.pages.iter().enumerate();
        rows.filter(|(_, row)| !row.is_empty())
            .flat_map(|(at, row)| self.domain.slots_of_row(at, row))
    }

    /// The number of slots in the set. [Twins](Domain::has_twins) count as two, and exchanges of like men
    /// count apart.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Bitbase, Domain};
    /// # use tbindex::Color;
    /// let domain = Domain::try_new("KRvK".parse()?, &[])?;
    /// let legal = Bitbase::legal(&domain, Color::Black, Backend::detect())?;
    /// // Twins count twice: there are 28 056 positions up to symmetry.
    /// assert_eq!(legal.count(), 462 * 62);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
        let rows = self.domain.rows();
        Source::full(&self.domain, &self.pages[slice * rows..(slice + 1) * rows])
    }
}

debug_by!([] Bitbase: domain);
