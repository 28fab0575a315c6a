//! One table file: opening, looking up and decoding it.

pub(crate) mod blocks;
pub(crate) mod bytes;
mod decode;
pub(crate) mod head;
mod many;
mod parse;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use bytes::{Bytes, MappedFile, damaged, le_u16};
use cozy_chess::Color;
pub(crate) use decode::{Decoded, Decoding};
use head::{CodedHead, LOSSES_EXACT, WINS_EXACT};

use crate::checksum::checksum;
use crate::error::Error;
use crate::kind::Kind;
use crate::material::Material;
use crate::numbering::Numbering;
use crate::value::Wdl;

/// How a sub-table is coded, and where its parts are in the file.
#[derive(Debug)]
pub(crate) struct Coded {
    pub(crate) head: CodedHead,
    pub(crate) index_at: usize,
    pub(crate) lengths_at: usize,
    pub(crate) data_at: usize,
}

impl Coded {
    /// The first byte of a block.
    #[inline]
    pub(crate) fn start(&self, block: u64) -> usize {
        self.data_at + ((block as usize) << self.head.block_bits)
    }
}

#[derive(Debug)]
pub(crate) enum Content {
    Single(u16),
    Coded(Coded),
    Decoded(Decoded),
}

/// The lists of a mapped sub-table: where each begins and how many entries it has. In the order win, loss,
/// cursed win, blessed loss.
#[derive(Debug)]
pub(crate) struct Maps {
    pub(crate) wide: bool,
    pub(crate) lists: [(usize, u16); 4],
}

/// The values of one side to move, and with pawns of one file of the leading pawn.
#[derive(Debug)]
pub struct SubTable {
    pub(crate) numbering: Numbering,
    pub(crate) side: Color,
    pub(crate) flags: u8,
    pub(crate) maps: Option<Maps>,
    pub(crate) content: Content,
}

impl SubTable {
    /// The order of the values.
    #[must_use]
    pub fn numbering(&self) -> &Numbering {
        &self.numbering
    }

    /// The side to move.
    #[must_use]
    pub fn side(&self) -> Color {
        self.side
    }

    /// Whether distances of positions with this outcome are exact. Cursed ones never are.
    #[must_use]
    pub fn is_exact(&self, outcome: Wdl) -> bool {
        match outcome {
            Wdl::Win => self.flags & WINS_EXACT != 0,
            Wdl::Loss => self.flags & LOSSES_EXACT != 0,
            Wdl::Draw => true,
            Wdl::CursedWin | Wdl::BlessedLoss => false,
        }
    }

    /// Whether all positions have one value.
    #[must_use]
    pub fn is_single_valued(&self) -> bool {
        matches!(self.content, Content::Single(_))
    }

    /// About how many numbers could be decoded in the time that it takes to look up so many, in ascending order.
    pub(crate) fn cost(&self, wanted: u64) -> u64 {
        let Content::Coded(coded) = &self.content else {
            return wanted;
        };
        // Each takes a step or two that can't be foreseen, and blocks are read to the last place that is wanted.
        let blocks = wanted.div_ceil(2).min(coded.head.blocks);
        wanted
            .saturating_mul(80)
            .saturating_add(blocks << (coded.head.block_bits + 2))
    }

    /// Whether every number fits a byte.
    pub(crate) fn fits_bytes(&self) -> bool {
        match &self.content {
            Content::Single(value) => *value <= 0xff,
            Content::Coded(coded) => coded.head.code.fits_bytes(),
            Content::Decoded(all) => matches!(all, Decoded::Bytes(_)),
        }
    }
}

/// The material and the kind of a file, by its name.
pub(crate) fn named(path: &Path) -> Option<(Material, Kind)> {
    let kind = match path.extension()?.to_str()? {
        "rtbw" => Kind::Wdl,
        "rtbz" => Kind::Dtz,
        _ => return None,
    };
    let material = path.file_stem()?.to_str()?.parse();
    Some((material.ok()?, kind))
}

/// An open table file. It is read in place, by any number of threads.
pub struct TableFile {
    name: Arc<str>,
    bytes: Bytes,
    kind: Kind,
    material: Material,
    sub_tables: Vec<SubTable>,
}

impl TableFile {
    /// Opens a file. Its name says which material and which kind it must be.
    ///
    /// Everything that the heads say is checked. Block lengths, data and maps are checked where they are read; a full
    /// check is [`TableFile::verify`].
    ///
    /// # Errors
    /// If the name is none of a table, the file can't be read, or it is damaged.
    pub fn open(path: &Path) -> Result<TableFile, Error> {
        let name: Arc<str> = path.display().to_string().into();
        let Some((expected, kind)) = named(path) else {
            let what = "the name is not of a table, such as KQvKR.rtbw";
            return Err(damaged(&name, 0, what));
        };
        let map = MappedFile::open(path).map_err(|error| Error::io(&name, error))?;
        let file = TableFile::parse(name, Bytes::Mapped(map))?;
        if file.kind != kind {
            let extension = file.kind.extension();
            let what = format!("the file is a .{extension}, by its first bytes");
            return Err(damaged(&file.name, 0, what));
        }
        if file.material != expected {
            let what = format!("the pieces are {}, the name says {expected}", file.material);
            return Err(damaged(&file.name, 5, what));
        }
        Ok(file)
    }

    /// Opens a file in memory. Messages call it `name`.
    ///
    /// # Errors
    /// If it is damaged.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<TableFile, Error> {
        TableFile::parse(name.into(), Bytes::Owned(bytes))
    }

    /// The file's name, as messages say it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The kind of the values in the file.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The material.
    #[must_use]
    pub fn material(&self) -> Material {
        self.material
    }

    /// The sub-tables in the order of the file: by files of the leading pawn, and white to move before black.
    #[must_use]
    pub fn sub_tables(&self) -> &[SubTable] {
        &self.sub_tables
    }

    /// The length of the file in bytes.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "files have at least a head")]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// A sub-table, if the file has the side to move: twice the file of the leading pawn is its number, and one more if black
    /// is to move.
    #[inline]
    pub(crate) fn sub_table(&self, number: usize) -> Option<&SubTable> {
        let both_sides = self.kind == Kind::Wdl && !self.material.is_symmetric();
        let sub_table = self.sub_tables.get(number >> u8::from(!both_sides))?;
        (sub_table.side as usize == number & 1).then_some(sub_table)
    }

    /// The number at a place of a sub-table of this file: for WDL 0 to 4, from a loss to a win; for DTZ the argument
    /// of [`TableFile::distance`].
    ///
    /// # Errors
    /// If the data are damaged there.
    ///
    /// # Panics
    /// If there is no such place.
    #[inline]
    pub fn value(&self, sub_table: &SubTable, place: u64) -> Result<u16, Error> {
        assert!(
            place < sub_table.numbering.len(),
            "place {place} of {}",
            sub_table.numbering.len()
        );
        match &sub_table.content {
            Content::Single(value) => Ok(*value),
            Content::Coded(coded) => self.coded_value(coded, place),
            Content::Decoded(all) => Ok(all.get(place as usize)),
        }
    }

    #[inline]
    fn coded_value(&self, coded: &Coded, place: u64) -> Result<u16, Error> {
        let (block, offset) = self.find_block(coded, place)?;
        // A checksum follows the data, so there are always bytes behind a block.
        let (head, bytes) = (&coded.head, &self.bytes[coded.start(block)..]);
        let value = (head.code).value_in(bytes, 1 << head.block_bits, offset);
        value.ok_or_else(|| self.ends_early(coded, block, offset))
    }

    /// The error of a block that ends before one of its values.
    fn ends_early(&self, coded: &Coded, block: u64, offset: u32) -> Error {
        let what = format!("block {block} ends before its value {offset}");
        damaged(&self.name, coded.start(block), what)
    }

    /// The block that has a place, and the place in the block.
    #[inline]
    fn find_block(&self, coded: &Coded, place: u64) -> Result<(u64, u32), Error> {
        let (head, index, lengths) = (&coded.head, self.index(coded), self.lengths(coded));
        let found = blocks::find_block(index, lengths, head.span_bits, head.blocks, place);
        found.ok_or_else(|| {
            let at = coded.index_at + 6 * (place >> head.span_bits) as usize;
            let what = format!("the index does not lead to place {place}");
            damaged(&self.name, at, what)
        })
    }

    #[inline]
    fn index(&self, coded: &Coded) -> &[u8] {
        // It is followed by the lengths of blocks, or others' indices.
        &self.bytes[coded.index_at..coded.lengths_at]
    }

    #[inline]
    fn lengths(&self, coded: &Coded) -> &[u8] {
        &self.bytes[coded.lengths_at..][..2 * coded.head.lengths() as usize]
    }

    /// The distance that a number of a DTZ sub-table stands for, in plies, counted from 101 for cursed wins and
    /// blessed losses; that of a draw is 0. If distances of the outcome are not exact it may be one more.
    ///
    /// # Errors
    /// If the number is no entry of the map.
    #[inline]
    pub fn distance(&self, sub_table: &SubTable, outcome: Wdl, value: u16) -> Result<u32, Error> {
        let Some(map) = outcome.map() else {
            return Ok(0);
        };
        let raw = match &sub_table.maps {
            None => u32::from(value),
            Some(maps) => {
                let (at, count) = maps.lists[map];
                if value >= count {
                    let what =
                        format!("the map has {count} entries, and entry {value} is asked for");
                    return Err(damaged(&self.name, at, what));
                }
                if maps.wide {
                    u32::from(le_u16(&self.bytes, at + 2 * usize::from(value)))
                } else {
                    u32::from(self.bytes[at + usize::from(value)])
                }
            }
        };
        let plies = match sub_table.is_exact(outcome) {
            true => raw + 1,
            false => 2 * raw + 1,
        };
        Ok(plies + if outcome.is_cursed() { 100 } else { 0 })
    }

    /// Compares the checksum at the end with what the file has.
    ///
    /// # Errors
    /// If it differs.
    pub fn verify_checksum(&self) -> Result<(), Error> {
        let at = self.bytes.len() - 16;
        let (found, expected) = (&self.bytes[at..], checksum(&self.bytes[..at]));
        if found == expected {
            return Ok(());
        }
        let number = |sum: &[u8]| (sum.iter()).fold(0, |sum, &byte| sum << 8 | u128::from(byte));
        let (found, expected) = (number(found), number(&expected));
        let what = format!("the checksum is {found:032x}, and should be {expected:032x}");
        Err(damaged(&self.name, at, what))
    }

    /// Checks the whole file: its checksum, every block, every entry of the index, and every value.
    ///
    /// # Errors
    /// If anything is damaged; the error is of the first thing that is.
    pub fn verify(&self) -> Result<(), Error> {
        self.verify_checksum()?;
        self.sub_tables
            .iter()
            .try_for_each(|sub_table| self.verify_sub_table(sub_table))
    }
}

impl fmt::Debug for TableFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableFile")
            .field("name", &self.name)
            .field("len", &self.bytes.len())
            .finish_non_exhaustive()
    }
}
