//! Slabs: eight rows of a slice, and their planes.

use std::borrow::Borrow;

use tbindex::bitbase::Row;

use crate::table::codes::BITS;

/// The rows of a slab.
pub(crate) type Slab = [Row; 8];

/// Hands over each code but 0 that any of these positions of a slab have, the highest first, with those that have it. The
/// planes have the bits of their codes.
#[inline(always)]
pub(crate) fn for_each_code<P: Borrow<Slab>>(
    planes: &[P],
    these: &Slab,
    mut each: impl FnMut(u16, &Slab),
) {
    // Positions of which some bits are known, from the highest one: the bits, and how many are not known. Of each number
    // there is one at most, and two of the lowest. Loops over rows are as short as this because longer ones were compiled
    // to gathers of words.
    let mut open = [(0, 0); BITS + 1];
    let mut slabs = [[Row::EMPTY; 8]; BITS + 1];
    open[0] = (0, planes.len());
    slabs[0] = *these;
    let mut count = usize::from(any(these));
    while count > 0 {
        let (code, left) = open[count - 1];
        if left == 0 {
            count -= 1;
            if code > 0 {
                each(code, &slabs[count]);
            }
            continue;
        }
        let plane = planes[left - 1].borrow();
        let mut with = slabs[count - 1];
        for (with, plane) in with.iter_mut().zip(plane) {
            *with &= *plane;
        }
        let without = &mut slabs[count - 1];
        for (without, plane) in without.iter_mut().zip(plane) {
            *without &= !*plane;
        }
        open[count - 1] = (code, left - 1);
        count -= usize::from(!any(without));
        if any(&with) {
            open[count] = (code | 1 << (left - 1), left - 1);
            slabs[count] = with;
            count += 1;
        }
    }
}

/// A row of each of the planes of a slab, and empty ones behind them.
#[inline(always)]
pub(crate) fn rows_of<P: Borrow<Slab>>(planes: &[P], r: usize) -> [Row; BITS] {
    let mut rows = [Row::EMPTY; BITS];
    for (row, plane) in rows.iter_mut().zip(planes) {
        *row = plane.borrow()[r];
    }
    rows
}

/// Whether a slab has a position.
#[inline(always)]
pub(crate) fn any(these: &Slab) -> bool {
    let mut any = Row::EMPTY;
    for &row in these {
        any |= row;
    }
    !any.is_empty()
}
