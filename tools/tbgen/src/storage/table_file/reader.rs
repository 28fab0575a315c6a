//! Reads tables: one position of a mapped file, or all of it.

use std::collections::BTreeSet;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;
use tbindex::batch::Backend;
use tbindex::bitbase::{self, Row, Slice};
use tbindex::store::{FileReads, Storage};
use tbindex::{Bitboard, Color, Material, Position, Square};

use super::kept::Kept;
use super::{
    ENTRY_BYTES, FileError, HEADER_BYTES, Header, VALUE_BYTES, check, check_sum, code_bytes,
};
use crate::chess::piece_set::Endgame;
use crate::table::codes::BITS;
use crate::table::planes::{PlaneSource, Planes, with_fixed};
use crate::table::shape::{Slot, has_like, in_order};
use crate::table::solved::{Part, Side, Table};
use crate::table::temp_file::TempFile;
use crate::table::transpose::words_of;
use crate::table::value::{Metric, Value};

/// Puts the codes of a slice, or one byte of each, into planes from a bit on. Only planes that are needed are made. Illegal
/// positions get code 0.
fn put_bytes(codes: &[u8], illegal: &[Row], first_bit: usize, planes: &mut Planes) {
    for (k, codes) in codes.chunks_exact(64).enumerate() {
        let words = words_of(codes.first_chunk().expect("64 codes"));
        for (bit, word) in words.into_iter().enumerate() {
            let word = word & !illegal[k / 8].0[k % 8];
            if word != 0 {
                planes.put(first_bit + bit, k, illegal.len(), word);
            }
        }
    }
}

fn reading(path: &Path) -> impl FnOnce(io::Error) -> FileError {
    let path = path.to_owned();
    move |source| FileError::Io {
        path,
        action: "read the file",
        source,
    }
}

fn read<'a>(
    path: &Path,
    data: &'a FileReads,
    offset: u64,
    length: usize,
    buffer: &'a mut Vec<u64>,
) -> Result<&'a [u8], FileError> {
    data.bytes(offset, length, buffer).map_err(reading(path))
}

/// The values of a side, of which the file has so many others before.
fn decode_values(
    path: &Path,
    metric: Metric,
    bytes: &[u8],
    before: usize,
) -> Result<Vec<Value>, FileError> {
    let zeroing = metric == Metric::Dtz;
    let parity = match zeroing {
        true => "",
        false => ", a win in an odd number of them and a loss in an even one",
    };
    let mut there = BTreeSet::new();
    let values = bytes.chunks_exact(VALUE_BYTES).enumerate();
    values
        .map(|(number, value)| {
            let plies = u16::from_le_bytes([value[2], value[3]]);
            let decoded = match (value[0], value[1], plies) {
                (0, 0, 0) => Some(Value::DRAW),
                (1, 0, 1..=Value::MOST_PLIES) if zeroing || plies % 2 != 0 => {
                    Some(metric.win(plies))
                }
                (2, 0, 0..=Value::MOST_PLIES) if zeroing || plies % 2 == 0 => {
                    Some(metric.loss(plies))
                }
                _ => None,
            };
            // The first is a draw, and no other one is.
            let decoded = decoded.filter(|value| (*value == Value::DRAW) == (number == 0));
            decoded
                .filter(|value| there.insert(*value))
                .ok_or_else(|| FileError::Field {
                    path: path.to_owned(),
                    what: format!("value {}", before + number),
                    found: format!("{value:02x?}"),
                    expected: match number {
                        0 => "a draw".to_owned(),
                        _ => format!(
                            "a win or loss that was not there before, in at most {} plies{parity}",
                            Value::MOST_PLIES
                        ),
                    },
                })
        })
        .collect()
}

/// A mapped table file. A probe decodes one block.
#[derive(Debug)]
pub struct TableFile {
    /// Another for each file that was opened.
    number: u64,
    path: PathBuf,
    header: Header,
    values: [Arc<Vec<Value>>; 2],
    /// The slots of a slice that are in the file.
    kept: Kept,
    data: FileReads,
}

/// Where a block is in the payload, and what it has.
struct Place {
    offset: u64,
    length: u32,
    checksum: u32,
    /// The bytes of its codes.
    items: usize,
}

impl Place {
    fn end(&self) -> u64 {
        self.offset + u64::from(self.length)
    }
}

/// The decoded blocks that the process keeps, of up to 4096 codes each: two to the power of so many.
const KEPT_BITS: u32 = 10;

/// The most bytes that the process keeps of decoded blocks.
pub(crate) const KEPT_BYTES: u64 = (2 * 4096) << KEPT_BITS;

/// The bytes of the block table that are in memory while it is checked.
const CHECKED_AT_ONCE: usize = 1 << 20;

/// A block of which slots were looked up lately, by the number of its file and its own.
struct Decoded {
    block: Option<(u64, usize)>,
    codes: Vec<u8>,
}

/// What all threads have decoded. Whoever decodes a block holds its place, so that no other thread decodes it, too.
static DECODED: [Mutex<Decoded>; 1 << KEPT_BITS] = [const {
    Mutex::new(Decoded {
        block: None,
        codes: Vec::new(),
    })
}; 1 << KEPT_BITS];

/// A side of a part of a table in a file.
#[derive(Debug)]
struct OfFile {
    file: Arc<TableFile>,
    side: Color,
    part: usize,
}

impl PlaneSource for OfFile {
    fn planes(&self, slice: usize) -> io::Result<Planes> {
        let planes = self.file.slice(self.side, self.part, slice);
        planes.map_err(io::Error::other)
    }

    fn planes_with(&self, man: usize, square: Square) -> Option<io::Result<Planes>> {
        let planes = self.file.slice_with((self.side, self.part), man, square);
        Some(planes.map_err(io::Error::other))
    }

    fn code(&self, slice: usize, offset: u64) -> Option<io::Result<u16>> {
        let at = bitbase::Slot { slice, offset };
        let (side, part) = (self.side, self.part);
        let code = self.file.code_at(Slot { side, part, at });
        Some(code.map_err(io::Error::other))
    }
}

impl TableFile {
    /// Opens a table file, and checks all of it but its blocks, which are read and checked when they are
    /// used. So the block table is read once, 16 bytes for each block: 200 MB for KRRPvKR.
    ///
    /// # Errors
    /// If the system refuses, or if the file is damaged or is no table file.
    pub fn open(path: &Path) -> Result<TableFile, FileError> {
        let data = FileReads::open(path)?;
        let mut buffer = Vec::new();
        let length = data.byte_count().map_err(reading(path))?;
        let begins = (HEADER_BYTES as u64).min(length) as usize;
        let bytes = read(path, &data, 0, begins, &mut buffer)?;
        let header = Header::decode(path, bytes, length)?;

        let count = header.values.iter().sum::<usize>() * VALUE_BYTES;
        let bytes = read(path, &data, HEADER_BYTES as u64, count, &mut buffer)?;
        check(path, "the list of values", bytes, header.values_checksum)?;
        let (white, black) = bytes.split_at(header.values[0] * VALUE_BYTES);
        let white = decode_values(path, header.metric, white, 0)?;
        let black = decode_values(path, header.metric, black, white.len())?;

        let (mut at, end) = (header.table_offset(), header.payload_offset());
        let mut checksum = crc32fast::Hasher::new();
        while at < end {
            let count = CHECKED_AT_ONCE.min((end - at) as usize);
            checksum.update(read(path, &data, at, count, &mut buffer)?);
            at += count as u64;
        }
        let found = checksum.finalize();
        check_sum(path, "the block table", found, header.table_checksum)?;
        let domain = header.shape.any_domain();
        tbindex::fail_point!("tbgen::table_opened");
        static OPENED: AtomicU64 = AtomicU64::new(0);
        Ok(TableFile {
            number: OPENED.fetch_add(1, Ordering::Relaxed),
            path: path.to_owned(),
            kept: Kept::new(domain.men()),
            header,
            values: [Arc::new(white), Arc::new(black)],
            data,
        })
    }

    /// Opens the file of a table, as [`open`](TableFile::open) does.
    ///
    /// # Errors
    /// As of [`open`](TableFile::open), or if the file is of another endgame or metric.
    pub fn open_as(path: &Path, endgame: Endgame, metric: Metric) -> Result<TableFile, FileError> {
        let file = TableFile::open(path)?;
        let found = match (file.endgame() == endgame.normal().own(), file.metric()) {
            (true, found) if found == metric => return Ok(file),
            (true, found) => format!("a table by {}", found.name()),
            (false, _) => format!("the table of {}", file.endgame()),
        };
        let path = path.to_owned();
        Err(FileError::Other { path, found })
    }

    /// The table's material.
    #[must_use]
    pub fn material(&self) -> Material {
        self.header.shape.material()
    }

    /// The table's material and what its letters stand for.
    #[must_use]
    pub fn endgame(&self) -> Endgame {
        self.header.shape.endgame()
    }

    /// What the distances count.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.header.metric
    }

    /// The revision of the solver that made the table, or 0 before there were revisions.
    #[must_use]
    pub fn revision(&self) -> u16 {
        self.header.revision
    }

    /// A checksum of the whole file, by the checksums that it has of its parts.
    #[must_use]
    pub fn checksum(&self) -> u32 {
        crc32fast::hash(&self.header.encode())
    }

    /// The words of a slice that a block has the codes of.
    fn words(&self, block: usize) -> std::ops::Range<usize> {
        let words = self.header.block_slots() / 64;
        let first = block % self.header.shape.any_domain().slabs() * 64;
        first..first + words
    }

    /// The codes of a block, low bytes first if they have two.
    fn block(&self, number: usize) -> Result<Vec<u8>, FileError> {
        let mut codes = Vec::new();
        self.blocks(number..number + 1, |_, block| {
            codes = block;
            Ok(())
        })?;
        Ok(codes)
    }

    /// Hands over blocks with their codes. They lie behind one another in the file, and are read together.
    fn blocks(
        &self,
        numbers: Range<usize>,
        mut each: impl FnMut(usize, Vec<u8>) -> Result<(), FileError>,
    ) -> Result<(), FileError> {
        let mut buffer = Vec::new();
        let at = self.header.table_offset() + (numbers.start * ENTRY_BYTES) as u64;
        let count = numbers.len() * ENTRY_BYTES;
        let entries = read(&self.path, &self.data, at, count, &mut buffer)?;
        let mut places = Vec::with_capacity(numbers.len());
        for (number, entry) in numbers.clone().zip(entries.chunks_exact(ENTRY_BYTES)) {
            let place = self.place(number, entry)?;
            let end = places.last().map_or(place.offset, Place::end);
            if place.offset != end {
                let what = format!("the place of block {number}");
                let found = format!("{} bytes at {}", place.length, place.offset);
                return Err(self.field(
                    what,
                    found,
                    format!("one at {end}, behind the block before"),
                ));
            }
            places.push(place);
        }
        let (Some(first), Some(last)) = (places.first(), places.last()) else {
            return Ok(());
        };
        let mut buffer = Vec::new();
        let at = self.header.payload_offset() + first.offset;
        let length = (last.end() - first.offset) as usize;
        let mut bytes = read(&self.path, &self.data, at, length, &mut buffer)?;
        for (number, place) in numbers.zip(&places) {
            let (block, rest) = bytes.split_at(place.length as usize);
            bytes = rest;
            each(number, self.decode(number, place, block)?)?;
        }
        Ok(())
    }

    fn field(&self, what: String, found: String, expected: String) -> FileError {
        FileError::Field {
            path: self.path.clone(),
            what,
            found,
            expected,
        }
    }

    /// Where a block is, by its entry of the block table.
    fn place(&self, number: usize, entry: &[u8]) -> Result<Place, FileError> {
        let offset = u64::from_le_bytes(*entry.first_chunk().expect("sixteen bytes"));
        let u32_at = |at: usize| u32::from_le_bytes(*entry[at..].first_chunk().expect("inside"));
        let side = usize::from(number >= self.header.blocks_per_side());
        let place = Place {
            offset,
            length: u32_at(8),
            checksum: u32_at(12),
            items: self.kept.count(self.words(number)) * code_bytes(self.header.values[side]),
        };
        let inside = offset
            .checked_add(u64::from(place.length))
            .is_some_and(|end| end <= self.header.payload_bytes);
        if inside && place.length as usize <= place.items {
            return Ok(place);
        }
        let what = format!("the place of block {number}");
        let found = format!("{} bytes at {offset}", place.length);
        let expected = format!("at most {} bytes inside the payload", place.items);
        Err(self.field(what, found, expected))
    }

    /// The codes of a block from its bytes.
    fn decode(&self, number: usize, place: &Place, bytes: &[u8]) -> Result<Vec<u8>, FileError> {
        check(
            &self.path,
            &format!("block {number}"),
            bytes,
            place.checksum,
        )?;
        if bytes.len() == place.items {
            return Ok(bytes.to_vec());
        }
        let codes = lz4_flex::block::decompress(bytes, place.items).unwrap_or_default();
        if codes.len() == place.items {
            Ok(codes)
        } else {
            let what = format!("the length of block {number}, decompressed,");
            Err(self.field(what, codes.len().to_string(), place.items.to_string()))
        }
    }

    fn value_of(&self, side: Color, code: u16) -> Result<Value, FileError> {
        let values = &self.values[side as usize];
        (values.get(usize::from(code)).copied()).ok_or_else(|| FileError::Field {
            path: self.path.clone(),
            what: format!("a code with {side} to move"),
            found: code.to_string(),
            expected: format!("less than {}", values.len()),
        })
    }

    /// The number of the block of a slab.
    fn block_of(&self, side: Color, part: usize, slice: usize, slab: usize) -> usize {
        let (slices, slabs) = {
            let domain = self.header.shape.any_domain();
            (domain.slices(), domain.slabs())
        };
        let of_side = side as usize * self.header.blocks_per_side();
        of_side + (part * slices + slice) * slabs + slab
    }

    /// The value of a legal position of this material, or of the material with exchanged colours.
    ///
    /// # Errors
    /// If the position has other pieces, or the file is damaged.
    pub fn value(&self, position: &Position) -> Result<Value, FileError> {
        let slot = self.header.shape.slot(position)?;
        self.value_of(slot.side, self.code_at(slot)?)
    }

    /// The code of a slot. That of an illegal position means nothing.
    fn code_at(&self, slot: Slot) -> Result<u16, FileError> {
        let offset = self.header.shape.in_order(slot.at.offset);
        let (slab, within) = ((offset >> 12) as usize, (offset & 0xfff) as usize);
        let number = self.block_of(slot.side, slot.part, slot.at.slice, slab);
        let first = self.words(number).start;
        let before = self.kept.count(first..first + within / 64);
        let last = self.kept.word(first + within / 64) & ((1 << (within % 64)) - 1);
        let at = before + last.count_ones() as usize;
        // Neighbours in a file, and the same slots of other slices, are in other places.
        let hash = (number as u64 ^ self.number << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let decoded = &DECODED[(hash >> (64 - KEPT_BITS)) as usize];
        // A thread that panics leaves a whole block.
        let mut decoded = decoded.lock().unwrap_or_else(PoisonError::into_inner);
        let block = Some((self.number, number));
        if decoded.block != block {
            let codes = self.block(number)?;
            self.bytes_of_codes(slot.side, &codes)?;
            *decoded = Decoded { block, codes };
        }
        let codes = &decoded.codes;
        let high = match code_bytes(self.header.values[slot.side as usize]) {
            1 => 0,
            _ => codes[codes.len() / 2 + at],
        };
        Ok(u16::from(codes[at]) | u16::from(high) << 8)
    }

    /// Decodes and checks all blocks, on the threads of the current rayon pool, some at a time.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn check(&self) -> Result<(), FileError> {
        /// The most blocks that a thread reads together.
        const BLOCKS: usize = 64;
        let of_side = self.header.blocks_per_side();
        let begins = (0..2 * of_side).into_par_iter().step_by(BLOCKS);
        begins.try_for_each(|begin| {
            let end = (begin + BLOCKS).min(2 * of_side);
            self.blocks(begin..end, |number, block| {
                let side = Color::ALL[usize::from(number >= of_side)];
                self.bytes_of_codes(side, &block).map(|_| ())
            })
        })
    }

    /// Decodes and checks the whole table, on the threads of the current rayon pool.
    ///
    /// # Errors
    /// If the file is damaged.
    ///
    /// # Panics
    /// Never.
    pub fn load(&self) -> Result<Table, FileError> {
        self.load_each(&AtomicBool::new(false), |_, _| Ok(()))
    }

    /// Decodes and checks the whole table, and compresses it again at once as [`Table::pack`] does. So it never is
    /// in memory as a whole.
    ///
    /// # Errors
    /// If the file is damaged, if the temporary file can't be written, or if `stop` is set.
    pub fn load_packed(
        &self,
        temp_file: Option<&Arc<TempFile>>,
        stop: &AtomicBool,
    ) -> Result<Table, FileError> {
        let large = self.header.shape.is_worth_packing();
        self.load_each(stop, |planes, rows| match large {
            true => planes.pack(rows, temp_file),
            false => Ok(()),
        })
    }

    /// The table, whose slices are read, decoded and checked each time they are wanted. So it takes no memory to speak
    /// of, and damage is found later.
    #[must_use]
    pub fn as_it_is(self) -> Table {
        let file = Arc::new(self);
        let shape = file.header.shape.clone();
        let parts = (0..shape.parts()).map(|part| {
            let sides = Color::ALL.map(|side| {
                let origin: Arc<dyn PlaneSource> = Arc::new(OfFile {
                    file: Arc::clone(&file),
                    side,
                    part,
                });
                let slices = 0..shape.any_domain().slices();
                Side {
                    values: Arc::clone(&file.values[side as usize]),
                    slices: slices
                        .map(|slice| Planes::elsewhere(Arc::clone(&origin), slice))
                        .collect(),
                }
            });
            Part {
                domain: shape.domain(part),
                sides,
            }
        });
        Table {
            metric: file.header.metric,
            parts: parts.collect(),
            shape,
        }
    }

    /// The planes of a slice, decoded and checked. A run of blocks is in memory at a time.
    fn slice(&self, side: Color, part: usize, slice: usize) -> Result<Planes, FileError> {
        /// The most blocks that are read together.
        const BLOCKS: usize = 256;
        let domain = self.header.shape.domain(part);
        let men = domain.men();
        let mut illegal = vec![Row::EMPTY; domain.rows()];
        Slice::new(&domain, slice).illegal_into(side, &mut illegal, Backend::detect());
        let mut planes = Planes::default();
        let first = self.block_of(side, part, slice, 0);
        let end = first + domain.slabs();
        for begin in (first..end).step_by(BLOCKS) {
            self.blocks(begin..end.min(begin + BLOCKS), |number, block| {
                let mut bytes = self.bytes_of_codes(side, &block)?;
                for word in self.words(number) {
                    let kept = self.kept.word(word);
                    let mut words = [0; BITS];
                    for (bytes, words) in bytes.iter_mut().zip(words.chunks_mut(8)) {
                        if bytes.is_empty() {
                            continue;
                        }
                        let (these, rest) = bytes.split_at(kept.count_ones() as usize);
                        *bytes = rest;
                        let mut codes = [0; 64];
                        match <&[u8; 64]>::try_from(these) {
                            Ok(all) => codes = *all,
                            Err(_) => {
                                for (square, &code) in Bitboard(kept).into_iter().zip(these) {
                                    codes[square.index()] = code;
                                }
                            }
                        }
                        words.copy_from_slice(&words_of(&codes)[..words.len()]);
                    }
                    let legal = !illegal[word / 8].0[word % 8];
                    // What is not kept is like a slot before, of a word that has all its codes by now.
                    if kept == 0 {
                        let others = &men[..men.len() - 1];
                        words = planes.words(in_order(others, word as u64) as usize);
                    } else {
                        for square in Bitboard(legal & !kept) {
                            let offset = (word << 6 | square.index()) as u64;
                            let like = in_order(men, offset);
                            for (bit, word) in words.iter_mut().enumerate().take(planes.count()) {
                                let like = planes.word(bit, (like >> 6) as usize) >> (like & 63);
                                *word |= (like & 1) << square.index();
                            }
                        }
                    }
                    for (bit, plane) in words.into_iter().enumerate() {
                        if plane & legal != 0 {
                            planes.put(bit, word, illegal.len(), plane & legal);
                        }
                    }
                }
                Ok(())
            })?;
        }
        Ok(planes)
    }

    /// The low and the high bytes of the codes of a block, which are checked. There may be no high ones.
    fn bytes_of_codes<'b>(&self, side: Color, block: &'b [u8]) -> Result<[&'b [u8]; 2], FileError> {
        let two_bytes = code_bytes(self.header.values[side as usize]) == 2;
        let (low, more) = match two_bytes {
            true => block.split_at(block.len() / 2),
            false => (block, &[][..]),
        };
        let greatest = match two_bytes {
            true => (low.iter().zip(more))
                .map(|(&low, &high)| u16::from(low) | u16::from(high) << 8)
                .max(),
            false => low.iter().max().map(|&low| u16::from(low)),
        };
        if let Some(greatest) = greatest {
            self.value_of(side, greatest)?;
        }
        Ok([low, more])
    }

    /// The planes of a part's positions with a man on a square, decoded and checked, in the slots of the domain in which he
    /// is fixed there. The kings are free. No more blocks are read than have such positions.
    fn slice_with(
        &self,
        (side, part): (Color, usize),
        man: usize,
        square: Square,
    ) -> Result<Planes, FileError> {
        /// The most blocks that are read together.
        const BLOCKS: usize = 1024;
        let domain = self.header.shape.domain(part);
        let (men, here) = (domain.men(), square.index());
        let rest = with_fixed(&domain, man, square);
        let mut illegal = vec![Row::EMPTY; rest.rows()];
        Slice::new(&rest, 0).illegal_into(side, &mut illegal, Backend::detect());
        let two_bytes = code_bytes(self.header.values[side as usize]) == 2;
        let mut codes = vec![0; illegal.len() * 512];
        let mut high = vec![0; if two_bytes { codes.len() } else { 0 }];

        // Like men are in order in the file, so any of them may be the one on the square.
        let like: Vec<usize> = (0..men.len()).filter(|&k| men[k] == men[man]).collect();
        let low = |k: usize| 6 * (men.len() - 1 - k);
        let without = |offset: usize, k: usize| {
            offset >> (low(k) + 6) << low(k) | offset & ((1 << low(k)) - 1)
        };
        let first = self.block_of(side, part, 0, 0);
        // The digits of the last two men count the slots of a block.
        let wanted = |slab: usize| {
            let mut like = like.iter();
            like.any(|&k| k + 2 >= men.len() || slab << 12 >> low(k) & 63 == here)
        };
        let mut at = 0;
        while at < domain.slabs() {
            let more = (at..domain.slabs()).take(BLOCKS);
            let run = more.take_while(|&slab| wanted(slab)).count();
            self.blocks(first + at..first + at + run, |number, block| {
                let bytes = self.bytes_of_codes(side, &block)?;
                let mut before = 0;
                for word in self.words(number) {
                    let kept = self.kept.word(word);
                    for &k in &like {
                        let those = match k + 1 == men.len() {
                            true => kept & 1 << here,
                            false if word << 6 >> low(k) & 63 == here => kept,
                            false => 0,
                        };
                        for square in Bitboard(those) {
                            let square = square.index();
                            let from = before + (kept & ((1 << square) - 1)).count_ones() as usize;
                            let to = without(word << 6 | square, k);
                            for (codes, bytes) in [&mut codes, &mut high].into_iter().zip(bytes) {
                                if !bytes.is_empty() {
                                    codes[to] = bytes[from];
                                }
                            }
                        }
                    }
                    before += kept.count_ones() as usize;
                }
                Ok(())
            })?;
            at += run.max(1);
        }
        let rest_men = rest.men();
        if has_like(rest_men) {
            for codes in [&mut codes, &mut high] {
                for at in 0..codes.len() {
                    codes[at] = codes[in_order(rest_men, at as u64) as usize];
                }
            }
        }
        let mut planes = Planes::default();
        for (codes, first_bit) in [(&codes, 0), (&high, 8)] {
            put_bytes(codes, &illegal, first_bit, &mut planes);
        }
        Ok(planes)
    }

    /// Decodes and checks the whole table; `finish` gets each slice, and the number of its rows.
    fn load_each(
        &self,
        stop: &AtomicBool,
        finish: impl Fn(&mut Planes, usize) -> io::Result<()> + Sync,
    ) -> Result<Table, FileError> {
        let shape = &self.header.shape;
        let slices = shape.any_domain().slices();
        let rows = shape.any_domain().rows();
        let load_slice = |side: Color, part: usize, slice: usize| -> Result<Planes, FileError> {
            tbindex::fail_point!("tbgen::slice_to_load");
            if stop.load(Ordering::Relaxed) {
                return Err(FileError::Interrupted);
            }
            let mut planes = self.slice(side, part, slice)?;
            finish(&mut planes, rows).map_err(|source| FileError::Io {
                path: self.path.clone(),
                action: "put what was read from the file aside",
                source,
            })?;
            Ok(planes)
        };
        let load_side = |part: usize, side: Color| -> Result<Side, FileError> {
            let slices = (0..slices).into_par_iter();
            let slices: Result<Vec<Planes>, FileError> =
                slices.map(|slice| load_slice(side, part, slice)).collect();
            Ok(Side {
                values: Arc::clone(&self.values[side as usize]),
                slices: slices?,
            })
        };
        let parts = (0..shape.parts()).into_par_iter().map(|part| {
            Ok(Part {
                domain: shape.domain(part),
                sides: [
                    load_side(part, Color::White)?,
                    load_side(part, Color::Black)?,
                ],
            })
        });
        Ok(Table {
            shape: shape.clone(),
            metric: self.header.metric,
            parts: parts.collect::<Result<Vec<Part>, FileError>>()?,
        })
    }
}
