//! Files of chained records, as they are written and read again. The format is in [the module above](super).

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tbindex::Color;
use tbindex::store::is_file;

use super::header::{Content, HEADER_BYTES, header, wrong_header};
use super::{CheckpointError, CheckpointOf};
use crate::storage::header::{u16_at, u32_at, u64_at};
use crate::table::file_at::{read_at, write_at};
use crate::table::revision::REVISION;

const HEAD_BYTES: usize = 28;

/// Records are written together from so many bytes on.
const TOGETHER: usize = 1 << 20;

/// A record: what it is of, and where its bytes are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(super) kind: u8,
    pub(super) side: u8,
    pub(crate) plies: u16,
    /// The number of the slice.
    pub(super) slice: u32,
    pub(super) length: u32,
    pub(super) entry_length: u32,
    pub(super) checksum: u32,
    /// The number of the file, if the checkpoint has several.
    pub(super) file: u32,
    pub(super) at: u64,
}

/// The kinds of records that complete a ply, and with it a half. Those of positions come before them.
pub(super) const PLY: u8 = 2;
pub(super) const HALF: u8 = 3;

/// The bytes of a head that say what the record is of, and of what its bytes are.
const FIELD_BYTES: usize = 20;

impl Place {
    /// What the record's head says of it.
    fn encode(self) -> [u8; FIELD_BYTES] {
        let mut bytes = [0; FIELD_BYTES];
        bytes[..2].copy_from_slice(&[self.kind, self.side]);
        bytes[2..4].copy_from_slice(&self.plies.to_le_bytes());
        let fields = [self.slice, self.length, self.entry_length, self.checksum];
        for (field, bytes) in fields.into_iter().zip(bytes[4..].chunks_exact_mut(4)) {
            bytes.copy_from_slice(&field.to_le_bytes());
        }
        bytes
    }

    /// The record with a head that begins like this, whose bytes are at a place in a file.
    fn decode(head: &[u8], file: u32, at: u64) -> Place {
        Place {
            kind: head[0],
            side: head[1],
            plies: u16_at(head, 2),
            slice: u32_at(head, 4),
            length: u32_at(head, 8),
            entry_length: u32_at(head, 12),
            checksum: u32_at(head, 16),
            file,
            at,
        }
    }

    /// The bytes that a record has at its place, if they are those that were written.
    fn checked(self, path: &Path, bytes: Vec<u8>) -> Result<Vec<u8>, CheckpointError> {
        let found = crc32fast::hash(&bytes);
        if found == self.checksum {
            return Ok(bytes);
        }
        let what = format!(
            "its checksum is {found:#010x}, expected {:#010x}",
            self.checksum
        );
        Err(self.damaged(path, what))
    }

    pub(super) fn damaged(self, path: &Path, what: String) -> CheckpointError {
        CheckpointError::Damaged {
            path: path.to_owned(),
            at: self.at,
            what,
        }
    }

    /// Whether the record completes a ply, and perhaps a half.
    pub(super) fn completes(self) -> bool {
        matches!(self.kind, PLY | HALF)
    }

    /// Whether the record completes a half.
    pub(crate) fn ends_half(self) -> bool {
        self.kind == HALF
    }

    /// The bytes that the entry takes.
    pub(crate) fn bytes(self) -> u64 {
        u64::from(self.length)
    }
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
    fn head(self, place: Place) -> ([u8; HEAD_BYTES], End) {
        let mut bytes = [0; HEAD_BYTES];
        bytes[..FIELD_BYTES].copy_from_slice(&place.encode());
        bytes[FIELD_BYTES..HEAD_BYTES - 4].copy_from_slice(&self.records.to_le_bytes());
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

/// A file of records that this process writes.
#[derive(Debug)]
pub(super) struct Records {
    pub(super) path: PathBuf,
    /// The number of this file, if there are several.
    pub(super) number: u32,
    /// The file, unless all is in memory.
    file: Option<File>,
    /// The length of what is in the file.
    written: u64,
    /// What is not there, or not yet.
    pending: Vec<u8>,
    /// Where the last record ends.
    pub(super) end: End,
    /// When a file with a name was last brought to the disk. No others are: nothing of them stays.
    last_sync: Option<Instant>,
}

const PLACE_BYTES: usize = 32;

/// The message that says of what these records are and where.
pub(super) fn message_of(places: impl IntoIterator<Item = Place>) -> Vec<u8> {
    let bytes = |place: Place| {
        let (file, at) = (place.file.to_le_bytes(), place.at.to_le_bytes());
        [&place.encode()[..], &file, &at].concat()
    };
    places.into_iter().flat_map(bytes).collect()
}

/// Of what and where the records of a message are.
pub(super) fn places_in(message: &[u8]) -> Result<Vec<Place>, CheckpointError> {
    let (places, rest) = message.as_chunks::<PLACE_BYTES>();
    if !rest.is_empty() {
        return Err(damaged_message("it is cut"));
    }
    let place =
        |bytes: &[u8; PLACE_BYTES]| Place::decode(bytes, u32_at(bytes, 20), u64_at(bytes, 24));
    Ok(places.iter().map(place).collect())
}

pub(crate) fn damaged_message(what: &str) -> CheckpointError {
    CheckpointError::Message(what.to_owned())
}

impl Records {
    /// Records in memory.
    pub(super) fn in_memory() -> Records {
        Records {
            path: PathBuf::from("memory"),
            number: 0,
            file: None,
            written: 0,
            pending: Vec::new(),
            end: End::default(),
            last_sync: None,
        }
    }

    /// Records in a file without a name in a folder, which is gone when they are dropped.
    pub(super) fn temporary(folder: &Path) -> Result<Records, CheckpointError> {
        let path = folder.join("a temporary file");
        let file = tempfile::tempfile_in(folder).map_err(CheckpointError::io(&path, "make"))?;
        Ok(Records {
            path,
            file: Some(file),
            ..Records::in_memory()
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
        let mut options = File::options();
        let options = options.read(true).write(true).create(true).truncate(false);
        let file = is_file(path).and_then(|_| options.open(path));
        let file = file.map_err(CheckpointError::io(path, "open"))?;
        // Another process that makes the same table would write into it as well.
        if let Err(std::fs::TryLockError::WouldBlock) = file.try_lock() {
            return Err(CheckpointError::InUse {
                path: path.to_owned(),
            });
        }
        let found = (file.metadata()).map_err(CheckpointError::io(path, "read"))?;
        let mut this = Records {
            path: path.to_owned(),
            file: Some(file),
            written: found.len(),
            last_sync: Some(Instant::now()),
            ..Records::in_memory()
        };
        let mut bytes = header(content, of, REVISION);
        if this.written < HEADER_BYTES as u64 {
            // Killed at once, or empty, or something else.
            let mut begin = vec![0; this.written as usize];
            this.read_at(0, &mut begin)?;
            if !bytes.starts_with(&begin) {
                let what = "this is not a checkpoint".to_owned();
                return Err(CheckpointError::foreign(path, what));
            }
            this.written = 0;
            this.pending.extend_from_slice(&bytes);
            this.flush()?;
            tbindex::fail_point!("tbgen::checkpoint_begun");
        } else {
            this.read_at(0, &mut bytes)?;
            if let Some(what) = wrong_header(content, of, true, &bytes) {
                return Err(CheckpointError::foreign(path, what));
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
        mut take: impl FnMut(Place, End) -> bool,
    ) -> Result<(), CheckpointError> {
        let mut bytes = Vec::new();
        while self.end.at + HEAD_BYTES as u64 <= self.written {
            if stop.load(Ordering::Relaxed) {
                return Err(CheckpointError::Interrupted);
            }
            let mut found = [0; HEAD_BYTES];
            self.read_at(self.end.at, &mut found)?;
            let at = self.end.at + HEAD_BYTES as u64;
            let place = Place::decode(&found, self.number, at);
            let (expected, end) = self.end.head(place);
            if found != expected || end.at > self.written {
                break;
            }
            bytes.resize(place.length as usize, 0);
            self.read_at(place.at, &mut bytes)?;
            if crc32fast::hash(&bytes) != place.checksum || !take(place, end) {
                break;
            }
            self.end = end;
        }
        Ok(())
    }

    /// Cuts off what follows the end of a record.
    pub(super) fn cut(&mut self, end: End) -> Result<(), CheckpointError> {
        if let Some(file) = &self.file {
            let cut = file.set_len(end.at).and_then(|()| file.sync_all());
            cut.map_err(CheckpointError::io(&self.path, "cut"))?;
        }
        (self.written, self.end) = (end.at, end);
        Ok(())
    }

    /// Adds a record of a kind, side, plies, and slice, which is written with others when they are many or are
    /// [flushed](Records::flush). Its bytes have another length when they are decompressed.
    pub(super) fn append(
        &mut self,
        (kind, side, plies, slice): (u8, Color, u16, usize),
        bytes: &[u8],
        entry_length: u32,
    ) -> Result<Place, CheckpointError> {
        let place = Place {
            kind,
            side: side as u8,
            plies,
            slice: slice as u32,
            length: bytes.len() as u32,
            entry_length,
            checksum: crc32fast::hash(bytes),
            file: self.number,
            at: self.end.at + HEAD_BYTES as u64,
        };
        let (head, end) = self.end.head(place);
        self.pending.extend_from_slice(&head);
        self.pending.extend_from_slice(bytes);
        self.end = end;
        if self.pending.len() >= TOGETHER {
            self.flush()?;
        }
        Ok(place)
    }

    /// Writes what completes something. At most a second of work is lost if the power fails.
    pub(super) fn complete(&mut self) -> Result<(), CheckpointError> {
        self.flush()?;
        if let Some(last) = self.last_sync
            && last.elapsed() >= Duration::from_secs(1)
        {
            self.sync()?;
            self.last_sync = Some(Instant::now());
        }
        Ok(())
    }

    pub(super) fn flush(&mut self) -> Result<(), CheckpointError> {
        if let Some(file) = &self.file {
            // What was begun and failed is written over.
            write_at(file, &self.pending, self.written)
                .map_err(CheckpointError::io(&self.path, "write"))?;
            self.written += self.pending.len() as u64;
            self.pending.clear();
        }
        Ok(())
    }

    /// Brings what is written to the disk.
    pub(super) fn sync(&self) -> Result<(), CheckpointError> {
        let sync = self.file.as_ref().map_or(Ok(()), File::sync_data);
        sync.map_err(CheckpointError::io(&self.path, "write"))
    }

    fn read_at(&self, at: u64, bytes: &mut [u8]) -> Result<(), CheckpointError> {
        let from = at.checked_sub(self.written);
        let pending = from.and_then(|from| self.pending.get(from as usize..)?.get(..bytes.len()));
        let read = match (pending, &self.file) {
            (Some(pending), _) => {
                bytes.copy_from_slice(pending);
                Ok(())
            }
            (None, Some(file)) => read_at(file, bytes, at),
            (None, None) => Err(io::ErrorKind::UnexpectedEof.into()),
        };
        read.map_err(CheckpointError::io(&self.path, "read"))
    }

    /// Reads the bytes of a record, checked.
    pub(super) fn read(&self, place: Place) -> Result<Vec<u8>, CheckpointError> {
        let mut bytes = vec![0; place.length as usize];
        self.read_at(place.at, &mut bytes)?;
        place.checked(&self.path, bytes)
    }

    /// Gives the file another name.
    pub(super) fn rename(&mut self, path: &Path) -> Result<(), CheckpointError> {
        self.sync()?;
        std::fs::rename(&self.path, path).map_err(CheckpointError::io(&self.path, "begin"))?;
        self.path = path.to_owned();
        Ok(())
    }
}

/// A file of records that any process writes or has written, and this one reads.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) path: PathBuf,
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
        read.map_err(CheckpointError::io(&self.path, "read"))?;
        place.checked(&self.path, bytes)
    }
}
