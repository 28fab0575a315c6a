#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    tbindex_fuzz::tables::packed::any_packed_file_is_safe(bytes);
});
