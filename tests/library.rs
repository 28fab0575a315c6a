//! The library, room by room.

#![allow(clippy::missing_panics_doc, reason = "a law that does not hold panics")]

pub mod laws;
pub mod support;

mod batch;
mod bitbase;
mod board;
mod corpus;
mod dense;
mod fairy;
mod index;
mod order;
#[cfg(feature = "store")]
mod store;
