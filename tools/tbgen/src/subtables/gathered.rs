//! The positions that a ply gathers and finds and, of helpmates, those among them that have several solutions.

use std::io;

use tbindex::Color;
use tbindex::batch::Backend;
use tbindex::bitbase::{
    Accumulator, Bitbase, Direction, Domain, Frontier, FrontierSlice, Row, Slice,
};

use crate::table::slab::Slab;

/// The positions that a ply finds.
pub(crate) struct Frontiers {
    pub(crate) all: Frontier,
    /// Of helpmates, those that have several solutions.
    several: Option<Frontier>,
}

/// A slice of what a ply finds.
pub(crate) struct FrontiersSlice<'a> {
    pub(crate) all: FrontierSlice<'a>,
    pub(crate) several: Option<FrontierSlice<'a>>,
}

impl Frontiers {
    /// Nothing, in frontiers that a function makes, of helpmates or not.
    pub(crate) fn new(
        make: impl Fn() -> io::Result<Frontier>,
        of_helpmates: bool,
    ) -> io::Result<Frontiers> {
        Ok(Frontiers {
            all: make()?,
            several: of_helpmates.then(make).transpose()?,
        })
    }

    fn each_mut(&mut self) -> impl Iterator<Item = &mut Frontier> {
        [&mut self.all].into_iter().chain(&mut self.several)
    }

    pub(crate) fn slices_mut(&mut self) -> impl Iterator<Item = FrontiersSlice<'_>> {
        let several = self.several.iter_mut().flat_map(Frontier::slices_mut);
        let several = several.map(Some).chain(std::iter::repeat_with(|| None));
        let slices = self.all.slices_mut().zip(several);
        slices.map(|(all, several)| FrontiersSlice { all, several })
    }

    pub(crate) fn clear(&mut self) {
        self.each_mut().for_each(Frontier::clear);
    }

    pub(crate) fn shrink(&mut self) -> io::Result<()> {
        self.each_mut().try_for_each(Frontier::shrink)
    }

    pub(crate) fn release_slice(&mut self, slice: usize) {
        self.each_mut().for_each(|found| found.release_slice(slice));
    }
}

impl FrontiersSlice<'_> {
    pub(crate) fn clear(&mut self) {
        let several = self.several.iter_mut();
        several
            .chain([&mut self.all])
            .for_each(FrontierSlice::clear);
    }
}

/// The positions of a slice that are gathered: the working memory of a thread.
pub(crate) struct Gathered {
    pub(crate) all: Accumulator,
    /// Of helpmates, those that are gathered from positions with several solutions.
    several: Option<Accumulator>,
}

impl Gathered {
    pub(crate) fn new(domain: &Domain, backend: Backend, of_helpmates: bool) -> Gathered {
        let plain = || Accumulator::new(domain, backend);
        match of_helpmates {
            false => Gathered {
                all: plain(),
                several: None,
            },
            // Two moves to positions with one solution are two solutions, too.
            true => Gathered {
                all: Accumulator::counting(domain, backend),
                several: Some(plain()),
            },
        }
    }

    /// An accumulator that counts nothing.
    pub(crate) fn plain(&mut self) -> &mut Accumulator {
        self.several.as_mut().unwrap_or(&mut self.all)
    }

    /// Gathers the positions of a slice from which moves of `side` lead to what a ply found.
    pub(crate) fn moves(&mut self, slice: &Slice<'_>, side: Color, to: &Frontiers) {
        let back = Direction::Backward;
        self.all.moves(slice, side, back, &to.all);
        if let (Some(gathered), Some(several)) = (&mut self.several, &to.several) {
            gathered.moves(slice, side, back, several);
        }
    }

    /// Gathers positions of a slab; of helpmates those with one solution, or with several.
    pub(crate) fn add_slab(&mut self, slab: usize, these: &Slab, several: bool) {
        self.all.add_slab(slab, these);
        if let Some(gathered) = self.several.as_mut().filter(|_| several) {
            gathered.add_slab(slab, these);
        }
    }

    /// Takes the gathered positions that are not known, of which a ply finds those, and adds them to what is known.
    pub(crate) fn take_new(&mut self, known: &mut [Row], found: &mut FrontiersSlice<'_>) {
        if let (Some(gathered), Some(several)) = (&mut self.several, &mut found.several) {
            let (rows, twice) = (self.all.rows(), self.all.several());
            if rows.iter().all(Row::is_empty) {
                several.clear();
            } else {
                let to_several = gathered.rows();
                several.fill(|at| rows[at] & !known[at] & (twice[at] | to_several[at]));
                gathered.clear();
            }
        }
        self.all.take_new(known, &mut found.all);
    }

    /// Takes those that are lost as well: all moves of `side` lead to positions that are `won`; or of helpmates, for which one
    /// move is enough, the same as [`take_new`](Gathered::take_new).
    pub(crate) fn take_lost(
        &mut self,
        slice: &Slice<'_>,
        side: Color,
        won: &Bitbase,
        known: &mut [Row],
        found: &mut FrontiersSlice<'_>,
    ) {
        match self.several {
            None => (self.all).take_confined(slice, side, won, known, &mut found.all),
            Some(_) => self.take_new(known, found),
        }
    }
}
