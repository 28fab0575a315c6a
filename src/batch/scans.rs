//! Plain loops over words, which the compiler vectorises for each backend: what holds of all words of a slice, and bits
//! that are moved in each.

use super::backend::Backend;
use crate::dispatch;
use crate::index::Word;

/// The bits that are set in any of the words, and whether they ascend, without repeats if `distinct`.
pub(super) fn scan<W: Word>(backend: Backend, words: &[W], distinct: bool) -> (W, bool) {
    match distinct {
        true => dispatch!(backend, _ => scan_all(words, |x, y| x >= y)),
        false => dispatch!(backend, _ => scan_all(words, |x, y| x > y)),
    }
}

#[inline(always)]
fn scan_all<W: Word>(words: &[W], is_wrong: impl Fn(W, W) -> bool) -> (W, bool) {
    let Some((&last, before)) = words.split_last() else {
        return (W::ZERO, true);
    };
    // No early end and no branch, so that the compiler can take many at once.
    let (mut bits, mut wrong) = (last, false);
    for (&x, &y) in before.iter().zip(&words[1..]) {
        bits |= x;
        wrong |= is_wrong(x, y);
    }
    (bits, !wrong)
}

/// The bits that are set in any of the words.
pub(super) fn any_bits<W: Word>(backend: Backend, words: &[W]) -> W {
    dispatch!(backend, _ => words.iter().fold(W::ZERO, |all, &x| all | x))
}

/// The greatest of the words, or zero if there is none.
pub(super) fn greatest<W: Word>(backend: Backend, words: &[W]) -> W {
    dispatch!(backend, _ => words.iter().fold(W::ZERO, |a, &b| if b > a { b } else { a }))
}

/// The bits in which any word of one slice differs from the word at the same place of the other.
pub(super) fn differing_bits<W: Word>(backend: Backend, words: &[W], others: &[W]) -> W {
    dispatch!(backend, _ => {
        let pairs = words.iter().zip(others);
        pairs.fold(W::ZERO, |all, (&x, &y)| all | (x ^ y))
    })
}

/// Moves the bits of each word that are not `low` down, over bits that are zero.
pub(super) fn close_gap<W: Word>(backend: Backend, words: &mut [W], low: W, shift: u32) {
    dispatch!(backend, _ => {
        for word in words {
            *word = (*word & low) | (*word >> shift & !low);
        }
    });
}

/// Undoes [`close_gap`].
pub(super) fn open_gap<W: Word>(backend: Backend, words: &mut [W], low: W, shift: u32) {
    dispatch!(backend, _ => {
        for word in words {
            *word = (*word & low) | (*word & !low) << shift;
        }
    });
}
