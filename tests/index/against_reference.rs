//! The scalar index against the look-up reference: like pieces in every index of up to three, all laws of random indices
//! beyond. `prove` proves flips, conversions and the canonical forms of distinct pieces for all indices, in its test, too.

use tbindex::{Group, Layout, Numbering, Square, reference};

use crate::laws::index as laws;
use crate::support::equivalence::equivalence;
use crate::support::random::Random;
use crate::support::thorough::one_in;

/// All ways in which three pieces can be alike or not, two alike, and every index; of three pieces one index in seven, unless
/// `TBINDEX_THOROUGH` is set.
#[test]
fn canonical_holds_for_every_index_of_two_and_three_pieces_with_like_ones() {
    let patterns: [(usize, &[u32]); 6] = [
        (3, &[]),
        (2, &[0b11]),
        (3, &[0b011]),
        (3, &[0b101]),
        (3, &[0b110]),
        (3, &[0b111]),
    ];
    for (pieces, like) in patterns {
        for numbering in Numbering::ALL {
            for group in Group::ALL {
                let step = if pieces == 2 { 1 } else { one_in(7) };
                let layout = Layout::<u32>::new(pieces, numbering);
                let same = equivalence(layout, group, like);
                let mut raw = 0;
                for index in (0..1 << (6 * pieces)).step_by(step) {
                    laws::canonical_is_smallest(&same, index);
                    if same.canonical(index) == index {
                        laws::equivalents_share_their_canonical_index(&same, index);
                        raw += same.class_size(index);
                    }
                }
                let is_partition = raw == layout.index_count();
                assert!(step > 1 || is_partition, "classes partition all");
            }
        }
    }
}

/// Sorting each image's like pieces, which the fast reference does, is the same as trying all their
/// orders, which the definition says. Five pieces with every kind of set.
#[test]
fn sorting_is_the_smallest_order_of_like_pieces() {
    let patterns: [&[u32]; 7] = [
        &[0b00011],
        &[0b10001],
        &[0b00111],
        &[0b11000, 0b00011],
        &[0b10010, 0b01001],
        &[0b01111],
        &[0b11111],
    ];
    for index in Random::new(1).numbers::<u32>(300, 30) {
        for like in patterns {
            for numbering in Numbering::ALL {
                for group in Group::ALL {
                    let (found, _) =
                        reference::canonical_with_symmetry(5, numbering, group, like, index);
                    let all = reference::equivalents(5, numbering, group, like, index);
                    assert_eq!(Some(found), all.into_iter().min());
                }
            }
        }
    }
}

/// Every other random index is of the cases that are easily wrong: leading pieces on a diagonal or on its mirror,
/// like pieces and shared squares behind them.
#[test]
fn laws_hold_for_any_number_of_pieces() {
    let mut random = Random::new(3);
    for case in 0..if cfg!(miri) { 24 } else { 500_000 } {
        let [first, law] = [0, 0].map(|_| random.bits(8) as u8);
        let square = |random: &mut Random| match random.bits(2) {
            _ if case % 2 == 0 => random.bits(6) as u8,
            0 => 9 * random.bits(3) as u8,
            1 => 7 * (random.bits(3) as u8 + 1),
            _ => random.bits(6) as u8,
        };
        // As many pieces as the word of the law asks for; like sets follow.
        let mut bytes = vec![law, first];
        bytes.extend((0..21).map(|_| square(&mut random)));
        let alike = random.bits(4) as usize;
        bytes.extend(random.numbers::<u8>(alike, 2));
        laws::laws_of_bytes(&bytes);
    }
}

/// The drawing code and the loopless formulas give back the published pictures, which `reference` reads its tables from.
#[test]
fn pictures_are_printed_as_published() {
    for numbering in Numbering::ALL {
        let mut expected = String::new();
        for rank in (0..8).rev() {
            let squares = (0..8).map(|file| Square::new(8 * rank + file));
            let codes = squares.map(|square| reference::encode::<u32>(numbering, &[square]));
            let codes: String = codes.map(|code| format!(" {code:02o}")).collect();
            expected += &format!("{}|{codes}\n", rank + 1);
        }
        expected += "    a  b  c  d  e  f  g  h\n";
        assert_eq!(numbering.picture(), expected, "{numbering}");
    }
}
