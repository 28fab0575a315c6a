//! The places that a file's bytes are read from: memory, or the file itself.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::disk::{check_is_file, open_at_once};
use super::error::StoreError;

/// The source of an [`IndexFile`](super::IndexFile)'s bytes.
///
/// Everything that is bytes already — a map, a `Vec`, a slice — is storage, and its bytes are used where
/// they lie. [`FileReads`] copies the bytes that are asked for.
pub trait Storage: Send + Sync {
    /// The number of bytes.
    ///
    /// ```
    /// # use tbindex::store::Storage;
    /// assert_eq!(b"tablebase".byte_count()?, 9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the system refuses.
    fn byte_count(&self) -> io::Result<u64>;

    /// The `length` bytes from `offset` on, either where they lie or copied into `buffer`.
    ///
    /// ```
    /// # use tbindex::store::Storage;
    /// let (storage, mut buffer) = (b"tablebase", Vec::new());
    /// assert_eq!(Storage::bytes(storage, 5, 4, &mut buffer)?, b"base");
    /// assert!(Storage::bytes(storage, 5, 5, &mut buffer).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there are fewer bytes, or the system refuses.
    fn bytes<'a>(
        &'a self,
        offset: u64,
        length: usize,
        buffer: &'a mut Vec<u64>,
    ) -> io::Result<&'a [u8]>;

    /// All bytes, if they lie in memory for as long as this value does. They must be the same that
    /// [`bytes`](Storage::bytes) gives. `None` is always right, but more is copied then.
    #[doc(hidden)]
    fn in_memory(&self) -> Option<&[u8]> {
        None
    }
}

impl<D: AsRef<[u8]> + Send + Sync> Storage for D {
    fn byte_count(&self) -> io::Result<u64> {
        Ok(self.as_ref().len() as u64)
    }

    fn bytes<'a>(
        &'a self,
        offset: u64,
        length: usize,
        _buffer: &'a mut Vec<u64>,
    ) -> io::Result<&'a [u8]> {
        usize::try_from(offset)
            .ok()
            .and_then(|offset| self.as_ref().get(offset..)?.get(..length))
            .ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }

    fn in_memory(&self) -> Option<&[u8]> {
        Some(self.as_ref())
    }
}

/// A regular file that is read, not mapped. If another program shortens it, reading it is an error, where a map
/// would kill the process: this suits network disks. Bytes that were read do not count as the process's memory.
#[derive(Debug)]
pub struct FileReads(File);

impl FileReads {
    /// Opens a file to read from.
    ///
    #[doc = include_str!("example.txt")]
    /// let storage = FileReads::open(&path)?;
    /// assert_eq!(storage.bytes(1, 3, &mut Vec::new())?, b"TBI");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the system refuses, or if it is no regular file.
    pub fn open(path: impl AsRef<Path>) -> Result<FileReads, StoreError> {
        open(path.as_ref()).map(FileReads)
    }
}

impl Storage for FileReads {
    fn byte_count(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn bytes<'a>(
        &'a self,
        offset: u64,
        length: usize,
        buffer: &'a mut Vec<u64>,
    ) -> io::Result<&'a [u8]> {
        let words = length.div_ceil(size_of::<u64>());
        if buffer.len() < words {
            buffer.resize(words, 0);
        }
        let bytes = &mut bytemuck::cast_slice_mut(buffer)[..length];
        read_exact_at(&self.0, bytes, offset)?;
        Ok(bytes)
    }
}

/// Opens a regular file.
pub(super) fn open(path: &Path) -> Result<File, StoreError> {
    let io = StoreError::io(path, "open the file");
    // Asked before it is opened, because opening some things has effects, and again afterwards, in case it
    // was exchanged in between. Opening a pipe does not wait for its other end.
    check_is_file(path, &fs::metadata(path).map_err(&io)?)?;
    let file = open_at_once(File::options().read(true), path, true).map_err(&io)?;
    check_is_file(path, &file.metadata().map_err(&io)?)?;
    Ok(file)
}

/// Reads from a place in the file; other threads may read elsewhere at the same time.
#[cfg(unix)]
pub(super) fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

/// There are no files.
#[cfg(not(any(unix, windows)))]
pub(super) fn read_exact_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Reads from a place in the file; other threads may read elsewhere at the same time.
#[cfg(windows)]
pub(super) fn read_exact_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                bytes = &mut bytes[read..];
                offset += read as u64;
            }
        }
    }
    Ok(())
}
