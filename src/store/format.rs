//! The bytes of an index file. This comment is the specification: a reader can be written from it.
//!
//! # The file
//!
//! All numbers are unsigned and little-endian. All checksums are CRC-32 as in zlib, gzip and PNG
//! (polynomial 0x04c11db7 reflected, starting from and finally complemented with 0xffffffff). Bytes
//! that have no meaning are zero, and a reader refuses the file if they are not. A file has four
//! parts, and ends where the last ends:
//!
//! | part | begins at | length in bytes |
//! |---|---|---|
//! | header | 0 | 256 |
//! | payload: the blocks, one after the other without gaps | 256 | `payload length` |
//! | padding, zero | 256 + payload length | up to the next multiple of 64 |
//! | block table | `table offset`, a multiple of 64 | 32 × `block count` |
//!
//! # The header
//!
//! | at | bytes | field | value |
//! |---|---|---|---|
//! | 0 | 8 | magic | `89 54 42 49 0d 0a 1a 0a`: a byte above 127, `TBI`, CR LF, ctrl-Z, LF |
//! | 8 | 2 | version | 1 |
//! | 10 | 1 | payload kind | 0 plain, 1 compact |
//! | 11 | 1 | word bytes | 4 for up to 5 pieces, 8 for 6 to 10 |
//! | 12 | 1 | numbering | 0 natural, 1 alternate |
//! | 13 | 1 | group | 1 file mirror (with pawns), 2 D4 (without) |
//! | 14 | 1 | side to move | 0 not said, 1 white, 2 black |
//! | 15 | 1 | flags | bit 0 canonical, bit 1 sorted, bit 2 distinct; the others zero |
//! | 16 | 1 | pieces | n, 2 to 10 |
//! | 17 | 7 | | zero |
//! | 24 | 16 | piece codes | one byte each, piece 0 first, the leading piece n−1 last; zero from n on |
//! | 40 | 8 | count | how many indices the file holds |
//! | 48 | 8 | payload offset | 256 |
//! | 56 | 8 | payload length | in bytes, padding not included |
//! | 64 | 8 | table offset | 256 + payload length, rounded up to a multiple of 64 |
//! | 72 | 8 | block count | count / block items, rounded up |
//! | 80 | 4 | block items | how many indices every block but the last holds |
//! | 84 | 4 | table checksum | of the whole block table |
//! | 88 | 164 | | zero |
//! | 252 | 4 | header checksum | of the bytes 0 to 251 |
//!
//! A piece code is 8 × colour + type: colour 0 white, 1 black; type 1 white pawn, 2 black pawn,
//! 3 knight, 4 bishop, 5 rook, 6 queen, 7 king. Piece n−1 is the white king, n−2 the black king, then
//! downwards white's queens, rooks, bishops, knights, pawns, then black's.
//!
//! *Sorted* means ascending, and with *distinct* strictly so; distinct is said only of sorted files.
//! *Canonical* means that every index is the smallest among all its images under the group with the
//! pieces of same type and colour in any order.
//!
//! # The block table
//!
//! One entry of 32 bytes for each block, in the order of the blocks:
//!
//! | at | bytes | field | value |
//! |---|---|---|---|
//! | 0 | 8 | offset | where the block begins, from the start of the file |
//! | 8 | 8 | first | its first index |
//! | 16 | 4 | length | in bytes |
//! | 20 | 4 | items | how many indices it holds: block items, in the last block the rest |
//! | 24 | 4 | checksum | of the block's bytes |
//! | 28 | 4 | parameter | plain: 0; compact: the number of low bits |
//!
//! # Plain payload
//!
//! The indices as words, one after the other. A block is 2²⁰ bytes: block items is 262 144 with words
//! of 4 bytes and 131 072 with words of 8.
//!
//! # Compact payload
//!
//! Only sorted files are compact. Block items is 16 384. A block with m indices and the parameter l is
//! a sequence of 64-bit words, whose bits are numbered from the lowest of the first word on:
//!
//! 1. *low bits*: ⌈m·l / 64⌉ words. Bits k·l to k·l + l − 1 are the lowest l bits of x(k) − first, for
//!    the index x(k), k from 0 to m − 1; the bits after the last are zero.
//! 2. *high bits*: the other words of the block. For each k the bit number ((x(k) − first) >> l) + k is
//!    set, no others are, and the last word is not zero.
//!
//! So x(k) = first + ((p(k) − k) << l) + low(k), where p(k) is the place of the k-th set bit of the high
//! bits, counted from 0. The writer chooses l so that the block is shortest; a reader takes any l from
//! 0 to 6n.

use std::path::Path;

use super::compact::COMPACT_BLOCK_ITEMS;
use super::error::{Part, StoreError};
use crate::board::{Color, Group, Material, Piece};
use crate::index::{Numbering, Word};

/// How every index file begins. The byte above 127 and the line ends show when a file was sent as text.
pub(super) const MAGIC: [u8; 8] = *b"\x89TBI\r\n\x1a\n";
pub(super) const VERSION: u16 = 1;
/// The header's length, and where the payload begins.
pub(super) const HEADER_BYTES: usize = 256;
pub(super) const ENTRY_BYTES: usize = 32;
/// The block table begins at a multiple of this.
pub(super) const ALIGNMENT: u64 = 64;
/// The length of a plain block.
pub(super) const PLAIN_BLOCK_BYTES: usize = 1 << 20;
/// What a `u64` holds.
pub(super) const MAX_PIECES: usize = 10;

const KIND_PLAIN: u8 = 0;
const KIND_COMPACT: u8 = 1;

/// What a file's author says of its indices.
///
/// The group of symmetries follows from the material, and so does the word: `u32` up to 5 pieces,
/// `u64` up to 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The pieces.
    pub material: Material,
    /// The numbering of the squares.
    pub numbering: Numbering,
    /// Who is to move, where that is known.
    pub side: Option<Color>,
    /// Whether every index is the smallest of its equivalents.
    pub canonical: bool,
    /// Whether the indices ascend.
    pub sorted: bool,
    /// Whether no index occurs twice; only together with `sorted`.
    pub distinct: bool,
}

impl Contents {
    /// Any indices of a material, in any order.
    #[must_use]
    pub const fn new(material: Material, numbering: Numbering) -> Contents {
        Contents {
            material,
            numbering,
            side: None,
            canonical: false,
            sorted: false,
            distinct: false,
        }
    }

    /// The same with this side to move.
    #[must_use]
    pub const fn with_side(self, side: Option<Color>) -> Contents {
        Contents { side, ..self }
    }

    /// The same, claiming that the indices are canonical, sorted and distinct: a reduced set.
    #[must_use]
    pub const fn reduced(self) -> Contents {
        Contents {
            canonical: true,
            sorted: true,
            distinct: true,
            ..self
        }
    }

    /// The width of the words: 32 bits up to 5 pieces, 64 beyond.
    #[must_use]
    pub fn word_bits(&self) -> u32 {
        if self.material.piece_count() <= u32::MAX_PIECES {
            u32::BITS
        } else {
            u64::BITS
        }
    }

    /// Checks what a writer is about to claim.
    pub(super) fn check(&self, path: &Path) -> Result<(), StoreError> {
        let found = self.material.piece_count();
        if found > MAX_PIECES {
            return Err(StoreError::TooManyPieces {
                path: path.to_owned(),
                material: self.material,
                found,
                max: MAX_PIECES,
            });
        }
        if self.distinct && !self.sorted {
            return Err(StoreError::DistinctUnsorted {
                path: path.to_owned(),
            });
        }
        Ok(())
    }

    /// What the file claims of the order of its indices, in words.
    pub(super) fn order_claim(&self) -> &'static str {
        if self.distinct {
            "sorted and distinct"
        } else {
            "sorted"
        }
    }
}

/// What a file says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// The pieces.
    pub material: Material,
    /// The numbering of the squares.
    pub numbering: Numbering,
    /// The symmetries that count: those of the material.
    pub group: Group,
    /// The width of a word, 32 or 64.
    pub word_bits: u32,
    /// Who is to move, where that is known.
    pub side: Option<Color>,
    /// Whether every index is the smallest of its equivalents.
    pub canonical: bool,
    /// Whether the indices ascend.
    pub sorted: bool,
    /// Whether no index occurs twice.
    pub distinct: bool,
    /// Whether the payload is compressed.
    pub compact: bool,
    /// How many indices there are.
    pub count: u64,
    /// How many bytes they take, table and header not included.
    pub payload_bytes: u64,
    /// How many indices every block but the last holds.
    pub block_items: u32,
    /// How many blocks there are.
    pub block_count: u64,
    /// The checksum of the block table.
    pub(super) table_checksum: u32,
}

impl Header {
    /// The header of a file with these contents, so many indices in so many bytes.
    pub(super) fn new(
        contents: &Contents,
        compact: bool,
        count: u64,
        payload_bytes: u64,
        table_checksum: u32,
    ) -> Header {
        let block_items = match compact {
            true => COMPACT_BLOCK_ITEMS as u32,
            false => PLAIN_BLOCK_BYTES as u32 / (contents.word_bits() / 8),
        };
        Header {
            material: contents.material,
            numbering: contents.numbering,
            group: contents.material.group(),
            word_bits: contents.word_bits(),
            side: contents.side,
            canonical: contents.canonical,
            sorted: contents.sorted,
            distinct: contents.distinct,
            compact,
            count,
            payload_bytes,
            block_items,
            block_count: count.div_ceil(u64::from(block_items)),
            table_checksum,
        }
    }

    /// How many indices come before a block.
    pub(super) fn items_before(&self, block: u64) -> u64 {
        block * u64::from(self.block_items)
    }

    /// How many indices a block holds.
    pub(super) fn items_in(&self, block: u64) -> u32 {
        (self.count - self.items_before(block)).min(u64::from(self.block_items)) as u32
    }

    /// What the file's author said of it.
    #[must_use]
    pub const fn contents(&self) -> Contents {
        Contents {
            material: self.material,
            numbering: self.numbering,
            side: self.side,
            canonical: self.canonical,
            sorted: self.sorted,
            distinct: self.distinct,
        }
    }

    /// Where the block table begins. The header was checked, so nothing overflows.
    pub(super) fn table_offset(&self) -> u64 {
        (HEADER_BYTES as u64 + self.payload_bytes).next_multiple_of(ALIGNMENT)
    }

    /// How long the whole file is.
    #[must_use]
    pub fn file_bytes(&self) -> u64 {
        self.table_offset() + self.block_count * ENTRY_BYTES as u64
    }

    pub(super) fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0u8; HEADER_BYTES];
        let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
        put(0, &MAGIC);
        put(8, &VERSION.to_le_bytes());
        let kind = if self.compact {
            KIND_COMPACT
        } else {
            KIND_PLAIN
        };
        put(10, &[kind, (self.word_bits / 8) as u8]);
        put(12, &[self.numbering as u8, self.group as u8]);
        put(14, &[self.side.map_or(0, |side| side as u8 + 1)]);
        let flags = [self.canonical, self.sorted, self.distinct];
        put(15, &[(0..3).map(|k| u8::from(flags[k]) << k).sum()]);
        put(16, &[self.material.piece_count() as u8]);
        for (k, piece) in self.material.index_order().enumerate() {
            put(24 + k, &[piece.code()]);
        }
        put(40, &self.count.to_le_bytes());
        put(48, &(HEADER_BYTES as u64).to_le_bytes());
        put(56, &self.payload_bytes.to_le_bytes());
        put(64, &self.table_offset().to_le_bytes());
        put(72, &self.block_count.to_le_bytes());
        put(80, &self.block_items.to_le_bytes());
        put(84, &self.table_checksum.to_le_bytes());
        let checksum = crc32fast::hash(&bytes[..252]);
        bytes[252..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads the header of a file of `file_bytes` bytes that begins with `bytes`, and checks all that
    /// it says. Nothing is allocated by what the header says.
    pub(super) fn decode(path: &Path, bytes: &[u8], file_bytes: u64) -> Result<Header, StoreError> {
        check_endian(path)?;
        let begins = &bytes[..bytes.len().min(MAGIC.len())];
        if begins != MAGIC {
            return Err(StoreError::NotAnIndexFile {
                path: path.to_owned(),
                found: begins.to_vec(),
                expected: MAGIC,
            });
        }
        let Some(bytes) = bytes.first_chunk::<HEADER_BYTES>() else {
            return Err(StoreError::Length {
                path: path.to_owned(),
                found: file_bytes,
                expected: HEADER_BYTES as u64,
            });
        };
        let u32_at = |at: usize| u32::from_le_bytes(*bytes[at..].first_chunk().expect("inside"));
        let u64_at = |at: usize| u64::from_le_bytes(*bytes[at..].first_chunk().expect("inside"));
        let version = u16::from_le_bytes([bytes[8], bytes[9]]);
        if version != VERSION {
            return Err(StoreError::Version {
                path: path.to_owned(),
                found: version,
                expected: VERSION,
            });
        }
        let checksum = crc32fast::hash(&bytes[..252]);
        if u32_at(252) != checksum {
            return Err(StoreError::Checksum {
                path: path.to_owned(),
                part: Part::Header,
                start: 0,
                end: HEADER_BYTES as u64,
                found: checksum,
                expected: u32_at(252),
            });
        }
        if let Some(at) = (17..24).chain(88..252).find(|&at| bytes[at] != 0) {
            return Err(StoreError::Padding {
                path: path.to_owned(),
                offset: at as u64,
                found: bytes[at],
            });
        }
        let expect = |field: &'static str, found: u64, expected: u64| {
            if found == expected {
                Ok(())
            } else {
                Err(StoreError::field(
                    path,
                    Part::Header,
                    field,
                    found,
                    expected,
                ))
            }
        };
        let wrong = |field: &'static str, found: u8, expected: &str| {
            StoreError::field(path, Part::Header, field, found, expected)
        };

        let compact = match bytes[10] {
            KIND_PLAIN => false,
            KIND_COMPACT => true,
            other => {
                return Err(wrong("payload kind", other, "0 for plain or 1 for compact"));
            }
        };
        let material = decode_material(path, bytes[16], &bytes[24..40])?;
        let numbering = match bytes[12] {
            0 => Numbering::Natural,
            1 => Numbering::Alternate,
            other => {
                return Err(wrong(
                    "numbering",
                    other,
                    "0 for natural or 1 for alternate",
                ));
            }
        };
        let side = match bytes[14] {
            0 => None,
            1 => Some(Color::White),
            2 => Some(Color::Black),
            other => {
                return Err(wrong(
                    "side to move",
                    other,
                    "0 for none, 1 for white or 2 for black",
                ));
            }
        };
        let flags = bytes[15];
        if flags > 7 || flags & 0b110 == 0b100 {
            return Err(wrong(
                "flags",
                flags,
                "at most 7, distinct (4) only with sorted (2)",
            ));
        }
        let contents = Contents {
            material,
            numbering,
            side,
            canonical: flags & 1 != 0,
            sorted: flags & 2 != 0,
            distinct: flags & 4 != 0,
        };
        let word_bytes = u64::from(contents.word_bits() / 8);
        expect("word bytes", u64::from(bytes[11]), word_bytes)?;
        expect("group", u64::from(bytes[13]), material.group() as u64)?;
        expect("payload offset", u64_at(48), HEADER_BYTES as u64)?;

        if compact && !contents.sorted {
            return Err(wrong("flags", flags, "sorted (2) in a compact file"));
        }

        let (count, payload_bytes) = (u64_at(40), u64_at(56));
        // A plain index takes at least four bytes, a compact one at least one bit. So no sum or
        // product of what follows can overflow: all is bounded by a real length.
        let most = if compact { 8 * file_bytes } else { file_bytes };
        if count > most {
            let expected = format!("at most {most} in a file of {file_bytes} bytes");
            return Err(StoreError::field(
                path,
                Part::Header,
                "count",
                count,
                expected,
            ));
        }
        if compact {
            if payload_bytes > file_bytes || !payload_bytes.is_multiple_of(8) {
                let expected = format!("a multiple of 8, at most the {file_bytes} of the file");
                let field = "payload length";
                let found = payload_bytes;
                return Err(StoreError::field(
                    path,
                    Part::Header,
                    field,
                    found,
                    expected,
                ));
            }
        } else {
            expect("payload length", payload_bytes, count * word_bytes)?;
        }
        let header = Header::new(&contents, compact, count, payload_bytes, u32_at(84));
        expect("block items", u32_at(80).into(), header.block_items.into())?;
        expect("block count", u64_at(72), header.block_count)?;
        expect("table offset", u64_at(64), header.table_offset())?;
        if file_bytes != header.file_bytes() {
            return Err(StoreError::Length {
                path: path.to_owned(),
                found: file_bytes,
                expected: header.file_bytes(),
            });
        }
        Ok(header)
    }
}

/// Words are neither read nor written by way of their bytes, so files are for little-endian machines.
pub(super) fn check_endian(path: &Path) -> Result<(), StoreError> {
    if cfg!(target_endian = "big") {
        return Err(StoreError::BigEndian {
            path: path.to_owned(),
        });
    }
    Ok(())
}

fn decode_material(path: &Path, pieces: u8, codes: &[u8]) -> Result<Material, StoreError> {
    let n = usize::from(pieces);
    if !(2..=MAX_PIECES).contains(&n) {
        return Err(StoreError::field(
            path,
            Part::Header,
            "pieces",
            pieces,
            format!("2 to {MAX_PIECES}"),
        ));
    }
    let wrong = |expected: String| {
        StoreError::field(path, Part::Header, "piece codes", hex(codes), expected)
    };
    let read: Vec<Piece> = codes[..n]
        .iter()
        .map(|&code| Piece::from_code(code))
        .collect::<Option<_>>()
        .ok_or_else(|| wrong(format!("{n} codes of pieces")))?;
    let material = Material::from_pieces(read.iter().copied())
        .map_err(|error| wrong(format!("one king a side ({error})")))?;
    let mut expected = [0u8; 16];
    for (code, piece) in expected.iter_mut().zip(material.index_order()) {
        *code = piece.code();
    }
    if codes != expected {
        return Err(wrong(format!("{} for {material}", hex(&expected))));
    }
    Ok(material)
}

fn hex(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:x}")).collect();
    digits.join(" ")
}

/// An entry of the block table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Block {
    /// Where the block begins, from the start of the file.
    pub offset: u64,
    /// Its first index.
    pub first: u64,
    /// Its length in bytes.
    pub bytes: u32,
    /// How many indices it holds.
    pub items: u32,
    /// The CRC-32 of its bytes.
    pub checksum: u32,
    /// How it is encoded; 0 where it is plain.
    pub parameter: u32,
}

impl Block {
    pub(super) fn encode(&self) -> [u8; ENTRY_BYTES] {
        let mut bytes = [0u8; ENTRY_BYTES];
        bytes[0..8].copy_from_slice(&self.offset.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.first.to_le_bytes());
        let halves = [self.bytes, self.items, self.checksum, self.parameter];
        for (k, half) in halves.into_iter().enumerate() {
            bytes[16 + 4 * k..20 + 4 * k].copy_from_slice(&half.to_le_bytes());
        }
        bytes
    }

    pub(super) fn decode(bytes: &[u8; ENTRY_BYTES]) -> Block {
        let u64_at = |at: usize| u64::from_le_bytes(*bytes[at..].first_chunk().expect("inside"));
        let u32_at = |at: usize| u32::from_le_bytes(*bytes[at..].first_chunk().expect("inside"));
        Block {
            offset: u64_at(0),
            first: u64_at(8),
            bytes: u32_at(16),
            items: u32_at(20),
            checksum: u32_at(24),
            parameter: u32_at(28),
        }
    }

    /// The entry that a plain file's block must have, but for what only the payload can tell.
    pub(super) fn plain(header: &Header, number: u64) -> Block {
        let items = header.items_in(number);
        let word_bytes = header.word_bits / 8;
        Block {
            offset: HEADER_BYTES as u64 + header.items_before(number) * u64::from(word_bytes),
            first: 0,
            bytes: items * word_bytes,
            items,
            checksum: 0,
            parameter: 0,
        }
    }
}
