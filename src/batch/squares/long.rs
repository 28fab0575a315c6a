//! Encodes rows of nine pieces, and decodes rows of nine and ten. Eight bytes of a row are a word, as a row of eight
//! pieces is; the others are loaded by themselves, and stored from the low bytes of another word.

use crate::simd::{Bytes, Isa, Lanes, Vectors, any_byte};

/// The pieces of a row that is a word of bytes and one more.
pub(super) const NINE: usize = 9;

/// The pieces of rows that are longer than a word of bytes.
pub(super) const LONG: std::ops::RangeInclusive<usize> = 9..=10;

/// The number of rows that are taken apart at a time.
const BLOCK: usize = 32;

/// Encodes rows of nine codes, or of squares whose codes the table has, as far as whole blocks go. Returns the
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

/// Decodes indices into rows of nine or ten codes, or of the table's entries for codes, as far as whole vectors
/// go and there is room after the rows. Returns the number of these rows. The codes' digits are exchanged if
/// `turned`, which excludes a table.
#[inline(always)]
pub(super) fn decode<W: Vectors, I: Isa>(
    isa: I,
    pieces: usize,
    table: Option<&[u8; 64]>,
    turned: bool,
    from: &[W],
    rows: &mut [u8],
) -> usize {
    let count = I::Bytes::COUNT;
    let spread = I::Bytes::spread(isa, pieces, turned);
    let long = I::Bytes::long(isa, pieces);
    let shift = |bits| I::Bytes::shift(isa, bits);
    // The digits of the pieces after the eighth: two at most of each kind, of which the second kind goes above.
    let half = 3 * pieces as u32;
    let (first, second) = if turned {
        (half + 24, 8)
    } else {
        (24, half + 8)
    };
    let field = I::Bytes::splat(isa, 0o77);
    let digits = I::Bytes::splat(isa, 0x0707_0707);
    let mut done = 0;
    for from in from.chunks_exact(count) {
        let rest = rows.get_mut(done * pieces..);
        let room = (count - 1) * pieces + 16;
        let Some(rows) = rest.and_then(|rest| rest.get_mut(..room)) else {
            break;
        };
        let index = I::Bytes::load(isa, bytemuck::cast_slice(from));
        let mut eight = index.codes_of_index(isa, spread);
        let fields = index >> shift(first) & field | index >> shift(second) & field << shift(16);
        let apart = (fields | fields << shift(5)) & digits;
        let mut rest = apart | apart >> shift(13);
        if let Some(table) = table {
            eight = eight.translate_bytes(isa, table);
            rest = rest.translate_bytes(isa, table);
        }
        eight.store_long(rest, long, rows);
        done += count;
    }
    done
}
