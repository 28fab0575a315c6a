//! The laws that the targets check: those of the tests.

#[path = "../../tests/laws/batch.rs"]
pub mod batch_laws;
#[path = "../../tests/laws/bitbase/mod.rs"]
pub mod bitbase_laws;
#[path = "../../tests/support/checksums.rs"]
pub mod checksums;
#[path = "../../tests/laws/dense.rs"]
pub mod dense_laws;
#[path = "../../tests/support/equivalence.rs"]
pub mod equivalence;
#[path = "../../tests/laws/files.rs"]
pub mod file_laws;
#[path = "../../tests/laws/index.rs"]
pub mod index_laws;
#[path = "../../tests/laws/sets.rs"]
pub mod set_laws;
#[path = "../../tools/syzygy/tests/laws/any_bytes.rs"]
pub mod syzygy_laws;
#[path = "../../tests/laws/text.rs"]
pub mod text_laws;
