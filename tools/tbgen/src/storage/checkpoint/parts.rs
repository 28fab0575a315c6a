//! The parts of a table with pawns that are solved, in one or several files. The format is in [the module above](super).

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use tbindex::Color;
use tbindex::bitbase::{Bitbase, Domain, Row};
use tbindex::store::is_file;

use super::CheckpointOf;
use super::files::{PARTS, of_part, of_solved, remove_file};
use super::place::{Found, Kind, Place, Ply, is_of, open_records};
use crate::storage::record_file::{Reader, RecordError, RecordFile};
use crate::table::codes::are_coded;
use crate::table::planes::{PlaneSource, Planes};
use crate::table::shape::Shape;
use crate::table::solved::{Part, Side};
use crate::table::sparse::Stored;
use crate::table::value::{BEST_FIRST, Metric, Value};

/// The parts that are solved.
#[derive(Debug)]
pub(crate) struct SolvedParts {
    checkpoint: PathBuf,
    metric: Metric,
    /// The numbers of parts and of slices in each of them.
    parts: usize,
    slices: usize,
    own: Mutex<Own>,
    /// Other files that are looked after here, of an earlier run. They stay locked.
    _earlier: Vec<RecordFile>,
    /// All files, by their numbers.
    files: BTreeMap<u32, Arc<Reader>>,
    /// By slice, counted through all parts, and side.
    places: BTreeMap<(usize, usize), Place>,
}

/// The file that this process writes.
#[derive(Debug)]
struct Own {
    records: RecordFile,
    number: u32,
    /// The records since they were last [taken](SolvedParts::take_new).
    new: Vec<Place>,
}

/// A solved slice with a side to move, as its record has it.
#[derive(Serialize, Deserialize)]
struct Solved {
    /// The outcome and the plies of each code.
    values: Vec<(i8, u16)>,
    /// By bits of the codes.
    planes: Vec<Stored>,
    /// The stalemates, if they are wanted.
    stalemates: Option<Stored>,
}

impl Solved {
    fn values(&self) -> Option<Vec<Value>> {
        let values = self.values.iter().map(|&(outcome, plies)| {
            let outcome = BEST_FIRST.into_iter().find(|&all| all as i8 == outcome)?;
            Some(Value { outcome, plies })
        });
        values.collect()
    }
}

/// Where a solved slice is.
#[derive(Debug)]
struct SolvedSlice {
    file: Arc<Reader>,
    place: Place,
    metric: Metric,
    rows: usize,
}

impl SolvedSlice {
    fn damaged(&self) -> RecordError {
        self.file.damaged(self.place.span, "it is no solved slice")
    }

    /// The slice, and its values, which are right by the metric.
    fn read(&self) -> Result<(Solved, Vec<Value>), RecordError> {
        let (metric, side) = (self.metric, self.place.ply.winner);
        let value = self.file.read(self.place.span)?;
        let read = postcard::from_bytes::<(Kind, Ply, u32, Solved)>(&value).ok();
        let read = read.and_then(|(.., solved)| {
            let values = solved.values()?;
            Some((solved, values))
        });
        let are_right = |values: &[Value]| metric == Metric::Dtz || are_coded(metric, values, side);
        read.filter(|(_, values)| are_right(values))
            .ok_or_else(|| self.damaged())
    }

    /// Puts the stalemates, if they are wanted, into a slice that has none.
    fn stalemates_into(&self, rows: &mut [Row]) -> Result<(), RecordError> {
        let stalemates = self.read()?.0.stalemates;
        let read = stalemates.map_or(Ok(()), |stored| {
            stored.for_each_slab(self.rows / 8, |slab, these| {
                rows[slab * 8..slab * 8 + 8].copy_from_slice(these);
            })
        });
        read.map_err(|_| self.damaged())
    }

    fn open(&self) -> Result<Planes, RecordError> {
        let (Solved { planes, .. }, values) = self.read()?;
        let planes = Planes::of_stored(self.rows, planes);
        let open = planes.open().map_err(|_| self.damaged())?.into_owned();
        match open.are_below(values.len(), self.rows) {
            true => Ok(open),
            false => Err(self.damaged()),
        }
    }
}

impl PlaneSource for SolvedSlice {
    fn planes(&self, _slice: usize) -> io::Result<Planes> {
        self.open().map_err(io::Error::other)
    }
}

impl SolvedParts {
    /// Opens the first of the files with these numbers, which gets the parts that are solved now, or begins it; and opens those
    /// after it up to one that is not there. All of their records are new.
    pub(crate) fn open(
        checkpoint: &Path,
        of: &CheckpointOf,
        shape: &Shape,
        numbers: impl Iterator<Item = usize>,
        stop: &AtomicBool,
    ) -> Result<SolvedParts, RecordError> {
        let (parts, slices) = (shape.parts(), shape.any_domain().slices());
        let subject = of.subject(PARTS);
        let (mut all, mut new) = (Vec::new(), Vec::new());
        for number in numbers.map(|number| number as u32) {
            let path = of_solved(checkpoint, number);
            if !all.is_empty() && matches!(is_file(&path), Ok(false)) {
                break;
            }
            let of = (parts * slices, true);
            let (mut records, read) = open_records((&path, number), &subject, of, stop)?;
            new.extend(read);
            records.cut(None)?;
            all.push((records, number));
        }
        let (records, number) = all.remove(0);
        let own = Own {
            records,
            number,
            new,
        };
        Ok(SolvedParts {
            checkpoint: checkpoint.to_owned(),
            metric: of.metric,
            parts,
            slices,
            own: Mutex::new(own),
            _earlier: all.into_iter().map(|(records, _)| records).collect(),
            files: BTreeMap::new(),
            places: BTreeMap::new(),
        })
    }

    fn own(&self) -> MutexGuard<'_, Own> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the checkpoint of a part that was added, once that is on the disk.
    pub(crate) fn remove_plies_of(&self, number: usize) -> Result<(), RecordError> {
        self.own().records.sync()?;
        remove_file(of_part(&self.checkpoint, number))
    }

    /// Whether there is a part.
    pub(crate) fn is_solved(&self, part: usize) -> bool {
        let mut slices = part * self.slices..(part + 1) * self.slices;
        slices.all(|slice| (0..2).all(|side| self.places.contains_key(&(slice, side))))
    }

    pub(crate) fn append(
        &self,
        number: usize,
        part: &Part,
        stalemates: &[Option<Bitbase>; 2],
    ) -> Result<(), RecordError> {
        (0..2 * self.slices)
            .into_par_iter()
            .try_for_each(|of_side| {
                let (side, slice) = (of_side / self.slices, of_side % self.slices);
                let side = Color::ALL[side];
                let Side { values, slices } = &part.sides[side as usize];
                let stalemates = stalemates[side as usize].as_ref();
                let stalemates = stalemates.map(|set| Stored::aside([set.slice(slice)], 0, None));
                let values = values
                    .iter()
                    .map(|value| (value.outcome as i8, value.plies));
                let solved = Solved {
                    values: values.collect(),
                    planes: slices[slice].stored()?,
                    stalemates: stalemates.transpose()?,
                };
                let slice = (number * self.slices + slice) as u32;
                let ply = Ply {
                    winner: side,
                    found: Found::Won,
                    plies: 0,
                };
                let mut own = self.own();
                let of = (Kind::Solved, ply, slice);
                let span = own.records.append(&(of, solved))?;
                let place = Place::new(of, own.number, span);
                own.new.push(place);
                Ok::<(), RecordError>(())
            })?;
        self.own().records.complete()?;
        tbindex::fail_point!("tbgen::part_recorded");
        Ok(())
    }

    /// Where the new records are, which are brought to the disk. They are there when they are [added](SolvedParts::add).
    pub(crate) fn take_new(&self) -> Result<Vec<Place>, RecordError> {
        let mut own = self.own();
        own.records.sync()?;
        Ok(std::mem::take(&mut own.new))
    }

    /// Adds records of any file, and returns whether all are of this table's parts.
    pub(crate) fn add(&mut self, places: impl IntoIterator<Item = Place>) -> bool {
        places.into_iter().all(|place| {
            let file = || Arc::new(Reader::new(of_solved(&self.checkpoint, place.file)));
            self.files.entry(place.file).or_insert_with(file);
            let at = (place.slice as usize, place.ply.winner as usize);
            self.places.insert(at, place);
            is_of(&place, self.parts * self.slices, true)
        })
    }

    /// A part that is solved, and its stalemates.
    pub(crate) fn part(
        &self,
        number: usize,
        shape: &Shape,
    ) -> Result<(Part, [Option<Bitbase>; 2]), RecordError> {
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
    ) -> Result<(Side, Option<Bitbase>), RecordError> {
        let slice_of = |slice: usize| {
            // The part is solved.
            let place = self.places[&(number * self.slices + slice, side as usize)];
            SolvedSlice {
                file: Arc::clone(&self.files[&place.file]),
                place,
                metric: self.metric,
                rows: domain.rows(),
            }
        };
        let (first, values) = slice_of(0).read()?;
        let mut stalemates = None;
        if first.stalemates.is_some() {
            let set = stalemates.insert(Bitbase::try_new(domain)?);
            for (slice, rows) in set.slices_mut().enumerate() {
                slice_of(slice).stalemates_into(rows)?;
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
