//! The writer of a file, which takes slices and publishes the file in one step.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::PathBuf;

use super::StoredWord;
use super::checks::{check_canonical, check_order, out_of_range, scan};
use super::contents::Contents;
use super::disk::{Overwrite, PartialFile, WRITE, unfinished};
use super::elias_fano;
use super::error::StoreError;
use super::format::{Block, COMPACT_BLOCK_ITEMS, ENTRY_BYTES, HEADER_BYTES, PLAIN_BLOCK_BYTES};
use super::header::{Header, check_endian};
use crate::batch::Backend;
use crate::index::{Equivalence, Layout};

/// The path of a new file of indices, and the way in which it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The name that the file will have.
    pub path: PathBuf,
    /// The treatment of a file that has the name already.
    pub overwrite: Overwrite,
    /// Whether the indices, which must be sorted, are stored compressed, in about 2 + log2(64ⁿ / count) bits each.
    pub compact: bool,
}

impl Target {
    /// A file that is not compressed.
    ///
    /// ```
    /// # use tbindex::store::{Overwrite, Target};
    /// let target = Target::plain("KRvK.tbi", Overwrite::Refuse);
    /// let small = Target { compact: true, ..target.clone() };
    /// assert!(!target.compact && small.path == target.path);
    /// ```
    #[must_use]
    pub fn plain(path: impl Into<PathBuf>, overwrite: Overwrite) -> Target {
        Target {
            path: path.into(),
            overwrite,
            compact: false,
        }
    }
}

/// A file that is being written. Dropped before [`finish`](IndexWriter::finish), it leaves nothing behind.
///
/// ```
/// use tbindex::batch::Backend;
/// use tbindex::store::{Contents, IndexFile, IndexWriter, Overwrite, Target};
/// use tbindex::Numbering;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("two-kings.tbi");
/// let contents = Contents::new("KvK".parse()?, Numbering::Natural);
/// let target = Target::plain(&path, Overwrite::Refuse);
/// let mut writer = IndexWriter::<u32>::create(&target, contents, Backend::detect())?;
/// writer.write(&[0o4562, 0o0077])?;
/// let header = writer.finish()?;
/// assert_eq!(header.count, 2);
/// let file = IndexFile::open(&path, Backend::detect())?;
/// assert_eq!(file.reader::<u32>()?.iter().next().transpose()?, Some(0o4562));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct IndexWriter<W> {
    file: PartialFile,
    contents: Contents,
    layout: Layout<W>,
    backend: Backend,
    /// Indices of a block that is not full yet.
    pending: Vec<W>,
    /// The last index that was taken in.
    last: Option<W>,
    /// The claims that are true of the indices so far, if the file is to make them, and the equivalence of positions.
    observed: Option<(Contents, Equivalence<W>)>,
    count: u64,
    /// Room for a compressed block, if the payload is to be compact.
    compact: Option<Vec<u64>>,
    payload_bytes: u64,
    table: Vec<u8>,
    /// Whether an earlier write was refused, so that something is missing.
    failed: bool,
}

impl<W: StoredWord> IndexWriter<W> {
    /// Begins a file. It will have the target's name once it is finished.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::store::{Contents, IndexWriter, Overwrite, Target};
    /// # use tbindex::Numbering;
    /// let contents = Contents::new("KRvK".parse()?, Numbering::Natural);
    /// let target = Target::plain("KRvK.tbi", Overwrite::Refuse);
    /// let error = IndexWriter::<u64>::create(&target, contents, Backend::detect()).unwrap_err();
    /// assert!(error.message.ends_with("this file's material takes words of 32 bits"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the material has more than 10 pieces or does not go with the word, if the contents are
    /// called distinct but not sorted, if a compressed file is not called sorted, on a big-endian machine, and as for
    /// [`PartialFile::create`].
    pub fn create(
        target: &Target,
        contents: Contents,
        backend: Backend,
    ) -> Result<IndexWriter<W>, StoreError> {
        let path = &target.path;
        check_endian(path)?;
        contents.check::<W>(path)?;
        if target.compact && !contents.sorted {
            let message = "a compressed file must say that its indices are sorted";
            return Err(StoreError::unsuitable(path, message));
        }
        let mut file = PartialFile::create(path, target.overwrite)?;
        file.write_all(&[0u8; HEADER_BYTES])
            .map_err(StoreError::io(path, WRITE))?;
        crate::fail_point!("store::writer_created");
        Ok(IndexWriter {
            file,
            contents,
            layout: Layout::new(contents.material.piece_count(), contents.numbering),
            backend,
            pending: Vec::new(),
            last: None,
            observed: None,
            count: 0,
            compact: target.compact.then(Vec::new),
            payload_bytes: 0,
            table: Vec::new(),
            failed: false,
        })
    }

    /// The number of indices that a block holds.
    const fn block_items(&self) -> usize {
        match self.compact {
            Some(_) => COMPACT_BLOCK_ITEMS,
            None => PLAIN_BLOCK_BYTES / size_of::<W>(),
        }
    }

    /// The same writer, but its file will claim the properties that the indices turn out to have: sorted, distinct
    /// (of sorted indices only), canonical. This costs the calculation of a canonical form for each index.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::store::{Contents, IndexWriter, Overwrite, Target};
    /// # use tbindex::Numbering;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("KvK.tbi");
    /// let contents = Contents::new("KvK".parse()?, Numbering::Natural);
    /// let target = Target::plain(&path, Overwrite::Refuse);
    /// let mut writer = IndexWriter::<u32>::create(&target, contents, Backend::detect())?.observing();
    /// writer.write(&[0o0013, 0o0013, 0o7700])?;
    /// let found = writer.finish()?.contents;
    /// assert_eq!((found.sorted, found.distinct, found.canonical), (true, false, false));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If indices were written already.
    #[must_use]
    pub fn observing(mut self) -> IndexWriter<W> {
        assert!(self.count == 0, "observing begins with the first index");
        self.observed = Some((self.contents.reduced(), self.contents.equivalence()));
        self
    }

    /// The number of indices that were written so far.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::store::{Contents, IndexWriter, Overwrite, Target};
    /// # use tbindex::Numbering;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("KvK.tbi");
    /// # let contents = Contents::new("KvK".parse()?, Numbering::Natural);
    /// # let target = Target::plain(&path, Overwrite::Refuse);
    /// let mut writer = IndexWriter::<u32>::create(&target, contents, Backend::detect())?;
    /// writer.write(&[0o4562, 0o0077])?;
    /// writer.write(&[0o0013])?;
    /// assert_eq!(writer.count(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Checks that the disk has room for so many more indices. Nothing is checked for compressed indices, whose
    /// size is not known beforehand.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::store::{Contents, IndexWriter, Overwrite, StoreErrorKind, Target};
    /// # use tbindex::Numbering;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("KRBNvKRBN.tbi");
    /// # let contents = Contents::new("KRBNvKRBN".parse()?, Numbering::Natural);
    /// # let target = Target::plain(&path, Overwrite::Refuse);
    /// let writer = IndexWriter::<u64>::create(&target, contents, Backend::detect())?;
    /// // All placements of eight pieces take two petabytes.
    /// let error = writer.check_space(64u128.pow(8)).unwrap_err();
    /// assert!(matches!(error.kind, StoreErrorKind::TooLittleSpace { .. }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the disk lacks the room, or the system does not say how much there is.
    pub fn check_space(&self, indices: u128) -> Result<(), StoreError> {
        if self.compact.is_some() {
            return Ok(());
        }
        let payload = indices.saturating_mul(size_of::<W>() as u128);
        let blocks = payload.div_ceil(PLAIN_BLOCK_BYTES as u128);
        let bytes = payload.saturating_add(blocks * ENTRY_BYTES as u128 + HEADER_BYTES as u128);
        self.file
            .check_space(u64::try_from(bytes).unwrap_or(u64::MAX))
    }

    /// Appends indices.
    ///
    /// They are checked: bits above the digits must be zero, and the order must be as the contents
    /// claim. Whether they are canonical is not checked here, but by [`verify`](super::IndexFile::verify).
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::store::{Contents, IndexWriter, Overwrite, StoreErrorKind, Target};
    /// # use tbindex::Numbering;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("KvK.tbi");
    /// let contents = Contents::new("KvK".parse()?, Numbering::Natural).reduced();
    /// # let target = Target::plain(&path, Overwrite::Refuse);
    /// let mut writer = IndexWriter::<u32>::create(&target, contents, Backend::detect())?;
    /// writer.write(&[0o0013, 0o0022])?;
    /// let error = writer.write(&[0o0030, 0o0022]).unwrap_err();
    /// assert_eq!(error.kind, StoreErrorKind::OutOfOrder { index: 0o0022 });
    /// assert_eq!(error.position, Some(3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If an index is invalid or out of order (the error names its position), or if the system refuses.
    /// After an error the writer can only be dropped.
    pub fn write(&mut self, indices: &[W]) -> Result<(), StoreError> {
        let written = W::append(self, indices);
        self.failed |= written.is_err();
        written
    }

    pub(super) fn append(&mut self, indices: &[W]) -> Result<(), StoreError> {
        let (path, last, backend) = (self.file.path(), self.last, self.backend);
        let claims = self
            .observed
            .as_ref()
            .map_or(self.contents, |(claims, _)| *claims);
        let (bits, ascend) = scan(last, indices, claims.distinct, backend);
        if !self.layout.is_valid(bits) {
            return Err(out_of_range(path, self.layout, self.count, indices));
        }
        if !ascend {
            check_order(path, &self.contents, self.count, last, indices)?;
        }
        if let Some((claims, same)) = &mut self.observed {
            // A false claim stays false.
            if !ascend {
                claims.sorted =
                    claims.sorted && claims.distinct && scan(last, indices, false, backend).1;
                claims.distinct = false;
            }
            claims.canonical =
                claims.canonical && check_canonical(path, same, 0, indices, backend).is_ok();
        }
        let block_items = self.block_items();
        let mut rest = indices;
        while !rest.is_empty() {
            let room = block_items - self.pending.len();
            let (part, after) = rest.split_at(room.min(rest.len()));
            rest = after;
            // Whole blocks are written without being copied.
            if part.len() == block_items {
                self.write_block(part)?;
                continue;
            }
            self.pending.extend_from_slice(part);
            if self.pending.len() == block_items {
                self.write_pending()?;
            }
        }
        self.last = indices.last().copied().or(self.last);
        self.count += indices.len() as u64;
        Ok(())
    }

    /// Completes the file and publishes it under its name.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::store::{Contents, IndexWriter, Overwrite, Target};
    /// # use tbindex::Numbering;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("KvK.tbi");
    /// # let contents = Contents::new("KvK".parse()?, Numbering::Natural);
    /// # let target = Target::plain(&path, Overwrite::Refuse);
    /// let mut writer = IndexWriter::<u32>::create(&target, contents, Backend::detect())?;
    /// writer.write(&[0o4562, 0o0077])?;
    /// assert!(!path.exists());
    /// let header = writer.finish()?;
    /// assert_eq!(path.metadata()?.len(), header.file_bytes());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`PartialFile::finish`], and if an earlier [`write`](IndexWriter::write) was refused. Then
    /// there is no new file.
    pub fn finish(self) -> Result<Header, StoreError> {
        W::finish(self)
    }

    pub(super) fn complete(mut self) -> Result<Header, StoreError> {
        if self.failed {
            return Err(unfinished(self.file.path()));
        }
        self.write_pending()?;
        if let Some((claims, _)) = &self.observed {
            self.contents.canonical |= claims.canonical;
            self.contents.sorted |= claims.sorted;
            self.contents.distinct |= claims.distinct;
        }
        let header = Header::new(
            &self.contents,
            self.compact.is_some(),
            self.count,
            self.payload_bytes,
            crc32fast::hash(&self.table),
        );
        let padding = header.table_offset() - HEADER_BYTES as u64 - header.payload_bytes;
        let mut complete = || -> io::Result<()> {
            let file = &mut self.file;
            file.write_all(&[0u8; 64][..padding as usize])?;
            file.write_all(&self.table)?;
            file.seek(SeekFrom::Start(0))?;
            file.write_all(bytemuck::bytes_of(&header.encode()))
        };
        complete().map_err(StoreError::io(self.file.path(), WRITE))?;
        self.file.finish()?;
        Ok(header)
    }

    fn write_pending(&mut self) -> Result<(), StoreError> {
        let mut block = std::mem::take(&mut self.pending);
        if !block.is_empty() {
            self.write_block(&block)?;
        }
        block.clear();
        self.pending = block;
        Ok(())
    }

    fn write_block(&mut self, indices: &[W]) -> Result<(), StoreError> {
        let (bytes, parameter): (&[u8], u32) = match &mut self.compact {
            None => (bytemuck::cast_slice(indices), 0),
            Some(words) => {
                words.clear();
                let low_bits = elias_fano::encode(indices, words);
                (bytemuck::cast_slice(words), low_bits)
            }
        };
        let entry = Block {
            offset: HEADER_BYTES as u64 + self.payload_bytes,
            first: indices[0].to_u64(),
            bytes: bytes.len() as u32,
            items: indices.len() as u32,
            checksum: crc32fast::hash(bytes),
            parameter,
        };
        self.payload_bytes += bytes.len() as u64;
        self.table.extend_from_slice(bytemuck::bytes_of(&entry));
        let written = self.file.write_all(bytes);
        crate::fail_point!("store::block_written");
        written.map_err(StoreError::io(self.file.path(), WRITE))
    }
}
