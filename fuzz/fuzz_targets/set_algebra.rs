#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    tbindex_fuzz::laws::sets::laws_of_bytes(bytes);
});
