//! Functions that reduce whole files and combine them as sets.

use std::ffi::{c_char, c_int, c_void};

use tbindex::batch::Backend;
use tbindex::store::{IndexFile, Method, Phase, Progress, Reduction, SetOperation, StoreError};

use super::file::thread_count;
use super::layout::{numbering, tbi_numbering};
use super::memory::{path, reference, slice, write_if_asked};
use super::status::{Failure, Outcome, guard, tbi_status};
use super::writer::{target, tbi_write_flags};

/// How to reduce files. 0 or NULL is the default of each, so that `tbi_reduction how = {0}` is all of them.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tbi_reduction {
    /// The bytes that the whole process may have resident, at least 24 MiB; by default one gibibyte.
    pub memory: u64,
    /// How many threads work, at most 1024; by default one for each processor.
    pub threads: usize,
    /// The method; by default the one that fits the memory.
    pub method: tbi_method,
    /// The folder for temporary files; by default that of the new file.
    pub temp: *const c_char,
}

/// How a set is reduced: one of the `TBI_METHOD_...`.
pub type tbi_method = u32;

/// By a bitmap where it fits the memory and is not much larger than the indices, else by sorting.
pub const TBI_METHOD_AUTO: tbi_method = 0;
/// A bit for every canonical index there can be.
pub const TBI_METHOD_BITMAP: tbi_method = 1;
/// Sorting, with temporary files if need be.
pub const TBI_METHOD_SORT: tbi_method = 2;

/// The work that a progress function is told of: one of the `TBI_PHASE_...`.
pub type tbi_phase = u32;

/// `done` indices were read.
pub const TBI_PHASE_READ: tbi_phase = 0;
/// The indices that were read are being sorted; `done` has no meaning.
pub const TBI_PHASE_SORTING: tbi_phase = 1;
/// `done` indices of the result were written.
pub const TBI_PHASE_WRITTEN: tbi_phase = 2;
/// `done` chunks were enumerated.
pub const TBI_PHASE_ENUMERATED: tbi_phase = 3;

/// Called from time to time, on the thread that called the library, with the caller's `context`. It returns 0;
/// anything else ends the work with `TBI_ERROR_CANCELLED`, and there is no new file. It must not throw or jump.
pub type tbi_progress =
    Option<unsafe extern "C" fn(context: *mut c_void, phase: tbi_phase, done: u64) -> c_int>;

/// The numbers of a reduction.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct tbi_reduction_summary {
    /// How many indices were read.
    pub read: u64,
    /// How many different canonical ones there were.
    pub count: u64,
    /// How often the memory was full, so that its contents went to a temporary file.
    pub runs: u64,
    /// How many bytes went into the temporary file.
    pub temp_bytes: u64,
}

impl tbi_reduction {
    /// # Safety
    /// As for [`path`].
    unsafe fn settings(&self) -> Outcome<Reduction> {
        let mut settings = Reduction {
            threads: thread_count(self.threads)?,
            method: match self.method {
                TBI_METHOD_AUTO => Method::Auto,
                TBI_METHOD_BITMAP => Method::Bitmap,
                TBI_METHOD_SORT => Method::Sort,
                number => return Err(Failure::choice("method", number, "TBI_METHOD_…")),
            },
            ..Reduction::default()
        };
        settings.memory = memory(self.memory)?;
        if !self.temp.is_null() {
            // SAFETY: the caller's promise.
            settings.temp = Some(unsafe { path(self.temp, "temp") }?.to_owned());
        }
        Ok(settings)
    }
}

/// The memory that a caller asks for.
fn memory(bytes: u64) -> Outcome<u64> {
    match bytes {
        0 => Ok(Reduction::default().memory),
        Reduction::LEAST_MEMORY.. => Ok(bytes),
        _ => Err(Failure::argument(format!(
            "{bytes} bytes of memory: expected at least {}",
            Reduction::LEAST_MEMORY
        ))),
    }
}

/// Opens files by their names.
///
/// # Safety
/// As for [`slice`] and [`path`].
unsafe fn open(paths: *const *const c_char, count: usize) -> Outcome<Vec<IndexFile>> {
    // SAFETY: the caller's promise.
    let paths = unsafe { slice(paths, count, "paths") }?;
    if paths.is_empty() {
        return Err(Failure::argument("0 files: expected at least one"));
    }
    let open = |&path: &*const c_char| {
        // SAFETY: the caller's promise.
        let path = unsafe { self::path(path, "a path") }?;
        Ok(IndexFile::open(path, Backend::detect())?)
    };
    paths.iter().map(open).collect()
}

/// Tells the caller's function how far the work is; an error if it ends the work.
///
/// # Safety
/// The function may be called with the context on this thread.
pub(crate) unsafe fn tell(
    progress: tbi_progress,
    context: *mut c_void,
    at: Progress,
) -> Result<(), StoreError> {
    let phase = match at.phase {
        Phase::Sorting => TBI_PHASE_SORTING,
        Phase::Writing => TBI_PHASE_WRITTEN,
        Phase::Enumerating => TBI_PHASE_ENUMERATED,
        _ => TBI_PHASE_READ,
    };
    // SAFETY: the caller's promise.
    match progress.map_or(0, |progress| unsafe { progress(context, phase, at.done) }) {
        0 => Ok(()),
        _ => Err(StoreError::cancelled()),
    }
}

/// Reduces `count` files of one material and one side to move, in any numbering, to one: all their
/// positions, canonical under `numbering`, sorted, each once. `how` may be NULL.
///
/// `TBI_ERROR_UNSUITABLE` if the files differ in material or side, `TBI_ERROR_FILE` if one is damaged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_files_reduce(
    paths: *const *const c_char,
    count: usize,
    out: *const c_char,
    numbering: tbi_numbering,
    flags: tbi_write_flags,
    how: *const tbi_reduction,
    progress: tbi_progress,
    context: *mut c_void,
    summary: *mut tbi_reduction_summary,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let settings = match how.is_null() {
            true => Reduction::default(),
            false => reference(how, "how")?.settings()?,
        };
        let (files, out) = (open(paths, count)?, path(out, "out")?);
        let (numbering, target) = (self::numbering(numbering)?, target(out, flags)?);
        let mut watch = |at| tell(progress, context, at);
        let (_, found) = settings.reduce_files_into(&files, numbering, &target, &mut watch)?;
        let found = tbi_reduction_summary {
            read: found.read,
            count: found.count,
            runs: found.runs,
            temp_bytes: found.temp_bytes,
        };
        write_if_asked(summary, "summary", found)
    })
}

/// An operation on sets of indices: one of the `TBI_SET_...`.
pub type tbi_set_operation = u32;

/// The indices that are in any of the sets.
pub const TBI_SET_UNION: tbi_set_operation = 0;
/// The indices that are in all of them.
pub const TBI_SET_INTERSECTION: tbi_set_operation = 1;
/// The indices that are in the first and in no other.
pub const TBI_SET_DIFFERENCE: tbi_set_operation = 2;

/// Combines `count` sorted and distinct files of one material, numbering and side to move into one, and writes
/// its number of indices to `written`. `memory` is how many bytes the whole process may have resident, and 0 is one
/// gibibyte. `progress` is told how many indices were read.
///
/// The errors are as for `tbi_files_reduce`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_files_combine(
    operation: tbi_set_operation,
    paths: *const *const c_char,
    count: usize,
    out: *const c_char,
    flags: tbi_write_flags,
    memory: u64,
    threads: usize,
    progress: tbi_progress,
    context: *mut c_void,
    written: *mut u64,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let operation = match operation {
            TBI_SET_UNION => SetOperation::Union,
            TBI_SET_INTERSECTION => SetOperation::Intersection,
            TBI_SET_DIFFERENCE => SetOperation::Difference,
            _ => return Err(Failure::choice("operation", operation, "TBI_SET_…")),
        };
        let (memory, threads) = (self::memory(memory)?, thread_count(threads)?);
        let (files, out) = (open(paths, count)?, path(out, "out")?);
        let target = target(out, flags)?;
        let mut watch = |at| tell(progress, context, at);
        let header = operation.combine_files_into(&files, &target, memory, threads, &mut watch)?;
        write_if_asked(written, "written", header.count)
    })
}
