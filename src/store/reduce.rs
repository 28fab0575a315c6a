//! From any indices to the reduced set: canonical, sorted, each once.

use crate::index::{Equivalence, Numbering, Word};

/// The canonical indices of all inputs under `same`, sorted, each once. Every input comes with the
/// numbering of its indices. Works in memory.
#[must_use]
pub fn reduce<W: Word>(same: &Equivalence<W>, inputs: &[(Numbering, &[W])]) -> Vec<W> {
    let layout = same.layout();
    let mut reduced = Vec::with_capacity(inputs.iter().map(|(_, indices)| indices.len()).sum());
    for &(numbering, indices) in inputs {
        let from = layout.with_numbering(numbering);
        let canonical = |&x: &W| same.canonical(from.convert(layout.numbering(), x));
        reduced.extend(indices.iter().map(canonical));
    }
    reduced.sort_unstable();
    reduced.dedup();
    reduced
}
