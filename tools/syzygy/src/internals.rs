//! Access for the tests in `tests/`, which are built against the library that everybody uses. It is no part of the
//! public interface: anything in it may change in any version.

pub use crate::checksum::hash128;
pub use crate::writer::gaps::{FREE, LongGaps, Style, close_dtz, close_wdl};
pub use crate::writer::stretches::{for_each_run, for_each_stretch};
