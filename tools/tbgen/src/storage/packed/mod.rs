//! Packed table files: a tenth to a fifth of the size, for tables by the distance to mate and of helpmates that are kept. By the
//! distance to zeroing, Syzygy files are smaller and faster. This comment is their specification, from which a reader
//! can be written, together with [the page of Syzygy's format](syzygy_tables::format), whose orders of positions (§3 and
//! §4), blocks (§6) and codes (§7) they have.
//!
//! All numbers are unsigned and little-endian. All checksums are CRC-32 as in zlib. Bytes without a meaning are zero. A file
//! has five parts without gaps:
//!
//! | part | length in bytes |
//! |---|---|
//! | header | 64 |
//! | heads of sub-tables | `heads length` |
//! | tables that find a block | `tables length` |
//! | checksums: one of each page of the data | 4 × pages |
//! | data, in pages of 65536 bytes, the last of which may be shorter | `data length`, up to the file's end |
//!
//! | at | bytes | header field | value |
//! |---|---|---|---|
//! | 0 | 8 | magic | `89 54 42 50 0d 0a 1a 0a`: as a table file's, with `TBP` |
//! | 8 | 2 | version | 1 |
//! | 10 | 1 | metric | what the plies count: 1 to mate; 2 and 3 to a checkmate of White and of Black if both sides help |
//! | 11 | 1 | side | the side to move of all positions in the file: 0 white, 1 black; 0 if both sides have the same pieces |
//! | 12 | 2 | revision | of the solver that made the table |
//! | 14 | 1 | sub-tables | 4 with pawns, else 1 |
//! | 15 | 1 | | zero |
//! | 16 | 4 | heads length | |
//! | 20 | 4 | heads checksum | of the heads |
//! | 24 | 8 | tables length | |
//! | 32 | 4 | tables checksum | of the tables that find a block |
//! | 36 | 4 | checksums checksum | of the checksums of pages |
//! | 40 | 8 | data length | |
//! | 48 | 12 | | zero |
//! | 60 | 4 | header checksum | of the bytes 0 to 59 |
//!
//! With pawns, sub-table k has the positions whose leading pawn is on the k-th file or its mirror image, as in Syzygy files. The
//! *heads* come one after the other. One has
//!
//! - the number of pieces (1 byte), and the code of each in the order of the sub-table: 1 for a pawn, 2 for a knight, 3 for a
//!   bishop, 4 for a rook, 5 for a queen and 6 for a king, and 8 more for black. White is the first side of the table's name;
//! - the place of the leading group (1 byte), and that of the other side's pawns (1 byte), which is 15 if only one side has
//!   pawns or none has;
//! - the number of values (2 bytes), and the values, each of 4 bytes as in a table file: 2 for the kind, which is 0 for a draw,
//!   1 for a win and 2 for a loss of the side to move, and 2 for the plies. They are in ascending order of what the side to move
//!   prefers: losses, the longer the better, the draw, and wins, the shorter the better;
//! - the length of what follows (2 bytes), and what Syzygy's format calls the head of a sub-table (§7). Flags are 0, or 128 if
//!   all positions have value 0. The number of a leaf is that of a value.
//!
//! The *tables that find a block* are those of the first sub-table, then those of the next: the sparse index, and behind it the
//! lengths of its blocks (§6), the padding of the head included, whose lengths are the longest. In the *data* the blocks of each
//! sub-table begin at the next multiple of their size; behind the last block of all are 8 zeros. The bytes that a block does not fill are
//! zero, too.
//!
//! A file has one side to move, that which takes less room. The number that a file has for a position is not always its value. **Where a
//! capture or a promotion, captures en passant left out, has the value of the position, the file may have any value that is
//! not better.** So the value is the best for the side to move of what the file has, and of what each legal capture and
//! promotion is worth. The value of a position with the other side to move is the best of what each legal move is worth; it is
//! a loss in 0 plies if there is none and the side is in check, and a draw if it is not. Two kings are a draw. A move to a draw is
//! worth a draw, to a loss in n plies a win in n + 1, and to a win in n plies a loss in n + 1.
//!
//! A position has no right to capture en passant. After a pawn's two steps, the value of the position for the other side
//! is the better of that without this right and of its captures en passant; and these alone count if they are its only legal
//! moves. If both sides have the same pieces, a position with black to move is looked up with the colours exchanged: the
//! board is turned upside down.
//!
//! Of helpmates, a file has the value of every position with its side to move: the kind is 0 if there is
//! none, 1 if there is one solution and 2 if there are several. With the other side to move, a position has one ply more than
//! the shortest of its moves; it is the only one if one move is as short and leads to an only one. If both sides have the
//! same pieces, a position with black to move is in the file of the other victim, with the colours exchanged.
//!
//! The numbers that a file has for illegal positions mean nothing.

mod head;
mod reader;
mod writer;

pub use reader::PackedFile;
pub(crate) use writer::write;

use std::path::{Path, PathBuf};

use crate::chess::piece_set::Endgame;
use crate::storage::table_file::{FileError, is_there};
use crate::table::solved::Table;
use crate::table::value::Metric;

const MAGIC: [u8; 8] = *b"\x89TBP\r\n\x1a\n";
const HEADER_BYTES: usize = 64;
/// The bytes of a page of the data, which has a checksum.
const PAGE_BYTES: u64 = 1 << 16;

impl Table {
    /// The path of an endgame's packed table in a folder, if the metric has such files.
    #[must_use]
    pub fn packed_path(
        folder: &Path,
        endgame: impl Into<Endgame>,
        metric: Metric,
    ) -> Option<PathBuf> {
        let (endgame, extension) = (endgame.into().normal(), metric.packed_extension()?);
        Some(folder.join(format!("{endgame}.{extension}")))
    }

    /// The files of an endgame's table that are in a folder: the one that is not packed, and the packed one.
    ///
    /// # Errors
    /// If something else than a regular file has the name of one, or the system refuses.
    pub fn files(
        folder: &Path,
        endgame: impl Into<Endgame>,
        metric: Metric,
    ) -> Result<[Option<PathBuf>; 2], FileError> {
        let endgame = endgame.into();
        let there = |file: Option<PathBuf>| match file {
            Some(file) if is_there(&file)? => Ok(Some(file)),
            _ => Ok::<_, FileError>(None),
        };
        let table = there(Some(Table::path(folder, endgame, metric)))?;
        Ok([table, there(Table::packed_path(folder, endgame, metric))?])
    }
}
