//! Any bytes as a Syzygy file: an error, or a file whose every value can be asked for.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tbindex_fuzz::syzygy_laws;

fuzz_target!(|bytes: &[u8]| {
    syzygy_laws::opening_is_safe(bytes);
});
