//! One slot for each class of positions.

use super::domain::{Domain, digit};
use super::row::Row;
use super::set::Bitbase;

/// Whether positions that differ by an exchange of like pieces count as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LikeMen {
    /// They count as one.
    Together,
    /// They count apart.
    Apart,
}

impl Domain {
    /// The rows of a slice with one slot of each class of positions: one of each pair of
    /// [twins](Domain::has_twins), and only ascending squares of like men, where these count together. Illegal
    /// slots are among them.
    ///
    /// It is the same for all slices with twins, and for all without.
    ///
    /// # Panics
    /// If there is no such slice.
    #[must_use]
    pub fn representatives(&self, slice: usize, like: LikeMen) -> Vec<Row> {
        let count = self.men().len();
        let twins = self.has_twins(slice);
        let sorted = |mut squares: [u8; 6]| {
            if like == LikeMen::Together {
                // Like men need not stand side by side. There are so few that passes of a bubble sort do.
                for _ in 1..count {
                    for a in 0..count {
                        for b in a + 1..count {
                            if self.men()[a] == self.men()[b] && squares[a] > squares[b] {
                                squares.swap(a, b);
                            }
                        }
                    }
                }
            }
            squares
        };
        let mirror = |square: u8| (square & 7) << 3 | square >> 3;
        let mut rows = vec![Row::EMPTY; self.rows()];
        for offset in 0..self.slice_slots() {
            let mut squares = [0; 6];
            for (k, square) in squares.iter_mut().enumerate().take(count) {
                *square = digit(offset, count, k).number();
            }
            let least =
                squares == sorted(squares) && (!twins || squares <= sorted(squares.map(mirror)));
            let word = (offset >> 6) as usize;
            rows[word / 8].0[word % 8] |= u64::from(least) << (offset & 63);
        }
        rows
    }
}

impl Bitbase {
    /// The number of classes of positions: up to symmetry and, as is asked, the exchange of like men.
    ///
    /// A set has to have all slots of a class or none.
    #[must_use]
    pub fn count_classes(&self, like: LikeMen) -> u64 {
        let mut masks: [Option<Vec<Row>>; 2] = [None, None];
        (0..self.domain().slices())
            .map(|slice| {
                let mask = &mut masks[usize::from(self.domain().has_twins(slice))];
                let mask = mask.get_or_insert_with(|| self.domain().representatives(slice, like));
                let rows = self.slice(slice).iter().zip(mask);
                rows.map(|(&row, mask)| u64::from((row & *mask).len()))
                    .sum::<u64>()
            })
            .sum()
    }
}
