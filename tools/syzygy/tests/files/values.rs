//! Checksums, and what writers make of values before they are compressed.

use proptest::prelude::*;
use syzygy_tables::checksum::checksum;
use syzygy_tables::internals::{
    FREE, LongGaps, Style, close_dtz, close_wdl, for_each_run, for_each_stretch, hash128,
};

#[test]
fn known_file_has_its_checksum() {
    let mut bytes = [0; 64];
    let head = [
        0x71, 0xe8, 0x23, 0x5d, 0x31, 0, 0xee, 0x66, 0x33, 0, 0x80, 2, 0x80, 2,
    ];
    bytes[..head.len()].copy_from_slice(&head);
    let expected = 0x4b37_ef62_3e69_eadb_6756_777c_1603_4e6f_u128.to_be_bytes();
    assert_eq!(checksum(&bytes), expected);
}

/// By another implementation of CityHash 1.0.2. From 160 bytes on the list is that of a file of more than 64 MiB.
#[test]
fn lists_of_hashes_have_their_hashes() {
    for (len, expected) in [
        (32, [0x1cff_c835_436e_84b9, 0x7717_f07b_b750_7f96]),
        (96, [0xbf6a_c930_5eca_ed30, 0xf1cf_9db1_0a40_2a90]),
        (128, [0xb6c6_7436_b898_61d5, 0xca03_6009_79c2_d395]),
        (160, [0x3dd4_91b9_baca_7ce1, 0x53f5_73b9_06f1_6c1e]),
        (416, [0xfd63_9b8c_039b_48b7, 0x49e9_a449_b1d4_5859]),
        (896, [0xc9bc_1712_a8a5_81e8, 0x3259_8935_8d5e_10d5]),
    ] {
        let bytes: Vec<u8> = (0..len).map(|i| (i * 167 + 13) as u8).collect();
        assert_eq!(hash128(&bytes), expected, "{len} bytes");
    }
}

proptest! {
    /// Values stay, and a choice becomes a value that it allows.
    #[test]
    fn choices_become_values_that_they_allow(
        codes in prop::collection::vec(prop_oneof![Just(8u8), 0u8..=8], 0..300),
        preference in Just([0u8, 1, 2, 3, 4]).prop_shuffle(),
        style in prop_oneof![Just(Style::FrequentFirst), Just(Style::RareFirst)],
    ) {
        let mut closed = codes.clone();
        close_wdl(&mut closed, preference, style);
        for (code, value) in codes.into_iter().zip(closed) {
            let fits = if code > 4 { value <= code - 4 } else { value == code };
            prop_assert!(fits, "{code} became {value}");
        }
    }

    /// Distances stay, and nothing is free.
    #[test]
    fn free_places_get_ranks(
        ranks in prop::collection::vec(prop_oneof![Just(FREE), 0u8..9], 0..300),
        long in prop_oneof![Just(LongGaps::AsBeside), Just(LongGaps::Frequent)],
    ) {
        let mut closed = ranks.clone();
        close_dtz(&mut closed, long);
        for (rank, value) in ranks.into_iter().zip(closed) {
            let fits = if rank == FREE { value < 9 } else { value == rank };
            prop_assert!(fits, "{rank} became {value}");
        }
    }
}

proptest! {
    /// Stretches are those that a loop over single values finds.
    #[test]
    fn stretches_are_the_longest(values in prop::collection::vec(0u8..3, 0..300)) {
        let mut found = Vec::new();
        for_each_stretch(&mut values.clone(), |value| value > 0, |_, stretch| found.push(stretch));
        let groups = values.chunk_by(|a, b| (*a > 0) == (*b > 0));
        let mut at = 0;
        let ranges = groups.filter_map(|group| {
            at += group.len();
            (group[0] > 0).then(|| at - group.len()..at)
        });
        prop_assert_eq!(found, ranges.collect::<Vec<_>>());
    }

    /// Runs are those of `chunk_by`.
    #[test]
    fn runs_are_the_longest(lengths in prop::collection::vec((0u16..3, 1usize..150), 0..20)) {
        let values: Vec<u16> = lengths.iter().flat_map(|&(value, len)| vec![value; len]).collect();
        let mut found = Vec::new();
        for_each_run(&values, |value, len| found.push((value, len)));
        let runs = values.chunk_by(|a, b| a == b).map(|run| (run[0], run.len()));
        prop_assert_eq!(found, runs.collect::<Vec<_>>());
    }
}
