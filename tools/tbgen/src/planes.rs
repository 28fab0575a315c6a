//! The values of a slice, bit by bit.

use tbindex::bitbase::{FrontierSlice, Row};

/// The values of a slice in bit planes: bit b of a position's code is in plane b.
#[derive(Clone, Debug, Default)]
pub(crate) struct Planes(pub(crate) Vec<Vec<Row>>);

impl Planes {
    /// The plane of a bit, made with so many rows if it is not there.
    fn plane(&mut self, bit: usize, rows: usize) -> &mut Vec<Row> {
        while self.0.len() <= bit {
            self.0.push(vec![Row::EMPTY; rows]);
        }
        &mut self.0[bit]
    }

    /// Records a code for the positions of a frontier's slice of so many rows.
    pub(crate) fn record(&mut self, new: &FrontierSlice<'_>, rows: usize, code: u8) {
        if new.is_empty() {
            return;
        }
        for bit in (0..8).filter(|bit| code >> bit & 1 != 0) {
            new.unite_into(self.plane(bit, rows));
        }
    }

    /// Puts a word into the plane of a bit.
    pub(crate) fn put(&mut self, bit: usize, word_number: usize, rows: usize, word: u64) {
        self.plane(bit, rows)[word_number / 8].0[word_number % 8] = word;
    }

    /// Bit b of the codes of 64 positions, for each b.
    pub(crate) fn words(&self, word_number: usize) -> [u64; 8] {
        std::array::from_fn(|bit| {
            let plane = self.0.get(bit);
            plane.map_or(0, |plane| plane[word_number / 8].0[word_number % 8])
        })
    }
}
