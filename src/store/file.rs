//! An index file that was opened.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use memmap2::Mmap;

use super::contents::{Contents, of_word};
use super::error::StoreError;
use super::format::HEADER_BYTES;
use super::header::Header;
use super::storage::{FileReads, Storage, open};
use crate::batch::{Backend, BatchWord};
use crate::board::Color;

/// An index file, mapped or read piece by piece.
///
/// Any number of threads may read it at the same time. Its blocks are decoded and checked by the backend that it was
/// opened with. A clone shares the storage.
///
/// ```no_run
/// use tbindex::batch::Backend;
/// use tbindex::store::{IndexFile, unwatched};
/// let file = IndexFile::open("KQvKR.tbi", Backend::detect())?;
/// let threads = 2;
/// file.verify(threads, &mut unwatched)?;
/// let first = file.iter::<u32>()?.next().transpose()?;
/// println!("{} {first:?}", file.header().contents.material);
/// # Ok::<(), tbindex::store::StoreError>(())
/// ```
///
/// Methods with a parameter `W` take the word of the file, which [`Header::word`] says. So whoever does not know it
/// chooses once:
///
/// ```no_run
/// # use tbindex::batch::Backend;
/// # use tbindex::store::{FileWord, IndexFile, StoreError};
/// fn first<W: tbindex::store::StoredWord>(file: &IndexFile) -> Result<Option<u64>, StoreError> {
///     let first = file.iter::<W>()?.next().transpose()?;
///     Ok(first.map(tbindex::Word::to_u64))
/// }
/// let file = IndexFile::open("KQvKR.tbi", Backend::detect())?;
/// let first = match file.header().word {
///     FileWord::U32 => first::<u32>(&file)?,
///     FileWord::U64 => first::<u64>(&file)?,
/// };
/// # Ok::<(), StoreError>(())
/// ```
#[derive(Clone)]
pub struct IndexFile {
    name: PathBuf,
    header: Header,
    data: Arc<dyn Storage>,
    /// The backend that the file was opened with.
    pub(super) backend: Backend,
    /// Set once the block table was found to have its checksum.
    pub(super) table_is_good: OnceLock<()>,
}

impl fmt::Debug for IndexFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexFile")
            .field("name", &self.name)
            .field("header", &self.header)
            .finish_non_exhaustive()
    }
}

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
        IndexFile::from_storage(path, FileReads::open(path)?, backend)
    }

    /// Opens a file as [`open`](IndexFile::open) does, but maps it: nothing is copied, searches are faster, and
    /// [`indices`](IndexFile::indices) are a slice.
    ///
    #[doc = include_str!("example.txt")]
    /// // SAFETY: no other program knows the file.
    /// let file = unsafe { IndexFile::map(&path, Backend::detect())? };
    /// assert!(file.indices::<u32>()?.is_sorted());
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
        IndexFile::from_storage(path, map, backend)
    }

    /// The index file that this storage holds; errors call it `name`.
    ///
    /// # Errors
    /// As for [`open`](IndexFile::open).
    #[doc(hidden)]
    pub fn from_storage(
        name: impl Into<PathBuf>,
        data: impl Storage + 'static,
        backend: Backend,
    ) -> Result<IndexFile, StoreError> {
        let name = name.into();
        let mut buffer = Vec::new();
        let begins = data.byte_count().and_then(|file_bytes| {
            let length = file_bytes.min(HEADER_BYTES as u64) as usize;
            Ok((data.bytes(0, length, &mut buffer)?, file_bytes))
        });
        let (begins, file_bytes) = begins.map_err(StoreError::io(&name, READ))?;
        let header = Header::decode(&name, begins, file_bytes)?;
        Ok(IndexFile {
            name,
            header,
            data: Arc::new(data),
            backend,
            table_is_good: OnceLock::new(),
        })
    }

    /// The name that errors call the file: its path, if it was opened.
    pub(super) fn name(&self) -> &Path {
        &self.name
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
        &self.header
    }

    /// All indices, where they lie.
    ///
    /// They are as the header says only if the file is undamaged, which [`verify`](IndexFile::verify) checks.
    ///
    #[doc = include_str!("example.txt")]
    /// // SAFETY: no other program knows the file.
    /// let file = unsafe { IndexFile::map(&path, Backend::detect())? };
    /// assert_eq!(file.indices::<u32>()?.len(), 21_959);
    /// // The bytes of a file that is read are nowhere to be looked at.
    /// let error = IndexFile::open(&path, Backend::detect())?.indices::<u32>().unwrap_err();
    /// assert_eq!(error.kind, StoreErrorKind::Unsuitable);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If `W` is not the file's word, if the file is compressed or does not lie in memory, or if its bytes are not
    /// aligned for words (in a map they always are).
    pub fn indices<W: BatchWord>(&self) -> Result<&[W], StoreError> {
        self.check_word::<W>()?;
        self.words_in_memory().ok_or_else(|| {
            let reason = match self.header.compact {
                true => "the file is compressed: it can be read, but has no words to look at",
                false => "the file's words do not lie in memory, where they can be looked at: expected a map",
            };
            StoreError::unsuitable(&self.name, reason)
        })
    }

    /// All indices where they lie, if they lie in memory as words `W` that can be looked at.
    pub(super) fn words_in_memory<W: BatchWord>(&self) -> Option<&[W]> {
        let bytes = self.data.in_memory()?.get(HEADER_BYTES..)?;
        let bytes = bytes.get(..self.header.payload_bytes as usize)?;
        (!self.header.compact && W::BITS == self.header.word.bits())
            .then(|| bytemuck::try_cast_slice(bytes).ok())?
    }

    /// Whether the indices lie in memory as words that can be looked at.
    pub(super) fn lies_in_memory(&self) -> bool {
        of_word!(self.header.word, W => self.words_in_memory::<W>().is_some())
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
        let pairs = facts(&self.header.contents).into_iter().zip(facts(others));
        for ((what, found), (_, expected)) in pairs {
            if found != expected {
                let message = format!("its {what} is {found}: expected {expected}");
                return Err(StoreError::unsuitable(&self.name, message));
            }
        }
        Ok(())
    }

    /// Checks that `W` is the word of the file.
    pub(super) fn check_word<W: BatchWord>(&self) -> Result<(), StoreError> {
        self.header.word.check::<W>(&self.name)
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
    pub(super) fn cast<'a, W: BatchWord>(&self, bytes: &'a [u8]) -> Result<&'a [W], StoreError> {
        bytemuck::try_cast_slice(bytes).map_err(|_| {
            let align = align_of::<W>();
            let message =
                format!("the file's bytes begin at an address that is not a multiple of {align}");
            StoreError::unsuitable(&self.name, message)
        })
    }
}

/// The words by which errors call reading a file.
const READ: &str = "read the file";
