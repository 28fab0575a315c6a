//! Pairs of kings, the order in which their slices are visited, and estimates of sizes.

use std::collections::BTreeSet;

use tbindex::{
    Color, Estimate, Group, KingDistance, KingMoves, KingPairs, Material, Schedule, Square,
};

use crate::laws::dense::kings_admitted;

#[test]
fn every_pair_of_squares_leads_to_the_pair_of_its_class() {
    for group in Group::ALL {
        for distance in [
            KingDistance::Any,
            KingDistance::Distinct,
            KingDistance::Apart,
        ] {
            let pairs = KingPairs::new(group, distance);
            for white in Square::all() {
                for black in Square::all() {
                    let found = pairs.find(white, black);
                    assert_eq!(found.is_some(), kings_admitted(distance, &[black, white]));
                    let Some((id, symmetry)) = found else {
                        continue;
                    };
                    assert!(group.members().contains(&symmetry));
                    let image = [symmetry.apply(white), symmetry.apply(black)];
                    assert_eq!(pairs.all()[id], image);
                    for &other in group.members() {
                        let (white, black) = (other.apply(white), other.apply(black));
                        assert_eq!(pairs.find(white, black).map(|f| f.0), Some(id));
                    }
                }
            }
        }
    }
}

/// Follows a schedule: only its visits load and drop slices.
fn check(pairs: &KingPairs, movers: &[Color]) -> usize {
    let moves = &KingMoves::new(pairs);
    let schedule = Schedule::new(moves, movers);
    let mut resident = BTreeSet::new();
    let mut dropped = BTreeSet::new();
    let mut visited = BTreeSet::new();
    let mut peak = 0;
    for visit in schedule.visits() {
        for &slice in &visit.load {
            assert!(!dropped.contains(&slice), "{slice} is loaded twice");
            assert!(resident.insert(slice));
        }
        peak = peak.max(resident.len());
        assert!(visited.insert(visit.slice));
        assert!(resident.contains(&visit.slice));
        for &color in movers {
            for needed in moves.neighbours(visit.slice, color) {
                assert!(resident.contains(needed), "{} needs {needed}", visit.slice);
            }
        }
        for slice in &visit.drop {
            assert!(resident.remove(slice));
            dropped.insert(*slice);
        }
    }
    assert!(resident.is_empty());
    assert_eq!(visited.len(), pairs.all().len());
    assert_eq!(peak, schedule.peak());
    peak
}

#[test]
fn schedules_have_what_they_need_and_keep_few() {
    for group in Group::ALL {
        let pairs = KingPairs::new(group, KingDistance::Apart);
        for color in Color::ALL {
            // 19 neighbours and the slice itself are published as enough.
            assert_eq!(check(&pairs, &[color]), 19, "{group} {color}");
        }
    }
    let pairs = KingPairs::new(Group::D4, KingDistance::Apart);
    let peak = check(&pairs, &Color::ALL);
    assert!(peak < pairs.all().len() / 2, "{peak}");
}

#[test]
fn bytes_that_do_not_fit_are_none() {
    let mut estimate = Estimate::all("KvK".parse().unwrap())[0];
    estimate.slots = u128::MAX / 2;
    assert_eq!(estimate.bytes(2), Some(1 << 125));
    assert_eq!(estimate.bytes(8), Some(estimate.slots));
    assert_eq!(estimate.bytes(24), None);
}

#[test]
fn the_largest_material_is_estimated() {
    for name in ["KQQQQQQQQQQvKRRRRRRRRR", "KPPPPPPPPPPvKNNNNNNNNN"] {
        let material: Material = name.parse().unwrap();
        assert_eq!(material.piece_count(), 21);
        for estimate in Estimate::all(material) {
            assert!(estimate.slots > 0 && estimate.slots < 1 << 127);
            assert_eq!(estimate.bytes(8), Some(estimate.slots));
            assert_eq!(estimate.bytes(1), Some(estimate.slots.div_ceil(8)));
        }
    }
}
