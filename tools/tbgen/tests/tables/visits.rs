//! The order in which the slices of pairs of kings are visited.

use std::collections::BTreeSet;

use tbgen::internals::visits;
use tbindex::{Color, Group, KingDistance, KingPairs};

/// Only visits load and drop slices.
#[test]
fn visits_have_what_they_need_and_keep_few() {
    for (group, mover) in Group::ALL
        .into_iter()
        .flat_map(|group| Color::ALL.map(|color| (group, color)))
    {
        let pairs = KingPairs::new(group, KingDistance::Apart);
        let mut resident = BTreeSet::new();
        let mut dropped = BTreeSet::new();
        let mut visited = BTreeSet::new();
        let mut peak = 0;
        for visit in visits(&pairs, mover) {
            for &slice in &visit.wins {
                assert!(!dropped.contains(&slice), "{slice} is loaded twice");
                assert!(resident.insert(slice));
            }
            peak = peak.max(resident.len());
            let [slice] = visit.losses[..] else {
                panic!("{visit:?} has one slice");
            };
            assert!(visited.insert(slice));
            assert!(resident.contains(&slice));
            for needed in pairs.neighbours(slice, mover) {
                assert!(resident.contains(needed), "{slice} needs {needed}");
            }
            for slice in visit.leave {
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
