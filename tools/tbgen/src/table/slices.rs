//! Chosen slices of a set, for threads to work on.

use rayon::prelude::*;
use tbindex::Color;
use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Domain, Row, Slice};

/// For each slice of a domain whether it is one of these.
pub(crate) fn chosen(domain: &Domain, slices: &[usize]) -> Vec<bool> {
    let mut chosen = vec![false; domain.slices()];
    for &slice in slices {
        chosen[slice] = true;
    }
    chosen
}

/// The illegal positions of a slice with a side to move.
pub(crate) fn illegal_in(domain: &Domain, slice: usize, side: Color, backend: Backend) -> Vec<Row> {
    let mut rows = vec![Row::EMPTY; domain.rows()];
    Slice::new(domain, slice).illegal_into(side, &mut rows, backend);
    rows
}

/// For each of so many slices the rows that sets have there.
pub(crate) fn by_slices<'s>(
    sets: impl IntoIterator<Item = &'s mut Bitbase>,
    slices: usize,
) -> Vec<Vec<&'s mut [Row]>> {
    let mut rows: Vec<Vec<&mut [Row]>> = (0..slices).map(|_| Vec::new()).collect();
    for set in sets {
        for (rows, slice) in rows.iter_mut().zip(set.slices_mut()) {
            rows.push(slice);
        }
    }
    rows
}

/// Whether a slice is chosen; if none are, all of them are wanted.
pub(crate) fn is_chosen(chosen: Option<&[bool]>, slice: usize) -> bool {
    chosen.is_none_or(|chosen| chosen[slice])
}

/// The [chosen](is_chosen) slices, with their numbers, for threads to take a few at a time. They often lie close together, and a
/// parallel iterator over all slices would leave them to one thread.
pub(crate) fn among<T: Send>(
    slices: impl Iterator<Item = T>,
    chosen: Option<&[bool]>,
) -> impl IndexedParallelIterator<Item = (usize, T)> {
    let chosen: Vec<(usize, T)> = (slices.enumerate())
        .filter(|&(number, _)| is_chosen(chosen, number))
        .collect();
    let at_once = 1 + chosen.len() / 64;
    chosen.into_par_iter().with_max_len(at_once)
}
