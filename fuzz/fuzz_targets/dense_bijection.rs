//! Any bytes as a material, a position and a move: all laws of the dense numberings hold.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tbindex_fuzz::dense_laws;

fuzz_target!(|bytes: &[u8]| dense_laws::laws_of_bytes(bytes));
