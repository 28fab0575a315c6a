//! Decoding a whole sub-table, block by block.

use rayon::prelude::*;

use super::blocks::{self, Expansions};
use super::bytes::damaged;
use super::{Class, Coded, Content, SubTable, TableFile};
use crate::error::Error;
use crate::kind::Kind;

/// The most values of a block.
const LONGEST_BLOCK: usize = 1 << 16;

/// How many blocks a thread decodes at a time.
const BLOCKS_AT_ONCE: usize = 256;

/// A sub-table of which some is decoded.
#[derive(Debug)]
pub(crate) struct Decoding {
    expansions: Option<Expansions>,
    part: Vec<u16>,
    /// The block that is decoded next, or the place in a sub-table without blocks.
    next: u64,
}

impl TableFile {
    /// The numbers at all places of a sub-table, in order. Several threads share the work.
    ///
    /// # Errors
    /// If the data are damaged.
    pub fn decode(&self, sub_table: &SubTable) -> Result<Vec<u16>, Error> {
        let count = sub_table.numbering.len();
        let mut values = Vec::new();
        if let Content::Coded(coded) = &sub_table.content {
            // Before the memory is asked for.
            self.check_lengths(coded, count)?;
        }
        values.resize(count as usize, 0);
        self.decode_into(sub_table, &mut values)?;
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
            let words = self.decode(sub_table)?;
            let content = match words.par_iter().all(|&word| word <= 0xff) {
                true => Content::Bytes(words.par_iter().map(|&word| word as u8).collect()),
                false => Content::Words(words),
            };
            self.sub_tables[number].content = content;
        }
        Ok(())
    }

    /// Writes the numbers at all places of a sub-table, in order. Several threads share the work.
    ///
    /// # Errors
    /// If the data are damaged.
    ///
    /// # Panics
    /// If `out` has another length than the sub-table.
    pub fn decode_into(&self, sub_table: &SubTable, out: &mut [u16]) -> Result<(), Error> {
        let count = sub_table.numbering.len();
        assert_eq!(
            out.len() as u64,
            count,
            "there must be room for every place and no more"
        );
        let coded = match &sub_table.content {
            Content::Single(value) => {
                out.fill(*value);
                return Ok(());
            }
            Content::Bytes(bytes) => {
                out.iter_mut()
                    .zip(bytes)
                    .for_each(|(out, &byte)| *out = byte.into());
                return Ok(());
            }
            Content::Words(words) => {
                out.copy_from_slice(words);
                return Ok(());
            }
            Content::Coded(coded) => coded,
        };
        self.check_lengths(coded, count)?;
        let expansions = Expansions::new(&coded.code);
        let mut parts = Vec::new();
        let mut rest = out;
        for first in (0..coded.blocks).step_by(BLOCKS_AT_ONCE) {
            let last = (first + BLOCKS_AT_ONCE as u64).min(coded.blocks);
            let count = (first..last)
                .map(|block| self.block_len(coded, block))
                .sum();
            let (part, next) = rest.split_at_mut(count);
            parts.push((first..last, part));
            rest = next;
        }
        parts.into_par_iter().try_for_each(|(blocks, mut out)| {
            for block in blocks {
                let (own, rest) = out.split_at_mut(self.block_len(coded, block));
                self.decode_block(coded, &expansions, block, own)?;
                out = rest;
            }
            Ok(())
        })
    }

    /// Begins to decode a sub-table part by part.
    ///
    /// # Errors
    /// If the data are damaged.
    pub(crate) fn begin(&self, sub_table: &SubTable) -> Result<Decoding, Error> {
        let expansions = match &sub_table.content {
            Content::Coded(coded) => {
                self.check_lengths(coded, sub_table.numbering.len())?;
                Some(Expansions::new(&coded.code))
            }
            _ => None,
        };
        Ok(Decoding {
            expansions,
            part: vec![0; LONGEST_BLOCK],
            next: 0,
        })
    }

    /// The next numbers of a sub-table, at most 65536, and none after the last.
    ///
    /// # Errors
    /// If the data are damaged.
    pub(crate) fn next_part<'d>(
        &self,
        sub_table: &SubTable,
        decoding: &'d mut Decoding,
    ) -> Result<&'d [u16], Error> {
        let Decoding {
            expansions,
            part,
            next,
        } = decoding;
        if let (Content::Coded(coded), Some(expansions)) = (&sub_table.content, expansions) {
            if *next == coded.blocks {
                return Ok(&[]);
            }
            let part = &mut part[..self.block_len(coded, *next)];
            self.decode_block(coded, expansions, *next, part)?;
            *next += 1;
            return Ok(part);
        }
        let rest = sub_table.numbering.len() - *next;
        let part = &mut part[..rest.min(LONGEST_BLOCK as u64) as usize];
        for value in &mut *part {
            *value = self.value(sub_table, *next)?;
            *next += 1;
        }
        Ok(part)
    }

    fn block_len(&self, coded: &Coded, block: u64) -> usize {
        blocks::block_len(self.lengths(coded), block)
    }

    fn check_lengths(&self, coded: &Coded, places: u64) -> Result<(), Error> {
        let sum: u64 = (0..coded.blocks)
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
        let filled = expansions.fill(&coded.code, bytes, 1 << coded.block_bits, out);
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
            let most = Class::ALL
                .iter()
                .map(|&class| maps.lists[class as usize].1)
                .max();
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
        let span_bits = coded.span_bits;
        let (index, lengths) = (self.index(coded), self.lengths(coded));
        let wrong = blocks::verify_index(index, lengths, span_bits, places);
        wrong.map_err(|(entry, what)| damaged(&self.name, coded.index_at + 6 * entry, what))
    }
}
