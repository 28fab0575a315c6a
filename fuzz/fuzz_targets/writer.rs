#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    tbindex_fuzz::laws::reduction::writer_writes_what_it_takes(bytes);
});
