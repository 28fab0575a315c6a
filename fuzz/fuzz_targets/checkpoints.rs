#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    tbindex_fuzz::tables::checkpoints::any_checkpoint_is_safe(bytes);
});
