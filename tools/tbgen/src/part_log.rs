//! The parts of a table with pawns that several processes have solved, in files that all of them read.
//!
//! Process N appends what it has solved to the file `LOG.partsN`. A part, with one side to move, is a record: a head of
//! 24 bytes and then its bytes. The head has, in four bytes each: the part's number, the side, the length of the bytes,
//! their checksum, zero, and the checksum of all of these. The bytes begin with the number of values (2) and then each
//! value's outcome (1) and plies (2). Then come the number of bit planes (1) and each plane, and the number of sets of
//! stalemates (1), none or one, and the set; each of these has a length (4) and as many bytes compressed by LZ4. The
//! files begin with a header as logs of plies do, with another magic number. All numbers are little-endian, and all
//! checksums are CRC-32. A record at the end that is not whole is void.
//!
//! While a large part is solved, its plies go to a log of its own, `LOG.partN` for part N, which whoever solves it next
//! goes on with.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tbindex::Color;
use tbindex::bitbase::{Bitbase, Domain, Row};

use crate::carrier::Carrier;
use crate::library::SolveError;
use crate::log::{LogError, LogOf, endings, log_header};
use crate::planes::{HasPlanes, Planes};
use crate::shape::Shape;
use crate::table::{Part, Side};
use crate::value::{Outcome, Value};

const MAGIC: [u8; 8] = *b"\x89TBP\r\n\x1a\n";
const HEAD_BYTES: usize = 24;

/// Where a part with a side to move is.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The number of the process that solved it.
    file: u32,
    at: u64,
    length: u32,
    checksum: u32,
}

/// The parts that are solved.
#[derive(Debug)]
pub(crate) struct PartLog {
    number: usize,
    files: Arc<Files>,
    /// By part and side.
    places: BTreeMap<(usize, usize), Place>,
    /// What this process found since it last told the others.
    new: Mutex<Vec<((usize, usize), Place)>>,
}

/// The files of all processes, by their numbers.
#[derive(Debug)]
struct Files {
    log: PathBuf,
    open: Mutex<BTreeMap<u32, File>>,
}

/// A file beside the log.
fn beside(log: &Path, ending: &str) -> PathBuf {
    let mut name = log.as_os_str().to_owned();
    name.push(format!(".{ending}"));
    PathBuf::from(name)
}

/// The file of the parts that a process has solved.
fn path_of(log: &Path, process: u32) -> PathBuf {
    beside(log, &format!("parts{process}"))
}

/// The log of the plies of a part in work.
pub(crate) fn path_of_part(log: &Path, part: usize) -> PathBuf {
    beside(log, &format!("part{part}"))
}

/// Removes the files of parts that several processes wrote, and the logs of parts in work.
pub(crate) fn remove(log: &Path) -> Result<(), LogError> {
    for ending in endings(log)? {
        let number = ending.strip_prefix("part");
        let number = number.map(|number| number.strip_prefix('s').unwrap_or(number));
        if number.is_some_and(|number| number.parse::<u32>().is_ok()) {
            remove_file(beside(log, &ending))?;
        }
    }
    Ok(())
}

/// Removes a file, if it is there.
fn remove_file(path: PathBuf) -> Result<(), LogError> {
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(LogError::Io {
            path,
            action: "remove",
            error,
        }),
        _ => Ok(()),
    }
}

impl Files {
    fn open(&self) -> MutexGuard<'_, BTreeMap<u32, File>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn error(&self, number: u32, action: &'static str) -> impl FnOnce(io::Error) -> LogError + '_ {
        move |error| LogError::Io {
            path: path_of(&self.log, number),
            action,
            error,
        }
    }

    fn read(&self, place: Place) -> Result<Vec<u8>, LogError> {
        let mut bytes = vec![0; place.length as usize];
        let mut open = self.open();
        let result = (|| {
            let file = match open.entry(place.file) {
                std::collections::btree_map::Entry::Occupied(file) => file.into_mut(),
                std::collections::btree_map::Entry::Vacant(none) => {
                    none.insert(File::open(path_of(&self.log, place.file))?)
                }
            };
            file.seek(SeekFrom::Start(place.at))?;
            file.read_exact(&mut bytes)
        })();
        drop(open);
        result.map_err(self.error(place.file, "read"))?;
        if crc32fast::hash(&bytes) == place.checksum {
            Ok(bytes)
        } else {
            Err(self.damaged(place))
        }
    }

    fn damaged(&self, place: Place) -> LogError {
        LogError::Damaged {
            path: path_of(&self.log, place.file),
            at: place.at,
            what: "it is no solved part".to_owned(),
        }
    }
}

fn put_rows(rows: &[Row], into: &mut Vec<u8>) {
    let packed = lz4_flex::block::compress(Row::bytes(rows));
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

    fn rows(&mut self, rows: &mut [Row]) -> Option<()> {
        let length = u32::from_le_bytes(self.take()?) as usize;
        let (packed, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        let bytes = Row::bytes_mut(rows);
        let count = lz4_flex::block::decompress_into(packed, bytes).ok()?;
        (count == bytes.len()).then_some(())
    }

    /// Leaves rows out.
    fn skip_rows(&mut self) -> Option<()> {
        let length = u32::from_le_bytes(self.take()?) as usize;
        self.0 = self.0.get(length..)?;
        Some(())
    }

    fn values(&mut self) -> Option<Vec<Value>> {
        let count = u16::from_le_bytes(self.take()?);
        let values = (0..count).map(|_| {
            let [outcome] = self.take()?;
            let outcome = match outcome.cast_signed() {
                -2 => Outcome::Loss,
                -1 => Outcome::BlessedLoss,
                0 => Outcome::Draw,
                1 => Outcome::CursedWin,
                2 => Outcome::Win,
                _ => return None,
            };
            let plies = u16::from_le_bytes(self.take()?);
            Some(Value { outcome, plies })
        });
        values.collect()
    }
}

/// A part of a log with a side to move.
#[derive(Debug)]
struct OfLog {
    files: Arc<Files>,
    place: Place,
    rows: usize,
}

impl OfLog {
    /// What a function makes of the record's bytes.
    fn read<T>(&self, parse: impl FnOnce(Rest<'_>) -> Option<T>) -> Result<T, LogError> {
        let bytes = self.files.read(self.place)?;
        parse(Rest(&bytes)).ok_or_else(|| self.files.damaged(self.place))
    }

    /// The values and the stalemates, if these are wanted.
    fn begin(&self) -> Result<(Vec<Value>, Option<Vec<Row>>), LogError> {
        self.read(|mut rest| {
            let values = rest.values()?;
            let [planes] = rest.take()?;
            for _ in 0..planes {
                rest.skip_rows()?;
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

    fn open(&self) -> Result<Planes, LogError> {
        self.read(|mut rest| {
            rest.values()?;
            let mut planes = Planes::default();
            let mut rows = vec![Row::EMPTY; self.rows];
            let [count] = rest.take()?;
            for bit in 0..usize::from(count) {
                rest.rows(&mut rows)?;
                for (at, row) in rows.iter().enumerate().filter(|(_, row)| !row.is_empty()) {
                    for (word, &bits) in row.0.iter().enumerate() {
                        planes.put(bit, at * 8 + word, self.rows, bits);
                    }
                }
            }
            Some(planes)
        })
    }
}

impl HasPlanes for OfLog {
    fn planes(&self, slice: usize) -> io::Result<Planes> {
        debug_assert_eq!(slice, 0, "free kings have one slice");
        self.open().map_err(io::Error::other)
    }
}

impl PartLog {
    /// Opens the files of all processes, those of an earlier run with more of them included, or begins them.
    pub(crate) fn open(
        log: &Path,
        of: &LogOf,
        shape: &Shape,
        carrier: &impl Carrier,
    ) -> Result<PartLog, LogError> {
        let number = carrier.number();
        let files = Files {
            log: log.to_owned(),
            open: Mutex::default(),
        };
        let mut new = Vec::new();
        for file in (number..).step_by(carrier.processes()) {
            let path = path_of(log, file as u32);
            if file != number && !path.exists() {
                break;
            }
            let opened = open_file(&path, of, file as u32, shape, &mut new)?;
            files.open().insert(file as u32, opened);
        }
        let mut this = PartLog {
            number,
            files: Arc::new(files),
            places: BTreeMap::new(),
            new: Mutex::new(new),
        };
        this.share(carrier)?;
        Ok(this)
    }

    /// Removes the logs of those of some parts that are solved, which all processes know.
    pub(crate) fn remove_logs_of(&self, parts: &[usize]) -> Result<(), LogError> {
        for &part in parts.iter().filter(|&&part| self.is_solved(part)) {
            remove_file(path_of_part(&self.files.log, part))?;
        }
        Ok(())
    }

    fn is_solved(&self, part: usize) -> bool {
        [0, 1]
            .into_iter()
            .all(|side| self.places.contains_key(&(part, side)))
    }

    /// Those of some parts that are not solved yet and that this process has to solve: neighbours, which lead to the
    /// same ones.
    pub(crate) fn mine(&self, mut parts: Vec<usize>, carrier: &impl Carrier) -> Vec<usize> {
        parts.retain(|&part| !self.is_solved(part));
        let share = |number: usize| parts.len() * number / carrier.processes();
        parts[share(self.number)..share(self.number + 1)].to_vec()
    }

    /// Adds a part.
    pub(crate) fn append(
        &self,
        number: usize,
        part: &Part,
        stalemates: &[Option<Bitbase>; 2],
    ) -> Result<(), SolveError> {
        let rows = part.domain.rows();
        for side in Color::ALL {
            let Side { values, slices } = &part.sides[side as usize];
            let mut bytes = Vec::new();
            bytes.extend_from_slice(&(values.len() as u16).to_le_bytes());
            for value in values.iter() {
                bytes.push((value.outcome as i8).cast_unsigned());
                bytes.extend_from_slice(&value.plies.to_le_bytes());
            }
            let planes = slices[0].open()?;
            bytes.push(planes.count() as u8);
            for bit in 0..planes.count() {
                let plane: Vec<Row> = (0..rows).map(|at| planes.row(bit, at)).collect();
                put_rows(&plane, &mut bytes);
            }
            let stalemates = &stalemates[side as usize];
            bytes.push(u8::from(stalemates.is_some()));
            if let Some(stalemates) = stalemates {
                put_rows(stalemates.rows(), &mut bytes);
            }
            let mut head = Vec::with_capacity(HEAD_BYTES);
            let checksum = crc32fast::hash(&bytes);
            let length = bytes.len() as u32;
            for field in [number as u32, side as u32, length, checksum, 0] {
                head.extend_from_slice(&field.to_le_bytes());
            }
            head.extend_from_slice(&crc32fast::hash(&head).to_le_bytes());
            let file = self.number as u32;
            let at = {
                let mut open = self.files.open();
                let own = open.get_mut(&file).expect("opened at the beginning");
                (|| {
                    let at = own.seek(SeekFrom::End(0))?;
                    own.write_all(&head)?;
                    own.write_all(&bytes)?;
                    Ok(at + HEAD_BYTES as u64)
                })()
                .map_err(self.files.error(file, "write"))?
            };
            let place = Place {
                file,
                at,
                length,
                checksum,
            };
            let mut new = self.new.lock().unwrap_or_else(PoisonError::into_inner);
            new.push(((number, side as usize), place));
        }
        Ok(())
    }

    /// Tells all processes where the new parts are.
    pub(crate) fn share(&mut self, carrier: &impl Carrier) -> Result<(), LogError> {
        let file = self.number as u32;
        if let Some(own) = self.files.open().get(&file) {
            own.sync_data().map_err(self.files.error(file, "write"))?;
        }
        let new = self.new.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut message = Vec::new();
        for ((part, side), place) in new.drain(..) {
            let fields = [
                part as u32,
                side as u32,
                place.file,
                place.length,
                place.checksum,
            ];
            for field in fields {
                message.extend_from_slice(&field.to_le_bytes());
            }
            message.extend_from_slice(&place.at.to_le_bytes());
        }
        for bytes in carrier.share(message) {
            for place in bytes.chunks_exact(28) {
                let field = |k: usize| u32_at(place, 4 * k);
                let at = (field(0) as usize, field(1) as usize);
                let place = Place {
                    file: field(2),
                    length: field(3),
                    checksum: field(4),
                    at: u64::from_le_bytes(*place[20..].first_chunk().expect("eight bytes")),
                };
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
        let place = self.places.get(&(number, side as usize));
        let of_log = OfLog {
            files: Arc::clone(&self.files),
            place: *place.expect("a part that some process has solved"),
            rows: domain.rows(),
        };
        let (values, rows) = of_log.begin()?;
        let stalemates = match rows {
            None => None,
            Some(rows) => {
                let mut set = Bitbase::new(domain)?;
                set.rows_mut().copy_from_slice(&rows);
                Some(set)
            }
        };
        let side = Side {
            values: Arc::new(values),
            slices: vec![Planes::elsewhere(Arc::new(of_log), 0)],
        };
        Ok((side, stalemates))
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(*bytes[at..].first_chunk().expect("inside"))
}

/// Opens or begins a file, notes the parts that it has, and cuts off what is not whole.
fn open_file(
    path: &Path,
    of: &LogOf,
    number: u32,
    shape: &Shape,
    places: &mut Vec<((usize, usize), Place)>,
) -> Result<File, LogError> {
    let io = |action| {
        move |error| LogError::Io {
            path: path.to_owned(),
            action,
            error,
        }
    };
    let mut options = File::options();
    let options = options.read(true).write(true).create(true).truncate(false);
    let mut file = options.open(path).map_err(io("open"))?;
    let foreign = |what: &str| LogError::Foreign {
        path: path.to_owned(),
        what: what.to_owned(),
    };
    if let Err(std::fs::TryLockError::WouldBlock) = file.try_lock() {
        return Err(LogError::InUse {
            path: path.to_owned(),
        });
    }
    let expected = log_header(MAGIC, of);
    let mut bytes = vec![0; expected.len()];
    let length = file.metadata().map_err(io("read"))?.len();
    let mut at = expected.len() as u64;
    if length < at {
        file.set_len(0).map_err(io("cut"))?;
        file.write_all(&expected).map_err(io("write"))?;
        return Ok(file);
    }
    file.read_exact(&mut bytes).map_err(io("read"))?;
    if bytes != expected {
        return Err(foreign(
            "this has no solved parts of this table, or began with other smaller tables than those that are there now",
        ));
    }
    while at + HEAD_BYTES as u64 <= length {
        bytes.resize(HEAD_BYTES, 0);
        file.seek(SeekFrom::Start(at)).map_err(io("read"))?;
        file.read_exact(&mut bytes).map_err(io("read"))?;
        let field = |k: usize| u32_at(&bytes, 4 * k);
        let (part, side) = (field(0) as usize, field(1) as usize);
        let place = Place {
            file: number,
            at: at + HEAD_BYTES as u64,
            length: field(2),
            checksum: field(3),
        };
        let good = crc32fast::hash(&bytes[..20]) == field(5) && part < shape.parts() && side < 2;
        let end = place.at + u64::from(place.length);
        if !good || end > length {
            break;
        }
        bytes.resize(place.length as usize, 0);
        file.read_exact(&mut bytes).map_err(io("read"))?;
        if crc32fast::hash(&bytes) != place.checksum {
            break;
        }
        places.push(((part, side), place));
        at = end;
    }
    file.set_len(at).map_err(io("cut"))?;
    Ok(file)
}
