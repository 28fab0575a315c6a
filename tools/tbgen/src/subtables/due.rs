//! Distances to mate that conversions bring in.
//!
//! By the distance to mate, a conversion leads to a position with a distance of its own. Before the plies of a part are
//! gone through, each position gets the code of the best that conversions do for it: for the winner the shortest win, for
//! the loser the longest loss, and of helpmates the shortest. In the ply of that distance it is *due*: the win or the helpmate
//! is there, or the loser has no conversion left that holds longer.

use std::io;
use std::sync::Arc;

use tbindex::Color;
use tbindex::batch::Backend;
use tbindex::bitbase::Row;
use tbindex::dispatch;

use crate::subtables::best::Best;
use crate::table::codes::{bit_of, plies_of_code};
use crate::table::slab::{Slab, any, for_each_code};
use crate::table::sparse::{Sparse, Stored};
use crate::table::temp_file::TempFile;
use crate::table::value::Metric;

/// Where in a slice codes with the same bit 0 are due: those with which a side wins or, of helpmates, those of one solution
/// or of several. Half 0 is never due: there are, with the bit of the other side's wins, the positions that have a conversion into
/// positions that it has not won; of helpmates, into any.
#[derive(Clone, Debug)]
pub(crate) struct Due {
    pub(crate) bit: u16,
    /// The number of slabs of the slice.
    slabs: usize,
    by_half: Vec<Stored>,
}

impl Due {
    /// The positions that are due where this is the best that conversions of `side` do in a slice, by bit 0 of the codes. A
    /// position that is safe can't be lost.
    pub(crate) fn of(metric: Metric, side: Color, best: &Best, backend: Backend) -> [Due; 2] {
        let slabs = best.safe.len() / 8;
        let mut halves: [Vec<Sparse>; 2] = Default::default();
        let mut add = |bit: u16, half: usize, slab: usize, these: &Slab| {
            let halves = &mut halves[usize::from(bit)];
            halves.resize_with(halves.len().max(half + 1), Sparse::default);
            halves[half].add(slab, these);
        };
        let (is_help, lost) = (metric.victim().is_some(), bit_of(!side));
        dispatch!(backend, _ => {
            for (slab, safe) in best.safe.as_chunks::<8>().0.iter().enumerate() {
                let (planes, count) = best.planes.slabs_at(slab);
                if any(safe) {
                    add(lost, 0, slab, safe);
                }
                for_each_code(
                    &planes[..count],
                    &[!Row::EMPTY; 8],
                    #[inline(always)]
                    |code, these| {
                        let mut these = *these;
                        if code & 1 == lost && !is_help {
                            for (these, safe) in these.iter_mut().zip(safe) {
                                *these &= !*safe;
                            }
                        }
                        if any(&these) {
                            add(code & 1, usize::from(code >> 1), slab, &these);
                        }
                    },
                );
            }
        });
        let [without, with] = halves;
        [(0, without), (1, with)].map(|(bit, halves)| {
            let mut by_half: Vec<Stored> = halves.into_iter().map(Stored::of).collect();
            by_half.shrink_to_fit();
            Due {
                bit,
                slabs,
                by_half,
            }
        })
    }

    /// Puts what is due into a file.
    pub(crate) fn put_aside(&mut self, temp_file: &Arc<TempFile>) -> io::Result<()> {
        let mut sets = self.by_half.iter_mut();
        sets.try_for_each(|set| set.put_aside(temp_file))
    }

    /// Whether a code is due anywhere.
    pub(crate) fn has(&self, code: u16) -> bool {
        let set = self.by_half.get(usize::from(code >> 1));
        set.is_some_and(|set| !set.is_empty())
    }

    /// The plies of `side` in which anything is due, in order.
    pub(crate) fn plies(&self, metric: Metric, side: Color) -> impl Iterator<Item = u16> {
        let halves = (1..self.by_half.len()).filter(|&half| !self.by_half[half].is_empty());
        halves.map(move |half| plies_of_code(metric, self.code(half), side))
    }

    fn code(&self, half: usize) -> u16 {
        (half as u16) << 1 | self.bit
    }

    /// Hands over the slabs in which a code is due, with their positions. Only a file can fail.
    pub(crate) fn for_each_slab(
        &self,
        code: u16,
        each: impl FnMut(usize, &Slab),
    ) -> io::Result<()> {
        match self.by_half.get(usize::from(code >> 1)) {
            Some(set) => set.for_each_slab(self.slabs, each),
            None => Ok(()),
        }
    }

    /// Hands over the slabs of positions that are never due for `side` by the distance to mate, or not in so many plies or
    /// fewer. Only a file can fail.
    pub(crate) fn for_each_later(
        &self,
        side: Color,
        plies: u16,
        mut each: impl FnMut(usize, &Slab),
    ) -> io::Result<()> {
        let is_later =
            |half: usize| half == 0 || plies_of_code(Metric::Dtm, self.code(half), side) > plies;
        for half in (0..self.by_half.len()).filter(|&half| is_later(half)) {
            self.by_half[half].for_each_slab(self.slabs, &mut each)?;
        }
        Ok(())
    }

    /// Forgets what was due with a code.
    pub(crate) fn forget(&mut self, code: u16) {
        if let Some(set) = self.by_half.get_mut(usize::from(code >> 1)) {
            *set = Stored::of(Sparse::default());
        }
    }
}
