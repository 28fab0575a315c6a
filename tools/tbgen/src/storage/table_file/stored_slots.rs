//! The slots that a table file has.

use std::ops::Range;

use tbindex::bitbase::Man;

/// The slots of a slice in which like men are in the order of their squares, as
/// [`representatives`](tbindex::bitbase::Domain::representatives) has them. A set of them would take 128 MiB where a slice
/// has five men, so each word is made when it is wanted.
#[derive(Debug)]
pub struct StoredSlots {
    /// For pairs of like men, the places of both squares in the number of a word.
    pairs: Vec<[u32; 2]>,
    /// For men like the last, whose squares are the bits of a word, the places of their squares.
    like_last: Vec<u32>,
}

impl StoredSlots {
    /// The slots of a slice of these men.
    #[must_use]
    pub fn new(men: &[Man]) -> StoredSlots {
        let mut kept = StoredSlots {
            pairs: Vec::new(),
            like_last: Vec::new(),
        };
        let Some(last) = men.len().checked_sub(1) else {
            return kept;
        };
        let shift = |k: usize| 6 * (last - 1 - k) as u32;
        for b in 0..men.len() {
            for a in (0..b).filter(|&a| men[a] == men[b]) {
                match b == last {
                    true => kept.like_last.push(shift(a)),
                    false => kept.pairs.push([shift(a), shift(b)]),
                }
            }
        }
        kept
    }

    /// How many slots of these words are kept.
    pub(super) fn count(&self, words: Range<usize>) -> usize {
        if self.pairs.is_empty() && self.like_last.is_empty() {
            return 64 * words.len();
        }
        words
            .map(|word| self.word(word).count_ones() as usize)
            .sum()
    }

    /// The slots of a word that are kept.
    #[must_use]
    pub fn word(&self, number: usize) -> u64 {
        let square = |shift: u32| number >> shift & 63;
        let in_order = |&[a, b]: &[u32; 2]| square(a) <= square(b);
        if !self.pairs.iter().all(in_order) {
            return 0;
        }
        let like_last = self.like_last.iter();
        like_last.fold(!0, |word, &a| word & !0 << square(a))
    }

    /// Whether the last two men are alike, so that of the words with which their squares begin and end, each has what another
    /// leaves out.
    #[must_use]
    pub fn last_two_alike(&self) -> bool {
        self.like_last.last() == Some(&0)
    }

    /// The slots of a word of which some are kept, that are neither kept nor like those that are with the squares of the last
    /// two men exchanged.
    #[must_use]
    pub fn like_in_slabs_before(&self, number: usize) -> u64 {
        let others = self.like_last.iter().filter(|&&shift| shift > 0);
        others.fold(0, |word, &a| word | !(!0 << (number >> a & 63)))
    }
}
