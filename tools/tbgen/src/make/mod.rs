//! Makes tables, each from those that its moves lead to: into files of any kind or in memory, alone or with other processes.

mod in_work;
mod journal;
mod sources;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use syzygy_tables::writer::Distances;
use tbindex::batch::Backend;
use tbindex::store::{Overwrite, PartialFile, StoreErrorKind};

use crate::chess::piece_set::Endgame;
use crate::distributed::{Team, Transport};
use crate::plan::sizes::{at_least, mebibytes};
use crate::plan::{InTurn, Plan, SharedPlan};
use crate::solve::levels::solve_shared;
use crate::solve::options::{Options, Residence};
use crate::storage::checkpoint::{CheckpointOf, checkpoint_path, remove_checkpoint, remove_file};
use crate::storage::record_file::RecordError;
use crate::storage::table_file::{FileError, is_there};
use crate::subtables::library::{Library, SolveError, heed_stop};
use crate::syzygy::pack::pack;
use crate::syzygy::source::{ExportError, export};
use crate::table::shape::Shape;
use crate::table::solved::Table;
use crate::table::temp_file::TempFile;
use crate::table::value::Metric;
pub use in_work::{Event, InWork, Watch};
pub use journal::Journal;
use sources::ReadAs;

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

/// Why a table was not made.
#[derive(Debug, thiserror::Error)]
pub enum MakeError {
    /// It was not solved.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// It was not written, or a smaller table was not read.
    #[error(transparent)]
    File(Box<FileError>),
    /// Its Syzygy files or its packed one were not written, or a packed table is not what it should be.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// Its checkpoint was not used.
    #[error(transparent)]
    Checkpoint(#[from] RecordError),
    /// A temporary file was not made.
    #[error("{error}")]
    TempFile {
        /// The folder.
        folder: PathBuf,
        /// The system's error, with the folder.
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
            MakeError::Export(error) => error.is_damage(),
            _ => false,
        }
    }
}

impl From<FileError> for MakeError {
    fn from(error: FileError) -> MakeError {
        MakeError::File(Box::new(error))
    }
}

/// The files that are made of tables, and their folder.
#[derive(Clone, Copy, Debug)]
pub enum Output<'a> {
    /// No files.
    Nothing,
    /// This generator's own, from which those of larger tables are made.
    Tables(&'a Path),
    /// Packed files.
    Packed(&'a Path),
    /// Syzygy files with these distances.
    Syzygy(&'a Path, Distances),
}

impl<'a> Output<'a> {
    /// The folder, if there are files.
    #[must_use]
    pub fn folder(self) -> Option<&'a Path> {
        match self {
            Output::Nothing => None,
            Output::Tables(folder) | Output::Packed(folder) | Output::Syzygy(folder, _) => {
                Some(folder)
            }
        }
    }
}

/// A job: the tables that it makes files of, where these are, and the means.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// Folders that have the tables, which are read there; if there are none, the tables are solved. Of two files of a table, that
    /// in an earlier folder is taken.
    pub tables: &'a [PathBuf],
    /// Whether the tables that others lead to are read, too. To solve a packed one, they are read in any case.
    pub with_others: bool,
    /// The files to make.
    pub output: Output<'a>,
    /// The tables that these files are made of, if not all.
    pub todo: Option<&'a HashSet<(Endgame, Metric)>>,
    /// A folder for temporary files and checkpoints. Without one, all is in memory, and checkpoints lie beside
    /// the tables.
    pub temp: Option<&'a Path>,
    /// A folder for dense sets that do not fit into memory, if it is another one.
    pub sets: Option<&'a Path>,
    /// Whether files that are there are made again.
    pub overwrite: Overwrite,
    /// The instructions to use.
    pub backend: Backend,
    /// The most memory of a process for a table of this generator's own, in bytes.
    pub memory: Option<u64>,
    /// A flag that stops the work when it is set.
    pub stop: &'a AtomicBool,
    /// A watcher of the tables in work.
    pub watch: &'a dyn Watch,
}

/// A table that a job has made or read.
#[derive(Clone, Copy, Debug)]
pub struct Made<'a> {
    /// How it was made.
    pub done: Done,
    /// The table, with those that it leads to and earlier ones of the same pieces; if it is not in a
    /// [file of this generator's own](Output::Tables), which may have been there.
    pub table: Option<(&'a Table, &'a Library)>,
}

impl<'a> Job<'a> {
    /// A job that solves tables in memory, of which it makes no files.
    #[must_use]
    pub fn in_memory(backend: Backend, stop: &'a AtomicBool, watch: &'a dyn Watch) -> Job<'a> {
        Job {
            tables: &[],
            with_others: true,
            output: Output::Nothing,
            todo: None,
            temp: None,
            sets: None,
            overwrite: Overwrite::Refuse,
            backend,
            memory: None,
            stop,
            watch,
        }
    }

    /// Makes tables, and calls `each` for each. Returns the last, unless it is in a file of this generator's own, or all stay. Where
    /// they are solved for other files, or none, they are kept as long as larger tables need them; by the distance to zeroing,
    /// their outcomes alone.
    ///
    /// # Errors
    /// If a table can't be made, or as of `each`.
    ///
    /// # Panics
    /// If the metrics have both the distance to zeroing and that to mate.
    pub fn each<E: From<MakeError>>(
        &self,
        turn: InTurn<'_>,
        mut each: impl FnMut(Made<'_>) -> Result<(), E>,
    ) -> Result<Option<Table>, E> {
        let both = [Metric::Dtz, Metric::Dtm].map(|metric| turn.metrics.contains(&metric));
        assert!(both != [true; 2], "tables by one distance or the other");
        let tables = turn.groups().into_iter().flatten();
        if let Output::Tables(folder) = self.output {
            for (shape, metric) in tables {
                let done = self.make(folder, shape, metric, None)?;
                each(Made { done, table: None })?;
            }
            return Ok(None);
        }
        if !self.tables.is_empty() {
            let (mut library, mut last) = (Library::default(), None);
            for (shape, metric) in tables {
                let (table, done) = self.read(shape, metric, &mut library)?;
                let table = Some((&*last.insert(table), &library));
                each(Made { done, table })?;
            }
            return Ok(last);
        }
        let (last, _) = turn.solve(
            |shape, metric, library| self.solve_and_write(shape, metric, library),
            |(table, done), library| {
                let (done, table) = (*done, Some((table, library)));
                each(Made { done, table })
            },
            |(table, _)| Ok(Arc::new(self.put_aside(table)?)),
        )?;
        Ok(last.map(|(table, _)| table))
    }

    /// Solves a table from those in a library. Of the job, the watcher is used.
    ///
    /// # Errors
    /// If a table is missing in the library, or as the options say.
    pub fn solve(
        &self,
        shape: &Shape,
        library: &Library,
        options: Options<'_>,
    ) -> Result<Table, SolveError> {
        let plan = Plan::in_memory(shape, options.metric);
        let in_work = InWork::new(shape, options.metric, Some(plan));
        self.solve_watched(&in_work, library, options, None)
    }

    /// Solves a table that is watched meanwhile.
    fn solve_watched(
        &self,
        in_work: &InWork<'_>,
        library: &Library,
        options: Options<'_>,
        together: Option<&dyn Transport>,
    ) -> Result<Table, SolveError> {
        self.watch.notice(in_work, Event::Begun);
        let options = Options {
            progress: &|progress| {
                self.watch.notice(in_work, Event::Ply(&progress));
                tbindex::fail_point!("tbgen::ply");
            },
            ..options
        };
        let solved = solve_shared(in_work.shape, library, options, together);
        self.watch.notice(in_work, Event::Ended);
        tbindex::fail_point!("tbgen::solved");
        solved
    }

    /// Solves a table in memory, or with temporary files if it is large, and makes its files.
    fn solve_and_write(
        &self,
        shape: &Shape,
        metric: Metric,
        library: &Library,
    ) -> Result<(Table, Done), MakeError> {
        let begin = Instant::now();
        let temp_file = TempFile::of(shape, self.temp).map_err(SolveError::from)?;
        let options = Options::new(metric, self.backend, self.stop);
        let options = options.with_files(shape, self.temp, temp_file.as_ref());
        let table = self.solve(shape, library, options)?;
        let solved = Some(begin.elapsed());
        let written = self.write(&table, library)?;
        let done = Done {
            solved,
            written,
            ..Done::there_already(shape.endgame(), metric)
        };
        Ok((table, done))
    }

    /// Reads a table and those that it leads to, and makes its files.
    fn read(
        &self,
        shape: &Shape,
        metric: Metric,
        library: &mut Library,
    ) -> Result<(Table, Done), MakeError> {
        let (endgame, temp_file) = (shape.endgame(), self.temp_file()?);
        let (of, led_to) = ((endgame, metric), endgame.led_to());
        library.retain(|material| led_to.iter().any(|of| of.material == *material));
        if self.with_others {
            self.bring(of, ReadAs::Aside(temp_file.as_ref()), library)?;
        }
        let table = self.get(of, ReadAs::InFile, library)?;
        let done = Done {
            written: self.write(&table, library)?,
            ..Done::there_already(endgame, metric)
        };
        Ok((table, done))
    }

    /// Makes the files of a table that are not this generator's own, and returns the time that it took.
    fn write(&self, table: &Table, library: &Library) -> Result<Option<Duration>, MakeError> {
        let (endgame, metric, backend) = (table.shape.endgame(), table.metric, self.backend);
        let all = self
            .todo
            .is_none_or(|todo| todo.contains(&(endgame, metric)));
        let in_work = InWork::new(&table.shape, metric, None);
        match self.output {
            Output::Packed(folder) if all => {
                let path = Table::packed_path(folder, endgame, metric);
                let path = path.ok_or(ExportError::Zeroing(endgame))?;
                let begun = PartialFile::create(&path, self.overwrite).map_err(FileError::from)?;
                in_work.write(self.stop, self.watch, |control| {
                    pack(table, library, begun, backend, control)
                })?;
            }
            Output::Syzygy(folder, distances) if all => {
                in_work.write(self.stop, self.watch, |control| {
                    export(table, library, folder, distances, backend, control)
                })?;
            }
            _ => return Ok(None),
        }
        Ok(Some(in_work.begin.elapsed()))
    }

    /// A table as it is kept for larger ones.
    fn put_aside(&self, mut table: Table) -> Result<Table, SolveError> {
        if table.metric() == Metric::Dtz {
            table.forget_distances()?;
        }
        table.pack(TempFile::of(&table.shape, self.temp)?.as_ref())?;
        Ok(table)
    }

    /// Makes the table of a shape by a metric in a folder from those that it leads to, which are there. If it is there already, it
    /// stays, unless it is to be replaced. All processes of a run, if they make it together, call this function alike.
    ///
    /// # Errors
    /// If the table can't be made. Unless the caller stopped the work, the other processes wait then, and the caller has to
    /// end them.
    pub fn make(
        &self,
        folder: &Path,
        shape: &Shape,
        metric: Metric,
        together: Option<&dyn Transport>,
    ) -> Result<Done, MakeError> {
        let endgame = shape.endgame();
        let path = Table::path(folder, endgame, metric);
        let checkpoint = checkpoint_path(self.temp.unwrap_or(folder), endgame, metric);
        let mut done = Done::there_already(endgame, metric);
        let mut begun = None;
        let [_, packed] = Table::files(folder, endgame, metric)?;
        let may_be_packed = self.overwrite == Overwrite::Refuse && metric.victim().is_none();
        let is_packed = packed.is_some() && may_be_packed;
        let team = Team(together);
        if team.number() == 0 {
            if !is_packed {
                let wait: &dyn Fn(&Path) = &|path| self.watch.wait(path);
                let waiting = together.is_none().then_some(wait);
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
        if team.any(begun.is_some()) {
            self.make_file(folder, shape, (&checkpoint, begun), together, &mut done)?;
        }
        Ok(done)
    }

    /// Solves the table of a shape and writes it into its file, which process 0 has begun.
    fn make_file(
        &self,
        folder: &Path,
        shape: &Shape,
        (checkpoint, begun): (&Path, Option<PartialFile>),
        together: Option<&dyn Transport>,
        done: &mut Done,
    ) -> Result<(), MakeError> {
        let (endgame, metric) = (shape.endgame(), done.metric);
        let needs = match together {
            None => Plan::new(shape, metric, self.memory)
                .map(|plan| (plan.group, plan.parts, Some(plan))),
            Some(transport) => SharedPlan::new(shape, transport.processes(), self.memory)
                .map(|plan| (plan.group, usize::MAX, None)),
        };
        let (group, parts, plan) = needs.map_err(|least| MakeError::Memory {
            endgame: endgame.to_string(),
            least,
            limit: self.memory.unwrap_or(0),
        })?;
        let sets = self.sets.or(self.temp).unwrap_or(folder);
        let residence = Residence::new(group, sets);
        let (tables, mut library) = (&[folder.to_owned()][..], Library::default());
        let mut temp_file = None;
        let kept = match together {
            None => {
                // A file of its own, which takes no disk any more once the table is made: no table that was put aside is kept.
                temp_file = self.temp_file()?;
                ReadAs::Aside(temp_file.as_ref())
            }
            // Of several processes, each reads few slices of smaller tables.
            Some(_) => ReadAs::InFile,
        };
        Job { tables, ..*self }.bring((endgame, metric), kept, &mut library)?;
        // Tables that packed ones were solved from are needed no more.
        let led_to = endgame.led_to();
        library.retain(|material| led_to.iter().any(|of| of.material == *material));
        let in_work = InWork::new(shape, metric, plan);
        let recorded = together.is_some() || shape.has_checkpoint() || residence.is_disk();
        let of = recorded.then(|| CheckpointOf::new(shape.material(), metric, folder));
        let of = of.transpose()?;
        let options = Options {
            temp_file: temp_file.as_ref(),
            residence,
            parts,
            checkpoint: of.as_ref().map(|of| (checkpoint, of)),
            ..Options::new(metric, self.backend, self.stop)
        };
        let table = self.solve_watched(&in_work, &library, options, together)?;
        done.solved = Some(in_work.begin.elapsed());
        let begin = Instant::now();
        // Memory is shortest while a table is written.
        drop(library);
        let path = Table::path(folder, endgame, metric);
        table.write_to(&path, begun, self.stop, together)?;
        drop(table);
        done.written = Some(begin.elapsed());
        match Team(together).number() {
            0 => Ok(remove_checkpoint(checkpoint)?),
            _ => Ok(()),
        }
    }

    /// A temporary file, if there is a folder for it.
    fn temp_file(&self) -> Result<Option<Arc<TempFile>>, MakeError> {
        let make = |folder: &Path| {
            let temp_file = TempFile::new(folder).map(Arc::new);
            temp_file.map_err(|error| MakeError::TempFile {
                folder: folder.to_owned(),
                error,
            })
        };
        self.temp.map(make).transpose()
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
    waiting: Option<&dyn Fn(&Path)>,
    stop: &AtomicBool,
) -> Result<Option<PartialFile>, MakeError> {
    let mut said = false;
    loop {
        match PartialFile::create(path, overwrite) {
            // Another run may have finished it after it was looked for.
            Ok(_) if overwrite == Overwrite::Refuse && is_there(path)? => return Ok(None),
            Ok(file) => return Ok(Some(file)),
            Err(error) => match (error.kind, waiting) {
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
