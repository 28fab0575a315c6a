//! Reductions in memory.

#![allow(clippy::missing_panics_doc, reason = "for tests alone")]

use tbindex::store::{Reducer, StoredWord, Summary, unwatched};
use tbindex::{Equivalence, Numbering};

/// The equivalence of a material's positions.
pub fn of_material<W: StoredWord>(material: &str, numbering: Numbering) -> Equivalence<W> {
    Equivalence::try_new(material.parse().unwrap(), numbering).unwrap()
}

/// The canonical indices, each once, the straightforward way.
pub fn straightforward<W: StoredWord>(same: &Equivalence<W>, indices: &[W]) -> Vec<W> {
    let mut all: Vec<W> = indices.iter().map(|&x| same.canonical(x)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Appends what a reducer makes of indices that are given in slices of so many.
pub fn reduce_into<W: StoredWord>(
    mut reducer: Reducer<W>,
    numbering: Numbering,
    indices: &[W],
    slice: usize,
    out: &mut Vec<W>,
) -> Summary {
    for some in indices.chunks(slice) {
        reducer.push(numbering, some).unwrap();
    }
    let mut take = |some: &[W]| {
        out.extend_from_slice(some);
        Ok(())
    };
    reducer.finish(&mut take, &mut unwatched).unwrap()
}
