#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::parse_piece_and_filter(bytes));
