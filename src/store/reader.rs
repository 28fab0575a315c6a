//! Reading a file: opened in constant time, its words used where they lie.

use std::fs::File;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use super::error::StoreError;
use super::format::{Block, ENTRY_BYTES, HEADER_BYTES, Header};
use crate::index::Word;

/// An index file, mapped or in memory: over anything that is bytes.
///
/// Readers share nothing that changes, so any number of threads may use one.
///
/// ```no_run
/// use tbindex::store::IndexFile;
/// let file = IndexFile::open("KQvKR.tbi".as_ref())?;
/// file.verify(|_bytes| {})?;
/// let indices: &[u32] = file.indices()?;
/// println!("{} {:?}", file.header().material, indices.first());
/// # Ok::<(), tbindex::store::StoreError>(())
/// ```
#[derive(Clone, Debug)]
pub struct IndexFile<D> {
    name: PathBuf,
    header: Header,
    data: D,
}

impl IndexFile<Mmap> {
    /// Opens and maps a file. Reads its header only; see [`verify`](IndexFile::verify).
    ///
    /// The file must not be changed by others while it is mapped; see [the module](super).
    ///
    /// # Errors
    /// If the system refuses, or if the header is damaged, says what can't be, or does not go with
    /// the file's length.
    pub fn open(path: &Path) -> Result<IndexFile<Mmap>, StoreError> {
        let file = File::open(path).map_err(StoreError::io(path, "open the file"))?;
        let kind = file
            .metadata()
            .map_err(StoreError::io(path, "open the file"))?;
        if kind.is_dir() {
            let source = std::io::Error::from(std::io::ErrorKind::IsADirectory);
            return Err(StoreError::io(path, "open the file")(source));
        }
        #[expect(unsafe_code, reason = "mapping a file is what this module is for")]
        // SAFETY: the map is read-only. What makes mapping unsafe is that someone may change the file
        // behind it. This library never does: a published file is only ever replaced by a rename,
        // which leaves mapped bytes alone. Other programs are asked not to in the documentation of
        // this function and of the module. Every bit pattern is a valid word, and everything in the
        // header is copied out before it is checked and used.
        let map = unsafe { Mmap::map(&file) }.map_err(StoreError::io(path, "map the file"))?;
        IndexFile::from_bytes(path, map)
    }
}

impl<D: AsRef<[u8]>> IndexFile<D> {
    /// The index file that these bytes are; `name` is what errors call it.
    ///
    /// # Errors
    /// As for [`open`](IndexFile::open).
    pub fn from_bytes(name: impl Into<PathBuf>, data: D) -> Result<IndexFile<D>, StoreError> {
        let name = name.into();
        let bytes = data.as_ref();
        let header = Header::decode(&name, bytes, bytes.len() as u64)?;
        Ok(IndexFile { name, header, data })
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

    /// All indices, where they lie.
    ///
    /// They are as the header says only if the file is undamaged: [`verify`](IndexFile::verify) tells.
    ///
    /// # Errors
    /// If `W` is not the file's word, or the bytes are so placed in memory that they can't be words
    /// (a map or an aligned buffer never is).
    pub fn indices<W: Word>(&self) -> Result<&[W], StoreError> {
        if W::BITS != self.header.word_bits {
            return Err(StoreError::WrongWord {
                path: self.name.clone(),
                found: W::BITS,
                expected: self.header.word_bits,
            });
        }
        let payload = &self.bytes()[HEADER_BYTES..][..self.header.payload_bytes as usize];
        bytemuck::try_cast_slice(payload).map_err(|_| StoreError::Misaligned {
            path: self.name.clone(),
            expected: align_of::<W>(),
        })
    }

    /// All bytes of the file.
    pub(super) fn bytes(&self) -> &[u8] {
        self.data.as_ref()
    }

    /// The block table's bytes.
    pub(super) fn table(&self) -> &[[u8; ENTRY_BYTES]] {
        let start = self.header.table_offset() as usize;
        bytemuck::cast_slice(&self.bytes()[start..])
    }

    /// The entry of a block in the block table, as it stands there.
    ///
    /// # Panics
    /// If there is no such block.
    #[must_use]
    pub fn block(&self, number: u64) -> Block {
        Block::decode(&self.table()[number as usize])
    }
}
