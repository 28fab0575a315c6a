//! Slots and what they stand for, and how many there are.

use std::collections::{BTreeMap, HashSet};

use tbindex::bitbase::{Domain, LikeMen, Slot};
use tbindex::{Color, Group, Square};

use super::{Pieces, Placement, Random, bit, is_apart, set_bit, slice_mut};

/// The slices are one pair of kings of each orbit of those that don't touch, and slots, squares and positions
/// go together.
pub fn laws_of_slots(domain: &Domain, count: usize, seed: u64) {
    let pieces = Pieces::of(domain);
    let random = &mut Random::new(seed);
    let mut orbits = HashSet::new();
    for white in 0..64 {
        for black in (0..64).filter(|&black| is_apart(white, black)) {
            let mut kings = Placement([0; 8]);
            kings.0[..2].copy_from_slice(&[white, black]);
            let images = pieces.images(kings).into_iter();
            orbits.insert(images.map(|Placement(image)| [image[0], image[1]]).min());
        }
    }
    let slices = match domain.king_pairs() {
        None => 1,
        Some(_) => orbits.len(),
    };
    assert_eq!(slices, domain.slices());
    assert_eq!(domain.slice_slots(), pieces.slots());

    for _ in 0..count {
        let squares: [u8; 8] = std::array::from_fn(|k| {
            let moves = k < pieces.movers().len();
            if moves { random.bits(6) as u8 } else { 0 }
        });
        let kings = [squares[0], squares[1]].map(Square::new);
        let men: Vec<Square> = squares[2..pieces.movers().len()]
            .iter()
            .map(|&square| Square::new(square))
            .collect();
        let found = domain.slot_of_squares(kings, &men);
        assert_eq!(found.is_some(), is_apart(squares[0], squares[1]));
        let Some((slot, symmetry)) = found else {
            continue;
        };
        assert!(domain.group().members().contains(&symmetry));
        let expected = pieces.slots_of(Placement(squares));
        assert!(expected.contains(&(slot.slice, slot.offset)), "{domain:?}");
        // There are twins where the domain says so, but for placements that are their own.
        assert!(expected.len() == 1 || domain.has_twins(slot.slice));
        let placed = pieces.placement(slot.slice, slot.offset);
        let images = (kings.iter().chain(&men)).map(|&square| symmetry.apply(square));
        assert!(images.eq(domain.squares(slot)));
        let numbers = domain.squares(slot).map(Square::number);
        assert!(numbers.eq(pieces.movers().map(|k| placed.0[k])));

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
        for (k, man) in pieces.men.iter().enumerate() {
            let square = Square::new(placed.0[pieces.mover(k)]);
            assert_eq!(position.board[square.index()], man.piece());
        }
        for &(piece, square) in domain.fixed() {
            assert_eq!(position.board[square.index()], Some(piece));
        }
        let on_board = position.board.iter().flatten().count();
        assert_eq!(on_board, pieces.movers().len() + domain.fixed().len());
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
            let same = match like {
                LikeMen::Together => pieces.images_and_exchanges(placement),
                LikeMen::Apart => pieces.images(placement),
            };
            let class = same.into_iter().min().expect("itself");
            *classes.entry(class).or_default() += u32::from(bit(&rows, offset));
        }
        for (class, count) in classes {
            assert_eq!(count, 1, "{like:?}: {class:?} of {domain:?}");
        }
        let all: u64 = rows.iter().map(|row| u64::from(row.len())).sum();
        let words = rows.iter().flat_map(|row| row.0).enumerate();
        let slots: u64 = words
            .take((pieces.slots() / 64).max(1) as usize)
            .map(|(_, word)| u64::from(word.count_ones()))
            .sum();
        assert_eq!(all, slots, "there is nothing beyond the slots");
    }
}

/// A set of some classes counts the slots, the placements on the board and the classes that it has.
pub fn counts_are_those_of_the_board(domain: &Domain, count: usize, seed: u64) {
    let pieces = Pieces::of(domain);
    let random = &mut Random::new(seed);
    let mut set = tbindex::bitbase::Bitbase::new(domain).expect("memory");
    let (mut slots, mut apart) = (HashSet::new(), HashSet::new());
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
                *square = *square % 8 * 9;
            }
        }
        let class = pieces.images_and_exchanges(placement);
        together.insert(class[0]);
        for &same in &class {
            apart.insert(pieces.canonical(same));
            slots.extend(pieces.slots_of(same));
        }
    }
    for &(slice, offset) in &slots {
        set_bit(slice_mut(&mut set, slice), offset);
        assert!(set.contains(Slot { slice, offset }));
    }
    assert_eq!(set.count(), slots.len() as u64);
    assert_eq!(set.count_classes(LikeMen::Apart), apart.len() as u64);
    assert_eq!(set.count_classes(LikeMen::Together), together.len() as u64);
    let mut listed: Vec<(usize, u64)> = slots.into_iter().collect();
    listed.sort_unstable();
    assert!(set.slots().map(|slot| (slot.slice, slot.offset)).eq(listed));
}
