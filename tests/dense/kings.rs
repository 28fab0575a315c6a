//! Pairs of kings, and estimates of sizes.

use tbindex::{Estimate, Group, KingDistance, KingPairs, Material, Square};

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
