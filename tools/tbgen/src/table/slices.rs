//! Chosen slices of a set, for threads to work on.

use rayon::prelude::*;
use tbindex::bitbase::Domain;

/// For each slice of a domain whether it is one of these.
pub(crate) fn chosen(domain: &Domain, slices: &[usize]) -> Vec<bool> {
    let mut chosen = vec![false; domain.slices()];
    for &slice in slices {
        chosen[slice] = true;
    }
    chosen
}

/// The chosen slices, with their numbers, for threads to take a few at a time. They often lie close together, and a
/// parallel iterator over all slices would leave them to one thread.
pub(crate) fn among<T: Send>(
    slices: impl Iterator<Item = T>,
    chosen: &[bool],
) -> impl IndexedParallelIterator<Item = (usize, T)> {
    let chosen: Vec<(usize, T)> = (slices.enumerate())
        .filter(|&(number, _)| chosen[number])
        .collect();
    let at_once = 1 + chosen.len() / 64;
    chosen.into_par_iter().with_max_len(at_once)
}
