//! Files of chained records, as they are written and read again. The format is in [the module above](super).

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::header::{Content, HEADER_BYTES, header, u16_at, u32_at, wrong_header};
use super::{CheckpointError, CheckpointOf, Place};
use crate::table::file_at::{read_at, write_at};
use crate::table::revision::REVISION;

const HEAD_BYTES: usize = 28;

/// Records are written together from so many bytes on.
const TOGETHER: usize = 1 << 20;

/// What a record is of, as its head says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) kind: u8,
    pub(super) side: u8,
    pub(super) plies: u16,
    /// The number of the slice.
    pub(super) number: u32,
}

/// Where a record ends and the next one begins, and what the next one continues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct End {
    pub(super) at: u64,
    /// The number of records up to here.
    records: u32,
    /// The checksum of the file's header and the heads of all records up to here.
    checksum: u32,
}

impl End {
    /// The head of a record that begins here, as it is in the file, and what the record after it continues.
    fn head(self, head: Head, place: Place) -> ([u8; HEAD_BYTES], End) {
        let mut bytes = [0; HEAD_BYTES];
        bytes[..2].copy_from_slice(&[head.kind, head.side]);
        bytes[2..4].copy_from_slice(&head.plies.to_le_bytes());
        let fields = [
            head.number,
            place.length,
            place.entry_length,
            place.checksum,
            self.records,
        ];
        for (field, bytes) in fields.into_iter().zip(bytes[4..].chunks_exact_mut(4)) {
            bytes.copy_from_slice(&field.to_le_bytes());
        }
        let mut running = crc32fast::Hasher::new_with_initial(self.checksum);
        running.update(&bytes[..HEAD_BYTES - 4]);
        let checksum = running.finalize();
        bytes[HEAD_BYTES - 4..].copy_from_slice(&checksum.to_le_bytes());
        let end = End {
            at: place.at + u64::from(place.length),
            records: self.records.wrapping_add(1),
            checksum,
        };
        (bytes, end)
    }
}

/// Where the bytes of records are.
#[derive(Debug)]
enum Bytes {
    Memory(Vec<u8>),
    File(File),
}

/// A file of records that this process writes.
#[derive(Debug)]
pub(super) struct Records {
    path: PathBuf,
    /// The number of this file, if there are several.
    pub(super) file: u32,
    bytes: Bytes,
    /// The length of what is in `bytes`.
    written: u64,
    /// What is not there yet.
    pending: Vec<u8>,
    end: End,
    last_sync: Instant,
}

const PLACE_BYTES: usize = 32;

/// Writes of what a record is and where.
pub(super) fn put_place(head: Head, place: Place, into: &mut Vec<u8>) {
    into.extend_from_slice(&[head.kind, head.side]);
    into.extend_from_slice(&head.plies.to_le_bytes());
    for field in [
        head.number,
        place.file,
        place.length,
        place.entry_length,
        place.checksum,
    ] {
        into.extend_from_slice(&field.to_le_bytes());
    }
    into.extend_from_slice(&place.at.to_le_bytes());
}

/// Of what and where the records of a message are.
pub(super) fn places_in(message: &[u8]) -> Result<Vec<(Head, Place)>, CheckpointError> {
    let (places, rest) = message.as_chunks::<PLACE_BYTES>();
    if !rest.is_empty() {
        return Err(damaged_message("it is cut"));
    }
    let places = places.iter().map(|bytes| {
        let u32_at = |at: usize| u32_at(bytes, at);
        let head = Head {
            kind: bytes[0],
            side: bytes[1],
            plies: u16::from_le_bytes([bytes[2], bytes[3]]),
            number: u32_at(4),
        };
        let place = Place {
            plies: head.plies,
            file: u32_at(8),
            length: u32_at(12),
            entry_length: u32_at(16),
            checksum: u32_at(20),
            at: u64::from(u32_at(24)) | u64::from(u32_at(28)) << 32,
        };
        (head, place)
    });
    Ok(places.collect())
}

pub(crate) fn damaged_message(what: &str) -> CheckpointError {
    CheckpointError::Message(what.to_owned())
}

impl Records {
    /// Records in memory.
    pub(super) fn in_memory() -> Records {
        Records {
            path: PathBuf::from("memory"),
            file: 0,
            bytes: Bytes::Memory(Vec::new()),
            written: 0,
            pending: Vec::new(),
            end: End::default(),
            last_sync: Instant::now(),
        }
    }

    /// Records in a file without a name in a folder, which is gone when they are dropped.
    pub(super) fn temporary(folder: &Path) -> Result<Records, CheckpointError> {
        let this = Records {
            path: folder.join("a temporary file"),
            ..Records::in_memory()
        };
        let file = tempfile::tempfile_in(folder).map_err(this.io("make"))?;
        Ok(Records {
            bytes: Bytes::File(file),
            ..this
        })
    }

    /// Begins a file, or opens one, checks its header and locks it, as far as there are locks. Its records are to be
    /// [scanned](Records::scan) then, before any are added.
    ///
    /// # Errors
    /// If the file is something else, another process writes it, or the system refuses.
    pub(super) fn open(
        path: &Path,
        content: Content,
        of: &CheckpointOf,
    ) -> Result<Records, CheckpointError> {
        let mut this = Records {
            path: path.to_owned(),
            ..Records::in_memory()
        };
        let mut options = File::options();
        let options = options.read(true).write(true).create(true).truncate(false);
        let file = options.open(path).map_err(this.io("open"))?;
        // Another process that makes the same table would write into it as well.
        if let Err(std::fs::TryLockError::WouldBlock) = file.try_lock() {
            return Err(CheckpointError::InUse {
                path: path.to_owned(),
            });
        }
        this.written = file.metadata().map_err(this.io("read"))?.len();
        this.bytes = Bytes::File(file);
        let foreign = |what| CheckpointError::Foreign {
            path: path.to_owned(),
            what,
        };
        let mut bytes = header(content, of, REVISION);
        if this.written < HEADER_BYTES as u64 {
            // Killed at once, or empty, or something else.
            let mut begin = vec![0; this.written as usize];
            this.read_at(0, &mut begin)?;
            if !bytes.starts_with(&begin) {
                return Err(foreign("this is not a checkpoint".to_owned()));
            }
            this.written = 0;
            this.pending.extend_from_slice(&bytes);
            this.flush()?;
            tbindex::fail_point!("tbgen::checkpoint_begun");
        } else {
            this.read_at(0, &mut bytes)?;
            if let Some(what) = wrong_header(content, of, true, &bytes) {
                return Err(foreign(what));
            }
        }
        this.end = End {
            at: HEADER_BYTES as u64,
            records: 0,
            checksum: u32_at(&bytes, HEADER_BYTES - 4),
        };
        Ok(this)
    }

    /// Reads all records up to one that does not continue those before it, which was being written when the work was
    /// killed, or is damaged. Hands over what each is of, where its bytes are, and where it ends; a function that does not
    /// take one ends it, too. What follows the last record stays until it is [cut](Records::cut).
    ///
    /// # Errors
    /// If the system refuses, or if `stop` is set.
    pub(super) fn scan(
        &mut self,
        stop: &AtomicBool,
        mut take: impl FnMut(Head, Place, End) -> bool,
    ) -> Result<(), CheckpointError> {
        let mut bytes = Vec::new();
        while self.end.at + HEAD_BYTES as u64 <= self.written {
            if stop.load(Ordering::Relaxed) {
                return Err(CheckpointError::Interrupted);
            }
            let mut found = [0; HEAD_BYTES];
            self.read_at(self.end.at, &mut found)?;
            let head = Head {
                kind: found[0],
                side: found[1],
                plies: u16_at(&found, 2),
                number: u32_at(&found, 4),
            };
            let place = Place {
                plies: head.plies,
                file: self.file,
                at: self.end.at + HEAD_BYTES as u64,
                length: u32_at(&found, 8),
                entry_length: u32_at(&found, 12),
                checksum: u32_at(&found, 16),
            };
            let (expected, end) = self.end.head(head, place);
            if found != expected || end.at > self.written {
                break;
            }
            bytes.resize(place.length as usize, 0);
            self.read_at(place.at, &mut bytes)?;
            if crc32fast::hash(&bytes) != place.checksum || !take(head, place, end) {
                break;
            }
            self.end = end;
        }
        Ok(())
    }

    /// Where the last record ends.
    pub(super) fn end(&self) -> End {
        self.end
    }

    /// Cuts off what follows the end of a record.
    pub(super) fn cut(&mut self, end: End) -> Result<(), CheckpointError> {
        if let Bytes::File(file) = &self.bytes {
            let cut = file.set_len(end.at).and_then(|()| file.sync_all());
            cut.map_err(self.io("cut"))?;
        }
        (self.written, self.end) = (end.at, end);
        Ok(())
    }

    /// Adds a record, which is written with others when they are [flushed](Records::flush). Its bytes have another length
    /// when they are decompressed.
    pub(super) fn append(&mut self, head: Head, bytes: &[u8], entry_length: u32) -> Place {
        let place = Place {
            plies: head.plies,
            file: self.file,
            at: self.end.at + HEAD_BYTES as u64,
            length: bytes.len() as u32,
            entry_length,
            checksum: crc32fast::hash(bytes),
        };
        let (head, end) = self.end.head(head, place);
        self.pending.extend_from_slice(&head);
        self.pending.extend_from_slice(bytes);
        self.end = end;
        place
    }

    /// Writes what is not written yet, if it is much.
    pub(super) fn flush_if_many(&mut self) -> Result<(), CheckpointError> {
        match self.pending.len() {
            TOGETHER.. => self.flush(),
            _ => Ok(()),
        }
    }

    /// Writes what completes something. At most a second of work is lost if the power fails.
    pub(super) fn complete(&mut self) -> Result<(), CheckpointError> {
        self.flush()?;
        if self.last_sync.elapsed() >= Duration::from_secs(1) {
            self.sync()?;
            self.last_sync = Instant::now();
        }
        Ok(())
    }

    pub(super) fn flush(&mut self) -> Result<(), CheckpointError> {
        let result = match &mut self.bytes {
            Bytes::Memory(all) => {
                all.extend_from_slice(&self.pending);
                Ok(())
            }
            // What was begun and failed is written over.
            Bytes::File(file) => write_at(file, &self.pending, self.written),
        };
        result.map_err(self.io("write"))?;
        self.written += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }

    /// Brings what is written to the disk.
    pub(super) fn sync(&self) -> Result<(), CheckpointError> {
        match &self.bytes {
            Bytes::Memory(_) => Ok(()),
            Bytes::File(file) => file.sync_data().map_err(self.io("write")),
        }
    }

    fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> Result<(), CheckpointError> {
        if at + bytes.len() as u64 > self.written {
            self.flush()?;
        }
        let result = match &self.bytes {
            Bytes::Memory(all) => {
                let at = at as usize;
                bytes.copy_from_slice(&all[at..at + bytes.len()]);
                Ok(())
            }
            Bytes::File(file) => read_at(file, bytes, at),
        };
        result.map_err(self.io("read"))
    }

    /// Reads the bytes of a record, checked.
    pub(super) fn read(&mut self, place: Place) -> Result<Vec<u8>, CheckpointError> {
        let mut bytes = vec![0; place.length as usize];
        self.read_at(place.at, &mut bytes)?;
        place.checked(&self.path, bytes)
    }

    pub(super) fn damaged(&self, place: Place, what: String) -> CheckpointError {
        place.damaged(&self.path, what)
    }

    /// Gives the file another name.
    pub(super) fn rename(&mut self, path: &Path) -> Result<(), CheckpointError> {
        self.sync()?;
        std::fs::rename(&self.path, path).map_err(self.io("begin"))?;
        self.path = path.to_owned();
        Ok(())
    }

    fn io(&self, action: &'static str) -> impl FnOnce(io::Error) -> CheckpointError + '_ {
        move |error| CheckpointError::Io {
            path: self.path.clone(),
            action,
            error,
        }
    }
}

/// A file of records that any process writes or has written, and this one reads.
#[derive(Debug)]
pub(super) struct Reader {
    path: PathBuf,
    /// It is opened when it is first read.
    file: OnceLock<File>,
}

impl Reader {
    pub(super) fn new(path: PathBuf) -> Reader {
        Reader {
            path,
            file: OnceLock::new(),
        }
    }

    fn file(&self) -> io::Result<&File> {
        match self.file.get() {
            Some(file) => Ok(file),
            None => {
                let file = File::open(&self.path)?;
                Ok(self.file.get_or_init(|| file))
            }
        }
    }

    /// Reads the bytes of a record, checked.
    pub(super) fn read(&self, place: Place) -> Result<Vec<u8>, CheckpointError> {
        let mut bytes = vec![0; place.length as usize];
        let read = self.file();
        let read = read.and_then(|file| read_at(file, &mut bytes, place.at));
        read.map_err(|error| CheckpointError::Io {
            path: self.path.clone(),
            action: "read",
            error,
        })?;
        place.checked(&self.path, bytes)
    }

    pub(super) fn damaged(&self, place: Place, what: String) -> CheckpointError {
        place.damaged(&self.path, what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::value::Metric;
    use crate::testing::checkpoint_of;

    /// Where the records of a file begin and end, and its bytes.
    fn small_file(path: &Path, of: &CheckpointOf) -> (Vec<usize>, Vec<u8>) {
        let mut records = Records::open(path, Content::Plies, of).unwrap();
        let mut ends = vec![records.end().at as usize];
        for k in 0..8u16 {
            // Two of them are alike but for their places.
            let head = Head {
                kind: 0,
                side: 1,
                plies: k / 2,
                number: 3,
            };
            let bytes = vec![7; usize::from(k / 2)];
            records.append(head, &bytes, bytes.len() as u32);
            ends.push(records.end().at as usize);
        }
        records.flush().unwrap();
        (ends, std::fs::read(path).unwrap())
    }

    /// Whatever stretch of its own records is repeated, removed or put in another place, a file ends before the first
    /// record that is not where it was.
    #[test]
    fn records_out_of_their_order_end_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let of = checkpoint_of("KQvKR".parse().unwrap(), Metric::Dtz);
        let (ends, whole) = small_file(&folder.path().join("whole"), &of);
        let path = folder.path().join("changed");
        let check = |changed: &[u8]| {
            std::fs::write(&path, changed).unwrap();
            let same = whole.iter().zip(changed).take_while(|(a, b)| a == b);
            let same = same.count();
            let expected = ends.iter().rev().find(|&&end| end <= same).unwrap();
            let mut records = Records::open(&path, Content::Plies, &of).unwrap();
            records
                .scan(&AtomicBool::new(false), |_, _, _| true)
                .unwrap();
            assert_eq!(records.end().at as usize, *expected);
        };
        check(&whole);
        for (k, &from) in ends.iter().enumerate() {
            for &to in &ends[k + 1..] {
                check(&[&whole[..from], &whole[to..]].concat());
                for &at in &ends {
                    check(&[&whole[..at], &whole[from..to], &whole[at..]].concat());
                    if at >= to {
                        let parts = [
                            &whole[..from],
                            &whole[to..at],
                            &whole[from..to],
                            &whole[at..],
                        ];
                        check(&parts.concat());
                    }
                }
            }
        }
        for at in HEADER_BYTES..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0x10;
            check(&changed);
            check(&whole[..at]);
        }
    }
}
