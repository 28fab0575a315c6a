//! Sets by what is on one square, and other fixed pieces.

use tbindex::bitbase::{Bitbase, Captured, Domain, Row, WithMan};
use tbindex::{Piece, Square};

use super::{Pieces, Random, all_slots, bit, noise};

/// Some slots of some slices, and nothing beyond the slots.
fn some(domain: &Domain, slices: &[usize], random: &mut Random) -> Bitbase {
    let mut set = Bitbase::try_new(domain).expect("memory");
    for (_, rows) in set
        .slices_mut()
        .enumerate()
        .filter(|(slice, _)| slices.contains(slice))
    {
        let some = noise(domain, random).into_iter().zip(all_slots(domain));
        for (row, (some, all)) in rows.iter_mut().zip(some) {
            *row = some & all;
        }
    }
    set
}

/// In some slices a set has just the slots with a property, and there is nothing in the others.
fn has(set: &Bitbase, slices: &[usize], property: impl Fn(usize, u64) -> bool, law: &str) {
    let domain = set.domain();
    for slice in 0..domain.slices() {
        let rows = set.slice(slice);
        if !slices.contains(&slice) {
            assert!(rows.iter().all(Row::is_empty), "{law}");
            continue;
        }
        for offset in 0..512 * rows.len() as u64 {
            let expected = offset < domain.slice_slots() && property(slice, offset);
            let found = bit(rows, offset);
            assert_eq!(found, expected, "slot {offset} of slice {slice}: {law}");
        }
    }
}

/// The digits of a slot tell what is on a square: the positions with a man there, seen in a set without him, and those
/// with nobody there.
pub fn laws_of_squares(domain: &Domain, number: usize, seed: u64) {
    let pieces = Pieces::of(domain);
    let random = &mut Random::new(seed);
    let slices = [number, domain.slices() - 1 - number];
    let slices = &slices[..domain.slices().min(2)];
    let before = some(domain, slices, random);
    let digit = |offset: u64, man: usize| (offset >> (6 * (pieces.men.len() - 1 - man)) & 63) as u8;
    let square = |random: &mut Random| Square::new(random.bits(6) as u8);

    for man in (0..pieces.men.len()).filter(|&man| !pieces.men[man].is_king()) {
        let after = domain.after(Captured::Man(man)).expect("a man");
        let without = some(&after, slices, random);
        let square = square(random);
        let with_man = WithMan::new(domain, man, square, &without);
        let mut set = Bitbase::try_new(domain).expect("memory");
        for (slice, rows) in set.slices_mut().enumerate() {
            for (slab, rows) in rows.as_chunks_mut::<8>().0.iter_mut().enumerate() {
                *rows = with_man.slab(slice, slab).unwrap_or([Row::EMPTY; 8]);
            }
        }
        let low = 6 * (pieces.men.len() - 1 - man);
        let law = format!("man {man} on {square} of {domain:?}");
        let expected = |slice, offset: u64| {
            let rest = (offset >> (low + 6)) << low | offset & ((1 << low) - 1);
            digit(offset, man) == square.number() && bit(without.slice(slice), rest)
        };
        has(&set, slices, expected, &law);
    }

    // Fixed elsewhere, or not at all.
    let elsewhere = domain.with_others_fixed(&[]).expect("no fixed pieces");
    if elsewhere.group() == domain.group() {
        let other = some(&elsewhere, slices, random);
        let rows = other.rows().to_vec();
        let taken = other.with_same_squares(domain);
        assert!(
            taken.domain() == domain && taken.rows() == rows,
            "{domain:?}"
        );
    }

    let square = square(random);
    let mut set = before.try_clone().expect("memory");
    set.remove_on(square);
    let stays = |slice: usize, offset| {
        let kings = domain.king_pairs().map(|pairs| pairs.all()[slice]);
        let free = (0..pieces.men.len()).all(|man| digit(offset, man) != square.number())
            && kings.is_none_or(|kings| !kings.contains(&square));
        free && bit(before.slice(slice), offset)
    };
    has(
        &set,
        slices,
        stays,
        &format!("nobody on {square} of {domain:?}"),
    );
}

/// A domain with other fixed pieces is the one that is made of them and the men from the beginning.
pub fn laws_of_others_fixed(domain: &Domain, fixed: &[(Piece, Square)]) {
    let men: Vec<_> = (domain.men().iter().copied())
        .filter(|man| !man.is_king())
        .collect();
    let expected = Domain::of_men(&men, fixed).map(|of_men| match domain.king_pairs() {
        None => of_men.with_free_kings(),
        Some(_) => {
            let group = of_men.group().min(domain.group());
            of_men.in_group(group).expect("a smaller group")
        }
    });
    let found = domain.with_others_fixed(fixed);
    assert_eq!(found, expected);
    let Ok(found) = found else { return };
    assert_eq!(found.fixed(), fixed);
    let back = found.with_others_fixed(domain.fixed());
    assert_eq!(back.expect("its own pieces").fixed(), domain.fixed());
}
