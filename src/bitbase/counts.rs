//! Vectors of counts: whether positions have no, one or several moves.
//!
//! [`Counts`] takes the place of a vector of sets in the operations that play moves. There `|` adds two counts, and `&`
//! keeps those of a mask. As no operation reaches a position twice by the same move, the sums are numbers of moves: rays
//! filled in doublings add each distance once, too.

use std::ops::{BitAnd, BitOr};

use super::eight_boards::{EightBoards, HasBoards};
use super::row::Row;

/// Dispatches to an operation that adds positions, with the vectors that count them if they are counted.
macro_rules! dispatch_sums {
    ($backend:expr, $counts:expr, $token:ident => $add:expr) => {
        if $counts {
            $crate::dispatch!($backend, token => {
                let $token = $crate::bitbase::counts::Counted(token);
                $add
            });
        } else {
            $crate::dispatch!($backend, $token => $add);
        }
    };
}
pub(super) use dispatch_sums;

/// A token with whose vectors positions are counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted<T>(pub(super) T);

impl<T: HasBoards> HasBoards for Counted<T> {
    type Boards = Counts<T::Boards>;
}

/// For each position of a row whether its count is more than zero, and whether it is more than one. A mask, which is what
/// `load` and `splat` make, has both or none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counts<L> {
    any: L,
    several: L,
}

impl<L: EightBoards> Counts<L> {
    #[inline(always)]
    fn mask(set: L) -> Self {
        Counts {
            any: set,
            several: set,
        }
    }
}

impl<L: EightBoards> BitAnd for Counts<L> {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Counts {
            any: self.any & other.any,
            several: self.several & other.several,
        }
    }
}

impl<L: EightBoards> BitOr for Counts<L> {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Counts {
            any: self.any | other.any,
            several: (self.several | other.several).or_and(self.any, other.any),
        }
    }
}

/// Does this for both sets.
macro_rules! both {
    ($counts:expr, $x:ident => $image:expr) => {{
        let Counts { any, several } = $counts;
        Counts {
            any: {
                let $x = any;
                $image
            },
            several: {
                let $x = several;
                $image
            },
        }
    }};
}

impl<L: EightBoards> EightBoards for Counts<L> {
    type Isa = Counted<L::Isa>;

    #[inline(always)]
    fn load(Counted(isa): Self::Isa, row: &Row) -> Self {
        Counts::mask(L::load(isa, row))
    }
    #[inline(always)]
    fn store(self, row: &mut Row) {
        self.any.store(row);
    }
    #[inline(always)]
    fn once(self, Counted(isa): Self::Isa) -> Self {
        Counts {
            any: self.any,
            several: L::zero(isa),
        }
    }
    #[inline(always)]
    fn add_to(self, Counted(isa): Self::Isa, row: &mut Row, several: Option<&mut Row>) {
        let before = L::load(isa, row);
        if let Some(several) = several {
            (L::load(isa, several) | self.several)
                .or_and(before, self.any)
                .store(several);
        }
        (before | self.any).store(row);
    }
    #[inline(always)]
    fn splat(Counted(isa): Self::Isa, word: u64) -> Self {
        Counts::mask(L::splat(isa, word))
    }
    #[inline(always)]
    fn without(self, other: Self) -> Self {
        Counts {
            any: self.any.without(other.any),
            several: self.several.without(other.several),
        }
    }
    #[inline(always)]
    fn or_and(self, a: Self, b: Self) -> Self {
        self | (a & b)
    }
    #[inline(always)]
    fn shift(self, Counted(isa): Self::Isa, by: i32) -> Self {
        both!(self, x => x.shift(isa, by))
    }
    #[inline(always)]
    fn lanes_up<const N: usize>(self) -> Self {
        both!(self, x => x.lanes_up::<N>())
    }
    #[inline(always)]
    fn lanes_down<const N: usize>(self) -> Self {
        both!(self, x => x.lanes_down::<N>())
    }
    #[inline(always)]
    fn reverse_lanes(self) -> Self {
        both!(self, x => x.reverse_lanes())
    }
    #[inline(always)]
    fn flip_vertical(self) -> Self {
        both!(self, x => x.flip_vertical())
    }
    #[inline(always)]
    fn flip_horizontal(self, Counted(isa): Self::Isa) -> Self {
        both!(self, x => x.flip_horizontal(isa))
    }
    #[inline(always)]
    fn is_zero(self) -> bool {
        self.any.is_zero()
    }
}
