//! The loops that rank and unrank whole slices.
//!
//! [`Orbit`] has kernels like every other map on indices. [`Compact`] has formulas for a block of indices where pieces do
//! not share squares, and takes indices one by one elsewhere. The formulas of [`Triangle`] and [`Kings`] have no branches
//! and no loops over the pieces. So only the loop over a slice has to be written: compiled with a backend's instructions,
//! it becomes vector code, table look-ups included.

use super::backend::Backend;
use super::packing::Packs;
use super::run::{self, Map};
use super::slices::over_slices;
use crate::board::Group;
use crate::dispatch;
use crate::index::{BLOCK, BlockRow, Compact, Kings, Numbering, Orbit, Triangle, Word};

/// Expands to code for the backend's instructions that writes a function of every block of one slice to another.
macro_rules! mapped {
    ($backend:expr, $from:expr, $to:expr, $block:ident => $function:expr) => {
        dispatch!(@token $backend, isa => {
            let past_caches = $backend.exceeds_caches($to);
            over_slices(isa, BLOCK, Some($from), $to, past_caches, &|mut words| {
                isa.vectorize(
                    #[inline(always)]
                    || {
                        while let Some(mut words) = words.take(BLOCK) {
                            // The words go through a local block, to which nothing else can point. Only then does the
                            // compiler know that the writes do not change a table that it reads.
                            let mut block = BlockRow::all(W::ZERO);
                            block.copy_from_slice(words.from());
                            let $block = &mut block;
                            $function;
                            words.to().copy_from_slice(&*block);
                        }
                    },
                );
            });
        })
    };
}

/// Replaces each word of a block by a function of it.
#[inline(always)]
fn each<W: Word>(block: &mut BlockRow<W>, function: impl Fn(W) -> W) {
    for word in block {
        *word = function(*word);
    }
}

/// A scheme that ranks and unranks indices of its own numbering.
#[derive(Clone, Copy, Debug)]
pub enum DenseScheme<'a, W> {
    /// [`Orbit`], of alternate indices.
    Orbit(&'a Orbit<W>),
    /// [`Triangle`], of natural ones.
    Triangle(&'a Triangle<W>),
    /// [`Kings`], of natural ones.
    Kings(&'a Kings<W>),
    /// [`Compact`], of natural ones.
    Compact(&'a Compact<W>),
}

impl<W> DenseScheme<'_, W> {
    /// The numbering of the squares in which the scheme computes.
    pub(super) const fn numbering(&self) -> Numbering {
        match self {
            DenseScheme::Orbit(_) => Numbering::Alternate,
            DenseScheme::Triangle(_) | DenseScheme::Kings(_) | DenseScheme::Compact(_) => {
                Numbering::Natural
            }
        }
    }
}

/// Writes the slot of every index.
pub(super) fn rank<W: Packs>(
    backend: Backend,
    scheme: DenseScheme<'_, W>,
    indices: &[W],
    slots: &mut [W],
) {
    match scheme {
        DenseScheme::Orbit(orbit) => rank_orbit(backend, orbit, indices, slots),
        DenseScheme::Triangle(triangle) => {
            mapped!(backend, indices, slots, block => each(block, |index| triangle.rank_or_no_slot(index)));
        }
        DenseScheme::Kings(kings) => {
            mapped!(backend, indices, slots, block => each(block, |index| kings.rank_or_no_slot(index)));
        }
        DenseScheme::Compact(compact) if compact.ranks_blocks() => {
            mapped!(backend, indices, slots, block => compact.rank_block(block));
        }
        DenseScheme::Compact(compact) => {
            for (&index, slot) in indices.iter().zip(slots) {
                *slot = compact.rank_natural(index).unwrap_or(W::NO_SLOT);
            }
        }
    }
}

/// Writes the index of every slot. All slots must be below the size.
pub(super) fn unrank<W: Packs>(
    backend: Backend,
    scheme: DenseScheme<'_, W>,
    slots: &[W],
    indices: &mut [W],
) {
    match scheme {
        DenseScheme::Orbit(orbit) => unrank_orbit(backend, orbit, slots, indices),
        DenseScheme::Triangle(triangle) => {
            mapped!(backend, slots, indices, block => each(block, |slot| triangle.unrank_valid(slot)));
        }
        DenseScheme::Kings(kings) => {
            mapped!(backend, slots, indices, block => each(block, |slot| kings.unrank_valid(slot)));
        }
        DenseScheme::Compact(compact) if compact.unranks_blocks() => {
            mapped!(backend, slots, indices, block => compact.unrank_block(block));
        }
        DenseScheme::Compact(compact) => {
            for (&slot, index) in slots.iter().zip(indices) {
                *index = compact.unrank_natural(slot);
            }
        }
    }
}

fn rank_orbit<W: Packs>(backend: Backend, orbit: &Orbit<W>, indices: &[W], slots: &mut [W]) {
    match orbit.group {
        Group::D4 => {
            let layout = orbit.own_layout();
            run::map(backend, &Map::RankOrbit(&layout), Some(indices), slots);
        }
        Group::FileMirror => {
            mapped!(backend, indices, slots, block => each(block, |index| orbit.rank_file_mirror(index)));
        }
        Group::Trivial => slots.copy_from_slice(indices),
    }
}

fn unrank_orbit<W: Packs>(backend: Backend, orbit: &Orbit<W>, slots: &[W], indices: &mut [W]) {
    match orbit.group {
        Group::D4 => {
            let layout = orbit.own_layout();
            run::map(backend, &Map::UnrankOrbit(&layout), Some(slots), indices);
        }
        Group::FileMirror => {
            mapped!(backend, slots, indices, block => each(block, |slot| orbit.unrank_file_mirror(slot)));
        }
        Group::Trivial => indices.copy_from_slice(slots),
    }
}
