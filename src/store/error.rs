//! What can go wrong with an index file. Every message about a file names it.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::reduce::Method;
use crate::board::Material;

/// Why a file could not be read, written or believed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The operating system refused something.
    ///
    /// The message has what the system said in it, so it is not a [source](std::error::Error::source)
    /// that a report would print once more.
    #[error("{}: can't {action}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done to it, as in "can't …".
        action: &'static str,
        /// What the system said.
        error: io::Error,
    },
    /// Under the name lies something else than a regular file.
    #[error("{}: it is {found}: expected a regular file", path.display())]
    NotAFile {
        /// What was to be read or replaced.
        path: PathBuf,
        /// What it is.
        found: &'static str,
    },
    /// The material does not fit into a file.
    #[error("{}: {material} has {found} pieces: a file holds indices of at most {max} pieces", path.display())]
    TooManyPieces {
        /// The file.
        path: PathBuf,
        /// The material.
        material: Material,
        /// How many pieces it has.
        found: usize,
        /// The most pieces of a file.
        max: usize,
    },
    /// The words asked for are not those of the file.
    #[error("{}: {found}-bit words were asked for: this file's material takes words of {expected} bits", path.display())]
    WrongWord {
        /// The file.
        path: PathBuf,
        /// The width that was asked for.
        found: u32,
        /// The width that belongs to the material.
        expected: u32,
    },
    /// Indices may be called distinct only where they are also sorted.
    #[error("{}: a file that says its indices are distinct must say that they are sorted", path.display())]
    DistinctUnsorted {
        /// The file.
        path: PathBuf,
    },
    /// Only ascending indices can be stored compressed.
    #[error("{}: a compressed file must say that its indices are sorted", path.display())]
    CompactUnsorted {
        /// The file.
        path: PathBuf,
    },
    /// What was asked for takes sorted indices.
    #[error("{}: the file does not say that its indices are {expected}: {operation} needs that (reduce the file first)", path.display())]
    NotSorted {
        /// The file.
        path: PathBuf,
        /// What was to be done.
        operation: &'static str,
        /// `sorted`, or `sorted and distinct`.
        expected: &'static str,
    },
    /// The indices are compressed, so there are no words to look at.
    #[error("{}: the file is compressed: its blocks can be read, but not all its words at once", path.display())]
    Compact {
        /// The file.
        path: PathBuf,
    },
    /// Two files that were to go together do not.
    #[error("{}: its {what} is {found}: expected {expected}", path.display())]
    OtherContents {
        /// The file.
        path: PathBuf,
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
    /// A folder has not the space for what is to be written into it.
    #[error("{}: {what} may take {needed} bytes, and {found} are free: expected a folder with more space", path.display())]
    TooLittleSpace {
        /// The folder.
        path: PathBuf,
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
    #[error("{}: the file exists already, and was not to be replaced", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Another writer is at work on the same file.
    #[error("{}: another process is writing this file (it holds {})", path.display(), partial.display())]
    Busy {
        /// The file.
        path: PathBuf,
        /// The file it will become.
        partial: PathBuf,
    },
    /// Where a file's partial file would be, there is something that no writer of this user left.
    #[error("{}: can't be written by way of {}, which is {found}: expected nothing, or what a writer of yours left", path.display(), partial.display())]
    ForeignPartial {
        /// The file.
        path: PathBuf,
        /// The name beside it.
        partial: PathBuf,
        /// What lies there.
        found: &'static str,
    },
    /// A file was to be finished after an error.
    #[error("{}: the file can't be finished: something before was not written", path.display())]
    Unfinished {
        /// The file.
        path: PathBuf,
    },
    /// Files are little-endian and words are not copied, so a big-endian machine can neither read nor
    /// write them.
    #[error("{}: index files are little-endian, and this machine is big-endian", path.display())]
    BigEndian {
        /// The file.
        path: PathBuf,
    },
    /// The first bytes are not those of an index file.
    #[error("{}: not an index file: it begins with {found:02x?}, expected {expected:02x?}", path.display())]
    NotAnIndexFile {
        /// The file.
        path: PathBuf,
        /// How it begins.
        found: Vec<u8>,
        /// How an index file begins.
        expected: [u8; 8],
    },
    /// The file's format is of another version.
    #[error("{}: format version {found}: this program reads version {expected}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The file's version.
        found: u16,
        /// The version that is understood.
        expected: u16,
    },
    /// The file is longer or shorter than its header says.
    #[error("{}: the file is {found} bytes long: expected {expected}", path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// Its length.
        found: u64,
        /// What its header adds up to, or the length of a header.
        expected: u64,
    },
    /// A checksum does not fit what it is the checksum of.
    #[error("{}: {part} (bytes {start} to {end}) is damaged: its checksum is {found:#010x}, expected {expected:#010x}", path.display())]
    Checksum {
        /// The file.
        path: PathBuf,
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
    #[error("{}: {part} says {field} {found}: expected {expected}", path.display())]
    Field {
        /// The file.
        path: PathBuf,
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
    #[error("{}: byte {offset} is {found:#04x}: expected 0, nothing is stored there", path.display())]
    Padding {
        /// The file.
        path: PathBuf,
        /// The byte's place.
        offset: u64,
        /// What it is.
        found: u8,
    },
    /// The bytes lie where words can't be read without copying.
    #[error("{}: the file's bytes begin at an address that is no multiple of {expected}", path.display())]
    Misaligned {
        /// The file.
        path: PathBuf,
        /// What the address would have to be a multiple of.
        expected: usize,
    },
    /// A compact block's bits are no indices.
    #[error("{}: {part} can't be decoded: {reason}", path.display())]
    Undecodable {
        /// The file.
        path: PathBuf,
        /// The block.
        part: Part,
        /// What is wrong with it, and what was expected.
        reason: String,
    },
    /// An index has bits above its digits.
    #[error("{}: index {index:#o} at position {position} is out of range: {pieces} pieces have indices below {end:#o}", path.display())]
    OutOfRange {
        /// The file.
        path: PathBuf,
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
    #[error("{}: index {index:#o} at position {position} comes after {previous:#o}: the file says its indices are {claim}", path.display())]
    Order {
        /// The file.
        path: PathBuf,
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
    #[error("{}: index {index:#o} at position {position} is not canonical as the file says: expected {canonical:#o}", path.display())]
    NotCanonical {
        /// The file.
        path: PathBuf,
        /// How many indices come before it.
        position: u64,
        /// The index.
        index: u64,
        /// The smallest of its equivalents.
        canonical: u64,
    },
}

/// A part of an index file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The first 256 bytes.
    Header,
    /// The table of blocks.
    Table,
    /// A block of the payload, by its number.
    Block(u64),
    /// The entry of a block in the table, by the block's number.
    Entry(u64),
}

/// Where in a file something is wrong, as far as an error says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The part of the file.
    pub part: Option<Part>,
    /// The first byte that may be wrong, and the one after the last.
    pub bytes: Option<(u64, u64)>,
    /// How many indices of the file come before the one that is wrong.
    pub position: Option<u64>,
}

impl Part {
    /// `header`, `table`, `block` or `entry`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Part::Header => "header",
            Part::Table => "table",
            Part::Block(_) => "block",
            Part::Entry(_) => "entry",
        }
    }

    /// The number of the block, if it is one or its entry.
    #[must_use]
    pub const fn number(self) -> Option<u64> {
        match self {
            Part::Header | Part::Table => None,
            Part::Block(number) | Part::Entry(number) => Some(number),
        }
    }
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Part::Header => f.write_str("the header"),
            Part::Table => f.write_str("the block table"),
            Part::Block(block) => write!(f, "block {block}"),
            Part::Entry(block) => write!(f, "the table entry of block {block}"),
        }
    }
}

/// What a watch answered, as a result.
pub(super) fn go_on(answer: ControlFlow<()>) -> Result<(), StoreError> {
    match answer {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(StoreError::Cancelled),
    }
}

impl StoreError {
    /// Turns an error of the system into one that names the file and what was done to it.
    pub(super) fn io(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> StoreError {
        let path = path.to_owned();
        move |error| StoreError::Io {
            path,
            action,
            error,
        }
    }

    /// A field that says what can't be.
    pub(super) fn field(
        path: &Path,
        part: Part,
        field: &'static str,
        found: impl std::fmt::Display,
        expected: impl std::fmt::Display,
    ) -> StoreError {
        StoreError::Field {
            path: path.to_owned(),
            part,
            field,
            found: found.to_string(),
            expected: expected.to_string(),
        }
    }

    /// The same for several errors.
    pub(super) fn io_of(path: &Path, action: &'static str) -> impl Fn(io::Error) -> StoreError {
        let path = path.to_owned();
        move |error| StoreError::io(&path, action)(error)
    }

    /// Where in the file it is wrong.
    #[must_use]
    pub fn place(&self) -> Place {
        let mut place = Place::default();
        match *self {
            StoreError::Checksum {
                part, start, end, ..
            } => {
                place.part = Some(part);
                place.bytes = Some((start, end));
            }
            StoreError::Field { part, .. } | StoreError::Undecodable { part, .. } => {
                place.part = Some(part);
            }
            StoreError::Padding { offset, .. } => place.bytes = Some((offset, offset + 1)),
            StoreError::NotAnIndexFile { .. } | StoreError::Version { .. } => {
                place.part = Some(Part::Header);
            }
            StoreError::OutOfRange { position, .. }
            | StoreError::Order { position, .. }
            | StoreError::NotCanonical { position, .. } => place.position = Some(position),
            _ => {}
        }
        place
    }

    /// The name of the file or folder, unless the error is about none.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        let path = match self {
            StoreError::TooLittleMemory { .. } | StoreError::Cancelled => return None,
            StoreError::Io { path, .. }
            | StoreError::NotAFile { path, .. }
            | StoreError::ForeignPartial { path, .. }
            | StoreError::Unfinished { path }
            | StoreError::TooManyPieces { path, .. }
            | StoreError::WrongWord { path, .. }
            | StoreError::DistinctUnsorted { path }
            | StoreError::CompactUnsorted { path }
            | StoreError::NotSorted { path, .. }
            | StoreError::Compact { path }
            | StoreError::Undecodable { path, .. }
            | StoreError::Exists { path }
            | StoreError::Busy { path, .. }
            | StoreError::BigEndian { path }
            | StoreError::NotAnIndexFile { path, .. }
            | StoreError::Version { path, .. }
            | StoreError::Length { path, .. }
            | StoreError::Checksum { path, .. }
            | StoreError::Field { path, .. }
            | StoreError::Padding { path, .. }
            | StoreError::Misaligned { path, .. }
            | StoreError::OutOfRange { path, .. }
            | StoreError::Order { path, .. }
            | StoreError::OtherContents { path, .. }
            | StoreError::TooLittleSpace { path, .. }
            | StoreError::NotCanonical { path, .. } => path,
        };
        Some(path)
    }
}
