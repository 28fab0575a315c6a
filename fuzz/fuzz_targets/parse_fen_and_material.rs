#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::parse_fen_and_material(bytes));
