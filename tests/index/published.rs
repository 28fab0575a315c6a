//! The published worked examples of indices, known counts, and the mistake in print.

use tbindex::{
    Color, Compact, Diagonal, Layout, Material, Numbering, PieceType, PlacementCodec, Rules, Stage,
    Symmetry,
};

use super::moves::cozy;
use crate::support::counts::{KNOWN_COUNTS, enumerated};
use crate::support::kings::king_distance;
use crate::support::thorough::one_in;

/// The text that introduced the index says that the flip around the horizontal axis is "high bits
/// XOR 7"; the code beneath it labels `index ^ lowBits` as that flip. Only one can be right: the flip
/// around the horizontal axis exchanges the ranks, and the ranks are the high digits. A rook on a1
/// must go to a8, code 0o70, and `index ^ lowBits` would send it to h1.
#[test]
fn the_flip_around_the_horizontal_axis_is_the_one_on_the_high_bits() {
    let layout = Layout::<u32>::new(1, Numbering::Natural);
    let a1 = layout.encode(&["a1".parse().unwrap()]);
    let a8 = layout.encode(&["a8".parse().unwrap()]);
    let h1 = layout.encode(&["h1".parse().unwrap()]);
    assert_eq!(layout.flip(Symmetry::FlipVertical, a1), a8);
    assert_eq!(a1 ^ layout.masks().high, a8);
    assert_eq!(a1 ^ layout.masks().low, h1);
    assert_eq!(layout.flip(Symmetry::FlipHorizontal, a1), h1);
}

/// An enumeration makes the indices that filtering by the definitions leaves: of two and three pieces at every
/// stage, of four with blocked lines and like pieces what is canonical and legal. One index in 23 is looked at, for each
/// enumeration others, or all if `TBINDEX_THOROUGH` is set.
#[test]
fn enumerations_are_what_filtering_leaves() {
    let step = one_in(23);
    let mut first = 0;
    for text in [
        "KvK", "KRvK", "KPvK", "KvKP", "KNvK", "KRRvK", "KRvKB", "KPPvK", "KQvKP",
    ] {
        let material: Material = text.parse().unwrap();
        let is_large = material.piece_count() > 3;
        let sides = Numbering::ALL
            .into_iter()
            .flat_map(|n| Color::ALL.map(|side| (n, side)));
        for (numbering, side) in sides.step_by(if is_large { 3 } else { 1 }) {
            let codec = PlacementCodec::<u32>::try_new(material, numbering).unwrap();
            for (stage, canonical) in Stage::ALL.into_iter().flat_map(|s| [(s, false), (s, true)]) {
                if is_large && (stage, canonical) != (Stage::Legal, true) {
                    continue;
                }
                let (counts, mut made) = enumerated(text, numbering, (stage, side), canonical);
                assert_eq!(counts[stage], made.len() as u128);
                first = (first + 1) % step;
                made.retain(|&x| x as usize % step == first);
                let left = (first as u32..codec.equivalence().layout().index_count() as u32)
                    .step_by(step)
                    .filter(|&x| !canonical || codec.equivalence().canonical(x) == x)
                    .filter(|&x| passes(&codec, x, stage, side));
                let is_same = made.into_iter().eq(left);
                assert!(is_same, "{text} {stage:?} {side} {numbering} {canonical}");
            }
        }
    }
}

/// A stage by its definition, one position at a time; checks by an independent move generator.
fn passes(codec: &PlacementCodec<u32>, index: u32, stage: Stage, side: Color) -> bool {
    let squares = codec.decode_squares(index).unwrap();
    let pieces: Vec<_> = codec.material().name_order().zip(squares).collect();
    let pawns_inside = pieces
        .iter()
        .all(|(p, s)| p.kind != PieceType::Pawn || !matches!(s.rank() as u8, 0 | 7));
    let Ok(position) = codec.decode(index, side) else {
        return stage == Stage::All && pawns_inside;
    };
    if !pawns_inside || stage <= Stage::Distinct {
        return pawns_inside;
    }
    let mut kings = pieces.iter().filter(|(p, _)| p.kind == PieceType::King);
    let [white, black] = [(); 2].map(|()| kings.next().expect("two kings").1);
    let apart = king_distance(white, black) > 1;
    if stage == Stage::KingsApart || !apart {
        return apart;
    }
    // The generator builds a board only if the side not to move is not in check.
    cozy(&position, None).is_some()
}

#[test]
fn known_counts_are_reached() {
    for (material, [all, distinct, kings_apart, white, black]) in KNOWN_COUNTS {
        let rules = [Rules::All, Rules::Distinct, Rules::KingsApart];
        let slots = rules
            .map(|rules| Compact::<u32>::slots(material.parse().unwrap(), rules, Diagonal::Exact));
        assert_eq!(
            slots,
            [all, distinct, kings_apart].map(u128::from),
            "{material}"
        );
        for numbering in Numbering::ALL {
            for (side, legal) in Color::ALL.into_iter().zip([white, black]) {
                let legal_ones = (Stage::Legal, side);
                let (found, indices) = enumerated(material, numbering, legal_ones, true);
                let found = Stage::ALL.map(|stage| found[stage] as u64);
                let known = [all, distinct, kings_apart, legal];
                assert_eq!(found, known, "{material} {numbering}");
                assert_eq!(indices.len() as u64, legal);
                assert!(indices.is_sorted_by(|a, b| a < b));
            }
        }
    }
    // These agree with Burnside's lemma: they are the legal positions and those that a mirror along a diagonal leaves as they
    // are, by the order of the group with the exchanges of like pieces.
    let thorough = one_in(2) == 1;
    let of_five = [("KRRvKR", 31_812_900), ("KRBvKR", 71_077_216)];
    for (material, known) in of_five.into_iter().filter(|_| thorough) {
        let legal = (Stage::Legal, Color::White);
        let (found, _) = enumerated(material, Numbering::Natural, legal, true);
        assert_eq!(found[Stage::Legal], known, "{material}");
    }
}
