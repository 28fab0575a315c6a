//! Buffers for the result of a job.

use std::ops::Range;

use crate::batch::merge;
use crate::index::Word;

/// A buffer is longer than what was asked for by one part in so many.
pub(super) const SLACK: usize = 8;

/// The words that a job results in: written to a buffer, which is used again from job to job, or lent from
/// where they lie already.
///
/// The buffer is never cleared, so that no word is written twice. Which of its words belong to the result
/// is kept beside them.
#[derive(Clone, Debug, Default)]
pub(super) struct JobOutput<'a, W> {
    words: Vec<W>,
    len: usize,
    /// Where the words of the result are, if they lie apart.
    parts: Vec<Segment<'a, W>>,
}

/// Where some words of the result are.
#[derive(Clone, Debug)]
enum Segment<'a, W> {
    /// In the buffer.
    Here(Range<usize>),
    /// Lent, from where they lie.
    There(&'a [W]),
}

impl<'a, W: Word> JobOutput<'a, W> {
    /// Becomes what `fill` writes to the front of room for `most` words. `fill` returns how many it wrote.
    pub(super) fn fill(&mut self, most: usize, fill: impl FnOnce(&mut [W]) -> usize) {
        self.begin(most);
        self.len = fill(&mut self.words[..most]);
    }

    /// Becomes empty, with room for adding `most` words in all.
    pub(super) fn begin(&mut self, most: usize) {
        if self.words.len() < most {
            // The old words are of no more use, and need not be copied. The new buffer is somewhat longer
            // than was asked for, because the next results will be about as long. If its memory is new from
            // the system, it is zero already, and nothing of it is touched before it is needed.
            self.words = Vec::new();
            self.words = vec![W::ZERO; most + most / SLACK];
        }
        self.clear();
    }

    /// Adds what `fill` writes to room for `most` words more. `fill` returns where in it the words of the
    /// result are.
    ///
    /// # Panics
    /// If there is no room for so many.
    pub(super) fn add(&mut self, most: usize, fill: impl FnOnce(&mut [W]) -> Vec<Range<usize>>) {
        let from = self.len;
        for part in fill(&mut self.words[from..][..most]) {
            self.put(from + part.start..from + part.end);
        }
    }

    /// Adds a copy of words.
    ///
    /// # Panics
    /// If there is no room for so many.
    pub(super) fn add_copy(&mut self, words: &[W]) {
        let end = self.len + words.len();
        self.words[self.len..end].copy_from_slice(words);
        self.put(self.len..end);
    }

    /// Adds words where they lie.
    pub(super) fn lend(&mut self, words: &'a [W]) {
        if !words.is_empty() {
            self.parts.push(Segment::There(words));
        }
    }

    /// Adds words of the buffer that lie behind all others.
    fn put(&mut self, more: Range<usize>) {
        if more.is_empty() {
            return;
        }
        self.len = more.end;
        match self.parts.last_mut() {
            Some(Segment::Here(last)) if last.end == more.start => last.end = more.end,
            _ => self.parts.push(Segment::Here(more)),
        }
    }

    /// Moves words that lie apart in the buffer together.
    ///
    /// # Panics
    /// If some words were lent.
    pub(super) fn join(&mut self) {
        if !self.parts.is_empty() {
            let parts = self.parts.drain(..).map(|place| match place {
                Segment::Here(part) => part,
                Segment::There(_) => panic!("lent words can't be joined"),
            });
            self.len = merge::join(&mut self.words, parts);
        }
    }

    /// All words of the result, in one slice or several.
    pub(super) fn slices(&self) -> impl Iterator<Item = &[W]> {
        let whole = self.parts.is_empty().then(|| self.as_slice());
        let parts = self.parts.iter().map(|place| match place {
            Segment::Here(part) => &self.words[part.clone()],
            Segment::There(words) => words,
        });
        whole.into_iter().chain(parts)
    }

    /// Becomes what `append` appends to an empty vector.
    pub(super) fn append<T>(&mut self, append: impl FnOnce(&mut Vec<W>) -> T) -> T {
        self.words.clear();
        let result = append(&mut self.words);
        self.len = self.words.len();
        self.parts.clear();
        result
    }

    /// Becomes a copy of words.
    pub(super) fn copy(&mut self, words: &[W]) {
        self.fill(words.len(), |place| {
            place.copy_from_slice(words);
            words.len()
        });
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
        self.parts.clear();
    }

    /// The words, which must not lie apart.
    pub(super) fn as_slice(&self) -> &[W] {
        assert!(self.parts.is_empty(), "parts are no slice");
        &self.words[..self.len]
    }

    /// As [`as_slice`](JobOutput::as_slice).
    pub(super) fn as_mut_slice(&mut self) -> &mut [W] {
        assert!(self.parts.is_empty(), "parts are no slice");
        &mut self.words[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_apart_is_handed_over_apart() {
        let all: Vec<u32> = (0..9).collect();
        let mut out = JobOutput::default();
        let mut parts = |parts: &[Range<usize>], more: &'static [u32]| {
            out.begin(20);
            out.add(9, |words| {
                words.copy_from_slice(&all);
                parts.to_vec()
            });
            out.lend(more);
            out.add_copy(&[]);
            out.add(9, |words| {
                words.copy_from_slice(&all);
                parts.to_vec()
            });
            out.slices().map(<[u32]>::to_vec).collect::<Vec<_>>()
        };
        assert_eq!(
            parts(&[1..3, 3..3, 5..9], &[40, 41]),
            [
                vec![1, 2],
                vec![5, 6, 7, 8],
                vec![40, 41],
                vec![1, 2],
                vec![5, 6, 7, 8]
            ]
        );
        assert_eq!(
            parts(&[0..2, 2..5], &[]),
            [vec![0, 1, 2, 3, 4, 0, 1, 2, 3, 4]]
        );
        assert_eq!(parts(&[2..2, 2..2], &[]), [vec![]]);
        assert_eq!(parts(&[], &[7]), [vec![7]]);
        out.copy(&[7]);
        assert_eq!(out.slices().collect::<Vec<_>>(), [[7]]);
    }

    #[test]
    fn what_is_joined_lies_in_one_slice() {
        let mut out = JobOutput::default();
        out.begin(8);
        for _ in 0..2 {
            out.add(4, |words| {
                words.copy_from_slice(&[0u32, 1, 2, 3]);
                vec![1..2, 3..4]
            });
        }
        out.join();
        assert_eq!(out.as_slice(), [1, 3, 1, 3]);
    }
}
