//! The laws of the fuzz targets hold for their stored inputs and for changes of these.

use std::fs;

use crate::laws;
use crate::support::corpus::{fuzz, holds, paths};

crate::corpora! {
    batch_equals_scalar: laws::batch::laws_of_bytes;
    bitbase_laws: laws::bitbase::laws_of_bytes;
    dense_bijection: laws::dense::laws_of_bytes;
    index_laws: laws::index::laws_of_bytes;
    parse_fen_and_material: laws::text::laws_of_bytes;
}

#[cfg(feature = "store")]
crate::corpora! {
    open_file: laws::files::laws_of_bytes;
    reducer: laws::reduction::reduction_agrees_with_a_tree;
    set_algebra: laws::sets::laws_of_bytes;
    writer: laws::reduction::writer_writes_what_it_takes;
}

/// Each in the tests of its package, which are all named here.
#[test]
fn every_fuzz_target_is_tried() {
    let tried = [
        "tests/corpus/mod.rs",
        "tools/tbgen/tests/tables/corpus.rs",
        "tools/fairy/tests/fairy/corpus.rs",
        "tools/syzygy/tests/files/corpus.rs",
    ]
    .map(|path| fs::read_to_string(fuzz().with_file_name(path)).unwrap());
    for target in paths(&fuzz().join("fuzz_targets")) {
        let law = format!("    {}: ", target.file_stem().unwrap().display());
        assert!(tried.iter().any(|text| text.contains(&law)), "{law}");
    }
}
