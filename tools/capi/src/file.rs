//! Functions that read index files.

use std::ffi::{c_char, c_void};

use tbindex::batch::Backend;
use tbindex::store::{IndexFile, unwatched};

use super::layout::tbi_numbering;
use super::material::tbi_material;
use super::memory::{give, path, reference, slice_mut, take_back, write};
use super::status::{Failure, Outcome, guard, guard_value, tbi_status};
use super::words::with_word;

/// An index file, mapped into memory. No program may shorten or overwrite it while it is open (a file that is
/// renamed over it does no harm).
#[derive(Debug)]
pub struct tbi_file(pub(crate) IndexFile);

/// The side to move: one of the `TBI_SIDE_...`.
pub type tbi_side = u32;

/// White.
pub const TBI_SIDE_WHITE: tbi_side = 0;
/// Black.
pub const TBI_SIDE_BLACK: tbi_side = 1;
/// Not recorded.
pub const TBI_SIDE_UNKNOWN: tbi_side = 2;

/// The claims of a file about its indices: any of the `TBI_CLAIM_...`, added.
pub type tbi_claims = u32;

/// Every index is the smallest of its equivalents.
pub const TBI_CLAIM_CANONICAL: tbi_claims = 1;
/// The indices ascend.
pub const TBI_CLAIM_SORTED: tbi_claims = 2;
/// No index occurs twice; only together with `TBI_CLAIM_SORTED`.
pub const TBI_CLAIM_DISTINCT: tbi_claims = 4;
/// All three: a reduced set.
pub const TBI_CLAIM_REDUCED: tbi_claims = 7;

/// The contents of an index file's header.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tbi_header {
    /// How many indices the file holds.
    pub count: u64,
    /// The material.
    pub material: tbi_material,
    /// The bytes of the file's words: 4 up to 5 pieces, 8 beyond.
    pub word_bytes: u32,
    /// The numbering of the squares.
    pub numbering: tbi_numbering,
    /// The side to move; `TBI_SIDE_UNKNOWN` if that is not recorded.
    pub side: tbi_side,
    /// The claims of the file about its indices.
    pub claims: tbi_claims,
    /// Whether the indices are stored compressed, so that there are no words to point to.
    pub is_compact: bool,
}

/// Opens and maps a file. This checks its header and its length; `tbi_file_verify` checks the indices.
///
/// `TBI_ERROR_IO` if the system refuses, `TBI_ERROR_FILE` if it is no sound index file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_file_open(
    path: *const c_char,
    file: *mut *mut tbi_file,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        give(file, "file", || {
            let path = self::path(path, "path")?;
            Ok(tbi_file(IndexFile::map(path, Backend::detect())?))
        })
    })
}

/// Closes a file; NULL is none. Words that it lent must not be used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_file_close(file: *mut tbi_file) {
    // SAFETY: the caller's promise.
    guard_value((), || unsafe { take_back(file, "file") });
}

/// Writes the contents of the file's header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_file_header(
    file: *const tbi_file,
    header: *mut tbi_header,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let found = reference(file, "file")?.0.header();
        let told = found.contents;
        let claims = [
            (told.canonical, TBI_CLAIM_CANONICAL),
            (told.sorted, TBI_CLAIM_SORTED),
            (told.distinct, TBI_CLAIM_DISTINCT),
        ];
        let made = claims.into_iter().filter(|&(made, _)| made);
        let found = tbi_header {
            count: found.count,
            material: told.material.into(),
            word_bytes: found.word as u32 / 8,
            numbering: told.numbering as u32,
            side: told.side.map_or(TBI_SIDE_UNKNOWN, |side| side as u32),
            claims: made.map(|(_, claim)| claim).sum(),
            is_compact: found.compact,
        };
        write(header, "header", found)
    })
}

/// Checks the whole file with `threads` threads, 0 being one for each processor: all checksums, every index in
/// range, and sorted, distinct and canonical where the file claims it. `TBI_ERROR_FILE` if anything is wrong.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_file_verify(file: *const tbi_file, threads: usize) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let file = unsafe { reference(file, "file") }?;
        super::main_thread::keep();
        file.0.verify(thread_count(threads)?, &mut unwatched)?;
        Ok(())
    })
}

/// The most threads that a caller may ask for.
const MOST_THREADS: usize = 1024;

/// The number of threads; 0 stands for one for each processor.
pub(crate) fn thread_count(threads: usize) -> Outcome<usize> {
    match threads {
        0 => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
        1..=MOST_THREADS => Ok(threads),
        _ => Err(Failure::argument(format!(
            "{threads} threads: expected at most {MOST_THREADS}"
        ))),
    }
}

/// Writes a pointer to all indices of the file, valid until the file is closed, and their number.
///
/// `TBI_ERROR_WORD` if the file's words have another width, `TBI_ERROR_UNSUITABLE` if it is compressed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_file_words(
    file: *const tbi_file,
    words: *mut *const c_void,
    word_bytes: usize,
    count: *mut usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        write(words, "words", std::ptr::null())?;
        write(count, "count", 0)?;
        let file = &reference(file, "file")?.0;
        with_word!(word_bytes, W => {
            let indices = file.reader::<W>()?.indices()?;
            write(words, "words", indices.as_ptr().cast())?;
            write(count, "count", indices.len())
        })
    })
}

/// Copies `count` indices from position `first` on, of plain and compressed files alike, and checks their
/// checksums.
///
/// `TBI_ERROR_ARGUMENT` if the file has fewer, `TBI_ERROR_WORD` if its words have another width,
/// `TBI_ERROR_FILE` if it is damaged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_file_read(
    file: *const tbi_file,
    first: u64,
    out: *mut c_void,
    word_bytes: usize,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let file = &reference(file, "file")?.0;
        let end = first.checked_add(count as u64);
        if end.is_none_or(|end| end > file.header().count) {
            return Err(Failure::argument(format!(
                "{count} indices from position {first}: the file has {}",
                file.header().count
            )));
        }
        with_word!(word_bytes, W => {
            Ok(file.reader::<W>()?.read_into(first, slice_mut(out.cast(), count, "out")?)?)
        })
    })
}

/// Writes whether the file holds an index; `TBI_ERROR_UNSUITABLE` if it does not claim that it is sorted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_file_contains(
    file: *const tbi_file,
    index: u64,
    contains: *mut bool,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let found = reference(file, "file")?.0.search(index)?.is_ok();
        write(contains, "contains", found)
    })
}

/// Writes how many indices of the file are smaller than this one: its position, if the file holds it and is
/// distinct. `TBI_ERROR_UNSUITABLE` if the file does not claim that it is sorted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_file_rank(
    file: *const tbi_file,
    index: u64,
    rank: *mut u64,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let smaller = reference(file, "file")?
            .0
            .search(index)?
            .unwrap_or_else(|rank| rank);
        write(rank, "rank", smaller)
    })
}
