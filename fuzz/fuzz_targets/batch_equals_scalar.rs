//! Any bytes as a batch: every operation of every backend agrees with the scalar function.
#![no_main]

#[path = "../../tests/laws/mod.rs"]
mod laws;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    laws::batch::batch_equals_scalar::<u32>(bytes);
    laws::batch::batch_equals_scalar::<u64>(bytes);
});
