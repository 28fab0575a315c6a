//! The order in which a ply goes through the slices, such that few are in memory at once.
//!
//! When a slice is visited, it and every slice that a king move leads to from it are needed. A slice
//! is loaded when it is first needed and dropped after the last visit that needs it, so each is
//! loaded once and dropped once; the order decides how many are resident at once.
//!
//! A generator makes one side's moves at a time, and then only one king moves: the other stays in its
//! orbit, and the slices fall into parts between which there is nothing to do, one for each orbit
//! of the standing king's square. A part is (a share of) the board with the moving king's
//! neighbourhood as edges. A sweep by rows needs two rows and three squares at once, 19 slices.

use tbindex::bitbase::Domain;
use tbindex::{Color, Group, KingDistance, KingPairs, Symmetry};

use crate::solve::options::Residence;
use crate::table::slices::chosen;

/// Some slices whose wins are found, and then some whose losses are found. By then, the wins are found of all slices
/// that a move of the loser's king leads to from these.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// The slices whose wins are found, and which are loaded before.
    pub wins: Vec<usize>,
    /// The slices whose losses are found.
    pub losses: Vec<usize>,
    /// The slices whose wins are not needed any more after the step.
    pub leave: Vec<usize>,
}

/// Slices in steps.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    pub(crate) steps: Vec<Step>,
    /// The number of slices of a step whose wins are found at the same time.
    pub(crate) wins_at_once: usize,
    /// The pairs of kings whose moves connect the slices, unless all are there at once.
    pairs: Option<&'static KingPairs>,
}

impl Walk {
    /// These slices in one step, for sets that are in memory.
    pub(crate) fn at_once(slices: Vec<usize>) -> Walk {
        let step = Step {
            wins: slices.clone(),
            losses: slices,
            leave: Vec::new(),
        };
        Walk {
            steps: vec![step],
            wins_at_once: usize::MAX,
            pairs: None,
        }
    }

    /// These slices in steps of so many losses each, so that few are needed at the same time. With a slice there have to
    /// be those that moves of the loser's king connect with it.
    ///
    /// # Panics
    /// If the kings are free.
    pub(crate) fn in_groups(domain: &Domain, loser: Color, slices: &[usize], group: usize) -> Walk {
        let pairs = domain.king_pairs().expect("slices of kings");
        let wanted = chosen(domain, slices);
        // The slices that a visit needs are connected with its slice, so the visits of the other slices do nothing for these.
        let mut visits = visits(pairs, loser);
        visits.retain(|visit| wanted[visit.losses[0]]);
        let steps = visits.chunks(group).map(|visits| {
            let all = |of: fn(&Step) -> &Vec<usize>| visits.iter().flat_map(of).copied().collect();
            Step {
                wins: all(|visit| &visit.wins),
                losses: all(|visit| &visit.losses),
                leave: all(|visit| &visit.leave),
            }
        });
        Walk {
            steps: steps.collect(),
            // Some for each of a few threads: the slices around them are needed as well.
            wins_at_once: group.max(4),
            pairs: Some(pairs),
        }
    }

    /// The most slices whose wins are needed at the same time.
    pub(crate) fn peak(&self) -> usize {
        let (mut here, mut peak) = (0, 0);
        for step in &self.steps {
            here += step.wins.len();
            peak = peak.max(here);
            here -= step.leave.len();
        }
        peak
    }

    /// The slices that moves of a side's king connect with some slices, and these, each once.
    pub(crate) fn around(&self, slices: &[usize], side: Color) -> Vec<usize> {
        let Some(pairs) = self.pairs else {
            return slices.to_vec();
        };
        let mut all: Vec<usize> = slices
            .iter()
            .flat_map(|&slice| pairs.neighbours(slice, side).iter().copied().chain([slice]))
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// An upper bound of the number of slices around those whose wins are found at the same time.
    pub(crate) fn most_around(&self, side: Color) -> usize {
        let steps = self.steps.iter();
        let around = steps.map(|step| self.around(&step.wins, side).len());
        // A king has eight moves.
        (around.max().unwrap_or(0)).min(self.wins_at_once.saturating_mul(9))
    }
}

/// Steps with a visit of one slice each, for all slices and a pass that makes the moves of one side.
#[must_use]
pub fn visits(pairs: &KingPairs, mover: Color) -> Vec<Step> {
    let mut order: Vec<usize> = (0..pairs.all().len()).collect();
    // By the squares of the standing and the moving king, of all images those with the lowest numbers.
    order.sort_by_cached_key(|&slice| {
        let images = Symmetry::ALL.map(|symmetry| {
            let kings = pairs.all()[slice].map(|king| symmetry.apply(king));
            let is_image = pairs
                .find(kings[0], kings[1])
                .is_some_and(|of| of.0 == slice);
            is_image.then_some([!mover, mover].map(|side| kings[side as usize].number()))
        });
        images.into_iter().flatten().min()
    });
    // Needs are mutual: if a slice needs another, the other needs it.
    let needs = |slice: usize| {
        let mut needs: Vec<usize> = pairs.neighbours(slice, mover).to_vec();
        needs.push(slice);
        needs.sort_unstable();
        needs.dedup();
        needs
    };
    let mut loaded = vec![false; order.len()];
    let mut open: Vec<usize> = (0..order.len()).map(|slice| needs(slice).len()).collect();
    let visit = |slice: usize| {
        let mut wins = needs(slice);
        let mut leave = wins.clone();
        wins.retain(|&slice| !std::mem::replace(&mut loaded[slice], true));
        leave.retain(|&slice| {
            open[slice] -= 1;
            open[slice] == 0
        });
        let losses = vec![slice];
        Step {
            wins,
            losses,
            leave,
        }
    };
    order.into_iter().map(visit).collect()
}

/// Slices of a domain in the groups whose seeds are made at the same time, each of which has few bytes and slices close
/// together.
pub(crate) fn seed_groups(
    domain: &Domain,
    residence: &Residence<'_>,
    slices: &[usize],
) -> Vec<Vec<usize>> {
    let group = residence.seeded_at_once(domain);
    if group >= slices.len() {
        return vec![slices.to_vec()];
    }
    if domain.fixed().is_empty() {
        let walk = Walk::in_groups(domain, Color::White, slices, group);
        return walk.steps.into_iter().map(|step| step.losses).collect();
    }
    let slices = with_images_together(domain, slices);
    slices.chunks(group).map(<[usize]>::to_vec).collect()
}

/// Slices of a domain without symmetries, so that images of each other come one after the other: promotions of the last pawn
/// lead from them to the same slices.
fn with_images_together(domain: &Domain, slices: &[usize]) -> Vec<usize> {
    let pairs = domain.king_pairs().expect("slices of kings");
    let images = KingPairs::new(Group::D4, KingDistance::Apart);
    let mut slices = slices.to_vec();
    slices.sort_by_key(|&slice| {
        let [white, black] = pairs.all()[slice];
        images.find(white, black).map(|(image, _)| image)
    });
    slices
}
