#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    tbindex_fuzz::laws::notations::laws_of_bytes(bytes);
    tbindex_fuzz::filters::laws_of_bytes(bytes);
});
