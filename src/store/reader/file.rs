//! An index file that was opened, and its bytes.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use memmap2::Mmap;

use super::super::contents::Contents;
use super::super::error::{StoreError, StoreErrorKind};
use super::super::format::HEADER_BYTES;
use super::super::header::Header;
use super::super::regular::{check_is_file, open_at_once};
use super::super::storage::{Access, AnyStorage, FileReads, Storage};
use crate::board::Color;
use crate::index::Word;

/// An index file, over anything that is [`Storage`]: mapped, in memory, or read piece by piece.
///
/// Any number of threads may read it at the same time.
///
/// ```no_run
/// use tbindex::store::{IndexFile, unwatched};
/// let file = IndexFile::open("KQvKR.tbi")?;
/// let threads = 2;
/// file.verify(threads, unwatched)?;
/// let first = file.iter::<u32>()?.next().transpose()?;
/// println!("{} {first:?}", file.header().material);
/// # Ok::<(), tbindex::store::StoreError>(())
/// ```
#[derive(Clone, Debug)]
pub struct IndexFile<D> {
    name: PathBuf,
    header: Header,
    data: D,
    /// Set once the block table was found to be what its checksum says.
    table_is_good: OnceLock<()>,
}

impl IndexFile<FileReads> {
    /// Opens a file, which is read when it is needed. Only its header is read now; [`verify`](IndexFile::verify)
    /// checks the rest.
    ///
    /// # Errors
    /// If the system refuses, or if the header is damaged, is impossible, or does not go with the file's
    /// length.
    pub fn open(path: impl AsRef<Path>) -> Result<IndexFile<FileReads>, StoreError> {
        let path = path.as_ref();
        IndexFile::from_storage(path, FileReads::open(path)?)
    }
}

impl IndexFile<Mmap> {
    /// Opens a file as [`open`](IndexFile::open) does, but maps it: nothing is copied, searches are faster, and
    /// [`indices`](IndexFile::indices) are a slice.
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
    pub unsafe fn map(path: impl AsRef<Path>) -> Result<IndexFile<Mmap>, StoreError> {
        let path = path.as_ref();
        // SAFETY: the caller's promise.
        IndexFile::from_storage(path, unsafe { map(path, &open(path)?)? })
    }
}

impl FileReads {
    /// Opens a file to read from.
    ///
    /// # Errors
    /// If the system refuses, or if it is no regular file.
    pub fn open(path: impl AsRef<Path>) -> Result<FileReads, StoreError> {
        open(path.as_ref()).map(FileReads::new)
    }
}

impl AnyStorage {
    /// Opens any file for its bytes, which are mapped or read as `access` says.
    ///
    /// # Safety
    /// If it is mapped, as for [`IndexFile::map`].
    ///
    /// # Errors
    /// If the system refuses, or if it is no regular file.
    #[expect(
        unsafe_code,
        reason = "whether the file may change is for the caller to say"
    )]
    pub unsafe fn open(path: impl AsRef<Path>, access: Access) -> Result<AnyStorage, StoreError> {
        let path = path.as_ref();
        let file = open(path)?;
        Ok(match access {
            // SAFETY: the caller's promise.
            Access::Map => AnyStorage::Map(unsafe { map(path, &file)? }),
            Access::Read => AnyStorage::Read(FileReads::new(file)),
        })
    }
}

fn open(path: &Path) -> Result<File, StoreError> {
    let io = StoreError::io(path, "open the file");
    // Asked before it is opened, because opening some things has effects, and again afterwards, in case it
    // was exchanged in between. Opening a pipe does not wait for its other end.
    check_is_file(path, &fs::metadata(path).map_err(&io)?)?;
    let file = open_at_once(File::options().read(true), path).map_err(&io)?;
    check_is_file(path, &file.metadata().map_err(&io)?)?;
    Ok(file)
}

/// # Safety
/// As for [`IndexFile::map`].
#[expect(unsafe_code, reason = "mapping a file is what this module is for")]
unsafe fn map(path: &Path, file: &File) -> Result<Mmap, StoreError> {
    // SAFETY: the caller's promise. The map is read-only, and every bit pattern is a valid word.
    let map = unsafe { Mmap::map(file) };
    map.map_err(StoreError::io(path, "map the file"))
}

impl<D: Storage> IndexFile<D> {
    /// The index file that this storage holds; `name` is what errors call it.
    ///
    /// # Errors
    /// As for [`open`](IndexFile::open).
    pub fn from_storage(name: impl Into<PathBuf>, data: D) -> Result<IndexFile<D>, StoreError> {
        let name = name.into();
        let read =
            |length: usize, buffer: &mut Vec<u64>| data.bytes(0, length, buffer).map(Vec::from);
        let file_bytes = data
            .byte_count()
            .map_err(StoreError::io(&name, "read the file"))?;
        let begins = read(
            file_bytes.min(HEADER_BYTES as u64) as usize,
            &mut Vec::new(),
        )
        .map_err(StoreError::io(&name, "read the file"))?;
        let header = Header::decode(&name, &begins, file_bytes)?;
        Ok(IndexFile {
            name,
            header,
            data,
            table_is_good: OnceLock::new(),
        })
    }

    /// The name that errors call the file: its path, if it was opened.
    #[must_use]
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// What the file says of itself.
    #[must_use]
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// Whether the block table was found to be what its checksum says.
    pub(super) fn table_is_good(&self) -> bool {
        self.table_is_good.get().is_some()
    }

    /// Remembers that the block table is what its checksum says.
    pub(super) fn note_good_table(&self) {
        // Several threads may have found so at once.
        let _ = self.table_is_good.set(());
    }

    /// Checks that the file has the material and the side to move of others.
    pub(in crate::store) fn check_material_and_side(
        &self,
        others: &Contents,
    ) -> Result<(), StoreError> {
        let different = |what: &'static str, found: String, expected: String| {
            Err(StoreErrorKind::OtherContents {
                what,
                found,
                expected,
            }
            .at(&self.name))
        };
        let (found, expected) = (self.header.material, others.material);
        if found != expected {
            return different("material", found.to_string(), expected.to_string());
        }
        let (found, expected) = (self.header.side, others.side);
        if found != expected {
            let name = |side: Option<Color>| side.map_or("not recorded", Color::name).to_owned();
            return different("side to move", name(found), name(expected));
        }
        Ok(())
    }

    /// Checks that the file has the material, side to move and numbering of others, so that its indices mean
    /// the same.
    pub(in crate::store) fn check_goes_with(&self, others: &Contents) -> Result<(), StoreError> {
        self.check_material_and_side(others)?;
        let (found, expected) = (self.header.numbering, others.numbering);
        if found == expected {
            return Ok(());
        }
        Err(StoreErrorKind::OtherContents {
            what: "numbering",
            found: found.to_string(),
            expected: expected.to_string(),
        }
        .at(&self.name))
    }

    /// Checks that `W` is the word of the file.
    pub(in crate::store) fn check_word<W: Word>(&self) -> Result<(), StoreError> {
        if W::BITS == self.header.word_bits {
            return Ok(());
        }
        Err(StoreErrorKind::WrongWord {
            found: W::BITS,
            expected: self.header.word_bits,
        }
        .at(&self.name))
    }

    /// All indices where they lie, provided that they lie in memory as plain words.
    pub(in crate::store) fn words_in_memory<W: Word>(&self) -> Option<&[W]> {
        let bytes = self.data.in_memory()?.get(HEADER_BYTES..)?;
        let bytes = bytes.get(..self.header.payload_bytes as usize)?;
        (!self.header.compact && W::BITS == self.header.word_bits)
            .then(|| bytemuck::try_cast_slice(bytes).ok())?
    }

    /// The bytes from `offset` on.
    pub(in crate::store) fn bytes_at<'a>(
        &'a self,
        offset: u64,
        length: usize,
        buffer: &'a mut Vec<u64>,
    ) -> Result<&'a [u8], StoreError> {
        self.data
            .bytes(offset, length, buffer)
            .map_err(StoreError::io(&self.name, "read the file"))
    }

    /// Bytes as words, without copying.
    pub(in crate::store) fn cast<'a, W: Word>(
        &self,
        bytes: &'a [u8],
    ) -> Result<&'a [W], StoreError> {
        bytemuck::try_cast_slice(bytes).map_err(|_| {
            StoreErrorKind::Misaligned {
                expected: align_of::<W>(),
            }
            .at(&self.name)
        })
    }
}

impl<D: AsRef<[u8]>> IndexFile<D> {
    /// The index file that these bytes are; `name` is what errors call it.
    ///
    /// # Errors
    /// As for [`open`](IndexFile::open).
    pub fn from_bytes(name: impl Into<PathBuf>, data: D) -> Result<IndexFile<D>, StoreError> {
        IndexFile::from_storage(name, data)
    }

    /// All indices, where they lie.
    ///
    /// They are as the header says only if the file is undamaged, which [`verify`](IndexFile::verify) checks.
    ///
    /// # Errors
    /// If `W` is not the file's word, if the file is compressed, or if the bytes are not aligned for words
    /// (in a map they always are).
    pub fn indices<W: Word>(&self) -> Result<&[W], StoreError> {
        self.check_word::<W>()?;
        if self.header.compact {
            return Err(StoreErrorKind::Compact.at(&self.name));
        }
        self.cast(&self.data.as_ref()[HEADER_BYTES..][..self.header.payload_bytes as usize])
    }
}
