//! Files, published ones, those that were written here, and damaged ones.

#![allow(clippy::missing_panics_doc, reason = "for tests alone")]

#[path = "../laws/any_bytes.rs"]
pub mod any_bytes;
#[path = "../../../../tests/support/corpus.rs"]
pub mod corpora;
#[path = "../../../bench/src/random.rs"]
pub mod random;
#[path = "../support/mod.rs"]
mod support;
#[path = "../../../../tests/support/thorough.rs"]
pub mod thorough;

mod batch;
mod compare;
mod corpus;
mod damage;
mod material;
mod numbering;
mod published;
mod values;
mod writer;
