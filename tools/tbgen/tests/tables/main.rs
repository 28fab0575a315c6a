//! The tables are right: against published counts, published tables, and the rules themselves.

#[path = "../../../../tests/support/random.rs"]
pub mod random;
#[path = "../support/solved.rs"]
mod solved;
#[path = "../../../../tests/support/thorough.rs"]
mod thorough;

mod conventions;
mod en_passant;
mod files;
mod five_pieces;

mod moves;
mod published;
mod reached;
mod repeated;
mod short_range;
mod small;
mod together;
