//! The order in which a ply goes through the slices.

use tbindex::bitbase::Domain;
use tbindex::{Color, Group, KingDistance, KingMoves, KingPairs};

use crate::solve::options::Residence;
use crate::solve::visits::visits;
use crate::table::slices::chosen;

/// Some slices whose wins are found, and then some whose losses are found. By then, the wins are found of all slices
/// that a move of the loser's king leads to from these.
#[derive(Clone, Debug, Default)]
pub(crate) struct Step {
    pub(crate) wins: Vec<usize>,
    pub(crate) losses: Vec<usize>,
    /// The slices whose wins are not needed any more after the step.
    pub(crate) leave: Vec<usize>,
}

/// Slices in steps.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    pub(crate) steps: Vec<Step>,
    /// The number of slices of a step whose wins are found at the same time.
    pub(crate) wins_at_once: usize,
    moves: Option<KingMoves>,
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
            moves: None,
        }
    }

    /// These slices in steps of so many losses each, so that few are needed at the same time. With a slice there have to
    /// be those that moves of the loser's king connect with it.
    ///
    /// # Panics
    /// If the kings are free.
    pub(crate) fn in_groups(domain: &Domain, loser: Color, slices: &[usize], group: usize) -> Walk {
        let pairs = domain.king_pairs().expect("slices of kings");
        let moves = KingMoves::new(pairs);
        let wanted = chosen(domain, slices);
        // The slices that a visit needs are connected with its slice, so the visits of the other slices do nothing for these.
        let mut visits = visits(pairs, &moves, loser);
        visits.retain(|visit| wanted[visit.slice]);
        let steps = visits.chunks(group).map(|visits| Step {
            wins: visits.iter().flat_map(|visit| visit.load.clone()).collect(),
            losses: visits.iter().map(|visit| visit.slice).collect(),
            leave: visits.iter().flat_map(|visit| visit.drop.clone()).collect(),
        });
        Walk {
            steps: steps.collect(),
            // Some for each of a few threads: the slices around them are needed as well.
            wins_at_once: group.max(4),
            moves: Some(moves),
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
        let Some(moves) = &self.moves else {
            return slices.to_vec();
        };
        let mut all: Vec<usize> = slices
            .iter()
            .flat_map(|&slice| moves.neighbours(slice, side).iter().copied().chain([slice]))
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
