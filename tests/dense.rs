//! Dense numberings: bijective, of the published and counted sizes, exact where they say so.
//! Exhaustive for up to four pieces; five pieces by ten slices and random positions.

#[path = "laws/dense.rs"]
mod laws;

use laws::Promise;
use tbindex::{
    Compact, Dense, Diagonal, Equivalence, Group, KingDistance, Kings, Layout, Material, Numbering,
    Orbit, Piece, PieceType, Rules, Sliced, Square, Triangle, Word,
};

fn material(name: &str) -> Material {
    name.parse().expect("a material")
}

/// All materials with so many pieces, one of each pair of colour twins.
fn materials(pieces: usize) -> Vec<Material> {
    let mut all = vec![material("KvK")];
    for _ in 2..pieces {
        let larger = all.iter().flat_map(|m| {
            let kinds = PieceType::ALL.into_iter().skip(1);
            let pieces = kinds.flat_map(|kind| tbindex::Color::ALL.map(|c| Piece::new(c, kind)));
            pieces.map(|piece| {
                let all = m.name_order().chain([piece]);
                Material::from_pieces(all).expect("few pieces").normal()
            })
        });
        let mut larger: Vec<Material> = larger.collect();
        larger.sort_unstable();
        larger.dedup();
        all = larger;
    }
    all
}

const RULES: [Rules; 4] = [
    Rules::ALL,
    Rules::DISTINCT,
    Rules::KINGS_APART,
    Rules::KINGS_APART_SHARED,
];

/// Whether the rules and the board have room for a material's position.
fn room(material: &Material, rules: Rules) -> impl Fn(&[Square]) -> bool + use<> {
    let pieces: Vec<Piece> = material.index_order().collect();
    move |squares| {
        let pawns = pieces.iter().zip(squares);
        laws::kings_admitted(rules.kings(), squares)
            && (rules.shared() || laws::all_distinct(squares))
            && pawns
                .filter(|(piece, _)| piece.kind == PieceType::Pawn)
                .all(|(_, &square)| laws::pawn_may_stand_on(square))
    }
}

/// Everything, for every slot and every index.
fn exhaust<W: Word>(scheme: &impl Dense<W>, promise: &Promise<'_, W>) {
    let layout = scheme.layout();
    let size: u128 = scheme.size().into();
    let mut classes: u128 = 0;
    for slot in (0..size).map(W::truncate) {
        laws::slot_comes_back(scheme, slot);
        laws::twins_share_their_class(scheme, promise, slot);
        let index = scheme.unrank(slot);
        classes +=
            u128::from(scheme.weight(slot)) * laws::orders_of_like_pieces(promise.same, index);
    }
    let mut positions: u128 = 0;
    for number in 0..layout.index_count() {
        let index = W::truncate(number);
        laws::position_comes_back(scheme, promise, index);
        positions += u128::from(scheme.rank(index).is_some());
    }
    assert_eq!(classes, positions, "weights count all positions");
    laws::odometer_visits_every_slot(scheme, W::ZERO, size as usize + 1);
    let mut seen = vec![false; size as usize];
    for run in scheme.runs() {
        laws::run_holds_what_it_says(scheme, &run, |slot| {
            let slot: u128 = slot.into();
            assert!(!std::mem::replace(&mut seen[slot as usize], true));
        });
    }
    assert!(seen.into_iter().all(|seen| seen), "runs visit every slot");
}

fn everything(_: &[Square]) -> bool {
    true
}

fn kings_apart(squares: &[Square]) -> bool {
    laws::kings_admitted(KingDistance::Apart, squares)
}

fn exhaust_classical(pieces: usize) {
    for group in Group::ALL {
        let alternate = Equivalence::distinct(Layout::<u32>::alternate(pieces), group);
        let natural = Equivalence::distinct(Layout::<u32>::natural(pieces), group);
        exhaust(
            &Orbit::new(pieces, group),
            &Promise {
                same: &alternate,
                exact: true,
                room: &everything,
            },
        );
        let exact = group != Group::D4;
        exhaust(
            &Triangle::new(pieces, group),
            &Promise {
                same: &natural,
                exact,
                room: &everything,
            },
        );
        if pieces >= 2 {
            exhaust(
                &Kings::new(pieces, group),
                &Promise {
                    same: &natural,
                    exact,
                    room: &kings_apart,
                },
            );
        }
    }
}

#[test]
fn classical_schemes_and_orbit_hold_everywhere_up_to_three_pieces() {
    for pieces in 1..=3 {
        exhaust_classical(pieces);
    }
}

fn exhaust_compact(material: &Material, rules: Rules) {
    let scheme = Compact::<u32>::new(material, rules).expect("few pieces");
    let same = Equivalence::of_material(material, Numbering::Natural).expect("few pieces");
    let promise = Promise {
        same: &same,
        exact: rules.diagonal() == Diagonal::Exact || material.has_pawns(),
        room: &room(material, rules),
    };
    exhaust(&scheme, &promise);
    assert_eq!(
        u128::from(scheme.size()),
        Compact::<u32>::slots(material, rules)
    );
}

#[test]
fn compact_holds_everywhere_up_to_three_pieces() {
    for material in [2, 3].into_iter().flat_map(materials) {
        for rules in RULES {
            exhaust_compact(&material, rules);
            exhaust_compact(&material, rules.with_diagonal(Diagonal::Both));
        }
    }
}

/// All that can be told from slots alone, and all indices by the canonical form.
fn exhaust_four(material: &Material, rules: Rules) {
    let scheme = Compact::<u32>::new(material, rules).expect("few pieces");
    let same = Equivalence::of_material(material, Numbering::Natural).expect("few pieces");
    let room = room(material, rules);
    let layout = scheme.layout();
    let canonical_of: Vec<u32> = (0..scheme.size())
        .map(|slot| {
            laws::slot_comes_back(&scheme, slot);
            same.canonical(scheme.unrank(slot))
        })
        .collect();
    let exact = rules.diagonal() == Diagonal::Exact || material.has_pawns();
    let mut positions = 0u128;
    for index in 0..layout.index_count() as u32 {
        let squares: [Square; 4] = std::array::from_fn(|k| layout.square(index, k));
        let slot = scheme.rank(index);
        assert_eq!(slot.is_some(), room(&squares), "{material} {squares:?}");
        let Some(slot) = slot else { continue };
        let canonical = same.canonical(index);
        assert_eq!(canonical_of[slot as usize], canonical, "{index:#o}");
        let shared = scheme.rank(canonical);
        assert!(shared == Some(slot) || !exact && shared == scheme.twin(slot));
        positions += 1;
    }
    let promise = Promise {
        same: &same,
        exact,
        room: &room,
    };
    let mut counted = 0;
    let mut seen = vec![false; canonical_of.len()];
    for run in scheme.runs() {
        laws::run_holds_what_it_says(&scheme, &run, |slot| {
            assert!(!std::mem::replace(&mut seen[slot as usize], true));
            laws::twins_share_their_class(&scheme, &promise, slot);
            let orders = laws::orders_of_like_pieces(&same, scheme.unrank(slot));
            counted += u128::from(scheme.weight(slot)) * orders;
        });
    }
    assert!(seen.into_iter().all(|seen| seen));
    assert_eq!(counted, positions, "weights count all positions");
    laws::odometer_visits_every_slot(&scheme, 0, canonical_of.len() + 1);
}

/// The rule with distinct squares and the kings apart, which most tables use, for every material;
/// split in two so that the halves run in parallel.
#[test]
fn compact_holds_everywhere_for_four_pieces_without_pawns() {
    let all = materials(4);
    for material in all.iter().filter(|m| !m.has_pawns()) {
        exhaust_four(material, Rules::KINGS_APART);
    }
}

#[test]
fn compact_holds_everywhere_for_four_pieces_with_pawns() {
    let all = materials(4);
    for material in all.iter().filter(|m| m.has_pawns()) {
        exhaust_four(material, Rules::KINGS_APART);
    }
}

/// The other rules for one material of every pattern: two distinct pieces, twins, a pawn and a
/// piece, twin pawns, pawns of both sides.
#[test]
fn compact_holds_everywhere_for_four_pieces_under_every_rule() {
    for name in ["KQvKR", "KRRvK", "KNPvK", "KPPvK", "KPvKP"] {
        let material = material(name);
        for rules in RULES {
            if rules != Rules::KINGS_APART {
                exhaust_four(&material, rules);
            }
            if !material.has_pawns() {
                exhaust_four(&material, rules.with_diagonal(Diagonal::Both));
            }
        }
    }
}
