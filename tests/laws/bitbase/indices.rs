//! Slots and interleaved indices.

use std::collections::BTreeSet;
use std::convert::Infallible;

use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Domain, MOST_PIECES, Man, Slot, SlotCodec};
use tbindex::{Color, Numbering, Piece, PieceType, Square};

use super::{Pieces, Placement, Random, is_apart};

/// The placements that pieces on squares are: like men in every order.
fn placements(pieces: &Pieces, mut board: Vec<(Man, Square)>) -> Vec<Placement> {
    for fixed in &pieces.fixed {
        let Some(at) = board.iter().position(|there| there == fixed) else {
            return Vec::new();
        };
        board.remove(at);
    }
    let mut all = vec![(Placement([Square::A1; MOST_PIECES]), board)];
    for (k, man) in pieces.kings_and_men.iter().enumerate() {
        let longer = all.iter().flat_map(|(placement, rest)| {
            let alike = (0..rest.len()).filter(|&at| rest[at].0 == *man);
            alike.map(|at| {
                let (mut placement, mut rest) = (*placement, rest.clone());
                placement.0[k] = rest.remove(at).1;
                (placement, rest)
            })
        });
        all = longer.collect();
    }
    all.into_iter().map(|(placement, _)| placement).collect()
}

/// An index stands for the pieces of its slot where they are, and for all slots of the same position, up to the
/// symmetries of the material and the exchange of like pieces.
pub fn laws_of_indices(domain: &Domain, count: usize, seed: u64) {
    let pieces = Pieces::of(domain);
    let random = &mut Random::new(seed);
    let material = domain.material().expect("no leapers");
    let order: Vec<Man> = material.index_order().map(Man::from).collect();
    for numbering in Numbering::ALL {
        let codec = SlotCodec::<u64>::try_new(domain, numbering).expect("at most ten pieces");
        let layout = codec.equivalence().layout();
        for _ in 0..count {
            let slice = random.bits(32) as usize % domain.slices();
            let placement = pieces.random(slice, random);
            // Free kings that touch have a slot, but an index of theirs has none.
            let Some(placement) = placement.filter(|p| is_apart(p.0[0], p.0[1])) else {
                continue;
            };
            let slot = *(pieces.slots_of(placement).first()).expect("the kings are a slice's");
            let index = codec.index(slot);
            let there = order.iter().copied().zip(layout.decode(index));
            let there: BTreeSet<(Man, Square)> = there.collect();
            let board = pieces.placed(pieces.placement(slot.slice, slot.offset));
            assert_eq!(there, board.collect(), "{domain:?}");

            let mut all: BTreeSet<Slot> = BTreeSet::new();
            for symmetry in material.group().members() {
                let board = there.iter().map(|&(man, at)| (man, symmetry.apply(at)));
                let same = placements(&pieces, board.collect()).into_iter();
                all.extend(same.flat_map(|placement| pieces.slots_of(placement)));
            }
            let found = codec.slot(index).expect("its own slot");
            assert!(all.contains(&found));
            let mut set = Bitbase::new(domain).expect("memory");
            assert_eq!(set.insert_indices(&codec, &[index]), 0);
            assert!(set.slots().eq(all));

            let canonical = codec.equivalence().canonical(index);
            let mut handed = Vec::new();
            let Ok(()) = set.canonical_indices(&codec, Backend::detect(), |indices| {
                handed.extend_from_slice(indices);
                Ok::<(), Infallible>(())
            });
            let is_once = domain.group() != material.group() || handed.len() == 1;
            assert!(!handed.is_empty() && is_once, "{domain:?}");
            assert!(handed.iter().all(|&index| index == canonical));
        }
        // Kings that touch have no slot.
        let number = |color| {
            let king = Man::from(Piece::new(color, PieceType::King));
            order.iter().position(|&man| man == king).expect("a king")
        };
        let index = layout.with_square(0, number(Color::White), Square::A1);
        let index = layout.with_square(index, number(Color::Black), Square::new(9));
        assert_eq!(codec.slot(index), None);
        let mut set = Bitbase::new(domain).expect("memory");
        assert_eq!(set.insert_indices(&codec, &[index]), 1);
        assert!(set.is_empty());
    }
}
