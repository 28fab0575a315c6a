#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    tbindex_fuzz::laws::index::laws_of_bytes(bytes);
});
