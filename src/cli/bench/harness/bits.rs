//! The rivals that extract and deposit bits, by two `pext` or `pdep` for each position. They exist on
//! x86-64 alone.

#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "two instructions: sound where the processor has them, which a backend proves"
    )
)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{_pdep_u64, _pext_u64};

use tbindex::Layout;
use tbindex::batch::{Backend, BatchWord};
#[cfg(target_arch = "x86_64")]
use tbindex::dispatch;

/// Whether a backend has the instructions, and a row fits a word.
pub(crate) fn has_bits(backend: Backend, pieces: usize) -> bool {
    backend.name() != "portable" && pieces <= 8
}

/// Writes the index of every row under the natural numbering by extracting the bits of its word
/// with `pext`, twice a position. The backend [has the instruction](has_bits).
#[cfg(target_arch = "x86_64")]
pub(crate) fn extract_encode<W: BatchWord>(
    backend: Backend,
    layout: &Layout<W>,
    rows: &[u8],
    to: &mut [W],
) {
    let (pieces, half) = (layout.pieces(), 3 * layout.pieces() as u32);
    assert!(has_bits(backend, pieces), "no such instructions");
    let used = u64::MAX >> (64 - 8 * pieces);
    let (lows, highs) = (0x0707_0707_0707_0707 & used, 0x3838_3838_3838_3838 & used);
    let index = {
        #[inline(always)]
        |word: u64| {
            // SAFETY: the backend has BMI2.
            let (low, high) = unsafe { (_pext_u64(word, lows), _pext_u64(word, highs)) };
            W::truncate((low | high << half).into())
        }
    };
    dispatch!(backend, _ => {
            // Takes whole words as long as eight bytes are left. The row's bytes are the lowest of its
            // word.
            let words = rows.windows(8).step_by(pieces);
            let whole = words.len();
            for (to, word) in to.iter_mut().zip(words) {
                if let Some(word) = word.first_chunk::<8>() {
                    *to = index(u64::from_le_bytes(*word));
                }
            }
            for (to, row) in to.iter_mut().zip(rows.chunks_exact(pieces)).skip(whole) {
                let bytes = row.iter().rev();
                *to = index(bytes.fold(0, |x, &byte| x << 8 | u64::from(byte)));
            }
    });
}

/// Writes every natural index's row by depositing its bits with `pdep`, twice a position. In all else it is
/// like [`extract_encode`].
#[cfg(target_arch = "x86_64")]
pub(crate) fn deposit_decode<W: BatchWord>(
    backend: Backend,
    layout: &Layout<W>,
    from: &[W],
    rows: &mut [u8],
) {
    let (pieces, half) = (layout.pieces(), 3 * layout.pieces() as u32);
    assert!(has_bits(backend, pieces), "no such instructions");
    let word = {
        #[inline(always)]
        |index: W| {
            let index = index.to_u64();
            // SAFETY: the backend has BMI2.
            unsafe {
                _pdep_u64(index, 0x0707_0707_0707_0707)
                    | _pdep_u64(index >> half, 0x3838_3838_3838_3838)
            }
        }
    };
    dispatch!(backend, _ => {
            // Writes a whole word where there is room. The next row overwrites its end.
            let room = rows.len().saturating_sub(8 - pieces) / pieces;
            let mut rest = rows;
            let (whole, last) = from.split_at(room.min(from.len()));
            for &from in whole {
                if let Some(row) = rest.first_chunk_mut::<8>() {
                    *row = word(from).to_le_bytes();
                }
                rest = rest.get_mut(pieces..).unwrap_or_default();
            }
            for (row, &from) in rest.chunks_exact_mut(pieces).zip(last) {
                row.copy_from_slice(&word(from).to_le_bytes()[..pieces]);
            }
    });
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn extract_encode<W: BatchWord>(_: Backend, _: &Layout<W>, _: &[u8], _: &mut [W]) {
    unreachable!("there are no such instructions");
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn deposit_decode<W: BatchWord>(_: Backend, _: &Layout<W>, _: &[W], _: &mut [u8]) {
    unreachable!("there are no such instructions");
}
