//! Functions that read index files.

use std::ffi::c_char;

use memmap2::Mmap;
use tbindex::Color;
use tbindex::store::{BlockBuffer, IndexFile, unwatched};

use super::layout::{number_of, tbi_numbering};
use super::material::tbi_material;
use super::memory::{give, path, reference, slice_mut, take_back, write};
use super::status::{Failure, Outcome, guard, guard_value, tbi_status};
use super::words::CWord;

/// An index file, mapped into memory. It must not be shortened or overwritten by others while it is open
/// (a file that is renamed over it does no harm).
#[derive(Debug)]
pub struct tbi_file(pub(crate) IndexFile<Mmap>);

/// Who is to move: one of the `TBI_SIDE_...`.
pub type tbi_side = u32;

/// White.
pub const TBI_SIDE_WHITE: tbi_side = 0;
/// Black.
pub const TBI_SIDE_BLACK: tbi_side = 1;
/// Not recorded.
pub const TBI_SIDE_UNKNOWN: tbi_side = 2;

/// What a file claims of its indices: any of the `TBI_CLAIM_...`, added.
pub type tbi_claims = u32;

/// Every index is the smallest of its equivalents.
pub const TBI_CLAIM_CANONICAL: tbi_claims = 1;
/// The indices ascend.
pub const TBI_CLAIM_SORTED: tbi_claims = 2;
/// No index occurs twice; only together with `TBI_CLAIM_SORTED`.
pub const TBI_CLAIM_DISTINCT: tbi_claims = 4;
/// All three: a reduced set.
pub const TBI_CLAIM_REDUCED: tbi_claims = 7;

/// Opens and maps a file. Its header is checked, and that it goes with the file's length; the indices are
/// believed until `tbi_file_verify` is asked. No program may change or shorten the file until it is closed.
///
/// `TBI_ERROR_IO` if the system refuses, `TBI_ERROR_FILE` if it is no sound index file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_file_open(
    path: *const c_char,
    file: *mut *mut tbi_file,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            give(file, "file", || {
                Ok(tbi_file(IndexFile::map(self::path(path, "path")?)?))
            })
        }
    })
}

/// Closes a file; NULL is none. Words that it lent must not be used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_file_close(file: *mut tbi_file) {
    guard_value((), || {
        // SAFETY: the caller's promise.
        unsafe { take_back(file, "file") }
    });
}

/// How many indices the file holds; 0 if `file` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_file_count(file: *const tbi_file) -> u64 {
    guard_value(0, || {
        // SAFETY: the caller's promise.
        Ok(unsafe { reference(file, "file") }?.0.header().count)
    })
}

/// The width of the file's words, 32 up to 5 pieces, 64 beyond; 0 if `file` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_file_word_bits(file: *const tbi_file) -> u32 {
    guard_value(0, || {
        // SAFETY: the caller's promise.
        Ok(unsafe { reference(file, "file") }?.0.header().word_bits)
    })
}

/// The numbering of the squares; `TBI_NUMBERING_NATURAL` if `file` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_file_numbering(file: *const tbi_file) -> tbi_numbering {
    guard_value(super::layout::TBI_NUMBERING_NATURAL, || {
        // SAFETY: the caller's promise.
        let file = unsafe { reference(file, "file") }?;
        Ok(number_of(file.0.header().numbering))
    })
}

/// Who is to move; `TBI_SIDE_UNKNOWN` if that is not recorded or `file` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_file_side(file: *const tbi_file) -> tbi_side {
    guard_value(TBI_SIDE_UNKNOWN, || {
        // SAFETY: the caller's promise.
        let file = unsafe { reference(file, "file") }?;
        Ok(match file.0.header().side {
            Some(Color::White) => TBI_SIDE_WHITE,
            Some(Color::Black) => TBI_SIDE_BLACK,
            None => TBI_SIDE_UNKNOWN,
        })
    })
}

/// What the file claims of its indices; 0 if `file` is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_file_claims(file: *const tbi_file) -> tbi_claims {
    guard_value(0, || {
        // SAFETY: the caller's promise.
        let header = unsafe { reference(file, "file") }?.0.header();
        let claims = [
            (header.canonical, TBI_CLAIM_CANONICAL),
            (header.sorted, TBI_CLAIM_SORTED),
            (header.distinct, TBI_CLAIM_DISTINCT),
        ];
        let made = claims.into_iter().filter(|&(made, _)| made);
        Ok(made.map(|(_, claim)| claim).sum())
    })
}

/// Whether the indices are stored compressed, so that there are no words to point to; false if `file` is
/// NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_file_is_compact(file: *const tbi_file) -> bool {
    guard_value(false, || {
        // SAFETY: the caller's promise.
        Ok(unsafe { reference(file, "file") }?.0.header().compact)
    })
}

/// Makes the file's material.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_file_material(
    file: *const tbi_file,
    material: *mut *mut tbi_material,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            let file = reference(file, "file")?;
            give(material, "material", || {
                Ok(tbi_material(file.0.header().material))
            })
        }
    })
}

/// Reads every byte and checks every claim, with `threads` threads, 0 being one for each processor: all
/// checksums, every index in range, and sorted, distinct and canonical where the file says so.
///
/// `TBI_ERROR_FILE` if anything is wrong; the message says what and where.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_file_verify(file: *const tbi_file, threads: usize) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let file = unsafe { reference(file, "file") }?;
        super::main_thread::keep();
        file.0.verify(thread_count(threads)?, unwatched)?;
        Ok(())
    })
}

/// The most threads that a caller may ask for.
const MOST_THREADS: usize = 1024;

/// So many threads; 0 is one for each processor.
pub(crate) fn thread_count(threads: usize) -> Outcome<usize> {
    match threads {
        0 => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
        1..=MOST_THREADS => Ok(threads),
        _ => Err(Failure::argument(format!(
            "{threads} threads: expected at most {MOST_THREADS}"
        ))),
    }
}

unsafe fn words<W: CWord>(
    file: *const tbi_file,
    words: *mut *const W,
    count: *mut usize,
) -> Outcome {
    // SAFETY: the caller's promise.
    unsafe {
        write(words, "words", std::ptr::null())?;
        write(count, "count", 0)?;
        let indices = reference(file, "file")?.0.indices::<W>()?;
        write(words, "words", indices.as_ptr())?;
        write(count, "count", indices.len())
    }
}

/// Writes where all indices of the file lie, to be read only, and how many there are. They are there until
/// the file is closed.
///
/// `TBI_ERROR_WORD` if the file's words have 64 bits, `TBI_ERROR_UNSUITABLE` if it is compressed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_file_words_u32(
    file: *const tbi_file,
    words: *mut *const u32,
    count: *mut usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { self::words(file, words, count) })
}

/// As `tbi_file_words_u32`, for words of 64 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_file_words_u64(
    file: *const tbi_file,
    words: *mut *const u64,
    count: *mut usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { self::words(file, words, count) })
}

unsafe fn read<W: CWord>(file: *const tbi_file, first: u64, out: *mut W, count: usize) -> Outcome {
    // SAFETY: the caller's promise.
    let (file, mut out) = unsafe {
        let file = &reference(file, "file")?.0;
        (file, slice_mut(out, count, "out")?)
    };
    let header = file.header();
    let end = first.checked_add(count as u64);
    if end.is_none_or(|end| end > header.count) {
        return Err(Failure::argument(format!(
            "{count} indices from position {first}: the file has {}",
            header.count
        )));
    }
    let block_items = u64::from(header.block_items);
    let mut buffer = BlockBuffer::<W>::new();
    let mut position = first;
    while !out.is_empty() {
        let number = position / block_items;
        let block = file.read_checked_block(number, &mut buffer)?;
        let block = &block[(position - number * block_items) as usize..];
        let (some, rest) = out.split_at_mut(block.len().min(out.len()));
        some.copy_from_slice(&block[..some.len()]);
        position += some.len() as u64;
        out = rest;
    }
    Ok(())
}

/// Copies `count` indices from position `first` on, of plain and compressed files alike; the checksums of
/// what is read are checked.
///
/// `TBI_ERROR_ARGUMENT` if there are not so many, `TBI_ERROR_WORD` if the file's words have 64 bits,
/// `TBI_ERROR_FILE` if it is damaged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_file_read_u32(
    file: *const tbi_file,
    first: u64,
    out: *mut u32,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { read(file, first, out, count) })
}

/// As `tbi_file_read_u32`, for words of 64 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_file_read_u64(
    file: *const tbi_file,
    first: u64,
    out: *mut u64,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { read(file, first, out, count) })
}

/// Writes whether the file holds an index.
///
/// `TBI_ERROR_UNSUITABLE` if it does not say that it is sorted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_file_contains(
    file: *const tbi_file,
    index: u64,
    contains: *mut bool,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            let found = reference(file, "file")?.0.contains(index)?;
            write(contains, "contains", found)
        }
    })
}

/// Writes how many indices of the file are smaller than this one: its position, if the file holds it and
/// is distinct.
///
/// `TBI_ERROR_UNSUITABLE` if it does not say that it is sorted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_file_rank(
    file: *const tbi_file,
    index: u64,
    rank: *mut u64,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            let smaller = reference(file, "file")?.0.rank(index)?;
            write(rank, "rank", smaller)
        }
    })
}
