//! What a ply found in a slice, as bytes.
//!
//! For each slab that has positions there are its number, less that of the one before, in a varint of seven bits a
//! byte, the lowest first; a byte with a bit for each of its eight rows; and for each row with positions a byte with
//! a bit for each of its eight words. These come first; then come the words that are not zero, little-endian. In front
//! of all, four bytes have the length of the first.

use tbindex::bitbase::{FrontierSlice, Row};

/// What is wrong with an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is not what a ply found in a slice")]
pub(crate) struct BadEntry;

/// Makes the entry of a frontier's slice, empty if it has no position, and returns the number of positions.
pub(crate) fn encode(slice: &FrontierSlice<'_>, into: &mut Vec<u8>) -> u64 {
    into.clear();
    if slice.is_empty() {
        return 0;
    }
    let mut positions = 0;
    let mut words: Vec<u8> = Vec::new();
    into.extend_from_slice(&[0; 4]);
    let mut next = 0;
    slice.for_each_slab(|slab, active, rows| {
        let mut ahead = slab - next;
        next = slab + 1;
        while ahead > 0x7f {
            into.push(0x80 | (ahead & 0x7f) as u8);
            ahead >>= 7;
        }
        into.extend_from_slice(&[ahead as u8, active]);
        for (r, row) in rows.iter().enumerate() {
            if active >> r & 1 == 0 {
                continue;
            }
            let mut mask = 0u8;
            for (k, word) in row.0.iter().enumerate() {
                if *word != 0 {
                    mask |= 1 << k;
                    positions += u64::from(word.count_ones());
                    words.extend_from_slice(&word.to_le_bytes());
                }
            }
            into.push(mask);
        }
    });
    let length = (into.len() - 4) as u32;
    into[..4].copy_from_slice(&length.to_le_bytes());
    into.extend_from_slice(&words);
    positions
}

/// Hands over the slabs of an entry, of a slice of so many slabs, in order.
pub(crate) fn decode(
    entry: &[u8],
    slabs: usize,
    mut each: impl FnMut(usize, &[Row; 8]),
) -> Result<(), BadEntry> {
    let (length, rest) = entry.split_first_chunk().ok_or(BadEntry)?;
    let length = u32::from_le_bytes(*length) as usize;
    let (notes, mut words) = rest.split_at_checked(length).ok_or(BadEntry)?;
    let mut notes = notes.iter().copied();
    let mut next = 0;
    while let Some(first) = notes.next() {
        let mut ahead = usize::from(first & 0x7f);
        let (mut shift, mut byte) = (7, first);
        while byte & 0x80 != 0 {
            byte = notes.next().filter(|_| shift < 56).ok_or(BadEntry)?;
            ahead |= usize::from(byte & 0x7f) << shift;
            shift += 7;
        }
        let slab = next + ahead;
        if slab >= slabs {
            return Err(BadEntry);
        }
        next = slab + 1;
        let active = notes.next().ok_or(BadEntry)?;
        let mut rows = [Row::EMPTY; 8];
        for (r, row) in rows.iter_mut().enumerate() {
            if active >> r & 1 == 0 {
                continue;
            }
            let mask = notes.next().ok_or(BadEntry)?;
            for (k, word) in row.0.iter_mut().enumerate() {
                if mask >> k & 1 != 0 {
                    let (first, rest) = words.split_first_chunk().ok_or(BadEntry)?;
                    *word = u64::from_le_bytes(*first);
                    words = rest;
                }
            }
        }
        each(slab, &rows);
    }
    if words.is_empty() {
        Ok(())
    } else {
        Err(BadEntry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tbindex::bitbase::{Domain, Frontier};

    #[test]
    fn entries_come_back() {
        let domain = Domain::try_new("KRBvKR".parse().unwrap()).unwrap();
        let mut frontier = Frontier::new(&domain).unwrap();
        let mut slice = frontier.slices_mut().next().unwrap();
        let row = |at: usize| match at % 1031 {
            3 => Row([0, 1 << (at % 64), 0, 0, 0, 0, 0, u64::MAX]),
            17 if at > 2000 => Row::FULL,
            _ => Row::EMPTY,
        };
        slice.fill(row);
        let mut entry = Vec::new();
        encode(&slice, &mut entry);
        let mut back = vec![Row::EMPTY; domain.rows()];
        decode(&entry, domain.slabs(), |slab, rows| {
            back[slab * 8..slab * 8 + 8].copy_from_slice(rows);
        })
        .unwrap();
        assert!((0..domain.rows()).all(|at| back[at] == row(at)));
        for end in 0..entry.len() {
            // Without its end it is no entry, unless nothing but whole slabs without words are missing.
            assert_eq!(
                decode(&entry[..end], domain.slabs(), |_, _| ()),
                Err(BadEntry)
            );
        }
        slice.clear();
        encode(&slice, &mut entry);
        assert!(entry.is_empty());
    }
}
