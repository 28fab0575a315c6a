//! The order in which the slices of pairs of kings are visited.

use std::collections::BTreeSet;

use tbgen::internals::visits;
use tbindex::{Color, Group, KingDistance, KingMoves, KingPairs};

/// Only visits load and drop slices.
#[test]
fn visits_have_what_they_need_and_keep_few() {
    for (group, mover) in Group::ALL
        .into_iter()
        .flat_map(|group| Color::ALL.map(|color| (group, color)))
    {
        let pairs = KingPairs::new(group, KingDistance::Apart);
        let moves = KingMoves::new(&pairs);
        let mut resident = BTreeSet::new();
        let mut dropped = BTreeSet::new();
        let mut visited = BTreeSet::new();
        let mut peak = 0;
        for visit in visits(&pairs, &moves, mover) {
            for &slice in &visit.load {
                assert!(!dropped.contains(&slice), "{slice} is loaded twice");
                assert!(resident.insert(slice));
            }
            peak = peak.max(resident.len());
            assert!(visited.insert(visit.slice));
            assert!(resident.contains(&visit.slice));
            for needed in moves.neighbours(visit.slice, mover) {
                assert!(resident.contains(needed), "{} needs {needed}", visit.slice);
            }
            for slice in visit.drop {
                assert!(resident.remove(&slice));
                dropped.insert(slice);
            }
        }
        assert!(resident.is_empty());
        assert_eq!(visited.len(), pairs.all().len());
        // 19 neighbours and the slice itself are published as enough.
        assert_eq!(peak, 19, "{group} {mover}");
    }
}
