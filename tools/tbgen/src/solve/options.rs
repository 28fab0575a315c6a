//! The caller's choices, and the reports to it.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tbindex::Color;
use tbindex::batch::Backend;
use tbindex::bitbase::{Domain, Row};

use crate::distributed::crossing::Crossed;
use crate::storage::checkpoint::CheckpointOf;
use crate::subtables::cache::CacheSize;
use crate::table::shape::Shape;
use crate::table::sizes::LARGE_PART;
use crate::table::temp_file::TempFile;
use crate::table::value::Metric;

/// The slices whose losses are found at the same time where sets are in files without a limit of memory.
pub(crate) const SLICES_IN_WORK: usize = 64;

/// A report on the state of the work, for a progress bar.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The side whose wins are being found; of helpmates, the side that checkmates.
    pub winner: Color,
    /// The ply just finished.
    pub plies: u16,
    /// The parts of the table that are solved, of all.
    pub parts: (usize, usize),
    /// The positions won and lost that were found since the work on this half began, slots counted, if the part has a file of
    /// plies.
    pub positions: u64,
    /// The bytes of sets that this process has read from files since the work on this part began.
    pub read: u64,
    /// The bytes of sets that it has written to files.
    pub written: u64,
    /// The bytes of the file of plies that is being written.
    pub checkpoint: u64,
    /// The bytes that crossed between processes since the work on this half began.
    pub crossed: Crossed,
}

/// Where the dense sets of positions are while a table whose kings have slices is solved.
#[derive(Clone, Copy, Debug)]
pub enum Residence<'a> {
    /// In memory.
    Memory,
    /// In files in a folder, a few slices at a time in memory, with the plies in a file without a name if there is no
    /// [checkpoint](Options::checkpoint). By the distance to mate and of helpmates there should be a
    /// [temp_file](Options::temp_file), too: without one, what captures lead to is in memory until it is due, up to twelve
    /// dense sets.
    Disk {
        /// The folder.
        folder: &'a Path,
        /// The number of slices whose losses are found at the same time.
        group: usize,
    },
}

impl Residence<'_> {
    /// In files in a folder, if so many slices are to be worked on at a time, or in memory.
    #[must_use]
    pub fn new(group: Option<usize>, folder: &Path) -> Residence<'_> {
        group.map_or(Residence::Memory, |group| Residence::Disk { folder, group })
    }

    /// The folder of the files, if the sets are in files.
    pub(crate) fn folder(&self) -> Option<&Path> {
        match self {
            Residence::Memory => None,
            Residence::Disk { folder, .. } => Some(folder),
        }
    }

    pub(crate) fn is_disk(&self) -> bool {
        self.folder().is_some()
    }

    /// The most slices of a domain whose seeds are made at the same time where those of all would take too much memory: one
    /// for each thread, or more if they are small.
    pub(crate) fn seeded_at_once(&self, domain: &Domain) -> usize {
        let bytes = domain.rows() * size_of::<Row>();
        // With pawns, groups of few slices would read solved parts more often.
        let small = if domain.fixed().is_empty() {
            4 << 20
        } else {
            8 << 20
        };
        let most = rayon::current_num_threads().max(small / bytes);
        match self {
            Residence::Memory => most,
            Residence::Disk { group, .. } => most.min(*group),
        }
    }
}

/// Options for solving a table.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The metric.
    pub metric: Metric,
    /// The instructions to use.
    pub backend: Backend,
    /// A function that is called after every ply.
    pub progress: &'a (dyn Fn(Progress) + Sync),
    /// A flag that stops the work when it is set.
    pub stop: &'a AtomicBool,
    /// A file for the solved parts of large tables and, by the distance to mate and of helpmates, for what moves out of a large
    /// part lead to, until it is due. Without one, both stay in memory.
    pub temp_file: Option<&'a Arc<TempFile>>,
    /// Where the dense sets are.
    pub residence: Residence<'a>,
    /// The most parts of one slice that are solved at the same time, each by a thread.
    pub parts: usize,
    /// The name of the checkpoint of a large table, and what it is of; without one it is in memory. With pawns, its files have
    /// names that begin with this one. If they are there, the work goes on where it ended.
    pub checkpoint: Option<(&'a Path, &'a CheckpointOf)>,
    /// Limits other than those of the table's shape.
    #[doc(hidden)]
    pub limits: Option<Limits>,
}

/// Sizes that decide how a table is solved, but not what is found.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The bytes of a set of a part with pawns from which the part has a checkpoint of its own until it is solved, if there are
    /// files.
    pub large_part: u64,
    /// The codes of solved parts that are at hand.
    pub recent: CacheSize,
}

impl Limits {
    /// The limits with which a table of this shape is solved.
    #[must_use]
    pub fn new(shape: &Shape, metric: Metric) -> Limits {
        Limits {
            large_part: LARGE_PART,
            recent: CacheSize::of(shape, metric),
        }
    }
}

impl<'a> Options<'a> {
    /// Options for solving a table in memory, without reports, until a flag is set.
    #[must_use]
    pub fn new(metric: Metric, backend: Backend, stop: &'a AtomicBool) -> Options<'a> {
        Options {
            metric,
            backend,
            progress: &|_| (),
            stop,
            temp_file: None,
            residence: Residence::Memory,
            parts: usize::MAX,
            checkpoint: None,
            limits: None,
        }
    }

    /// These options for a table whose sets are in files in a folder if they are large, and whose parts are in a file if there is
    /// one.
    pub(crate) fn with_files(
        self,
        shape: &Shape,
        folder: Option<&'a Path>,
        temp_file: Option<&'a Arc<TempFile>>,
    ) -> Options<'a> {
        Options {
            temp_file,
            residence: match folder.filter(|_| shape.has_sets_in_files(self.metric)) {
                Some(folder) => Residence::Disk {
                    folder,
                    group: SLICES_IN_WORK,
                },
                None => Residence::Memory,
            },
            ..self
        }
    }
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("metric", &self.metric)
            .field("backend", &self.backend)
            .finish_non_exhaustive()
    }
}
