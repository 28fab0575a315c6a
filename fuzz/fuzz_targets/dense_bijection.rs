//! Any bytes as a material, a position and a move: all laws of the dense numberings hold.
#![no_main]

#[path = "../../tests/laws/dense.rs"]
mod laws;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| laws::laws_of_bytes(bytes));
