//! Arrow's arrays, by the Arrow PyCapsule interface.
//!
//! The interface is three structures of C that never change, and so this module has them itself: the crates of
//! Arrow would be a hundred times as much code to compile.

mod import;
mod interface;

pub(crate) use import::import;
pub(crate) use interface::{Buffer, Capsules, Data, Schema, Stream, Type, capsules};
