//! Dense numbers of whole slices.
//!
//! [`Orbit`] has kernels like every other map on indices. The formulas of [`Triangle`] and [`Kings`]
//! are written without branches and without loops over the pieces, so the loop over a slice is all
//! there is to write: compiled with a backend's instructions, it becomes vector code, table look-ups
//! included.

use super::backend::Backend;
use super::kernels::{with_orbit_rank, with_orbit_unrank};
use super::lanes::{Isa, Vectors, Work};
use super::operations::{Into, same_length};
use crate::board::Group;
use crate::index::{BLOCK, Compact, Dense, Kings, Orbit, Triangle};

/// A [`Dense`] scheme that ranks and unranks whole slices with SIMD: what the functions of
/// [`batch`](crate::batch) and the methods of [`Backend`] of the same names call.
///
/// ```
/// use tbindex::{Dense, Group, Orbit, batch};
/// let orbit = Orbit::<u32>::new(3, Group::D4);
/// let slots: Vec<u32> = (0..orbit.size()).collect();
/// let mut indices = vec![0; slots.len()];
/// batch::unrank_into(&orbit, &slots, &mut indices);
/// batch::rank_in_place(&orbit, &mut indices);
/// assert_eq!(indices, slots);
/// ```
pub trait DenseBatch<W: Vectors>: Dense<W> {
    /// What [`Backend::rank_into`] does. The slices have the same length.
    #[doc(hidden)]
    fn rank_with(&self, backend: Backend, indices: &[W], slots: &mut [W]);

    /// What [`Backend::unrank_into`] does. The slices have the same length, and all slots are below
    /// the size.
    #[doc(hidden)]
    fn unrank_with(&self, backend: Backend, slots: &[W], indices: &mut [W]);
}

/// # Dense numbers
///
/// Every method does to each index or slot of a slice what the method of [`Dense`] of the same name
/// does to one. Nothing is allocated.
impl Backend {
    /// Writes the slot of every index ([`Dense::rank`]); [`Word::NO_SLOT`](crate::Word::NO_SLOT)
    /// where there is none.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn rank_into<W: Vectors>(
        self,
        scheme: &(impl DenseBatch<W> + ?Sized),
        indices: &[W],
        slots: &mut [W],
    ) {
        same_length(indices.len(), slots.len());
        scheme.rank_with(self, indices, slots);
    }

    /// Replaces every index by its slot ([`Dense::rank`]);
    /// [`Word::NO_SLOT`](crate::Word::NO_SLOT) where there is none.
    pub fn rank_in_place<W: Vectors>(
        self,
        scheme: &(impl DenseBatch<W> + ?Sized),
        words: &mut [W],
    ) {
        by_blocks(words, |indices, slots| {
            scheme.rank_with(self, indices, slots);
        });
    }

    /// Writes the position of every slot ([`Dense::unrank`]).
    ///
    /// # Panics
    /// If the slices differ in length, or a slot is not below [`size`](Dense::size).
    pub fn unrank_into<W: Vectors>(
        self,
        scheme: &(impl DenseBatch<W> + ?Sized),
        slots: &[W],
        indices: &mut [W],
    ) {
        if let Err(error) = self.try_unrank_into(scheme, slots, indices) {
            panic!("{error}");
        }
    }

    /// Replaces every slot by its position ([`Dense::unrank`]).
    ///
    /// # Panics
    /// If a slot is not below [`size`](Dense::size).
    pub fn unrank_in_place<W: Vectors>(
        self,
        scheme: &(impl DenseBatch<W> + ?Sized),
        words: &mut [W],
    ) {
        if let Err(error) = self.try_unrank_in_place(scheme, words) {
            panic!("{error}");
        }
    }

    /// Writes the position of every slot ([`Dense::unrank`]), if they are all slots.
    ///
    /// # Errors
    /// If a number is not below [`size`](Dense::size): the error tells the first such, and nothing
    /// is written.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn try_unrank_into<W: Vectors>(
        self,
        scheme: &(impl DenseBatch<W> + ?Sized),
        slots: &[W],
        indices: &mut [W],
    ) -> Result<(), SlotOutOfRange> {
        same_length(slots.len(), indices.len());
        check_slots(self, slots, scheme.size())?;
        scheme.unrank_with(self, slots, indices);
        Ok(())
    }

    /// Replaces every slot by its position ([`Dense::unrank`]), if they are all slots.
    ///
    /// # Errors
    /// If a number is not below [`size`](Dense::size): the error tells the first such, and nothing
    /// is written.
    pub fn try_unrank_in_place<W: Vectors>(
        self,
        scheme: &(impl DenseBatch<W> + ?Sized),
        words: &mut [W],
    ) -> Result<(), SlotOutOfRange> {
        check_slots(self, words, scheme.size())?;
        by_blocks(words, |slots, indices| {
            scheme.unrank_with(self, slots, indices);
        });
        Ok(())
    }
}

/// A number that is no slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("slot {found} at position {position}: expected slots below {size}")]
pub struct SlotOutOfRange {
    /// The slot's place in the batch, from 0.
    pub position: usize,
    /// What was there in place of a slot.
    pub found: u64,
    /// How many slots the scheme has.
    pub size: u64,
}

/// Replaces words by what is made of them, through a copy that fits the nearest cache.
fn by_blocks<W: Vectors>(words: &mut [W], make: impl Fn(&[W], &mut [W])) {
    let mut copy = [W::ZERO; 1024];
    for block in words.chunks_mut(copy.len()) {
        let from = &mut copy[..block.len()];
        from.copy_from_slice(block);
        make(from, block);
    }
}

/// A function of one word, to be compiled with a backend's instructions.
trait Function<W> {
    fn of(&self, word: W) -> W;
}

/// Writes the function of every word of one slice to another of the same length.
struct Map<'a, W, F> {
    function: F,
    from: &'a [W],
    to: &'a mut [W],
}

impl<W: Vectors, F: Function<W>> Work for Map<'_, W, F> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, _: I) {
        // Through a block of its own, which nothing else can point to: only then does the compiler
        // know that what is written is not a table that is read.
        let mut sources = self.from.chunks_exact(BLOCK);
        let mut targets = self.to.chunks_exact_mut(BLOCK);
        for (source, target) in (&mut sources).zip(&mut targets) {
            let mut block = [W::ZERO; BLOCK];
            block.copy_from_slice(source);
            for word in &mut block {
                *word = self.function.of(*word);
            }
            target.copy_from_slice(&block);
        }
        let rest = sources.remainder().iter().zip(targets.into_remainder());
        for (&from, to) in rest {
            *to = self.function.of(from);
        }
    }
}

/// Whether all words are below an end.
struct AllBelow<'a, W> {
    words: &'a [W],
    end: W,
}

impl<W: Vectors> Work for AllBelow<'_, W> {
    type Output = bool;

    #[inline(always)]
    fn run<I: Isa>(self, _: I) -> bool {
        let most = self
            .words
            .iter()
            .fold(W::ZERO, |most, &x| if x > most { x } else { most });
        most < self.end
    }
}

#[track_caller]
fn map<W: Vectors>(backend: Backend, function: impl Function<W>, from: &[W], to: &mut [W]) {
    same_length(from.len(), to.len());
    backend.run(Map { function, from, to });
}

fn check_slots<W: Vectors>(backend: Backend, slots: &[W], size: W) -> Result<(), SlotOutOfRange> {
    if W::all_below(backend, slots, size) {
        return Ok(());
    }
    let number = |word: W| {
        let word: u128 = word.into();
        word as u64
    };
    match slots.iter().position(|&slot| slot >= size) {
        None => Ok(()),
        Some(position) => Err(SlotOutOfRange {
            position,
            found: number(slots[position]),
            size: number(size),
        }),
    }
}

macro_rules! function {
    ($name:ident, $scheme:ident, |$this:ident, $word:ident| $value:expr) => {
        struct $name<'a, W>(&'a $scheme<W>);

        impl<W: Vectors> Function<W> for $name<'_, W> {
            #[inline(always)]
            fn of(&self, $word: W) -> W {
                let $this = self.0;
                $value
            }
        }
    };
}

function!(MirrorRank, Orbit, |orbit, index| orbit
    .rank_file_mirror(index));
function!(MirrorUnrank, Orbit, |orbit, slot| orbit
    .unrank_file_mirror(slot));
function!(TriangleRank, Triangle, |triangle, index| triangle
    .rank_any(index));
function!(TriangleUnrank, Triangle, |triangle, slot| triangle
    .unrank_valid(slot));
function!(KingsRank, Kings, |kings, index| kings
    .rank_or_no_slot(index));
function!(KingsUnrank, Kings, |kings, slot| kings.unrank_valid(slot));

impl<W: Vectors> DenseBatch<W> for Orbit<W> {
    fn rank_with(&self, backend: Backend, indices: &[W], slots: &mut [W]) {
        W::orbit_rank(self, backend, indices, slots);
    }

    fn unrank_with(&self, backend: Backend, slots: &[W], indices: &mut [W]) {
        W::orbit_unrank(self, backend, slots, indices);
    }
}

impl<W: Vectors> DenseBatch<W> for Triangle<W> {
    fn rank_with(&self, backend: Backend, indices: &[W], slots: &mut [W]) {
        W::triangle_rank(self, backend, indices, slots);
    }

    fn unrank_with(&self, backend: Backend, slots: &[W], indices: &mut [W]) {
        W::triangle_unrank(self, backend, slots, indices);
    }
}

impl<W: Vectors> DenseBatch<W> for Kings<W> {
    fn rank_with(&self, backend: Backend, indices: &[W], slots: &mut [W]) {
        W::kings_rank(self, backend, indices, slots);
    }

    fn unrank_with(&self, backend: Backend, slots: &[W], indices: &mut [W]) {
        W::kings_unrank(self, backend, slots, indices);
    }
}

/// Replaces every word of a slice by a function of it, a block at a time.
trait BlockFunction<W> {
    fn of(&self, block: &mut [W; BLOCK]);
}

/// Writes the function of every word of one slice to another of the same length, by blocks; the last
/// is filled up with zeros.
struct MapBlocks<'a, W, F> {
    function: F,
    from: &'a [W],
    to: &'a mut [W],
}

impl<W: Vectors, F: BlockFunction<W>> Work for MapBlocks<'_, W, F> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, _: I) {
        for (from, to) in self.from.chunks(BLOCK).zip(self.to.chunks_mut(BLOCK)) {
            let mut block = [W::ZERO; BLOCK];
            block[..from.len()].copy_from_slice(from);
            self.function.of(&mut block);
            to.copy_from_slice(&block[..from.len()]);
        }
    }
}

struct CompactRank<'a, W>(&'a Compact<W>);

impl<W: Vectors> BlockFunction<W> for CompactRank<'_, W> {
    #[inline(always)]
    fn of(&self, block: &mut [W; BLOCK]) {
        self.0.rank_block(block);
    }
}

struct CompactUnrank<'a, W>(&'a Compact<W>);

impl<W: Vectors> BlockFunction<W> for CompactUnrank<'_, W> {
    #[inline(always)]
    fn of(&self, block: &mut [W; BLOCK]) {
        self.0.unrank_block(block);
    }
}

function!(CompactRankOne, Compact, |compact, index| {
    compact.rank(index).unwrap_or(W::NO_SLOT)
});
function!(CompactUnrankOne, Compact, |compact, slot| compact
    .unrank(slot));

/// Vector code for squares that are not shared; to unrank, for fewer than 2³⁰ slots, which up to
/// five pieces have. The rest goes one by one.
impl<W: Vectors> DenseBatch<W> for Compact<W> {
    fn rank_with(&self, backend: Backend, indices: &[W], slots: &mut [W]) {
        W::compact_rank(self, backend, indices, slots);
    }

    fn unrank_with(&self, backend: Backend, slots: &[W], indices: &mut [W]) {
        W::compact_unrank(self, backend, slots, indices);
    }
}

pub(super) fn all_below<W: Vectors>(backend: Backend, words: &[W], end: W) -> bool {
    backend.run(AllBelow { words, end })
}

pub(super) fn orbit_rank<W: Vectors>(
    orbit: &Orbit<W>,
    backend: Backend,
    indices: &[W],
    slots: &mut [W],
) {
    match orbit.group() {
        Group::D4 => with_orbit_rank(&orbit.layout(), Into::new(backend, indices, slots)),
        Group::FileMirror => map(backend, MirrorRank(orbit), indices, slots),
        Group::Trivial => slots.copy_from_slice(indices),
    }
}

/// All slots are below the size.
pub(super) fn orbit_unrank<W: Vectors>(
    orbit: &Orbit<W>,
    backend: Backend,
    slots: &[W],
    indices: &mut [W],
) {
    match orbit.group() {
        Group::D4 => with_orbit_unrank(&orbit.layout(), Into::new(backend, slots, indices)),
        Group::FileMirror => map(backend, MirrorUnrank(orbit), slots, indices),
        Group::Trivial => indices.copy_from_slice(slots),
    }
}

pub(super) fn triangle_rank<W: Vectors>(
    triangle: &Triangle<W>,
    backend: Backend,
    indices: &[W],
    slots: &mut [W],
) {
    map(backend, TriangleRank(triangle), indices, slots);
}

/// All slots are below the size.
pub(super) fn triangle_unrank<W: Vectors>(
    triangle: &Triangle<W>,
    backend: Backend,
    slots: &[W],
    indices: &mut [W],
) {
    map(backend, TriangleUnrank(triangle), slots, indices);
}

pub(super) fn kings_rank<W: Vectors>(
    kings: &Kings<W>,
    backend: Backend,
    indices: &[W],
    slots: &mut [W],
) {
    map(backend, KingsRank(kings), indices, slots);
}

/// All slots are below the size.
pub(super) fn kings_unrank<W: Vectors>(
    kings: &Kings<W>,
    backend: Backend,
    slots: &[W],
    indices: &mut [W],
) {
    map(backend, KingsUnrank(kings), slots, indices);
}

pub(super) fn compact_rank<W: Vectors>(
    compact: &Compact<W>,
    backend: Backend,
    indices: &[W],
    slots: &mut [W],
) {
    if !compact.ranks_blocks() {
        return map(backend, CompactRankOne(compact), indices, slots);
    }
    same_length(indices.len(), slots.len());
    backend.run(MapBlocks {
        function: CompactRank(compact),
        from: indices,
        to: slots,
    });
}

/// All slots are below the size.
pub(super) fn compact_unrank<W: Vectors>(
    compact: &Compact<W>,
    backend: Backend,
    slots: &[W],
    indices: &mut [W],
) {
    if compact.unranks_blocks() {
        backend.run(MapBlocks {
            function: CompactUnrank(compact),
            from: slots,
            to: indices,
        });
    } else {
        map(backend, CompactUnrankOne(compact), slots, indices);
    }
}
