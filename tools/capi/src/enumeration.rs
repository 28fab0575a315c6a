//! All positions of a material, in ascending order.

use std::ffi::{c_char, c_void};
use std::sync::{Mutex, PoisonError};

use tbindex::batch::BatchWord;
use tbindex::store::{Contents, enumerate_into};
use tbindex::{Color, Enumeration, Stage};

use super::file::{tbi_side, thread_count};
use super::layout::{numbering, tbi_numbering};
use super::material::tbi_material;
use super::memory::{
    Range, apart, copy_out, give, path, reference, slice_mut, take_back, write, write_if_asked,
};
use super::reduction::{tbi_progress, tell};
use super::status::{Failure, Outcome, guard, guard_value, tbi_status};
use super::words::{ByWord, CWord, Kind, too_many_pieces};
use super::writer::{AnyWriter, side, tbi_write_flags};

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

/// All positions of a material, in ascending order of their indices, up to a stage.
///
/// They come in chunks, which are independent of each other: many threads may ask for some.
#[derive(Debug)]
pub struct tbi_enumeration {
    material: tbindex::Material,
    side: Option<Color>,
    canonical_only: bool,
    by_word: ByWord<Enumerations>,
    /// The memory of chunks, kept from one call to the next.
    narrow: Pool<u32>,
    wide: Pool<u64>,
}

#[derive(Debug)]
struct Enumerations;

impl Kind for Enumerations {
    type Of<W: BatchWord> = Enumeration<W>;
}

/// Buffers that no thread uses at the moment.
type Pool<W> = Mutex<Vec<Vec<W>>>;

/// A word with its pool in an enumeration.
trait PooledWord: CWord {
    fn pool(enumeration: &tbi_enumeration) -> &Pool<Self>;
}

impl PooledWord for u32 {
    fn pool(enumeration: &tbi_enumeration) -> &Pool<u32> {
        &enumeration.narrow
    }
}

impl PooledWord for u64 {
    fn pool(enumeration: &tbi_enumeration) -> &Pool<u64> {
        &enumeration.wide
    }
}

/// The stage of a number.
fn stage_of(number: tbi_stage) -> Outcome<Stage> {
    let stage = usize::try_from(number).ok();
    let stage = stage.and_then(|number| Stage::ALL.get(number));
    stage.copied().ok_or_else(|| {
        Failure::argument(format!("stage {number}: expected one of the TBI_STAGE_…"))
    })
}

/// Makes the enumeration of a material's positions: every index, like pieces told apart, or with
/// `canonical_only` the canonical ones. `side` is to move; it may be `TBI_SIDE_UNKNOWN` except for
/// `TBI_STAGE_LEGAL`.
///
/// `TBI_ERROR_WORD` if the material has more than 10 pieces.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_enumeration_new(
    material: *const tbi_material,
    numbering: tbi_numbering,
    stage: tbi_stage,
    side: tbi_side,
    canonical_only: bool,
    enumeration: *mut *mut tbi_enumeration,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        unsafe {
            give(enumeration, "enumeration", || {
                let material = reference(material, "material")?.0;
                let numbering = self::numbering(numbering)?;
                let (stage, side) = (stage_of(stage)?, self::side(side)?);
                if stage == Stage::Legal && side.is_none() {
                    return Err(Failure::argument(
                        "no side to move: expected one for TBI_STAGE_LEGAL",
                    ));
                }
                let to_move = side.unwrap_or(Color::White);
                let narrow = Enumeration::<u32>::try_new(material, numbering).ok();
                let wide = Enumeration::<u64>::try_new(material, numbering)?.stage(stage, to_move);
                let narrow = narrow.map(|all| all.stage(stage, to_move));
                Ok(tbi_enumeration {
                    material,
                    side,
                    canonical_only,
                    by_word: match canonical_only {
                        true => ByWord {
                            narrow: narrow.map(Enumeration::canonical_only),
                            wide: wide.canonical_only(),
                        },
                        false => ByWord { narrow, wide },
                    },
                    narrow: Pool::default(),
                    wide: Pool::default(),
                })
            })
        }
    })
}

/// Frees an enumeration; NULL is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_enumeration_free(enumeration: *mut tbi_enumeration) {
    guard_value((), || {
        // SAFETY: the caller's promise.
        unsafe { take_back(enumeration, "enumeration") }
    });
}

/// How many chunks there are; 0 if `enumeration` is NULL. A chunk has the indices that agree in all but
/// their lowest 21 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_enumeration_chunk_count(enumeration: *const tbi_enumeration) -> u64 {
    guard_value(0, || {
        // SAFETY: the caller's promise.
        let all = unsafe { reference(enumeration, "enumeration") }?;
        Ok(all.by_word.wide.chunk_count())
    })
}

unsafe fn chunk<W: PooledWord>(
    enumeration: *const tbi_enumeration,
    chunk: u64,
    out: *mut W,
    capacity: usize,
    count: *mut usize,
    stage_counts: *mut u64,
) -> Outcome {
    // SAFETY: the caller's promise.
    let handle = unsafe {
        write(count, "count", 0)?;
        reference(enumeration, "enumeration")?
    };
    let counters = if stage_counts.is_null() { 0 } else { 4 };
    apart(&[
        Range::new(out, capacity, "out"),
        Range::new(count, 1, "count"),
        Range::new(stage_counts, counters, "stage_counts"),
    ])?;
    let all = W::of(&handle.by_word);
    let all = all.ok_or_else(|| too_many_pieces(handle.material.piece_count()))?;
    if chunk >= all.chunk_count() {
        return Err(Failure::argument(format!(
            "chunk {chunk}: expected one below {}",
            all.chunk_count()
        )));
    }
    let pool = || {
        W::pool(handle)
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    };
    let mut made = pool().pop().unwrap_or_default();
    made.clear();
    let counts = all.chunk(chunk, &mut made);
    // SAFETY: the caller's promise.
    let copied = unsafe { copy_out(&made, out, capacity, count, "indices") };
    pool().push(made);
    copied?;
    if !stage_counts.is_null() {
        // SAFETY: the caller's promise.
        let places = unsafe { slice_mut(stage_counts, Stage::ALL.len(), "stage_counts") }?;
        for (place, stage) in places.iter_mut().zip(Stage::ALL) {
            *place = counts.get(stage) as u64;
        }
    }
    Ok(())
}

/// Writes the indices of a chunk, in ascending order, and how many these are to `count`. `out` has room
/// for `capacity`; `TBI_CHUNK_SIZE` is always enough. Unless `stage_counts` is NULL, its four
/// elements get the numbers of positions that each stage leaves of this chunk, 0 beyond the stage asked for.
///
/// `TBI_ERROR_ARGUMENT` if there is no such chunk; `TBI_ERROR_BUFFER` if there is too little room: then
/// `count` says how much it takes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_enumeration_chunk_u32(
    enumeration: *const tbi_enumeration,
    chunk: u64,
    out: *mut u32,
    capacity: usize,
    count: *mut usize,
    stage_counts: *mut u64,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { self::chunk(enumeration, chunk, out, capacity, count, stage_counts) })
}

/// As `tbi_enumeration_chunk_u32`, for words of 64 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_enumeration_chunk_u64(
    enumeration: *const tbi_enumeration,
    chunk: u64,
    out: *mut u64,
    capacity: usize,
    count: *mut usize,
    stage_counts: *mut u64,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { self::chunk(enumeration, chunk, out, capacity, count, stage_counts) })
}

/// Writes a file of all positions, sorted and distinct, and reduced if the enumeration is of canonical
/// ones only, with `threads` threads, 0 being one for each processor. The file `out` is written as `flags`
/// say; it appears under its name when it is complete.
///
/// `progress`, which is told how many chunks were enumerated, and `written`, which gets the number of
/// indices, may be NULL.
///
/// `TBI_ERROR_EXISTS`, `TBI_ERROR_IO`, `TBI_ERROR_SPACE`, `TBI_ERROR_CANCELLED`.
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
    guard(|| {
        let threads = thread_count(threads)?;
        // SAFETY: the caller's promise.
        let (handle, out) = unsafe {
            let handle = reference(enumeration, "enumeration")?;
            (handle, path(out, "out")?)
        };
        let all = &handle.by_word;
        let numbering = all.wide.equivalence().layout().numbering();
        let contents = Contents {
            canonical: handle.canonical_only,
            sorted: true,
            distinct: true,
            ..Contents::new(handle.material, numbering).with_side(handle.side)
        };
        // SAFETY: the caller's promise.
        let watch = |at| unsafe { tell(progress, context, at) };
        let (header, _) = match AnyWriter::create(out, contents, flags)? {
            AnyWriter::Narrow(writer) => {
                let all = all.narrow.as_ref();
                let all = all.ok_or_else(|| too_many_pieces(handle.material.piece_count()))?;
                enumerate_into(all, writer, threads, watch)?
            }
            AnyWriter::Wide(writer) => enumerate_into(&all.wide, writer, threads, watch)?,
        };
        // SAFETY: the caller's promise.
        unsafe { write_if_asked(written, "written", header.count) }
    })
}
