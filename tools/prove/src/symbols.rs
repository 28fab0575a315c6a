//! Runs of the library on symbols.

use bytemuck::Zeroable;
use tbindex::Word;
use tbindex::proofs::Line;

use crate::case::Question;
use crate::lanes::{forget_memory, term_of, word_of};
use crate::paths::{explore, joined};
use crate::term::{Term, constant, variable, widen};

/// The name of a word in labels.
pub(crate) fn word_name<W: Word>() -> String {
    format!("u{}", W::BITS)
}

/// Returns an index of so many pieces as a word of so many bits, and notes its variable. Its bits are asked for
/// piece by piece, the leading one first.
pub(crate) fn any_index(question: &mut Question, pieces: usize, width: u32) -> Term {
    any_index_with_like(question, pieces, &[], width)
}

/// As above, with sets of like pieces, whose bits are asked for first, as they depend on each other.
pub(crate) fn any_index_with_like(
    question: &mut Question,
    pieces: usize,
    like: &[u32],
    width: u32,
) -> Term {
    let n = pieces as u32;
    let index = variable(6 * n);
    let all: u32 = like.iter().fold(0, |all, set| all | set);
    let (first, last): (Vec<u32>, Vec<u32>) = (0..n).rev().partition(|k| all >> k & 1 == 1);
    let order = first.into_iter().chain(last);
    let order = order.flat_map(|k| (0..3).rev().flat_map(move |b| [3 * (n + k) + b, 3 * k + b]));
    question.order.extend(order.map(|bit| (index, bit)));
    widen(index, width)
}

/// Returns a slot of `Orbit`'s numbering under D4 as a word of so many bits, and notes its variable, which may
/// also be a number that is no slot.
pub(crate) fn any_slot(question: &mut Question, pieces: usize, width: u32) -> Term {
    let n = pieces as u32;
    let slot = variable(6 * n - 2);
    let digits = (0..n).rev().flat_map(|k| {
        let low = move |b| (k + 1 < n).then_some(3 * k + b);
        (0..3)
            .rev()
            .flat_map(move |b| [Some(3 * (n + k) - 3 + b), low(b)].into_iter().flatten())
    });
    let order = std::iter::once(6 * n - 3).chain(digits);
    question.order.extend(order.map(|bit| (slot, bit)));
    widen(slot, width)
}

/// The answers of scalar code, each joined from all paths.
pub(crate) fn scalar(assumed: &[Term], run: impl FnMut() -> Vec<Term>) -> Vec<Term> {
    let paths = explore(assumed, run);
    let answer = |k: usize| joined(paths.iter().map(|(c, answers)| (*c, answers[k])).collect());
    (0..paths[0].1.len()).map(answer).collect()
}

/// The results of an operation in place on a slice of two lines, in which each other word is the first of `words`
/// and the others are the second. The answers come with the number, 0 or 1, of the word that they belong to,
/// and each once.
pub(crate) fn mapped_words<W: Word>(
    words: [Term; 2],
    mut run: impl FnMut(&mut [W]),
) -> Vec<(usize, Term)> {
    let all = scalar(&[], || {
        forget_memory(true);
        let mut lines = [Line::zeroed(); 2];
        let slice = bytemuck::cast_slice_mut::<Line, W>(&mut lines);
        for (k, word) in slice.iter_mut().enumerate() {
            *word = word_of(words[k % 2]);
        }
        run(slice);
        slice.iter().map(|&word| term_of(word)).collect()
    });
    let mut answers: Vec<(usize, Term)> = Vec::new();
    for (k, answer) in all.into_iter().enumerate() {
        if !answers.contains(&(k % 2, answer)) {
            answers.push((k % 2, answer));
        }
    }
    answers
}

/// The condition that always holds.
pub(crate) fn always() -> Term {
    constant(1, 1)
}
