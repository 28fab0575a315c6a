//! From the parts of a sub-table to its numbers.

use std::sync::Arc;

use crate::error::Error;
use crate::file::blocks::{BEHIND, Expansions, block_len, find_block, read_blocks, verify_index};
use crate::file::bytes::{Cursor, damaged};
use crate::file::head::{CodedHead, Head, HeadContent, LEAF, SINGLE};

/// How many bits of a block are looked at together: 8 KB for each sub-table, which fit the first-level cache.
const STRIDE_BITS: u32 = 12;

/// A reader of the blocks of a sub-table, which has all parts but these.
#[derive(Debug)]
pub struct Decoder {
    places: u64,
    /// How all numbers are coded, if they are not all 0.
    coded: Option<Coded>,
}

#[derive(Debug)]
struct Coded {
    head: CodedHead,
    index: Vec<u8>,
    lengths: Vec<u8>,
}

impl Decoder {
    /// How many bytes behind a block may be looked at, whatever they are.
    pub const BEHIND: usize = BEHIND;

    /// The reader of a sub-table of so many places, by its head and by bytes that begin with its index and the lengths of its
    /// blocks, which are taken off them. Every number is less than `count`. Messages call the file `name`.
    ///
    /// # Errors
    /// If they do not fit together.
    pub fn read(
        name: &str,
        head: &[u8],
        tables: &mut &[u8],
        places: u64,
        count: usize,
    ) -> Result<Decoder, Error> {
        let name: Arc<str> = name.into();
        let wrong = |what: String| damaged(&name, 0, what);
        let mut cursor = Cursor::new(&name, head);
        let Head { flags, content } = Head::read(&mut cursor, STRIDE_BITS)?;
        let used = cursor.at();
        if used != head.len() {
            let length = head.len();
            return Err(wrong(format!(
                "the head of a sub-table has {length} bytes, and should have {used}"
            )));
        }
        let coding_end = head.last();
        let head = match content {
            HeadContent::Single(0) if flags == SINGLE => {
                return Ok(Decoder {
                    places,
                    coded: None,
                });
            }
            HeadContent::Coded(head) if flags == 0 => head,
            _ => {
                return Err(wrong(format!(
                    "the flags of a sub-table are {flags}, not 0, nor 128 and a number of 0"
                )));
            }
        };
        if head.code.symbols.len() % 2 == 1 && coding_end != Some(&0) {
            return Err(wrong(
                "the byte behind an odd number of symbols is not 0".to_owned(),
            ));
        }
        let entries = places.div_ceil(1 << head.span_bits);
        let mut take = |what: &str, count: u64, each: u64| {
            let length = usize::try_from(count * each).ok();
            let taken = length.and_then(|length| tables.split_at_checked(length));
            let (taken, rest) = taken.ok_or_else(|| {
                let left = tables.len();
                wrong(format!(
                    "{what} has {count} entries, and {left} bytes are left"
                ))
            })?;
            *tables = rest;
            Ok::<Vec<u8>, Error>(taken.to_vec())
        };
        let index = take("a sparse index", entries, 6)?;
        let lengths = take("a table of lengths", head.lengths(), 2)?;
        let mut leaves = head.code.symbols.iter().filter(|symbol| symbol.1 == LEAF);
        if let Some(&(number, _)) = leaves.find(|leaf| usize::from(leaf.0) >= count) {
            return Err(wrong(format!("a leaf has number {number} of {count}")));
        }
        let sum: u64 = (0..head.blocks)
            .map(|block| block_len(&lengths, block) as u64)
            .sum();
        if lengths[2 * head.blocks as usize..]
            .iter()
            .any(|&byte| byte != 0xff)
        {
            return Err(wrong(
                "a length without a block is not the longest".to_owned(),
            ));
        }
        if sum != places {
            return Err(wrong(format!(
                "the blocks of a sub-table have {sum} numbers, and should have {places}"
            )));
        }
        verify_index(&index, &lengths, head.span_bits, places).map_err(|(_, what)| wrong(what))?;
        let coded = Some(Coded {
            head,
            index,
            lengths,
        });
        Ok(Decoder { places, coded })
    }

    /// The number of places.
    #[must_use]
    pub fn places(&self) -> u64 {
        self.places
    }

    /// The number of blocks, which is 0 if all numbers are 0.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.coded.as_ref().map_or(0, |coded| coded.head.blocks)
    }

    /// The number of bytes of a block.
    #[must_use]
    pub fn block_bytes(&self) -> usize {
        self.coded
            .as_ref()
            .map_or(0, |coded| 1 << coded.head.block_bits)
    }

    /// The bytes that the reader has in memory, roughly.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.coded.as_ref().map_or(0, |coded| {
            coded.index.len() + coded.lengths.len() + coded.head.code.memory()
        })
    }

    /// The block that has a place, and the place in it; `None` if all numbers are 0.
    ///
    /// # Panics
    /// If there is no such place.
    #[must_use]
    #[inline]
    pub fn find(&self, place: u64) -> Option<(u64, u32)> {
        assert!(place < self.places, "place {place} of {}", self.places);
        let Coded {
            head,
            index,
            lengths,
        } = self.coded.as_ref()?;
        find_block(index, lengths, head.span_bits, head.blocks, place)
    }

    /// The numbers at places, each of which has a block and the place in it, in ascending order. The blocks are all in `data`,
    /// with the bytes behind them.
    ///
    /// # Errors
    /// If a block ends before a place of it; the error has both.
    ///
    /// # Panics
    /// If there are not as many bytes, or if all numbers are 0, so that there are no blocks.
    pub fn numbers(&self, data: &[u8], places: &[(u64, u32)]) -> Result<Vec<u16>, (u64, u32)> {
        let coded = self.coded.as_ref().expect("there are blocks");
        let CodedHead {
            code, block_bits, ..
        } = &coded.head;
        let mut numbers = vec![0; places.len()];
        let mut cut = None;
        read_blocks(
            places,
            |&at| at,
            |block| (block as usize) << block_bits,
            |lane| code.step(data, 1 << block_bits, lane),
            |k, number| match number {
                Some(number) => numbers[k] = number,
                None => cut = Some(places[k]),
            },
        );
        cut.map_or(Ok(numbers), Err)
    }
}

/// Decodes whole blocks.
#[derive(Debug)]
pub struct BlockDecoder<'a> {
    coded: &'a Coded,
    expansions: Expansions,
}

impl Decoder {
    /// A decoder of whole blocks, unless all numbers are 0.
    #[must_use]
    pub fn of_blocks(&self) -> Option<BlockDecoder<'_>> {
        let coded = self.coded.as_ref()?;
        let expansions = Expansions::new(&coded.head.code);
        Some(BlockDecoder { coded, expansions })
    }
}

impl BlockDecoder<'_> {
    /// How many numbers a block has.
    ///
    /// # Panics
    /// If there is no such block.
    #[must_use]
    pub fn count(&self, block: u64) -> usize {
        block_len(&self.coded.lengths, block)
    }

    /// Writes the numbers of a block, of which these are the bytes and those behind it; `None` if the block ends before, or has
    /// more than zeros behind the last.
    ///
    /// # Panics
    /// If there are not as many bytes.
    #[must_use]
    pub fn fill(&self, block: &[u8], out: &mut [u16]) -> Option<()> {
        let head = &self.coded.head;
        let size = 1 << head.block_bits;
        let end = self.expansions.fill(&head.code, block, size, out)?;
        let rest = &block[end / 8..size];
        let is_zero = |(k, byte): (usize, &u8)| match k {
            0 => byte << (end % 8) == 0,
            _ => *byte == 0,
        };
        rest.iter().enumerate().all(is_zero).then_some(())
    }
}
