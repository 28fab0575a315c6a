//! The parts of a table with pawns that are solved, in files that all processes read. The format is in
//! [the module above](super).

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;
use tbindex::Color;
use tbindex::bitbase::{Bitbase, Domain, Row};
use tbindex::store::is_file;

use super::files::{of_part, of_solved, remove_file};
use super::header::Content;
use super::records::{Place, Reader, Records, damaged_message, message_of, places_in};
use super::shared::unless_stopped;
use super::{CheckpointError, CheckpointOf};
use crate::distributed::transport::Transport;
use crate::subtables::library::SolveError;
use crate::table::codes::are_coded;
use crate::table::planes::{PlaneSource, Planes};
use crate::table::shape::Shape;
use crate::table::solved::{Part, Side};
use crate::table::value::{BEST_FIRST, Metric, Outcome, Value};

/// The kind of a record with a solved slice.
const SOLVED: u8 = 4;

/// The parts that are solved.
#[derive(Debug)]
pub(crate) struct SolvedParts {
    checkpoint: PathBuf,
    metric: Metric,
    /// The numbers of parts and of slices in each of them.
    parts: usize,
    slices: usize,
    own: Mutex<Own>,
    /// Other files that this process looks after: of an earlier run, which had more processes. They stay locked.
    _earlier: Vec<Records>,
    /// The files of all processes, by their numbers.
    files: BTreeMap<u32, Arc<Reader>>,
    /// By slice, counted through all parts, and side.
    places: BTreeMap<(usize, usize), Place>,
}

/// The file that this process writes.
#[derive(Debug)]
struct Own {
    records: Records,
    /// What it found since it last told the others.
    new: Vec<Place>,
}

fn put_rows(rows: &[Row], into: &mut Vec<u8>) {
    let packed = lz4_flex::block::compress(bytemuck::cast_slice(rows));
    into.extend_from_slice(&(packed.len() as u32).to_le_bytes());
    into.extend_from_slice(&packed);
}

/// What is left of a record's bytes as they are read.
struct Rest<'b>(&'b [u8]);

impl Rest<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    /// The bytes of compressed rows.
    fn packed(&mut self) -> Option<&[u8]> {
        let length = u32::from_le_bytes(self.take()?) as usize;
        self.0.split_off(..length)
    }

    fn rows(&mut self, rows: &mut [Row]) -> Option<()> {
        let bytes = bytemuck::cast_slice_mut(rows);
        let count = lz4_flex::block::decompress_into(self.packed()?, bytes).ok()?;
        (count == bytes.len()).then_some(())
    }

    fn values(&mut self) -> Option<Vec<Value>> {
        let count = u16::from_le_bytes(self.take()?);
        let values = (0..count).map(|_| {
            let [outcome] = self.take()?;
            let is_this = |all: &Outcome| *all as i8 == outcome.cast_signed();
            let outcome = BEST_FIRST.into_iter().find(is_this)?;
            let plies = u16::from_le_bytes(self.take()?);
            Some(Value { outcome, plies })
        });
        values.collect()
    }
}

/// A slice of a part in a checkpoint with a side to move.
#[derive(Debug)]
struct SolvedSlice {
    file: Arc<Reader>,
    place: Place,
    rows: usize,
}

impl SolvedSlice {
    /// What a function makes of the record's bytes.
    fn read<T>(&self, parse: impl FnOnce(Rest<'_>) -> Option<T>) -> Result<T, CheckpointError> {
        let bytes = self.file.read(self.place)?;
        let what = "it is no solved slice";
        let damaged = || self.place.damaged(&self.file.path, what.to_owned());
        parse(Rest(&bytes)).ok_or_else(damaged)
    }

    /// The values by a metric, and the stalemates if these are wanted.
    fn begin(&self, metric: Metric) -> Result<(Vec<Value>, Option<Vec<Row>>), CheckpointError> {
        self.read(|mut rest| {
            let values = rest.values()?;
            let side = Color::ALL[usize::from(self.place.side)];
            if metric != Metric::Dtz && !are_coded(metric, &values, side) {
                return None;
            }
            let [planes] = rest.take()?;
            for _ in 0..planes {
                rest.packed()?;
            }
            let [stuck] = rest.take()?;
            if stuck == 0 {
                return Some((values, None));
            }
            let mut rows = vec![Row::EMPTY; self.rows];
            rest.rows(&mut rows)?;
            Some((values, Some(rows)))
        })
    }

    fn open(&self) -> Result<Planes, CheckpointError> {
        self.read(|mut rest| {
            let values = rest.values()?;
            let mut planes = Planes::default();
            let mut rows = vec![Row::EMPTY; self.rows];
            let [count] = rest.take()?;
            for bit in 0..usize::from(count) {
                rest.rows(&mut rows)?;
                for (slab, these) in rows.as_chunks().0.iter().enumerate() {
                    planes.put_slab(bit, slab, self.rows, these);
                }
            }
            planes.are_below(values.len(), self.rows).then_some(planes)
        })
    }
}

impl PlaneSource for SolvedSlice {
    fn planes(&self, _slice: usize) -> io::Result<Planes> {
        self.open().map_err(io::Error::other)
    }
}

impl SolvedParts {
    /// Opens the files of all processes, those of an earlier run with more of them included, or begins them.
    pub(crate) fn open(
        checkpoint: &Path,
        of: &CheckpointOf,
        shape: &Shape,
        transport: &dyn Transport,
        stop: &AtomicBool,
    ) -> Result<SolvedParts, CheckpointError> {
        let (parts, slices) = (shape.parts(), shape.any_domain().slices());
        let number = transport.number();
        let mut new = Vec::new();
        let mine = (number..).step_by(transport.processes());
        let mine = mine.map(|file| (file, of_solved(checkpoint, file as u32)));
        let there =
            mine.take_while(|(file, path)| *file == number || !matches!(is_file(path), Ok(false)));
        let all = there.map(|(file, path)| {
            let mut records = Records::open(&path, Content::Parts, of)?;
            records.number = file as u32;
            records.scan(stop, |place, _| {
                let good = place.kind == SOLVED && is_slice(place, parts * slices);
                if good {
                    new.push(place);
                }
                good
            })?;
            records.cut(records.end)?;
            Ok(records)
        });
        let mut all: Vec<Records> = unless_stopped(all.collect(), transport)?;
        let own = Own {
            records: all.remove(0),
            new,
        };
        let mut this = SolvedParts {
            checkpoint: checkpoint.to_owned(),
            metric: of.metric,
            parts,
            slices,
            own: Mutex::new(own),
            _earlier: all,
            files: BTreeMap::new(),
            places: BTreeMap::new(),
        };
        this.share(transport)?;
        Ok(this)
    }

    fn own(&self) -> MutexGuard<'_, Own> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the checkpoints of those of some parts that are solved, which all processes know.
    pub(crate) fn remove_plies_of(&self, parts: &[usize]) -> Result<(), CheckpointError> {
        for &part in parts.iter().filter(|&&part| self.is_solved(part)) {
            remove_file(of_part(&self.checkpoint, part))?;
        }
        Ok(())
    }

    fn is_solved(&self, part: usize) -> bool {
        let mut slices = part * self.slices..(part + 1) * self.slices;
        slices.all(|slice| (0..2).all(|side| self.places.contains_key(&(slice, side))))
    }

    /// Those of some parts that are not solved yet and that this process has to solve: neighbours, which lead to the
    /// same ones.
    pub(crate) fn mine(&self, mut parts: Vec<usize>, transport: &dyn Transport) -> Vec<usize> {
        parts.retain(|&part| !self.is_solved(part));
        let share = |number: usize| parts.len() * number / transport.processes();
        parts[share(transport.number())..share(transport.number() + 1)].to_vec()
    }

    /// Adds a part.
    pub(crate) fn append(
        &self,
        number: usize,
        part: &Part,
        stalemates: &[Option<Bitbase>; 2],
    ) -> Result<(), SolveError> {
        let rows = part.domain.rows();
        let slices = Color::ALL.into_par_iter().flat_map(|side| {
            let slices = (0..self.slices).into_par_iter();
            slices.map(move |slice| (side, slice))
        });
        slices.try_for_each(|(side, slice)| {
            let Side { values, slices } = &part.sides[side as usize];
            let mut bytes = (values.len() as u16).to_le_bytes().to_vec();
            for value in values.iter() {
                bytes.push((value.outcome as i8).cast_unsigned());
                bytes.extend_from_slice(&value.plies.to_le_bytes());
            }
            let planes = slices[slice].open()?;
            bytes.push(planes.count() as u8);
            for bit in 0..planes.count() {
                let plane: Vec<Row> = (0..rows).map(|at| planes.row(bit, at)).collect();
                put_rows(&plane, &mut bytes);
            }
            let stalemates = &stalemates[side as usize];
            bytes.push(u8::from(stalemates.is_some()));
            if let Some(stalemates) = stalemates {
                put_rows(stalemates.slice(slice), &mut bytes);
            }
            let of = (SOLVED, side, 0, number * self.slices + slice);
            let mut own = self.own();
            let place = own.records.append(of, &bytes, bytes.len() as u32)?;
            own.new.push(place);
            Ok::<(), SolveError>(())
        })?;
        self.own().records.complete()?;
        tbindex::fail_point!("tbgen::part_recorded");
        Ok(())
    }

    /// Tells all processes where the new parts are.
    pub(crate) fn share(&mut self, transport: &dyn Transport) -> Result<(), CheckpointError> {
        let own = self.own.get_mut().unwrap_or_else(PoisonError::into_inner);
        own.records.sync()?;
        for message in transport.share(message_of(own.new.drain(..))) {
            for place in places_in(&message)? {
                if !is_slice(place, self.parts * self.slices) {
                    return Err(damaged_message("it names a part of another table"));
                }
                let file = || Arc::new(Reader::new(of_solved(&self.checkpoint, place.file)));
                self.files.entry(place.file).or_insert_with(file);
                let at = (place.slice as usize, usize::from(place.side));
                self.places.insert(at, place);
            }
        }
        Ok(())
    }

    /// A part that is solved, and its stalemates.
    pub(crate) fn part(
        &self,
        number: usize,
        shape: &Shape,
    ) -> Result<(Part, [Option<Bitbase>; 2]), SolveError> {
        let domain = shape.domain(number);
        let [white, black] = Color::ALL.map(|side| self.side(number, side, &domain));
        let ((white, of_white), (black, of_black)) = (white?, black?);
        let part = Part {
            domain,
            sides: [white, black],
        };
        Ok((part, [of_white, of_black]))
    }

    fn side(
        &self,
        number: usize,
        side: Color,
        domain: &Domain,
    ) -> Result<(Side, Option<Bitbase>), SolveError> {
        let slice_of = |slice: usize| {
            // Some process has solved the part.
            let place = self.places[&(number * self.slices + slice, side as usize)];
            SolvedSlice {
                file: Arc::clone(&self.files[&place.file]),
                place,
                rows: domain.rows(),
            }
        };
        let (values, first) = slice_of(0).begin(self.metric)?;
        let mut stalemates = None;
        if first.is_some() {
            let set = stalemates.insert(Bitbase::new(domain)?);
            for (slice, rows) in set.slices_mut().enumerate() {
                if let (_, Some(stuck)) = slice_of(slice).begin(self.metric)? {
                    rows.copy_from_slice(&stuck);
                }
            }
        }
        let planes = |slice| Planes::elsewhere(Arc::new(slice_of(slice)), slice);
        let side = Side {
            values: Arc::new(values),
            slices: (0..self.slices).map(planes).collect(),
        };
        Ok((side, stalemates))
    }
}

/// Whether the slice and the side of a record are there, in a table of so many slices.
fn is_slice(place: Place, slices: usize) -> bool {
    (place.slice as usize) < slices && place.side < 2
}
