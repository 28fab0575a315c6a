//! The rivals that extract and deposit bits, by two `pext` or `pdep` for each position. They exist on
//! x86-64 alone.

use tbindex::Layout;
use tbindex::batch::{Backend, BatchWord};

/// Whether a backend has the instructions, and a row fits a word.
pub(crate) fn has_bits(backend: Backend, pieces: usize) -> bool {
    backend.to_string() != "portable" && pieces <= 8
}

/// Writes the index of every row under the natural numbering by extracting the bits of its word
/// with `pext`, twice a position.
pub(crate) fn extract_encode<W: BatchWord>(layout: &Layout<W>, rows: &[u8], to: &mut [W]) {
    check_instructions();
    #[cfg(target_arch = "x86_64")]
    #[expect(unsafe_code, reason = "not all processors have the instructions")]
    // SAFETY: this one has them, as was just checked.
    unsafe {
        x86::extract_encode(layout, rows, to);
    }
}

/// Writes every natural index's row by depositing its bits with `pdep`, twice a position. In all else it is
/// like [`extract_encode`].
pub(crate) fn deposit_decode<W: BatchWord>(layout: &Layout<W>, from: &[W], rows: &mut [u8]) {
    check_instructions();
    #[cfg(target_arch = "x86_64")]
    #[expect(unsafe_code, reason = "not all processors have the instructions")]
    // SAFETY: this one has them, as was just checked.
    unsafe {
        x86::deposit_decode(layout, from, rows);
    }
}

fn check_instructions() {
    #[cfg(target_arch = "x86_64")]
    let there = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2");
    #[cfg(not(target_arch = "x86_64"))]
    let there = false;
    assert!(there, "there are no such instructions");
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{_pdep_u64, _pext_u64};

    use tbindex::Layout;
    use tbindex::batch::BatchWord;

    #[target_feature(enable = "avx2,bmi2")]
    pub(super) fn extract_encode<W: BatchWord>(layout: &Layout<W>, rows: &[u8], to: &mut [W]) {
        let (pieces, half) = (layout.pieces(), 3 * layout.pieces() as u32);
        let used = u64::MAX >> (64 - 8 * pieces);
        let (lows, highs) = (0x0707_0707_0707_0707 & used, 0x3838_3838_3838_3838 & used);
        // Takes whole words as long as eight bytes are left. The row's bytes are the lowest of its word.
        let words = rows.windows(8).step_by(pieces);
        let whole = words.len();
        for (to, word) in to.iter_mut().zip(words) {
            if let Some(word) = word.first_chunk::<8>() {
                let word = u64::from_le_bytes(*word);
                *to = W::truncate((_pext_u64(word, lows) | _pext_u64(word, highs) << half).into());
            }
        }
        for (to, row) in to.iter_mut().zip(rows.chunks_exact(pieces)).skip(whole) {
            let bytes = row.iter().rev();
            let word = bytes.fold(0, |x, &byte| x << 8 | u64::from(byte));
            *to = W::truncate((_pext_u64(word, lows) | _pext_u64(word, highs) << half).into());
        }
    }

    #[target_feature(enable = "avx2,bmi2")]
    pub(super) fn deposit_decode<W: BatchWord>(layout: &Layout<W>, from: &[W], rows: &mut [u8]) {
        let (pieces, half) = (layout.pieces(), 3 * layout.pieces() as u32);
        // Writes a whole word where there is room. The next row overwrites its end.
        for (k, index) in from.iter().enumerate() {
            let index = index.to_u64();
            let word = _pdep_u64(index, 0x0707_0707_0707_0707)
                | _pdep_u64(index >> half, 0x3838_3838_3838_3838);
            let row = &mut rows[k * pieces..];
            match row.first_chunk_mut::<8>() {
                Some(row) => *row = word.to_le_bytes(),
                None => row[..pieces].copy_from_slice(&word.to_le_bytes()[..pieces]),
            }
        }
    }
}
