//! A file of what a search has found so far, slice by slice, from which it goes on when it was interrupted.

use std::fs::{File, TryLockError};
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};

use tbindex::Material;
use tbindex::store::is_file;

use super::found::{Found, Mined};
use crate::table::revision::REVISION;
use crate::table::value::Metric;

/// The numbers of a record before the words: part, slice, 15 counts, and how many words there are of each kind.
const FIXED: usize = 2 + 15 + 4;

/// A file of what a search has found so far.
///
/// It begins with a line that says what is searched, and by which revision of the solver; one process uses it at a time. A record follows for each slice of each part of the tables, in their
/// order: 64-bit little-endian numbers, of which the first is the count of the others, and the second their CRC-32.
#[derive(Debug)]
pub struct MineLog {
    path: PathBuf,
    file: File,
}

/// The records of a log, one after the other.
pub(crate) struct Records<'a> {
    log: &'a MineLog,
    reader: BufReader<&'a File>,
    /// Where the last record ended.
    end: u64,
}

impl MineLog {
    /// Opens the log of a search in a file, which is made if it is not there. Lists are logged with their positions, counts
    /// without them.
    ///
    /// # Errors
    /// If the system refuses, or the file is none of this search.
    pub fn open(
        path: &Path,
        material: Material,
        metric: Metric,
        find: &str,
        list: bool,
    ) -> io::Result<MineLog> {
        let what = if list { "positions" } else { "counts" };
        let find = find.split_whitespace().collect::<Vec<_>>().join(" ");
        let head = format!(
            "tbgen mine, format 2, revision {REVISION}, {what} of {material} by {}: {find}\n",
            metric.name()
        );
        let mut options = File::options();
        let options = options.read(true).append(true).create(true);
        let file = is_file(path).and_then(|_| options.open(path));
        let log = MineLog {
            file: named(path, file)?,
            path: path.to_owned(),
        };
        if let Err(TryLockError::WouldBlock) = log.file.try_lock() {
            let message = "another process is writing this file: wait for it, or stop it";
            named(
                path,
                Err(io::Error::new(io::ErrorKind::WouldBlock, message)),
            )?;
        }
        named(path, log.begin(&head))?;
        Ok(log)
    }

    /// Reads the first line, or writes what is missing of it: the file is new, or the search was killed as it began it.
    fn begin(&self, head: &str) -> io::Result<()> {
        let (mut file, mut found) = (&self.file, Vec::new());
        file.take(head.len() as u64).read_to_end(&mut found)?;
        match head.as_bytes().strip_prefix(&found[..]) {
            Some(rest) => file.write_all(rest),
            None => Err(invalid(format!(
                "expected a log that begins with {:?}",
                head.trim_end()
            ))),
        }
    }

    /// The records that are there, from behind the first line, which the log was opened with.
    pub(crate) fn records(&self) -> io::Result<Records<'_>> {
        let mut file = &self.file;
        file.rewind()?;
        let mut reader = BufReader::new(file);
        let end = io::BufRead::skip_until(&mut reader, b'\n')? as u64;
        Ok(Records {
            log: self,
            reader,
            end,
        })
    }

    /// Adds what was found in a slice.
    pub(crate) fn add(&self, part: usize, slice: usize, found: &Found) -> io::Result<()> {
        let (mut numbers, mut counts) = (vec![0, 0, part as u64, slice as u64], found.counts);
        numbers.extend(counts.counts().map(|(count, _)| *count));
        let all = || found.hits.iter().chain(&found.stalemates);
        numbers.extend(all().map(|words| words.len() as u64));
        numbers.extend(all().flatten().flat_map(|&(at, word)| [at, word]));
        numbers[0] = numbers.len() as u64 - 2;
        let mut bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        let check = u64::from(crc32fast::hash(&bytes[16..]));
        bytes[8..16].copy_from_slice(&check.to_le_bytes());
        named(&self.path, (&self.file).write_all(&bytes))
    }
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// A result whose error names the file.
fn named<T>(path: &Path, result: io::Result<T>) -> io::Result<T> {
    result.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

impl Records<'_> {
    /// The next record, which has to be of this slice, or `None` at the end of the whole records; what follows is cut off then.
    pub(crate) fn next(&mut self, part: usize, slice: usize) -> io::Result<Option<Found>> {
        let MineLog { path, file } = self.log;
        match named(path, self.read())? {
            Some(numbers) if numbers[..2] == [part as u64, slice as u64] => {
                self.end += 8 * (numbers.len() as u64 + 2);
                Ok(Some(found_of(&numbers[2..])))
            }
            Some(numbers) => {
                let message = format!(
                    "found part {} slice {}, expected {part} {slice}",
                    numbers[0], numbers[1]
                );
                named(path, Err(invalid(message)))
            }
            None => named(path, file.set_len(self.end)).map(|()| None),
        }
    }

    /// The numbers of the next record, if it is whole.
    fn read(&mut self) -> io::Result<Option<Vec<u64>>> {
        let mut head = [0; 16];
        match self.reader.read_exact(&mut head) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            other => other?,
        }
        let [count, check] = bytemuck::cast::<_, [[u8; 8]; 2]>(head).map(u64::from_le_bytes);
        let mut bytes = Vec::new();
        let Some(length) = count.checked_mul(8) else {
            return Ok(None);
        };
        self.reader.by_ref().take(length).read_to_end(&mut bytes)?;
        let whole = bytes.len() as u64 == length && u64::from(crc32fast::hash(&bytes)) == check;
        Ok(numbers_of(&bytes).filter(|_| whole))
    }
}

/// The numbers of a record of these bytes, if there are as many as it says.
fn numbers_of(bytes: &[u8]) -> Option<Vec<u64>> {
    let numbers = bytes.as_chunks().0.iter().copied().map(u64::from_le_bytes);
    let numbers: Vec<u64> = numbers.collect();
    let mut counts = numbers.get(FIXED - 4..FIXED)?.iter();
    let words = counts.try_fold(0u64, |all, n| all.checked_add(*n))?;
    let count = words.checked_mul(2)?.checked_add(FIXED as u64)?;
    (count == numbers.len() as u64).then_some(numbers)
}

/// What numbers of a record behind the part and the slice say.
fn found_of(numbers: &[u64]) -> Found {
    let mut counts = Mined::default();
    for ((count, _), number) in counts.counts().zip(numbers) {
        *count = *number;
    }
    let words = numbers[FIXED - 2..].as_chunks().0.iter();
    let mut words = words.map(|&[at, word]| (at, word));
    let mut next = |k: usize| words.by_ref().take(numbers[15 + k] as usize).collect();
    Found {
        counts,
        hits: [next(0), next(1)],
        stalemates: [next(2), next(3)],
    }
}
