//! The C interface of `tbindex`, which `tbindex.h` declares.
//!
//! There is one file for each kind of handle. It only checks arguments, calls the library and turns the
//! result into a status. The introduction of the header (`cbindgen.toml`) states the rules that hold for
//! all functions. In short:
//!
//! - every function that can fail returns a [`tbi_status`] and, on failure, leaves a message for its thread
//!   (`status.rs`); results are written through the caller's pointers;
//! - pointers are checked before they are used (`memory.rs`): NULL, misaligned or overlapping ones are
//!   errors. The caller promises that they point to memory of the stated size; every `SAFETY` comment of
//!   this crate refers to this promise;
//! - no panic leaves: every function's body is one call of `guard` or
//!   `guard_value`, which a test checks by reading the sources.
//!
//! Handles do not know the width of a word: functions that take words take their bytes, too (`words.rs`).

#![allow(
    unsafe_code,
    reason = "a C interface is made of pointers that only their caller can vouch for"
)]
#![allow(
    non_camel_case_types,
    reason = "types have the names here that they have in C"
)]
#![allow(
    clippy::missing_safety_doc,
    reason = "what callers promise is stated once, in the introduction of tbindex.h, where C authors read it"
)]

mod batch;
#[cfg(feature = "bench")]
mod bench;
mod conversion;
mod dense;
mod enumeration;
mod equivalence;
mod fen;
mod file;
mod layout;
mod main_thread;
mod material;
mod memory;
mod moves;
mod reduction;
mod slots;
mod squares;
mod status;
mod tables;
mod version;
mod words;
mod writer;

pub use batch::*;
#[cfg(feature = "bench")]
pub use bench::*;
pub use conversion::*;
pub use dense::*;
pub use enumeration::*;
pub use equivalence::*;
pub use fen::*;
pub use file::*;
pub use layout::*;
pub use material::*;
pub use moves::*;
pub use reduction::*;
pub use slots::*;
pub use squares::*;
pub use status::*;
pub use tables::*;
pub use version::*;
pub use writer::*;

#[cfg(panic = "abort")]
compile_error!("a panic must be caught before it reaches C: build with panic = \"unwind\"");

/// The header promises that any number of threads may use one handle.
const _: () = {
    const fn may_be_shared<T: Send + Sync>() {}
    may_be_shared::<tbi_equivalence>();
    may_be_shared::<tbi_dense>();
    may_be_shared::<tbi_enumeration>();
    may_be_shared::<tbi_moves>();
    may_be_shared::<tbi_material_map>();
    may_be_shared::<tbi_file>();
    may_be_shared::<tbi_writer>();
    may_be_shared::<tbi_tables>();
};
