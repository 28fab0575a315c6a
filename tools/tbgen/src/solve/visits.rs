//! An order of visiting the slices in which few are in memory at once.
//!
//! When a slice is visited, it and every slice that a king move leads to from it are needed. A slice
//! is loaded when it is first needed and dropped after the last visit that needs it, so each is
//! loaded once and dropped once; the order decides how many are resident at once.
//!
//! A generator makes one side's moves at a time, and then only one king moves: the other stays in its
//! orbit, and the slices fall into parts between which there is nothing to do, one for each orbit
//! of the standing king's square. A part is (a share of) the board with the moving king's
//! neighbourhood as edges. A sweep by rows needs two rows and three squares at once, 19 slices.

use tbindex::{Color, KingMoves, KingPairs, Symmetry};

/// One visit of a slice.
#[derive(Clone, Debug)]
pub struct Visit {
    /// The slices to be loaded before the visit.
    pub load: Vec<usize>,
    /// The slice to visit: it and its neighbours are resident.
    pub slice: usize,
    /// The slices that are not needed any more after the visit.
    pub drop: Vec<usize>,
}

/// Visits of all slices for a pass that makes the moves of one side, with the slices to load and to drop.
#[must_use]
pub fn visits(pairs: &KingPairs, moves: &KingMoves, mover: Color) -> Vec<Visit> {
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
        let mut needs: Vec<usize> = moves.neighbours(slice, mover).to_vec();
        needs.push(slice);
        needs.sort_unstable();
        needs.dedup();
        needs
    };
    let mut loaded = vec![false; order.len()];
    let mut open: Vec<usize> = (0..order.len()).map(|slice| needs(slice).len()).collect();
    let visit = |slice: usize| {
        let mut load = needs(slice);
        let mut drop = load.clone();
        load.retain(|&slice| !std::mem::replace(&mut loaded[slice], true));
        drop.retain(|&slice| {
            open[slice] -= 1;
            open[slice] == 0
        });
        Visit { load, slice, drop }
    };
    order.into_iter().map(visit).collect()
}
