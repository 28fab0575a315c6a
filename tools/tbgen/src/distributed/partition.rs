//! Which process has which slices.
//!
//! While the wins of one side are found, a process has all slices in which the king of that side is on certain squares
//! up to symmetry. So what the loser's moves lead to is always at hand, and only the moves of the winner's king lead to
//! other processes. There are ten such squares.

use std::collections::BTreeMap;

use tbindex::bitbase::Domain;
use tbindex::{Color, Symmetry};

use crate::distributed::transport::Transport;

/// Which process has which slices of a domain.
#[derive(Clone, Debug)]
pub(crate) struct Partition {
    processes: usize,
    number: usize,
    /// For each winner, or `None` if one process has all slices.
    halves: Option<[OfHalf; 2]>,
}

#[derive(Clone, Debug)]
struct OfHalf {
    /// For each slice the process that has it.
    owner: Vec<usize>,
    /// For each slice the other processes that need what is lost in it.
    readers: Vec<Vec<usize>>,
}

/// Groups of the winner's squares, one for each process, by numbers of these squares.
#[derive(Clone, Debug)]
struct Groups {
    of_square: Vec<usize>,
    /// The most slices of a group, and how often a slice has to be sent.
    cost: (usize, usize),
}

/// Each of these processes once, but for one's own.
fn others(processes: impl Iterator<Item = usize>, own: usize) -> Vec<usize> {
    let mut others: Vec<usize> = processes.filter(|&process| process != own).collect();
    others.sort_unstable();
    others.dedup();
    others
}

impl Partition {
    /// The slices of a domain among the processes of a transport.
    ///
    /// # Panics
    /// If there are several, and the domain has pawns or free kings.
    pub(crate) fn among(domain: &Domain, transport: &dyn Transport) -> Partition {
        match transport.processes() {
            1 => Partition {
                processes: 1,
                number: 0,
                halves: None,
            },
            processes => Partition::new(domain, processes, transport.number()),
        }
    }

    /// The slices of a domain without pawns among so many processes, seen from the one with this number.
    ///
    /// # Panics
    /// If the kings are free.
    pub(crate) fn new(domain: &Domain, processes: usize, number: usize) -> Partition {
        let pairs = domain.king_pairs().expect("slices of kings");
        let halves = Color::ALL.map(|winner| {
            let mut squares = BTreeMap::new();
            // The number of the king's square up to symmetry.
            let least = |slice: usize| {
                let king = pairs.all()[slice][winner as usize];
                Symmetry::ALL
                    .map(|symmetry| symmetry.apply(king))
                    .into_iter()
                    .min()
            };
            for slice in 0..domain.slices() {
                let next = squares.len();
                squares.entry(least(slice)).or_insert(next);
            }
            let square: Vec<usize> = (0..domain.slices())
                .map(|slice| squares[&least(slice)])
                .collect();
            let mut slices = vec![0; squares.len()];
            let mut near = vec![vec![false; squares.len()]; squares.len()];
            for slice in 0..domain.slices() {
                slices[square[slice]] += 1;
                for &there in pairs.neighbours(slice, winner) {
                    near[square[slice]][square[there]] = true;
                }
            }
            // The squares in groups, as equal as can be; and of these groups, those between which least is sent.
            let mut best = Groups {
                of_square: Vec::new(),
                cost: (usize::MAX, 0),
            };
            let mut loads = vec![0; processes.min(slices.len())];
            extend(&slices, &near, &mut Vec::new(), &mut loads, &mut best);
            let owner: Vec<usize> = square.iter().map(|&s| best.of_square[s]).collect();
            let readers = (0..domain.slices()).map(|slice| {
                let near = pairs.neighbours(slice, winner).iter();
                others(near.map(|&there| owner[there]), owner[slice])
            });
            OfHalf {
                readers: readers.collect(),
                owner,
            }
        });
        Partition {
            processes,
            number,
            halves: Some(halves),
        }
    }

    /// Whether this process has all slices.
    pub(crate) fn is_whole(&self) -> bool {
        self.halves.is_none()
    }

    fn half(&self, winner: Color) -> Option<&OfHalf> {
        self.halves.as_ref().map(|halves| &halves[winner as usize])
    }

    /// The slices of this process, of so many, while wins of a side are found.
    pub(crate) fn mine(&self, winner: Color, slices: usize) -> Vec<usize> {
        self.of(self.number, winner, slices)
    }

    /// The slices of a process, of so many, while wins of a side are found.
    pub(crate) fn of(&self, number: usize, winner: Color, slices: usize) -> Vec<usize> {
        let mut its: Vec<usize> = (0..slices).collect();
        if let Some(OfHalf { owner, .. }) = self.half(winner) {
            its.retain(|&slice| owner[slice] == number);
        }
        its
    }

    /// The other processes that need what is lost in a slice.
    pub(crate) fn readers(&self, winner: Color, slice: usize) -> &[usize] {
        self.half(winner).map_or(&[], |half| &half.readers[slice])
    }

    /// For each process the number of its slices and of those of others that it gets, while wins of a side are found.
    pub(crate) fn loads(&self, winner: Color) -> Vec<(usize, usize)> {
        let mut loads = vec![(0, 0); self.processes];
        if let Some(half) = self.half(winner) {
            for (&owner, readers) in half.owner.iter().zip(&half.readers) {
                loads[owner].0 += 1;
                for &reader in readers {
                    loads[reader].1 += 1;
                }
            }
        }
        loads
    }
}

/// Tries all groups of the squares that are left, of which `slices` has the number of slices and `near` the squares that a king's
/// move connects. A group with a number comes after those with smaller ones.
fn extend(
    slices: &[usize],
    near: &[Vec<bool>],
    of_square: &mut Vec<usize>,
    loads: &mut [usize],
    best: &mut Groups,
) {
    let most = *loads.iter().max().expect("a group");
    // A few more slices are worth less messages.
    let allowed = |least: usize| least + least / 32;
    if most > allowed(best.cost.0.min(usize::MAX / 2)) {
        return;
    }
    let square = of_square.len();
    if square == slices.len() {
        let sent = |square: usize| {
            let near = (0..slices.len()).filter(|&there| near[square][there]);
            let readers = others(near.map(|there| of_square[there]), of_square[square]);
            readers.len() * slices[square]
        };
        let sent = (0..slices.len()).map(sent).sum();
        let clearly_less = allowed(most) < best.cost.0;
        if clearly_less || sent < best.cost.1 {
            *best = Groups {
                of_square: of_square.clone(),
                cost: (most, sent),
            };
        }
        return;
    }
    let used = of_square.iter().max().map_or(0, |group| group + 1);
    for group in 0..loads.len().min(used + 1) {
        of_square.push(group);
        loads[group] += slices[square];
        extend(slices, near, of_square, loads, best);
        loads[group] -= slices[square];
        of_square.pop();
    }
}
