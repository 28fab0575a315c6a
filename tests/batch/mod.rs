//! Slices of indices, on every backend of the machine.

mod legality;
mod operations;
