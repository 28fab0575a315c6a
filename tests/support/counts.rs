//! How many positions there are.

#![allow(clippy::missing_panics_doc, reason = "for tests alone")]

use tbindex::{Color, Enumeration, Numbering, Stage, StageCounts};

/// The canonical or all placements of a stage, and how many there are of each stage.
pub fn enumerated(
    material: &str,
    numbering: Numbering,
    (stage, side): (Stage, Color),
    canonical: bool,
) -> (StageCounts, Vec<u32>) {
    let all = Enumeration::<u32>::try_new(material.parse().unwrap(), numbering).unwrap();
    let all = all.stage(stage, side);
    let all = if canonical { all.canonical_only() } else { all };
    let (mut counts, mut indices) = (StageCounts::default(), Vec::new());
    for chunk in 0..all.chunk_count() {
        counts += all.chunk(chunk, &mut indices);
    }
    (counts, indices)
}

/// Known counts of canonical placements: all, distinct, kings apart, legal with white and with black
/// to move; from an independent brute force that agrees with published statistics.
pub const KNOWN_COUNTS: [(&str, [u64; 5]); 12] = [
    ("KvK", [528, 518, 462, 462, 462]),
    ("KQvK", [32_896, 31_332, 28_056, 18_081, 28_056]),
    ("KRvK", [32_896, 31_332, 28_056, 21_959, 28_056]),
    ("KBvK", [32_896, 31_332, 28_056, 24_178, 28_056]),
    ("KNvK", [32_896, 31_332, 28_056, 25_750, 28_056]),
    ("KPvK", [98_304, 93_744, 84_012, 81_664, 84_012]),
    (
        "KQvKR",
        [2_098_176, 1_906_548, 1_707_888, 1_119_216, 1_347_906],
    ),
    ("KRRvK", [1_065_984, 953_666, 854_238, 520_702, 854_238]),
    (
        "KBNvK",
        [2_098_176, 1_906_548, 1_707_888, 1_359_578, 1_707_888],
    ),
    (
        "KRvKN",
        [2_098_176, 1_906_548, 1_707_888, 1_347_906, 1_567_222],
    ),
    (
        "KPPvK",
        [2_408_448, 2_133_048, 1_912_372, 1_806_671, 1_912_372],
    ),
    (
        "KPvKP",
        [4_718_592, 4_266_096, 3_824_744, 3_718_044, 3_718_044],
    ),
];
