//! Looks up positions in a packed file: one, or many of which each block is decoded once.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;
use syzygy_tables::MOST_PIECES;
use syzygy_tables::batch::Failure;
use syzygy_tables::coding::{Decoder, MappedFile};
use syzygy_tables::numbering::{Numbering, leading_file};
use tbindex::{Color, Material, Piece, Position};

use super::head::{PackedHead, blocks_at, decode_sub_table};
use super::{HEADER_BYTES, PAGE_BYTES};
use crate::chess::cozy::{material_of, piece_of};
use crate::chess::piece_set::Endgame;
use crate::storage::header::{is_of, trust};
use crate::storage::table_file::{FileError, check, heed_stop};
use crate::storage::{ROW_BITS, row_of};
use crate::table::value::{Metric, Value};

/// A packed table file, which is mapped. A look-up decodes a part of a block.
#[derive(Debug)]
pub struct PackedFile {
    pub(crate) path: PathBuf,
    head: PackedHead,
    material: Material,
    pub(crate) sub_tables: Vec<SubTable>,
    /// How many pieces lead in these.
    leading: usize,
    file: MappedFile,
    /// Where the data begin, and the checksum of each page.
    data_at: u64,
    pages: Vec<u32>,
    /// A bit for each page that was compared with its checksum.
    checked: Vec<AtomicU64>,
}

/// The number of a sub-table, and a place in it.
pub(crate) type Place = (u8, u64);

#[derive(Debug)]
pub(crate) struct SubTable {
    pub(crate) numbering: Numbering,
    /// For each piece its place in the order of the material's name.
    slots: [u8; MOST_PIECES],
    /// The values, the worst for the side to move first.
    pub(crate) values: Vec<Value>,
    decoder: Decoder,
    /// Where in the data its blocks begin.
    at: u64,
}

/// The places that a thread looks up at a time.
const PART: usize = 1 << 13;

/// The bits of a place in a sub-table; above them is the number of the sub-table.
const PLACE_BITS: u32 = 40;

const fn place_of(wanted: u64) -> Place {
    let place = wanted >> ROW_BITS;
    ((place >> PLACE_BITS) as u8, place & ((1 << PLACE_BITS) - 1))
}

impl PackedFile {
    /// Opens a packed file, and checks everything but its blocks. These are checked when they are used.
    ///
    /// # Errors
    /// If the system refuses, or if the file is damaged or is no packed file.
    ///
    /// # Panics
    /// Never.
    pub fn open(path: &Path) -> Result<PackedFile, FileError> {
        let file = MappedFile::open(path).map_err(FileError::io(path, "open the file"))?;
        let head = PackedHead::decode(path, &file)?;
        // The length of the file is the sum of all, so the parts are inside.
        let [tables_at, pages_at, data_at, _] = head.places().expect("checked with the header");
        let part = |what: &str, from: u64, to: u64, expected: u32| {
            let bytes = &file[from as usize..to as usize];
            check(path, what, crc32fast::hash(bytes), expected)?;
            Ok::<&[u8], FileError>(bytes)
        };
        let at = HEADER_BYTES as u64;
        let heads = part("the heads", at, tables_at, head.heads_checksum)?;
        let what = "the tables that find a block";
        let tables = part(what, tables_at, pages_at, head.tables_checksum)?;
        let what = "the checksums of pages";
        let pages = part(what, pages_at, data_at, head.pages_checksum)?;
        let pages = pages.as_chunks().0.iter().copied();
        let pages: Vec<u32> = pages.map(u32::from_le_bytes).collect();

        let sub_tables = read_sub_tables(path, &head, heads, tables)?;
        let own = sub_tables[0].numbering.material();
        if let Some(other) = (sub_tables.iter()).find(|other| other.numbering.material() != own) {
            let (what, found) = ("the material of a sub-table", other.numbering.material());
            return Err(FileError::field(path, what, found, own));
        }
        if own.is_symmetric() && head.side == Color::Black {
            let expected = "white, as both sides have the same pieces";
            return Err(FileError::field(path, "the side", "black", expected));
        }
        let material = material_of(own);
        trust(path, material.into(), (head.metric, head.revision))?;
        let mut pieces = sub_tables[0].numbering.pieces();
        let first = pieces.next();
        let leading = 1 + pieces.take_while(|&piece| Some(piece) == first).count();
        let words = pages.len().div_ceil(64);
        Ok(PackedFile {
            path: path.to_owned(),
            head,
            material,
            leading,
            sub_tables,
            file,
            data_at,
            checked: (0..words).map(|_| AtomicU64::new(0)).collect(),
            pages,
        })
    }

    /// Opens the packed file of a table, as [`open`](PackedFile::open) does.
    ///
    /// # Errors
    /// As of [`open`](PackedFile::open), or if the file is of another endgame or metric.
    pub fn open_as(path: &Path, endgame: Endgame, metric: Metric) -> Result<PackedFile, FileError> {
        let file = PackedFile::open(path)?;
        let own = (file.material.into(), file.head.metric);
        is_of(path, own, (endgame, metric))?;
        Ok(file)
    }

    /// The table's material.
    #[must_use]
    pub fn material(&self) -> Material {
        self.material
    }

    /// The metric.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.head.metric
    }

    /// A checksum of the whole file, by the checksums that it has of its parts.
    #[must_use]
    pub fn checksum(&self) -> u32 {
        crc32fast::hash(&self.head.encode())
    }

    /// The side to move of all positions in the file.
    #[must_use]
    pub fn side(&self) -> Color {
        self.head.side
    }

    /// The place of a position of the file's material, in either colours, or `None` if the file has the other side to move.
    pub(crate) fn place(&self, position: &Position) -> Option<Place> {
        let black_moves = position.side == Color::Black;
        let exchanged = match self.material == self.material.swap_colors() {
            true => black_moves,
            false => position.material().ok()? != self.material,
        };
        if (black_moves != exchanged) != (self.head.side == Color::Black) {
            return None;
        }
        let turn = if exchanged { 56 } else { 0 };
        let mut squares = [0; MOST_PIECES];
        let mut free = squares.iter_mut();
        let mut before = None;
        for piece in self.sub_tables[0].numbering.material().pieces() {
            // Like pieces stand together.
            if before.replace(piece) != Some(piece) {
                let Piece { kind, color } = piece_of(piece);
                let own = Piece::new(if exchanged { !color } else { color }, kind);
                let all = position.occupied().filter(|man| man.0 == own);
                for ((_, square), slot) in all.zip(&mut free) {
                    *slot = square.number() ^ turn;
                }
            }
        }
        Some(self.place_of_squares(&squares))
    }

    /// The place of a position with the file's side to move, whose squares are in the order of the material's name.
    pub(super) fn place_of_squares(&self, squares: &[u8]) -> Place {
        let in_order = |own: &SubTable| own.slots.map(|slot| squares[usize::from(slot)]);
        let number = match self.sub_tables.len() {
            1 => 0,
            _ => leading_file(&in_order(&self.sub_tables[0])[..self.leading]),
        };
        let own = &self.sub_tables[usize::from(number)];
        let squares = &in_order(own)[..own.numbering.pieces().len()];
        (number, own.numbering.index(squares))
    }

    /// The file's number at each of these places, which are in ascending order. It is the value of a position there, or not
    /// better than what a capture or a promotion brings. It means nothing for an illegal position.
    pub(crate) fn look_up(&self, places: &[Place]) -> Result<Vec<Value>, FileError> {
        let mut all = Vec::with_capacity(places.len());
        for places in places.chunk_by(|a, b| a.0 == b.0) {
            let sub_table = &self.sub_tables[usize::from(places[0].0)];
            let (values, decoder) = (&sub_table.values, &sub_table.decoder);
            let of_blocks = places.iter().map_while(|place| decoder.find(place.1));
            let of_blocks: Vec<(u64, u32)> = of_blocks.collect();
            if of_blocks.is_empty() {
                all.extend(places.iter().map(|_| values[0]));
                continue;
            }
            for &(block, _) in &of_blocks {
                self.check_blocks(sub_table, block, 1)?;
            }
            let numbers = decoder.numbers(self.data(sub_table), &of_blocks);
            let numbers = numbers.map_err(|(block, within)| {
                let found = format!("ends before its number {within}");
                FileError::field(&self.path, format!("block {block}"), found, "whole")
            })?;
            all.extend(numbers.iter().map(|&number| values[usize::from(number)]));
        }
        Ok(all)
    }

    /// The place that a row wants, whose squares are in the order of the material's name, with the row's number behind it.
    pub(crate) fn wanted_by(&self, squares: &[u8], row: usize) -> u64 {
        let (number, place) = self.place_of_squares(squares);
        (u64::from(number) << PLACE_BITS | place) << ROW_BITS | row as u64
    }

    /// The file's values at the places that many rows [want](PackedFile::wanted_by): their numbers with what there is, on the
    /// threads of the current rayon pool.
    pub(crate) fn stored_at(
        &self,
        wanted: &mut [u64],
        failed: impl Fn(FileError) -> Failure + Sync,
    ) -> Vec<(u32, Result<Value, Failure>)> {
        wanted.par_sort_unstable();
        let found = wanted.par_chunks(PART).flat_map_iter(|part| {
            let mut found = Vec::with_capacity(part.len());
            self.stored_in(part, &failed, &mut found);
            found
        });
        found.collect()
    }

    fn stored_in(
        &self,
        wanted: &[u64],
        failed: &impl Fn(FileError) -> Failure,
        found: &mut Vec<(u32, Result<Value, Failure>)>,
    ) {
        let places: Vec<Place> = wanted.iter().map(|&wanted| place_of(wanted)).collect();
        match self.look_up(&places) {
            Ok(values) => {
                let rows = wanted.iter().map(|&wanted| row_of(wanted));
                found.extend(rows.zip(values.into_iter().map(Ok)));
            }
            Err(error) if wanted.len() == 1 => found.push((row_of(wanted[0]), Err(failed(error)))),
            // Places in other blocks are found.
            Err(_) => {
                let (some, others) = wanted.split_at(wanted.len() / 2);
                self.stored_in(some, failed, found);
                self.stored_in(others, failed, found);
            }
        }
    }

    /// The blocks of a sub-table, and what is behind them.
    fn data(&self, sub_table: &SubTable) -> &[u8] {
        &self.file[(self.data_at + sub_table.at) as usize..]
    }

    /// Checks the pages of some blocks of a sub-table.
    fn check_blocks(&self, sub_table: &SubTable, first: u64, count: u64) -> Result<(), FileError> {
        let block = sub_table.decoder.block_bytes() as u64;
        let begin = sub_table.at + first * block;
        let end = begin + count * block;
        let mut pages = begin / PAGE_BYTES..end.div_ceil(PAGE_BYTES);
        pages.try_for_each(|page| self.check_page(page))
    }

    /// Compares a page of the data with its checksum, if that was not done before.
    fn check_page(&self, page: u64) -> Result<(), FileError> {
        let (checked, bit) = (&self.checked[(page / 64) as usize], 1 << (page % 64));
        if checked.load(Ordering::Relaxed) & bit != 0 {
            return Ok(());
        }
        let begin = page * PAGE_BYTES;
        let end = (begin + PAGE_BYTES).min(self.head.data_bytes);
        let [begin, end] = [begin, end].map(|at| (self.data_at + at) as usize);
        let found = crc32fast::hash(&self.file[begin..end]);
        let part = format!("page {page} of the data");
        check(&self.path, &part, found, self.pages[page as usize])?;
        checked.fetch_or(bit, Ordering::Relaxed);
        Ok(())
    }

    /// Checks that the data from one place to another are zeros.
    fn check_zeros(&self, from: u64, to: u64) -> Result<(), FileError> {
        let [from, to] = [from, to].map(|at| (self.data_at + at) as usize);
        match self.file[from..to].iter().find(|&&byte| byte != 0) {
            Some(found) => {
                let what = "a byte behind the blocks of a sub-table";
                Err(FileError::field(&self.path, what, found, 0))
            }
            None => Ok(()),
        }
    }

    /// Decodes and checks all blocks, on the threads of the current rayon pool, unless a flag stops it.
    ///
    /// # Errors
    /// If the file is damaged, or the flag is set.
    pub fn check(&self, stop: Option<&AtomicBool>) -> Result<(), FileError> {
        let pages = (0..self.head.pages()).into_par_iter();
        pages.try_for_each(|page| {
            heed_stop(stop)?;
            self.check_page(page)
        })?;
        // Between the blocks of sub-tables and behind them are zeros.
        let mut end = 0;
        for own in &self.sub_tables {
            self.check_zeros(end, own.at)?;
            end = own.at + own.decoder.blocks() * own.decoder.block_bytes() as u64;
        }
        self.check_zeros(end, self.head.data_bytes)?;
        let mut coded = (self.sub_tables.iter()).filter(|own| own.decoder.blocks() > 0);
        coded.try_for_each(|own| self.decode(own, |_, _| heed_stop(stop)))
    }

    /// Decodes all blocks of a sub-table, on the threads of the current rayon pool. The function gets the numbers of
    /// consecutive places, from one on.
    pub(crate) fn decode<E: From<FileError> + Send>(
        &self,
        sub_table: &SubTable,
        each: impl Fn(u64, &[u16]) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        const AT_ONCE: u64 = 256;
        let decoder = &sub_table.decoder;
        let Some(blocks) = decoder.of_blocks() else {
            const PLACES: u64 = 1 << 16;
            let starts = (0..decoder.places().div_ceil(PLACES)).into_par_iter();
            return starts.try_for_each(|number| {
                let start = number * PLACES;
                let count = PLACES.min(decoder.places() - start);
                each(start, &vec![0; count as usize])
            });
        };
        let mut works = Vec::new();
        let mut place = 0;
        for first in (0..decoder.blocks()).step_by(AT_ONCE as usize) {
            let last = decoder.blocks().min(first + AT_ONCE);
            works.push((first..last, place));
            let counts = (first..last).map(|block| blocks.count(block) as u64);
            place += counts.sum::<u64>();
        }
        works.into_par_iter().try_for_each(|(range, place)| {
            self.check_blocks(sub_table, range.start, range.end - range.start)?;
            let data = self.data(sub_table);
            let sizes = range.clone().map(|block| blocks.count(block));
            let mut numbers = vec![0; sizes.sum()];
            let mut at = 0;
            for block in range {
                let out = &mut numbers[at..at + blocks.count(block)];
                at += out.len();
                let bytes = &data[block as usize * decoder.block_bytes()..];
                let filled = blocks.fill(bytes, out);
                filled.ok_or_else(|| {
                    let (what, found) = (format!("block {block}"), "too short or too long");
                    let expected = "its numbers, and zeros behind them";
                    FileError::field(&self.path, what, found, expected)
                })?;
            }
            each(place, &numbers)
        })
    }
}

/// Reads the heads of sub-tables, and makes decoders of them and of the tables that find a block.
fn read_sub_tables(
    path: &Path,
    head: &PackedHead,
    mut heads: &[u8],
    mut tables: &[u8],
) -> Result<Vec<SubTable>, FileError> {
    let name = path.display().to_string();
    let mut sub_tables = Vec::new();
    let mut end = 0;
    for number in 0..usize::from(head.sub_tables) {
        let file = (head.sub_tables > 1).then_some(number as u8);
        let (numbering, values, coding) =
            decode_sub_table(path, head.metric, number, file, &mut heads)?;
        let first: Option<&SubTable> = sub_tables.first();
        if first.is_some_and(|first| first.values != values) {
            let what = format!("the list of values of sub-table {number}");
            let expected = "that of sub-table 0";
            return Err(FileError::field(path, what, "another", expected));
        }
        let decoder = Decoder::read(&name, coding, &mut tables, numbering.len(), values.len())?;
        let at = blocks_at(end, decoder.block_bytes());
        end = at + decoder.blocks() * decoder.block_bytes() as u64;
        sub_tables.push(SubTable {
            slots: numbering.slots(),
            numbering,
            values,
            decoder,
            at,
        });
    }
    let rests = [
        ("the heads", heads),
        ("the tables that find a block", tables),
    ];
    for (what, rest) in rests {
        if !rest.is_empty() {
            let found = format!("{} bytes more than it needs", rest.len());
            return Err(FileError::field(path, what, found, "none"));
        }
    }
    let expected = end + Decoder::BEHIND as u64;
    if expected != head.data_bytes {
        let what = "the length of the data";
        return Err(FileError::field(path, what, head.data_bytes, expected));
    }
    Ok(sub_tables)
}
