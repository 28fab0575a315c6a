//! The memory in which a part is solved, and the files that take what does not fit.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;
use tbindex::batch::Backend;
use tbindex::bitbase::{Accumulator, Bitbase, Domain, Frontier, Row};

use crate::solve::options::Options;
use crate::subtables::gathered::{Frontiers, Gathered};
use crate::subtables::library::SolveError;
use crate::table::slices::among;
use crate::table::temp_file::TempFile;

/// The memory in which one half of the solution works. The second half takes it over from the first,
/// because fresh memory costs more than cleaning up.
pub(crate) struct WorkingSet {
    /// The positions that the winner has won, and those that are no positions with the winner to move.
    pub(crate) won: Bitbase,
    /// The positions that the loser can't lose or has lost, and those that are no positions.
    pub(crate) done: Bitbase,
    pub(crate) won_new: Frontiers,
    /// The positions lost in the last complete ply, and in the one after it. With sets on disk, what is read from the checkpoint or
    /// was received, and what is on its way to the checkpoint.
    pub(crate) lost_now: Frontiers,
    pub(crate) lost_after: Frontiers,
    pub(crate) threads: Threads,
    pub(crate) disk: Option<Disk>,
}

/// A file with all slices of a set, one after the other.
#[derive(Debug)]
pub(crate) struct SetFile {
    file: TempFile,
    slice_bytes: u64,
    read: AtomicU64,
    written: AtomicU64,
}

impl SetFile {
    /// A file in a folder for the slices of a domain.
    fn new(folder: &Path, domain: &Domain) -> io::Result<SetFile> {
        Ok(SetFile {
            file: TempFile::new(folder)?,
            slice_bytes: size_of::<Row>() as u64 * domain.rows() as u64,
            read: AtomicU64::new(0),
            written: AtomicU64::new(0),
        })
    }

    /// Reads a slice that was written.
    pub(crate) fn read(&self, slice: usize, rows: &mut [Row]) -> io::Result<()> {
        let at = slice as u64 * self.slice_bytes;
        self.file.read_at(bytemuck::cast_slice_mut(rows), at)?;
        self.read.fetch_add(self.slice_bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Writes a slice.
    pub(crate) fn write(&self, slice: usize, rows: &[Row]) -> io::Result<()> {
        let at = slice as u64 * self.slice_bytes;
        self.file.write_at(bytemuck::cast_slice(rows), at)?;
        self.written.fetch_add(self.slice_bytes, Ordering::Relaxed);
        Ok(())
    }

    /// The bytes that were read and written so far.
    fn traffic(&self) -> [u64; 2] {
        [&self.read, &self.written].map(|bytes| bytes.load(Ordering::Relaxed))
    }
}

/// The sets on disk, and which slices of them are in memory.
pub(crate) struct Disk {
    pub(crate) won: SetFile,
    pub(crate) done: SetFile,
    /// For each slice whether `WorkingSet::won` has it.
    pub(crate) here: Vec<bool>,
    /// For each slice whether it has changed since.
    pub(crate) changed: Vec<bool>,
    /// For each slice whether `WorkingSet::lost_now` has it.
    pub(crate) sources: Vec<bool>,
    /// By slice the positions of other processes that were lost there in the last complete ply, packed.
    pub(crate) received: BTreeMap<usize, Vec<u8>>,
}

impl Disk {
    fn new(folder: &Path, domain: &Domain) -> Result<Disk, SolveError> {
        let none = || vec![false; domain.slices()];
        Ok(Disk {
            won: SetFile::new(folder, domain)?,
            done: SetFile::new(folder, domain)?,
            here: none(),
            changed: none(),
            sources: none(),
            received: BTreeMap::new(),
        })
    }
}

/// The buffers of a thread.
pub(crate) struct Work {
    pub(crate) gathered: Gathered,
    pub(crate) buffer: Vec<u8>,
}

/// The working memory of threads, which is lent to whoever works on a slice.
pub(crate) struct Threads {
    domain: Domain,
    backend: Backend,
    of_helpmates: bool,
    free: Mutex<Vec<Work>>,
}

impl Threads {
    fn free(&self) -> MutexGuard<'_, Vec<Work>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn lend(&self) -> Lent<'_> {
        let free = self.free().pop();
        let new = || Work {
            gathered: Gathered::new(&self.domain, self.backend, self.of_helpmates),
            buffer: Vec::new(),
        };
        Lent {
            from: self,
            work: Some(free.unwrap_or_else(new)),
        }
    }
}

/// The buffers that go back when it is dropped.
pub(crate) struct Lent<'a> {
    from: &'a Threads,
    work: Option<Work>,
}

impl Lent<'_> {
    pub(crate) fn get(&mut self) -> &mut Work {
        self.work.as_mut().expect("there until it is dropped")
    }
}

impl AsMut<Accumulator> for Lent<'_> {
    fn as_mut(&mut self) -> &mut Accumulator {
        self.get().gathered.plain()
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.from.free().extend(self.work.take());
    }
}

impl WorkingSet {
    /// The sets for a domain, of which these slices are solved.
    pub(crate) fn new(
        domain: &Domain,
        options: &Options<'_>,
        mine: &[usize],
    ) -> Result<WorkingSet, SolveError> {
        let folder = options.residence.folder();
        let of_helpmates = options.metric.victim().is_some();
        let few = mine.len() < domain.slices() || folder.is_some();
        let set = || match few {
            false => Bitbase::try_new(domain),
            true => Bitbase::with_few_slices(domain),
        };
        let frontier = || match few {
            false => Frontier::try_new(domain),
            true => Frontier::with_few_slices(domain),
        };
        let frontiers = || Frontiers::new(frontier, of_helpmates);
        Ok(WorkingSet {
            won: set()?,
            done: set()?,
            won_new: frontiers()?,
            lost_now: frontiers()?,
            lost_after: frontiers()?,
            threads: Threads {
                domain: domain.clone(),
                backend: options.backend,
                of_helpmates,
                free: Mutex::default(),
            },
            disk: folder.map(|folder| Disk::new(folder, domain)).transpose()?,
        })
    }

    /// Brings slices of `won` into memory that are not there.
    pub(crate) fn load_won(&mut self, slices: &[usize]) -> Result<(), SolveError> {
        let Some(disk) = &mut self.disk else {
            return Ok(());
        };
        let mut wanted = vec![false; disk.here.len()];
        for &slice in slices {
            wanted[slice] = !disk.here[slice];
        }
        let disk_now = &*disk;
        among(self.won.slices_mut(), Some(&wanted))
            .try_for_each(|(slice, rows)| disk_now.won.read(slice, rows))?;
        for &slice in slices {
            disk.here[slice] = true;
        }
        Ok(())
    }

    /// Notes that slices of `won` are in memory and have changed.
    pub(crate) fn made_won(&mut self, slices: &[usize]) {
        if let Some(disk) = &mut self.disk {
            for &slice in slices {
                (disk.here[slice], disk.changed[slice]) = (true, true);
            }
        }
    }

    /// Notes which slices of `won` have changed, where something new was found.
    pub(crate) fn note_won(&mut self, slices: &[usize]) {
        if let Some(disk) = &mut self.disk {
            for &slice in slices {
                disk.changed[slice] |= !self.won_new.all.is_empty_slice(slice);
            }
        }
    }

    /// Makes what was lost after now what is lost now, and gives what is lost next an empty set: one that has given back
    /// its memory if that is `short`. A set all of whose slices are written anyhow is not cleaned up.
    pub(crate) fn turn(&mut self, short: bool, all: bool) -> Result<(), SolveError> {
        std::mem::swap(&mut self.lost_now, &mut self.lost_after);
        if short {
            self.lost_after.shrink()?;
        } else if !all {
            self.lost_after.clear();
        }
        Ok(())
    }

    /// Writes slices of `won` that have changed, and gives back the memory of these slices, if sets are on disk.
    pub(crate) fn leave(&mut self, slices: &[usize]) -> Result<(), SolveError> {
        let Some(disk) = &mut self.disk else {
            return Ok(());
        };
        let (disk_now, won) = (&*disk, &self.won);
        let changed = slices.iter().filter(|&&slice| disk_now.changed[slice]);
        let changed: Vec<usize> = changed.copied().collect();
        changed
            .into_par_iter()
            .with_max_len(1)
            .try_for_each(|slice| disk_now.won.write(slice, won.slice(slice)))?;
        for &slice in slices {
            disk.changed[slice] = false;
            if std::mem::take(&mut disk.here[slice]) {
                self.won.release_slice(slice);
            }
            self.won_new.release_slice(slice);
        }
        Ok(())
    }

    /// Gives back the memory of slices whose losses were found, if sets are on disk.
    pub(crate) fn release_losses(&mut self, slices: &[usize]) {
        let Some(disk) = &self.disk else {
            return;
        };
        for &slice in slices {
            self.done.release_slice(slice);
            self.lost_after.release_slice(slice);
            if !disk.sources[slice] {
                self.lost_now.release_slice(slice);
            }
        }
    }

    /// The bytes that were read from and written to files so far.
    pub(crate) fn traffic(&self) -> [u64; 2] {
        let Some(disk) = &self.disk else {
            return [0; 2];
        };
        let (won, done) = (disk.won.traffic(), disk.done.traffic());
        std::array::from_fn(|k| won[k] + done[k])
    }
}
