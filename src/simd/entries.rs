//! Rows of 64 entries, one for each square of the board: those of a set of squares side by side, and others in their place.

use bytemuck::Pod;

use super::{Bytes, Isa, Lanes};

/// The entries of a row.
const BOARD: usize = 64;

/// Calls a function for each run of set bits, with its first bit and the one after its last.
#[inline(always)]
fn for_each_run(mut mask: u64, mut run: impl FnMut(usize, usize)) {
    while mask != 0 {
        let start = mask.trailing_zeros() as usize;
        let end = start + (mask >> start).trailing_ones() as usize;
        run(start, end);
        mask &= u64::MAX.checked_shl(end as u32).unwrap_or(0);
    }
}

/// [`Isa::compress`] by runs of bits. Each is copied with what follows it, which the next ones overwrite: so copies have a
/// constant length.
#[inline(always)]
pub(super) fn compress<T: Pod>(row: &[T; BOARD], mask: u64, to: &mut [T]) {
    let (mut from, mut own) = ([T::zeroed(); 2 * BOARD], [T::zeroed(); 2 * BOARD]);
    from[..BOARD].copy_from_slice(row);
    let mut count = 0;
    for_each_run(mask, |start, end| {
        own[count..count + BOARD].copy_from_slice(&from[start..start + BOARD]);
        count += end - start;
    });
    copy_few(&own[..count], &mut to[..count]);
}

/// [`Isa::expand`] by runs of bits.
#[inline(always)]
pub(super) fn expand<T: Pod>(from: &[T], mask: u64, row: &mut [T; BOARD]) {
    let mut own = [T::zeroed(); 2 * BOARD];
    own[..BOARD].copy_from_slice(row);
    let mut count = 0;
    let mut last = 0;
    for_each_run(mask, |start, end| {
        own[last..start].copy_from_slice(&row[last..start]);
        let from = &from[count..];
        match from.first_chunk::<BOARD>() {
            Some(all) => own[start..start + BOARD].copy_from_slice(all),
            None => own[start..end].copy_from_slice(&from[..end - start]),
        }
        (count, last) = (count + end - start, end);
    });
    own[last..BOARD].copy_from_slice(&row[last..]);
    row.copy_from_slice(&own[..BOARD]);
}

/// Copies at most 64 entries, without a call.
#[inline(always)]
fn copy_few<T: Copy>(from: &[T], to: &mut [T]) {
    let count = from.len();
    macro_rules! by {
        ($size:literal) => {
            if count >= $size {
                let last = count - $size;
                let (head, tail): ([T; $size], [T; $size]) = (
                    from[..$size].try_into().expect("so many"),
                    from[last..].try_into().expect("so many"),
                );
                to[..$size].copy_from_slice(&head);
                to[last..].copy_from_slice(&tail);
                return;
            }
        };
    }
    by!(32);
    by!(16);
    by!(8);
    by!(4);
    for (to, &from) in to.iter_mut().zip(from) {
        *to = from;
    }
}

/// The row with the entry of another place, less than 64, in each place.
#[inline(always)]
pub(crate) fn permute<I: Isa, T: Pod>(
    isa: I,
    row: &[T; BOARD],
    places: &[u8; BOARD],
) -> [T; BOARD] {
    let mut permuted = [T::zeroed(); BOARD];
    if size_of::<T>() == 1 {
        let (table, bytes) = (
            bytemuck::cast_ref(row),
            bytemuck::cast_slice_mut(&mut permuted),
        );
        let size = 8 * <I::Bytes as Lanes<u64>>::COUNT;
        for (to, places) in bytes.chunks_exact_mut(size).zip(places.chunks_exact(size)) {
            I::Bytes::load_all(isa, places)
                .translate_bytes(isa, table)
                .store_all(to);
        }
    } else {
        for (to, &place) in permuted.iter_mut().zip(places) {
            *to = row[usize::from(place & 63)];
        }
    }
    permuted
}
