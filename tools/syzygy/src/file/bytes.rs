//! The bytes of a file, and checked reading of its fields.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use crate::error::Error;

/// The bytes of a mapped file. If another process cuts it meanwhile, the system ends this one where it reads them: tables
/// are published by renaming, and nobody writes to one afterwards.
#[derive(Debug)]
pub struct MappedFile(memmap2::Mmap);

impl MappedFile {
    /// Maps a file.
    ///
    /// # Errors
    /// If the system refuses, or if it is no regular file.
    pub fn open(path: &Path) -> io::Result<MappedFile> {
        // Opening a pipe would wait for its other end.
        if !std::fs::metadata(path)?.is_file() {
            let message = "it is no regular file";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let file = File::open(path)?;
        #[expect(unsafe_code, reason = "mapping a file is")]
        // SAFETY: the map is only read, and every byte is checked or bounded before it is used. The danger that remains
        // with every mapped file is that above.
        let map = unsafe { memmap2::Mmap::map(&file) };
        Ok(MappedFile(map?))
    }
}

impl Deref for MappedFile {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// A mapped file, or bytes in memory.
#[derive(Debug)]
pub(crate) enum Bytes {
    Mapped(MappedFile),
    Owned(Vec<u8>),
}

impl Deref for Bytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::Owned(bytes) => bytes,
        }
    }
}

/// Reads fields one after the other.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    pub(crate) name: &'a Arc<str>,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(name: &'a Arc<str>, bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { name, bytes, at: 0 }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// An error about a field that begins this many bytes before the next.
    pub(crate) fn damaged(&self, back: usize, what: impl Into<String>) -> Error {
        damaged(self.name, self.at - back, what)
    }

    /// Checks what was read. The error is about a field that begins this many bytes before the next.
    pub(crate) fn check(
        &self,
        is_right: bool,
        back: usize,
        what: impl FnOnce() -> String,
    ) -> Result<(), Error> {
        match is_right {
            true => Ok(()),
            false => Err(self.damaged(back, what())),
        }
    }

    /// The next so many bytes, which the message calls `what`.
    pub(crate) fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8], Error> {
        let rest = &self.bytes[self.at..];
        let taken = rest.get(..count).ok_or_else(|| {
            let left = rest.len();
            self.damaged(
                0,
                format!("{what} needs {count} bytes, and {left} are left"),
            )
        })?;
        self.at += count;
        Ok(taken)
    }

    /// The next so many bytes, or what is left, without going on.
    pub(crate) fn peek(&self, count: usize) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        &rest[..count.min(rest.len())]
    }

    pub(crate) fn u8(&mut self, what: &str) -> Result<u8, Error> {
        Ok(self.take(1, what)?[0])
    }

    pub(crate) fn u16(&mut self, what: &str) -> Result<u16, Error> {
        let bytes = self.take(2, what)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    pub(crate) fn u32(&mut self, what: &str) -> Result<u32, Error> {
        let bytes = self.take(4, what)?;
        Ok(u32::from_le_bytes(bytes.try_into().expect("four bytes")))
    }

    /// Skips to a multiple of a power of two.
    pub(crate) fn align(&mut self, to: usize, what: &str) -> Result<(), Error> {
        let skip = self.at.wrapping_neg() & (to - 1);
        self.take(skip, what).map(|_| ())
    }
}

pub(crate) fn damaged(name: &Arc<str>, offset: usize, what: impl Into<String>) -> Error {
    Error::Damaged {
        file: Arc::clone(name),
        offset: offset as u64,
        what: what.into(),
    }
}

#[inline]
pub(crate) fn le_u16(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}
