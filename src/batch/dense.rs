//! The public interface to the dense numbers of whole slices.

use super::backend::Backend;
use super::operations::BatchWord;
use super::out_of_range::OutOfRange;
use super::schemes::DenseScheme;
use crate::checks::check_length;
use crate::index::{Compact, Dense, Kings, Orbit, Triangle};

/// A [`Dense`] scheme that ranks and unranks whole slices with SIMD. The methods of [`Backend`] call it.
///
/// ```
/// use tbindex::batch::Backend;
/// use tbindex::{Dense, Group, Layout, Numbering, Orbit};
/// let backend = Backend::detect();
/// let orbit = Orbit::<u32>::new(Layout::new(3, Numbering::Natural), Group::D4);
/// let slots: Vec<u32> = (0..orbit.size()).collect();
/// let mut indices = vec![0; slots.len()];
/// backend.unrank_into(&orbit, &slots, &mut indices)?;
/// backend.rank_in_place(&orbit, &mut indices);
/// assert_eq!(indices, slots);
/// # Ok::<(), tbindex::batch::OutOfRange>(())
/// ```
pub trait DenseBatch<W: BatchWord>: Dense<W> {
    /// The scheme by its name.
    #[doc(hidden)]
    fn scheme(&self) -> DenseScheme<'_, W>;
}

/// # Dense numbers
///
/// Every method applies the method of [`Dense`] of the same name to each index or slot of a slice. Nothing is
/// allocated.
impl Backend {
    /// Writes the slot of every index ([`Dense::rank`]), or [`Word::NO_SLOT`](crate::Word::NO_SLOT) where
    /// there is none. Indices must be valid, which [`check_indices`](Backend::check_indices) checks.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::{Group, Kings, Layout, Numbering, Word};
    /// let kings = Kings::new(Layout::<u32>::new(3, Numbering::Natural), Group::D4);
    /// let mut slots = [0; 2];
    /// // The kings of the second touch.
    /// Backend::detect().rank_into(&kings, &[0o007_137, 0o007_127], &mut slots);
    /// assert_eq!(slots, [63, u32::NO_SLOT]);
    /// ```
    ///
    /// # Panics
    /// If the slices differ in length.
    #[track_caller]
    pub fn rank_into<W: BatchWord>(
        self,
        scheme: &(impl DenseBatch<W> + ?Sized),
        indices: &[W],
        slots: &mut [W],
    ) {
        check_length("rank_into", slots.len(), indices.len());
        let (given, scheme) = (scheme.layout(), scheme.scheme());
        let own = scheme.numbering();
        if given.numbering() == own {
            return W::rank(self, scheme, indices, slots);
        }
        let mut block = [W::ZERO; CHUNK];
        for (from, to) in indices.chunks(CHUNK).zip(slots.chunks_mut(CHUNK)) {
            let block = &mut block[..from.len()];
            self.convert_into(&given, own, from, block);
            W::rank(self, scheme, block, to);
        }
    }

    /// Replaces every index by its slot ([`Dense::rank`]), or by [`Word::NO_SLOT`](crate::Word::NO_SLOT)
    /// where there is none. Indices must be valid, which [`check_indices`](Backend::check_indices) checks.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::{Group, Layout, Numbering, Orbit, Symmetry};
    /// let layout = Layout::<u32>::new(3, Numbering::Natural);
    /// let mut words = Symmetry::ALL.map(|symmetry| layout.flip(symmetry, 0o123_456));
    /// Backend::detect().rank_in_place(&Orbit::new(layout, Group::D4), &mut words);
    /// assert_eq!(words, [20_225; 8]);
    /// ```
    pub fn rank_in_place<W: BatchWord>(
        self,
        scheme: &(impl DenseBatch<W> + ?Sized),
        words: &mut [W],
    ) {
        by_chunks(words, |indices, slots| {
            self.rank_into(scheme, indices, slots);
        });
    }

    /// Checks that all numbers are below [`size`](Dense::size); the error has the first one that is not.
    fn check_slots<W: BatchWord>(
        self,
        scheme: &(impl DenseBatch<W> + ?Sized),
        slots: &[W],
    ) -> Result<(), OutOfRange> {
        let size = scheme.size();
        if W::greatest(self, slots) < size || slots.is_empty() {
            return Ok(());
        }
        match slots.iter().position(|&slot| slot >= size) {
            None => Ok(()),
            Some(position) => Err(OutOfRange::Slot {
                position,
                found: slots[position].to_u64(),
                size: size.to_u64(),
            }),
        }
    }

    /// Writes the position of every slot ([`Dense::unrank`]).
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::{Group, Kings, Layout, Numbering};
    /// let kings = Kings::new(Layout::<u32>::new(3, Numbering::Natural), Group::D4);
    /// let mut indices = [0; 2];
    /// Backend::detect().unrank_into(&kings, &[0, 63], &mut indices)?;
    /// assert_eq!(indices, [0o000_130, 0o007_137]);
    /// let error = Backend::detect().unrank_into(&kings, &[0, 29_568], &mut indices).unwrap_err();
    /// assert_eq!(error.to_string(), "slot 29568 at position 1: expected slots below 29568");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a number is not below [`size`](Dense::size): the error has the first one, and nothing is
    /// written.
    ///
    /// # Panics
    /// If the slices differ in length.
    #[track_caller]
    pub fn unrank_into<W: BatchWord>(
        self,
        scheme: &(impl DenseBatch<W> + ?Sized),
        slots: &[W],
        indices: &mut [W],
    ) -> Result<(), OutOfRange> {
        check_length("unrank_into", indices.len(), slots.len());
        self.check_slots(scheme, slots)?;
        self.unrank_checked(scheme, slots, indices);
        Ok(())
    }

    /// Replaces every slot by its position ([`Dense::unrank`]).
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::{Group, Layout, Numbering, Triangle};
    /// let triangle = Triangle::new(Layout::<u32>::new(1, Numbering::Natural), Group::D4);
    /// let mut words = [0, 1, 2, 6, 7];
    /// Backend::detect().unrank_in_place(&triangle, &mut words)?;
    /// assert_eq!(words, [0o01, 0o02, 0o03, 0o00, 0o11]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a number is not below [`size`](Dense::size): the error has the first one, and nothing is
    /// written.
    pub fn unrank_in_place<W: BatchWord>(
        self,
        scheme: &(impl DenseBatch<W> + ?Sized),
        words: &mut [W],
    ) -> Result<(), OutOfRange> {
        self.check_slots(scheme, words)?;
        by_chunks(words, |slots, indices| {
            self.unrank_checked(scheme, slots, indices);
        });
        Ok(())
    }

    fn unrank_checked<W: BatchWord>(
        self,
        scheme: &(impl DenseBatch<W> + ?Sized),
        slots: &[W],
        indices: &mut [W],
    ) {
        let (given, scheme) = (scheme.layout(), scheme.scheme());
        let own = given.with_numbering(scheme.numbering());
        if given == own {
            return W::unrank(self, scheme, slots, indices);
        }
        // Indices are converted while they are in the nearest cache.
        for (from, to) in slots.chunks(CHUNK).zip(indices.chunks_mut(CHUNK)) {
            W::unrank(self, scheme, from, to);
            self.convert_in_place(&own, given.numbering(), to);
        }
    }
}

/// The number of words that fit the nearest cache together with their results.
const CHUNK: usize = 1024;

/// Replaces words by the results of `make`, through a copy.
fn by_chunks<W: BatchWord>(words: &mut [W], make: impl Fn(&[W], &mut [W])) {
    let mut copy = [W::ZERO; CHUNK];
    for chunk in words.chunks_mut(CHUNK) {
        let from = &mut copy[..chunk.len()];
        from.copy_from_slice(chunk);
        make(from, chunk);
    }
}

/// Names a scheme.
macro_rules! dense_batch {
    ($scheme:ident) => {
        impl<W: BatchWord> DenseBatch<W> for $scheme<W> {
            fn scheme(&self) -> DenseScheme<'_, W> {
                DenseScheme::$scheme(self)
            }
        }
    };
}

dense_batch!(Orbit);
dense_batch!(Triangle);
dense_batch!(Kings);
dense_batch!(Compact);
