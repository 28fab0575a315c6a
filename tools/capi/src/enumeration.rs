//! All positions of a material, in ascending order.

use std::ffi::{c_char, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tbindex::store::{Contents, IndexWriter, StoredWord, Watch, enumerate};
use tbindex::{Color, Enumeration, Material, Numbering, Stage};

use super::file::{tbi_side, thread_count};
use super::layout::{numbering, tbi_numbering};
use super::material::material;
use super::memory::{
    Range, apart, copy_out, give, path, reference, slice_mut, take_back, write, write_if_asked,
};
use super::reduction::{tbi_progress, tell};
use super::status::{Failure, Outcome, guard, guard_value, tbi_status};
use super::words::{ByWord, with_word};
use super::writer::{AnyWriter, side, target, tbi_write_flags};

/// How strict an enumeration is: one of the `TBI_STAGE_...`. Each includes the ones before.
pub type tbi_stage = u32;

/// Pieces stand on any squares, which they may share; pawns stand on ranks 2 to 7.
pub const TBI_STAGE_ALL: tbi_stage = 0;
/// No two pieces share a square.
pub const TBI_STAGE_DISTINCT: tbi_stage = 1;
/// Moreover, the kings are not on neighbouring squares.
pub const TBI_STAGE_KINGS_APART: tbi_stage = 2;
/// Moreover, the side that is not to move is not in check.
pub const TBI_STAGE_LEGAL: tbi_stage = 3;

/// The most indices that a chunk of an enumeration can have: 2^21.
pub const TBI_CHUNK_SIZE: usize = 2_097_152;

/// All positions of a material up to a stage, in ascending order of their indices. They come in chunks, which
/// several threads may ask for.
#[derive(Debug)]
pub struct tbi_enumeration {
    material: Material,
    numbering: Numbering,
    side: Option<Color>,
    canonical_only: bool,
    by_word: ByWord<Chunks<u32>, Chunks<u64>>,
}

/// An enumeration for a word, and the memory of chunks, kept from one call to the next.
#[derive(Debug)]
struct Chunks<W: StoredWord> {
    all: Enumeration<W>,
    /// Buffers that no thread uses at the moment.
    pool: Mutex<Vec<Vec<W>>>,
}

impl<W: StoredWord> Chunks<W> {
    fn new(
        (material, numbering): (Material, Numbering),
        (stage, side): (Stage, Color),
        canonical_only: bool,
    ) -> Outcome<Chunks<W>> {
        let all = Enumeration::try_new(material, numbering)?.stage(stage, side);
        Ok(Chunks {
            all: match canonical_only {
                true => all.canonical_only(),
                false => all,
            },
            pool: Mutex::default(),
        })
    }

    fn pool(&self) -> MutexGuard<'_, Vec<Vec<W>>> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes the enumeration of a material's positions: every index, like pieces told apart, or with
/// `canonical_only` the canonical ones. `side` is to move; it may be `TBI_SIDE_UNKNOWN` except for
/// `TBI_STAGE_LEGAL`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_enumeration_new(
    material: *const c_char,
    numbering: tbi_numbering,
    stage: tbi_stage,
    side: tbi_side,
    canonical_only: bool,
    enumeration: *mut *mut tbi_enumeration,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        give(enumeration, "enumeration", || {
            let material = self::material(material)?;
            let numbering = self::numbering(numbering)?;
            let side = self::side(side)?;
            let stage = Failure::chosen("stage", stage, Stage::ALL, "TBI_STAGE_…")?;
            if stage == Stage::Legal && side.is_none() {
                return Err(Failure::argument(
                    "no side to move: expected one for TBI_STAGE_LEGAL",
                ));
            }
            let of = (material, numbering);
            let to_move = (stage, side.unwrap_or(Color::White));
            Ok(tbi_enumeration {
                material,
                numbering,
                side,
                canonical_only,
                by_word: ByWord {
                    narrow: Chunks::new(of, to_move, canonical_only).ok(),
                    wide: Chunks::new(of, to_move, canonical_only)?,
                },
            })
        })
    })
}

/// Frees an enumeration; NULL is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_enumeration_free(enumeration: *mut tbi_enumeration) {
    // SAFETY: the caller's promise.
    guard_value((), || unsafe { take_back(enumeration, "enumeration") });
}

/// How many chunks there are; 0 if `enumeration` is NULL. A chunk has the indices that agree in all but
/// their lowest 21 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_enumeration_chunk_count(enumeration: *const tbi_enumeration) -> u64 {
    // SAFETY: the caller's promise.
    guard_value(0, || unsafe {
        let handle = reference(enumeration, "enumeration")?;
        Ok(handle.by_word.wide.all.chunk_count())
    })
}

/// Lists the indices of a chunk, in ascending order, at most `TBI_CHUNK_SIZE`. Unless `stage_counts` is NULL,
/// its four elements get the numbers of positions that each stage leaves of this chunk, 0 beyond the stage asked
/// for. `TBI_ERROR_ARGUMENT` if `chunk` is not below the number of chunks.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_enumeration_chunk(
    enumeration: *const tbi_enumeration,
    chunk: u64,
    out: *mut c_void,
    word_bytes: usize,
    capacity: usize,
    count: *mut usize,
    stage_counts: *mut u64,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        write(count, "count", 0)?;
        let handle = reference(enumeration, "enumeration")?;
        let counters = if stage_counts.is_null() { 0 } else { 4 };
        let (room, count_at, counters_at) = (
            Range::new(out.cast::<u8>(), capacity.saturating_mul(word_bytes), "out"),
            Range::new(count, 1, "count"),
            Range::new(stage_counts, counters, "stage_counts"),
        );
        apart(&[room, count_at, counters_at])?;
        with_word!(word_bytes, chunks in handle.by_word => {
            let chunk_count = chunks.all.chunk_count();
            if chunk >= chunk_count {
                let message = format!("chunk {chunk}: expected one below {chunk_count}");
                return Err(Failure::argument(message));
            }
            let mut made = chunks.pool().pop().unwrap_or_default();
            made.clear();
            let counts = chunks.all.chunk(chunk, &mut made);
            let copied = copy_out(&made, out.cast(), capacity, count, "indices");
            chunks.pool().push(made);
            copied?;
            let places = slice_mut(stage_counts, counters, "stage_counts")?;
            for (place, stage) in places.iter_mut().zip(Stage::ALL) {
                *place = counts[stage] as u64;
            }
            Ok(())
        })
    })
}

/// Writes a file of all positions, sorted and distinct, and reduced if the enumeration is of canonical ones
/// only; and its number of indices to `written`. `progress` is told how many chunks were enumerated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_enumeration_write(
    enumeration: *const tbi_enumeration,
    out: *const c_char,
    flags: tbi_write_flags,
    threads: usize,
    progress: tbi_progress,
    context: *mut c_void,
    written: *mut u64,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let threads = thread_count(threads)?;
        let handle = reference(enumeration, "enumeration")?;
        let out = path(out, "out")?;
        let all = &handle.by_word;
        let contents = Contents {
            canonical: handle.canonical_only,
            sorted: true,
            distinct: true,
            ..Contents::new(handle.material, handle.numbering).with_side(handle.side)
        };
        let mut watch = |at| tell(progress, context, at);
        let count = match AnyWriter::create(&target(out, flags)?, contents)? {
            AnyWriter::Narrow(writer) => {
                write_all(&all.narrow()?.all, writer, threads, &mut watch)?
            }
            AnyWriter::Wide(writer) => write_all(&all.wide.all, writer, threads, &mut watch)?,
        };
        write_if_asked(written, "written", count)
    })
}

/// Writes all indices into a file, and returns how many these are.
fn write_all<W: StoredWord>(
    all: &Enumeration<W>,
    mut writer: IndexWriter<W>,
    threads: usize,
    watch: &mut Watch<'_>,
) -> Outcome<u64> {
    enumerate(all, &mut |indices| writer.write(indices), threads, watch)?;
    Ok(writer.finish()?.count)
}
