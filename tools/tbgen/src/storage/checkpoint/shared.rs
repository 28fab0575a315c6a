//! A checkpoint in several files, one for each process that solves the table.
//!
//! Each run begins files of its own, a *generation*, named `NAME.G.RofN`: generation G from 1, process R of N. They have
//! what that process found, whichever slices these are, and begin with what is complete already. So a run may have
//! another number of processes than the one before. A generation has begun when all of its files are there; the latest
//! of them says what is complete, which is what all of its files say.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use tbindex::Color;

use super::files::{Name, names, of_process, partial, remove_partial};
use super::header::Content;
use super::records::{Place, Reader, Records, damaged_message, message_of, places_in};
use super::state::{Scanned, State};
use super::{Checkpoint, CheckpointError, CheckpointOf};
use crate::distributed::transport::Transport;
use crate::storage::header::{u32_at, u64_at};
use crate::storage::sparse::{BadEntry, unpack};
use crate::table::planes::Slab;

/// Where the entries of this process's file are.
fn own_places(state: &State) -> impl Iterator<Item = Place> {
    let all = state.places.iter().flatten().flatten().flatten();
    all.filter(|place| place.file == state.records.number)
        .copied()
}

/// Adds entries that other processes name, in one of so many files each.
fn add_places(
    state: &mut State,
    files: usize,
    places: impl IntoIterator<Item = Place>,
) -> Result<(), CheckpointError> {
    for place in places {
        let is_entry = (place.file as usize) < files && !place.completes();
        if !is_entry || state.note(place).is_none() {
            return Err(damaged_message("it names a record of another table"));
        }
    }
    for places in state.places.iter_mut().flatten().flatten() {
        places.sort_by_key(|place| place.plies);
    }
    Ok(())
}

/// The least of the numbers of all processes.
fn least(transport: &dyn Transport, number: u64) -> u64 {
    let all = transport.share(number.to_le_bytes().to_vec());
    let numbers = all.iter().map(|bytes| u64_at(bytes, 0));
    numbers.min().unwrap_or(number)
}

/// What one of the processes has read, unless any of them was interrupted: then all are.
pub(crate) fn unless_stopped<T>(
    read: Result<T, CheckpointError>,
    transport: &dyn Transport,
) -> Result<T, CheckpointError> {
    let stopped = match &read {
        Ok(_) => 0,
        Err(CheckpointError::Interrupted) => 1,
        // The caller ends the others.
        Err(_) => return read,
    };
    match transport.sum([stopped, 0, 0, 0, 0, 0])[0] {
        0 => read,
        _ => Err(CheckpointError::Interrupted),
    }
}

impl Checkpoint {
    /// Opens a checkpoint that several processes write together, or begins one if there is none. What not all of them have
    /// completed is cut off.
    ///
    /// # Errors
    /// If a file is missing, is no checkpoint of this table, is damaged, or the system refuses; or if `stop` is set in any process.
    pub(crate) fn open_shared(
        checkpoint: &Path,
        of: &CheckpointOf,
        slices: usize,
        transport: &dyn Transport,
        stop: &AtomicBool,
    ) -> Result<Checkpoint, CheckpointError> {
        let (number, processes) = (transport.number() as u32, transport.processes() as u32);
        let found = all_names(checkpoint, transport)?;
        let (begun, unfinished) = generations(checkpoint, &found)?;
        let last = begun.last().map_or(0, |&(generation, ..)| generation);
        let mine = begun.iter().enumerate().skip(number as usize);
        let own = mine.step_by(processes as usize).map(|(at, &name)| {
            let mut records = Records::open(&of_process(checkpoint, name), Content::Plies, of)?;
            records.number = at as u32;
            let scanned = Scanned::new(&mut records, slices, stop)?;
            Ok((name, State::new(records, slices), scanned))
        });
        let own: Vec<(Name, State, Scanned)> = unless_stopped(own.collect(), transport)?;
        let of_last = own.iter().filter(|(name, ..)| name.0 == last);
        let latest = of_last.map(|(.., scanned)| scanned.last_order()).min();
        let latest = least(transport, latest.unwrap_or(u64::MAX));
        let mut message = Vec::new();
        for (name, mut state, scanned) in own {
            let end = scanned.end_of(latest);
            scanned.note(&mut state, end);
            message.extend(message_of(own_places(&state)));
            if name.0 == last {
                message.extend(message_of(state.completed.into_iter().flatten()));
                state.records.cut(end)?;
            }
        }
        if number == 0 {
            for name in unfinished {
                // It may be gone; if it stays, this is noticed when it is to be made again.
                let _ = std::fs::remove_file(of_process(checkpoint, name));
            }
        }
        // From here on nobody reads or writes a file of another process but what was complete before.
        let (mut places, mut completed) = (Vec::new(), Vec::new());
        for message in transport.share(message) {
            let (ends, entries): (Vec<Place>, _) =
                (places_in(&message)?.into_iter()).partition(|place| place.completes());
            completed.extend(ends);
            places.extend(entries);
        }
        let name = |number: u32| (last + 1, number, processes);
        let all = (begun.iter().copied()).chain((0..processes).map(name));
        let files: Vec<Reader> = all
            .map(|name| Reader::new(of_process(checkpoint, name)))
            .collect();
        let own = of_process(checkpoint, name(number));
        let mut state = begin_file(&own, of, slices, &completed)?;
        state.records.number = begun.len() as u32 + number;
        add_places(&mut state, files.len(), places)?;
        // The generation has begun when all have their files.
        least(transport, 0);
        Ok(Checkpoint {
            state: Mutex::new(state),
            files,
        })
    }

    /// Tells all processes where everything is, so that each can read it.
    pub(crate) fn share_places(&self, transport: &dyn Transport) -> Result<(), CheckpointError> {
        let message = {
            let mut state = self.state();
            state.records.flush()?;
            message_of(own_places(&state))
        };
        let mut others = Vec::new();
        for (number, message) in transport.share(message).iter().enumerate() {
            if number != transport.number() {
                others.append(&mut places_in(message)?);
            }
        }
        add_places(&mut self.state(), self.files.len(), others)
    }

    /// The message that has an entry: its length when it is decompressed, and its bytes as they are in the checkpoint.
    pub(crate) fn message(&self, place: Place, into: &mut Vec<u8>) -> Result<(), CheckpointError> {
        let packed = self.packed(place)?;
        into.extend_from_slice(&place.length.to_le_bytes());
        into.extend_from_slice(&place.entry_length.to_le_bytes());
        into.extend_from_slice(&place.checksum.to_le_bytes());
        into.extend_from_slice(&packed);
        Ok(())
    }
}

/// An entry of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message<'m> {
    entry_length: u32,
    checksum: u32,
    packed: &'m [u8],
}

impl<'m> Message<'m> {
    /// The entry with which some bytes begin, and what follows it.
    pub(crate) fn split(bytes: &'m [u8]) -> Result<(Message<'m>, &'m [u8]), BadEntry> {
        if bytes.len() < 12 {
            return Err(BadEntry);
        }
        let length = u32_at(bytes, 0) as usize;
        let (packed, rest) = bytes[12..].split_at_checked(length).ok_or(BadEntry)?;
        let message = Message {
            entry_length: u32_at(bytes, 4),
            checksum: u32_at(bytes, 8),
            packed,
        };
        Ok((message, rest))
    }

    /// Hands over the slabs of the entry, of a slice of so many slabs.
    pub(crate) fn slabs(
        self,
        slabs: usize,
        each: impl FnMut(usize, &Slab),
    ) -> Result<(), BadEntry> {
        match crc32fast::hash(self.packed) == self.checksum {
            true => unpack(self.packed, self.entry_length, slabs, each),
            false => Err(BadEntry),
        }
    }
}

/// The files that process 0 sees, so that all go by the same ones.
fn all_names(checkpoint: &Path, transport: &dyn Transport) -> Result<Vec<Name>, CheckpointError> {
    let mut message = Vec::new();
    if transport.number() == 0 {
        // Left by a job that was killed while it began its files.
        remove_partial(checkpoint)?;
        for (generation, number, processes) in names(checkpoint)? {
            for field in [generation, number, processes] {
                message.extend_from_slice(&field.to_le_bytes());
            }
        }
    }
    let shared = transport.share(message);
    let names = shared[0].chunks_exact(12);
    let names = names.map(|name| (u32_at(name, 0), u32_at(name, 4), u32_at(name, 8)));
    Ok(names.collect())
}

/// Of files in order, those of generations that have begun, and those of one that has not.
fn generations(
    checkpoint: &Path,
    names: &[Name],
) -> Result<(Vec<Name>, Vec<Name>), CheckpointError> {
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
            let what = format!("a file of generation {generation} of the checkpoint is missing");
            return Err(CheckpointError::foreign(checkpoint, what));
        }
    }
    Ok((begun, unfinished))
}

/// Begins a file of a checkpoint with what is complete already. It gets its name when it has that.
fn begin_file(
    path: &Path,
    of: &CheckpointOf,
    slices: usize,
    completed: &[Place],
) -> Result<State, CheckpointError> {
    let mut records = Records::open(&partial(path), Content::Plies, of)?;
    records.cut(records.end)?;
    let mut state = State::new(records, slices);
    for winner in Color::ALL {
        // All processes say the same.
        let mut of_half = completed.iter().filter(|all| all.side == winner as u8);
        if let Some(&last) = of_half.next() {
            state.complete(winner, last.plies, last.ends_half())?;
        }
    }
    state.records.flush()?;
    tbindex::fail_point!("tbgen::checkpoint_before_rename");
    state.records.rename(path)?;
    tbindex::fail_point!("tbgen::checkpoint_renamed");
    Ok(state)
}
