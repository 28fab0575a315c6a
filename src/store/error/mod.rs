//! What can go wrong with an index file. Every message about a file names it.

mod kind;
mod place;

use std::fmt::{self, Display, Formatter};
use std::io;
use std::path::{Path, PathBuf};

pub use self::kind::StoreErrorKind;
pub use self::place::{Part, Place};

/// Why a file could not be read, written or believed: the file, and what is wrong.
///
/// Its message begins with the name of the file or folder, if it is about one. It has no
/// [source](std::error::Error::source): what the operating system said is in the message, and a report
/// would print it once more.
#[derive(Debug)]
pub struct StoreError {
    path: Option<PathBuf>,
    kind: StoreErrorKind,
}

impl StoreError {
    /// The error by which a watch ends an operation, if it has none of its own:
    /// [`StoreErrorKind::Cancelled`].
    #[must_use]
    pub const fn cancelled() -> StoreError {
        StoreErrorKind::Cancelled.without_path()
    }

    /// Returns a function that turns an error of the system into one that names the file and what was
    /// done to it.
    pub(super) fn io(path: &Path, action: &'static str) -> impl Fn(io::Error) -> StoreError {
        move |error| StoreErrorKind::Io { action, error }.at(path)
    }

    /// Returns the error of a field whose value is impossible.
    pub(super) fn field(
        path: &Path,
        part: Part,
        field: &'static str,
        found: impl Display,
        expected: impl Display,
    ) -> StoreError {
        let kind = StoreErrorKind::Field {
            part,
            field,
            found: found.to_string(),
            expected: expected.to_string(),
        };
        kind.at(path)
    }

    /// The name of the file or folder, unless the error is about none.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// What is wrong.
    #[must_use]
    pub const fn kind(&self) -> &StoreErrorKind {
        &self.kind
    }

    /// What is wrong, without the name of the file.
    #[must_use]
    pub fn into_kind(self) -> StoreErrorKind {
        self.kind
    }

    /// Where in the file it is wrong, as far as the error says.
    #[must_use]
    pub const fn place(&self) -> Place {
        let mut place = Place {
            part: None,
            bytes: None,
            position: None,
        };
        match self.kind {
            StoreErrorKind::Checksum {
                part, start, end, ..
            } => {
                place.part = Some(part);
                place.bytes = Some((start, end));
            }
            StoreErrorKind::Field { part, .. } | StoreErrorKind::Undecodable { part, .. } => {
                place.part = Some(part);
            }
            StoreErrorKind::Padding { offset, .. } => place.bytes = Some((offset, offset + 1)),
            StoreErrorKind::NotAnIndexFile { .. } | StoreErrorKind::Version { .. } => {
                place.part = Some(Part::Header);
            }
            StoreErrorKind::OutOfRange { position, .. }
            | StoreErrorKind::Order { position, .. }
            | StoreErrorKind::NotCanonical { position, .. } => place.position = Some(position),
            _ => {}
        }
        place
    }
}

impl StoreErrorKind {
    /// The error that this is wrong with a file or folder.
    pub(super) fn at(self, path: &Path) -> StoreError {
        StoreError {
            path: Some(path.to_owned()),
            kind: self,
        }
    }

    /// The error that this is wrong, and not with a file.
    pub(super) const fn without_path(self) -> StoreError {
        StoreError {
            path: None,
            kind: self,
        }
    }
}

impl Display for StoreError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(f, "{}: {}", path.display(), self.kind),
            None => self.kind.fmt(f),
        }
    }
}

impl std::error::Error for StoreError {}
