#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    tbindex_fuzz::laws::reduction::reduction_agrees_with_a_tree(bytes);
});
