//! Makes tables, each from those that its moves lead to: in a folder, alone or with other processes, or in memory.

mod checkpoints;
mod in_memory;
mod in_work;
mod journal;
mod sources;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use tbindex::batch::Backend;
use tbindex::store::{Overwrite, PartialFile, StoreErrorKind};

use crate::chess::piece_set::Endgame;
use crate::distributed::transport::Transport;
use crate::plan::sizes::{at_least, mebibytes};
use crate::plan::{Plan, SharedPlan};
use crate::solve::options::{Options, Residence};
use crate::storage::checkpoint::{CheckpointOf, remove_checkpoint, remove_file};
use crate::storage::record_file::RecordError;
use crate::storage::table_file::{FileError, is_there};
use crate::subtables::library::{Library, SolveError, heed_stop};
use crate::syzygy::pack::PackError;
use crate::table::shape::Shape;
use crate::table::solved::Table;
use crate::table::temp_file::TempFile;
use crate::table::value::Metric;
use checkpoints::checkpoint_path;
pub use checkpoints::{check_checkpoint, checkpoint_bytes};
pub use in_memory::InMemory;
pub use in_work::{Event, InWork, Watch};
pub use journal::Journal;
pub use sources::Sources;

/// A table that was made or found.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    /// The endgame.
    pub endgame: Endgame,
    /// The metric.
    pub metric: Metric,
    /// The time that it took to solve, or `None` if the table was there already.
    pub solved: Option<Duration>,
    /// The time that it took to compress and write.
    pub written: Option<Duration>,
}

impl Done {
    /// A table that was there already.
    #[must_use]
    pub fn there_already(endgame: Endgame, metric: Metric) -> Done {
        Done {
            endgame,
            metric,
            solved: None,
            written: None,
        }
    }
}

/// Why a table in a folder was not made.
#[derive(Debug, thiserror::Error)]
pub enum MakeError {
    /// It was not solved.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// It was not written, or a smaller table was not read.
    #[error(transparent)]
    File(Box<FileError>),
    /// A packed table is not what it should be.
    #[error(transparent)]
    Packed(#[from] PackError),
    /// Its checkpoint was not used.
    #[error(transparent)]
    Checkpoint(#[from] RecordError),
    /// A temporary file was not made.
    #[error("can't make a temporary file in {}: {error}", folder.display())]
    TempFile {
        /// The folder.
        folder: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// A process has too little memory.
    #[error("{endgame} needs at least {} of memory in a process, which may use {}", at_least(*.least), mebibytes(*.limit))]
    Memory {
        /// The endgame.
        endgame: String,
        /// The bytes with which it can be solved.
        least: u64,
        /// The bytes that a process may use.
        limit: u64,
    },
}

impl MakeError {
    /// Whether a file is damaged or wrong, as [`FileError::is_damage`] has it.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            MakeError::Solve(error) => error.is_damage(),
            MakeError::File(error) => error.is_damage(),
            MakeError::Packed(error) => error.is_damage(),
            _ => false,
        }
    }
}

impl From<FileError> for MakeError {
    fn from(error: FileError) -> MakeError {
        MakeError::File(Box::new(error))
    }
}

/// Where tables are made, and with what.
pub struct Job<'a> {
    /// The folder for the tables.
    pub folder: &'a Path,
    /// The folder for temporary files and checkpoints.
    pub temp: &'a Path,
    /// The folder for dense sets that do not fit into memory.
    pub sets: &'a Path,
    /// Whether tables that are there are made again.
    pub overwrite: Overwrite,
    /// The instructions to use.
    pub backend: Backend,
    /// The most memory of a process for a table, in bytes.
    pub memory: Option<u64>,
    /// A flag that stops the work when it is set.
    pub stop: &'a AtomicBool,
    /// A function that is called once before another run is waited for, which is making the table of a file.
    pub waiting: &'a (dyn Fn(&Path) + Sync),
    /// A watcher of the tables that are being solved.
    pub watch: &'a dyn Watch,
    /// The processes of this run.
    pub transport: &'a dyn Transport,
}

impl std::fmt::Debug for Job<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Job")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

impl Job<'_> {
    /// Makes the table of a shape by a metric from those that it leads to, which are in the folder. If it is there already, it
    /// stays, unless it is to be replaced. All processes of a run call this function alike.
    ///
    /// # Errors
    /// If the table can't be made. Unless the caller stopped the work, the other processes wait then, and the caller has to
    /// end them.
    pub fn make(&self, shape: &Shape, metric: Metric) -> Result<Done, MakeError> {
        let endgame = shape.endgame();
        let path = Table::path(self.folder, endgame, metric);
        let checkpoint = checkpoint_path(self.temp, endgame, metric);
        let mut done = Done::there_already(endgame, metric);
        let mut begun = None;
        let [_, packed] = Table::files(self.folder, endgame, metric)?;
        let may_be_packed = self.overwrite == Overwrite::Refuse && metric.victim().is_none();
        let is_packed = packed.is_some() && may_be_packed;
        if self.transport.number() == 0 {
            if !is_packed {
                let waiting = self.transport.is_alone().then_some(self.waiting);
                begun = begin_file(&path, self.overwrite, waiting, self.stop)?;
            }
            // A file that is no checkpoint stays, unless whatever has its name is to be replaced.
            let own = shape.has_checkpoint() && !shape.material().has_pawns();
            if begun.is_some() && self.overwrite == Overwrite::Replace && own {
                remove_file(checkpoint.clone())?;
            }
            // It may be left over from a run that was killed just after it had written the table. A run that makes the table
            // again has begun its file, and needs its checkpoint.
            let idle = match begun {
                Some(_) => None,
                None => PartialFile::create(&path, Overwrite::Replace).ok(),
            };
            if idle.is_some() || begun.is_some() && self.overwrite == Overwrite::Replace {
                remove_checkpoint(&checkpoint)?;
            }
        }
        // Process 0 decides for all.
        let to_make = u64::from(begun.is_some());
        if self.transport.sum([to_make, 0, 0, 0, 0, 0])[0] > 0 {
            self.solve(shape, &path, (&checkpoint, begun), &mut done)?;
        }
        Ok(done)
    }

    /// Solves the table of a shape and writes it into its file, which process 0 has begun.
    fn solve(
        &self,
        shape: &Shape,
        path: &Path,
        (checkpoint, begun): (&Path, Option<PartialFile>),
        done: &mut Done,
    ) -> Result<(), MakeError> {
        let (endgame, metric) = (shape.endgame(), done.metric);
        let plan = match self.transport.is_alone() {
            true => Plan::new(shape, metric, self.memory)
                .map(|plan| (plan.group, plan.parts, Some(plan))),
            false => SharedPlan::new(shape, self.transport.processes(), self.memory)
                .map(|plan| (plan.group, usize::MAX, None)),
        };
        let (group, parts, plan) = plan.map_err(|least| MakeError::Memory {
            endgame: endgame.to_string(),
            least,
            limit: self.memory.unwrap_or(0),
        })?;
        let residence = Residence::new(group, self.sets);
        // A file of its own, which takes no disk any more once the table is made: no table that was put aside is kept.
        let temp_file = self
            .transport
            .is_alone()
            .then(|| self.temp_file())
            .transpose()?;
        let folders = [self.folder.to_owned()];
        let sources = Sources {
            folders: &folders,
            metric,
            temp_file: temp_file.as_ref(),
            backend: self.backend,
            stop: self.stop,
        };
        let library = match self.transport.is_alone() {
            true => sources.led_to(endgame)?,
            // Each of several processes wants few slices.
            false => {
                let mut library = Library::default();
                for &metric in metric.of_smaller() {
                    for source in endgame.led_to() {
                        library.insert(Sources { metric, ..sources }.table(source)?);
                    }
                }
                library
            }
        };
        let in_work = InWork::new(shape, metric, plan);
        let recorded = !self.transport.is_alone() || shape.has_checkpoint() || residence.is_disk();
        let of = || CheckpointOf::new(shape.material(), metric, self.folder);
        let of = recorded.then(of).transpose()?;
        let options = Options {
            temp_file: temp_file.as_ref(),
            residence,
            parts,
            checkpoint: of.as_ref().map(|of| (checkpoint, of)),
            ..Options::new(metric, self.backend, self.stop)
        };
        let table = in_work.solve(&library, options, self.transport, self.watch)?;
        done.solved = Some(in_work.begin.elapsed());
        let begin = Instant::now();
        // Memory is shortest while a table is written.
        drop(library);
        match begun {
            Some(file) if self.transport.is_alone() => table.write_to(file, self.stop)?,
            begun => table.write_shared(path, begun, self.transport)?,
        }
        drop(table);
        done.written = Some(begin.elapsed());
        match self.transport.number() {
            0 => Ok(remove_checkpoint(checkpoint)?),
            _ => Ok(()),
        }
    }

    fn temp_file(&self) -> Result<Arc<TempFile>, MakeError> {
        let temp_file = TempFile::new(self.temp).map(Arc::new);
        temp_file.map_err(|error| MakeError::TempFile {
            folder: self.temp.to_owned(),
            error,
        })
    }
}

/// Begins a file, which keeps other runs from it, if it is not there or is to be replaced. Where another run makes it, this one
/// waits until that ends, and calls `waiting` once before; without such a function, the other run is an error.
///
/// # Errors
/// If the file can't be begun, or `stop` is set while the other run is waited for.
pub fn begin_file(
    path: &Path,
    overwrite: Overwrite,
    waiting: Option<&(dyn Fn(&Path) + Sync)>,
    stop: &AtomicBool,
) -> Result<Option<PartialFile>, MakeError> {
    let mut said = false;
    loop {
        match PartialFile::create(path, overwrite) {
            // Another run may have finished it after it was looked for.
            Ok(_) if overwrite == Overwrite::Refuse && is_there(path)? => return Ok(None),
            Ok(file) => return Ok(Some(file)),
            Err(error) => match (error.kind(), waiting) {
                (StoreErrorKind::Exists, _) if is_there(path)? => return Ok(None),
                (StoreErrorKind::Exists, _) => {}
                (StoreErrorKind::Busy, Some(waiting)) => {
                    if !std::mem::replace(&mut said, true) {
                        waiting(path);
                    }
                }
                _ => return Err(FileError::from(error).into()),
            },
        }
        std::thread::sleep(Duration::from_millis(100));
        heed_stop(stop)?;
    }
}
