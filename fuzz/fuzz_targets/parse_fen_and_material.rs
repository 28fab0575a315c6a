//! Any text as a FEN and as a material: an error or something that reads back as it prints.
#![no_main]

#[path = "../../tests/laws/text.rs"]
mod text;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &str| {
    text::material_reads_back(line);
    text::fen_reads_back_and_encodes(line);
});
