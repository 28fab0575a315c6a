//! Sets as sets: what is put in is there.

use std::collections::BTreeSet;

use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Captured, Captures, Domain, Frontier, Row, Slot};

use super::domains::domain;
use crate::support::random::Random;

fn random_slots(domain: &Domain, count: usize, random: &mut Random) -> BTreeSet<Slot> {
    let slot = |_| Slot {
        slice: random.bits(32) as usize % domain.slices(),
        offset: random.bits(32) % domain.slice_slots(),
    };
    (0..count).map(slot).collect()
}

fn of_slots(domain: &Domain, slots: &BTreeSet<Slot>) -> Bitbase {
    let mut set = Bitbase::try_new(domain).expect("memory");
    for &slot in slots {
        assert!(set.insert(slot) && !set.insert(slot));
    }
    set
}

fn has(set: &Bitbase, slots: impl IntoIterator<Item = Slot>) {
    assert!(set.slots().eq(slots));
}

#[test]
fn sets_have_what_was_put_in() {
    let mut random = Random::new(1);
    for domain in ["", "R", "Qr Pe4 Pd4", "QRn"].map(domain) {
        let [a, b] = [(); 2].map(|()| random_slots(&domain, 2000, &mut random));
        let mut set = of_slots(&domain, &a);
        has(&set, a.iter().copied());
        assert_eq!(set.count(), a.len() as u64);
        for (slice, rows) in set.slices_mut().enumerate() {
            let count: u64 = rows.iter().map(|row| u64::from(row.len())).sum();
            let expected = a.iter().filter(|slot| slot.slice == slice).count();
            assert_eq!(count, expected as u64);
        }
        assert!(a.iter().all(|&slot| set.contains(slot)));
        assert!(b.difference(&a).all(|&slot| !set.contains(slot)));
        has(&set.try_clone().expect("memory"), a.iter().copied());
        set.rows_mut().fill(Row::EMPTY);
        assert!(set.count() == 0 && set.slots().next().is_none());
    }
}

#[test]
#[should_panic(
    expected = "contains: Slot { slice: 0, offset: 64 } in a domain of 462 slices of 64 slots"
)]
fn slots_beyond_the_domain_are_refused() {
    let set = Bitbase::try_new(&domain("R")).expect("memory");
    let _ = set.contains(Slot {
        slice: 0,
        offset: 64,
    });
}

#[test]
#[should_panic(expected = "squares: Slot { slice: 0, offset: 1099511627776 } in a domain")]
fn slots_beyond_the_domain_have_no_squares() {
    let slot = Slot {
        slice: 0,
        offset: 1 << 40,
    };
    let _ = domain("R").squares(slot);
}

/// A set is described by its pieces, not by its positions.
#[test]
fn descriptions_are_short() {
    let domain = domain("QR");
    let set = Bitbase::try_new(&domain).expect("memory");
    let after = domain.after(Captured::Man(1)).expect("a man");
    let rest = Bitbase::try_new(&after).expect("memory");
    let captures = Captures::try_new(&domain, Captured::Man(1), &rest, false, Backend::detect());
    for text in [
        format!("{set:?}"),
        format!("{:?}", captures.expect("the pieces that are left")),
    ] {
        assert!(text.len() < 300 && text.contains("Queen"), "{text}");
    }
}

#[test]
fn bits_that_are_no_slots_do_not_count() {
    for (letters, slots) in [("", 462), ("R", 462 * 64), ("Rn", 462 * 64 * 64)] {
        let mut set = Bitbase::try_new(&domain(letters)).expect("memory");
        set.rows_mut().fill(!Row::EMPTY);
        assert_eq!((set.count(), set.slots().count() as u64), (slots, slots));
    }
}

/// A sparse set has what was last put into each slice, whatever was there before.
#[test]
fn frontiers_forget() {
    let mut random = Random::new(2);
    for domain in ["", "R", "Qr", "QRn"].map(domain) {
        let mut sparse = Frontier::try_new(&domain).expect("memory");
        let mut expected = BTreeSet::new();
        for round in 0..20 {
            // In turn a few positions and many, so that memory is given back.
            let count = if round % 4 == 3 { 20_000 } else { 30 };
            let slots = random_slots(&domain, count, &mut random);
            let set = of_slots(&domain, &slots);
            match round % 5 {
                0 => sparse.clear(),
                1 | 2 => sparse.shrink().expect("memory"),
                _ => {}
            }
            if round % 5 < 3 {
                expected.clear();
                assert!(sparse.is_empty());
            }
            for (slice, mut out) in sparse.slices_mut().enumerate() {
                match (slice + round / 2) % 3 {
                    0 => {
                        expected.retain(|slot: &Slot| slot.slice != slice);
                        expected.extend(slots.iter().filter(|slot| slot.slice == slice));
                        out.fill(|at| set.slice(slice)[at]);
                        let none = set.slice(slice).iter().all(Row::is_empty);
                        assert_eq!(out.is_empty(), none);
                    }
                    1 if round % 2 == 0 => {
                        expected.retain(|slot| slot.slice != slice);
                        out.clear();
                        assert!(out.is_empty());
                    }
                    _ => {}
                }
            }
            let dense = of_slots(&domain, &expected);
            let rows = dense.rows().iter().enumerate();
            assert!(sparse.rows().eq(rows.filter(|(_, row)| !row.is_empty())));
            assert_eq!(sparse.is_empty(), expected.is_empty());
        }
    }
}

/// The sets of seven pieces, 62 GB, are larger than the memory of most machines. Where Linux hands out no more addresses
/// than there is memory (`vm.overcommit_memory=2`), tables of seven pieces can't be solved, and this fails.
#[cfg(all(feature = "store", target_os = "linux", target_pointer_width = "64"))]
#[test]
fn a_few_slices_of_a_set_need_no_memory_for_the_others() {
    let domain = Domain::try_new("KQRBvKRN".parse().unwrap(), &[]).unwrap();
    assert_eq!(domain.bytes(), 462 << 27);
    let mut set = Bitbase::with_few_slices(&domain).unwrap();
    let mut frontier = Frontier::with_few_slices(&domain).unwrap();
    let last = domain.slices() - 1;
    set.slices_mut().last().unwrap()[0] = !Row::EMPTY;
    assert!(!set.slice(last)[0].is_empty() && set.slice(last)[1].is_empty());
    set.release_slice(last);
    assert!(set.slice(last)[0].is_empty());
    let mut slice = frontier.slices_mut().last().unwrap();
    slice.put_slab(0, &[!Row::EMPTY; 8]);
    assert_eq!(frontier.rows().count(), 8);
}

#[test]
fn slices_that_are_released_are_empty_and_the_others_stay() {
    // Slices of 32 KiB have pages of their own, those of 512 bytes share them.
    for name in ["KQRvKR", "KQvK"] {
        let domain = Domain::try_new(name.parse().unwrap(), &[]).unwrap();
        let mut set = Bitbase::with_few_slices(&domain).unwrap();
        set.rows_mut().fill(!Row::EMPTY);
        let mut frontier = Frontier::with_few_slices(&domain).unwrap();
        let [full, three, one] = [!Row::EMPTY, Row([3; 8]), Row([1; 8])].map(|row| [row; 8]);
        let last = domain.slabs() - 1;
        for mut slice in frontier.slices_mut() {
            for (slab, rows) in [(last, &three), (0, &full), (last, &one)] {
                slice.put_slab(slab, rows);
            }
            let mut seen = Vec::new();
            slice.for_each_slab(|slab, active, rows| seen.push((slab, active, *rows)));
            let mut expected = vec![(0, 0xff, full), (last, 0xff, one)];
            expected.drain(..usize::from(last == 0));
            assert_eq!(seen, expected);
        }
        let released = [0, 17, domain.slices() - 1];
        for slice in released {
            set.release_slice(slice);
            frontier.release_slice(slice);
        }
        for slice in 0..domain.slices() {
            let is_released = released.contains(&slice);
            assert_eq!(set.slice(slice).iter().all(Row::is_empty), is_released);
            assert_eq!(frontier.is_empty_slice(slice), is_released);
        }
        // Released slices can be written to again.
        set.slices_mut().nth(17).unwrap()[0] = !Row::EMPTY;
        let rows = set.slice(17).iter();
        assert_eq!(rows.filter(|row| !row.is_empty()).count(), 1);
        frontier.slices_mut().nth(17).unwrap().put_slab(0, &one);
        assert!(!frontier.is_empty_slice(17));
    }
}
