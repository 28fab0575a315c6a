//! Moves of the last two pieces, whose squares are bits and words, on eight words at a time.
//!
//! A word holds the squares of the last man. A *slab* is the 64 words of the squares of the last man but one,
//! which are eight [`Row`]s. These functions keep men from jumping over pieces, and do nothing more: a man
//! who is moved onto another piece is taken out later, by masking the result with the illegal placements.

use super::eight_boards::EightBoards;
use super::man::{Direction, Movement};
use super::row::Row;
use crate::board::Step;

const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
const NOT_AB: u64 = 0xfcfc_fcfc_fcfc_fcfc;
const NOT_GH: u64 = 0x3f3f_3f3f_3f3f_3f3f;

/// Bit s of the word s: the square that the inner piece takes from the last one.
pub(super) static OWN_SQUARE: [Row; 8] = {
    let mut rows = [Row::EMPTY; 8];
    let mut square = 0;
    while square < 64 {
        rows[square / 8].0[square % 8] = 1 << square;
        square += 1;
    }
    rows
};

/// All lanes but the one of this file.
pub(super) static ALL_BUT_FILE: [Row; 8] = {
    let mut rows = [Row([!0; 8]); 8];
    let mut file = 0;
    while file < 8 {
        rows[file].0[file] = 0;
        file += 1;
    }
    rows
};

/// The squares that a ray reaches, by Kogge and Stone's method: in three doublings the ray fills up to the
/// first square that is not free, and one more step leaves the starting squares out. A step of the ray shifts by so
/// many bits, and leads to no square but these.
#[inline(always)]
fn ray<L: EightBoards>(isa: L::Isa, x: L, free: L, by: i32, squares: u64) -> L {
    let squares = L::splat(isa, squares);
    let free = free & squares;
    let x = x.or_and(free, x.shift(isa, by));
    let free = free & free.shift(isa, by);
    let x = x.or_and(free, x.shift(isa, 2 * by));
    let free = free & free.shift(isa, 2 * by);
    let x = x.or_and(free, x.shift(isa, 4 * by));
    x.shift(isa, by) & squares
}

#[inline(always)]
fn straight<L: EightBoards>(isa: L::Isa, x: L, free: L) -> L {
    ray(isa, x, free, 8, !0)
        | ray(isa, x, free, -8, !0)
        | ray(isa, x, free, 1, NOT_A)
        | ray(isa, x, free, -1, NOT_H)
}

#[inline(always)]
fn diagonal<L: EightBoards>(isa: L::Isa, x: L, free: L) -> L {
    ray(isa, x, free, 9, NOT_A)
        | ray(isa, x, free, -9, NOT_H)
        | ray(isa, x, free, 7, NOT_H)
        | ray(isa, x, free, -7, NOT_A)
}

#[inline(always)]
fn leaps<L: EightBoards>(isa: L::Isa, x: L) -> L {
    let (not_a, not_h) = (L::splat(isa, NOT_A), L::splat(isa, NOT_H));
    let (not_ab, not_gh) = (L::splat(isa, NOT_AB), L::splat(isa, NOT_GH));
    (x.shift(isa, 17) & not_a)
        | (x.shift(isa, 15) & not_h)
        | (x.shift(isa, 10) & not_ab)
        | (x.shift(isa, 6) & not_gh)
        | (x.shift(isa, -17) & not_h)
        | (x.shift(isa, -15) & not_a)
        | (x.shift(isa, -10) & not_gh)
        | (x.shift(isa, -6) & not_ab)
}

/// The files that a step along the ranks can lead to.
#[inline(always)]
fn arrivals(files: i8) -> u64 {
    match files {
        ..=-2 => NOT_GH,
        -1 => NOT_H,
        0 => !0,
        1 => NOT_A,
        2.. => NOT_AB,
    }
}

#[inline(always)]
fn steps_in_word<L: EightBoards>(isa: L::Isa, steps: &[Step], x: L) -> L {
    let mut out = L::zero(isa);
    for step in steps {
        let moved = x.shift(isa, 8 * i32::from(step.ranks) + i32::from(step.files));
        out = out.or_and(moved, L::splat(isa, arrivals(step.files)));
    }
    out
}

/// The squares that the last piece reaches from the squares of `x`, eight words at once. `free` has the
/// squares that it may pass.
#[inline(always)]
pub(super) fn in_word<L: EightBoards>(
    isa: L::Isa,
    movement: &Movement,
    direction: Direction,
    x: L,
    free: L,
) -> L {
    if movement.knight {
        return leaps(isa, x);
    }
    let mut out = steps_in_word(isa, &movement.steps[direction as usize], x);
    if movement.straight {
        out = out | straight(isa, x, free);
    }
    if movement.diagonal {
        out = out | diagonal(isa, x, free);
    }
    out
}

#[inline(always)]
fn slab_files<L: EightBoards>(isa: L::Isa, x: &[L; 8], pass: &[L; 8], out: &mut [L; 8]) {
    let (mut up, mut down) = (L::zero(isa), L::zero(isa));
    for k in 0..7 {
        up = (up | x[k]) & pass[k + 1];
        out[k + 1] = out[k + 1] | up;
        down = (down | x[7 - k]) & pass[6 - k];
        out[6 - k] = out[6 - k] | down;
    }
}

#[inline(always)]
fn slab_diagonals<L: EightBoards>(isa: L::Isa, x: &[L; 8], pass: &[L; 8], out: &mut [L; 8]) {
    let (mut ne, mut nw, mut se, mut sw) = (L::zero(isa), L::zero(isa), L::zero(isa), L::zero(isa));
    for k in 0..7 {
        ne = (ne | x[k]).lanes_up::<1>() & pass[k + 1];
        nw = (nw | x[k]).lanes_down::<1>() & pass[k + 1];
        out[k + 1] = out[k + 1] | ne | nw;
        se = (se | x[7 - k]).lanes_up::<1>() & pass[6 - k];
        sw = (sw | x[7 - k]).lanes_down::<1>() & pass[6 - k];
        out[6 - k] = out[6 - k] | se | sw;
    }
}

/// The squares that a ray reaches from lane to lane, filled as in [`ray`].
macro_rules! lane_ray {
    ($x:ident, $free:ident, $shift:ident) => {{
        let x = $x.or_and($free, $x.$shift::<1>());
        let free = $free & $free.$shift::<1>();
        let x = x.or_and(free, x.$shift::<2>());
        let free = free & free.$shift::<2>();
        let x = x.or_and(free, x.$shift::<4>());
        x.$shift::<1>() & $free
    }};
}

#[inline(always)]
fn slab_ranks<L: EightBoards>(x: &[L; 8], pass: &[L; 8], out: &mut [L; 8]) {
    for k in 0..8 {
        let (x, free) = (x[k], pass[k]);
        out[k] = out[k] | lane_ray!(x, free, lanes_up) | lane_ray!(x, free, lanes_down);
    }
}

#[inline(always)]
fn slab_leaps<L: EightBoards>(isa: L::Isa, x: &[L; 8], out: &mut [L; 8]) {
    for k in 0..8 {
        let (mut near, mut far) = (L::zero(isa), L::zero(isa));
        if k >= 1 {
            near = x[k - 1];
        }
        if k < 7 {
            near = near | x[k + 1];
        }
        if k >= 2 {
            far = x[k - 2];
        }
        if k < 6 {
            far = far | x[k + 2];
        }
        let near = near.lanes_up::<2>() | near.lanes_down::<2>();
        let far = far.lanes_up::<1>() | far.lanes_down::<1>();
        out[k] = out[k] | near | far;
    }
}

#[inline(always)]
fn slab_steps<L: EightBoards>(steps: &[Step], x: &[L; 8], out: &mut [L; 8]) {
    for step in steps {
        for (k, &x) in x.iter().enumerate() {
            let to = k as i8 + step.ranks;
            if !(0..8).contains(&to) {
                continue;
            }
            let moved = match step.files {
                ..=-2 => x.lanes_down::<2>(),
                -1 => x.lanes_down::<1>(),
                0 => x,
                1 => x.lanes_up::<1>(),
                2.. => x.lanes_up::<2>(),
            };
            out[to as usize] = out[to as usize] | moved;
        }
    }
}

/// Adds to `out` the positions that moves of the piece before the last reach from the slab `x`. `pass`
/// has the positions through which it may pass.
#[inline(always)]
pub(super) fn in_slab<L: EightBoards>(
    isa: L::Isa,
    movement: &Movement,
    direction: Direction,
    x: &[L; 8],
    pass: &[L; 8],
    out: &mut [L; 8],
) {
    if movement.straight {
        slab_files(isa, x, pass, out);
        slab_ranks(x, pass, out);
    }
    if movement.diagonal {
        slab_diagonals(isa, x, pass, out);
    }
    if movement.knight {
        slab_leaps(isa, x, out);
    } else {
        slab_steps(&movement.steps[direction as usize], x, out);
    }
}
