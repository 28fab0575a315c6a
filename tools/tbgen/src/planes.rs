//! The values of a slice, bit by bit.

use std::borrow::Cow;

use tbindex::bitbase::{FrontierSlice, Row};

/// The number of rows that are kept together: those of a slice of three men.
const CHUNK: usize = 512;

/// The rows of a slab.
pub(crate) type Slab = [Row; 8];

/// The positions of a slab with a code, for each code but 0, from the planes of the bits of their codes.
pub(crate) fn for_each_code(planes: &[Slab], each: &mut impl FnMut(u8, &Slab)) {
    fn split(planes: &[Slab], these: &Slab, code: u8, each: &mut impl FnMut(u8, &Slab)) {
        if these.iter().all(Row::is_empty) {
            return;
        }
        match planes.split_last() {
            None if code > 0 => each(code, these),
            None => {}
            Some((plane, rest)) => {
                let with = std::array::from_fn(|r| these[r] & plane[r]);
                split(rest, &with, code | 1 << rest.len(), each);
                let without = std::array::from_fn(|r| these[r] & !plane[r]);
                split(rest, &without, code, each);
            }
        }
    }
    split(planes, &[Row::FULL; 8], 0, each);
}

/// The values of a slice in bit planes: bit b of a position's code is in plane b.
#[derive(Clone, Debug, Default)]
pub(crate) struct Planes {
    /// By bits. All planes have the same chunks of rows, of which empty ones may be left out.
    planes: Vec<Vec<Vec<Row>>>,
    /// The same compressed; then there is nothing in `planes`.
    packed: Option<Packed>,
}

/// Planes compressed one by one.
#[derive(Clone, Debug)]
struct Packed {
    rows: usize,
    planes: Vec<Vec<u8>>,
}

impl Planes {
    /// The rows of a chunk of the plane of a bit, made if they are not there.
    fn chunk(&mut self, bit: usize, chunk: usize, rows: usize) -> &mut [Row] {
        while self.planes.len() <= bit {
            self.planes.push(vec![Vec::new(); rows.div_ceil(CHUNK)]);
        }
        let made = &mut self.planes[bit][chunk];
        if made.is_empty() {
            *made = vec![Row::EMPTY; rows.min(CHUNK)];
        }
        made
    }

    /// Records a code for the positions of a frontier's slice of so many rows.
    pub(crate) fn record(&mut self, new: &FrontierSlice<'_>, rows: usize, code: u8) {
        if new.is_empty() {
            return;
        }
        let bits = (0..8).filter(|bit| code >> bit & 1 != 0);
        if rows <= CHUNK {
            for bit in bits {
                new.unite_into(self.chunk(bit, 0, rows));
            }
            return;
        }
        for bit in bits {
            for (at, row) in new.rows() {
                self.chunk(bit, at / CHUNK, rows)[at % CHUNK] |= *row;
            }
        }
    }

    /// The rows of a slab in each plane.
    pub(crate) fn slab(&self, slab: usize) -> Vec<Slab> {
        let row = |bit: usize, r: usize| self.row(bit, slab * 8 + r);
        (0..self.planes.len())
            .map(|bit| std::array::from_fn(|r| row(bit, r)))
            .collect()
    }

    /// The positions of a slab whose code is one of `codes`.
    pub(crate) fn slab_with(&self, slab: usize, codes: &[bool]) -> Slab {
        let planes = self.slab(slab);
        std::array::from_fn(|r| {
            let at: Vec<Row> = planes.iter().map(|plane| plane[r]).collect();
            rows_with(&at, Row::FULL, codes)
        })
    }

    /// Gives the positions of a frontier's slice of so many rows a code, in place of what they had.
    pub(crate) fn replace_all(&mut self, new: &FrontierSlice<'_>, rows: usize, code: u8) {
        let mut slab = (usize::MAX, [Row::EMPTY; 8]);
        for (at, row) in new.rows() {
            if at / 8 != slab.0 {
                if slab.0 != usize::MAX {
                    self.replace(slab.0, &slab.1, rows, code);
                }
                slab = (at / 8, [Row::EMPTY; 8]);
            }
            slab.1[at % 8] = *row;
        }
        if slab.0 != usize::MAX {
            self.replace(slab.0, &slab.1, rows, code);
        }
    }

    /// Gives positions of a slab of a slice of so many rows this code, in place of what they had.
    pub(crate) fn replace(&mut self, slab: usize, these: &Slab, rows: usize, code: u8) {
        let at = slab * 8;
        for bit in 0..self.planes.len().max(8 - code.leading_zeros() as usize) {
            let set = code >> bit & 1 != 0;
            let there = (self.planes.get(bit)).is_some_and(|plane| !plane[at / CHUNK].is_empty());
            if !set && !there {
                continue;
            }
            let chunk = &mut self.chunk(bit, at / CHUNK, rows)[at % CHUNK..][..8];
            for (mine, these) in chunk.iter_mut().zip(these) {
                *mine = if set { *mine | *these } else { *mine & !*these };
            }
        }
    }

    /// Puts a word into the plane of a bit of a slice of so many rows.
    pub(crate) fn put(&mut self, bit: usize, word_number: usize, rows: usize, word: u64) {
        let row = word_number / 8;
        self.chunk(bit, row / CHUNK, rows)[row % CHUNK].0[word_number % 8] = word;
    }

    /// The number of planes, of planes that are not packed.
    pub(crate) fn count(&self) -> usize {
        self.planes.len()
    }

    /// A row of the plane of a bit.
    pub(crate) fn row(&self, bit: usize, row: usize) -> Row {
        let rows = self.planes.get(bit).map(|plane| &plane[row / CHUNK]);
        rows.and_then(|rows| rows.get(row % CHUNK))
            .map_or(Row::EMPTY, |row| *row)
    }

    /// Bit b of the codes of 64 positions, for each b.
    pub(crate) fn words(&self, word_number: usize) -> [u64; 8] {
        std::array::from_fn(|bit| self.row(bit, word_number / 8).0[word_number % 8])
    }

    /// Compresses the planes of a slice of so many rows.
    pub(crate) fn pack(&mut self, rows: usize) {
        if self.packed.is_some() {
            return;
        }
        let mut buffer = vec![0; lz4_flex::block::get_maximum_output_size(rows * 64)];
        let planes = std::mem::take(&mut self.planes);
        let pack = |plane: Vec<Vec<Row>>| {
            let mut words: Vec<u8> = Vec::with_capacity(rows * 64);
            for chunk in plane {
                if chunk.is_empty() {
                    words.resize(words.len() + 64 * rows.min(CHUNK), 0);
                }
                let chunk = chunk.iter().flat_map(|row| row.0);
                words.extend(chunk.flat_map(u64::to_ne_bytes));
            }
            let length = lz4_flex::block::compress_into(&words, &mut buffer);
            buffer[..length.expect("room for all")].to_vec()
        };
        self.packed = Some(Packed {
            rows,
            planes: planes.into_iter().map(pack).collect(),
        });
    }

    /// The planes, decompressed if they were packed.
    pub(crate) fn open(&self) -> Cow<'_, Planes> {
        let Some(Packed { rows, planes }) = &self.packed else {
            return Cow::Borrowed(self);
        };
        let open = |plane: &Vec<u8>| -> Vec<Vec<Row>> {
            let words = lz4_flex::block::decompress(plane, rows * 64).expect("packed here");
            let word = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().expect("eight bytes"));
            let row = |bytes: &[u8]| Row(std::array::from_fn(|k| word(&bytes[8 * k..8 * k + 8])));
            let rows: Vec<Row> = words.chunks_exact(64).map(row).collect();
            rows.chunks(CHUNK).map(<[Row]>::to_vec).collect()
        };
        Cow::Owned(Planes {
            planes: planes.iter().map(open).collect(),
            packed: None,
        })
    }
}

/// The positions among `these` whose code is one of `codes`, from the planes of the lowest bits of their codes.
pub(crate) fn rows_with(planes: &[Row], these: Row, codes: &[bool]) -> Row {
    // The codes from here on are those with no bit set above the planes' and those of the bits before.
    let Some((plane, rest)) = planes.split_last() else {
        return if codes.first() == Some(&true) {
            these
        } else {
            Row::EMPTY
        };
    };
    if these.is_empty() || !codes.contains(&true) {
        return Row::EMPTY;
    }
    let half = codes.len().min(1 << rest.len());
    let (low, high) = codes.split_at(half);
    if half == 1 << rest.len() && !codes.contains(&false) && codes.len() == 1 << planes.len() {
        return these;
    }
    rows_with(rest, these & !*plane, low) | rows_with(rest, these & *plane, high)
}
