//! Reading a file: opened in constant time, its words used where they lie.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use super::block_check::BlockCheck;
use super::compact::{CompactBlock, Fault};
use super::contents::Contents;
use super::error::{Part, StoreError};
use super::format::{Block, ENTRY_BYTES, HEADER_BYTES};
use super::header::Header;
use super::partial::{check_is_file, open_at_once};
use super::storage::{Access, AnyStorage, FileReads, Storage};
use super::writer::{check_order, check_range, to_u64};
use crate::board::Color;
use crate::index::{Layout, Word};

/// An index file, mapped, in memory or read piece by piece: over anything that is [`Storage`].
///
/// Readers share nothing that changes, so any number of threads may use one.
///
/// ```no_run
/// use tbindex::store::IndexFile;
/// let file = IndexFile::open("KQvKR.tbi")?;
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
    pub fn open(path: impl AsRef<Path>) -> Result<IndexFile<Mmap>, StoreError> {
        let path = path.as_ref();
        IndexFile::from_storage(path, map(path, &open(path)?)?)
    }
}

impl IndexFile<AnyStorage> {
    /// Opens a file to be mapped or to be read.
    ///
    /// # Errors
    /// As for [`open`](IndexFile::open).
    pub fn open_by(
        path: impl AsRef<Path>,
        access: Access,
    ) -> Result<IndexFile<AnyStorage>, StoreError> {
        let path = path.as_ref();
        IndexFile::from_storage(path, AnyStorage::open(path, access)?)
    }
}

impl AnyStorage {
    /// The bytes of any file, to be mapped or to be read. A mapped file must not be changed by
    /// others; see [the module](super).
    ///
    /// # Errors
    /// If the system refuses.
    pub fn open(path: impl AsRef<Path>, access: Access) -> Result<AnyStorage, StoreError> {
        let path = path.as_ref();
        let file = open(path)?;
        Ok(match access {
            Access::Map => AnyStorage::Map(map(path, &file)?),
            Access::Read => AnyStorage::Read(FileReads::new(file)),
        })
    }
}

fn open(path: &Path) -> Result<File, StoreError> {
    let io = StoreError::io_of(path, "open the file");
    // Asked before it is opened, because opening some things does something to them, and afterwards, in
    // case it was exchanged in between; nothing waits for the other end of a pipe.
    check_is_file(path, &fs::metadata(path).map_err(&io)?)?;
    let file = open_at_once(File::options().read(true), path).map_err(&io)?;
    check_is_file(path, &file.metadata().map_err(&io)?)?;
    Ok(file)
}

fn map(path: &Path, file: &File) -> Result<Mmap, StoreError> {
    #[expect(unsafe_code, reason = "mapping a file is what this module is for")]
    // SAFETY: the map is read-only. What makes mapping unsafe is that someone may change the file
    // behind it. This library never does: a published file is only ever replaced by a rename,
    // which leaves mapped bytes alone. Other programs are asked not to in the documentation of
    // `IndexFile::open` and of the module. Every bit pattern is a valid word, and everything in the
    // header and in the block table is copied out before it is checked and used.
    let map = unsafe { Mmap::map(file) };
    map.map_err(StoreError::io(path, "map the file"))
}

/// Room for one block; to be kept from block to block.
#[derive(Clone, Debug, Default)]
pub struct BlockBuffer<W> {
    bytes: Vec<u64>,
    words: Vec<W>,
}

impl<W> BlockBuffer<W> {
    /// A buffer that holds nothing yet.
    #[must_use]
    pub const fn new() -> BlockBuffer<W> {
        BlockBuffer {
            bytes: Vec::new(),
            words: Vec::new(),
        }
    }

    /// The indices of the compact block that was read last.
    pub(super) fn decoded(&self) -> &[W] {
        &self.words
    }
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

    /// Checks that the file goes with others: that it has the same material, and the same side to move.
    pub(super) fn check_material_and_side(&self, others: &Contents) -> Result<(), StoreError> {
        let different = |what: &'static str, found: String, expected: String| {
            Err(StoreError::OtherContents {
                path: self.name.clone(),
                what,
                found,
                expected,
            })
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

    /// Checks that the file's indices mean the same as others: that they have the same material, side
    /// to move and numbering.
    pub(super) fn check_goes_with(&self, others: &Contents) -> Result<(), StoreError> {
        self.check_material_and_side(others)?;
        let (found, expected) = (self.header.numbering, others.numbering);
        if found == expected {
            return Ok(());
        }
        Err(StoreError::OtherContents {
            path: self.name.clone(),
            what: "numbering",
            found: found.to_string(),
            expected: expected.to_string(),
        })
    }

    /// All indices where they lie, if they lie in memory as plain words.
    pub(super) fn words_in_memory<W: Word>(&self) -> Option<&[W]> {
        let bytes = self.data.in_memory()?.get(HEADER_BYTES..)?;
        let bytes = bytes.get(..self.header.payload_bytes as usize)?;
        (!self.header.compact && W::BITS == self.header.word_bits)
            .then(|| bytemuck::try_cast_slice(bytes).ok())?
    }

    /// The bytes from `offset` on.
    pub(super) fn bytes_at<'a>(
        &'a self,
        offset: u64,
        length: usize,
        buffer: &'a mut Vec<u64>,
    ) -> Result<&'a [u8], StoreError> {
        self.data
            .bytes(offset, length, buffer)
            .map_err(StoreError::io(&self.name, "read the file"))
    }

    /// The entry of a block in the block table. What it says of the block's place and size is checked;
    /// the rest only the payload can tell.
    ///
    /// # Errors
    /// If the entry says what can't be, or the file can't be read.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn block(&self, number: u64) -> Result<Block, StoreError> {
        assert!(
            number < self.header.block_count,
            "there is no block {number}"
        );
        let mut buffer = Vec::new();
        let offset = self.header.table_offset() + number * ENTRY_BYTES as u64;
        let bytes = self.bytes_at(offset, ENTRY_BYTES, &mut buffer)?;
        let block = Block::decode(bytes.first_chunk().expect("that many were asked for"));
        self.check_entry(number, &block)?;
        Ok(block)
    }

    fn check_entry(&self, number: u64, block: &Block) -> Result<(), StoreError> {
        let wrong = |field: &'static str, found: u64, expected: String| {
            StoreError::field(&self.name, Part::Entry(number), field, found, expected)
        };
        let expect = |field: &'static str, found: u64, expected: u64| match found == expected {
            true => Ok(()),
            false => Err(wrong(field, found, expected.to_string())),
        };
        expect(
            "items",
            block.items.into(),
            self.header.items_in(number).into(),
        )?;
        if !self.header.compact {
            let expected = Block::plain(&self.header, number);
            expect("offset", block.offset, expected.offset)?;
            expect("length", block.bytes.into(), expected.bytes.into())?;
            return expect("parameter", block.parameter.into(), 0);
        }
        let (start, end) = (
            HEADER_BYTES as u64,
            HEADER_BYTES as u64 + self.header.payload_bytes,
        );
        if !block.offset.is_multiple_of(8) || !(start..=end).contains(&block.offset) {
            let expected = format!("a multiple of 8 from {start} to {end}");
            return Err(wrong("offset", block.offset, expected));
        }
        if !block.bytes.is_multiple_of(8) || u64::from(block.bytes) > end - block.offset {
            let expected = format!("a multiple of 8, at most {}", end - block.offset);
            return Err(wrong("length", block.bytes.into(), expected));
        }
        let bits = 6 * self.header.material.piece_count() as u32;
        match block.parameter <= bits {
            true => Ok(()),
            false => {
                let expected = format!("at most {bits}, the bits of an index");
                Err(wrong("parameter", block.parameter.into(), expected))
            }
        }
    }

    /// The indices of a block, from where they lie if they are plain words in memory, else by way of
    /// `buffer`. Their checksum is not looked at; [`read_checked_block`](IndexFile::read_checked_block)
    /// does that.
    ///
    /// # Errors
    /// If `W` is not the file's word, if the block's table entry or a compact block's bits can't be, if
    /// the bytes are so placed in memory that they can't be words, or if the file can't be read.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn read_block<'a, W: Word>(
        &'a self,
        number: u64,
        buffer: &'a mut BlockBuffer<W>,
    ) -> Result<&'a [W], StoreError> {
        self.check_word::<W>()?;
        let block = self.block(number)?;
        self.words_of(number, &block, buffer)
    }

    /// The indices of a block, and an error if they are not those that were written.
    ///
    /// # Errors
    /// As for [`read_block`](IndexFile::read_block), if the checksum of the block's bytes or its first
    /// index is not what the block table says, and if an index has bits above its digits.
    ///
    /// # Panics
    /// If there is no such block.
    pub fn read_checked_block<'a, W: Word>(
        &'a self,
        number: u64,
        buffer: &'a mut BlockBuffer<W>,
    ) -> Result<&'a [W], StoreError> {
        self.check_word::<W>()?;
        let block = self.block(number)?;
        let (words, _) = self.checked_words_of(number, &block, buffer, &mut |_| {})?;
        Ok(words)
    }

    pub(super) fn check_word<W: Word>(&self) -> Result<(), StoreError> {
        if W::BITS == self.header.word_bits {
            return Ok(());
        }
        Err(StoreError::WrongWord {
            path: self.name.clone(),
            found: W::BITS,
            expected: self.header.word_bits,
        })
    }

    /// The block and its indices, as [`read_checked_block`](IndexFile::read_checked_block) reads them,
    /// and in the order that the header claims. `look` is shown them one after the other in parts that
    /// the nearest cache holds, before they are known to be good.
    pub(super) fn read_ordered_block<'a, W: Word>(
        &'a self,
        number: u64,
        buffer: &'a mut BlockBuffer<W>,
        look: &mut dyn FnMut(&[W]),
    ) -> Result<(Block, &'a [W]), StoreError> {
        self.check_word::<W>()?;
        let block = self.block(number)?;
        let (words, ascend) = self.checked_words_of(number, &block, buffer, look)?;
        self.check_block_order(number, words, ascend)?;
        Ok((block, words))
    }

    /// The indices of a block, unchecked.
    fn words_of<'a, W: Word>(
        &'a self,
        number: u64,
        block: &Block,
        buffer: &'a mut BlockBuffer<W>,
    ) -> Result<&'a [W], StoreError> {
        let bytes = self.bytes_at(block.offset, block.bytes as usize, &mut buffer.bytes)?;
        if !self.header.compact {
            return self.cast(bytes);
        }
        self.decode(number, block, bytes, &mut buffer.words)?;
        Ok(&buffer.words)
    }

    /// The indices of a block, after all checks that concern them one by one, and whether they ascend as
    /// the header claims. All of it in one pass, by parts that the nearest cache holds.
    fn checked_words_of<'a, W: Word>(
        &'a self,
        number: u64,
        block: &Block,
        buffer: &'a mut BlockBuffer<W>,
        look: &mut dyn FnMut(&[W]),
    ) -> Result<(&'a [W], bool), StoreError> {
        let bytes = self.bytes_at(block.offset, block.bytes as usize, &mut buffer.bytes)?;
        let mut check = BlockCheck::new();
        let words = if self.header.compact {
            check.see_bytes(bytes);
            self.check_checksum(number, block, check.checksum())?;
            self.decode(number, block, bytes, &mut buffer.words)?;
            buffer.words.as_slice()
        } else {
            self.cast(bytes)?
        };
        let at_once = BlockCheck::<W>::at_once();
        for (start, some) in (0..).step_by(at_once).zip(words.chunks(at_once)) {
            check.see_words(words, start..start + some.len(), self.header.distinct);
            look(some);
            if !self.header.compact {
                check.see_bytes(bytemuck::cast_slice(some));
            }
        }
        self.check_seen(number, block, words, &check)?;
        Ok((words, check.ascend()))
    }

    /// Checks what was seen of a block, all of it, but for its order.
    fn check_seen<W: Word>(
        &self,
        number: u64,
        block: &Block,
        words: &[W],
        check: &BlockCheck<W>,
    ) -> Result<(), StoreError> {
        self.check_checksum(number, block, check.checksum())?;
        let first = to_u64(words[0]);
        if block.first != first {
            let (part, found) = (Part::Entry(number), block.first);
            return Err(StoreError::field(&self.name, part, "first", found, first));
        }
        let layout = Layout::of_material(&self.header.material, self.header.numbering)
            .expect("the header's word holds its material");
        if !layout.is_valid(check.used_bits()) {
            check_range(&self.name, layout, self.header.items_before(number), words)?;
        }
        Ok(())
    }

    /// Checks what was seen of a block, all of it, and that it is in the order that the header claims.
    pub(super) fn check_seen_in_order<W: Word>(
        &self,
        number: u64,
        words: &[W],
        check: &BlockCheck<W>,
    ) -> Result<(), StoreError> {
        self.check_seen(number, &self.block(number)?, words, check)?;
        self.check_block_order(number, words, check.ascend())
    }

    /// Checks that a block is in the order that the header claims, if it does not ascend.
    fn check_block_order<W: Word>(
        &self,
        number: u64,
        words: &[W],
        ascend: bool,
    ) -> Result<(), StoreError> {
        if !self.header.sorted || ascend {
            return Ok(());
        }
        let before = self.header.items_before(number);
        check_order(&self.name, &self.header.contents(), before, None, words)
    }

    fn check_checksum(&self, number: u64, block: &Block, found: u32) -> Result<(), StoreError> {
        if found == block.checksum {
            return Ok(());
        }
        Err(StoreError::Checksum {
            path: self.name.clone(),
            part: Part::Block(number),
            start: block.offset,
            end: block.offset + u64::from(block.bytes),
            found,
            expected: block.checksum,
        })
    }

    /// Decodes a compact block.
    fn decode<W: Word>(
        &self,
        number: u64,
        block: &Block,
        bytes: &[u8],
        words: &mut Vec<W>,
    ) -> Result<(), StoreError> {
        let end = 1 << (6 * self.header.material.piece_count());
        self.compact_block(number, block, bytes)?
            .decode(end, words)
            .map_err(|fault| self.undecodable(number, block, fault))
    }

    /// A compact block's bits, its table entry being checked.
    pub(super) fn compact_block<'a>(
        &self,
        number: u64,
        block: &Block,
        bytes: &'a [u8],
    ) -> Result<CompactBlock<'a>, StoreError> {
        let words = self.cast::<u64>(bytes)?;
        CompactBlock::new(block.first, block.items as usize, block.parameter, words)
            .map_err(|fault| self.undecodable(number, block, fault))
    }

    fn undecodable(&self, number: u64, block: &Block, fault: Fault) -> StoreError {
        let items = block.items;
        StoreError::Undecodable {
            path: self.name.clone(),
            part: Part::Block(number),
            reason: match fault {
                Fault::TooShort => format!(
                    "its {} bytes have no room for {items} indices with {} low bits each",
                    block.bytes, block.parameter
                ),
                Fault::SetBits { found } => {
                    format!("{found} of its high bits are set, expected {items}, one an index")
                }
                Fault::TooLarge => "its last index is out of range".to_owned(),
                Fault::Excess => {
                    "bits that stand for nothing are set, or words are left over".to_owned()
                }
            },
        }
    }

    /// Bytes as words, without copying.
    pub(super) fn cast<'a, W: Word>(&self, bytes: &'a [u8]) -> Result<&'a [W], StoreError> {
        bytemuck::try_cast_slice(bytes).map_err(|_| StoreError::Misaligned {
            path: self.name.clone(),
            expected: align_of::<W>(),
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
    /// They are as the header says only if the file is undamaged: [`verify`](IndexFile::verify) tells.
    ///
    /// # Errors
    /// If `W` is not the file's word, if the file is compressed, or if the bytes are so placed in memory
    /// that they can't be words (in a map they never are).
    pub fn indices<W: Word>(&self) -> Result<&[W], StoreError> {
        self.check_word::<W>()?;
        if self.header.compact {
            return Err(StoreError::Compact {
                path: self.name.clone(),
            });
        }
        self.cast(&self.data.as_ref()[HEADER_BYTES..][..self.header.payload_bytes as usize])
    }
}
