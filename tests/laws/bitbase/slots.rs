//! Slots and what they stand for, and how many there are.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use tbindex::bitbase::{Bitbase, Domain, LikeMen, MOST_PIECES};
use tbindex::{Color, Group, Square};

use super::{Pieces, Placement, Random, bit, is_apart, offsets};

/// The slices are one pair of kings of each orbit of those that don't touch, and slots, squares and positions
/// go together.
pub fn laws_of_slots(domain: &Domain, count: usize, seed: u64) {
    let pieces = Pieces::of(domain);
    let random = &mut Random::new(seed);
    let apart = Square::all().flat_map(|white| Square::all().map(move |black| [white, black]));
    let apart = apart.filter(|&[white, black]| is_apart(white, black));
    let orbits = apart.map(|kings| {
        let members = domain.group().members().iter();
        members.map(|by| kings.map(|king| by.apply(king))).min()
    });
    let slices = match domain.king_pairs() {
        None => 1,
        Some(_) => orbits.collect::<HashSet<_>>().len(),
    };
    assert_eq!(slices, domain.slices());
    assert_eq!(domain.slice_slots(), pieces.slots());

    for _ in 0..count {
        let mut squares = [Square::A1; MOST_PIECES];
        let moving = &mut squares[pieces.movers()];
        moving.fill_with(|| Square::new(random.bits(6) as u8));
        let [white, black, men @ ..] = moving else {
            panic!("two kings");
        };
        let found = domain.slot_of_squares([*white, *black], men);
        assert_eq!(found.is_some(), is_apart(*white, *black));
        let Some((slot, symmetry)) = found else {
            continue;
        };
        assert!(domain.group().members().contains(&symmetry));
        let expected = pieces.slots_of(Placement(squares));
        assert!(expected.contains(&slot), "{domain:?}");
        // There are twins where the domain says so, but for placements that are their own.
        assert!(expected.len() == 1 || domain.has_twins(slot.slice));
        let placed = pieces.placement(slot.slice, slot.offset);
        let images = squares[pieces.movers()]
            .iter()
            .map(|&at| symmetry.apply(at));
        assert!(images.eq(domain.squares(slot)));
        assert!(
            domain
                .squares(slot)
                .eq(placed.0[pieces.movers()].iter().copied())
        );

        if domain.material().is_none() {
            assert!(domain.position(slot, Color::White).is_err());
            continue;
        }
        let position = domain.position(slot, Color::Black).expect("no leapers");
        assert_eq!(position.is_some(), pieces.is_distinct(placed));
        let Some(position) = position else { continue };
        assert_eq!(position.side, Color::Black);
        let back = domain.slot(&position).expect("its own position");
        let back = pieces.placement(back.slice, back.offset);
        // Like men may have changed places.
        assert!(pieces.images_and_exchanges(placed).contains(&back));
        for (man, square) in pieces.placed(placed) {
            assert_eq!(position.board[square.index()], man.piece());
        }
        let on_board = position.board.iter().flatten().count();
        assert_eq!(on_board, pieces.placed(placed).count());
    }
}

/// Of each class of slots of a slice, one is the representative.
pub fn representatives_are_one_of_each_class(domain: &Domain, slice: usize) {
    let pieces = Pieces::of(domain);
    for like in [LikeMen::Together, LikeMen::Apart] {
        let rows = domain.representatives(slice, like);
        let mut classes: BTreeMap<Placement, u32> = BTreeMap::new();
        for offset in 0..pieces.slots() {
            let placement = pieces.placement(slice, offset);
            let class = match like {
                LikeMen::Together => *pieces
                    .images_and_exchanges(placement)
                    .first()
                    .expect("itself"),
                LikeMen::Apart => pieces.canonical(placement),
            };
            *classes.entry(class).or_default() += u32::from(bit(&rows, offset));
        }
        for (class, count) in classes {
            assert_eq!(count, 1, "{like:?}: {class:?} of {domain:?}");
        }
        assert!(offsets(&rows).last() < Some(pieces.slots()));
    }
}

/// A set of some classes counts the slots, the placements on the board and the classes that it has.
pub fn counts_are_those_of_the_board(domain: &Domain, count: usize, seed: u64) {
    let pieces = Pieces::of(domain);
    let random = &mut Random::new(seed);
    let mut set = Bitbase::try_new(domain).expect("memory");
    let (mut slots, mut apart) = (BTreeSet::new(), HashSet::new());
    let mut together = HashSet::new();
    for at in 0..count {
        // Every other one on the diagonal, where the twins are, if there are any.
        let first = match domain.group() {
            Group::D4 if at % 2 == 0 => domain.king_pairs().expect("slices").diagonal_from(),
            _ => 0,
        };
        let slice = first + random.bits(32) as usize % (domain.slices() - first);
        let Some(mut placement) = pieces.random(slice, random) else {
            continue;
        };
        if at % 4 == 0 {
            // All on the diagonal are their own mirror images.
            for square in &mut placement.0[2..pieces.movers().len()] {
                *square = Square::new(square.number() % 8 * 9);
            }
        }
        let class = pieces.images_and_exchanges(placement);
        together.insert(class.first().copied());
        for &same in &class {
            apart.insert(pieces.canonical(same));
            slots.extend(pieces.slots_of(same));
        }
    }
    for &slot in &slots {
        assert!(set.insert(slot) && set.contains(slot));
    }
    assert_eq!(set.count(), slots.len() as u64);
    assert_eq!(set.count_classes(LikeMen::Apart), apart.len() as u64);
    assert_eq!(set.count_classes(LikeMen::Together), together.len() as u64);
    assert!(set.slots().eq(slots));
}
