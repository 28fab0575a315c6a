#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    tbindex_fuzz::tables::logs::any_log_is_safe(bytes);
});
