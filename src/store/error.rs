//! The errors of index files. Every message about a file names it.

use std::fmt::{self, Display, Formatter};
use std::io;
use std::ops::Range;
use std::path::Path;

/// The reason why a file could not be read or written, or is damaged.
///
/// Its message begins with the name of the file or folder, if it is about one. If the system refused a request, its
/// error is the [source](std::error::Error::source), and not in the message.
#[derive(Debug)]
#[non_exhaustive]
pub struct StoreError {
    /// The name of the file or folder, unless the error is about none.
    pub path: Option<Box<Path>>,
    /// The kind of mistake.
    pub kind: StoreErrorKind,
    /// The mistake, in words, without the name of the file.
    pub message: Box<str>,
    /// The part of the file that has the fault, if the error is about one.
    pub part: Option<Part>,
    /// The first byte that may be wrong, and the one after the last.
    pub bytes: Option<(u64, u64)>,
    /// The number of indices of the file that come before the one that is wrong.
    pub position: Option<u64>,
    source: Option<io::Error>,
}

/// The kind of an error: the file is wrong, or the operation on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// The operating system refused a request, for a reason that is the source of the error.
    Io,
    /// The name is not that of a regular file.
    NotAFile,
    /// There is a file already, and it was not to be replaced.
    Exists,
    /// Another writer is at work on the same file.
    Busy,
    /// In place of a file's partial file there is a file that no writer of this user left.
    ForeignPartial,
    /// A file was to be finished after an error.
    Unfinished,
    /// The file has words of another width, or the pieces are too many for a file.
    WrongWord,
    /// The file or the contents are sound, but the operation takes others: sorted, plain, mapped, of the same
    /// material, ….
    Unsuitable,
    /// An operation was told to work in less memory than it can.
    TooLittleMemory {
        /// The bytes that it was given.
        found: u64,
        /// The bytes that it needs.
        needed: u64,
    },
    /// A folder lacks the space for the files that are to be written into it.
    TooLittleSpace {
        /// The bytes that are free.
        found: u64,
        /// The bytes that may be needed.
        needed: u64,
    },
    /// The watch function has ended the work.
    Cancelled,
    /// The file is no index file or none of this version, or its bytes contradict their checksums or each other.
    Damaged,
    /// An index has bits above its digits.
    OutOfRange {
        /// The index.
        index: u64,
    },
    /// Indices are not in the order that the file claims.
    OutOfOrder {
        /// The first index that is not above the one before it.
        index: u64,
    },
    /// An index is not the smallest of its equivalents, and the file claims that all are.
    NotCanonical {
        /// The index.
        index: u64,
        /// The smallest of its equivalents.
        canonical: u64,
    },
    /// This machine is big-endian. Files are little-endian and words are not copied, so it can neither read nor write
    /// them.
    BigEndian,
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

impl StoreError {
    pub(super) fn new(kind: StoreErrorKind, message: impl Display) -> StoreError {
        StoreError {
            path: None,
            kind,
            message: message.to_string().into(),
            part: None,
            bytes: None,
            position: None,
            source: None,
        }
    }

    /// The error by which a caller's function ends an operation.
    ///
    #[doc = include_str!("example.txt")]
    /// let file = IndexFile::open(&path, Backend::detect())?;
    /// let error = file.verify(2, &mut |_| Err(StoreError::cancelled())).unwrap_err();
    /// assert_eq!(error.kind, StoreErrorKind::Cancelled);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cancelled() -> StoreError {
        let message = "ended before it was done: nothing was written";
        StoreError::new(StoreErrorKind::Cancelled, message)
    }

    /// Returns a function that turns an error of the system into one that names the file and the action that
    /// failed.
    pub(super) fn io(path: &Path, action: &str) -> impl Fn(io::Error) -> StoreError {
        move |source| StoreError {
            source: Some(source),
            ..StoreError::new(StoreErrorKind::Io, format!("can't {action}")).at(path)
        }
    }

    /// The error that an operation does not take the file or the contents.
    pub(super) fn unsuitable(path: &Path, message: impl Display) -> StoreError {
        StoreError::new(StoreErrorKind::Unsuitable, message).at(path)
    }

    /// The error that some bytes of a file are wrong.
    pub(super) fn damaged(path: &Path, message: impl Display) -> StoreError {
        StoreError::new(StoreErrorKind::Damaged, message).at(path)
    }

    /// The error that a field has an impossible value.
    pub(super) fn field(
        path: &Path,
        part: Part,
        field: &str,
        found: impl Display,
        expected: impl Display,
    ) -> StoreError {
        let message = format!("{part} says {field} {found}: expected {expected}");
        StoreError::damaged(path, message).in_part(part)
    }

    /// The error that a byte is not zero.
    pub(super) fn padding(path: &Path, offset: u64, found: u8) -> StoreError {
        let message = format!("byte {offset} is {found:#04x}: expected 0, nothing is stored there");
        StoreError::damaged(path, message).in_bytes(offset..offset + 1)
    }

    /// Checks that the bytes of a part have the checksum that was stored.
    pub(super) fn check_sum(
        path: &Path,
        part: Part,
        bytes: Range<u64>,
        found: u32,
        expected: u32,
    ) -> Result<(), StoreError> {
        if found == expected {
            return Ok(());
        }
        let Range { start, end } = bytes;
        let message = format!(
            "{part} (bytes {start} to {end}) is damaged: its checksum is {found:#010x}, expected {expected:#010x}"
        );
        Err(StoreError::damaged(path, message)
            .in_part(part)
            .in_bytes(bytes))
    }

    /// The same error about a file or folder.
    pub(super) fn at(mut self, path: &Path) -> StoreError {
        self.path = Some(path.into());
        self
    }

    pub(super) const fn in_part(mut self, part: Part) -> StoreError {
        self.part = Some(part);
        self
    }

    pub(super) const fn in_bytes(mut self, bytes: Range<u64>) -> StoreError {
        self.bytes = Some((bytes.start, bytes.end));
        self
    }

    pub(super) const fn at_position(mut self, position: u64) -> StoreError {
        self.position = Some(position);
        self
    }
}

impl Display for StoreError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(f, "{}: {}", path.display(), self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(self.source.as_ref()?)
    }
}

impl Display for Part {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Part::Header => f.write_str("the header"),
            Part::Table => f.write_str("the block table"),
            Part::Block(block) => write!(f, "block {block}"),
            Part::Entry(block) => write!(f, "the table entry of block {block}"),
        }
    }
}
