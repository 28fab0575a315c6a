//! Any text as a FEN and as a material: an error or something that reads back as it prints.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tbindex_fuzz::text_laws;

fuzz_target!(|line: &str| {
    text_laws::material_reads_back(line);
    text_laws::fen_reads_back_and_encodes(line);
});
