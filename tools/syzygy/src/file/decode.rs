//! Decoding a whole sub-table, block by block.

use std::sync::atomic::{AtomicU8, Ordering};

use rayon::prelude::*;

use super::blocks::{self, Expansions};
use super::bytes::damaged;
use super::{Coded, Content, SubTable, TableFile};
use crate::error::Error;
use crate::kind::Kind;

/// The most values of a block.
const LONGEST_BLOCK: usize = 1 << 16;

/// How many blocks a thread decodes at a time.
const BLOCKS_AT_ONCE: usize = 256;

/// All numbers of a sub-table, of which batches replace those of WDL files by the true outcomes once these are known.
#[derive(Debug)]
pub(crate) enum Decoded {
    Bytes(Vec<AtomicU8>),
    Words(Vec<u16>),
}

impl Decoded {
    /// Room for all numbers.
    pub(crate) fn new(sub_table: &SubTable) -> Decoded {
        let count = sub_table.numbering().len() as usize;
        match sub_table.fits_bytes() {
            true => Decoded::Bytes(Vec::with_capacity(count)),
            false => Decoded::Words(Vec::with_capacity(count)),
        }
    }

    pub(crate) fn extend(&mut self, part: &[u16]) {
        match self {
            Decoded::Bytes(bytes) => {
                bytes.extend(part.iter().map(|&number| AtomicU8::new(number as u8)));
            }
            Decoded::Words(words) => words.extend_from_slice(part),
        }
    }

    #[inline]
    pub(crate) fn get(&self, place: usize) -> u16 {
        match self {
            Decoded::Bytes(bytes) => bytes[place].load(Ordering::Relaxed).into(),
            Decoded::Words(words) => words[place],
        }
    }

    /// Replaces a number of a WDL file.
    #[inline]
    pub(crate) fn set(&self, place: usize, number: u8) {
        if let Decoded::Bytes(bytes) = self {
            bytes[place].store(number, Ordering::Relaxed);
        }
    }
}

/// A sub-table of which some is decoded.
#[derive(Debug)]
pub(crate) struct Decoding {
    pub(crate) decoded: Decoded,
    /// If there are blocks.
    expansions: Option<Expansions>,
    block: Vec<u16>,
    next: u64,
}

impl TableFile {
    /// The numbers at all places of a sub-table, in order. Several threads share the work.
    ///
    /// # Errors
    /// If the data are damaged.
    pub fn decode(&self, sub_table: &SubTable) -> Result<Vec<u16>, Error> {
        let count = sub_table.numbering.len();
        let coded = match &sub_table.content {
            Content::Single(value) => return Ok(vec![*value; count as usize]),
            Content::Decoded(all) => {
                return Ok((0..count as usize).map(|place| all.get(place)).collect());
            }
            Content::Coded(coded) => coded,
        };
        // Before the memory is asked for.
        self.check_lengths(coded, count)?;
        let mut values = vec![0; count as usize];
        let expansions = Expansions::new(&coded.head.code);
        let mut blocks = Vec::new();
        let mut rest = &mut values[..];
        for block in 0..coded.head.blocks {
            let (own, next) = rest.split_at_mut(self.block_len(coded, block));
            blocks.push((block, own));
            rest = next;
        }
        let blocks = blocks.into_par_iter().with_min_len(BLOCKS_AT_ONCE);
        blocks.try_for_each(|(block, own)| self.decode_block(coded, &expansions, block, own))?;
        Ok(values)
    }

    /// Decodes all sub-tables, so that [`TableFile::value`] needn't decode a block for each number. This pays where
    /// most numbers are asked for. It takes a byte for each place, or two where a number is above 255: up to 230 MB for
    /// a WDL file of five pieces. While a sub-table is decoded it takes two bytes more for each of its places.
    ///
    /// Several threads share the work. [`TableFile::verify`] does not check unpacked values.
    ///
    /// # Errors
    /// If the data are damaged.
    pub fn unpack(&mut self) -> Result<(), Error> {
        for number in 0..self.sub_tables.len() {
            let sub_table = &self.sub_tables[number];
            if !matches!(sub_table.content, Content::Coded(_)) {
                continue;
            }
            let mut decoded = Decoded::new(sub_table);
            decoded.extend(&self.decode(sub_table)?);
            self.sub_tables[number].content = Content::Decoded(decoded);
        }
        Ok(())
    }

    /// Begins to decode a sub-table part by part.
    ///
    /// # Errors
    /// If the data are damaged.
    pub(crate) fn begin(&self, sub_table: &SubTable) -> Result<Decoding, Error> {
        let expansions = match &sub_table.content {
            Content::Coded(coded) => {
                self.check_lengths(coded, sub_table.numbering.len())?;
                Some(Expansions::new(&coded.head.code))
            }
            _ => None,
        };
        Ok(Decoding {
            decoded: Decoded::new(sub_table),
            expansions,
            block: vec![0; LONGEST_BLOCK],
            next: 0,
        })
    }

    /// Goes on decoding a sub-table by so many numbers, or to its end; returns whether that is reached.
    ///
    /// # Errors
    /// If the data are damaged.
    pub(crate) fn go_on(
        &self,
        sub_table: &SubTable,
        decoding: &mut Decoding,
        count: u64,
    ) -> Result<bool, Error> {
        let (Content::Coded(coded), Some(expansions)) = (&sub_table.content, &decoding.expansions)
        else {
            decoding.decoded.extend(&self.decode(sub_table)?);
            return Ok(true);
        };
        let mut left = count;
        while left > 0 && decoding.next < coded.head.blocks {
            let block = &mut decoding.block[..self.block_len(coded, decoding.next)];
            self.decode_block(coded, expansions, decoding.next, block)?;
            decoding.decoded.extend(block);
            decoding.next += 1;
            left = left.saturating_sub(block.len() as u64);
        }
        Ok(decoding.next == coded.head.blocks)
    }

    fn block_len(&self, coded: &Coded, block: u64) -> usize {
        blocks::block_len(self.lengths(coded), block)
    }

    fn check_lengths(&self, coded: &Coded, places: u64) -> Result<(), Error> {
        let sum: u64 = (0..coded.head.blocks)
            .map(|block| self.block_len(coded, block) as u64)
            .sum();
        if sum == places {
            return Ok(());
        }
        let what = format!("the blocks have {sum} values, and should have {places}");
        Err(damaged(&self.name, coded.lengths_at, what))
    }

    fn decode_block(
        &self,
        coded: &Coded,
        expansions: &Expansions,
        block: u64,
        out: &mut [u16],
    ) -> Result<(), Error> {
        let start = coded.start(block);
        let (bytes, count) = (&self.bytes[start..], out.len());
        let filled = expansions.fill(&coded.head.code, bytes, 1 << coded.head.block_bits, out);
        filled.map(|_| ()).ok_or_else(|| {
            let what = format!("block {block} ends before its {count} values");
            damaged(&self.name, start, what)
        })
    }

    /// Checks that every block can be decoded, that the index leads where it should, and that every number is an entry
    /// of the maps, if there are any.
    pub(super) fn verify_sub_table(&self, sub_table: &SubTable) -> Result<(), Error> {
        let Content::Coded(coded) = &sub_table.content else {
            return Ok(());
        };
        let values = self.decode(sub_table)?;
        if self.kind == Kind::Dtz
            && let Some(maps) = &sub_table.maps
        {
            let most = maps.lists.map(|(_, count)| count).into_iter().max();
            let most = most.unwrap_or(0);
            if let Some(place) = values.par_iter().position_first(|&value| value >= most) {
                let what = format!(
                    "place {place} has entry {} of maps of {most} entries",
                    values[place]
                );
                return Err(damaged(&self.name, coded.data_at, what));
            }
        }
        self.verify_index(coded, sub_table.numbering.len())
    }

    fn verify_index(&self, coded: &Coded, places: u64) -> Result<(), Error> {
        let span_bits = coded.head.span_bits;
        let (index, lengths) = (self.index(coded), self.lengths(coded));
        let wrong = blocks::verify_index(index, lengths, span_bits, places);
        wrong.map_err(|(entry, what)| damaged(&self.name, coded.index_at + 6 * entry, what))
    }
}
