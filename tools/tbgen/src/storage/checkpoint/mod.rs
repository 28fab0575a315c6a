//! Checkpoints: what each ply found, so that distances need not be kept in memory while a table is solved, and
//! so that the work can go on where it was killed; and the solved parts of a table with pawns. This comment is the
//! specification of the files.
//!
//! All numbers are little-endian, all checksums are CRC-32 as in zlib. A file begins with a header of 64 bytes:
//!
//! | at | bytes | field | value |
//! |---|---|---|---|
//! | 0 | 8 | magic | `89 54 42 4c 0d 0a 1a 0a`: as a table file's, with `TBL` |
//! | 8 | 2 | version | 4 |
//! | 10 | 1 | metric | as in a table file |
//! | 11 | 1 | content | 0: the plies of a part; 1: solved parts |
//! | 12 | 4 | sources | a checksum of the smaller tables that the work began with |
//! | 16 | 40 | material | its name, such as `KQvKR`, padded with zeros |
//! | 56 | 2 | revision | of the solver that began the file |
//! | 58 | 2 | | zero |
//! | 60 | 4 | checksum | of the bytes 0 to 59 |
//!
//! Records follow to the file's end, each with a head of 28 bytes:
//!
//! | at | bytes | field | value |
//! |---|---|---|---|
//! | 0 | 1 | kind | 0: positions won; 1: positions lost; 2: a ply is complete; 3: a half is complete; 4: a solved slice |
//! | 1 | 1 | side | the side whose wins are being found, or the side to move in a solved slice: 0 white, 1 black |
//! | 2 | 2 | plies | zero for a solved slice |
//! | 4 | 4 | slice | of the positions; of a solved slice, counted through all parts; zero in a record that completes something |
//! | 8 | 4 | length | of the bytes that follow the head |
//! | 12 | 4 | entry length | that they have when they are decompressed |
//! | 16 | 4 | checksum | of the bytes that follow |
//! | 20 | 4 | number | of the records before this one, modulo 2³² |
//! | 24 | 4 | running checksum | of the header's bytes 0 to 59 and then the bytes 0 to 23 of each head up to this one |
//!
//! Number and running checksum chain the records: one that is missing, repeated, or in another one's place does not continue
//! what is before it. There the file ends, as at a record that is damaged or not whole.
//!
//! A file of plies has those of one part. The positions of a slice are an entry (see the source of `sparse.rs`), compressed
//! as an LZ4 block unless that would not make it shorter. The records of a ply have any order; a record that completes the
//! ply ends them, and what no record completes is void. Ply n has the positions won in n and those lost in n + 1, since the
//! latter can be found while the former are at hand; ply 0 has those lost in 0 and in 1. Of helpmates there is the half of the
//! side that checkmates; all positions of a ply are records of kind 0 with the side to move, and those that have several
//! solutions again records of kind 1 with the other side.
//!
//! A file of solved parts has no other records than solved slices. The bytes of one begin with the number of values (2) and
//! then each value's outcome (1) and plies (2). Then come the number of bit planes (1) and each plane, and the number of
//! sets of stalemates (1), none or one, and the set; each of these has a length (4) and as many bytes compressed by LZ4.
//!
//! Files of a table whose checkpoint is `NAME`:
//!
//! | name | has |
//! |---|---|
//! | `NAME` | the plies of a table without pawns |
//! | `NAME.G.RofN` | those that process R of N found, from the Gth time on that the work was begun |
//! | `NAME.partP` | the plies of a large part with pawns, number P, while it is in work |
//! | `NAME.partsR` | the parts with pawns that process R has solved |

mod files;
mod header;
pub(crate) mod parts;
mod records;
mod shared;
mod side;
mod state;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tbindex::bitbase::FrontierSlice;
use tbindex::{Color, Material};

use crate::chess::dependencies::led_to_by;
use crate::storage::packed::PackedFile;
use crate::storage::sparse::{encode, unpack};
use crate::storage::table_file::{FileError, TableFile};
use crate::table::planes::Slab;
use crate::table::solved::Table;
use crate::table::value::{Metric, Value};
pub use files::remove_checkpoint;
pub(crate) use files::{bytes_on_disk, of_part, remove_file};
use header::Content;
pub(crate) use header::is_checkpoint;
pub(crate) use records::{Place, damaged_message};
use records::{Reader, Records};
pub(crate) use shared::Message;
pub(crate) use side::CheckpointSide;
use state::{Scanned, State};

/// What a checkpoint is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointOf {
    /// The material of the table.
    pub material: Material,
    /// What its distances count.
    pub metric: Metric,
    /// A checksum of the smaller tables that it is solved from. A checkpoint that began with others can't be gone on with.
    pub sources: u32,
}

impl CheckpointOf {
    /// What the checkpoint of a material is of, if the smaller tables that it leads to are in a folder.
    ///
    /// # Errors
    /// If one of them is missing or damaged.
    pub fn new(
        material: Material,
        metric: Metric,
        folder: &Path,
    ) -> Result<CheckpointOf, FileError> {
        let mut checksums = Vec::new();
        let sources = led_to_by(&material).into_iter();
        let sources =
            sources.flat_map(|source| metric.of_smaller().iter().map(move |m| (source, *m)));
        for (source, metric) in sources {
            let checksum = match Table::files(folder, source, metric)? {
                [None, Some(packed)] => PackedFile::open(&packed)?.checksum(),
                _ => TableFile::open(&Table::path(folder, source, metric))?.checksum(),
            };
            checksums.extend_from_slice(&checksum.to_le_bytes());
        }
        Ok(CheckpointOf {
            material,
            metric,
            sources: crc32fast::hash(&checksums),
        })
    }

    /// Checks that the files of a checkpoint, if there are any, belong to this table, as far as their headers say. The smaller
    /// tables are looked at if they are `known`.
    ///
    /// # Errors
    /// If one is something else, was begun by a revision of the solver that is known to be wrong, or can't be read.
    pub fn check(&self, checkpoint: &Path, known: bool) -> Result<(), CheckpointError> {
        // Nothing of a table with pawns has the name itself.
        let others = |path: &Path| !(self.material.has_pawns() && path == checkpoint);
        let all = files::all(checkpoint)?.into_iter();
        all.filter(|(path, _)| others(path))
            .try_for_each(|(path, content)| header::check_header(&path, content, self, known))
    }
}

/// The reason why a checkpoint can't be used.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The system refused something.
    #[error("{}: can't {action} the checkpoint: {error}", path.display())]
    Io {
        /// The checkpoint.
        path: PathBuf,
        /// The action that failed.
        action: &'static str,
        /// The system's error.
        error: io::Error,
    },
    /// Another process has it open.
    #[error("{}: another process is writing this file: wait for it, or stop it", path.display())]
    InUse {
        /// The checkpoint.
        path: PathBuf,
    },
    /// It is no checkpoint, or one of another table.
    #[error("{}: {what}: remove the file, or generate with --force", path.display())]
    Foreign {
        /// The checkpoint.
        path: PathBuf,
        /// The reason.
        what: String,
    },
    /// A record is damaged, which was complete once.
    #[error("{}: a record of the checkpoint at byte {at} is damaged: {what}: remove the file", path.display())]
    Damaged {
        /// The checkpoint.
        path: PathBuf,
        /// The place of the record.
        at: u64,
        /// The reason.
        what: String,
    },
    /// A message of another process is damaged.
    #[error("a message of another process is damaged: {0}")]
    Message(String),
    /// The caller stopped the work.
    #[error("interrupted")]
    Interrupted,
}

impl CheckpointError {
    /// The error if the system refuses an action.
    fn io(path: &Path, action: &'static str) -> impl Fn(io::Error) -> CheckpointError + Copy {
        move |error| CheckpointError::Io {
            path: path.to_owned(),
            action,
            error,
        }
    }

    fn foreign(path: &Path, what: String) -> CheckpointError {
        let path = path.to_owned();
        CheckpointError::Foreign { path, what }
    }
}

/// What is found of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Won,
    Lost,
}

/// What a record is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ply {
    pub(crate) winner: Color,
    pub(crate) found: Found,
    pub(crate) plies: u16,
}

impl Ply {
    /// The side to move.
    pub(crate) fn side(self) -> Color {
        match self.found {
            Found::Won => self.winner,
            Found::Lost => !self.winner,
        }
    }

    /// The value of the positions.
    pub(crate) fn value(self, metric: Metric) -> Value {
        match self.found {
            Found::Won => metric.win(self.plies),
            Found::Lost => metric.loss(self.plies),
        }
    }

    /// Of all helpmates of a ply with a side to move those that have several solutions.
    pub(crate) fn several(self) -> Ply {
        Ply {
            winner: !self.side(),
            found: Found::Lost,
            ..self
        }
    }
}

/// The plies of a part of a table.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    state: Mutex<State>,
    /// All files, by their numbers, if there are several.
    files: Vec<Reader>,
}

impl Checkpoint {
    /// A checkpoint in memory, of a part of so many slices.
    pub(crate) fn in_memory(slices: usize) -> Checkpoint {
        Checkpoint::of_one(State::new(Records::in_memory(), slices))
    }

    /// A checkpoint in a file without a name in a folder, of a part of so many slices.
    pub(crate) fn temporary(folder: &Path, slices: usize) -> Result<Checkpoint, CheckpointError> {
        let records = Records::temporary(folder)?;
        Ok(Checkpoint::of_one(State::new(records, slices)))
    }

    /// Opens a checkpoint, or begins one if there is none. What follows the last record that completes something is cut off.
    ///
    /// # Errors
    /// If the file is no checkpoint of this table, the system refuses, or `stop` is set. What there was stays then.
    pub(crate) fn open(
        path: &Path,
        of: &CheckpointOf,
        slices: usize,
        stop: &AtomicBool,
    ) -> Result<Checkpoint, CheckpointError> {
        let mut state = State::new(Records::open(path, Content::Plies, of)?, slices);
        let scanned = Scanned::new(&mut state.records, slices, stop)?;
        let complete = scanned.end_of(u64::MAX);
        scanned.note(&mut state, complete);
        state.records.cut(complete)?;
        Ok(Checkpoint::of_one(state))
    }

    fn of_one(state: State) -> Checkpoint {
        Checkpoint {
            state: Mutex::new(state),
            files: Vec::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.state().records.end.at
    }

    /// Adds what a ply found in a slice, if anything, and returns the number of positions.
    pub(crate) fn append(
        &self,
        ply: Ply,
        slice: usize,
        new: &FrontierSlice<'_>,
        buffer: &mut Vec<u8>,
    ) -> Result<u64, CheckpointError> {
        let positions = encode(new, buffer);
        if positions == 0 {
            return Ok(0);
        }
        let packed = lz4_flex::block::compress(buffer);
        let shorter = packed.len() < buffer.len();
        let packed = if shorter { &packed } else { &*buffer };
        let mut state = self.state();
        let of = (ply.found as u8, ply.winner, ply.plies, slice);
        let place = state.records.append(of, packed, buffer.len() as u32)?;
        state.places[ply.winner as usize][ply.found as usize][slice].push(place);
        Ok(positions)
    }

    /// Notes that a ply is complete, or with it a half. At most a second of work is lost if the power fails.
    pub(crate) fn complete(
        &self,
        winner: Color,
        plies: u16,
        all: bool,
    ) -> Result<(), CheckpointError> {
        let mut state = self.state();
        state.complete(winner, plies, all)?;
        state.records.complete()?;
        drop(state);
        tbindex::fail_point!("tbgen::ply_recorded");
        Ok(())
    }

    /// The record of the last complete ply of a half.
    pub(crate) fn reached(&self, winner: Color) -> Option<Place> {
        self.state().completed[winner as usize]
    }

    /// Where the entries of a slice are, by plies.
    pub(crate) fn places(&self, winner: Color, found: Found, slice: usize) -> Vec<Place> {
        self.state().places[winner as usize][found as usize][slice].clone()
    }

    /// The plies that found anything.
    pub(crate) fn plies(&self, winner: Color, found: Found) -> BTreeSet<u16> {
        let slices = &self.state().places[winner as usize][found as usize];
        slices.iter().flatten().map(|place| place.plies).collect()
    }

    /// Where the entry of a ply in a slice is, if it has one.
    pub(crate) fn place(&self, ply: Ply, slice: usize) -> Option<Place> {
        let places = &self.state().places[ply.winner as usize][ply.found as usize][slice];
        // The latest are asked for most.
        let found = places.iter().rev().find(|place| place.plies == ply.plies);
        found.copied()
    }

    fn damaged(&self, place: Place, what: String) -> CheckpointError {
        match self.files.get(place.file as usize) {
            Some(file) => place.damaged(&file.path, what),
            None => place.damaged(&self.state().records.path, what),
        }
    }

    /// Reads an entry as it is in the checkpoint, checked.
    fn packed(&self, place: Place) -> Result<Vec<u8>, CheckpointError> {
        let state = self.state();
        if place.file == state.records.number {
            return state.records.read(place);
        }
        drop(state);
        self.files[place.file as usize].read(place)
    }

    /// Hands over the slabs of an entry of a slice of so many slabs.
    pub(crate) fn slabs(
        &self,
        place: Place,
        slabs: usize,
        each: impl FnMut(usize, &Slab),
    ) -> Result<(), CheckpointError> {
        let slabs = unpack(&self.packed(place)?, place.entry_length, slabs, each);
        slabs.map_err(|error| self.damaged(place, error.to_string()))
    }
}
