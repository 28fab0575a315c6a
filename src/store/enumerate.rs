//! All placements of a material, made by several threads.

use super::StoredWord;
use super::error::StoreError;
use super::ordered_jobs::run_in_order;
use super::watch::{Phase, Take, Watch};
use crate::index::{Enumeration, StageCounts, Word};

/// Makes all placements of an enumeration, hands their indices to `take` in ascending slices, and
/// returns how many placements each stage leaves.
///
/// Each thread works on up to two chunks of at most 2²¹ indices at a time. `watch` is told of [`Phase::Enumerating`]; see
/// [the module](super#long-operations).
///
/// ```
/// # use tbindex::store::{enumerate, unwatched};
/// # use tbindex::{Color, Enumeration, Numbering, Stage};
/// let all = Enumeration::<u32>::try_new("KRvK".parse()?, Numbering::Natural)?;
/// let all = all.stage(Stage::Legal, Color::White).canonical_only();
/// let mut last = None;
/// let counts = enumerate(&all, &mut |some| Ok(last = some.last().copied()), 2, &mut unwatched)?;
/// assert_eq!((counts[Stage::KingsApart], counts[Stage::Legal]), (28_056, 21_959));
/// assert_eq!(last, Some(0o376_376));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The errors of `take` and `watch`.
///
/// # Panics
/// If one of its threads panicked.
pub fn enumerate<W: StoredWord>(
    enumeration: &Enumeration<W>,
    take: &mut Take<'_, W>,
    threads: usize,
    watch: &mut Watch<'_>,
) -> Result<StageCounts, StoreError> {
    W::enumerate(enumeration, take, threads, watch)
}

pub(super) fn enumerate_words<W: Word>(
    enumeration: &Enumeration<W>,
    take: &mut Take<'_, W>,
    threads: usize,
    watch: &mut Watch<'_>,
) -> Result<StageCounts, StoreError> {
    let mut counts = StageCounts::default();
    let chunks = enumeration.chunk_count();
    run_in_order(
        threads,
        chunks,
        || (),
        |(), chunk, (indices, counted): &mut (Vec<W>, StageCounts)| {
            indices.clear();
            *counted = enumeration.chunk(chunk, indices);
            Ok(())
        },
        |_, (indices, counted)| {
            counts += *counted;
            match indices.is_empty() {
                true => Ok(()),
                false => take(indices),
            }
        },
        |done| watch(Phase::Enumerating.progress(done, Some(chunks))),
    )?;
    Ok(counts)
}
