//! The laws that fuzz targets check of any bytes. The modules belong to the tests of other packages.

#[path = "../../tools/fairy/tests/laws/filters.rs"]
pub mod filters;
#[path = "../../tests/laws/mod.rs"]
pub mod laws;
#[path = "../../tools/tbgen/tests/support/processes.rs"]
mod processes;
#[path = "../../tools/tbgen/tests/support/solved.rs"]
mod solved;
#[path = "../../tests/support/mod.rs"]
pub mod support;
#[path = "../../tools/syzygy/tests/laws/any_bytes.rs"]
pub mod syzygy;
#[path = "../../tools/tbgen/tests/laws/mod.rs"]
pub mod tables;
