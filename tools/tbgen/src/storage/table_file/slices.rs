//! Reads slices of a table file into planes: each when it is wanted, or all at once.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;
use tbindex::batch::Backend;
use tbindex::bitbase::{self, Row};
use tbindex::{Bitboard, Color};

use super::{FileError, TableFile, heed_stop};
use crate::table::planes::{PlaneSource, Planes};
use crate::table::slab::Slab;
use crate::table::slices::illegal_in;
use crate::table::slots::{Slot, in_order};
use crate::table::solved::{Part, Side, Table};
use crate::table::temp_file::TempFile;
use crate::table::transpose::{transpose_words, words_of};

/// A side of a part of a table in a file.
#[derive(Debug)]
struct OfFile {
    file: Arc<TableFile>,
    side: Color,
    part: usize,
}

impl PlaneSource for OfFile {
    fn planes(&self, slice: usize) -> io::Result<Planes> {
        let planes = self.file.slice(self.side, self.part, slice);
        planes.map_err(io::Error::other)
    }

    fn code(&self, slice: usize, offset: u64) -> Option<io::Result<u16>> {
        let at = bitbase::Slot { slice, offset };
        let (side, part) = (self.side, self.part);
        let code = self.file.code_at(Slot { side, part, at });
        let own = code.and_then(|code| self.file.own_code(side, code));
        Some(own.map_err(io::Error::other))
    }
}

impl TableFile {
    /// Decodes and checks the whole table, on the threads of the current rayon pool, and puts it aside at once as [`Table::pack`]
    /// does. So a large one never is in memory as a whole.
    ///
    /// # Errors
    /// If the file is damaged, if the temporary file can't be written, or if `stop` is set.
    pub fn load(
        &self,
        temp_file: Option<&Arc<TempFile>>,
        stop: &AtomicBool,
    ) -> Result<Table, FileError> {
        let shape = &self.header.shape;
        let (rows, packed) = (shape.any_domain().rows(), shape.is_put_aside());
        let temp_file = temp_file.filter(|_| shape.is_worth_packing());
        self.table(|side, part, slice| {
            tbindex::fail_point!("tbgen::slice_to_load");
            heed_stop(Some(stop))?;
            let mut planes = self.slice(side, part, slice)?;
            if packed {
                let action = "put what was read from the file aside";
                let io = FileError::io(&self.path, action);
                planes.pack(rows, temp_file).map_err(io)?;
            }
            Ok(planes)
        })
    }

    /// The table, whose slices are read, decoded and checked each time they are wanted. So it takes no memory to speak
    /// of, and damage is found later.
    #[must_use]
    pub fn as_it_is(self) -> Table {
        let file = Arc::new(self);
        let table = file.table(|side, part, slice| {
            let file = Arc::clone(&file);
            let origin = Arc::new(OfFile { file, side, part });
            Ok::<_, Infallible>(Planes::elsewhere(origin, slice))
        });
        let Ok(table) = table;
        table
    }

    /// The table with the planes of each slice of each part and side, on the threads of the current rayon pool.
    fn table<E: Send>(
        &self,
        planes: impl Fn(Color, usize, usize) -> Result<Planes, E> + Sync,
    ) -> Result<Table, E> {
        let shape = self.header.shape.clone();
        let slices = shape.any_domain().slices();
        let side_of = |part: usize, side: Color| {
            let slices = (0..slices).into_par_iter();
            let slices = slices.map(|slice| planes(side, part, slice));
            Ok(Side {
                values: Arc::clone(&self.values[side as usize]),
                slices: slices.collect::<Result<_, E>>()?,
            })
        };
        let parts = (0..shape.parts()).into_par_iter().map(|part| {
            let [white, black] = Color::ALL;
            Ok(Part {
                domain: shape.domain(part),
                sides: [side_of(part, white)?, side_of(part, black)?],
            })
        });
        Ok(Table {
            metric: self.header.metric,
            parts: parts.collect::<Result<_, E>>()?,
            shape,
        })
    }

    /// The planes of a slice, decoded and checked. The blocks of a page are in memory at a time.
    fn slice(&self, side: Color, part: usize, slice: usize) -> Result<Planes, FileError> {
        let domain = self.header.shape.domain(part);
        let men = domain.men();
        let illegal = illegal_in(&domain, slice, side, Backend::detect());
        let mut planes = Planes::default();
        let at = bitbase::Slot { slice, offset: 0 };
        let first = self.block_of(Slot { side, part, at });
        let bits = match self.values[side as usize].len() {
            ..=256 => 8,
            _ => 16,
        };
        // By bits of codes, the words of a slab.
        let mut rows: [Slab; 16] = [[Row::EMPTY; 8]; 16];
        self.blocks(first..first + domain.slabs(), |number, block| {
            let bytes = self.own_codes(side, &block)?;
            let mut bytes = bytes.each_ref().map(Vec::as_slice);
            let here: &mut [[u64; 64]] = bytemuck::cast_slice_mut(&mut rows[..bits]);
            let words = self.words(number);
            for (at, word) in words.clone().enumerate() {
                let kept = self.kept.word(word);
                for (bytes, here) in bytes.iter_mut().zip(here.chunks_mut(8)) {
                    // The squares that are kept come last.
                    let (these, rest) = bytes.split_at(kept.count_ones() as usize);
                    *bytes = rest;
                    let mut codes = [0; 64];
                    codes[64 - these.len()..].copy_from_slice(these);
                    for (here, word) in here.iter_mut().zip(words_of(&codes)) {
                        here[at] = word;
                    }
                }
            }
            if self.kept.last_two_alike() {
                for here in &mut *here {
                    let mut others = *here;
                    transpose_words(&mut others);
                    for (here, others) in here.iter_mut().zip(others) {
                        *here |= others;
                    }
                }
            }
            let slab = number - first;
            let illegal_here: &Slab = illegal[slab * 8..].first_chunk().expect("a slab");
            let illegal_words: &[u64; 64] = bytemuck::cast_ref(illegal_here);
            for (at, word) in words.enumerate() {
                let (kept, legal) = (self.kept.word(word), !illegal_words[at]);
                // A slot that is not kept is like a slot before, of a slab that is there by now.
                if kept == 0 {
                    let like = planes.words(in_order(&men[..men.len() - 1], word as u64) as usize);
                    for (here, like) in here.iter_mut().zip(like) {
                        here[at] = like;
                    }
                    continue;
                }
                for square in Bitboard(legal & self.kept.like_in_slabs_before(word)) {
                    let like = in_order(men, (word << 6 | square.index()) as u64);
                    for (bit, here) in here.iter_mut().enumerate() {
                        let like = planes.word(bit, (like >> 6) as usize) >> (like & 63);
                        here[at] |= (like & 1) << square.index();
                    }
                }
            }
            for (bit, rows) in rows[..bits].iter_mut().enumerate() {
                for (row, &illegal) in rows.iter_mut().zip(illegal_here) {
                    *row &= !illegal;
                }
                planes.put_slab(bit, slab, domain.rows(), rows);
            }
            Ok(())
        })?;
        Ok(planes)
    }
}
