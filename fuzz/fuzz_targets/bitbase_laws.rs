//! Any bytes as a domain and a slice: all laws of sets of positions hold.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tbindex_fuzz::bitbase_laws;

fuzz_target!(|bytes: &[u8]| bitbase_laws::laws_of_bytes(bytes));
