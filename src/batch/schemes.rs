//! The loops that rank and unrank whole slices.
//!
//! [`Orbit`] has kernels like every other map on indices. [`Compact`] has vector code where pieces don't share squares,
//! and takes indices one by one elsewhere. The formulas of [`Triangle`] and [`Kings`] have
//! no branches and no loops over the pieces. So only the loop over a slice has to be written: compiled with
//! a backend's instructions, it becomes vector code, table look-ups included. [`Compact`] has formulas for
//! a block of indices.

use super::backend::Backend;
use super::run::{self, Map, Packs};
use crate::board::Group;
use crate::dispatch;
use crate::index::{BLOCK, Compact, Dense, Kings, Numbering, Orbit, Triangle, Word};

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

/// A scheme that ranks and unranks indices of its own numbering.
#[derive(Clone, Copy, Debug)]
pub enum Scheme<'a, W> {
    /// [`Orbit`], of alternate indices.
    Orbit(&'a Orbit<W>),
    /// [`Triangle`], of natural ones.
    Triangle(&'a Triangle<W>),
    /// [`Kings`], of natural ones.
    Kings(&'a Kings<W>),
    /// [`Compact`], of natural ones.
    Compact(&'a Compact<W>),
}

impl<W> Scheme<'_, W> {
    /// The numbering of the squares in which the scheme computes.
    pub(super) const fn numbering(&self) -> Numbering {
        match self {
            Scheme::Orbit(_) => Numbering::Alternate,
            Scheme::Triangle(_) | Scheme::Kings(_) | Scheme::Compact(_) => Numbering::Natural,
        }
    }
}

/// Writes the slot of every index.
pub(super) fn rank<W: Packs>(
    backend: Backend,
    scheme: Scheme<'_, W>,
    indices: &[W],
    slots: &mut [W],
) {
    match scheme {
        Scheme::Orbit(orbit) => rank_orbit(backend, orbit, indices, slots),
        Scheme::Triangle(triangle) => {
            mapped!(backend, map, indices, slots, index => triangle.rank_or_no_slot(index));
        }
        Scheme::Kings(kings) => {
            mapped!(backend, map, indices, slots, index => kings.rank_or_no_slot(index));
        }
        Scheme::Compact(compact) if compact.ranks_blocks() => {
            mapped!(backend, map_blocks, indices, slots, block => compact.rank_block(block));
        }
        Scheme::Compact(compact) => {
            mapped!(backend, map, indices, slots, index => {
                compact.rank_natural(index).unwrap_or(W::NO_SLOT)
            });
        }
    }
}

/// Writes the index of every slot. All slots must be below the size.
pub(super) fn unrank<W: Packs>(
    backend: Backend,
    scheme: Scheme<'_, W>,
    slots: &[W],
    indices: &mut [W],
) {
    match scheme {
        Scheme::Orbit(orbit) => unrank_orbit(backend, orbit, slots, indices),
        Scheme::Triangle(triangle) => {
            mapped!(backend, map, slots, indices, slot => triangle.unrank_valid(slot));
        }
        Scheme::Kings(kings) => {
            mapped!(backend, map, slots, indices, slot => kings.unrank_valid(slot));
        }
        Scheme::Compact(compact) if compact.unranks_blocks() => {
            mapped!(backend, map_blocks, slots, indices, block => compact.unrank_block(block));
        }
        Scheme::Compact(compact) => {
            mapped!(backend, map, slots, indices, slot => compact.unrank_natural(slot));
        }
    }
}

fn rank_orbit<W: Packs>(backend: Backend, orbit: &Orbit<W>, indices: &[W], slots: &mut [W]) {
    match orbit.group() {
        Group::D4 => {
            let layout = orbit.own_layout();
            run::map(backend, &Map::RankOrbit(&layout), Some(indices), slots);
        }
        Group::FileMirror => {
            mapped!(backend, map, indices, slots, index => orbit.rank_file_mirror(index));
        }
        Group::Trivial => slots.copy_from_slice(indices),
    }
}

fn unrank_orbit<W: Packs>(backend: Backend, orbit: &Orbit<W>, slots: &[W], indices: &mut [W]) {
    match orbit.group() {
        Group::D4 => {
            let layout = orbit.own_layout();
            run::map(backend, &Map::UnrankOrbit(&layout), Some(slots), indices);
        }
        Group::FileMirror => {
            mapped!(backend, map, slots, indices, slot => orbit.unrank_file_mirror(slot));
        }
        Group::Trivial => indices.copy_from_slice(slots),
    }
}
