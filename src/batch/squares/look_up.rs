//! Rows by one table look-up for each piece. Layouts that vectors do not help use this code, and no backend
//! may be slower than it.

use crate::batch::codes::{TO_ALTERNATE, TO_NATURAL};
use crate::index::{Layout, Numbering};
use crate::simd::Vectors;

/// Calls the function that is compiled for this number of pieces and so has no loop over them.
macro_rules! for_pieces {
    ($pieces:expr, $function:ident($($argument:expr),*)) => {
        match $pieces {
            0 => {}
            1 => $function::<W, 1>($($argument),*),
            2 => $function::<W, 2>($($argument),*),
            3 => $function::<W, 3>($($argument),*),
            4 => $function::<W, 4>($($argument),*),
            5 => $function::<W, 5>($($argument),*),
            6 => $function::<W, 6>($($argument),*),
            7 => $function::<W, 7>($($argument),*),
            8 => $function::<W, 8>($($argument),*),
            9 => $function::<W, 9>($($argument),*),
            _ => $function::<W, 10>($($argument),*),
        }
    };
}

/// Encodes rows of squares and returns 63, or a greater number if some byte is not a square.
pub(super) fn encode<W: Vectors>(layout: &Layout<W>, rows: &[u8], to: &mut [W]) -> u8 {
    // The entry of a byte that is not a square sets the highest bit of an index for every piece.
    let mut table = [!W::ZERO; 256];
    for (code, entry) in (0..64).zip(&mut table) {
        let code = match layout.numbering() {
            Numbering::Natural => code,
            Numbering::Alternate => TO_ALTERNATE.codes[usize::from(code)],
        };
        *entry = layout.place(code, 0);
    }
    let mut all = W::ZERO;
    for_pieces!(layout.pieces(), encode_rows(&table, rows, to, &mut all));
    let valid = all >> (W::BITS - 1) == W::ZERO;
    if valid { 63 } else { u8::MAX }
}

#[inline(never)]
fn encode_rows<W: Vectors, const N: usize>(
    table: &[W; 256],
    rows: &[u8],
    to: &mut [W],
    all: &mut W,
) {
    let mut any = W::ZERO;
    for (to, row) in to.iter_mut().zip(rows.as_chunks::<N>().0) {
        let mut index = W::ZERO;
        for (k, &square) in row.iter().enumerate() {
            index |= table[usize::from(square)] << (3 * k) as u32;
        }
        any |= index;
        *to = index;
    }
    *all = any;
}

/// Decodes indices into rows of squares.
pub(super) fn decode<W: Vectors>(layout: &Layout<W>, from: &[W], rows: &mut [u8]) {
    let table = match layout.numbering() {
        Numbering::Natural => std::array::from_fn(|code| code as u8),
        Numbering::Alternate => TO_NATURAL.codes,
    };
    for_pieces!(layout.pieces(), decode_rows(&table, from, rows));
}

#[inline(never)]
fn decode_rows<W: Vectors, const N: usize>(table: &[u8; 64], from: &[W], rows: &mut [u8]) {
    for (row, &index) in rows.as_chunks_mut::<N>().0.iter_mut().zip(from) {
        for (k, square) in row.iter_mut().enumerate() {
            let low = (index >> (3 * k) as u32).low_byte() & 7;
            let high = (index >> (3 * (N + k)) as u32).low_byte() & 7;
            *square = table[usize::from(high << 3 | low)];
        }
    }
}
