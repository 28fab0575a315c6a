//! The header: how it is written, and how it is read from a file that is not trusted.

use std::fmt::Display;
use std::path::Path;

use bytemuck::Zeroable;

use super::contents::{Contents, FileWord, MAX_PIECES};
use super::error::{Part, StoreError, StoreErrorKind};
use super::format::{
    ALIGNMENT, Block, COMPACT_BLOCK_ITEMS, ENTRY_BYTES, HEADER_BYTES, MAGIC, PLAIN_BLOCK_BYTES,
    RawHeader, VERSION,
};
use crate::board::{Color, Material, Piece};
use crate::index::Numbering;

/// The header of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// The claims of the file's author.
    pub contents: Contents,
    /// The word that holds an index.
    pub word: FileWord,
    /// Whether the payload is compressed.
    pub compact: bool,
    /// The number of indices.
    pub count: u64,
    /// The number of bytes that they take, without the header and the block table.
    pub payload_bytes: u64,
    /// The number of indices that every block but the last holds.
    pub block_items: u32,
    /// The number of blocks.
    pub block_count: u64,
    /// The checksum of the block table.
    pub(super) table_checksum: u32,
}

impl Header {
    /// The header of a file with these contents, whose `count` indices take `payload_bytes` bytes.
    pub(super) fn new(
        contents: &Contents,
        compact: bool,
        count: u64,
        payload_bytes: u64,
        table_checksum: u32,
    ) -> Header {
        let block_items = match compact {
            true => COMPACT_BLOCK_ITEMS as u32,
            false => PLAIN_BLOCK_BYTES as u32 / (contents.word().bits() / 8),
        };
        Header {
            contents: *contents,
            word: contents.word(),
            compact,
            count,
            payload_bytes,
            block_items,
            block_count: count.div_ceil(u64::from(block_items)),
            table_checksum,
        }
    }

    /// The number of indices that come before a block; before the block after the last one, all of them.
    pub(super) fn items_before(&self, block: u64) -> u64 {
        (block * u64::from(self.block_items)).min(self.count)
    }

    /// The number of indices that a block holds.
    pub(super) fn items_in(&self, block: u64) -> u32 {
        (self.count - self.items_before(block)).min(u64::from(self.block_items)) as u32
    }

    /// The entry that a plain file's block must have in the block table, except for the first index and the
    /// checksum.
    pub(super) fn plain_block(&self, number: u64) -> Block {
        let items = self.items_in(number);
        let word_bytes = self.word.bits() / 8;
        Block {
            offset: HEADER_BYTES as u64 + self.items_before(number) * u64::from(word_bytes),
            first: 0,
            bytes: items * word_bytes,
            items,
            checksum: 0,
            parameter: 0,
        }
    }

    /// Where the block table begins. The header was checked, so nothing overflows.
    pub(super) fn table_offset(&self) -> u64 {
        (HEADER_BYTES as u64 + self.payload_bytes).next_multiple_of(ALIGNMENT)
    }

    /// The length of the whole file in bytes.
    ///
    #[doc = include_str!("example.txt")]
    /// let file = IndexFile::open(&path, Backend::detect())?;
    /// // The header, four bytes an index, and the block table at a multiple of 64.
    /// assert_eq!(file.header().file_bytes(), (256 + 4 * 21_959_u64).next_multiple_of(64) + 32);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn file_bytes(&self) -> u64 {
        self.table_offset() + self.block_count * ENTRY_BYTES as u64
    }

    pub(super) fn encode(&self) -> RawHeader {
        let told = &self.contents;
        let flags = [told.canonical, told.sorted, told.distinct];
        let mut raw = RawHeader {
            magic: MAGIC,
            version: VERSION,
            kind: u8::from(self.compact),
            word_bytes: (self.word.bits() / 8) as u8,
            numbering: told.numbering as u8,
            group: told.material.group() as u8,
            side: told.side.map_or(0, |side| side as u8 + 1),
            flags: (0..3).map(|k| u8::from(flags[k]) << k).sum(),
            pieces: told.material.piece_count() as u8,
            codes: codes(told.material),
            count: self.count,
            payload_offset: HEADER_BYTES as u64,
            payload_bytes: self.payload_bytes,
            table_offset: self.table_offset(),
            block_count: self.block_count,
            block_items: self.block_items,
            table_checksum: self.table_checksum,
            ..RawHeader::zeroed()
        };
        raw.checksum = crc32fast::hash(&bytemuck::bytes_of(&raw)[..252]);
        raw
    }

    /// Reads the header of a file of `file_bytes` bytes that begins with `bytes`, and checks everything that
    /// it says. However large the numbers in it are, no memory is allocated for them.
    pub(super) fn decode(path: &Path, bytes: &[u8], file_bytes: u64) -> Result<Header, StoreError> {
        check_endian(path)?;
        let begins = &bytes[..bytes.len().min(MAGIC.len())];
        if begins != MAGIC {
            let message =
                format!("not an index file: it begins with {begins:02x?}, expected {MAGIC:02x?}");
            let magic = 0..MAGIC.len() as u64;
            return Err(StoreError::damaged(path, message)
                .in_part(Part::Header)
                .in_bytes(magic));
        }
        let Some(bytes) = bytes.first_chunk::<HEADER_BYTES>() else {
            return Err(wrong_length(path, file_bytes, HEADER_BYTES as u64));
        };
        let raw: RawHeader = bytemuck::pod_read_unaligned(bytes);
        if raw.version != VERSION {
            let version = raw.version;
            let message = format!("format version {version}: this program reads version {VERSION}");
            return Err(StoreError::damaged(path, message)
                .in_part(Part::Header)
                .in_bytes(8..10));
        }
        let (checksum, header_bytes) = (crc32fast::hash(&bytes[..252]), 0..HEADER_BYTES as u64);
        StoreError::check_sum(path, Part::Header, header_bytes, checksum, raw.checksum)?;
        if let Some(at) = (17..24).chain(88..252).find(|&at| bytes[at] != 0) {
            return Err(StoreError::padding(path, at as u64, bytes[at]));
        }

        let kinds = "0 for plain or 1 for compact";
        let compact = choice(path, "payload kind", raw.kind, [false, true], kinds)?;
        let material = decode_material(path, &raw)?;
        let numberings = "0 for natural or 1 for alternate";
        let numbering = choice(path, "numbering", raw.numbering, Numbering::ALL, numberings)?;
        let sides = "0 for none, 1 for white or 2 for black";
        let all = [None, Some(Color::White), Some(Color::Black)];
        let side = choice(path, "side to move", raw.side, all, sides)?;
        let flags = raw.flags;
        if flags > 7 || flags & 0b110 == 0b100 {
            let expected = "at most 7, distinct (4) only with sorted (2)";
            return Err(wrong(path, "flags", flags, expected));
        }
        let contents = Contents {
            material,
            numbering,
            side,
            canonical: flags & 1 != 0,
            sorted: flags & 2 != 0,
            distinct: flags & 4 != 0,
        };
        if compact && !contents.sorted {
            return Err(wrong(path, "flags", flags, "sorted (2) in a compact file"));
        }

        let expect = |field, found: u64, expected: u64| match found == expected {
            true => Ok(()),
            false => Err(wrong(path, field, found, expected)),
        };
        let word_bytes = u64::from(contents.word().bits() / 8);
        expect("word bytes", raw.word_bytes.into(), word_bytes)?;
        expect("group", raw.group.into(), material.group() as u64)?;
        expect("payload offset", raw.payload_offset, HEADER_BYTES as u64)?;
        let (count, payload_bytes) = (raw.count, raw.payload_bytes);
        // A compact index takes at least one bit. So no sum or product below can overflow: the file's real length
        // bounds them all.
        let most = match compact {
            true => file_bytes.saturating_mul(8),
            false => file_bytes / word_bytes,
        };
        if count > most {
            let expected = format!("at most {most} in a file of {file_bytes} bytes");
            return Err(wrong(path, "count", count, expected));
        }
        let field = "payload length";
        if !compact {
            expect(field, payload_bytes, count * word_bytes)?;
        } else if payload_bytes > file_bytes || !payload_bytes.is_multiple_of(8) {
            let expected = format!("a multiple of 8, at most the {file_bytes} of the file");
            return Err(wrong(path, field, payload_bytes, expected));
        }
        let header = Header::new(&contents, compact, count, payload_bytes, raw.table_checksum);
        expect(
            "block items",
            raw.block_items.into(),
            header.block_items.into(),
        )?;
        expect("block count", raw.block_count, header.block_count)?;
        expect("table offset", raw.table_offset, header.table_offset())?;
        match file_bytes == header.file_bytes() {
            true => Ok(header),
            false => Err(wrong_length(path, file_bytes, header.file_bytes())),
        }
    }
}

/// The error that a field of the header has an impossible value.
fn wrong(path: &Path, field: &str, found: impl Display, expected: impl Display) -> StoreError {
    StoreError::field(path, Part::Header, field, found, expected)
}

/// The value of a field that numbers these.
fn choice<T: Copy, const N: usize>(
    path: &Path,
    field: &str,
    found: u8,
    values: [T; N],
    expected: &str,
) -> Result<T, StoreError> {
    let value = values.get(usize::from(found)).copied();
    value.ok_or_else(|| wrong(path, field, found, expected))
}

fn wrong_length(path: &Path, found: u64, expected: u64) -> StoreError {
    let message = format!("the file is {found} bytes long: expected {expected}");
    StoreError::damaged(path, message)
}

/// Checks that the machine is little-endian: words are written and read as they lie in memory.
pub(super) fn check_endian(path: &Path) -> Result<(), StoreError> {
    if cfg!(target_endian = "big") {
        let message = "index files are little-endian, and this machine is big-endian";
        return Err(StoreError::new(StoreErrorKind::BigEndian, message).at(path));
    }
    Ok(())
}

/// The codes of a material's pieces, piece 0 first, and zeros.
fn codes(material: Material) -> [u8; 16] {
    let mut codes = [0; 16];
    for (code, piece) in codes.iter_mut().zip(material.index_order()) {
        *code = piece.code();
    }
    codes
}

fn decode_material(path: &Path, raw: &RawHeader) -> Result<Material, StoreError> {
    let (pieces, found) = (raw.pieces, &raw.codes);
    let n = usize::from(pieces);
    if !(2..=MAX_PIECES).contains(&n) {
        return Err(wrong(path, "pieces", pieces, format!("2 to {MAX_PIECES}")));
    }
    let wrong = |expected: String| wrong(path, "piece codes", hex(found), expected);
    let read: Vec<Piece> = found[..n]
        .iter()
        .map(|&code| Piece::from_code(code))
        .collect::<Option<_>>()
        .ok_or_else(|| wrong(format!("{n} codes of pieces")))?;
    let material = Material::from_pieces(read.iter().copied())
        .map_err(|error| wrong(format!("one king a side ({error})")))?;
    let expected = codes(material);
    if *found != expected {
        return Err(wrong(format!("{} for {material}", hex(&expected))));
    }
    Ok(material)
}

fn hex(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:x}")).collect();
    digits.join(" ")
}
