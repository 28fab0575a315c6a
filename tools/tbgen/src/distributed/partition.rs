//! Which process has which slices.
//!
//! While the wins of one side are found, a process has all slices in which the king of that side is on certain squares
//! up to symmetry. So what the loser's moves lead to is always at hand, and only the moves of the winner's king lead to
//! other processes. There are ten such squares.

use std::collections::{BTreeMap, BTreeSet};

use tbindex::bitbase::Domain;
use tbindex::{Color, Symmetry};

/// Which process has which slices of a domain, for each winner.
#[derive(Clone, Debug)]
pub(crate) struct Partition([OfHalf; 2]);

#[derive(Clone, Debug)]
struct OfHalf {
    /// For each slice the process that has it.
    owner: Vec<usize>,
    /// For each slice the other processes that need what is lost in it.
    readers: Vec<Vec<usize>>,
}

/// Each of these processes once, but for one's own.
fn others(processes: impl Iterator<Item = usize>, own: usize) -> Vec<usize> {
    let mut others: Vec<usize> = processes.filter(|&process| process != own).collect();
    others.sort_unstable();
    others.dedup();
    others
}

impl Partition {
    /// The slices of a domain among so many processes.
    ///
    /// # Panics
    /// If there are several, and the domain has pawns or free kings.
    pub(crate) fn new(domain: &Domain, processes: usize) -> Partition {
        Partition(Color::ALL.map(|winner| match processes {
            1 => OfHalf {
                owner: vec![0; domain.slices()],
                readers: vec![Vec::new(); domain.slices()],
            },
            _ => OfHalf::new(domain, processes, winner),
        }))
    }

    /// The number of slices.
    pub(crate) fn slices(&self) -> usize {
        self.0[0].owner.len()
    }

    /// The slices of a process while wins of a side are found.
    pub(crate) fn slices_of(&self, number: usize, winner: Color) -> Vec<usize> {
        let owner = &self.0[winner as usize].owner;
        let all = 0..owner.len();
        all.filter(|&slice| owner[slice] == number).collect()
    }

    /// The other processes that need what is lost in a slice.
    pub(crate) fn readers(&self, winner: Color, slice: usize) -> &[usize] {
        &self.0[winner as usize].readers[slice]
    }

    /// The number of slices of others of which a process gets what is lost.
    pub(crate) fn received(&self, number: usize, winner: Color) -> usize {
        let readers = self.0[winner as usize].readers.iter();
        readers.filter(|readers| readers.contains(&number)).count()
    }
}

impl OfHalf {
    fn new(domain: &Domain, processes: usize, winner: Color) -> OfHalf {
        assert!(domain.fixed().is_empty(), "no pawns");
        let pairs = domain.king_pairs().expect("slices of kings");
        let mut squares = BTreeMap::new();
        // The number of the king's square up to symmetry.
        let square = (0..domain.slices()).map(|slice| {
            let king = pairs.all()[slice][winner as usize];
            let images = Symmetry::ALL.map(|symmetry| symmetry.apply(king));
            let next = squares.len();
            *squares.entry(images.into_iter().min()).or_insert(next)
        });
        let square: Vec<usize> = square.collect();
        let mut slices = vec![0; squares.len()];
        // For each square those that a king's move connects with it.
        let mut near = vec![BTreeSet::new(); squares.len()];
        for (slice, &square_here) in square.iter().enumerate() {
            slices[square_here] += 1;
            let there = pairs.neighbours(slice, winner).iter();
            near[square_here].extend(there.map(|&there| square[there]));
        }
        // The squares in groups, one for each process, as equal as can be; and of these groups, those between which least is sent.
        let groups = groups(squares.len(), processes);
        let most = |of_square: &Vec<usize>| {
            let mut loads = vec![0; processes];
            for (&group, slices) in of_square.iter().zip(&slices) {
                loads[group] += slices;
            }
            loads.into_iter().max()
        };
        let sent = |of_square: &&Vec<usize>| {
            let sent = near
                .iter()
                .zip(&slices)
                .enumerate()
                .map(|(square, (near, slices))| {
                    let near = near.iter().map(|&there| of_square[there]);
                    others(near, of_square[square]).len() * slices
                });
            sent.sum::<usize>()
        };
        let least = groups.iter().map(most).min().flatten().expect("a group");
        // A few more slices are worth less messages.
        let equal = groups
            .iter()
            .filter(|of_square| most(of_square) <= Some(least + least / 32));
        let of_square = equal.min_by_key(sent).expect("the most equal groups");
        let owner: Vec<usize> = square.iter().map(|&square| of_square[square]).collect();
        let readers = (0..domain.slices()).map(|slice| {
            let near = pairs.neighbours(slice, winner).iter();
            others(near.map(|&there| owner[there]), owner[slice])
        });
        OfHalf {
            readers: readers.collect(),
            owner,
        }
    }
}

/// All ways to put squares into at most so many groups, as the group of each square. A group with a number comes after those with
/// smaller ones.
fn groups(squares: usize, most: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..squares {
        let extend = |of_square: Vec<usize>| {
            let used = of_square.iter().max().map_or(0, |group| group + 1);
            (0..most.min(used + 1)).map(move |group| [&of_square[..], &[group]].concat())
        };
        all = all.into_iter().flat_map(extend).collect();
    }
    all
}
