//! A log in several files, one for each process that solves the table.
//!
//! Each run begins files of its own, a *generation*, named `LOG.G.RofN`: generation G from 1, process R of N. They have
//! what that process found, whichever slices these are, and begin with what is complete already. So a run may have
//! another number of processes than the one before. A generation has begun when all of its files are there; the latest
//! of them says what is complete, which is what all of its files say.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tbindex::Color;
use tbindex::bitbase::Row;

use super::records::{Bytes, Scanned, State, header, open_file, scan, u16_at, u32_at};
use super::{BadEntry, Extent, LogError, LogFile, LogOf, Place, PlyLog, Reached, decode};
use crate::carrier::Carrier;

/// A file of a log, which some process writes or has written.
#[derive(Debug)]
pub(super) struct Other {
    path: PathBuf,
    /// It is opened when it is first read.
    file: Mutex<Option<File>>,
}

impl Other {
    fn new(path: PathBuf) -> Other {
        Other {
            path,
            file: Mutex::new(None),
        }
    }

    pub(super) fn path(&self) -> &PathBuf {
        &self.path
    }

    pub(super) fn read(&self, at: u64, bytes: &mut [u8]) -> Result<(), LogError> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let result = (|| {
            let file = match &mut *file {
                Some(file) => file,
                none => none.insert(File::open(&self.path)?),
            };
            file.seek(SeekFrom::Start(at))?;
            file.read_exact(bytes)
        })();
        result.map_err(|error| LogError::Io {
            path: self.path.clone(),
            action: "read",
            error,
        })
    }
}

/// The name of a file: generation, process, and number of processes.
type Name = (u32, u32, u32);

fn path_of(log: &Path, (generation, number, processes): Name) -> PathBuf {
    let mut name = log.as_os_str().to_owned();
    name.push(format!(".{generation}.{number}of{processes}"));
    PathBuf::from(name)
}

/// What follows the log's name and a dot in the names of the files beside it.
pub(crate) fn endings(log: &Path) -> Result<Vec<String>, LogError> {
    let folder = match log.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let name = log.file_name().unwrap_or_default();
    let name = format!("{}.", name.to_string_lossy());
    let mut all = Vec::new();
    let io = |error| LogError::Io {
        path: log.to_owned(),
        action: "find the files of",
        error,
    };
    for entry in std::fs::read_dir(folder).map_err(io)? {
        let found = entry.map_err(io)?.file_name();
        let ending = found.to_str().and_then(|found| found.strip_prefix(&name));
        all.extend(ending.map(str::to_owned));
    }
    Ok(all)
}

/// All files of a log that are in its folder.
fn names(log: &Path) -> Result<Vec<Name>, LogError> {
    let parse = |ending: &String| -> Option<Name> {
        let (generation, rest) = ending.split_once('.')?;
        let (number, processes) = rest.split_once("of")?;
        Some((
            generation.parse().ok()?,
            number.parse().ok()?,
            processes.parse().ok()?,
        ))
    };
    let mut all: Vec<Name> = endings(log)?.iter().filter_map(parse).collect();
    all.sort_unstable();
    Ok(all)
}

/// Removes the files of a log that several processes wrote.
pub(crate) fn remove(log: &Path) -> Result<(), LogError> {
    for name in names(log)? {
        let path = path_of(log, name);
        std::fs::remove_file(&path).map_err(|error| LogError::Io {
            path,
            action: "remove",
            error,
        })?;
    }
    Ok(())
}

/// Writes where a file's entries are.
fn put_places(state: &State, into: &mut Vec<u8>) {
    for (winner, kinds) in state.places.iter().enumerate() {
        for (kind, slices) in kinds.iter().enumerate() {
            for (slice, places) in slices.iter().enumerate() {
                for place in places.iter().filter(|place| place.file == state.number) {
                    into.extend_from_slice(&[winner as u8, kind as u8]);
                    into.extend_from_slice(&place.plies.to_le_bytes());
                    for field in [
                        slice as u32,
                        place.file,
                        place.length,
                        place.entry_length,
                        place.checksum,
                    ] {
                        into.extend_from_slice(&field.to_le_bytes());
                    }
                    into.extend_from_slice(&place.at.to_le_bytes());
                }
            }
        }
    }
}

/// Adds the places of messages.
fn add_places<'m>(state: &mut State, messages: impl Iterator<Item = &'m [u8]>) {
    for ([winner, kind, slice], place) in messages.flat_map(places_in) {
        state.places[winner][kind][slice].push(place);
    }
    for places in state.places.iter_mut().flatten().flatten() {
        places.sort_by_key(|place| place.plies);
    }
}

const PLACE_BYTES: usize = 32;

fn places_in(bytes: &[u8]) -> impl Iterator<Item = ([usize; 3], Place)> {
    bytes.chunks_exact(PLACE_BYTES).map(|bytes| {
        let u32_at = |at: usize| u32_at(bytes, at);
        let place = Place {
            plies: u16_at(bytes, 2),
            file: u32_at(8),
            length: u32_at(12),
            entry_length: u32_at(16),
            checksum: u32_at(20),
            at: u64::from_le_bytes(*bytes[24..].first_chunk().expect("eight bytes")),
        };
        let at = [bytes[0], bytes[1]].map(usize::from);
        ([at[0], at[1], u32_at(4) as usize], place)
    })
}

fn put_reached(reached: [Option<Reached>; 2], into: &mut Vec<u8>) {
    for reached in reached {
        let (there, plies, all) = match reached {
            None => (0, 0, false),
            Some(reached) => (1, reached.plies, reached.all),
        };
        into.extend_from_slice(&[there, u8::from(all)]);
        into.extend_from_slice(&plies.to_le_bytes());
    }
}

fn reached_in(bytes: &[u8]) -> [Option<Reached>; 2] {
    std::array::from_fn(|k| {
        let bytes = &bytes[4 * k..4 * k + 4];
        (bytes[0] != 0).then(|| Reached {
            plies: u16_at(bytes, 2),
            all: bytes[1] != 0,
        })
    })
}

/// The least of the numbers of all processes.
fn least(carrier: &impl Carrier, number: u64) -> u64 {
    let all = carrier.share(number.to_le_bytes().to_vec());
    let numbers = all
        .iter()
        .map(|bytes| bytes.first_chunk().expect("eight bytes"));
    (numbers.map(|&bytes| u64::from_le_bytes(bytes)).min()).unwrap_or(number)
}

impl LogFile {
    /// Opens a log that several processes write together, or begins one if there is none. What not all of them have
    /// completed is cut off.
    ///
    /// # Errors
    /// If a file is missing, is no log of this table, is damaged, or the system refuses.
    ///
    /// # Panics
    /// If there are several parts, or not each ply is completed.
    pub(crate) fn open_shared(
        log: &Path,
        of: &LogOf,
        extent: Extent,
        carrier: &impl Carrier,
    ) -> Result<LogFile, LogError> {
        assert!(
            extent.parts == 1 && extent.each_ply,
            "a table without pawns"
        );
        let (number, processes) = (carrier.number() as u32, carrier.processes() as u32);
        let found = all_names(log, carrier)?;
        let (begun, unfinished) = generations(log, found)?;
        let last = begun.last().map_or(0, |&(generation, ..)| generation);
        let mut own: Vec<(Name, State, Scanned)> = Vec::new();
        let mut latest = u64::MAX;
        for (at, &name) in begun.iter().enumerate() {
            if at % processes as usize != number as usize {
                continue;
            }
            let path = path_of(log, name);
            let (mut state, length) = open_file(&path, of, extent)?;
            state.number = at as u32;
            let scanned = scan(&path, &mut state, length, extent)?;
            if name.0 == last {
                latest = latest.min(scanned.last_order());
            }
            own.push((name, state, scanned));
        }
        let latest = least(carrier, latest);
        let mut reached = [None; 2];
        let mut places = Vec::new();
        for (name, mut state, scanned) in own {
            let end = scanned.end_of(latest);
            scanned.note(&mut state, end, extent);
            put_places(&state, &mut places);
            if name.0 == last {
                reached = [0, 1].map(|winner: usize| state.reached[winner][0]);
                if let Bytes::File(file) = &state.bytes {
                    let cut = file.set_len(end).and_then(|()| file.sync_all());
                    cut.map_err(|error| LogError::Io {
                        path: path_of(log, name),
                        action: "cut",
                        error,
                    })?;
                }
            }
        }
        let mut message = Vec::new();
        put_reached(reached, &mut message);
        message.append(&mut places);
        if number == 0 {
            for name in unfinished {
                // It may be gone; if it stays, this is noticed when it is to be made again.
                let _ = std::fs::remove_file(path_of(log, name));
            }
        }
        // From here on nobody reads or writes a file of another process but what was complete before.
        let shared = carrier.share(message);
        let reached = shared
            .iter()
            .map(|bytes| reached_in(bytes))
            .find(|reached| *reached != [None; 2])
            .unwrap_or_default();

        let name = |number: u32| (last + 1, number, processes);
        let path = path_of(log, name(number));
        let mut files: Vec<Other> = (begun.iter())
            .map(|&name| Other::new(path_of(log, name)))
            .collect();
        let own = files.len() as u32 + number;
        files.extend((0..processes).map(|number| Other::new(path_of(log, name(number)))));
        let mut state = begin_file(&path, of, extent, reached)?;
        state.number = own;
        add_places(&mut state, shared.iter().map(|bytes| &bytes[8..]));
        // The generation has begun when all have their files.
        least(carrier, 0);
        Ok(LogFile {
            path,
            extent,
            state: Mutex::new(state),
            files,
        })
    }

    /// Tells all processes where everything is, so that each can read it.
    pub(crate) fn share_places(&self, carrier: &impl Carrier) -> Result<(), LogError> {
        let mut message = Vec::new();
        {
            let mut state = self.state();
            state.flush().map_err(self.io("write"))?;
            put_places(&state, &mut message);
        }
        let shared = carrier.share(message);
        let others = shared.iter().enumerate();
        let others = others.filter(|(number, _)| *number != carrier.number());
        add_places(&mut self.state(), others.map(|(_, bytes)| &bytes[..]));
        Ok(())
    }
}

impl PlyLog {
    /// Tells all processes where everything is, so that each can read it.
    pub(crate) fn share_places(&self, carrier: &impl Carrier) -> Result<(), LogError> {
        self.file.share_places(carrier)
    }

    /// The message that has an entry: its length when it is decompressed, and its bytes as they are in the log.
    pub(crate) fn message(&self, place: Place, into: &mut Vec<u8>) -> Result<(), LogError> {
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
        each: impl FnMut(usize, &[Row; 8]),
    ) -> Result<(), BadEntry> {
        if crc32fast::hash(self.packed) != self.checksum {
            return Err(BadEntry);
        }
        if self.packed.len() == self.entry_length as usize {
            return decode(self.packed, slabs, each);
        }
        let entry = lz4_flex::block::decompress(self.packed, self.entry_length as usize);
        decode(&entry.map_err(|_| BadEntry)?, slabs, each)
    }
}

/// The files that process 0 sees, so that all go by the same ones.
fn all_names(log: &Path, carrier: &impl Carrier) -> Result<Vec<Name>, LogError> {
    let mut message = Vec::new();
    if carrier.number() == 0 {
        for (generation, number, processes) in names(log)? {
            for field in [generation, number, processes] {
                message.extend_from_slice(&field.to_le_bytes());
            }
        }
    }
    let shared = carrier.share(message);
    let names = shared[0].chunks_exact(12);
    Ok(names
        .map(|name| (u32_at(name, 0), u32_at(name, 4), u32_at(name, 8)))
        .collect())
}

/// The files of generations that have begun, and those of one that has not.
fn generations(log: &Path, names: Vec<Name>) -> Result<(Vec<Name>, Vec<Name>), LogError> {
    let mut all: BTreeMap<u32, Vec<Name>> = BTreeMap::new();
    for name in names {
        all.entry(name.0).or_default().push(name);
    }
    let is_whole = |names: &Vec<Name>| {
        let processes = names[0].2;
        names.len() == processes as usize
            && (0..processes)
                .zip(names)
                .all(|(k, name)| name.1 == k && name.2 == processes)
    };
    let (mut begun, mut unfinished) = (Vec::new(), Vec::new());
    let last = all.keys().next_back().copied();
    for (generation, names) in all {
        if is_whole(&names) {
            begun.extend(names);
        } else if Some(generation) == last {
            unfinished = names;
        } else {
            return Err(LogError::Foreign {
                path: log.to_owned(),
                what: format!("a file of generation {generation} of the log of plies is missing"),
            });
        }
    }
    Ok((begun, unfinished))
}

/// Begins a file of a log with what is complete already. It gets its name when it has that.
fn begin_file(
    path: &Path,
    of: &LogOf,
    extent: Extent,
    reached: [Option<Reached>; 2],
) -> Result<State, LogError> {
    let io = |action| {
        move |error| LogError::Io {
            path: path.to_owned(),
            action,
            error,
        }
    };
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    let file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .open(&partial)
        .map_err(io("begin"))?;
    // As far as there are locks: another job would cut the file.
    let _ = file.try_lock();
    let mut state = State::new(Bytes::File(file), extent);
    state.pending.extend_from_slice(&header(of));
    for (winner, reached) in Color::ALL.into_iter().zip(reached) {
        if let Some(Reached { plies, all }) = reached {
            let kind = if all { 3 } else { 2 };
            state.record([kind, winner as u8], plies, 0, (&[], 0));
            state.reached[winner as usize][0] = Some(Reached { plies, all });
        }
    }
    state.flush().map_err(io("write"))?;
    if let Bytes::File(file) = &mut state.bytes {
        file.flush()
            .and_then(|()| file.sync_all())
            .and_then(|()| std::fs::rename(&partial, path))
            .map_err(io("begin"))?;
    }
    Ok(state)
}
