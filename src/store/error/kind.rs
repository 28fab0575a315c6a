//! What can be wrong.

use std::io;
use std::path::PathBuf;

use super::super::method::Method;
use super::place::Part;
use crate::board::Material;

/// What is wrong with a file, or with what was to be done to it. The message does not name the file:
/// that of [`StoreError`](super::StoreError) does.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// The operating system refused something.
    #[error("can't {action}: {error}")]
    Io {
        /// What was being done to it, as in "can't …".
        action: &'static str,
        /// What the system said.
        error: io::Error,
    },
    /// What lies under the name is not a regular file.
    #[error("it is {found}: expected a regular file")]
    NotAFile {
        /// What it is.
        found: &'static str,
    },
    /// The material does not fit into a file.
    #[error("{material} has {found} pieces: a file holds indices of at most {max} pieces")]
    TooManyPieces {
        /// The material.
        material: Material,
        /// How many pieces it has.
        found: usize,
        /// The most pieces of a file.
        max: usize,
    },
    /// The words asked for are not those of the file.
    #[error(
        "{found}-bit words were asked for: this file's material takes words of {expected} bits"
    )]
    WrongWord {
        /// The width that was asked for.
        found: u32,
        /// The width that belongs to the material.
        expected: u32,
    },
    /// Indices may be called distinct only where they are also sorted.
    #[error("a file that says its indices are distinct must say that they are sorted")]
    DistinctUnsorted,
    /// Only ascending indices can be stored compressed.
    #[error("a compressed file must say that its indices are sorted")]
    CompactUnsorted,
    /// What was asked for takes sorted indices.
    #[error(
        "the file does not say that its indices are {expected}: {operation} needs that (reduce the file first)"
    )]
    NotSorted {
        /// What was to be done.
        operation: &'static str,
        /// `sorted`, or `sorted and distinct`.
        expected: &'static str,
    },
    /// The indices are compressed, so there are no words to look at.
    #[error("the file is compressed: its blocks can be read, but not all its words at once")]
    Compact,
    /// Two files that were to go together do not.
    #[error("its {what} is {found}: expected {expected}")]
    OtherContents {
        /// In what it differs.
        what: &'static str,
        /// What it has.
        found: String,
        /// What the others have.
        expected: String,
    },
    /// A reduction was told to work in less memory than it can.
    #[error("{found} bytes of memory are too little: expected at least {needed} (method {method})")]
    TooLittleMemory {
        /// The method.
        method: Method,
        /// The bytes that it was given.
        found: u64,
        /// The bytes that it needs.
        needed: u64,
    },
    /// A folder lacks the space for what is to be written into it.
    #[error(
        "{what} may take {} MiB, and {} MiB are free: expected a folder with more space",
        needed.div_ceil(1 << 20),
        found >> 20
    )]
    TooLittleSpace {
        /// What takes the space.
        what: &'static str,
        /// The bytes that are free.
        found: u64,
        /// The bytes that may be needed.
        needed: u64,
    },
    /// Whoever watched the work has ended it.
    #[error("ended before it was done: nothing was written")]
    Cancelled,
    /// There is a file already, and it was not to be replaced.
    #[error("the file exists already, and was not to be replaced")]
    Exists,
    /// Another writer is at work on the same file.
    #[error("another process is writing this file (it holds {})", partial.display())]
    Busy {
        /// The file it will become.
        partial: PathBuf,
    },
    /// Where a file's partial file would be, there is something that no writer of this user left.
    #[error("can't be written by way of {}, which is {found}: expected nothing, or what a writer of yours left", partial.display())]
    ForeignPartial {
        /// The name beside it.
        partial: PathBuf,
        /// What lies there.
        found: &'static str,
    },
    /// A file was to be finished after an error.
    #[error("the file can't be finished: something before was not written")]
    Unfinished,
    /// Files are little-endian and words are not copied, so a big-endian machine can neither read nor
    /// write them.
    #[error("index files are little-endian, and this machine is big-endian")]
    BigEndian,
    /// The first bytes are not those of an index file.
    #[error("not an index file: it begins with {found:02x?}, expected {expected:02x?}")]
    NotAnIndexFile {
        /// How it begins.
        found: Vec<u8>,
        /// How an index file begins.
        expected: [u8; 8],
    },
    /// The file's format is of another version.
    #[error("format version {found}: this program reads version {expected}")]
    Version {
        /// The file's version.
        found: u16,
        /// The version that is understood.
        expected: u16,
    },
    /// The file is longer or shorter than its header says.
    #[error("the file is {found} bytes long: expected {expected}")]
    Length {
        /// Its length.
        found: u64,
        /// What its header adds up to, or the length of a header.
        expected: u64,
    },
    /// A checksum does not fit what it is the checksum of.
    #[error(
        "{part} (bytes {start} to {end}) is damaged: its checksum is {found:#010x}, expected {expected:#010x}"
    )]
    Checksum {
        /// Which part of the file.
        part: Part,
        /// Its first byte's place in the file.
        start: u64,
        /// The place after its last byte.
        end: u64,
        /// The checksum of what is there.
        found: u32,
        /// The checksum that was stored.
        expected: u32,
    },
    /// A field of the header or of the block table says what can't be.
    #[error("{part} says {field} {found}: expected {expected}")]
    Field {
        /// Where the field is.
        part: Part,
        /// Its name.
        field: &'static str,
        /// What it says.
        found: String,
        /// What it would have to say.
        expected: String,
    },
    /// A byte that must be zero is not.
    #[error("byte {offset} is {found:#04x}: expected 0, nothing is stored there")]
    Padding {
        /// The byte's place.
        offset: u64,
        /// What it is.
        found: u8,
    },
    /// The bytes lie where words can't be read without copying.
    #[error("the file's bytes begin at an address that is not a multiple of {expected}")]
    Misaligned {
        /// What the address would have to be a multiple of.
        expected: usize,
    },
    /// A compact block's bits are no indices.
    #[error("{part} can't be decoded: {reason}")]
    Undecodable {
        /// The block.
        part: Part,
        /// What is wrong with it, and what was expected.
        reason: String,
    },
    /// An index has bits above its digits.
    #[error(
        "index {index:#o} at position {position} is out of range: {pieces} pieces have indices below {end:#o}"
    )]
    OutOfRange {
        /// How many indices come before it.
        position: u64,
        /// The index.
        index: u64,
        /// How many pieces the material has.
        pieces: usize,
        /// 64 to the power of that.
        end: u64,
    },
    /// Indices are not in the order that the file claims.
    #[error(
        "index {index:#o} at position {position} comes after {previous:#o}: the file says its indices are {claim}"
    )]
    Order {
        /// How many indices come before it.
        position: u64,
        /// The index.
        index: u64,
        /// The index before it.
        previous: u64,
        /// What the file claims.
        claim: &'static str,
    },
    /// An index is not the smallest of its equivalents, and the file claims that all are.
    #[error(
        "index {index:#o} at position {position} is not canonical as the file says: expected {canonical:#o}"
    )]
    NotCanonical {
        /// How many indices come before it.
        position: u64,
        /// The index.
        index: u64,
        /// The smallest of its equivalents.
        canonical: u64,
    },
}
