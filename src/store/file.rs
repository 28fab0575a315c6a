//! An index file that was opened.

use std::any::Any;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use memmap2::Mmap;

use super::StoredWord;
use super::contents::{Contents, FileWord};
use super::error::StoreError;
use super::format::HEADER_BYTES;
use super::header::Header;
use super::storage::{FileReads, Storage, open};
use crate::batch::{Backend, BatchWord};
use crate::board::Color;
use crate::index::Equivalence;

/// An index file, mapped or read piece by piece.
///
/// Any number of threads may read it at the same time. Its blocks are decoded and checked by the backend that it was
/// opened with. A clone shares the storage.
///
/// Its word chooses the reader, which has the indices:
///
/// ```no_run
/// use tbindex::batch::Backend;
/// use tbindex::store::{IndexFile, IndexReader, StoreError, StoredWord, unwatched};
///
/// fn first<W: StoredWord>(reader: &IndexReader<W>) -> Result<Option<u64>, StoreError> {
///     let first = reader.iter().next().transpose()?;
///     Ok(first.map(tbindex::Word::to_u64))
/// }
/// let file = IndexFile::open("KQvKR.tbi", Backend::detect())?;
/// let threads = 2;
/// file.verify(threads, &mut unwatched)?;
/// let first = match &file {
///     IndexFile::U32(reader) => first(reader)?,
///     IndexFile::U64(reader) => first(reader)?,
/// };
/// println!("{} {first:?}", file.header().contents.material);
/// # Ok::<(), StoreError>(())
/// ```
#[derive(Clone, Debug)]
pub enum IndexFile {
    /// A file of up to 5 pieces.
    U32(IndexReader<u32>),
    /// A file of 6 to 10 pieces.
    U64(IndexReader<u64>),
}

/// The reader of the indices of a file of words `W`.
#[derive(Clone)]
pub struct IndexReader<W> {
    /// The name that errors call the file: its path, if it was opened.
    pub(super) name: PathBuf,
    pub(super) header: Header,
    /// The equivalence of positions in the file.
    pub(super) same: Equivalence<W>,
    data: Arc<dyn Storage>,
    /// The backend that the file was opened with.
    pub(super) backend: Backend,
    /// Set once the block table was found to have its checksum.
    pub(super) table_is_good: OnceLock<()>,
}

impl<W> fmt::Debug for IndexReader<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexReader")
            .field("name", &self.name)
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

/// The value of an expression for the reader of a file, whatever its word.
macro_rules! with_reader {
    ($file:expr, $reader:ident => $value:expr) => {
        match $file {
            $crate::store::IndexFile::U32($reader) => $value,
            $crate::store::IndexFile::U64($reader) => $value,
        }
    };
}
pub(super) use with_reader;

impl IndexFile {
    /// Opens a file, which is read when it is needed. Only its header is read now; [`verify`](IndexFile::verify)
    /// checks the rest.
    ///
    #[doc = include_str!("example.txt")]
    /// let file = IndexFile::open(&path, Backend::detect())?;
    /// assert_eq!(file.header().count, 21_959);
    ///
    /// let error = IndexFile::open(folder.path(), Backend::detect()).unwrap_err();
    /// assert_eq!(&*error.message, "it is a folder: expected a regular file");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the system refuses, or if the header is damaged, is impossible, or does not go with the file's
    /// length.
    pub fn open(path: impl AsRef<Path>, backend: Backend) -> Result<IndexFile, StoreError> {
        let path = path.as_ref();
        IndexFile::from_storage(path, Arc::new(FileReads::open(path)?), backend)
    }

    /// Opens a file as [`open`](IndexFile::open) does, but maps it: nothing is copied, searches are faster, and
    /// [`indices`](IndexReader::indices) are a slice.
    ///
    #[doc = include_str!("example.txt")]
    /// // SAFETY: no other program knows the file.
    /// let file = unsafe { IndexFile::map(&path, Backend::detect())? };
    /// assert!(file.reader::<u32>()?.indices()?.is_sorted());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Safety
    /// No program may change or shorten the file while it is mapped. This library never does: it replaces a file by
    /// another under the same name, which leaves mapped bytes alone.
    ///
    /// # Errors
    /// As for [`open`](IndexFile::open).
    #[expect(
        unsafe_code,
        reason = "whether the file may change is for the caller to say"
    )]
    pub unsafe fn map(path: impl AsRef<Path>, backend: Backend) -> Result<IndexFile, StoreError> {
        let path = path.as_ref();
        let file = open(path)?;
        // SAFETY: the caller's promise. The map is read-only, and every bit pattern is a valid word.
        let map = unsafe { Mmap::map(&file) };
        let map = map.map_err(StoreError::io(path, "map the file"))?;
        IndexFile::from_storage(path, Arc::new(map), backend)
    }

    /// The index file that this storage holds; errors call it `name`.
    ///
    /// # Errors
    /// As for [`open`](IndexFile::open).
    #[doc(hidden)]
    pub fn from_storage(
        name: &Path,
        data: Arc<dyn Storage>,
        backend: Backend,
    ) -> Result<IndexFile, StoreError> {
        let mut buffer = Vec::new();
        let begins = data.byte_count().and_then(|file_bytes| {
            let length = file_bytes.min(HEADER_BYTES as u64) as usize;
            Ok((data.bytes(0, length, &mut buffer)?, file_bytes))
        });
        let (begins, file_bytes) = begins.map_err(StoreError::io(name, READ))?;
        let header = Header::decode(name, begins, file_bytes)?;
        Ok(match header.word {
            FileWord::U32 => IndexFile::U32(IndexReader::new(name, header, data, backend)),
            FileWord::U64 => IndexFile::U64(IndexReader::new(name, header, data, backend)),
        })
    }

    /// See [`IndexReader::name`].
    pub(super) fn name(&self) -> &Path {
        with_reader!(self, file => &file.name)
    }

    /// The file's header.
    ///
    #[doc = include_str!("example.txt")]
    /// let file = IndexFile::open(&path, Backend::detect())?;
    /// let header = file.header();
    /// assert_eq!(header.contents.material.to_string(), "KRvK");
    /// assert_eq!((header.payload_bytes, header.block_count), (4 * header.count, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn header(&self) -> &Header {
        with_reader!(self, file => &file.header)
    }

    /// The reader of the file's indices, for whoever knows their word.
    ///
    #[doc = include_str!("example.txt")]
    /// let file = IndexFile::open(&path, Backend::detect())?;
    /// assert!(file.reader::<u32>().is_ok());
    /// assert_eq!(file.reader::<u64>().unwrap_err().kind, StoreErrorKind::WrongWord);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If `W` is not the file's word.
    pub fn reader<W: StoredWord>(&self) -> Result<&IndexReader<W>, StoreError> {
        let reader: &dyn Any = with_reader!(self, file => file);
        let reader = reader.downcast_ref();
        reader.ok_or_else(|| self.header().word.mismatch::<W>(self.name()))
    }

    /// Whether the indices lie in memory as words that can be looked at.
    pub(super) fn lies_in_memory(&self) -> bool {
        with_reader!(self, file => file.words_in_memory().is_some())
    }

    /// Checks that the file has the material, side to move and numbering of others, so that its indices mean
    /// the same.
    pub(super) fn check_goes_with(&self, others: &Contents) -> Result<(), StoreError> {
        let facts = |contents: &Contents| {
            let side = contents.side.map_or("not recorded", Color::name);
            [
                ("material", contents.material.to_string()),
                ("side to move", side.to_owned()),
                ("numbering", contents.numbering.to_string()),
            ]
        };
        let pairs = facts(&self.header().contents)
            .into_iter()
            .zip(facts(others));
        for ((what, found), (_, expected)) in pairs {
            if found != expected {
                let message = format!("its {what} is {found}: expected {expected}");
                return Err(StoreError::unsuitable(self.name(), message));
            }
        }
        Ok(())
    }
}

impl<W: StoredWord> IndexReader<W> {
    fn new(
        name: &Path,
        header: Header,
        data: Arc<dyn Storage>,
        backend: Backend,
    ) -> IndexReader<W> {
        IndexReader {
            name: name.to_owned(),
            header,
            same: header.contents.equivalence(),
            data,
            backend,
            table_is_good: OnceLock::new(),
        }
    }

    /// All indices, where they lie.
    ///
    /// They are as the header says only if the file is undamaged, which [`verify`](IndexFile::verify) checks.
    ///
    #[doc = include_str!("example.txt")]
    /// // SAFETY: no other program knows the file.
    /// let file = unsafe { IndexFile::map(&path, Backend::detect())? };
    /// assert_eq!(file.reader::<u32>()?.indices()?.len(), 21_959);
    /// // The bytes of a file that is read are nowhere to be looked at.
    /// let file = IndexFile::open(&path, Backend::detect())?;
    /// let error = file.reader::<u32>()?.indices().unwrap_err();
    /// assert_eq!(error.kind, StoreErrorKind::Unsuitable);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the file is compressed or does not lie in memory, or if its bytes are not aligned for words (in a map they
    /// always are).
    pub fn indices(&self) -> Result<&[W], StoreError> {
        self.words_in_memory().ok_or_else(|| {
            let reason = match self.header.compact {
                true => "the file is compressed: it can be read, but has no words to look at",
                false => "the file's words do not lie in memory, where they can be looked at: expected a map",
            };
            StoreError::unsuitable(&self.name, reason)
        })
    }

    /// All indices where they lie, if they lie in memory as words that can be looked at.
    pub(super) fn words_in_memory(&self) -> Option<&[W]> {
        let bytes = self.data.in_memory()?.get(HEADER_BYTES..)?;
        let bytes = bytes.get(..self.header.payload_bytes as usize)?;
        (!self.header.compact).then(|| bytemuck::try_cast_slice(bytes).ok())?
    }

    /// The bytes from `offset` on.
    pub(super) fn bytes_at<'a>(
        &'a self,
        offset: u64,
        length: usize,
        buffer: &'a mut Vec<u64>,
    ) -> Result<&'a [u8], StoreError> {
        let bytes = self.data.bytes(offset, length, buffer);
        bytes.map_err(StoreError::io(&self.name, READ))
    }

    /// Bytes as words, without copying.
    pub(super) fn cast<'a, T: BatchWord>(&self, bytes: &'a [u8]) -> Result<&'a [T], StoreError> {
        bytemuck::try_cast_slice(bytes).map_err(|_| {
            let align = align_of::<T>();
            let message =
                format!("the file's bytes begin at an address that is not a multiple of {align}");
            StoreError::unsuitable(&self.name, message)
        })
    }
}

/// The words by which errors call reading a file.
const READ: &str = "read the file";
