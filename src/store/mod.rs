//! Index files.
//!
//! # Reduce a file larger than memory
//!
//! ```
//! use tbindex::Numbering;
//! use tbindex::batch::Backend;
//! use tbindex::store::{IndexFile, Overwrite, Reduction, Target, unwatched};
//! # use tbindex::store::{Contents, IndexWriter};
//! # let folder = tempfile::tempdir()?;
//! # let path = |name| folder.path().join(name);
//! # let contents = Contents::new("KRvK".parse()?, Numbering::Natural);
//! # let target = Target::plain(path("all.tbi"), Overwrite::Refuse);
//! # let mut writer = IndexWriter::<u32>::create(&target, contents, Backend::detect())?;
//! # writer.write(&(0..1 << 18).collect::<Vec<u32>>())?;
//! # writer.finish()?;
//! let all = IndexFile::open(path("all.tbi"), Backend::detect())?;
//! // Indices that do not fit these 24 MiB are sorted in temporary files.
//! let reduction = Reduction { memory: Reduction::LEAST_MEMORY, ..Reduction::default() };
//! let target = Target { path: path("reduced.tbi"), overwrite: Overwrite::Refuse, compact: true };
//! let (header, summary) =
//!     reduction.reduce_files_into(&[all], Numbering::Natural, &target, &mut unwatched)?;
//! assert_eq!((summary.read, header.count), (262_144, 32_896));
//! // Each index takes about five bits.
//! assert!(header.payload_bytes < 32_896 * 6 / 8);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Files
//!
//! A file holds indices of one material under one numbering. An [`IndexWriter`] is fed slices and publishes a
//! finished file in one step. An [`IndexFile`] is opened or mapped: its [`IndexReader`] copies indices block by block, or
//! hands them out as a slice. `store/format.rs` describes the bytes, completely enough to write a reader from it.
//!
//! Opening a file reads 256 bytes, and checks their claims against each other and against the file's
//! real length, whatever its size. Blocks are checked when they are read, except by searches and by
//! [`IndexReader::indices`]; [`IndexFile::verify`] reads and checks every byte.
//!
//! **A file must not change while it is mapped** ([`IndexFile::map`], which is `unsafe` for that). Nothing here
//! ever changes a published file: a new version is written beside it and renamed over it, and readers of the old
//! one keep the old bytes. But if another program shortens a mapped file, touching the missing bytes kills the
//! process (`SIGBUS`); and if it overwrites bytes, readers see them change after they were checked.
//! [`IndexFile::open`] reads instead: a file that is shortened is an error,
//! and bytes that change between two reads can make results wrong, but nothing worse.
//!
//! A file, a writer and a reduction each have the [`Backend`](crate::batch::Backend) that they are given at the
//! beginning.
//!
//! # Long operations
//!
//! Enumerating, reducing, combining, rewriting, checking and counting whole files all work alike. They take,
//! in this order,
//!
//! 1. *the input*, such as files;
//! 2. *the destination*: a `take` function that is handed the result in slices; or, in the operations whose names end in
//!    `_into`, the [`Target`] of a new file, or an [`IndexWriter`] where no file has the contents of the new one;
//! 3. *the memory*, where it has to be limited, and *the number of threads*, unless a [`Reduction`] has them: the calling
//!    thread works, too, alone if their number is 0 or 1;
//! 4. a `watch` function, which is told the [`Progress`] from time to time, always on the calling
//!    thread.
//!
//! An error that `take` or `watch` returns ends the work, whatever the threads are doing, and the operation
//! returns it; no file is published then. A caller who has no error of this library returns [`StoreError::cancelled`].
//! One who neither watches nor stops the work passes [`unwatched`].
//!
//! ```no_run
//! use tbindex::batch::Backend;
//! use tbindex::store::{IndexFile, StoreError};
//!
//! fn check_until(end: std::time::Instant, path: &str) -> Result<(), StoreError> {
//!     let threads = 4;
//!     IndexFile::open(path, Backend::detect())?.verify(threads, &mut |progress| {
//!         println!("{} of {:?} bytes", progress.done, progress.total);
//!         match std::time::Instant::now() < end {
//!             true => Ok(()),
//!             false => Err(StoreError::cancelled()),
//!         }
//!     })?;
//!     Ok(())
//! }
//! ```

mod blocks;
mod checks;
mod contents;
mod disk;
mod elias_fano;
mod enumerate;
mod error;
mod file;
mod file_signals;
mod format;
mod header;
mod memory;
mod method;
mod ordered_jobs;
mod reduce;
mod rewrite;
mod search;
mod sets;
mod statistics;
mod storage;
mod verify;
mod watch;
mod writer;

pub use contents::{Contents, FileWord};
pub use disk::{Overwrite, PartialFile, check_space, is_file};
pub use enumerate::enumerate;
pub use error::{Part, StoreError, StoreErrorKind};
pub use file::{IndexFile, IndexReader};
#[doc(hidden)]
pub use file_signals::handle_file_signals;
pub use header::Header;
pub use method::Method;
pub use reduce::{Reducer, Reduction, ReductionPlan, Summary};
pub use rewrite::Rewrite;
pub use sets::{SetOperation, SetPlan};
pub use statistics::Statistics;
#[doc(hidden)]
pub use storage::{FileReads, Storage};
pub use watch::{Phase, Progress, Take, Watch, unwatched};
pub use writer::{IndexWriter, Target};

use crate::batch::BatchWord;
use crate::index::{Enumeration, Equivalence, Numbering, StageCounts};
use crate::word::word_trait;

use self::blocks::BlockBuffer;
use self::enumerate::enumerate_words;

word_trait! {
    /// Words that files hold: `u32` and `u64`. The trait is sealed as [`Word`](crate::Word) is.
    ///
    /// Call the methods of [`IndexWriter`], [`IndexReader`] and [`Reducer`], which are made of those here.
    pub trait StoredWord: BatchWord;
    fn append(writer: &mut IndexWriter<Self>, indices: &[Self]) -> Result<(), StoreError> =
        writer.append(indices);
    fn finish(writer: IndexWriter<Self>) -> Result<Header, StoreError> = writer.complete();
    fn read_into(file: &IndexReader<Self>, first: u64, out: &mut [Self]) -> Result<(), StoreError> =
        file.read_words(first, out);
    fn block(file: &IndexReader<Self>, number: u64) -> Result<Vec<Self>, StoreError> =
        file.read_checked_block(number, &mut BlockBuffer::default()).map(Vec::from);
    fn reducer(
        reduction: &Reduction, same: Equivalence<Self>, expected: Option<u64>
    ) -> Result<Reducer<Self>, StoreError> = reduction.begin(same, expected);
    fn push(
        reducer: &mut Reducer<Self>, numbering: Numbering, indices: &[Self]
    ) -> Result<(), StoreError> = reducer.push_words(numbering, indices);
    fn reduce(
        reducer: Reducer<Self>, take: &mut Take<'_, Self>, watch: &mut Watch<'_>
    ) -> Result<Summary, StoreError> = reducer.reduce(take, watch);
    fn enumerate(
        enumeration: &Enumeration<Self>, take: &mut Take<'_, Self>, threads: usize, watch: &mut Watch<'_>
    ) -> Result<StageCounts, StoreError> = enumerate_words(enumeration, take, threads, watch);
}

// The ordered jobs take these from here; their test gives them others.
use std::{sync, thread};

/// Begins work on a thread, if the system starts one.
fn spawn<'scope>(scope: &'scope thread::Scope<'scope, '_>, work: impl FnOnce() + Send + 'scope) {
    let _ = thread::Builder::new().spawn_scoped(scope, work);
}
