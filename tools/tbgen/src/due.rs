//! Distances that moves out of a part bring in.
//!
//! By the distance to mate, a move out of a part leads to a position with a distance of its own. Before the plies
//! of a part are gone through, each position gets the code of the best that such moves do for it: for the winner
//! the shortest win, for the loser the longest loss. In the ply of that distance it is *due*: the win is there, or
//! the loser has nothing left out there that holds longer.

use tbindex::batch::Backend;
use tbindex::dispatch;

use crate::codes::MOST_CODES;
use crate::planes::{Planes, Slab, for_each_code};

/// For each slab of a slice the codes of wins, or of losses, that are due in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Due {
    wins: bool,
    slabs: Vec<Halves>,
    /// Those of all slabs.
    all: Halves,
}

/// A bit for each half of a code.
type Halves = [u64; MOST_CODES / 128];

fn holds(halves: &Halves, code: u16) -> bool {
    halves[usize::from(code >> 7)] >> (code >> 1 & 63) & 1 != 0
}

impl Due {
    /// Whether a code is due anywhere.
    pub(crate) fn has(&self, code: u16) -> bool {
        holds(&self.all, code)
    }

    /// The greatest code that is due anywhere.
    pub(crate) fn last(&self) -> Option<u16> {
        let mut words = self.all.iter().enumerate().rev();
        let (at, word) = words.find(|(_, word)| **word != 0)?;
        let half = at as u16 * 64 + word.ilog2() as u16;
        Some(half << 1 | u16::from(self.wins))
    }

    /// The slabs in which a code is due, with their positions.
    pub(crate) fn slabs(&self, code: u16, planes: &Planes, backend: Backend) -> Vec<(usize, Slab)> {
        if !self.has(code) {
            return Vec::new();
        }
        let slabs = self.slabs.iter().enumerate();
        let slabs = slabs.filter(|(_, halves)| holds(halves, code));
        let mut all = Vec::new();
        dispatch!(backend, _ => {
            for (slab, _) in slabs {
                all.push((slab, planes.slab_with(slab, code)));
            }
        });
        all
    }

    /// The slabs in which anything is due.
    pub(crate) fn all(&self) -> impl Iterator<Item = usize> + '_ {
        let slabs = self.slabs.iter().enumerate();
        slabs
            .filter(|(_, halves)| **halves != Halves::default())
            .map(|(slab, _)| slab)
    }

    /// Notes the codes of wins or of losses that positions of a slice have.
    pub(crate) fn note(planes: &Planes, slabs: usize, wins: bool) -> Due {
        let mut due = Due {
            wins,
            slabs: vec![Halves::default(); slabs],
            all: Halves::default(),
        };
        for slab in 0..slabs {
            let here = &mut due.slabs[slab];
            let planes = planes.slab(slab);
            let Some(won) = planes.first() else {
                continue;
            };
            let these = std::array::from_fn(|r| if wins { won[r] } else { !won[r] });
            for_each_code(&planes, &these, &mut |code, _| {
                here[usize::from(code >> 7)] |= 1 << (code >> 1 & 63);
            });
            for (all, here) in due.all.iter_mut().zip(here) {
                *all |= *here;
            }
        }
        due
    }
}
