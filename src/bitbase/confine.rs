//! Positions none of whose moves leaves a set.

use super::eight_boards::{EightBoards, HasBoards};
use super::image::Image;
use super::man::Direction;
use super::moves::{ALL_BUT_FILE, in_slab, in_word};
use super::row::Row;
use super::set::Bitbase;
use super::slice::{Slice, invert, is_empty, load_slab, store_slab};
use crate::batch::Backend;
use crate::board::{Color, bits};
use crate::checks::check_length;
use crate::dispatch;
use crate::index::KingMove;

impl Slice<'_> {
    /// Removes from rows of the slice the positions that are not *confined* to a set: a move of `side`, other than a
    /// capture, leads from them to a placement outside of it.
    ///
    /// The set must have all illegal placements with the other side to move, as no move leads to these.
    /// The rows should have legal positions with `side` to move alone.
    ///
    /// ```
    /// use tbindex::batch::Backend;
    /// use tbindex::bitbase::{Bitbase, Domain, LikeMen, Slice};
    /// use tbindex::Color::{Black, White};
    /// // Black's king has no legal move in these positions, except perhaps that it takes the rook.
    /// let domain = Domain::try_new("KRvK".parse()?, &[])?;
    /// let backend = Backend::detect();
    /// let illegal = Bitbase::illegal(&domain, White, backend)?;
    /// let mut stuck = Bitbase::legal(&domain, Black, backend)?;
    /// for (number, rows) in stuck.slices_mut().enumerate() {
    ///     Slice::new(&domain, number).confine(Black, &illegal, rows, backend);
    /// }
    /// assert_eq!(stuck.count_classes(LikeMen::Apart), 90);
    /// // In check it is mated, or it takes.
    /// for (row, &illegal) in stuck.rows_mut().iter_mut().zip(illegal.rows()) {
    ///     *row &= illegal;
    /// }
    /// assert_eq!(stuck.count_classes(LikeMen::Apart), 41);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If there are not as many rows as in a slice, or the set is of another domain.
    #[track_caller]
    pub fn confine(&self, side: Color, set: &Bitbase, rows: &mut [Row], backend: Backend) {
        check_length("confine", rows.len(), self.slabs * 8);
        assert!(
            set.domain().has_parts(self.parts),
            "confine: a set of {:?}, not of the slice's domain",
            set.domain()
        );
        let set = set.rows();
        dispatch!(backend, token => confine(token, self, side, set, rows));
    }

    /// Removes the positions of the slab `x` from which `side` has a move, other than a capture, to a position
    /// that is not in `set`, the rows of a whole domain. Placements that are no positions have to be in the
    /// set.
    #[inline(always)]
    fn confine_slab<L: EightBoards>(
        &self,
        isa: L::Isa,
        side: Color,
        set: &[Row],
        slab: usize,
        x: &mut [L; 8],
    ) {
        let [inner, last] = self.last_two(side);
        let all = L::splat(isa, !0);
        let here = self.slab(slab);
        let slice = &set[self.number * self.slabs * 8..(self.number + 1) * self.slabs * 8];
        let own = &slice[slab * 8..slab * 8 + 8];

        if let Some(k) = last {
            for r in 0..8 {
                if !x[r].is_zero() {
                    let outside = all.without(L::load(isa, &own[r]));
                    let free = here.free(isa, r);
                    let moved = in_word(
                        isa,
                        &self.parts.movements[k],
                        Direction::Backward,
                        outside,
                        free,
                    );
                    x[r] = x[r].without(moved);
                }
            }
        }
        for &KingMove {
            slice, symmetry, ..
        } in self.king_moves(side)
        {
            let image = Image::new(symmetry, self.men);
            let there = image.there(slab, self.outer);
            let first = (slice * self.slabs + there) * 8;
            let other = &set[first..first + 8];
            for (r, x) in x.iter_mut().enumerate() {
                if !x.is_zero() {
                    *x = *x & image.row(isa, other, r);
                }
            }
        }
        if is_empty(x) {
            return;
        }
        if let Some(k) = inner {
            let outside = invert(isa, &load_slab::<L>(isa, own));
            let pass = here.distinct(isa);
            let mut escapes = [L::zero(isa); 8];
            in_slab(
                isa,
                &self.parts.movements[k],
                Direction::Backward,
                &outside,
                &pass,
                &mut escapes,
            );
            for r in 0..8 {
                x[r] = x[r].without(escapes[r]);
            }
        }
        for k in 0..self.outer {
            if self.parts.men[k].color == side {
                for (r, x) in x.iter_mut().enumerate() {
                    if !x.is_zero() {
                        *x = self.confine_outer(isa, k, slice, slab, r, *x);
                    }
                }
            }
        }
    }

    /// Does this for a man whose squares count slabs, in the rows of this slice.
    #[inline(always)]
    fn confine_outer<L: EightBoards>(
        &self,
        isa: L::Isa,
        k: usize,
        slice: &[Row],
        slab: usize,
        r: usize,
        mut x: L,
    ) -> L {
        let all = L::splat(isa, !0);
        let movement = &self.parts.movements[k];
        let shift = 6 * (self.outer - 1 - k);
        let from = slab >> shift & 63;
        let base = slab & !(63 << shift);
        if movement.leaps_over() {
            for to in bits(movement.leaps[Direction::Forward as usize][from].0) {
                x = x & L::load(isa, &slice[(base | to << shift) * 8 + r]);
            }
            return x;
        }
        let blocked = self.blocked | self.others(slab, k);
        for ray in self.lines.rays[from][movement.axes()].iter().flatten() {
            // The positions in which the way is barred by now.
            let mut barred = L::zero(isa);
            for &to in ray {
                let to = usize::from(to);
                if blocked >> to & 1 != 0 {
                    break;
                }
                x = x & (barred | L::load(isa, &slice[(base | to << shift) * 8 + r]));
                barred = barred | L::splat(isa, 1 << to);
                if to / 8 == r {
                    barred = barred | all.without(L::load(isa, &ALL_BUT_FILE[to % 8]));
                }
            }
            if x.is_zero() {
                break;
            }
        }
        x
    }
}

/// Removes from rows of a slice the positions that are not confined to a set, the rows of a whole domain.
#[inline(always)]
pub fn confine<T: HasBoards>(
    isa: T,
    slice: &Slice<'_>,
    side: Color,
    set: &[Row],
    rows: &mut [Row],
) {
    for slab in 0..slice.slabs {
        let rows = &mut rows[slab * 8..slab * 8 + 8];
        let mut x: [T::Boards; 8] = load_slab(isa, rows);
        if !is_empty(&x) {
            slice.confine_slab(isa, side, set, slab, &mut x);
            store_slab(&x, rows);
        }
    }
}
