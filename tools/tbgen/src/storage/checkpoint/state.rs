//! What a checkpoint has, in memory: where the entries are, and how far each half is.

use std::sync::atomic::AtomicBool;

use tbindex::Color;

use super::records::{End, Head, Records};
use super::{CheckpointError, Place, Reached};

/// A checkpoint that is being written: its records, and what they have.
#[derive(Debug)]
pub(super) struct State {
    pub(super) records: Records,
    /// For each winner, what is found, and each slice.
    pub(super) places: [[Vec<Vec<Place>>; 2]; 2],
    /// For each winner.
    pub(super) reached: [Option<Reached>; 2],
}

impl State {
    pub(super) fn new(records: Records, slices: usize) -> State {
        State {
            records,
            places: [(); 2].map(|()| [(); 2].map(|()| vec![Vec::new(); slices])),
            reached: [None; 2],
        }
    }

    /// Adds the record that completes a ply or, with it, a half.
    pub(super) fn complete(&mut self, winner: Color, reached: Reached) {
        self.reached[winner as usize] = Some(reached);
        let head = Head {
            kind: if reached.all { 3 } else { 2 },
            side: winner as u8,
            plies: reached.plies,
            number: 0,
        };
        self.records.append(head, &[], 0);
    }
}

/// What a file has, in its order, and where its last record ends.
pub(super) struct Scanned {
    all: Vec<Record>,
    begin: End,
}

#[derive(Clone, Copy, Debug)]
enum Record {
    /// Positions: the winner, what was found, the slice's number, the place.
    Positions(usize, usize, usize, Place),
    /// Something is complete: where the record ends, the winner, and how far it is.
    Complete(End, usize, Reached),
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
            begin: records.end(),
        };
        records.scan(stop, |head, place, end| {
            let (winner, number) = (usize::from(head.side), head.number as usize);
            let numbers = if head.kind < 2 { slices } else { 1 };
            // LZ4 makes nothing shorter by more than this.
            let may_be =
                place.length <= place.entry_length && place.entry_length / 256 <= place.length;
            if winner > 1 || number >= numbers || head.kind > 3 || !may_be {
                return false;
            }
            scanned.all.push(if head.kind < 2 {
                Record::Positions(winner, usize::from(head.kind), number, place)
            } else {
                let reached = Reached {
                    plies: head.plies,
                    all: head.kind == 3,
                };
                Record::Complete(end, winner, reached)
            });
            true
        })?;
        Ok(scanned)
    }

    /// What is completed, the last first: where its record ends, and its [`order`].
    fn completed(&self) -> impl Iterator<Item = (End, u64)> {
        self.all.iter().rev().filter_map(|&record| match record {
            Record::Complete(end, winner, reached) => Some((end, order(winner, reached))),
            Record::Positions(..) => None,
        })
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

    /// Notes what is complete before the end of a record.
    pub(super) fn note(self, state: &mut State, last: End) {
        let mut since = Vec::new();
        for record in self.all {
            match record {
                Record::Positions(winner, kind, slice, place) => {
                    since.push((winner, kind, slice, place));
                }
                Record::Complete(end, ..) if end.at > last.at => break,
                Record::Complete(_, winner, reached) => {
                    for (winner, kind, slice, place) in since.drain(..) {
                        state.places[winner][kind][slice].push(place);
                    }
                    state.reached[winner] = Some(reached);
                }
            }
        }
    }
}

/// A number that grows while a part is solved.
fn order(winner: usize, reached: Reached) -> u64 {
    1 + ((winner as u64) << 32 | u64::from(reached.plies) << 1 | u64::from(reached.all))
}
