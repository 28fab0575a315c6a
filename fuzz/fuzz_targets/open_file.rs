//! Any bytes as an index file: an error, or a file whose every word can be read, searched and verified.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tbindex_fuzz::file_laws;

fuzz_target!(|bytes: &[u8]| {
    file_laws::opening_is_safe(bytes);
    file_laws::opening_is_safe(&file_laws::with_right_checksums(bytes));
});
