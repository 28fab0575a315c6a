//! What a ply found in a slice, as bytes: notes of the words that are not zero, as [`sparse`] has them, and then these
//! words, little-endian. In front of all, four bytes have the length of the notes.
//!
//! [`sparse`]: crate::storage::sparse

use tbindex::bitbase::{FrontierSlice, Row};

use crate::storage::sparse::{BadNotes, Notes, note};

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
        note(into, &mut next, (slab, active, rows), |word| {
            positions += u64::from(word.count_ones());
            words.extend_from_slice(&word.to_le_bytes());
        });
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
    let mut notes = Notes::new(notes, slabs);
    loop {
        let mut rows = [Row::EMPTY; 8];
        let slab = notes.next_slab(|r, k| {
            let (first, rest) = words.split_first_chunk().ok_or(BadNotes)?;
            rows[r].0[k] = u64::from_le_bytes(*first);
            words = rest;
            Ok(())
        });
        match slab.map_err(|BadNotes| BadEntry)? {
            Some(slab) => each(slab, &rows),
            None => break,
        }
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
        let domain = Domain::try_new("KRBvKR".parse().unwrap(), &[]).unwrap();
        let mut frontier = Frontier::new(&domain).unwrap();
        let mut slice = frontier.slices_mut().next().unwrap();
        let row = |at: usize| match at % 1031 {
            3 => Row([0, 1 << (at % 64), 0, 0, 0, 0, 0, u64::MAX]),
            17 if at > 2000 => !Row::EMPTY,
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
