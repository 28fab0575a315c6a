//! One slot for each class of positions.

use super::domain::{Domain, MOST_PIECES};
use super::row::Row;
use super::set::Bitbase;
use super::slots::digit;
use crate::board::bits;

/// Whether positions that differ by an exchange of like men count as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LikeMen {
    /// They count as one, as on the board.
    Together,
    /// They count apart, as if like men could be told apart.
    Apart,
}

impl Domain {
    /// The rows of a slice with one slot of each class of placements, legal or not: one of each pair of
    /// [twins](Domain::has_twins), and, where like men count together, one of each pattern that they can
    /// exchange.
    ///
    /// The rows are the same for all slices with twins, and for all without. To count the positions of a set,
    /// [`Bitbase::count_classes`] intersects its slices with them; a generator that counts by values does so
    /// with each value.
    ///
    /// ```
    /// use tbindex::bitbase::{Domain, LikeMen, Row};
    /// let domain = Domain::try_new("KRRvK".parse()?, &[])?;
    /// let count = |rows: Vec<Row>| rows.iter().map(Row::len).sum::<u32>();
    /// // Two rooks, which may share squares: 64 · 65 / 2 pairs of squares.
    /// assert_eq!(count(domain.representatives(0, LikeMen::Together)), 2080);
    /// // The last slices have both kings on the diagonal a1–h8, which has 8 of the 64 squares.
    /// assert!(domain.has_twins(461));
    /// assert_eq!(count(domain.representatives(461, LikeMen::Apart)), (64 * 64 + 8 * 8) / 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If `slice` is not below [`Domain::slices`].
    #[must_use]
    pub fn representatives(&self, slice: usize, like: LikeMen) -> Vec<Row> {
        let count = self.men().len();
        let mut rows = vec![Row::EMPTY; self.rows()];
        let Some(last) = count.checked_sub(1) else {
            rows[0].0[0] = 1;
            return rows;
        };
        // The like men whose squares are in order. Exchanges in this order sort them.
        let pairs = (0..count).flat_map(|b| (0..b).map(move |a| (a, b)));
        let pairs: Vec<(usize, usize)> = pairs
            .filter(|&(a, b)| like == LikeMen::Together && self.men()[a] == self.men()[b])
            .collect();
        let mirror = |square: u8| (square & 7) << 3 | square >> 3;
        let words = self.slice_slots() as usize / 64;
        let all = rows.iter_mut().flat_map(|row| &mut row.0).take(words);
        for (at, word) in all.enumerate() {
            let mut squares = [0; MOST_PIECES];
            for (k, square) in squares[..last].iter_mut().enumerate() {
                *square = digit(at as u64, last, k).number();
            }
            *word = !0;
            for &(a, b) in &pairs {
                if b == last {
                    // The bits are the squares of the last man.
                    *word &= !0 << squares[a];
                } else if squares[a] > squares[b] {
                    *word = 0;
                }
            }
            if !self.has_twins(slice) {
                continue;
            }
            for bit in bits(*word) {
                squares[last] = bit as u8;
                let mut mirrored = squares.map(mirror);
                for &(a, b) in &pairs {
                    if mirrored[a] > mirrored[b] {
                        mirrored.swap(a, b);
                    }
                }
                *word &= !(u64::from(mirrored < squares) << bit);
            }
        }
        rows
    }
}

impl Bitbase {
    /// The number of positions of the set up to symmetry and, if `like` says so, up to the exchange of like
    /// men.
    ///
    /// The count is right if the set has all slots of a position or none. The operations of this module keep
    /// this property.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Bitbase, Domain, LikeMen};
    /// # use tbindex::Color;
    /// let domain = Domain::try_new("KRRvK".parse()?, &[])?;
    /// let legal = Bitbase::legal(&domain, Color::Black, Backend::detect())?;
    /// assert_eq!(legal.count_classes(LikeMen::Together), 854_238);
    /// assert_eq!(legal.count_classes(LikeMen::Apart), 1_707_888);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
