//! Any bytes as a batch, a backend and an operation: it agrees with the scalar function.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tbindex_fuzz::batch_laws;

fuzz_target!(|bytes: &[u8]| batch_laws::one_operation_equals_scalar(bytes));
