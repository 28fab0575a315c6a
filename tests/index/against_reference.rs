//! The scalar index against the look-up reference: exhaustive for up to three pieces, by random
//! indices beyond.

use proptest::prelude::*;
use tbindex::{Group, Layout, Numbering, Symmetry, Word, reference};

use crate::equivalence::equivalence;
use crate::index_laws as laws;
use crate::thorough::one_in;

/// All ways in which up to three pieces can be alike.
fn like_patterns(pieces: usize) -> Vec<Vec<u32>> {
    match pieces {
        1 => vec![vec![]],
        2 => vec![vec![], vec![0b11]],
        _ => vec![vec![], vec![0b011], vec![0b101], vec![0b110], vec![0b111]],
    }
}

fn every_index(pieces: usize) -> std::ops::Range<u32> {
    0..1 << (6 * pieces)
}

#[test]
fn squares_flips_and_conversion_hold_for_every_index_of_one_to_three_pieces() {
    for pieces in 1..=3 {
        for index in every_index(pieces) {
            laws::alternate_high_half_is_invariant(pieces, index);
            for numbering in Numbering::ALL {
                let layout = Layout::<u32>::new(pieces, numbering);
                laws::squares_agree_with_reference(layout, index);
                laws::symmetries_agree_with_reference(layout, index);
                laws::conversion_agrees_with_reference(layout, index);
            }
        }
    }
}

/// The smallest of all its equivalents, by the definition, for every index. The least index that no
/// smaller one has for an equivalent is the smallest of its own.
fn smallest_equivalents(layout: Layout<u32>, group: Group, like: &[u32]) -> Vec<u32> {
    let (pieces, numbering) = (layout.pieces(), layout.numbering());
    let mut smallest: Vec<Option<u32>> = vec![None; 1 << (6 * pieces)];
    for index in every_index(pieces) {
        if smallest[index as usize].is_none() {
            for other in reference::equivalents(pieces, numbering, group, like, index) {
                let before = smallest[other as usize].replace(index);
                assert!(before.is_none_or(|before| before == index), "{other:#o}");
            }
        }
    }
    let found = smallest.into_iter().enumerate();
    found
        .map(|(index, smallest)| smallest.unwrap_or_else(|| panic!("{index:#o} has no class")))
        .collect()
}

/// Of three pieces one class in so many.
fn canonical_holds_for_every_index(numbering: Numbering, group: Group, one_in: usize) {
    for pieces in 1..=3 {
        let step = if pieces == 3 { one_in } else { 1 };
        let layout = Layout::<u32>::new(pieces, numbering);
        for like in like_patterns(pieces) {
            let same = equivalence(layout, group, &like);
            let smallest = smallest_equivalents(layout, group, &like);
            let mut raw = 0;
            for (index, expected) in every_index(pieces).zip(smallest).step_by(step) {
                laws::canonical_is_smallest(&same, index, expected);
                // Orbits are those of pieces told apart.
                if like.is_empty() {
                    laws::orbit_agrees_with_reference(&same, index);
                }
                if expected == index {
                    laws::equivalents_share_their_canonical_index(&same, index);
                    raw += same.class_size(index);
                }
            }
            if step == 1 {
                assert_eq!(raw, layout.index_count(), "classes partition all indices");
            }
        }
    }
}

#[test]
fn canonical_holds_for_every_index_natural_d4() {
    canonical_holds_for_every_index(Numbering::Natural, Group::D4, 1);
}

#[test]
fn canonical_holds_for_every_index_alternate_d4() {
    canonical_holds_for_every_index(Numbering::Alternate, Group::D4, 1);
}

#[test]
fn canonical_holds_for_every_index_under_the_smaller_groups() {
    for numbering in Numbering::ALL {
        for group in [Group::FileMirror, Group::Trivial] {
            canonical_holds_for_every_index(numbering, group, one_in(7));
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
    let mut index = 0x1234_5678u32;
    for _ in 0..300 {
        index = index.wrapping_mul(0x9e37_79b1).rotate_left(11) & 0o77_7777_7777;
        for like in patterns {
            for numbering in Numbering::ALL {
                for group in Group::ALL {
                    assert_eq!(
                        reference::canonical(5, numbering, group, like, index),
                        reference::canonical_by_sorting(5, numbering, group, like, index)
                    );
                }
            }
        }
    }
}

/// The cases everybody gets wrong: leading pieces on a diagonal or on its mirror, like pieces and
/// shared squares behind them. Random indices hardly ever have them, so they are made here.
fn diagonal_bytes() -> impl Strategy<Value = Vec<u8>> {
    let diagonal = prop_oneof![
        (0u8..8).prop_map(|k| 9 * k),
        (0u8..8).prop_map(|k| 7 * (k + 1)),
        0u8..64,
    ];
    (
        any::<u8>(),
        prop::collection::vec(diagonal, 21),
        prop::collection::vec(0u8..4, 0..22),
    )
        .prop_map(|(pieces, squares, sets)| {
            // As many pieces as each word asks for; like sets follow.
            let mut bytes = vec![pieces];
            bytes.extend(squares);
            bytes.extend(sets);
            bytes
        })
}

fn laws_hold<W: Word>(bytes: &[u8]) {
    if let Some((pieces, like, index)) = laws::index_from_bytes::<W>(bytes) {
        laws::index_laws(pieces, &like, index);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 8 } else { 3000 }))]

    #[test]
    fn laws_hold_for_pieces_on_the_diagonals(bytes in diagonal_bytes()) {
        laws_hold::<u32>(&bytes);
        laws_hold::<u64>(&bytes);
        laws_hold::<u128>(&bytes);
    }

    #[test]
    fn four_to_ten_pieces_hold_in_u64(pieces in 4usize..=10, bits: u64, like in prop::collection::vec(0usize..10, 10)) {
        let index = bits & ((1 << (6 * pieces)) - 1);
        laws::index_laws(pieces, &sets(pieces, &like), index);
    }

    #[test]
    fn eleven_to_twenty_one_pieces_hold_in_u128(pieces in 11usize..=21, bits: u128, like in prop::collection::vec(0usize..21, 21)) {
        let index = bits & ((1 << (6 * pieces)) - 1);
        laws::index_laws(pieces, &sets(pieces, &like), index);
    }

    #[test]
    fn words_agree_where_both_hold_the_index(pieces in 1usize..=5, bits: u32) {
        let index = bits & ((1 << (6 * pieces)) - 1);
        for numbering in Numbering::ALL {
            for symmetry in Symmetry::ALL {
                let narrow = Layout::<u32>::new(pieces, numbering).flip(symmetry, index);
                let wide = Layout::<u128>::new(pieces, numbering).flip(symmetry, index.into());
                prop_assert_eq!(u128::from(narrow), wide);
            }
        }
    }
}

fn sets(pieces: usize, set_of_piece: &[usize]) -> Vec<u32> {
    let mut sets = vec![0u32; 21];
    for (k, &set) in set_of_piece.iter().enumerate().take(pieces) {
        sets[set] |= 1 << k;
    }
    sets
}
