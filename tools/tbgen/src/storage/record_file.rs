//! Files to whose end records are added: checkpoints, and what a search has found. This comment is the specification of the
//! files.
//!
//! All numbers are little-endian, and values are coded as [`postcard`] does. A file begins with ten bytes: the magic number
//! `89 54 42 4c 0d 0a 1a 0a`, as a table file's with `TBL`, and the version, 6. Records follow to the file's end:
//!
//! | at | bytes | field | value |
//! |---|---|---|---|
//! | 0 | 4 | length | of the value |
//! | 4 | 4 | checksum | CRC-32, as in zlib, of the lengths and the values of all records up to this one |
//! | 8 | | value | |
//!
//! The value of the first record is a [`Header`]. The checksums chain the records: one that is missing, repeated, or in
//! another one's place does not continue those before it. There the file ends, as at a record that is damaged or not whole.
//!
//! Files without a name, and records in memory, have nothing before their records, and no header.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use same_file::Handle;
use serde::{Deserialize, Serialize};
use tbindex::Material;
use tbindex::store::is_file;

use crate::table::revision::{REVISION, distrust};
use crate::table::temp_file::{read_at, write_at};
use crate::table::value::Metric;

/// The magic number and the version.
const BEGIN: [u8; 10] = *b"\x89TBL\r\n\x1a\n\x06\0";
const MAGIC_BYTES: usize = 8;

/// The bytes of a record before its value.
const HEAD_BYTES: usize = 8;

/// How often a file is tried to be locked again, and after how long.
const TRIES: u32 = 20;
const AGAIN: Duration = Duration::from_millis(20);

/// Records are written together from so many bytes on.
const TOGETHER: usize = 1 << 20;

/// The reason why a file of records can't be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The system refused something.
    #[error("{}: can't {action} the file: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The action that failed.
        action: &'static str,
        /// The system's error.
        error: io::Error,
    },
    /// Another process has it open, it is of something else, or it is damaged.
    #[error("{}: {what}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// The reason, and what to do.
        what: String,
    },
    /// The system gives no memory for what records have, or planes that are to be recorded can't be read.
    #[error("{0}")]
    Source(#[from] io::Error),
    /// The caller stopped the work.
    #[error("interrupted")]
    Interrupted,
}

impl RecordError {
    /// The error if the system refuses an action.
    pub(super) fn io(
        path: &Path,
        action: &'static str,
    ) -> impl Fn(io::Error) -> RecordError + Copy {
        move |error| RecordError::Io {
            path: path.to_owned(),
            action,
            error,
        }
    }

    pub(super) fn refused(path: &Path, what: impl Into<String>) -> RecordError {
        RecordError::Refused {
            path: path.to_owned(),
            what: what.into(),
        }
    }
}

/// The work that a file has records of.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    /// The file by its kind and all that tells its work from others, such as "a checkpoint of KQvKR by dtz".
    pub(crate) name: String,
    /// The material and the metric of the table.
    pub(crate) table: (Material, Metric),
    /// A checksum of what the work began with, if it is known.
    pub(crate) sources: Option<u32>,
}

/// The first record of a file.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    /// As of [`Subject`].
    name: String,
    sources: u32,
    /// The revision of the solver that began the file.
    revision: u16,
}

impl Subject {
    /// The begin of a file, in memory.
    fn begin(&self) -> RecordFile {
        let mut file = RecordFile::in_memory();
        file.pending.extend_from_slice(&BEGIN);
        file.end = BEGIN.len() as u64;
        let header = Header {
            name: self.name.clone(),
            sources: self.sources.unwrap_or(0),
            revision: REVISION,
        };
        file.append(&header).expect("memory takes it");
        file
    }

    /// Why a file with this header is of other work, or of work that is known to be wrong.
    fn refusal(&self, found: &Header) -> Option<String> {
        if found.name != self.name {
            return Some(format!("this is {}, expected {}", found.name, self.name));
        }
        if self.sources.is_some_and(|sources| sources != found.sources) {
            let what = "the file is stale: it began with other smaller tables than those that are there now";
            return Some(what.to_owned());
        }
        distrust(self.table.0.into(), self.table.1, found.revision)
    }
}

/// Where a record is in its file.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Span {
    offset: u64,
    /// The length of the value.
    pub(crate) length: u32,
    /// The checksum of the records before it.
    before: u32,
}

impl Span {
    /// The running checksum before the value.
    fn begin(self) -> crc32fast::Hasher {
        let mut running = crc32fast::Hasher::new_with_initial(self.before);
        running.update(&self.length.to_le_bytes());
        running
    }

    /// The head of this record if it has a value, and the checksum up to its end.
    fn head(self, value: &[u8]) -> ([u8; HEAD_BYTES], u32) {
        let mut running = self.begin();
        running.update(value);
        let checksum = running.finalize();
        let head = [self.length, checksum].map(u32::to_le_bytes);
        (bytemuck::cast(head), checksum)
    }

    fn end(self) -> u64 {
        self.offset + (HEAD_BYTES as u64) + u64::from(self.length)
    }
}

/// Whether a file begins as a file of records does, of whatever version. One that can't be read does not.
pub(crate) fn is_record_file(path: &Path) -> bool {
    let mut begin = [0; MAGIC_BYTES];
    // Opening a pipe would wait for its other end.
    let there = is_file(path).unwrap_or(false);
    let mut read = || read_at(&File::open(path)?, &mut begin, 0);
    there && read().is_ok() && BEGIN.starts_with(&begin)
}

/// Whether an open file has this name. The process that had its lock may have removed it just before, and another may have made a
/// new one under the name.
fn has_name(file: &File, path: &Path) -> io::Result<bool> {
    match Handle::from_path(path) {
        Ok(named) => Ok(named == Handle::from_file(file.try_clone()?)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// The process that has locked a file, as far as the system says so.
#[cfg_attr(
    not(target_os = "linux"),
    expect(unused_variables, reason = "other systems do not say so")
)]
fn holder(file: &File) -> String {
    #[cfg(target_os = "linux")]
    if let Ok(found) = file.metadata() {
        use std::os::linux::fs::MetadataExt;
        let device = found.st_dev();
        let (major, minor) = (device >> 8 & 0xfff, device & 0xff | device >> 12 & 0xfff00);
        let name = format!("{major:02x}:{minor:02x}:{}", found.st_ino());
        // A line is such as "1: FLOCK ADVISORY WRITE 25039 fe:00:10027041 0 EOF".
        let locks = std::fs::read_to_string("/proc/locks").unwrap_or_default();
        let is_own = |lock: &Vec<&str>| lock.len() > 5 && lock[5] == name && lock[4] != "0";
        let mut locks = locks.lines().map(|lock| lock.split_whitespace().collect());
        if let Some(lock) = locks.find(is_own) {
            return format!("process {}", lock[4]);
        }
    }
    "another process".to_owned()
}

/// A file of records that any process writes or has written, and this one reads.
#[derive(Debug)]
pub(crate) struct Reader {
    path: PathBuf,
    /// It is opened when it is first read.
    file: OnceLock<File>,
}

impl Reader {
    pub(crate) fn new(path: PathBuf) -> Reader {
        let file = OnceLock::new();
        Reader { path, file }
    }

    fn read_at(&self, bytes: &mut [u8], at: u64) -> Result<(), RecordError> {
        let io = RecordError::io(&self.path, "read");
        let file = match self.file.get() {
            Some(file) => file,
            None => {
                let file = File::open(&self.path).map_err(io)?;
                self.file.get_or_init(|| file)
            }
        };
        read_at(file, bytes, at).map_err(io)
    }

    /// Reads the value of a record, and the checksum up to its end, if they are right.
    fn read_if_right(&self, span: Span) -> Result<Option<(Vec<u8>, u32)>, RecordError> {
        let (mut head, mut value) = ([0; HEAD_BYTES], vec![0; span.length as usize]);
        self.read_at(&mut head, span.offset)?;
        self.read_at(&mut value, span.offset + HEAD_BYTES as u64)?;
        let (expected, checksum) = span.head(&value);
        Ok((head == expected).then_some((value, checksum)))
    }

    /// Whether a record is right, read a little at a time: a damaged length may be that of gigabytes.
    fn is_right(&self, span: Span) -> Result<bool, RecordError> {
        let (mut head, mut some) = ([0; HEAD_BYTES], vec![0; TOGETHER]);
        self.read_at(&mut head, span.offset)?;
        let mut running = span.begin();
        let mut at = span.offset + HEAD_BYTES as u64;
        while at < span.end() {
            let count = (span.end() - at).min(TOGETHER as u64) as usize;
            self.read_at(&mut some[..count], at)?;
            running.update(&some[..count]);
            at += count as u64;
        }
        Ok(head[4..] == running.finalize().to_le_bytes())
    }

    /// Reads the value of a record, checked.
    pub(crate) fn read(&self, span: Span) -> Result<Vec<u8>, RecordError> {
        let found = self.read_if_right(span)?.map(|(value, _)| value);
        found.ok_or_else(|| self.damaged(span, "its checksum is another one"))
    }

    /// The error if a record is damaged that was whole once.
    pub(crate) fn damaged(&self, span: Span, what: &str) -> RecordError {
        let at = span.offset;
        let what = format!("the record at byte {at} is damaged: {what}: remove the file");
        RecordError::refused(&self.path, what)
    }
}

/// A file of records that this process writes.
#[derive(Debug)]
pub(crate) struct RecordFile {
    /// The file, which is not open if all is in memory.
    pub(crate) reader: Reader,
    /// The length of what is in the file.
    written: u64,
    /// Records that are not there, or not yet.
    pending: Vec<u8>,
    /// Where the last record ends.
    pub(crate) end: u64,
    /// The checksum of the records up to there.
    checksum: u32,
    /// When a file with a name was last brought to the disk. No others are: nothing of them stays.
    last_sync: Option<Instant>,
}

impl RecordFile {
    /// Records in memory.
    pub(crate) fn in_memory() -> RecordFile {
        RecordFile {
            reader: Reader::new(PathBuf::from("memory")),
            written: 0,
            pending: Vec::new(),
            end: 0,
            checksum: 0,
            last_sync: None,
        }
    }

    fn of(path: PathBuf, file: File) -> Result<RecordFile, RecordError> {
        let found = file.metadata().map_err(RecordError::io(&path, "read"))?;
        let file = OnceLock::from(file);
        Ok(RecordFile {
            reader: Reader { path, file },
            written: found.len(),
            ..RecordFile::in_memory()
        })
    }

    /// Records in a file without a name in a folder, which is gone when they are dropped.
    pub(crate) fn temporary(folder: &Path) -> Result<RecordFile, RecordError> {
        let path = folder.join("a temporary file");
        let file = tempfile::tempfile_in(folder).map_err(RecordError::io(&path, "make"))?;
        RecordFile::of(path, file)
    }

    /// Begins a file, or opens one, checks its header and locks it, as far as there are locks. Its records are to be
    /// [scanned](RecordFile::scan) and what follows them [cut](RecordFile::cut), before any are added.
    ///
    /// # Errors
    /// If the file is something else, another process writes it, or the system refuses.
    pub(crate) fn open(path: &Path, subject: &Subject) -> Result<RecordFile, RecordError> {
        let mut options = File::options();
        let options = options.read(true).write(true).create(true).truncate(false);
        let io = RecordError::io(path, "open");
        // Another process that does the same work would write into it as well. One that was killed has its lock until it is
        // gone, which is soon.
        let mut tries = 0..TRIES;
        let file = loop {
            let file = is_file(path).and_then(|_| options.open(path)).map_err(io)?;
            tbindex::fail_point!("tbgen::records_opened");
            let is_locked = !matches!(file.try_lock(), Err(TryLockError::WouldBlock));
            if is_locked && has_name(&file, path).map_err(io)? {
                break file;
            }
            if !is_locked && tries.next().is_none() {
                let holder = holder(&file);
                let what = format!("{holder} is writing this file: wait for it, or stop it");
                return Err(RecordError::refused(path, what));
            }
            std::thread::sleep(AGAIN);
        };
        let mut this = RecordFile::of(path.to_owned(), file)?;
        if !this.pass_header(subject)? {
            this = RecordFile {
                reader: this.reader,
                ..subject.begin()
            };
            this.flush()?;
            tbindex::fail_point!("tbgen::records_begun");
        }
        this.last_sync = Some(Instant::now());
        Ok(this)
    }

    /// Checks the header of a file, if there is one.
    ///
    /// # Errors
    /// If it is something else, or the system refuses.
    pub(crate) fn check(path: &Path, subject: &Subject) -> Result<(), RecordError> {
        let io = RecordError::io(path, "read");
        if is_file(path).map_err(io)? {
            let file = File::open(path).map_err(io)?;
            RecordFile::of(path.to_owned(), file)?.pass_header(subject)?;
        }
        Ok(())
    }

    /// Reads the header and checks it, unless the file is empty or was killed as it was begun.
    fn pass_header(&mut self, subject: &Subject) -> Result<bool, RecordError> {
        let expected = subject.begin().pending;
        let mut found = vec![0; expected.len().min(self.written as usize)];
        self.reader.read_at(&mut found, 0)?;
        if found.len() < expected.len() && expected.starts_with(&found) {
            return Ok(false);
        }
        self.end = BEGIN.len() as u64;
        let [is_ours, is_now] = [MAGIC_BYTES, BEGIN.len()].map(|n| found.starts_with(&BEGIN[..n]));
        let header = if is_now { self.next()? } else { None };
        let header = header.and_then(|(_, value)| postcard::from_bytes(&value).ok());
        let what = match header {
            Some(header) => subject.refusal(&header),
            None if is_now => Some("the header of the file is damaged".to_owned()),
            None if is_ours => Some("the file is of another version of tbgen".to_owned()),
            None => {
                let name = &subject.name;
                Some(format!(
                    "this is not {name}, or it is of an earlier version of tbgen"
                ))
            }
        };
        let Some(what) = what else { return Ok(true) };
        let what = format!("{what}: remove the file to begin anew");
        Err(RecordError::refused(&self.reader.path, what))
    }

    /// Where a record of so many bytes is that continues the last.
    fn next_span(&self, length: u32) -> Span {
        Span {
            offset: self.end,
            length,
            before: self.checksum,
        }
    }

    /// The next record of the file, if one continues the last, and its value.
    fn next(&mut self) -> Result<Option<(Span, Vec<u8>)>, RecordError> {
        if self.next_span(0).end() > self.written {
            return Ok(None);
        }
        let mut length = [0; 4];
        self.reader.read_at(&mut length, self.end)?;
        let span = self.next_span(u32::from_le_bytes(length));
        let is_long = span.length as usize > TOGETHER;
        if span.end() > self.written || is_long && !self.reader.is_right(span)? {
            return Ok(None);
        }
        let right = self.reader.read_if_right(span)?;
        Ok(right.map(|(value, checksum)| {
            (self.end, self.checksum) = (span.end(), checksum);
            (span, value)
        }))
    }

    /// Reads all records up to one that does not continue those before it, which was being written when the work was
    /// killed, or is damaged. Hands over where each is, and its value; a function that does not take one ends it, too.
    /// Bytes behind the last record stay until they are [cut](RecordFile::cut).
    ///
    /// # Errors
    /// If the system refuses, or if `stop` is set.
    pub(crate) fn scan(
        &mut self,
        stop: &AtomicBool,
        mut take: impl FnMut(Span, &[u8]) -> bool,
    ) -> Result<(), RecordError> {
        while !stop.load(Ordering::Relaxed) {
            match self.next()? {
                Some((span, value)) if take(span, &value) => {}
                Some((span, _)) => {
                    (self.end, self.checksum) = (span.offset, span.before);
                    return Ok(());
                }
                None => return Ok(()),
            }
        }
        Err(RecordError::Interrupted)
    }

    /// Checks that nothing follows the records that were scanned, in a file to which no more is added.
    pub(crate) fn check_end(&self) -> Result<(), RecordError> {
        let end = self.next_span(0);
        let damaged = || self.reader.damaged(end, "it does not continue the others");
        (end.offset == self.written)
            .then_some(())
            .ok_or_else(damaged)
    }

    /// Cuts off a record and what follows it, or what follows the last one.
    pub(crate) fn cut(&mut self, from: Option<Span>) -> Result<(), RecordError> {
        let Span { offset, before, .. } = from.unwrap_or(self.next_span(0));
        (self.written, self.end, self.checksum) = (offset, offset, before);
        let file = self.reader.file.get();
        let cut = file.map_or(Ok(()), |file| {
            file.set_len(offset).and_then(|()| file.sync_all())
        });
        cut.map_err(RecordError::io(&self.reader.path, "cut"))
    }

    /// Adds a record, which is written with others when they are many or are [flushed](RecordFile::flush).
    pub(crate) fn append(&mut self, value: &impl Serialize) -> Result<Span, RecordError> {
        let begin = self.pending.len();
        self.pending.extend_from_slice(&[0; HEAD_BYTES]);
        postcard::to_io(value, &mut self.pending).expect("memory takes all");
        let span = self.next_span((self.pending.len() - begin - HEAD_BYTES) as u32);
        let (head, value) = self.pending[begin..].split_at_mut(HEAD_BYTES);
        let (own, checksum) = span.head(value);
        head.copy_from_slice(&own);
        (self.end, self.checksum) = (span.end(), checksum);
        if self.pending.len() >= TOGETHER {
            self.flush()?;
        }
        Ok(span)
    }

    /// Writes what completes something. At most a second of work is lost if the power fails.
    pub(crate) fn complete(&mut self) -> Result<(), RecordError> {
        self.flush()?;
        if let Some(last) = self.last_sync
            && last.elapsed() >= Duration::from_secs(1)
        {
            self.sync()?;
            self.last_sync = Some(Instant::now());
        }
        Ok(())
    }

    pub(crate) fn flush(&mut self) -> Result<(), RecordError> {
        if let Some(file) = self.reader.file.get() {
            // A write that failed is written over.
            let written = write_at(file, &self.pending, self.written);
            written.map_err(RecordError::io(&self.reader.path, "write"))?;
            self.written += self.pending.len() as u64;
            self.pending.clear();
        }
        Ok(())
    }

    /// Brings what is written to the disk.
    pub(crate) fn sync(&self) -> Result<(), RecordError> {
        let sync = self.reader.file.get().map_or(Ok(()), File::sync_data);
        sync.map_err(RecordError::io(&self.reader.path, "write"))
    }

    /// Reads the value of a record, checked.
    pub(crate) fn read(&self, span: Span) -> Result<Vec<u8>, RecordError> {
        let Some(at) = span.offset.checked_sub(self.written) else {
            return self.reader.read(span);
        };
        let value = &self.pending[at as usize + HEAD_BYTES..];
        Ok(value[..span.length as usize].to_vec())
    }
}
