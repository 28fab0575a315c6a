//! Words that are evenly spread, sorted by vectors.
//!
//! Words are dealt out by their highest bits into columns of some dozens of words, in the order of what the
//! columns hold; sixteen columns stand side by side, so that a row of them is a vector or two. Then a
//! sorting network is run over the rows: what it exchanges does not depend on the words, and each
//! exchange of two rows is one in all sixteen columns. Nothing branches on a word, and no word is
//! counted or moved for its lower bits.
//!
//! Columns side by side take as many rows as the highest of them. Where that is more than twice the room
//! of the words, as when some of the highest bits are always the same, neighbours are made one column,
//! and if it is still too much, nothing is sorted.

use super::backend::Backend;
use super::lanes::{Isa, Line, Vectors, Work, line_words};
use crate::index::Word;

/// Columns that stand side by side.
const WIDTH: usize = 16;

/// A word of each column.
type Row<R> = [R; WIDTH];

/// Columns have between 2 to the power of this and twice as many words, on average,
const HEIGHT_BITS: u32 = 6;

/// if they are not made fewer, which is done so often at most: high columns take more exchanges.
const HALVINGS: u32 = 3;

/// Fewer words than this are not worth the while.
const FEWEST: usize = WIDTH << HEIGHT_BITS;

/// What sorting in columns needs to know of them, kept for the next time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    /// For each column first how many words it has, then where its next word belongs.
    next: Vec<u32>,
    /// For each sixteen columns the row that they begin at; after the last the number of rows.
    tops: Vec<u32>,
}

impl Columns {
    /// The bytes that are taken here, for each word that is sorted; rounded up.
    pub(crate) const BYTES_OF_WORD: usize = 1;

    /// The lines that as many words, with room to sort them, take.
    pub(crate) const fn lines<R>(words: usize) -> usize {
        // Whole rows of any words.
        2 * (2 * words).div_ceil(2 * line_words::<R>())
    }

    /// Writes the words of some slices, which differ in the lowest `bits` bits alone, in ascending order,
    /// each once and with the bits of `high` set; how many there are. `None` if they are too unevenly
    /// spread, too few, or the machine has no vectors for it; then `to` may be anything.
    ///
    /// # Panics
    /// If `to` has no room for all words.
    pub(crate) fn sort_each_once<'a, W: Word, R: Vectors>(
        &mut self,
        slices: impl Iterator<Item = &'a [R]> + Clone,
        bits: u32,
        high: W,
        lines: &mut [Line],
        to: &mut [W],
    ) -> Option<usize> {
        let backend = Backend::detect();
        // The instructions that any x86-64 has know no minimum of such words.
        if backend.vector_bytes() < 32 {
            return None;
        }
        let words: usize = slices.clone().map(<[R]>::len).sum();
        let bits_of_column = words.checked_ilog2()?.saturating_sub(HEIGHT_BITS);
        if words < FEWEST || bits_of_column > bits || u32::try_from(WIDTH * words).is_err() {
            return None;
        }
        self.next.clear();
        self.next.resize(1 << bits_of_column, 0);
        let lines = &mut lines[..Columns::lines::<R>(words)];
        backend.run(Sort {
            slices,
            shift: bits - bits_of_column,
            columns: self,
            rows: bytemuck::cast_slice_mut(lines),
            high,
            to,
        })
    }
}

struct Sort<'a, S, W, R> {
    slices: S,
    shift: u32,
    columns: &'a mut Columns,
    rows: &'a mut [Row<R>],
    high: W,
    to: &'a mut [W],
}

impl<'a, W: Word, R: Vectors, S: Iterator<Item = &'a [R]> + Clone> Work for Sort<'_, S, W, R> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Option<usize> {
        let Columns { next, tops } = self.columns;
        let last_column = next.len() - 1;
        let column = |word: R, shift: u32, last_column: usize| {
            let word: u128 = word.into();
            (word as u64 >> shift) as usize & last_column
        };
        let mut slices = self.slices.clone();
        let mut some = slices.next();
        while let Some(words) = some {
            some = slices.next();
            // The slice after this one is on its way before it is needed.
            let mut ahead = some.unwrap_or_default().chunks(line_words::<R>());
            for line in words.chunks(line_words::<R>()) {
                if let Some(line) = ahead.next() {
                    isa.prefetch(line.as_ptr());
                }
                for &word in line {
                    next[column(word, self.shift, last_column)] += 1;
                }
            }
        }
        let halvings = halve_until_even(next, self.rows.len())?;
        let shift = self.shift + halvings;
        let last_column = next.len() - 1;
        let rows = &mut self.rows[..place_columns(next, tops)];
        rows.fill([!R::ZERO; WIDTH]);
        let places = rows.as_flattened_mut();
        for words in self.slices {
            for &word in words {
                let next = &mut next[column(word, shift, last_column)];
                places[*next as usize] = word;
                *next += WIDTH as u32;
            }
        }
        for part in tops.windows(2) {
            sort_columns(&mut rows[part[0] as usize..part[1] as usize]);
        }

        let whole = |word: R| self.high | W::truncate(word.into());
        let mut count = 0;
        for (ends, &top) in next.chunks(WIDTH).zip(&*tops) {
            for (k, &end) in ends.iter().enumerate() {
                let rows = &rows[top as usize..end as usize / WIDTH];
                let Some(first) = rows.first() else { continue };
                let mut last = first[k];
                self.to[count] = whole(last);
                // Written without a branch: in random words it would often be guessed wrong.
                for row in &rows[1..] {
                    let word = row[k];
                    count += usize::from(word != last);
                    self.to[count] = whole(word);
                    last = word;
                }
                count += 1;
            }
        }
        Some(count)
    }
}

/// Makes neighbours one column until the columns, of so many words each, take no more than `most` rows;
/// how often, or `None` if that does not help.
#[inline(always)]
fn halve_until_even(counts: &mut Vec<u32>, most: usize) -> Option<u32> {
    for halvings in 0..=HALVINGS {
        let rows: u32 = counts.chunks(WIDTH).map(highest).sum();
        if rows as usize <= most {
            return Some(halvings);
        }
        let half = counts.len() / 2;
        for k in 0..half {
            counts[k] = counts[2 * k] + counts[2 * k + 1];
        }
        counts.truncate(half);
    }
    None
}

#[inline(always)]
fn highest(columns: &[u32]) -> u32 {
    columns.iter().fold(0, |height, &count| height.max(count))
}

/// Makes of how many words each column has where it begins, and finds where each sixteen do; how many
/// rows there are.
#[inline(always)]
fn place_columns(next: &mut [u32], tops: &mut Vec<u32>) -> usize {
    tops.clear();
    let mut top = 0;
    for columns in next.chunks_mut(WIDTH) {
        tops.push(top);
        let height = highest(columns);
        for (column, k) in columns.iter_mut().zip(0..) {
            *column = top * WIDTH as u32 + k;
        }
        top += height;
    }
    tops.push(top);
    top as usize
}

/// Sorts each column of some rows, by Batcher's merge exchange (Knuth, The Art of Computer Programming
/// 5.2.2, algorithm M).
#[inline(always)]
fn sort_columns<R: Word>(rows: &mut [Row<R>]) {
    let count = rows.len();
    if count < 2 {
        return;
    }
    let half = 1 << (count - 1).ilog2();
    let mut step = half;
    while step > 0 {
        let (mut span, mut first, mut distance) = (half, 0, step);
        loop {
            // All with the bit `step` as `first` has it.
            for start in (first..count - distance.min(count)).step_by(2 * step) {
                for at in start..(start + step).min(count - distance) {
                    exchange(rows, at, at + distance);
                }
            }
            if span == step {
                break;
            }
            distance = span - step;
            span /= 2;
            first = step;
        }
        step /= 2;
    }
}

/// Puts the smaller of each two words into the first row.
#[inline(always)]
fn exchange<R: Word>(rows: &mut [Row<R>], first: usize, second: usize) {
    let (a, b) = (rows[first], rows[second]);
    rows[first] = std::array::from_fn(|k| Ord::min(a[k], b[k]));
    rows[second] = std::array::from_fn(|k| Ord::max(a[k], b[k]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytemuck::Zeroable;

    #[test]
    fn networks_sort_columns_of_any_height() {
        let mut x = 1u32;
        for height in 0..200 {
            let mut rows: Vec<Row<u32>> = vec![[0; WIDTH]; height];
            for word in rows.as_flattened_mut() {
                x = x.wrapping_mul(0x9e37_79b1) ^ 0x1234_5678;
                *word = x >> 20;
            }
            let column = |rows: &[Row<u32>], k: usize| rows.iter().map(|row| row[k]).collect();
            let before: Vec<Vec<u32>> = (0..WIDTH).map(|k| column(&rows, k)).collect();
            sort_columns(&mut rows);
            for (k, mut expected) in before.into_iter().enumerate() {
                expected.sort_unstable();
                let sorted: Vec<u32> = column(&rows, k);
                assert_eq!(sorted, expected, "{height}");
            }
        }
    }

    /// Whether words were sorted; if so, rightly.
    fn sorts<W: Word, R: Vectors>(words: &[R], bits: u32, slice: usize) -> bool {
        let high = W::ONE << (W::BITS - 1);
        let mut lines = vec![Line::zeroed(); Columns::lines::<R>(words.len())];
        let mut to = vec![W::ZERO; words.len()];
        let slices = words.chunks(slice);
        let count = Columns::default().sort_each_once(slices, bits, high, &mut lines, &mut to);
        let Some(count) = count else { return false };
        let mut expected: Vec<W> = words
            .iter()
            .map(|&word| high | W::truncate(word.into()))
            .collect();
        expected.sort_unstable();
        expected.dedup();
        assert!(
            to[..count] == expected,
            "{} words, {bits} bits",
            words.len()
        );
        true
    }

    #[test]
    fn evenly_spread_words_are_sorted_and_others_are_left() {
        let has_vectors = Backend::detect().vector_bytes() >= 32;
        let mut x = 1u64;
        let mut random = |bits: u32| {
            x = x
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            x >> (64 - bits)
        };
        for count in [1024, 1025, 1500, 2047, 2048, 5000, 40_000] {
            // Few bits, many of them twice; all that a word has.
            for bits in [14, 17, 29, 32] {
                let words: Vec<u64> = (0..count).map(|_| random(bits)).collect();
                let narrow: Vec<u32> = words.iter().map(|&word| word as u32).collect();
                assert_eq!(sorts::<u64, u32>(&narrow, bits, 1000), has_vectors);
                assert_eq!(sorts::<u64, u64>(&words, bits, 17), has_vectors);
                if bits < 32 {
                    assert_eq!(sorts::<u32, u32>(&narrow, bits, 40_000), has_vectors);
                }
            }
        }
        // One of the highest bits is always the same, or two are.
        for mask in [0x1eff_ffff, 0x1cff_ffff] {
            let words: Vec<u32> = (0..40_000).map(|_| random(29) as u32 & mask).collect();
            assert_eq!(sorts::<u64, u32>(&words, 29, 1000), has_vectors);
        }
        let few: Vec<u32> = (0..1023).collect();
        assert!(!sorts::<u64, u32>(&few, 10, 100));
        // All in few columns, and more columns than the bits tell apart.
        let uneven: Vec<u32> = (0..5000).collect();
        assert!(!sorts::<u64, u32>(&uneven, 29, 100));
        assert!(!sorts::<u64, u32>(&vec![3; 5000], 2, 100));
    }

    #[test]
    fn the_greatest_words_are_told_from_empty_places() {
        let words: Vec<u32> = (0..2000).map(|k| u32::MAX - k % 1000 * 4_000_000).collect();
        assert_eq!(
            sorts::<u64, u32>(&words, 32, 300),
            Backend::detect().vector_bytes() >= 32
        );
    }
}
