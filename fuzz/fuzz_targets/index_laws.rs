//! Any bytes as an index with like pieces and a law: it holds.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tbindex_fuzz::index_laws;

fuzz_target!(|bytes: &[u8]| index_laws::one_index_law(bytes));
