//! Any bytes as an index with like pieces: all laws of the index hold.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tbindex::Word;
use tbindex_fuzz::index_laws;

fn check<W: Word>(bytes: &[u8]) {
    if let Some((pieces, like, index)) = index_laws::index_from_bytes::<W>(bytes) {
        index_laws::index_laws(pieces, &like, index);
    }
}

fuzz_target!(|bytes: &[u8]| {
    check::<u32>(bytes);
    check::<u64>(bytes);
    check::<u128>(bytes);
});
