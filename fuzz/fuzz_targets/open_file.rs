//! Any bytes as an index file: an error, or a file whose every word can be read, searched and verified.
#![no_main]

#[path = "../../tests/laws/files.rs"]
mod files;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    files::opening_is_safe(bytes);
    files::opening_is_safe(&files::with_right_checksums(bytes));
});
