//! The laws that fuzz targets check of any bytes, one function for each. The modules belong to the tests of other packages.
//! The targets in `fuzz/` and the test `corpus` of this package, which needs no nightly Rust, call the functions.

#![allow(clippy::missing_panics_doc, reason = "a law that does not hold panics")]

#[path = "../../../tests/laws/batch.rs"]
pub mod batch_laws;
#[path = "../../../tests/laws/bitbase/mod.rs"]
pub mod bitbase_laws;
#[path = "../../../tests/support/checksums.rs"]
pub mod checksums;
#[path = "../../tbgen/tests/laws/damage.rs"]
pub mod damage;
#[path = "../../../tests/laws/dense.rs"]
pub mod dense_laws;
#[path = "../../../tests/support/equivalence.rs"]
pub mod equivalence;
#[path = "../../../tests/laws/files.rs"]
pub mod file_laws;
#[path = "../../../tests/laws/index.rs"]
pub mod index_laws;
#[path = "../../tbgen/tests/laws/logs.rs"]
pub mod log_laws;
#[path = "../../../tests/laws/notations.rs"]
pub mod notation_laws;
#[path = "../../../tests/support/random.rs"]
pub mod random;
#[path = "../../../tests/laws/reduction.rs"]
pub mod reduction_laws;
#[path = "../../../tests/laws/sets.rs"]
pub mod set_laws;
#[path = "../../tbgen/tests/support/solved.rs"]
mod solved;
#[path = "../../syzygy/tests/laws/any_bytes.rs"]
pub mod syzygy_laws;
#[path = "../../tbgen/tests/laws/tables.rs"]
pub mod table_laws;
#[path = "../../../tests/laws/text.rs"]
pub mod text_laws;

/// A batch, a backend and an operation: it agrees with the scalar function.
pub fn batch_equals_scalar(bytes: &[u8]) {
    batch_laws::one_operation_equals_scalar(bytes);
}

/// A domain and a slice: all laws of sets of positions hold.
pub fn bitbase_laws(bytes: &[u8]) {
    bitbase_laws::laws_of_bytes(bytes);
}

/// A material, a position and a move: all laws of the dense numberings hold.
pub fn dense_bijection(bytes: &[u8]) {
    dense_laws::laws_of_bytes(bytes);
}

/// An index with like pieces and a law: it holds.
pub fn index_laws(bytes: &[u8]) {
    index_laws::one_index_law(bytes);
}

/// Changes of the logs of a table: an error, or the same table.
pub fn logs(bytes: &[u8]) {
    log_laws::any_log_is_safe(bytes);
}

/// An index file: an error, or a file whose every word can be read, searched and verified.
pub fn open_file(bytes: &[u8]) {
    file_laws::opening_is_safe(bytes);
    file_laws::opening_is_safe(&file_laws::with_right_checksums(bytes));
}

/// A text as a FEN and as a material: an error, or something that reads back as it prints.
pub fn parse_fen_and_material(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    text_laws::material_reads_back(&text);
    text_laws::fen_reads_back_and_encodes(&text);
}

/// A text as a short-range piece and as a filter: an error, or something that reads back as it prints.
pub fn parse_piece_and_filter(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    notation_laws::piece_reads_back(&text);
    notation_laws::filter_is_its_conditions(&text);
}

/// Batches of indices, and how to reduce them: the set of their canonical forms.
pub fn reducer(bytes: &[u8]) {
    reduction_laws::reduction_agrees_with_a_tree(bytes);
}

/// Two sets: operations on slices and on files agree with those on trees.
pub fn set_algebra(bytes: &[u8]) {
    set_laws::laws_of_bytes(bytes);
}

/// A Syzygy file: an error, or a file whose every value can be asked for.
pub fn syzygy_open_probe(bytes: &[u8]) {
    syzygy_laws::opening_is_safe(bytes);
}

/// A table file, or the damage of one: an error, or a table whose every value can be asked for.
pub fn tables(bytes: &[u8]) {
    table_laws::any_table_is_safe(bytes);
}

/// Batches of indices, and what a writer is told of them: a file that has them, or none.
pub fn writer(bytes: &[u8]) {
    reduction_laws::writer_writes_what_it_takes(bytes);
}
