//! The records of a log: its file as it is written, and read again. The format is in [the module above](super).

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Instant;

use super::{Extent, LogError, LogOf, Place, Reached};
use crate::value::Metric;

const MAGIC: [u8; 8] = *b"\x89TBL\r\n\x1a\n";
const VERSION: u16 = 1;
pub(super) const HEADER_BYTES: usize = 64;
const HEAD_BYTES: usize = 28;

/// Whether a file begins as a log of plies does. One that can't be read is none.
#[must_use]
pub fn is_log(path: &Path) -> bool {
    let mut begin = [0; 8];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut begin));
    read.is_ok() && begin == MAGIC
}

/// Where the bytes of a log are.
#[derive(Debug)]
pub(super) enum Bytes {
    Memory(Vec<u8>),
    File(File),
}

/// A log that is being written: its bytes, and what they have.
#[derive(Debug)]
pub(super) struct State {
    pub(super) bytes: Bytes,
    /// The number of this file.
    pub(super) number: u32,
    /// The length of what is in `bytes`.
    pub(super) written: u64,
    /// What is not there yet.
    pub(super) pending: Vec<u8>,
    /// For each winner, what is found, and each slice of each part.
    pub(super) places: [[Vec<Vec<Place>>; 2]; 2],
    /// For each winner and each part.
    pub(super) reached: [Vec<Option<Reached>>; 2],
    pub(super) last_sync: Instant,
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(*bytes[at..].first_chunk().expect("inside"))
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(*bytes[at..].first_chunk().expect("inside"))
}

/// The header of a log of plies.
pub(super) fn header(of: &LogOf) -> [u8; HEADER_BYTES] {
    log_header(MAGIC, of)
}

/// The header of a file with this magic number.
pub(crate) fn log_header(magic: [u8; 8], of: &LogOf) -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    bytes[..8].copy_from_slice(&magic);
    bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
    bytes[10] = of.metric as u8;
    bytes[12..16].copy_from_slice(&of.sources.to_le_bytes());
    let name = of.material.to_string();
    bytes[16..16 + name.len()].copy_from_slice(name.as_bytes());
    let checksum = crc32fast::hash(&bytes[..60]);
    bytes[60..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

impl State {
    pub(super) fn new(bytes: Bytes, extent: Extent) -> State {
        let of_slices = || vec![Vec::new(); extent.parts * extent.slices];
        State {
            bytes,
            number: 0,
            written: 0,
            pending: Vec::new(),
            places: [(); 2].map(|()| [(); 2].map(|()| of_slices())),
            reached: [(); 2].map(|()| vec![None; extent.parts]),
            last_sync: Instant::now(),
        }
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        match &mut self.bytes {
            Bytes::Memory(all) => all.extend_from_slice(&self.pending),
            Bytes::File(file) => {
                // What was begun and failed is written over.
                file.seek(SeekFrom::Start(self.written))?;
                file.write_all(&self.pending)?;
            }
        }
        self.written += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }

    pub(super) fn read(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        if at + bytes.len() as u64 > self.written {
            self.flush()?;
        }
        match &mut self.bytes {
            Bytes::Memory(all) => {
                let at = at as usize;
                bytes.copy_from_slice(&all[at..at + bytes.len()]);
            }
            Bytes::File(file) => {
                file.seek(SeekFrom::Start(at))?;
                file.read_exact(bytes)?;
            }
        }
        Ok(())
    }

    pub(super) fn record(
        &mut self,
        [kind, winner]: [u8; 2],
        plies: u16,
        slice: u32,
        (packed, entry_length): (&[u8], u32),
    ) -> Place {
        let checksum = crc32fast::hash(packed);
        let mut head = [0; HEAD_BYTES];
        head[..2].copy_from_slice(&[kind, winner]);
        head[2..4].copy_from_slice(&plies.to_le_bytes());
        head[4..8].copy_from_slice(&slice.to_le_bytes());
        head[8..12].copy_from_slice(&(packed.len() as u32).to_le_bytes());
        head[12..16].copy_from_slice(&entry_length.to_le_bytes());
        head[16..20].copy_from_slice(&checksum.to_le_bytes());
        let of_head = crc32fast::hash(&head[..24]);
        head[24..].copy_from_slice(&of_head.to_le_bytes());
        self.pending.extend_from_slice(&head);
        let at = self.written + self.pending.len() as u64;
        self.pending.extend_from_slice(packed);
        Place {
            plies,
            file: self.number,
            at,
            length: packed.len() as u32,
            entry_length,
            checksum,
        }
    }
}

/// Opens a log, or begins one if there is none, checks its header, and returns its length.
pub(super) fn open_file(path: &Path, of: &LogOf, extent: Extent) -> Result<(State, u64), LogError> {
    let io = |action| {
        move |error| LogError::Io {
            path: path.to_owned(),
            action,
            error,
        }
    };
    let foreign = |what: String| LogError::Foreign {
        path: path.to_owned(),
        what,
    };
    let file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(io("open"))?;
    // Another process that makes the same table would write into it as well.
    match file.try_lock() {
        Ok(()) => {}
        Err(std::fs::TryLockError::WouldBlock) => {
            return Err(LogError::InUse {
                path: path.to_owned(),
            });
        }
        // Not every file system has locks.
        Err(std::fs::TryLockError::Error(_)) => {}
    }
    let length = file.metadata().map_err(io("read"))?.len();
    let mut state = State::new(Bytes::File(file), extent);
    let expected = header(of);
    if length < HEADER_BYTES as u64 {
        // Killed at once, or empty, or something else.
        let mut begin = vec![0; length as usize];
        state.written = length;
        state.read(0, &mut begin).map_err(io("read"))?;
        if begin != expected[..begin.len()] {
            return Err(foreign("this is not a log of plies".to_owned()));
        }
        state.written = 0;
        state.pending.extend_from_slice(&expected);
        state.flush().map_err(io("write"))?;
    } else {
        state.written = length;
        let mut begin = [0; HEADER_BYTES];
        state.read(0, &mut begin).map_err(io("read"))?;
        if begin[..8] != MAGIC {
            return Err(foreign("this is not a log of plies".to_owned()));
        }
        if begin != expected {
            let found = String::from_utf8_lossy(&begin[16..60]);
            let found = found.trim_end_matches('\0');
            let what = if u16_at(&begin, 8) != VERSION {
                format!(
                    "the log of plies has version {}, expected {VERSION}",
                    u16_at(&begin, 8)
                )
            } else if crc32fast::hash(&begin[..60]) != u32_at(&begin, 60) {
                "the header of the log of plies is damaged".to_owned()
            } else if found != of.material.to_string() || begin[10] != of.metric as u8 {
                let by = [Metric::Dtz, Metric::Dtm].map(Metric::name);
                format!(
                    "this is a log of plies of {found} by {}, expected one of {} by {}",
                    by.get(usize::from(begin[10]))
                        .unwrap_or(&"an unknown metric"),
                    of.material,
                    of.metric.name()
                )
            } else {
                "the log of plies is stale: it began with other smaller tables than those that are \
                 there now"
                    .to_owned()
            };
            return Err(foreign(what));
        }
    }
    let length = length.max(HEADER_BYTES as u64);
    Ok((state, length))
}

/// What a file has, in its order.
pub(super) struct Scanned(Vec<Record>);

#[derive(Clone, Copy, Debug)]
pub(super) enum Record {
    /// Positions: the winner, what was found, the slice's number, the place.
    Positions(usize, usize, usize, Place),
    /// Something is complete: where the record ends, the winner, the part, and how far it is.
    Complete(u64, usize, usize, Reached),
}

impl Scanned {
    /// Where the last record ends that completes something not later than this [`order`].
    pub(super) fn end_of(&self, latest: u64) -> u64 {
        let ends = self.0.iter().rev().filter_map(|&record| match record {
            Record::Complete(end, winner, _, reached) => Some((end, order(winner, reached))),
            Record::Positions(..) => None,
        });
        let mut ends = ends.filter(|&(_, order)| order <= latest);
        ends.next().map_or(HEADER_BYTES as u64, |(end, _)| end)
    }

    /// The [`order`] of what was completed last; 0 if nothing was.
    pub(super) fn last_order(&self) -> u64 {
        let mut orders = self.0.iter().rev().filter_map(|&record| match record {
            Record::Complete(_, winner, _, reached) => Some(order(winner, reached)),
            Record::Positions(..) => None,
        });
        orders.next().unwrap_or(0)
    }

    /// Notes what is complete before the end of a record.
    pub(super) fn note(self, state: &mut State, last: u64, extent: Extent) {
        let mut since: BTreeMap<usize, Vec<(usize, usize, usize, Place)>> = BTreeMap::new();
        for record in self.0 {
            match record {
                Record::Positions(winner, kind, number, place) => {
                    let of_part = since.entry(number / extent.slices).or_default();
                    of_part.push((winner, kind, number, place));
                }
                Record::Complete(end, ..) if end > last => break,
                Record::Complete(_, winner, part, reached) => {
                    for (winner, kind, number, place) in since.remove(&part).unwrap_or_default() {
                        let places = &mut state.places[winner][kind][number];
                        // What other parts wrote after it kept a record whose ply was not completed, and was found
                        // again.
                        places.retain(|there| there.plies != place.plies);
                        places.push(place);
                    }
                    state.reached[winner][part] = Some(reached);
                }
            }
        }
    }
}

/// A number that grows while a part is solved.
pub(super) fn order(winner: usize, reached: Reached) -> u64 {
    1 + ((winner as u64) << 32 | u64::from(reached.plies) << 1 | u64::from(reached.all))
}

/// Reads all records up to one that is not whole.
pub(super) fn scan(
    path: &Path,
    state: &mut State,
    length: u64,
    extent: Extent,
) -> Result<Scanned, LogError> {
    let Extent { parts, slices, .. } = extent;
    let mut at = HEADER_BYTES as u64;
    let mut scanned = Scanned(Vec::new());
    let mut packed = Vec::new();
    while at + HEAD_BYTES as u64 <= length {
        let mut head = [0; HEAD_BYTES];
        let io = |error| LogError::Io {
            path: path.to_owned(),
            action: "read",
            error,
        };
        state.read(at, &mut head).map_err(io)?;
        let place = Place {
            plies: u16_at(&head, 2),
            file: state.number,
            at: at + HEAD_BYTES as u64,
            length: u32_at(&head, 8),
            entry_length: u32_at(&head, 12),
            checksum: u32_at(&head, 16),
        };
        let (kind, winner, number) = (head[0], usize::from(head[1]), u32_at(&head, 4) as usize);
        let numbers = if kind < 2 { parts * slices } else { parts };
        let good = crc32fast::hash(&head[..24]) == u32_at(&head, 24)
            && kind < 4
            && winner < 2
            && number < numbers;
        let end = place.at + u64::from(place.length);
        // A record that is not whole was being written when the work was killed.
        if !good || end > length {
            break;
        }
        packed.resize(place.length as usize, 0);
        state.read(place.at, &mut packed).map_err(io)?;
        if crc32fast::hash(&packed) != place.checksum {
            break;
        }
        at = end;
        scanned.0.push(if kind < 2 {
            Record::Positions(winner, usize::from(kind), number, place)
        } else {
            let reached = Reached {
                plies: place.plies,
                all: kind == 3,
            };
            Record::Complete(end, winner, number, reached)
        });
    }
    Ok(scanned)
}
