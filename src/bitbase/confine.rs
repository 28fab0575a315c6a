//! Positions none of whose moves leaves a set.

use super::eight_boards::EightBoards;
use super::image::Image;
use super::man::Way;
use super::moves::{ALL_BUT_FILE, in_slab, in_word};
use super::row::Row;
use super::slice::{Slice, bits, invert, is_empty, load_slab};
use crate::board::Color;
use crate::index::KingMove;

impl Slice<'_> {
    /// Removes from the positions `x` of a slab those from which `side` has a move, other than a capture,
    /// to a position that is not in `set`, the rows of a whole domain. Placements that are no positions
    /// have to be in the set.
    #[inline(always)]
    pub(super) fn confine_slab<L: EightBoards>(
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
        let first = (self.number * self.slabs + slab) * 8;
        let own = &set[first..first + 8];

        if let Some(k) = last {
            for r in 0..8 {
                if !x[r].is_zero() {
                    let outside = all.without(L::load(isa, &own[r]));
                    let free = here.free(isa, r);
                    let moved = in_word(isa, &self.parts.gaits[k], Way::Back, outside, free);
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
                &self.parts.gaits[k],
                Way::Back,
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
                let slice = &set[self.number * self.slabs * 8..(self.number + 1) * self.slabs * 8];
                for (r, x) in x.iter_mut().enumerate() {
                    if !x.is_zero() {
                        *x = self.confine_outer(isa, k, slice, slab, r, *x);
                    }
                }
            }
        }
    }

    /// The same for a man whose squares count slabs, in the rows of this slice.
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
        let gait = &self.parts.gaits[k];
        let shift = 6 * (self.outer - 1 - k);
        let from = slab >> shift & 63;
        let base = slab & !(63 << shift);
        if gait.leaps_over() {
            for to in bits(gait.to[from].0) {
                x = x & L::load(isa, &slice[(base | to << shift) * 8 + r]);
            }
            return x;
        }
        let blocked = self.blocked | (self.outer_bits(slab) & !(1 << from));
        let directions = match (gait.straight, gait.diagonal) {
            (true, true) => 0..8,
            (true, _) => 0..4,
            (_, _) => 4..8,
        };
        for ray in &self.ways.rays[from][directions] {
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
