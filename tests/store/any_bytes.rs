//! Bytes as files and sets, with random input; the fuzz targets have the same laws.

use std::fs;
use std::path::Path;

use proptest::prelude::*;

use crate::{file_laws as files, set_laws as sets};

/// The seeds of the file fuzzer, each with up to three places overwritten.
fn changed_seeds() -> impl Strategy<Value = Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds/open_file");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .expect("seeds")
        .map(|entry| entry.expect("a seed").path())
        .collect();
    paths.sort();
    let seeds: Vec<Vec<u8>> = paths
        .iter()
        .map(|path| fs::read(path).expect("a seed"))
        .collect();
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4);
    (prop::sample::select(seeds), changes).prop_map(|(mut seed, changes)| {
        for (at, byte) in changes {
            let length = seed.len();
            seed[at.index(length)] = byte;
        }
        seed
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn any_file_opens_safely(bytes in changed_seeds()) {
        files::opening_is_safe(&bytes);
        files::opening_is_safe(&files::with_right_checksums(&bytes));
    }

    #[test]
    fn operations_on_slices_agree_with_trees(bytes in prop::collection::vec(any::<u8>(), 0..3000)) {
        let [a, b] = sets::sets_of(&bytes);
        sets::slices_agree_with_trees(&a, &b);
        sets::slices_agree_with_trees(&a[..a.len() / 50], &b);
        let wide = |set: &[u32]| set.iter().map(|&x| u64::from(x) << 30).collect::<Vec<_>>();
        sets::slices_agree_with_trees(&wide(&a), &wide(&b));
    }

    #[test]
    fn any_slices_do_no_harm(
        a in prop::collection::vec(0u32..500, 0..1500),
        b in prop::collection::vec(0u32..500, 0..1500),
    ) {
        sets::any_slices_are_safe(&a, &b);
        sets::any_slices_are_safe(&a[..a.len() / 50], &b);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(25))]

    #[test]
    fn operations_on_files_agree_with_those_on_slices(
        bytes in prop::collection::vec(any::<u8>(), 0..2000),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        sets::files_agree_with_slices(folder.path(), &sets::sets_of(&bytes));
    }
}
