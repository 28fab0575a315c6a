//! The test of candidates for a loss: whether they can escape.

use tbindex::{Color, KingMove, PieceType};

use super::image::Image;
use super::{Slice, invert, is_empty, load_slab};
use crate::lanes::{Lanes, Row};
use crate::moves::{ALL_BUT_FILE, in_slab, in_word};

impl Slice<'_> {
    /// Removes from the positions `x` of a slab those from which `side` has a move, other than a capture,
    /// to a position that is not in `lost` (the positions that such a move loses, and the illegal ones).
    #[inline(always)]
    pub(crate) fn confine<L: Lanes>(&self, side: Color, lost: &[Row], slab: usize, x: &mut [L; 8]) {
        let [outer, inner, last] = self.shape.pieces().map(|p| p.filter(|p| p.color == side));
        let all = L::splat(!0);
        let first = (self.number * self.slabs + slab) * 8;
        let own = &lost[first..first + 8];

        if let Some(piece) = last {
            for (r, x) in x.iter_mut().enumerate() {
                if !x.is_zero() {
                    let safe = all.without(L::load(&own[r]));
                    *x = x.without(in_word(piece.kind, safe, self.free(slab, r)));
                }
            }
        }
        for &KingMove {
            slice, symmetry, ..
        } in self.kings.moves(self.number, side)
        {
            let image = Image::new(symmetry);
            let there = if self.slabs == 64 {
                image.square_there(slab)
            } else {
                0
            };
            let first = (slice * self.slabs + there) * 8;
            let other = &lost[first..first + 8];
            for (r, x) in x.iter_mut().enumerate() {
                if !x.is_zero() {
                    *x = *x & image.row(other, r, self.inner);
                }
            }
        }
        if is_empty(x) {
            return;
        }
        if let Some(piece) = inner {
            let safe = invert(&load_slab::<L>(own));
            let pass = self.distinct_slab(slab);
            let mut escapes = [L::zero(); 8];
            in_slab(piece.kind, &safe, &pass, &mut escapes);
            for (x, escapes) in x.iter_mut().zip(escapes) {
                *x = x.without(escapes);
            }
        }
        if let Some(piece) = outer {
            let slice = &lost[self.number * self.slabs * 8..(self.number + 1) * self.slabs * 8];
            for (r, x) in x.iter_mut().enumerate() {
                if !x.is_zero() {
                    *x = self.confine_outer(piece.kind, slice, slab, r, *x);
                }
            }
        }
    }

    #[inline(always)]
    fn confine_outer<L: Lanes>(
        &self,
        kind: PieceType,
        lost: &[Row],
        slab: usize,
        r: usize,
        mut x: L,
    ) -> L {
        let all = L::splat(!0);
        if kind == PieceType::Knight {
            for &to in &self.ways.leaps[slab] {
                x = x & L::load(&lost[usize::from(to) * 8 + r]);
            }
            return x;
        }
        let directions = match kind {
            PieceType::Rook => 0..4,
            PieceType::Bishop => 4..8,
            _ => 0..8,
        };
        for ray in &self.ways.rays[slab][directions] {
            // The positions in which the way is barred by now.
            let mut barred = L::zero();
            for &to in ray {
                let to = usize::from(to);
                if self.is_king(to) {
                    break;
                }
                x = x & (barred | L::load(&lost[to * 8 + r]));
                barred = barred | L::splat(1 << to);
                if to / 8 == r {
                    barred = barred | all.without(L::load(&ALL_BUT_FILE[to % 8]));
                }
            }
            if x.is_zero() {
                break;
            }
        }
        x
    }
}
