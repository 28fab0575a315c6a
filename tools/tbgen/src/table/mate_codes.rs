//! Bit planes of codes that say the distance to mate.
//!
//! Moves to positions change their distances by one, and of several moves the best counts. Halves, as [`codes`] has them,
//! are compared and added to for all positions of a row at once, bit by bit.
//!
//! [`codes`]: crate::table::codes

use std::io;

use tbindex::Color;
use tbindex::bitbase::{Bitbase, Row};

use crate::table::code_sets::CodeSets;
use crate::table::codes::{BITS, grown, won_by};
use crate::table::slab::{Slab, any, rows_of};
use crate::table::value::Metric;

/// The codes that positions have when their colours are exchanged, in place of those that say the distance to mate, in the
/// slices that are wanted.
pub fn exchange_winners(sets: &mut CodeSets, wanted: impl Fn(usize) -> bool) {
    if !sets.planes().is_empty() {
        for_each_slab(sets, wanted, |planes| {
            for r in 0..8 {
                planes[0][r] = won_by(Color::White, &rows_of(&planes[..], r));
            }
        });
    }
}

/// The codes that moves to positions with these codes, in which `side` is to move, have, in place of them, in the slices
/// that are wanted.
///
/// The result is `None` if a distance is too long.
///
/// # Errors
/// If there is no memory.
pub fn to_moves(
    sets: &mut CodeSets,
    metric: Metric,
    side: Color,
    wanted: impl Fn(usize) -> bool,
) -> io::Result<Option<()>> {
    let Some(first) = sets.planes().first() else {
        return Ok(Some(()));
    };
    // The next half may have a bit more.
    let domain = first.domain().clone();
    sets.push(&domain)?;
    let (mut too_long, mut longer) = (false, false);
    let count = sets.planes().len();
    for_each_slab(sets, wanted, |planes| {
        too_long |= move_to(planes, count, metric, side);
        longer |= count <= BITS && any(&planes[count - 1]);
    });
    if !longer {
        sets.pop();
    }
    Ok((!too_long).then_some(()))
}

/// The codes that moves to positions of a slab have, in place of those that they have with `side` to move. Returns whether a
/// distance does not fit into so many bits.
#[inline(always)]
pub(crate) fn move_to(
    planes: &mut [Slab; BITS],
    count: usize,
    metric: Metric,
    side: Color,
) -> bool {
    let mut too_long = Row::EMPTY;
    for r in 0..8 {
        let rows = rows_of(&planes[..], r);
        // Bit 0 is the same.
        let mut carry = grown(metric, side, &rows);
        for plane in &mut planes[1..count.min(BITS)] {
            let half = plane[r];
            plane[r] = (half & !carry) | (!half & carry);
            carry = half & carry;
        }
        too_long |= carry;
    }
    !too_long.is_empty()
}

/// Lets the planes of sets be changed slab by slab, where any has positions, in the slices that are wanted.
fn for_each_slab(
    sets: &mut CodeSets,
    wanted: impl Fn(usize) -> bool,
    mut change: impl FnMut(&mut [Slab; BITS]),
) {
    let of_slice = sets.planes()[0].domain().rows();
    let planes = sets.planes_mut().iter_mut();
    let mut rows: Vec<&mut [Row]> = planes.map(Bitbase::rows_mut).collect();
    for slice in (0..rows[0].len() / of_slice).filter(|&slice| wanted(slice)) {
        for at in (slice * of_slice..(slice + 1) * of_slice).step_by(8) {
            let mut planes = [[Row::EMPTY; 8]; BITS];
            let mut found = false;
            for (plane, rows) in planes.iter_mut().zip(&rows) {
                plane.copy_from_slice(&rows[at..at + 8]);
                found |= any(plane);
            }
            if !found {
                continue;
            }
            change(&mut planes);
            for (plane, rows) in planes.iter().zip(&mut rows) {
                rows[at..at + 8].copy_from_slice(plane);
            }
        }
    }
}

/// The row of a bit, which is empty if there is none.
#[inline(always)]
fn row(rows: &[Row], bit: usize) -> Row {
    rows.get(bit).copied().unwrap_or(Row::EMPTY)
}

/// Compares the halves of these codes in a row with those that its positions have, `there`: where there are codes, where
/// there were, and where the halves are greater and less.
#[inline(always)]
fn compare(codes: &[Row], there: &[Row]) -> [Row; 4] {
    let (mut any, mut had) = (Row::EMPTY, Row::EMPTY);
    let (mut more, mut less) = (Row::EMPTY, Row::EMPTY);
    for bit in (1..codes.len().max(there.len())).rev() {
        let (new, old) = (row(codes, bit), row(there, bit));
        any |= new;
        had |= old;
        let same = !(more | less);
        more |= same & new & !old;
        less |= same & !new & old;
    }
    [any, had, more, less]
}

/// For helpmates, the positions of a row for which these codes are shorter than those that they have, `there`, or there are
/// none; and those for which they are as long.
#[inline(always)]
pub(crate) fn shorter(codes: &[Row], there: &[Row]) -> [Row; 2] {
    let [any, had, more, less] = compare(codes, there);
    [any & (!had | less), any & had & !more & !less]
}

/// The positions of a row for which these codes are better for the side to move than those that they have, `there`: any
/// value is better than none, a win than a loss, a faster win than a slower one, and a slower loss than a faster one.
#[inline(always)]
#[must_use]
pub fn improved(codes: &[Row], there: &[Row], side: Color) -> Row {
    let [any, had, more, less] = compare(codes, there);
    // The winner, where there are codes.
    let (mut wins, mut won) = (row(codes, 0), row(there, 0));
    if side == Color::White {
        (wins, won) = (!wins, !won);
    }
    let better = (wins & (less | !won)) | (more & !wins & !won);
    any & (!had | better)
}

/// The positions of a row for which a side prefers these codes to those that they have, `there`: as [`improved`] says, but a
/// draw is better than a loss and no better than a win.
#[inline(always)]
pub(crate) fn preferred(codes: &[Row], there: &[Row], side: Color) -> Row {
    let decided = |rows: &[Row]| won_by(side, rows) | won_by(!side, rows);
    let better = improved(codes, there, side) & (decided(there) | won_by(side, codes));
    better | (won_by(!side, there) & !decided(codes))
}
