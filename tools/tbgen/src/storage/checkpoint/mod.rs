//! Checkpoints: what each ply found, so that distances need not be kept in memory while a table is solved, and
//! so that the work can go on where it was killed; and the solved parts of a table with pawns.
//!
//! They are [files of records](super::record_file). The value of a record is its [`Kind`], a [`Ply`], the number of a slice,
//! and what is found there. The winner of a solved slice is the side to move, and its plies are 0; the slice is 0 in a record
//! that completes something.
//!
//! A file of plies has those of one part. A record has as bytes the positions of the slice (see the source of `table/sparse.rs`),
//! compressed by LZ4, with their length before them. The records of a ply have any order; a record that completes the ply,
//! without bytes, ends them, and what no record completes is void. Ply n has the positions won in n and those lost in n + 1,
//! since the latter can be found while the former are at hand; ply 0 has those lost in 0 and in 1. Helpmates have the
//! half of the side that checkmates; all positions of a ply are records of won ones with the side to move, and those that have
//! several solutions again records of lost ones with the other side.
//!
//! A file of solved parts has no other records than solved slices, which are counted through all parts; `parts.rs` says
//! what is found. Planes and stalemates are sets of the same form.
//!
//! Files of a table whose checkpoint is `NAME`:
//!
//! | name | has |
//! |---|---|
//! | `NAME` | the plies of a table without pawns |
//! | `NAME.G.RofN` | the same in several files: those that process R of N found, from the Gth time on that the work was begun |
//! | `NAME.partP` | the plies of a large part with pawns, number P, while it is in work |
//! | `NAME.partsR` | the parts with pawns that process R has solved |

mod files;
pub(crate) mod parts;
mod place;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_bytes::Bytes;
use tbindex::bitbase::FrontierSlice;
use tbindex::{Color, Material};

use super::record_file::{Reader, RecordError, RecordFile, Subject, is_record_file};
use crate::chess::dependencies::led_to_by;
use crate::storage::packed::PackedFile;
use crate::storage::table_file::{FileError, TableFile};
use crate::table::planes::{PlaneSource, Planes};
use crate::table::shape::Shape;
use crate::table::slab::Slab;
use crate::table::solved::Table;
use crate::table::sparse::{BadEntry, encode, unpack};
use crate::table::value::{Metric, Value};
pub(crate) use files::{Name, checkpoint_path, generations, of_generation, of_part, remove_file};
pub use files::{checkpoint_bytes, remove_checkpoint};
pub(crate) use place::{Found, Place, Ply, open_records};
use place::{Kind, is_of};

/// The table that a checkpoint is of, and how it is solved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointOf {
    /// The material of the table.
    pub material: Material,
    /// The metric of the table.
    pub metric: Metric,
    /// A checksum of the smaller tables that it is solved from, if it is known. A checkpoint that began with others can't be gone on
    /// with.
    pub sources: Option<u32>,
}

impl CheckpointOf {
    /// The table of a material and a metric, if the smaller tables that it leads to are in a folder.
    ///
    /// # Errors
    /// If one of them is missing or damaged.
    pub fn new(
        material: Material,
        metric: Metric,
        folder: &Path,
    ) -> Result<CheckpointOf, FileError> {
        let mut checksums = Vec::new();
        for source in led_to_by(&material) {
            for &metric in metric.of_smaller() {
                let checksum = match Table::files(folder, source, metric)? {
                    [None, Some(packed)] => PackedFile::open(&packed)?.checksum(),
                    _ => TableFile::open(&Table::path(folder, source, metric))?.checksum(),
                };
                checksums.extend_from_slice(&checksum.to_le_bytes());
            }
        }
        Ok(CheckpointOf {
            material,
            metric,
            sources: Some(crc32fast::hash(&checksums)),
        })
    }

    /// Checks that the files of a checkpoint, if there are any, belong to this table, as far as their headers say.
    ///
    /// # Errors
    /// If one is something else, was begun by a revision of the solver that is known to be wrong, or can't be read.
    pub fn check(&self, checkpoint: &Path) -> Result<(), RecordError> {
        for (path, content) in files::all(checkpoint)? {
            // Nothing of a table with pawns has the name itself.
            if !(self.material.has_pawns() && path == checkpoint) {
                RecordFile::check(&path, &self.subject(content))?;
            }
        }
        Ok(())
    }

    /// The subject of a file of plies.
    pub(crate) fn plies(&self) -> Subject {
        self.subject(files::PLIES)
    }

    /// The subject of a file with this content.
    fn subject(&self, content: &str) -> Subject {
        let (material, metric) = (self.material, self.metric.name());
        Subject {
            name: format!("a checkpoint with {content} of {material} by {metric}"),
            table: (material, self.metric),
            sources: self.sources,
        }
    }
}

/// Refuses what is in the way of the checkpoint of a table that is to be made in a folder, as far as that can be told before
/// smaller tables are made.
///
/// # Errors
/// If there is something else under the checkpoint's name, or the checkpoint of another table.
pub fn check_checkpoint(
    checkpoints: &Path,
    folder: &Path,
    shape: &Shape,
    metric: Metric,
) -> Result<(), RecordError> {
    let (endgame, material) = (shape.endgame(), shape.material());
    let checkpoint = checkpoint_path(checkpoints, endgame, metric);
    if !shape.has_checkpoint() && !is_record_file(&checkpoint) {
        return Ok(());
    }
    // The smaller tables may still have to be made.
    let of = CheckpointOf::new(material, metric, folder).unwrap_or(CheckpointOf {
        material,
        metric,
        sources: None,
    });
    of.check(&checkpoint)
}

/// The plies of a part of a table.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    state: Mutex<State>,
    /// All files, by their numbers, if there are several.
    files: Vec<Reader>,
}

/// The file that is being written, and what there is.
#[derive(Debug)]
struct State {
    records: RecordFile,
    /// The number of the file, if there are several.
    number: u32,
    /// For each winner, what is found, and each slice.
    places: [[Vec<Vec<Place>>; 2]; 2],
    /// For each winner the last record that completes something.
    completed: [Option<Place>; 2],
}

impl State {
    fn append(
        &mut self,
        kind: Kind,
        ply: Ply,
        slice: usize,
        bytes: &[u8],
    ) -> Result<(), RecordError> {
        let of = (kind, ply, slice as u32);
        let span = self.records.append(&(of, Bytes::new(bytes)))?;
        self.note(Place::new(of, self.number, span));
        Ok(())
    }

    /// Notes what a record has, which is one of these slices.
    fn note(&mut self, place: Place) {
        let side = place.ply.winner as usize;
        if place.order().is_none() {
            let slices = &mut self.places[side][place.ply.found as usize];
            slices[place.slice as usize].push(place);
        } else if place.order() > self.completed[side].and_then(|last| last.order()) {
            self.completed[side] = Some(place);
        }
    }
}

/// Cuts off what follows the last record of a file that completes something not later than this [order](Place::order), and returns
/// where the records are that stay.
pub(crate) fn keep_complete(
    records: &mut RecordFile,
    mut read: Vec<Place>,
    latest: u64,
) -> Result<Vec<Place>, RecordError> {
    let is_last = |place: &Place| place.order().is_some_and(|order| order <= latest);
    let last = read.iter().rposition(is_last);
    let void = read.split_off(last.map_or(0, |last| last + 1));
    records.cut(void.first().map(|next| next.span))?;
    Ok(read)
}

impl Checkpoint {
    /// A checkpoint in memory, of a part of so many slices.
    pub(crate) fn in_memory(slices: usize) -> Checkpoint {
        Checkpoint::of((RecordFile::in_memory(), 0), slices, Vec::new())
    }

    /// A checkpoint in a file without a name in a folder, of a part of so many slices.
    pub(crate) fn temporary(folder: &Path, slices: usize) -> Result<Checkpoint, RecordError> {
        let records = RecordFile::temporary(folder)?;
        Ok(Checkpoint::of((records, 0), slices, Vec::new()))
    }

    /// Opens a checkpoint, or begins one if there is none. Records behind the last that completes something are cut off.
    ///
    /// # Errors
    /// If the file is no checkpoint of this table, the system refuses, or `stop` is set. The file stays as it was then.
    pub(crate) fn open(
        path: &Path,
        of: &CheckpointOf,
        slices: usize,
        stop: &AtomicBool,
    ) -> Result<Checkpoint, RecordError> {
        let (mut records, read) = open_records((path, 0), &of.plies(), (slices, false), stop)?;
        let complete = keep_complete(&mut records, read, u64::MAX)?;
        let this = Checkpoint::of((records, 0), slices, Vec::new());
        complete
            .into_iter()
            .for_each(|place| this.state().note(place));
        Ok(this)
    }

    /// A checkpoint of several files, of which that with a number is begun and the others are only read. They have what is
    /// [added](Checkpoint::add).
    ///
    /// # Errors
    /// If the system refuses, or something else is there.
    pub(crate) fn among(
        paths: Vec<PathBuf>,
        number: usize,
        of: &CheckpointOf,
        slices: usize,
    ) -> Result<Checkpoint, RecordError> {
        let mut records = RecordFile::open(&paths[number], &of.plies())?;
        records.cut(None)?;
        let files = paths.into_iter().map(Reader::new).collect();
        Ok(Checkpoint::of((records, number as u32), slices, files))
    }

    /// A checkpoint of a part of so many slices with nothing in it yet.
    fn of((records, number): (RecordFile, u32), slices: usize, files: Vec<Reader>) -> Checkpoint {
        let state = State {
            records,
            number,
            places: [(); 2].map(|()| [(); 2].map(|()| vec![Vec::new(); slices])),
            completed: [None; 2],
        };
        let state = Mutex::new(state);
        Checkpoint { state, files }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the records of the file that is being written are, as others may read them.
    pub(crate) fn own_places(&self) -> Result<Vec<Place>, RecordError> {
        let mut state = self.state();
        state.records.flush()?;
        let all = state.places.iter().flatten().flatten().flatten();
        let own = all.filter(|place| place.file == state.number);
        Ok(own.copied().collect())
    }

    /// Adds records of any file, and returns whether all are of this checkpoint.
    pub(crate) fn add(&self, places: impl IntoIterator<Item = Place>) -> bool {
        let mut state = self.state();
        let (slices, files) = (state.places[0][0].len(), self.files.len());
        let all_ours = places.into_iter().all(|place| {
            let is_ours = (place.file as usize) < files && is_of(&place, slices, false);
            if is_ours {
                state.note(place);
            }
            is_ours
        });
        for places in state.places.iter_mut().flatten().flatten() {
            places.sort_by_key(|place| place.ply.plies);
        }
        all_ours
    }

    /// The bytes so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.state().records.end
    }

    /// Adds what a ply found in a slice, if anything, and returns the number of positions.
    pub(crate) fn append(
        &self,
        ply: Ply,
        slice: usize,
        new: &FrontierSlice<'_>,
        buffer: &mut Vec<u8>,
    ) -> Result<u64, RecordError> {
        let positions = encode(new, buffer);
        if positions > 0 {
            let packed = lz4_flex::block::compress_prepend_size(buffer);
            self.state().append(Kind::Found, ply, slice, &packed)?;
        }
        Ok(positions)
    }

    /// Notes that a ply is complete, or with it a half. At most a second of work is lost if the power fails.
    pub(crate) fn complete(&self, winner: Color, plies: u16, all: bool) -> Result<(), RecordError> {
        let kind = if all { Kind::Half } else { Kind::Ply };
        let ply = Ply {
            winner,
            found: Found::Won,
            plies,
        };
        let mut state = self.state();
        state.append(kind, ply, 0, &[])?;
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
        slices
            .iter()
            .flatten()
            .map(|place| place.ply.plies)
            .collect()
    }

    /// Where the entry of a ply in a slice is, if it has one.
    pub(crate) fn place(&self, ply: Ply, slice: usize) -> Option<Place> {
        let places = &self.state().places[ply.winner as usize][ply.found as usize][slice];
        // The latest are asked for most.
        let found = places.iter().rev().find(|place| place.ply == ply);
        found.copied()
    }

    fn damaged(&self, place: Place, what: &str) -> RecordError {
        match self.files.get(place.file as usize) {
            Some(file) => file.damaged(place.span, what),
            None => self.state().records.reader.damaged(place.span, what),
        }
    }

    /// Calls a function with an entry as it is in the checkpoint, checked.
    pub(crate) fn with_packed<T>(
        &self,
        place: Place,
        with: impl FnOnce(&[u8]) -> Result<T, BadEntry>,
    ) -> Result<T, RecordError> {
        let own = {
            let state = self.state();
            (place.file == state.number).then(|| state.records.read(place.span))
        };
        let value = own.unwrap_or_else(|| self.files[place.file as usize].read(place.span))?;
        let read = postcard::from_bytes::<(Kind, Ply, u32, &Bytes)>(&value);
        let made = read
            .map_err(|_| BadEntry)
            .and_then(|(.., packed)| with(packed));
        made.map_err(|error| self.damaged(place, &error.to_string()))
    }

    /// Hands over the slabs of an entry of a slice of so many slabs.
    pub(crate) fn slabs(
        &self,
        place: Place,
        slabs: usize,
        each: impl FnMut(usize, &Slab),
    ) -> Result<(), RecordError> {
        self.with_packed(place, |packed| unpack(packed, slabs, each))
    }
}

/// The checkpoint of a part's plies, as it is seen from a side to move.
#[derive(Debug)]
pub(crate) struct CheckpointSide {
    pub(crate) checkpoint: Arc<Checkpoint>,
    pub(crate) side: Color,
    /// The value of each code.
    pub(crate) values: Arc<Vec<Value>>,
    /// The number of rows of a slice.
    pub(crate) rows: usize,
}

impl PlaneSource for CheckpointSide {
    fn planes(&self, slice: usize) -> io::Result<Planes> {
        let mut planes = Planes::default();
        let damaged = |place, what: &str| io::Error::other(self.checkpoint.damaged(place, what));
        let mut last = None;
        for (found, winner, kind) in [(Found::Won, self.side, 1), (Found::Lost, !self.side, 2)] {
            for place in self.checkpoint.places(winner, found, slice) {
                let mut values = self.values.iter();
                let code =
                    values.position(|own| (own.kind(), own.plies) == (kind, place.ply.plies));
                let code = code.ok_or_else(|| damaged(place, "no value has its plies"))? as u16;
                let add = |slab: usize, these: &Slab| planes.add(slab, these, self.rows, code);
                (self.checkpoint.slabs(place, self.rows / 8, add)).map_err(io::Error::other)?;
                last = Some(place);
            }
        }
        match last {
            // Codes of a position that is found twice are mixed.
            Some(place) if !planes.are_below(self.values.len(), self.rows) => {
                let what = "a position up to here is found in more than one ply";
                Err(damaged(place, what))
            }
            _ => Ok(planes),
        }
    }
}
