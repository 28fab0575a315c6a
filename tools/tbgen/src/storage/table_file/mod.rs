//! Table files. This comment is their specification, from which a reader can be written.
//!
//! All numbers are unsigned and little-endian. All checksums are CRC-32 as in zlib. Bytes without a meaning
//! are zero. A file has four parts:
//!
//! | part | begins at | length in bytes |
//! |---|---|---|
//! | header | 0 | 256 |
//! | values | 256 | 4 × (white values + black values), padded to a multiple of 64 |
//! | index: pages of blocks | `index offset` | 12 × pages + 6 × `block count` |
//! | payload: the blocks without gaps | `payload offset` | `payload length`, up to the file's end |
//!
//! | at | bytes | header field | value |
//! |---|---|---|---|
//! | 0 | 8 | magic | `89 54 42 47 0d 0a 1a 0a`: as an index file's, with `TBG` |
//! | 8 | 2 | version | 4 |
//! | 10 | 1 | compression | 1: LZ4 block format |
//! | 11 | 1 | pieces | n, 3 to 7 |
//! | 12 | 4 | placements | how many there are of the pawns, mirror images counted once; 1 without pawns |
//! | 16 | 8 | piece codes | white king, black king, the other pieces in the order of their squares in a slot's number, then white pawns and black pawns; codes as in index files |
//! | 24 | 4 | block slots | 64 with 3 pieces and no pawns, else 4096 |
//! | 28 | 2 | white values | how many codes there are with white to move |
//! | 30 | 2 | black values | the same with black to move |
//! | 32 | 8 | slots | of each side to move, see below |
//! | 40 | 8 | block count | 2 · slots / block slots |
//! | 48 | 8 | index offset | |
//! | 56 | 8 | payload offset | |
//! | 64 | 8 | payload length | |
//! | 72 | 4 | values checksum | of the values without their padding |
//! | 76 | 4 | index checksum | of the checksums of all pages, one after the other |
//! | 80 | 1 | metric | what the plies count: 0 to the next capture, move of a pawn, or mate; 1 to mate; 2 and 3 to a checkmate of White and of Black if both sides help |
//! | 81 | 3 | | zero |
//! | 84 | 16 | piece_set | 4 for each of queen, rook, bishop and knight: what the letter stands for, see below |
//! | 100 | 2 | revision | of the solver that made the table |
//! | 102 | 150 | | zero |
//! | 252 | 4 | header checksum | of the bytes 0 to 251 |
//!
//! A *value* is 4 bytes: 2 for the kind, which is 0 for a draw, 1 for a win and 2 for a loss of the side to
//! move, and 2 for the plies, at most 32767. By the distance to zeroing, a win above 100 plies is cursed and a loss
//! blessed; by the distance to mate and of helpmates, plies are at most 2045; mates are won in an odd number of them and
//! lost in an even one. Of helpmates, the kind is 0 if there is
//! none, 1 if exactly one sequence of so many moves leads to a checkmate, and 2 if there are several; the plies are even with the
//! side to move that is mated, and else odd. The first value of each side is a draw; wins and then losses follow,
//! each in more plies than the one before.
//!
//! The *slots* of a side are numbered, without pawns, by the slice of the two kings (in the order of
//! `tbindex::KingPairs` under D4), and then by the squares of the other pieces, of which the last one's
//! changes fastest. With pawns they are numbered by the placement of the pawns, the squares of the white king and
//! the black king, and those of the others; with three or more others, the number of the two kings' pair in
//! `tbindex::KingPairs` without symmetries is in place of their squares. Squares are a1 = 0, b1 = 1 … h8 = 63.
//!
//! With short-range pieces the piece codes are letters that stand for other pieces. A field of the *piece_set* is 0 if its
//! letter stands for itself, `2³¹ + m` for the short-range piece of White with the moves `m` (24 bits, as in
//! `tbindex::Leaper`; Black's is mirrored), and else the code of a white piece of chess. Letters are given out in the
//! order queen, rook, bishop, knight: first to short-range pieces, those with more moves before others and then
//! those with greater numbers, and then to the pieces of chess. The kings are numbered under the largest group that
//! keeps all pieces: D4, the mirror of files, or none.
//!
//! A placement of pawns is a pair of sets of squares, white's and black's. Read as two numbers of 64 bits (a1 the
//! lowest bit), white's first, it is greater than its mirror image, left and right, or is its own; the mirror
//! image is not kept, and positions with it are looked up in the mirror. Placements are in descending order of
//! the sum of ranks that the pawns have gone (a white pawn on rank r counts r − 1, a black one 8 − r), and where
//! that is equal in ascending order of the pairs.
//!
//! Each slot has a code, which is the number of its value: of one byte if its side has at most 256 values, else of two,
//! and then a block has the low bytes of all its codes first and the high bytes behind them. Like pieces are kept once: only slots in
//! which they stand in ascending order of their squares are in the file (two on one square included), the others
//! are left out. The code of an illegal position is that of the slot before it in its block, or 0.
//!
//! A *block* has the codes of `block slots` slots, less those left out; it may be empty. White's blocks come
//! first. If its length is that of its codes, a block is not compressed.
//!
//! The *index* has pages of 64 blocks each; the last one may have fewer. So page k begins 396 × k bytes from the start of
//! the index. It has the offset of its first block from the start of the payload (8 bytes), a checksum (4), and
//! for each block its length (2) and the checksum of its bytes as they lie in the file (4). The checksum of a page is
//! of its number (8 bytes), the offset and the entries.
//!
//! So a file is opened with its header and values alone, however large it is, and to look up a position takes one page and
//! one block more. Either is checked whenever it is read. That no page is missing, the checksum in the header says, which
//! is compared when the whole file is checked.

mod header;
mod index;
mod many;
mod reader;
mod slices;
pub(crate) mod stored_slots;
pub(super) mod values;
mod writer;

use std::error::Error as _;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use tbindex::Color;
use tbindex::store::{StoreError, is_file};

use crate::chess::error::ProbeError;

pub(crate) use reader::KEPT_BYTES;
pub use reader::TableFile;
pub(crate) use writer::blocks_at_once;

const MAGIC: [u8; 8] = *b"\x89TBG\r\n\x1a\n";
const HEADER_BYTES: usize = 256;
/// The bytes of a value in a file.
pub(super) const VALUE_BYTES: usize = 4;

/// The most slots of a block.
pub(crate) const BLOCK_SLOTS: usize = 4096;

/// The reason why a table file can't be read, written or trusted.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file can't be opened, mapped or published.
    #[error("{}{}", .0, cause_of(.0))]
    Store(StoreError),
    /// The system refused something.
    #[error("{}: can't {action}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The action that failed.
        action: &'static str,
        /// The system's error.
        error: io::Error,
    },
    /// The file is of another kind.
    #[error("{}: not a table file: it begins with {found:02x?}, expected {expected:02x?}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The bytes at its beginning.
        found: Vec<u8>,
        /// The bytes expected.
        expected: [u8; 8],
    },
    /// The file is of another table than its name says.
    #[error("{}: this is {found}", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// The table that it is.
        found: String,
    },
    /// A checksum is wrong.
    #[error("{}: {part} is damaged: its checksum is {found:#010x}, expected {expected:#010x}: remove the file and generate it again", path.display())]
    Checksum {
        /// The file.
        path: PathBuf,
        /// The part of the file.
        part: String,
        /// The checksum of the bytes that are there.
        found: u32,
        /// The checksum that was stored.
        expected: u32,
    },
    /// A field of the file has an impossible value.
    #[error("{}: {what} is {found}: expected {expected}", path.display())]
    Field {
        /// The file.
        path: PathBuf,
        /// The name of the field.
        what: String,
        /// The value found.
        found: String,
        /// The value expected.
        expected: String,
    },
    /// There are more different values on a side than codes.
    #[error("{}: there are {values} different values with {side} to move, a file has room for 2048", path.display())]
    Values {
        /// The file.
        path: PathBuf,
        /// The side to move.
        side: Color,
        /// The number of values.
        values: usize,
    },
    /// The revision of the solver that made the table is known to have been wrong about it.
    #[error("{}: the table can't be trusted, for {why}: remove the file and generate it again", path.display())]
    Distrusted {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The code of a packed file is damaged.
    #[error("{0}: remove the file and pack the table again")]
    Coding(#[from] syzygy_tables::Error),
    /// The position isn't in the table.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The caller stopped the work.
    #[error("interrupted")]
    Interrupted,
}

impl From<StoreError> for FileError {
    fn from(error: StoreError) -> FileError {
        FileError::Store(error)
    }
}

/// The system's error, which the error itself does not say.
fn cause_of(error: &StoreError) -> String {
    let cause = error.source();
    cause.map_or_else(String::new, |cause| format!(": {cause}"))
}

impl FileError {
    /// Whether the file is damaged, or another than it should be: not where the system refused something, or a file is missing.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            FileError::Io { error, .. } => is_damage(error),
            FileError::Coding(error) => matches!(error, syzygy_tables::Error::Damaged { .. }),
            FileError::Foreign { .. }
            | FileError::Other { .. }
            | FileError::Checksum { .. }
            | FileError::Field { .. }
            | FileError::Distrusted { .. } => true,
            FileError::Store(_)
            | FileError::Values { .. }
            | FileError::Probe(_)
            | FileError::Interrupted => false,
        }
    }

    /// The file, where the error has it.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            FileError::Io { path, .. }
            | FileError::Foreign { path, .. }
            | FileError::Other { path, .. }
            | FileError::Checksum { path, .. }
            | FileError::Field { path, .. }
            | FileError::Values { path, .. }
            | FileError::Distrusted { path, .. } => Some(path),
            FileError::Coding(syzygy_tables::Error::Damaged { file, .. }) => {
                Some(Path::new(&**file))
            }
            FileError::Coding(_)
            | FileError::Store(_)
            | FileError::Probe(_)
            | FileError::Interrupted => None,
        }
    }

    /// The error if the system refuses an action.
    pub(crate) fn io(path: &Path, action: &'static str) -> impl Fn(io::Error) -> FileError + Copy {
        move |error| FileError::Io {
            path: path.to_owned(),
            action,
            error,
        }
    }

    /// The error of a field with an impossible value.
    pub(crate) fn field(
        path: &Path,
        what: impl ToString,
        found: impl ToString,
        expected: impl ToString,
    ) -> FileError {
        FileError::Field {
            path: path.to_owned(),
            what: what.to_string(),
            found: found.to_string(),
            expected: expected.to_string(),
        }
    }
}

/// Whether an error of reading says that a file is damaged: it has one that does, or the file is too short.
pub(crate) fn is_damage(error: &io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    inner.map_or(
        error.kind() == io::ErrorKind::UnexpectedEof,
        FileError::is_damage,
    )
}

/// Whether a file of a table is there.
pub(crate) fn is_there(path: &Path) -> Result<bool, FileError> {
    is_file(path).map_err(FileError::io(path, "use the file"))
}

/// Ends the work if it is to stop.
pub(crate) fn heed_stop(stop: Option<&AtomicBool>) -> Result<(), FileError> {
    match stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
        true => Err(FileError::Interrupted),
        false => Ok(()),
    }
}

/// Compares the checksum that a part of a file has with the one that is stored.
pub(super) fn check(path: &Path, part: &str, found: u32, expected: u32) -> Result<(), FileError> {
    if found == expected {
        return Ok(());
    }
    Err(FileError::Checksum {
        path: path.to_owned(),
        part: part.to_owned(),
        found,
        expected,
    })
}
