//! Encodes and decodes rows of nine pieces. Eight bytes of a row are a word, as a row of eight pieces is; the
//! ninth is loaded and stored by itself.

use super::lanes::{Bytes, Isa, Lanes, Vectors, any_byte};

/// The pieces of a row.
pub(super) const NINE: usize = 9;

/// The number of rows that are taken apart at a time.
const BLOCK: usize = 32;

/// The digits of eight pieces.
const EIGHT: u64 = 0o7777_7777;

/// Encodes rows of codes, or of squares whose codes the table has, as far as whole blocks go. Returns the
/// number of these rows and the bits that are set in any of their bytes.
#[inline(always)]
pub(super) fn encode<W: Vectors, I: Isa>(
    isa: I,
    table: Option<&[u8; 64]>,
    rows: &[u8],
    to: &mut [W],
) -> (usize, u8) {
    let shift = |bits| I::Bytes::shift(isa, bits);
    let splat = |word| I::Bytes::splat(isa, word);
    let mut all = splat(0);
    let mut done = 0;
    let blocks = rows.as_chunks::<NINE>().0.as_chunks::<BLOCK>().0;
    for (to, rows) in to.chunks_exact_mut(BLOCK).zip(blocks) {
        let (mut eights, mut ninths) = ([0; BLOCK], [0; BLOCK]);
        for ((eight, ninth), row) in eights.iter_mut().zip(&mut ninths).zip(rows) {
            let [first @ .., last] = row;
            *eight = u64::from_le_bytes(*first);
            *ninth = *last;
        }
        for at in (0..BLOCK).step_by(I::Bytes::COUNT) {
            let mut eight = I::Bytes::load(isa, &eights[at..]);
            let mut ninth = I::Bytes::load_bytes(isa, &ninths[at..]);
            all = all | eight | ninth;
            if let Some(table) = table {
                eight = eight.translate_bytes(isa, table);
                ninth = ninth.translate_bytes(isa, table);
            }
            let low = (ninth & splat(7)) << shift(24);
            let high = (ninth & splat(0o70)) << shift(48);
            let index = eight.index_of_codes(isa, 27) | low | high;
            index.store(bytemuck::cast_slice_mut(&mut to[at..]));
        }
        done += BLOCK;
    }
    (done, any_byte(isa, all))
}

/// Decodes indices into rows of codes, or of the table's entries for codes, as far as whole blocks go.
/// Returns the number of these rows. The codes' digits are exchanged if `turned`, which excludes a table.
#[inline(always)]
pub(super) fn decode<W: Vectors, I: Isa>(
    isa: I,
    table: Option<&[u8; 64]>,
    turned: bool,
    from: &[W],
    rows: &mut [u8],
) -> usize {
    let shift = |bits| I::Bytes::shift(isa, bits);
    let splat = |word| I::Bytes::splat(isa, word);
    let spread = I::Bytes::spread(isa, 8, turned);
    let mut done = 0;
    let blocks = rows.as_chunks_mut::<NINE>().0.as_chunks_mut::<BLOCK>().0;
    for (from, rows) in from.chunks_exact(BLOCK).zip(blocks) {
        let (mut eights, mut ninths) = ([0; BLOCK], [0; BLOCK]);
        for at in (0..BLOCK).step_by(I::Bytes::COUNT) {
            let index = I::Bytes::load(isa, bytemuck::cast_slice(&from[at..]));
            // The index of the first eight pieces alone.
            let first = index & splat(EIGHT) | index >> shift(3) & splat(EIGHT << 24);
            let mut eight = first.codes_of_index(isa, spread);
            let (low, high) = (index >> shift(24), index >> shift(51));
            let mut ninth = if turned {
                (low & splat(7)) << shift(3) | high & splat(7)
            } else {
                low & splat(7) | (high & splat(7)) << shift(3)
            };
            if let Some(table) = table {
                eight = eight.translate_bytes(isa, table);
                ninth = ninth.translate_bytes(isa, table);
            }
            eight.store(&mut eights[at..]);
            ninth.store_bytes(&mut ninths[at..]);
        }
        for ((eight, ninth), row) in eights.iter().zip(&ninths).zip(rows) {
            let [first @ .., last] = row;
            *first = eight.to_le_bytes();
            *last = *ninth;
        }
        done += BLOCK;
    }
    done
}
