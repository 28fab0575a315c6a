//! Mates, filters and pictures of short-range pieces.

#![allow(clippy::missing_panics_doc, reason = "a law that does not hold panics")]

#[path = "../../../../tests/fairy/naive.rs"]
mod board;
#[path = "../../../../tests/support/corpus.rs"]
pub mod corpora;
#[path = "../laws/filters.rs"]
pub mod filters;
#[path = "../../../../tests/laws/notations.rs"]
pub mod notations;
#[path = "../../../bench/src/random.rs"]
pub mod random;
#[path = "../../../../tests/support/thorough.rs"]
pub mod thorough;

mod boards;
mod corpus;
mod filter;
mod mates;
mod naive;
mod pictures;

use tbindex::Leaper;

fn piece(text: &str) -> Leaper {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}
