//! The tables are right: against published counts, published tables, and the rules themselves.

#![allow(clippy::missing_panics_doc, reason = "a law that does not hold panics")]

#[path = "../../../../tests/support/corpus.rs"]
pub mod corpora;
#[path = "../laws/mod.rs"]
pub mod laws;
#[path = "../support/positions.rs"]
mod positions;
#[path = "../support/processes.rs"]
mod processes;
#[path = "../../../bench/src/random.rs"]
pub mod random;
#[path = "../support/solved.rs"]
mod solved;
#[path = "../../../../tests/support/thorough.rs"]
pub mod thorough;

mod batch;
mod boards;
mod castling;
mod chains;
mod checkpoints;
mod chess;
mod codes;
mod conventions;
mod corpus;
mod counters;
mod damage;
mod en_passant;
mod every_source;
mod files;
mod five_pieces;
mod helpmates;
mod made_up;
mod mined;
mod mined_by_syzygy;
mod move_order;
mod moves;
mod orders;
mod packed;
mod plans;
mod published;
mod reached;
mod repeated;
mod sampled;
mod searches;
mod short_range;
mod sliced;
mod small;
mod storage;
mod together;
mod visits;
