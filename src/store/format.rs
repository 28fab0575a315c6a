//! The bytes of an index file. This comment is the specification: a reader can be written from it.
//!
//! # The file
//!
//! All numbers are unsigned and little-endian. All checksums are CRC-32 as in zlib, gzip and PNG
//! (polynomial 0x04c11db7 reflected, starting from and finally complemented with 0xffffffff). Bytes
//! that have no meaning are zero. A reader refuses the file if they are not zero in the header; a full
//! check refuses it for the padding, too. A file has four parts, and ends where the last ends:
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

use bytemuck::{Pod, Zeroable};

/// The beginning of every index file. The byte above 127 and the line ends show when a file was sent as text.
pub(super) const MAGIC: [u8; 8] = *b"\x89TBI\r\n\x1a\n";
pub(super) const VERSION: u16 = 1;
/// The header's length, and where the payload begins.
pub(super) const HEADER_BYTES: usize = size_of::<RawHeader>();
pub(super) const ENTRY_BYTES: usize = size_of::<Block>();
/// The block table begins at a multiple of this.
pub(super) const ALIGNMENT: u64 = 64;
/// The length of a plain block.
pub(super) const PLAIN_BLOCK_BYTES: usize = 1 << 20;

/// The number of indices that a compact block holds. Its bits fit the level-2 cache with room for the words that
/// come out, and the 32 bytes of its table entry cost 1/64 bit an index.
pub(super) const COMPACT_BLOCK_ITEMS: usize = 1 << 14;

/// The header as it lies in a file.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(super) struct RawHeader {
    pub(super) magic: [u8; 8],
    pub(super) version: u16,
    pub(super) kind: u8,
    pub(super) word_bytes: u8,
    pub(super) numbering: u8,
    pub(super) group: u8,
    pub(super) side: u8,
    pub(super) flags: u8,
    pub(super) pieces: u8,
    pub(super) zeros: [u8; 7],
    pub(super) codes: [u8; 16],
    pub(super) count: u64,
    pub(super) payload_offset: u64,
    pub(super) payload_bytes: u64,
    pub(super) table_offset: u64,
    pub(super) block_count: u64,
    pub(super) block_items: u32,
    pub(super) table_checksum: u32,
    pub(super) more_zeros: [u8; 164],
    pub(super) checksum: u32,
}

/// An entry of the block table, as it lies in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Block {
    /// Where the block begins, from the start of the file.
    pub(super) offset: u64,
    /// Its first index.
    pub(super) first: u64,
    /// Its length in bytes.
    pub(super) bytes: u32,
    /// The number of indices that it holds.
    pub(super) items: u32,
    /// The CRC-32 of its bytes.
    pub(super) checksum: u32,
    /// The parameter of the encoding; 0 where it is plain.
    pub(super) parameter: u32,
}
