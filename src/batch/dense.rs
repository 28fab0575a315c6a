//! The public interface to the dense numbers of whole slices.

use super::backend::Backend;
use super::operations::same_length;
use super::run::BatchWord;
use super::schemes::Scheme;
use crate::dispatch;
use crate::index::{Compact, Dense, Kings, Numbering, Orbit, Triangle};

/// A [`Dense`] scheme that ranks and unranks whole slices with SIMD. The methods of [`Backend`] call it.
///
/// ```
/// use tbindex::batch::Backend;
/// use tbindex::{Dense, Group, Layout, Numbering, Orbit};
/// let backend = Backend::detect();
/// let orbit = Orbit::<u32>::new(Layout::new(3, Numbering::Natural), Group::D4);
/// let slots: Vec<u32> = (0..orbit.size()).collect();
/// let mut indices = vec![0; slots.len()];
/// backend.unrank_into(&orbit, &slots, &mut indices);
/// backend.rank_in_place(&orbit, &mut indices);
/// assert_eq!(indices, slots);
/// ```
pub trait DenseBatch<W: BatchWord>: Dense<W> {
    /// The numbering of the squares in which the scheme computes.
    #[doc(hidden)]
    fn own_numbering(&self) -> Numbering;

    /// Does what [`Backend::rank_into`] does, to indices of the scheme's own numbering. The slices have the
    /// same length.
    #[doc(hidden)]
    fn rank_with(&self, backend: Backend, indices: &[W], slots: &mut [W]);

    /// Does what [`Backend::unrank_into`] does, but writes indices of the scheme's own numbering. The
    /// slices have the same length, and all slots are below the size.
    #[doc(hidden)]
    fn unrank_with(&self, backend: Backend, slots: &[W], indices: &mut [W]);
}

/// # Dense numbers
///
/// Every method does to each index or slot of a slice what the method of [`Dense`] of the same name does to
/// one index or slot. Nothing is allocated.
impl Backend {
    /// Writes the slot of every index ([`Dense::rank`]), or [`Word::NO_SLOT`](crate::Word::NO_SLOT) where
    /// there is none.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn rank_into<W: BatchWord>(
        self,
        scheme: &(impl DenseBatch<W> + ?Sized),
        indices: &[W],
        slots: &mut [W],
    ) {
        same_length(indices.len(), slots.len());
        let (given, own) = (scheme.layout(), scheme.own_numbering());
        if given.numbering() == own {
            return scheme.rank_with(self, indices, slots);
        }
        let mut block = [W::ZERO; CHUNK];
        for (from, to) in indices.chunks(CHUNK).zip(slots.chunks_mut(CHUNK)) {
            let block = &mut block[..from.len()];
            self.convert_into(&given, own, from, block);
            scheme.rank_with(self, block, to);
        }
    }

    /// Replaces every index by its slot ([`Dense::rank`]), or by [`Word::NO_SLOT`](crate::Word::NO_SLOT)
    /// where there is none.
    pub fn rank_in_place<W: BatchWord>(
        self,
        scheme: &(impl DenseBatch<W> + ?Sized),
        words: &mut [W],
    ) {
        let (given, own) = (scheme.layout(), scheme.own_numbering());
        by_chunks(words, |indices, slots| {
            if given.numbering() != own {
                self.convert_in_place(&given, own, indices);
            }
            scheme.rank_with(self, indices, slots);
        });
    }

    /// Checks that all numbers are slots of a scheme.
    ///
    /// # Errors
    /// If a number is not below [`size`](Dense::size): the error tells the first such.
    pub fn check_slots<W: BatchWord>(
        self,
        scheme: &(impl DenseBatch<W> + ?Sized),
        slots: &[W],
    ) -> Result<(), SlotOutOfRange> {
        let size = scheme.size();
        let greatest =
            dispatch!(self, _ => slots.iter().fold(W::ZERO, |a, &b| if b > a { b } else { a }));
        if greatest < size || slots.is_empty() {
            return Ok(());
        }
        match slots.iter().position(|&slot| slot >= size) {
            None => Ok(()),
            Some(position) => Err(SlotOutOfRange {
                position,
                found: slots[position].to_u64(),
                size: size.to_u64(),
            }),
        }
    }

    /// Writes the position of every slot ([`Dense::unrank`]).
    ///
    /// # Panics
    /// If the slices differ in length, or a slot is not below [`size`](Dense::size).
    pub fn unrank_into<W: BatchWord>(
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
    pub fn unrank_in_place<W: BatchWord>(
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
    pub fn try_unrank_into<W: BatchWord>(
        self,
        scheme: &(impl DenseBatch<W> + ?Sized),
        slots: &[W],
        indices: &mut [W],
    ) -> Result<(), SlotOutOfRange> {
        same_length(slots.len(), indices.len());
        self.check_slots(scheme, slots)?;
        let given = scheme.layout();
        let own = given.with_numbering(scheme.own_numbering());
        if given == own {
            scheme.unrank_with(self, slots, indices);
            return Ok(());
        }
        // Indices are converted while they are in the nearest cache.
        for (from, to) in slots.chunks(CHUNK).zip(indices.chunks_mut(CHUNK)) {
            scheme.unrank_with(self, from, to);
            self.convert_in_place(&own, given.numbering(), to);
        }
        Ok(())
    }

    /// Replaces every slot by its position ([`Dense::unrank`]), if they are all slots.
    ///
    /// # Errors
    /// If a number is not below [`size`](Dense::size): the error tells the first such, and nothing
    /// is written.
    pub fn try_unrank_in_place<W: BatchWord>(
        self,
        scheme: &(impl DenseBatch<W> + ?Sized),
        words: &mut [W],
    ) -> Result<(), SlotOutOfRange> {
        self.check_slots(scheme, words)?;
        let given = scheme.layout();
        let own = given.with_numbering(scheme.own_numbering());
        by_chunks(words, |slots, indices| {
            scheme.unrank_with(self, slots, indices);
            if given != own {
                self.convert_in_place(&own, given.numbering(), indices);
            }
        });
        Ok(())
    }
}

/// A number that is not a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("slot {found} at position {position}: expected slots below {size}")]
pub struct SlotOutOfRange {
    /// The number's place in the batch, counted from 0.
    pub position: usize,
    /// The number that was found in place of a slot.
    pub found: u64,
    /// The number of slots that the scheme has.
    pub size: u64,
}

impl SlotOutOfRange {
    /// The same error of a batch that begins this many positions earlier.
    #[must_use]
    pub fn after(self, positions: usize) -> SlotOutOfRange {
        let position = self.position + positions;
        SlotOutOfRange { position, ..self }
    }
}

/// The number of words that fit the nearest cache together with their results.
const CHUNK: usize = 1024;

/// Replaces words by what `make` makes of them, through a copy.
fn by_chunks<W: BatchWord>(words: &mut [W], make: impl Fn(&mut [W], &mut [W])) {
    let mut copy = [W::ZERO; CHUNK];
    for chunk in words.chunks_mut(CHUNK) {
        let from = &mut copy[..chunk.len()];
        from.copy_from_slice(chunk);
        make(from, chunk);
    }
}

/// Implements [`DenseBatch`] for a scheme that computes in this numbering.
macro_rules! dense_batch {
    ($scheme:ident, $numbering:ident) => {
        impl<W: BatchWord> DenseBatch<W> for $scheme<W> {
            fn own_numbering(&self) -> Numbering {
                Numbering::$numbering
            }

            fn rank_with(&self, backend: Backend, indices: &[W], slots: &mut [W]) {
                W::rank(backend, Scheme::$scheme(self), indices, slots);
            }

            fn unrank_with(&self, backend: Backend, slots: &[W], indices: &mut [W]) {
                W::unrank(backend, Scheme::$scheme(self), slots, indices);
            }
        }
    };
}

dense_batch!(Orbit, Alternate);
dense_batch!(Triangle, Natural);
dense_batch!(Kings, Natural);
dense_batch!(Compact, Natural);
