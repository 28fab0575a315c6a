//! The loops behind the dense numbers of whole slices.
//!
//! [`Orbit`] has kernels like every other map on indices. The formulas of [`Triangle`] and [`Kings`] have
//! no branches and no loops over the pieces. So only the loop over a slice has to be written: compiled with
//! a backend's instructions, it becomes vector code, table look-ups included. [`Compact`] has formulas for
//! a block of indices.

use super::backend::Backend;
use super::choose::{Into, with_orbit_rank, with_orbit_unrank};
use super::mapping::Fits;
use crate::board::Group;
use crate::dispatch;
use crate::index::{BLOCK, Compact, Dense, Kings, Orbit, Triangle, Word};

/// Writes a function of every word of one slice to another of the same length.
#[inline(always)]
fn map<W: Word>(from: &[W], to: &mut [W], function: impl Fn(W) -> W) {
    // The words go through a local block, to which nothing else can point. Only then does the compiler know
    // that the writes do not change a table that it reads.
    let mut sources = from.chunks_exact(BLOCK);
    let mut targets = to.chunks_exact_mut(BLOCK);
    for (source, target) in (&mut sources).zip(&mut targets) {
        let mut block = [W::ZERO; BLOCK];
        block.copy_from_slice(source);
        for word in &mut block {
            *word = function(*word);
        }
        target.copy_from_slice(&block);
    }
    let rest = sources.remainder().iter().zip(targets.into_remainder());
    for (&from, to) in rest {
        *to = function(from);
    }
}

/// Writes the image of one slice under a function of blocks to another of the same length. The last block
/// is filled up with zeros.
#[inline(always)]
fn map_blocks<W: Word>(from: &[W], to: &mut [W], function: impl Fn(&mut [W; BLOCK])) {
    for (from, to) in from.chunks(BLOCK).zip(to.chunks_mut(BLOCK)) {
        let mut block = [W::ZERO; BLOCK];
        block[..from.len()].copy_from_slice(from);
        function(&mut block);
        to.copy_from_slice(&block[..from.len()]);
    }
}

/// Expands to code for the backend's instructions that writes a function of every word or block of one
/// slice to another. The function is inlined wherever it is called.
macro_rules! mapped {
    ($backend:expr, $map:ident, $from:expr, $to:expr, $word:ident => $value:expr) => {
        dispatch!($backend, _ => $map(
            $from,
            $to,
            #[inline(always)]
            |$word| $value,
        ))
    };
}

/// Returns the bits that are set in any of the words.
pub(super) fn any_bits<W: Word>(backend: Backend, words: &[W]) -> W {
    #[inline(always)]
    fn all<W: Word>(words: &[W]) -> W {
        words.iter().fold(W::ZERO, |bits, &word| bits | word)
    }
    dispatch!(backend, _ => all(words))
}

/// Returns whether all words are below an end.
pub(super) fn all_below<W: Word>(backend: Backend, words: &[W], end: W) -> bool {
    #[inline(always)]
    fn greatest<W: Word>(words: &[W]) -> W {
        words
            .iter()
            .fold(W::ZERO, |most, &x| if x > most { x } else { most })
    }
    words.is_empty() || dispatch!(backend, _ => greatest(words)) < end
}

pub(super) fn orbit_rank<W: Fits>(
    backend: Backend,
    orbit: &Orbit<W>,
    indices: &[W],
    slots: &mut [W],
) {
    match orbit.group() {
        Group::D4 => with_orbit_rank(&orbit.own_layout(), Into::new(backend, indices, slots)),
        Group::FileMirror => {
            mapped!(backend, map, indices, slots, index => orbit.rank_file_mirror(index));
        }
        Group::Trivial => slots.copy_from_slice(indices),
    }
}

/// Writes the index of every slot. All slots must be below the size, here and in the functions below.
pub(super) fn orbit_unrank<W: Fits>(
    backend: Backend,
    orbit: &Orbit<W>,
    slots: &[W],
    indices: &mut [W],
) {
    match orbit.group() {
        Group::D4 => with_orbit_unrank(&orbit.own_layout(), Into::new(backend, slots, indices)),
        Group::FileMirror => {
            mapped!(backend, map, slots, indices, slot => orbit.unrank_file_mirror(slot));
        }
        Group::Trivial => indices.copy_from_slice(slots),
    }
}

pub(super) fn triangle_rank<W: Word>(
    backend: Backend,
    triangle: &Triangle<W>,
    indices: &[W],
    slots: &mut [W],
) {
    mapped!(backend, map, indices, slots, index => triangle.rank_any(index));
}

pub(super) fn triangle_unrank<W: Word>(
    backend: Backend,
    triangle: &Triangle<W>,
    slots: &[W],
    indices: &mut [W],
) {
    mapped!(backend, map, slots, indices, slot => triangle.unrank_valid(slot));
}

pub(super) fn kings_rank<W: Word>(
    backend: Backend,
    kings: &Kings<W>,
    indices: &[W],
    slots: &mut [W],
) {
    mapped!(backend, map, indices, slots, index => kings.rank_or_no_slot(index));
}

pub(super) fn kings_unrank<W: Word>(
    backend: Backend,
    kings: &Kings<W>,
    slots: &[W],
    indices: &mut [W],
) {
    mapped!(backend, map, slots, indices, slot => kings.unrank_valid(slot));
}

/// Writes the slot of every index, by vector code if no squares are shared.
pub(super) fn compact_rank<W: Word>(
    backend: Backend,
    compact: &Compact<W>,
    indices: &[W],
    slots: &mut [W],
) {
    if compact.ranks_blocks() {
        mapped!(backend, map_blocks, indices, slots, block => compact.rank_block(block));
    } else {
        mapped!(backend, map, indices, slots, index => {
            compact.rank_natural(index).unwrap_or(W::NO_SLOT)
        });
    }
}

/// Writes the index of every slot, by vector code if no squares are shared.
pub(super) fn compact_unrank<W: Word>(
    backend: Backend,
    compact: &Compact<W>,
    slots: &[W],
    indices: &mut [W],
) {
    if compact.unranks_blocks() {
        mapped!(backend, map_blocks, slots, indices, block => compact.unrank_block(block));
    } else {
        mapped!(backend, map, slots, indices, slot => compact.unrank_natural(slot));
    }
}
