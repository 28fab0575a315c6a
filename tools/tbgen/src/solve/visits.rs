//! Orders of visiting the slices in which few are in memory at once.
//!
//! When a slice is visited, it and every slice that a king move leads to from it are needed. A slice
//! is loaded when it is first needed and dropped after the last visit that needs it, so each is
//! loaded once and dropped once; the order decides how many are resident at once.
//!
//! A generator makes one side's moves at a time, and then only one king moves: the other stays in its
//! orbit, and the slices fall into parts between which there is nothing to do, one for each orbit
//! of the standing king's square. A part is (a share of) the board with the moving king's
//! neighbourhood as edges. A sweep by rows needs two rows and three squares at once, 19 slices; near
//! the standing king and along the diagonal there is less to sweep.

use tbindex::{Color, KingMoves, KingPairs};

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

/// Visits of all slices for a pass that makes the moves of one side, with the slices to load and to drop. The order is found
/// by a greedy search, from several starts.
#[must_use]
pub fn visits(pairs: &KingPairs, moves: &KingMoves, mover: Color) -> Vec<Visit> {
    let needs: Vec<Vec<usize>> = (0..pairs.all().len())
        .map(|slice| {
            let neighbours = moves.neighbours(slice, mover).iter().copied();
            let mut needs: Vec<usize> = neighbours.chain([slice]).collect();
            needs.sort_unstable();
            needs.dedup();
            needs
        })
        .collect();
    let mut order = Vec::new();
    for part in parts(&needs) {
        // All starts of a small part, some of a large one.
        let stride = part.len().div_ceil(64);
        let best = part
            .iter()
            .step_by(stride)
            .map(|&start| greedy(&needs, &part, start))
            .min_by_key(|order| simulate(&needs, order).1)
            .unwrap_or_default();
        order.extend(best);
    }
    simulate(&needs, &order).0
}

/// The slices in parts without king moves between them.
fn parts(needs: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut seen = vec![false; needs.len()];
    let mut parts = Vec::new();
    for start in 0..needs.len() {
        if seen[start] {
            continue;
        }
        seen[start] = true;
        let mut part = vec![start];
        let mut at = 0;
        while let Some(&slice) = part.get(at) {
            for &next in &needs[slice] {
                if !std::mem::replace(&mut seen[next], true) {
                    part.push(next);
                }
            }
            at += 1;
        }
        part.sort_unstable();
        parts.push(part);
    }
    parts
}

/// The order that always visits next the slice that needs the fewest others loaded; of several, the one
/// that lets the most be dropped, and then the one that has waited longest.
fn greedy(needs: &[Vec<usize>], part: &[usize], start: usize) -> Vec<usize> {
    let mut visited = vec![false; needs.len()];
    let mut loaded = vec![None; needs.len()];
    let mut open: Vec<usize> = needs.iter().map(Vec::len).collect();
    let mut order = Vec::new();
    let mut next = Some(start);
    while let Some(slice) = next {
        let all = &needs[slice];
        visited[slice] = true;
        for &need in all {
            loaded[need].get_or_insert(order.len());
            open[need] -= 1;
        }
        order.push(slice);
        next = part
            .iter()
            .copied()
            .filter(|&candidate| !visited[candidate])
            .min_by_key(|&candidate| {
                let needs = needs[candidate].iter().copied();
                let load = needs.clone().filter(|&n| loaded[n].is_none()).count();
                let drop = needs.filter(|&n| open[n] == 1).count();
                let since = loaded[candidate].unwrap_or(usize::MAX);
                (load as isize - drop as isize, load, since)
            });
    }
    order
}

/// The slices that an order loads and drops, and the most slices that are resident at once. Needs are mutual: if a
/// slice needs another, the other needs it.
fn simulate(needs: &[Vec<usize>], order: &[usize]) -> (Vec<Visit>, usize) {
    let mut loaded = vec![false; needs.len()];
    let mut open: Vec<usize> = needs.iter().map(Vec::len).collect();
    let (mut resident, mut peak) = (0, 0);
    let mut visits = Vec::with_capacity(order.len());
    for &slice in order {
        let all = || needs[slice].iter().copied();
        let load: Vec<usize> = all()
            .filter(|&slice| !std::mem::replace(&mut loaded[slice], true))
            .collect();
        resident += load.len();
        peak = peak.max(resident);
        let drop: Vec<usize> = all()
            .filter(|&slice| {
                open[slice] -= 1;
                open[slice] == 0
            })
            .collect();
        resident -= drop.len();
        visits.push(Visit { load, slice, drop });
    }
    (visits, peak)
}
