//! Distances that moves out of a part bring in.
//!
//! By the distance to mate, a move out of a part leads to a position with a distance of its own. Before the plies
//! of a part are gone through, each position gets the code of the best that such moves do for it: for the winner
//! the shortest win, for the loser the longest loss. In the ply of that distance it is *due*: the win is there, or
//! the loser has nothing left out there that holds longer.

use tbindex::batch::Backend;
use tbindex::dispatch;

use crate::planes::{Planes, Slab, any, for_each_code};

/// The slabs of a slice in which codes of wins, or of losses, are due.
#[derive(Clone, Debug, Default)]
pub(crate) struct Due {
    wins: bool,
    /// For each half of a code the slabs, in order.
    by_half: Vec<Vec<u32>>,
    /// Those in which anything is due.
    all: Vec<u32>,
}

impl Due {
    fn at(&self, code: u16) -> &[u32] {
        self.by_half
            .get(usize::from(code >> 1))
            .map_or(&[], |slabs| slabs)
    }

    /// Whether a code is due anywhere.
    pub(crate) fn has(&self, code: u16) -> bool {
        !self.at(code).is_empty()
    }

    /// The greatest code that is due anywhere.
    pub(crate) fn last(&self) -> Option<u16> {
        let half = self.by_half.len().checked_sub(1)?;
        Some((half as u16) << 1 | u16::from(self.wins))
    }

    /// The slabs in which a code is due, with their positions.
    pub(crate) fn slabs(&self, code: u16, planes: &Planes, backend: Backend) -> Vec<(usize, Slab)> {
        let mut all = Vec::with_capacity(self.at(code).len());
        dispatch!(backend, _ => {
            for &slab in self.at(code) {
                let these = planes.slab_with(slab as usize, code);
                // They may have got a better one.
                if any(&these) {
                    all.push((slab as usize, these));
                }
            }
        });
        all
    }

    /// The slabs in which anything is due.
    pub(crate) fn all(&self) -> impl Iterator<Item = usize> + '_ {
        self.all.iter().map(|&slab| slab as usize)
    }

    /// Notes the codes of wins or of losses that positions of a slice have.
    pub(crate) fn note(planes: &Planes, slabs: usize, wins: bool, backend: Backend) -> Due {
        let mut due = Due {
            wins,
            ..Due::default()
        };
        if planes.count() == 0 {
            return due;
        }
        dispatch!(backend, _ => {
            for slab in 0..slabs {
                let (planes, count) = planes.slabs_at(slab);
                let mut these = *planes[0];
                if !wins {
                    for row in &mut these {
                        *row = !*row;
                    }
                }
                for_each_code(
                    &planes[..count],
                    &these,
                    #[inline(always)]
                    |code, _| due.add(slab as u32, usize::from(code >> 1)),
                );
            }
        });
        due
    }

    fn add(&mut self, slab: u32, half: usize) {
        if self.by_half.len() <= half {
            self.by_half.resize(half + 1, Vec::new());
        }
        self.by_half[half].push(slab);
        if self.all.last() != Some(&slab) {
            self.all.push(slab);
        }
    }
}
