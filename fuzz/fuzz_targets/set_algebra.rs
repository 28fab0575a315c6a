#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::set_algebra(bytes));
