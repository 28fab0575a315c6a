//! `tbindex` and `tbgen` for WebAssembly.
//!
//! All functions take texts and numbers, and return plain objects, whose types are in the package's `.d.ts`. An error is
//! thrown as an `Error` with the message.
//!
//! - [`index`]: indices, their images, canonical forms, slots;
//! - [`pieces`]: short-range pieces, their reach and their mates;
//! - [`solve`]: endgame tables, solved when they are asked for or from Syzygy files.

mod drawn;
pub mod index;
pub mod pieces;
pub mod solve;
