//! Slots and interleaved indices.

use std::collections::BTreeSet;
use std::convert::Infallible;

use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Domain, Slot, SlotCodec};
use tbindex::{Color, Numbering, Piece, PieceType, Square};

use super::board::symmetries;
use super::{Pieces, Placement, Random, is_apart};

/// A board: which piece is where, in any order.
fn board(domain: &Domain, pieces: &Pieces, placement: Placement) -> Vec<(Piece, u8)> {
    let kings = Color::ALL.map(|color| Piece::new(color, PieceType::King));
    let men = domain.men().iter().filter(|man| !man.is_king());
    let men = men.map(|man| man.piece().expect("no leapers"));
    let free = kings.into_iter().chain(men).zip(placement.0);
    assert_eq!(free.clone().count(), pieces.movers().len());
    let fixed = domain
        .fixed()
        .iter()
        .map(|&(piece, square)| (piece, square.number()));
    free.chain(fixed).collect()
}

/// The placements that a board is: like men in every order.
fn placements(domain: &Domain, mut board: Vec<(Piece, u8)>) -> Vec<Placement> {
    for &(piece, square) in domain.fixed() {
        let at = board
            .iter()
            .position(|there| *there == (piece, square.number()));
        let Some(at) = at else { return Vec::new() };
        board.remove(at);
    }
    let kings = Color::ALL.map(|color| Piece::new(color, PieceType::King));
    let men = domain.men().iter().filter(|man| !man.is_king());
    let men = men.map(|man| man.piece().expect("no leapers"));
    let mut all = vec![(Placement([0; 8]), board)];
    for (k, piece) in kings.into_iter().chain(men).enumerate() {
        let mut longer = Vec::new();
        for (placement, rest) in all {
            for at in (0..rest.len()).filter(|&at| rest[at].0 == piece) {
                let (mut placement, mut rest) = (placement, rest.clone());
                placement.0[k] = rest.remove(at).1;
                longer.push((placement, rest));
            }
        }
        all = longer;
    }
    all.into_iter().map(|(placement, _)| placement).collect()
}

/// An index stands for the pieces of its slot where they are, and for all slots of the same position, up to the
/// symmetries of the material and the exchange of like pieces.
pub fn laws_of_indices(domain: &Domain, count: usize, seed: u64) {
    let pieces = Pieces::of(domain);
    let random = &mut Random::new(seed);
    let material = domain.material().expect("no leapers");
    for numbering in Numbering::ALL {
        let codec = SlotCodec::<u64>::try_new(domain, numbering).expect("at most ten pieces");
        let order: Vec<Piece> = material.index_order().collect();
        for _ in 0..count {
            let slice = random.bits(32) as usize % domain.slices();
            let placement = pieces.random(slice, random);
            // Free kings that touch have a slot, but an index of theirs has none.
            let Some(placement) = placement.filter(|p| is_apart(p.0[0], p.0[1])) else {
                continue;
            };
            let slots = pieces.slots_of(placement);
            let &(slice, offset) = slots.first().expect("the kings are a slice's");
            let placement = pieces.placement(slice, offset);
            let slot = Slot { slice, offset };
            let index = codec.index(slot);
            let mut there: Vec<(u8, u8)> =
                (order.iter().zip(codec.equivalence().layout().decode(index)))
                    .map(|(piece, square)| (square.number(), piece.code()))
                    .collect();
            let board = board(domain, &pieces, placement);
            let mut expected: Vec<(u8, u8)> = (board.iter())
                .map(|&(piece, square)| (square, piece.code()))
                .collect();
            there.sort_unstable();
            expected.sort_unstable();
            assert_eq!(there, expected, "{domain:?}");

            let mut all = BTreeSet::new();
            for image in symmetries(material.group()) {
                let board = board
                    .iter()
                    .map(|&(piece, at)| (piece, image[usize::from(at)]));
                for placement in placements(domain, board.collect()) {
                    all.extend(pieces.slots_of(placement));
                }
            }
            let found = codec.slot(index).expect("its own slot");
            assert!(all.contains(&(found.slice, found.offset)));
            let mut set = Bitbase::new(domain).expect("memory");
            assert_eq!(set.insert_indices(&codec, &[index]), 0);
            assert!(
                set.slots()
                    .map(|slot| (slot.slice, slot.offset))
                    .eq(all.iter().copied())
            );

            let canonical = codec.equivalence().canonical(index);
            let mut handed = Vec::new();
            let Ok(()) = set.canonical_indices(&codec, Backend::detect(), |indices| {
                handed.extend_from_slice(indices);
                Ok::<(), Infallible>(())
            });
            if domain.group() == material.group() {
                assert_eq!(handed, [canonical], "{domain:?}");
            } else {
                assert!(!handed.is_empty());
                assert!(handed.iter().all(|&index| index == canonical));
            }
        }
        // Kings that touch have no slot.
        let number = |color| {
            let king = Piece::new(color, PieceType::King);
            let at = order.iter().position(|&piece| piece == king);
            at.expect("a king")
        };
        let layout = codec.equivalence().layout();
        let index = layout.with_square(0, number(Color::White), Square::A1);
        let index = layout.with_square(index, number(Color::Black), Square::new(9));
        assert_eq!(codec.slot(index), None);
        let mut set = Bitbase::new(domain).expect("memory");
        assert_eq!(set.insert_indices(&codec, &[index]), 1);
        assert!(set.is_empty());
    }
}
