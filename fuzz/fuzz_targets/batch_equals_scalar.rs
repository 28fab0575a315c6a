//! Any bytes as a batch: every operation of every backend agrees with the scalar function.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tbindex_fuzz::batch_laws;

fuzz_target!(|bytes: &[u8]| {
    batch_laws::batch_equals_scalar::<u32>(bytes);
    batch_laws::batch_equals_scalar::<u64>(bytes);
});
