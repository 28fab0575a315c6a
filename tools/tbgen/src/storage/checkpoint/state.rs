//! What a checkpoint has, in memory: where the entries are, and how far each half is.

use std::sync::atomic::AtomicBool;

use tbindex::Color;

use super::CheckpointError;
use super::records::{End, HALF, PLY, Place, Records};

/// A checkpoint that is being written: its records, and what they have.
#[derive(Debug)]
pub(super) struct State {
    pub(super) records: Records,
    /// For each winner, what is found, and each slice.
    pub(super) places: [[Vec<Vec<Place>>; 2]; 2],
    /// For each winner the last record that completes something.
    pub(super) completed: [Option<Place>; 2],
}

impl State {
    pub(super) fn new(records: Records, slices: usize) -> State {
        State {
            records,
            places: [(); 2].map(|()| [(); 2].map(|()| vec![Vec::new(); slices])),
            completed: [None; 2],
        }
    }

    /// Notes what a record has, if it can be one of this checkpoint.
    pub(super) fn note(&mut self, place: Place) -> Option<()> {
        let side = usize::from(place.side);
        if place.completes() {
            *self.completed.get_mut(side)? = Some(place);
            return Some(());
        }
        let kinds = self.places.get_mut(side)?;
        let slices = kinds.get_mut(usize::from(place.kind))?;
        slices.get_mut(place.slice as usize)?.push(place);
        Some(())
    }

    /// Adds the record that completes a ply or, with it, a half.
    pub(super) fn complete(
        &mut self,
        winner: Color,
        plies: u16,
        all: bool,
    ) -> Result<(), CheckpointError> {
        let kind = if all { HALF } else { PLY };
        let place = self.records.append((kind, winner, plies, 0), &[], 0)?;
        self.completed[winner as usize] = Some(place);
        Ok(())
    }
}

/// What a file has, in its order, and where each record ends.
pub(super) struct Scanned {
    all: Vec<(Place, End)>,
    begin: End,
}

impl Scanned {
    /// Reads all records of a file, unless `stop` is set.
    pub(super) fn new(
        records: &mut Records,
        slices: usize,
        stop: &AtomicBool,
    ) -> Result<Scanned, CheckpointError> {
        let mut scanned = Scanned {
            all: Vec::new(),
            begin: records.end,
        };
        records.scan(stop, |place, end| {
            let slices = if place.completes() { 1 } else { slices };
            // LZ4 makes nothing shorter by more than this.
            let may_be =
                place.length <= place.entry_length && place.entry_length / 256 <= place.length;
            let is_ours = place.side < 2 && (place.slice as usize) < slices && place.kind <= HALF;
            if is_ours && may_be {
                scanned.all.push((place, end));
            }
            is_ours && may_be
        })?;
        Ok(scanned)
    }

    /// What is completed, the last first: where its record ends, and its [`order`].
    fn completed(&self) -> impl Iterator<Item = (End, u64)> {
        let all = self.all.iter().rev().filter(|(place, _)| place.completes());
        all.map(|&(place, end)| (end, order(place)))
    }

    /// Where the last record ends that completes something not later than this [`order`].
    pub(super) fn end_of(&self, latest: u64) -> End {
        let mut ends = self.completed().filter(|&(_, order)| order <= latest);
        ends.next().map_or(self.begin, |(end, _)| end)
    }

    /// The [`order`] of what was completed last; 0 if nothing was.
    pub(super) fn last_order(&self) -> u64 {
        self.completed().next().map_or(0, |(_, order)| order)
    }

    /// Notes what there is up to the end of a record.
    pub(super) fn note(self, state: &mut State, last: End) {
        for (place, end) in self.all {
            if end.at <= last.at {
                state.note(place).expect("checked as it was read");
            }
        }
    }
}

/// A number that grows while a part is solved.
fn order(completed: Place) -> u64 {
    let (plies, all) = (u64::from(completed.plies), u64::from(completed.ends_half()));
    1 + (u64::from(completed.side) << 32 | plies << 1 | all)
}
