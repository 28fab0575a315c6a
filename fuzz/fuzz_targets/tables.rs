#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    tbindex_fuzz::tables::tables::any_table_is_safe(bytes);
});
