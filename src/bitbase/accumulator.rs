//! The positions that moves lead to, slice by slice: the operations of a generator's loop.

use super::add_moves::{Positions, add_king_moves, man_moves};
use super::counts::dispatch_sums;
use super::domain::Domain;
use super::eight_boards::{EightBoards, HasBoards};
use super::frontier::FrontierSlice;
use super::man::Direction;
use super::notes::{Scratch, Sink, Source};
use super::row::Row;
use super::set::Bitbase;
use super::slice::{Slice, load_slab};
use crate::batch::Backend;
use crate::board::Color;
use crate::checks::{check_below, check_length};
use crate::debug::debug_by;
use crate::dispatch;

/// The positions of one slice that moves lead to or come from, as they are accumulated: the working memory of a
/// thread.
///
/// Calls add positions. They are not [masked](super#masks): men may have
/// moved onto other pieces, and kings may be in check. The caller who takes them removes the illegal placements, for
/// instance by having them among what is [known](Accumulator::take_new). Before the next slice it has to be
/// emptied, which `take_new` and `take_confined` do.
///
/// One that is [counting](Accumulator::counting) also tells one move from several.
pub struct Accumulator {
    pub(super) domain: Domain,
    pub(super) backend: Backend,
    rows: Vec<Row>,
    /// The rows of the positions that were added more than once, or none if they are not counted.
    several: Vec<Row>,
    /// For each slab the rows that may have positions. All others are empty.
    dirty: Vec<u8>,
    /// A second slice, for captures, which is empty between them.
    pub(super) scratch: Option<Scratch>,
}

impl Accumulator {
    /// Memory for a slice of a domain, with nothing accumulated yet. The operations use the instructions of a
    /// backend.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Accumulator, Domain};
    /// let domain = Domain::try_new("KQRvKR".parse()?, &[])?;
    /// let found = Accumulator::new(&domain, Backend::detect());
    /// assert_eq!(found.rows().len(), 64 * 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(domain: &Domain, backend: Backend) -> Accumulator {
        Accumulator {
            backend,
            rows: vec![Row::EMPTY; domain.rows()],
            several: Vec::new(),
            dirty: vec![0; domain.slabs()],
            scratch: None,
            domain: domain.clone(),
        }
    }

    /// As [`new`](Accumulator::new), and also records positions added [more than once](Accumulator::several). It takes
    /// twice the memory.
    ///
    /// A position is added once for each move: a rook that comes from two squares of a set, or captures on two, is added
    /// twice, and so is a position of which two sets that are added have it.
    ///
    /// ```
    /// use tbindex::batch::Backend;
    /// use tbindex::bitbase::{Accumulator, Bitbase, Direction, Domain, LikeMen, Row, Slice};
    /// use tbindex::Color::{Black, White};
    /// // Black has exactly one move, which is no capture, in these positions.
    /// let domain = Domain::try_new("KRvK".parse()?, &[])?;
    /// let backend = Backend::detect();
    /// let after = Bitbase::legal(&domain, White, backend)?;
    /// let mut forced = Bitbase::legal(&domain, Black, backend)?;
    /// let mut moves = Accumulator::counting(&domain, backend);
    /// for (number, rows) in forced.slices_mut().enumerate() {
    ///     moves.clear();
    ///     moves.moves(&Slice::new(&domain, number), Black, Direction::Backward, &after);
    ///     for ((row, any), several) in rows.iter_mut().zip(moves.rows()).zip(moves.several()) {
    ///         *row &= *any & !*several;
    ///     }
    /// }
    /// assert_eq!(forced.count_classes(LikeMen::Apart), 1111);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn counting(domain: &Domain, backend: Backend) -> Accumulator {
        Accumulator {
            several: vec![Row::EMPTY; domain.rows()],
            ..Accumulator::new(domain, backend)
        }
    }

    /// Whether positions that are added more than once are told.
    #[inline]
    pub(super) fn counts(&self) -> bool {
        !self.several.is_empty()
    }

    /// The positions that were added more than once, [`Domain::rows`] rows. Without [counting](Accumulator::counting) there
    /// are no rows.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Accumulator, Domain, Row};
    /// let mut found = Accumulator::counting(&Domain::try_new("KQvKR".parse()?, &[])?, Backend::detect());
    /// found.add(&[Row([0b011; 8]); 8]);
    /// found.add(&[Row([0b110; 8]); 8]);
    /// assert_eq!(found.several(), [Row([0b010; 8]); 8]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn several(&self) -> &[Row] {
        &self.several
    }

    /// The accumulated positions, [`Domain::rows`] rows.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Accumulator, Domain, Row};
    /// let mut found = Accumulator::new(&Domain::try_new("KQvKR".parse()?, &[])?, Backend::detect());
    /// found.add(&[Row([0b011; 8]); 8]);
    /// found.add(&[Row([0b110; 8]); 8]);
    /// assert_eq!(found.rows(), [Row([0b111; 8]); 8]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Removes everything that was accumulated.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Accumulator, Domain, Row};
    /// let mut found = Accumulator::new(&Domain::try_new("KQvKR".parse()?, &[])?, Backend::detect());
    /// found.add_slab(0, &[Row([1; 8]); 8]);
    /// found.clear();
    /// assert!(found.rows().iter().all(Row::is_empty));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn clear(&mut self) {
        self.rows.fill(Row::EMPTY);
        self.several.fill(Row::EMPTY);
        self.dirty.fill(0);
    }

    /// Hands over each slab that may have positions, with its number and its eight rows, and leaves nothing
    /// accumulated.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Accumulator, Domain, Row};
    /// let mut found = Accumulator::new(&Domain::try_new("KQRvKR".parse()?, &[])?, Backend::detect());
    /// found.add_slab(5, &[Row([1; 8]); 8]);
    /// let mut slabs = Vec::new();
    /// found.drain(|slab, rows| slabs.push((slab, rows[7].len())));
    /// assert_eq!(slabs, [(5, 8)]);
    /// assert!(found.rows().iter().all(Row::is_empty));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn drain(&mut self, mut each: impl FnMut(usize, &[Row; 8])) {
        let slabs = self.dirty.iter_mut().zip(self.rows.as_chunks_mut::<8>().0);
        for (slab, (dirty, rows)) in slabs.enumerate() {
            if std::mem::take(dirty) != 0 {
                each(slab, rows);
                *rows = [Row::EMPTY; 8];
                if let Some(several) = self.several.as_chunks_mut::<8>().0.get_mut(slab) {
                    *several = [Row::EMPTY; 8];
                }
            }
        }
    }

    /// Adds the positions of one slab, given by its rows.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Accumulator, Domain, Row};
    /// let mut found = Accumulator::new(&Domain::try_new("KQRvKR".parse()?, &[])?, Backend::detect());
    /// found.add_slab(5, &[Row([1; 8]); 8]);
    /// assert_eq!(found.rows().iter().position(|row| !row.is_empty()), Some(5 * 8));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If `slab` is not below [`Domain::slabs`].
    pub fn add_slab(&mut self, slab: usize, rows: &[Row; 8]) {
        for (r, &row) in rows.iter().enumerate() {
            let at = slab * 8 + r;
            if let Some(several) = self.several.get_mut(at) {
                *several |= self.rows[at] & row;
            }
            self.rows[at] |= row;
            self.dirty[slab] |= u8::from(!row.is_empty()) << r;
        }
    }

    /// Adds positions given as the rows of a slice.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Accumulator, Bitbase, Domain, Row};
    /// # use tbindex::Color;
    /// let (domain, backend) = (Domain::try_new("KQvKR".parse()?, &[])?, Backend::detect());
    /// let mut found = Accumulator::new(&domain, backend);
    /// for side in Color::ALL {
    ///     found.add(Bitbase::legal(&domain, side, backend)?.slice(461));
    /// }
    /// // K on d4 and k on h8: the positions that are legal for one side or the other.
    /// assert_eq!(found.rows().iter().map(Row::len).sum::<u32>(), 3552);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If there are not as many rows as in a slice.
    #[track_caller]
    pub fn add(&mut self, rows: &[Row]) {
        check_length("add", rows.len(), self.rows.len());
        for (slab, rows) in rows.as_chunks::<8>().0.iter().enumerate() {
            self.add_slab(slab, rows);
        }
    }

    /// Panics if a slice and positions that a function was given are not of the domain.
    #[inline]
    #[track_caller]
    pub(super) fn check(&self, function: &str, slice: &Slice<'_>, domain: &Domain) {
        assert!(
            *domain == self.domain && domain.has_parts(slice.parts),
            "{function}: positions of {domain:?}, expected slices and positions of {:?}",
            self.domain
        );
    }

    #[inline(always)]
    pub(super) fn sink(&mut self) -> Sink<'_> {
        Sink {
            rows: &mut self.rows,
            several: &mut self.several,
            dirty: &mut self.dirty,
        }
    }

    /// Adds the positions of a slice that moves of `side` from positions of `from` lead to ([`Direction::Forward`]),
    /// or from which they lead to positions of `from` ([`Direction::Backward`]). These are all moves of its king and
    /// its men except captures.
    ///
    /// The whole set is read, as kings come from other slices. Placements of `from` with two pieces on a
    /// square are not left out.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Accumulator, Bitbase, Direction, Domain, Row, Slice, Slot};
    /// # use tbindex::Color::White;
    /// # let domain = Domain::try_new("KRvK".parse()?, &[])?;
    /// // K on b1, k on d1 and R on h8.
    /// let mut one = Bitbase::try_new(&domain)?;
    /// one.insert(Slot { slice: 0, offset: 63 });
    /// let mut moves = Accumulator::new(&domain, Backend::detect());
    /// let targets = (0..domain.slices()).map(|number| {
    ///     moves.clear();
    ///     moves.moves(&Slice::new(&domain, number), White, Direction::Forward, &one);
    ///     moves.rows().iter().map(Row::len).sum::<u32>()
    /// });
    /// // Fourteen of the rook and three of the king, a1, a2 and b2.
    /// assert_eq!(targets.sum::<u32>(), 17);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If `from` is of another domain, or the slice is of a domain under another group.
    #[track_caller]
    pub fn moves<'a>(
        &mut self,
        slice: &Slice<'_>,
        side: Color,
        direction: Direction,
        from: impl Into<Positions<'a>>,
    ) {
        self.add_moves(slice, side, direction, from.into());
    }

    #[track_caller]
    fn add_moves(
        &mut self,
        slice: &Slice<'_>,
        side: Color,
        direction: Direction,
        from: Positions<'_>,
    ) {
        self.check("moves", slice, from.domain());
        let own = from.slice(slice.number);
        for man in 0..slice.men {
            if slice.parts.men[man].color == side {
                self.add_man_moves(slice, man, direction, own);
            }
        }
        dispatch_sums!(self.backend, self.counts(), token => add_king_moves(token, slice, side, from, &mut self.sink()));
    }

    /// Adds the same as [`moves`](Accumulator::moves) for one man alone, given by his place in [`Domain::men`].
    /// He stays in the slice, so only this slice of `from` is read.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Accumulator, Bitbase, Direction, Domain, Row, Slice, Slot};
    /// # let domain = Domain::try_new("KRvK".parse()?, &[])?;
    /// // K on b1, k on d1 and R on h1. Moves are not masked: besides the file, R reaches g1, f1, e1 and d1.
    /// let mut one = Bitbase::try_new(&domain)?;
    /// one.insert(Slot { slice: 0, offset: 7 });
    /// let mut moves = Accumulator::new(&domain, Backend::detect());
    /// moves.man_moves(&Slice::new(&domain, 0), 0, Direction::Forward, &one);
    /// let targets = moves.rows()[0].0[0];
    /// assert_eq!(targets & 0xff, 0b0111_1000);
    /// assert_eq!(targets.count_ones(), 7 + 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If `man` is out of range, `from` is of another domain, or the slice is of a domain under another group.
    #[track_caller]
    pub fn man_moves<'a>(
        &mut self,
        slice: &Slice<'_>,
        man: usize,
        direction: Direction,
        from: impl Into<Positions<'a>>,
    ) {
        let from = from.into();
        self.check("man_moves", slice, from.domain());
        check_below("man_moves", "man", man, slice.men);
        self.add_man_moves(slice, man, direction, from.slice(slice.number));
    }

    /// Adds the positions that moves of one man lead to from given positions of the slice.
    pub(super) fn add_man_moves(
        &mut self,
        slice: &Slice<'_>,
        man: usize,
        direction: Direction,
        from: Source<'_>,
    ) {
        man_moves(self.backend, slice, man, direction, from, self.sink());
    }

    /// Replaces the positions in `out` by the accumulated ones that are not `known`, and adds these to
    /// `known`. Nothing is accumulated afterwards.
    ///
    /// `known` is a slice of a set. If the set has the illegal placements, only legal positions come into
    /// `out`.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Accumulator, Domain, Frontier, Row};
    /// # let domain = Domain::try_new("KQvKR".parse()?, &[])?;
    /// let mut known = [Row([0b001; 8]); 8];
    /// let mut new = Frontier::try_new(&domain)?;
    /// let mut found = Accumulator::new(&domain, Backend::detect());
    /// found.add(&[Row([0b011; 8]); 8]);
    /// found.take_new(&mut known, &mut new.slices_mut().nth(100).expect("one of 462 slices"));
    /// assert_eq!(known, [Row([0b011; 8]); 8]);
    /// assert!(new.rows().all(|(_, row)| *row == Row([0b010; 8])));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If there are not as many rows as in a slice.
    #[track_caller]
    pub fn take_new(&mut self, known: &mut [Row], out: &mut FrontierSlice<'_>) {
        check_length("take_new", known.len(), self.rows.len());
        let (backend, mut sink) = (self.backend, self.sink());
        dispatch!(backend, token => take_new(token, &mut sink, known, out));
    }

    /// Does the same as [`take_new`](Accumulator::take_new) with only the positions that are
    /// [confined](Slice::confine) to a set: no move of `side` except captures leaves it. Accumulated
    /// positions that are not confined are dropped.
    ///
    /// The set must have all illegal placements with the other side to move.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Accumulator, Bitbase, Domain, Frontier, Slice};
    /// # use tbindex::Color::{Black, White};
    /// # let (domain, backend) = (Domain::try_new("KRvK".parse()?, &[])?, Backend::detect());
    /// // All legal positions are candidates. Those confined to the illegal placements have no move, captures left out.
    /// let (legal, illegal) = (Bitbase::legal(&domain, Black, backend)?, Bitbase::illegal(&domain, White, backend)?);
    /// let mut known = Bitbase::illegal(&domain, Black, backend)?;
    /// let mut stuck = Frontier::try_new(&domain)?;
    /// let mut found = Accumulator::new(&domain, backend);
    /// for (number, (known, mut stuck)) in known.slices_mut().zip(stuck.slices_mut()).enumerate() {
    ///     found.add(legal.slice(number));
    ///     found.take_confined(&Slice::new(&domain, number), Black, &illegal, known, &mut stuck);
    /// }
    /// assert_eq!(stuck.rows().map(|(_, row)| row.len()).sum::<u32>(), 90);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the set or the slice is of another domain, or there are not as many rows as in a slice.
    #[track_caller]
    pub fn take_confined(
        &mut self,
        slice: &Slice<'_>,
        side: Color,
        set: &Bitbase,
        known: &mut [Row],
        out: &mut FrontierSlice<'_>,
    ) {
        self.check("take_confined", slice, set.domain());
        check_length("take_confined", known.len(), self.rows.len());
        let slabs = self.rows.as_chunks_mut::<8>().0.iter_mut();
        for ((rows, known), &dirty) in slabs.zip(known.as_chunks::<8>().0).zip(&self.dirty) {
            if dirty != 0 {
                for (row, &known) in rows.iter_mut().zip(known) {
                    *row &= !known;
                }
            }
        }
        slice.confine(side, set, &mut self.rows, self.backend);
        self.take_new(known, out);
    }
}

#[inline(always)]
fn take_new<T: HasBoards>(
    isa: T,
    accumulated: &mut Sink<'_>,
    known: &mut [Row],
    out: &mut FrontierSlice<'_>,
) {
    out.groups.fill(0);
    for slab in 0..accumulated.dirty.len() {
        let at = slab * 8;
        if accumulated.dirty[slab] == 0 {
            out.active[slab] = 0;
            continue;
        }
        accumulated.dirty[slab] = 0;
        let mut new: [T::Boards; 8] = load_slab(isa, &accumulated.rows[at..at + 8]);
        for r in 0..8 {
            T::Boards::zero(isa).store(&mut accumulated.rows[at + r]);
            if let Some(several) = accumulated.several.get_mut(at + r) {
                T::Boards::zero(isa).store(several);
            }
            let known = &mut known[at + r];
            let before = T::Boards::load(isa, known);
            new[r] = new[r].without(before);
            if !new[r].is_zero() {
                (before | new[r]).store(known);
            }
        }
        out.put(slab, &new);
    }
}

debug_by!([] Accumulator: domain);
