//! A checkpoint in several files, one for each process that solves the table.
//!
//! Each run begins files of its own, a *generation*, named `NAME.G.RofN`: generation G from 1, process R of N. They have
//! what that process found, whichever slices these are. So a run may have another number of processes than the one before.
//! A generation has begun when all of its files are there, and before that none of them has a record. Plies that
//! not all of its files have complete are cut off before the next one begins, which goes on from there.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_bytes::Bytes;

use super::files::{Name, PLIES, names, of_process};
use super::place::{Place, is_of, open};
use super::{Checkpoint, CheckpointOf, State, complete_until};
use crate::distributed::transport::Transport;
use crate::storage::record_file::{Reader, RecordError, RecordFile};
use crate::table::slab::Slab;
use crate::table::sparse::{BadEntry, unpack};

impl State {
    /// Where the entries of this process's file are.
    fn own_places(&self) -> impl Iterator<Item = Place> {
        let all = self.places.iter().flatten().flatten().flatten();
        all.filter(|place| place.file == self.number).copied()
    }

    /// Adds records that processes name, in one of so many files each.
    fn add_places(
        &mut self,
        files: usize,
        places: impl IntoIterator<Item = Place>,
    ) -> Result<(), RecordError> {
        let slices = self.places[0][0].len();
        for place in places {
            if place.file as usize >= files || !is_of(&place, slices, false) {
                return Err(damaged_message("it names a record of another table"));
            }
            self.note(place);
        }
        for places in self.places.iter_mut().flatten().flatten() {
            places.sort_by_key(|place| place.ply.plies);
        }
        Ok(())
    }
}

pub(crate) fn damaged_message(what: &str) -> RecordError {
    RecordError::Message(what.to_owned())
}

/// Sends a value to all processes, and returns the values of all by their numbers.
pub(super) fn share<T: Serialize + DeserializeOwned>(
    transport: &dyn Transport,
    own: &T,
) -> Result<Vec<T>, RecordError> {
    let own = postcard::to_allocvec(own).expect("memory takes all");
    let all = transport.share(own).into_iter();
    all.map(|bytes| postcard::from_bytes(&bytes).map_err(|_| damaged_message("it is cut")))
        .collect()
}

/// The result of reading, unless any process was interrupted: then all are.
pub(super) fn unless_stopped<T>(
    read: Result<T, RecordError>,
    transport: &dyn Transport,
) -> Result<T, RecordError> {
    let stopped = match &read {
        Ok(_) => 0,
        Err(RecordError::Interrupted) => 1,
        // The caller ends the others.
        Err(_) => return read,
    };
    match transport.sum([stopped, 0, 0, 0, 0, 0])[0] {
        0 => read,
        _ => Err(RecordError::Interrupted),
    }
}

impl Checkpoint {
    /// Opens a checkpoint that several processes write together, or begins one if there is none. Plies that not
    /// all of them have completed are cut off.
    ///
    /// # Errors
    /// If a file is missing, is no checkpoint of this table, is damaged, or the system refuses; or if `stop` is set in any process.
    pub(crate) fn open_shared(
        checkpoint: &Path,
        of: &CheckpointOf,
        slices: usize,
        transport: &dyn Transport,
        stop: &AtomicBool,
    ) -> Result<Checkpoint, RecordError> {
        let (number, processes) = (transport.number() as u32, transport.processes() as u32);
        let subject = of.subject(PLIES);
        // All go by the files that process 0 sees.
        let seen = match number {
            0 => names(checkpoint)?,
            _ => Vec::new(),
        };
        let found: Vec<Name> = share(transport, &seen)?.swap_remove(0);
        let (begun, unfinished) = generations(checkpoint, &found)?;
        let last = begun.last().map_or(0, |&(generation, ..)| generation);
        let mine = begun.iter().enumerate().skip(number as usize);
        let own = mine.step_by(processes as usize).map(|(at, &name)| {
            let path = of_process(checkpoint, name);
            let (records, read) = open((&path, at as u32), &subject, (slices, false), stop)?;
            if name.0 < last {
                records.check_end()?;
            }
            Ok((name.0, records, read))
        });
        let own: Vec<(u32, RecordFile, Vec<Place>)> = unless_stopped(own.collect(), transport)?;
        let complete = own.iter().map(|(generation, _, read)| {
            let last = read.iter().rev().find_map(Place::order);
            (*generation, last.unwrap_or(0))
        });
        let mut latest = BTreeMap::new();
        let complete = share(transport, &complete.collect::<Vec<(u32, u64)>>())?;
        for (generation, order) in complete.into_iter().flatten() {
            let least = latest.entry(generation).or_insert(order);
            *least = order.min(*least);
        }
        let mut places = Vec::new();
        for (generation, mut records, read) in own {
            let (complete, void) = complete_until(&read, latest[&generation]);
            if generation == last {
                records.cut(void)?;
            }
            places.extend_from_slice(complete);
        }
        if number == 0 {
            for name in unfinished {
                // It may be gone; if it stays, this is noticed when it is to be made again.
                let _ = std::fs::remove_file(of_process(checkpoint, name));
            }
        }
        // From here on nobody reads or writes a file of another process but what was complete before.
        let places = share(transport, &places)?.into_iter().flatten();
        let name = |number: u32| (last + 1, number, processes);
        let all = (begun.iter().copied()).chain((0..processes).map(name));
        let files: Vec<Reader> = all
            .map(|name| Reader::new(of_process(checkpoint, name)))
            .collect();
        let mut records = RecordFile::open(&of_process(checkpoint, name(number)), &subject)?;
        records.cut(None)?;
        let number = begun.len() as u32 + number;
        let this = Checkpoint::of((records, number), slices, files);
        this.state().add_places(this.files.len(), places)?;
        // The generation has begun when all have their files.
        share(transport, &())?;
        Ok(this)
    }

    /// Tells all processes where everything is, so that each can read it.
    pub(crate) fn share_places(&self, transport: &dyn Transport) -> Result<(), RecordError> {
        if transport.processes() == 1 {
            return Ok(());
        }
        let own: Vec<Place> = {
            let mut state = self.state();
            state.records.flush()?;
            state.own_places().collect()
        };
        let mut all = share(transport, &own)?;
        all[transport.number()].clear();
        self.state()
            .add_places(self.files.len(), all.into_iter().flatten())
    }

    /// Adds the message that has an entry to others.
    pub(crate) fn message(&self, place: Place, into: &mut Vec<u8>) -> Result<(), RecordError> {
        self.with_packed(place, |packed| {
            let message = Message {
                checksum: crc32fast::hash(packed),
                packed: Bytes::new(packed),
            };
            postcard::to_io(&message, into).expect("memory takes all");
            Ok(())
        })
    }
}

/// An entry of a message, as it is in a checkpoint.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Message<'m> {
    checksum: u32,
    #[serde(borrow)]
    packed: &'m Bytes,
}

impl<'m> Message<'m> {
    /// The entry with which some bytes begin, and what follows it.
    pub(crate) fn split(bytes: &'m [u8]) -> Result<(Message<'m>, &'m [u8]), BadEntry> {
        postcard::take_from_bytes(bytes).map_err(|_| BadEntry)
    }

    /// Hands over the slabs of the entry, of a slice of so many slabs.
    pub(crate) fn slabs(
        self,
        slabs: usize,
        each: impl FnMut(usize, &Slab),
    ) -> Result<(), BadEntry> {
        match crc32fast::hash(self.packed) == self.checksum {
            true => unpack(self.packed, slabs, each),
            false => Err(BadEntry),
        }
    }
}

/// The files of generations that have begun, and the files of one that has not, among files in order.
fn generations(checkpoint: &Path, names: &[Name]) -> Result<(Vec<Name>, Vec<Name>), RecordError> {
    let (mut begun, mut unfinished) = (Vec::new(), Vec::new());
    let last = names.last().map(|name| name.0);
    for names in names.chunk_by(|a, b| a.0 == b.0) {
        let (generation, _, processes) = names[0];
        let whole = (0..processes).map(|number| (generation, number, processes));
        if whole.eq(names.iter().copied()) {
            begun.extend(names);
        } else if Some(generation) == last {
            unfinished.extend(names);
        } else {
            let what = format!(
                "a file of generation {generation} of the checkpoint is missing: remove its other files"
            );
            return Err(RecordError::refused(checkpoint, what));
        }
    }
    Ok((begun, unfinished))
}
