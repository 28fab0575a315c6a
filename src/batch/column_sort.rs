//! Sorting by vectors, for words that are evenly spread.
//!
//! The highest bits of a word choose its column, so that columns are in order and hold some dozens of
//! words each. Sixteen columns stand side by side: a row of them is a vector or two. A sorting network
//! then runs over the rows. What it exchanges does not depend on the words, and each exchange of two rows
//! is an exchange in all sixteen columns. Nothing branches on a word, and the lower bits of words are
//! never looked at one by one.
//!
//! A column gets twice the room that columns need on average. If a column needs more, the words are
//! counted first, and sixteen columns get as many rows as the highest of them has words. If this takes
//! more than twice the room of all words, as it does when some of the highest bits never change,
//! neighbouring columns are joined; if that does not help either, nothing is sorted.

use super::backend::{Backend, Token};
use super::lanes::{Isa, Line, line_words};
use crate::dispatch;
use crate::index::Word;

/// Columns that stand side by side.
const WIDTH: usize = 16;

/// A word of each column.
type Row<R> = [R; WIDTH];

/// How many words each column has.
type Heights = [u32; WIDTH];

/// The average column has from 2 to the power of this to twice as many words, before columns are joined.
const HEIGHT_BITS: u32 = 6;

/// How often neighbouring columns are joined at most. Higher columns take more exchanges a word.
const HALVINGS: u32 = 3;

/// The fewest words that are worth the effort.
const FEWEST: usize = WIDTH << HEIGHT_BITS;

/// The columns of a sort. Their memory serves one sort after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    /// For each column the place of its next word; while words are counted, how many it has.
    next: Vec<u32>,
    /// For each sixteen columns the row in which they begin.
    tops: Vec<u32>,
}

impl Columns {
    /// The bytes that a `Columns` takes for each word that is sorted, rounded up.
    pub(crate) const BYTES_OF_WORD: usize = 1;

    /// Returns the lines that are needed to sort this many words.
    pub(crate) const fn lines<R>(words: usize) -> usize {
        // Whole rows of any words.
        2 * (2 * words).div_ceil(2 * line_words::<R>())
    }

    /// Writes the words of some slices in ascending order, each once and with the bits of `high` set, and
    /// returns how many it wrote. The words differ in the lowest `bits` bits alone.
    ///
    /// Returns `None` if the words are too few or too unevenly spread, or if the machine lacks the vectors
    /// for it. Then what `to` holds is unspecified.
    ///
    /// # Panics
    /// If `to` has no room for all words.
    pub(crate) fn sort_each_once<'a, W: Word, R: Word>(
        &mut self,
        slices: impl Iterator<Item = &'a [R]> + Clone,
        bits: u32,
        high: W,
        lines: &mut [Line],
        to: &mut [W],
        backend: Backend,
    ) -> Option<usize> {
        // SSE2, which every x86-64 has, lacks a minimum of such words.
        if matches!(backend.token(), Token::Portable(_)) {
            return None;
        }
        let words: usize = slices.clone().map(<[R]>::len).sum();
        let bits_of_column = words.checked_ilog2()?.saturating_sub(HEIGHT_BITS);
        if words < FEWEST || bits_of_column > bits || u32::try_from((WIDTH + 3) * words).is_err() {
            return None;
        }
        self.next.clear();
        self.next.resize(1 << bits_of_column, 0);
        let lines = &mut lines[..Columns::lines::<R>(words)];
        let (shift, rows) = (bits - bits_of_column, bytemuck::cast_slice_mut(lines));
        dispatch!(backend, isa => sort(isa, slices, shift, self, rows, high, to))
    }
}

/// Does what [`Columns::sort_each_once`] promises; the bits from `shift` on choose a word's column.
#[inline(always)]
fn sort<'a, W: Word, R: Word, I: Isa>(
    isa: I,
    slices: impl Iterator<Item = &'a [R]> + Clone,
    shift: u32,
    columns: &mut Columns,
    rows: &mut [Row<R>],
    high: W,
    to: &mut [W],
) -> Option<usize> {
    let Columns { next, tops } = columns;
    let places = rows.as_flattened_mut();
    // Most words are spread so evenly that columns of the same room hold them. Else they are counted.
    let room = places.len() / next.len();
    place_columns_of(room, next, tops);
    if !(deal_into_columns(isa, slices.clone(), shift, next, places)
        && have_at_most(room, next, tops))
    {
        next.fill(0);
        count_columns(slices.clone(), shift, next);
        let shift = shift + halve_until_even(next, rows.len())?;
        place_columns(next, tops);
        let places = rows.as_flattened_mut();
        deal_into_columns(isa, slices, shift, next, places);
    }

    let mut count = 0;
    for (ends, &top) in next.chunks(WIDTH).zip(&*tops) {
        let mut heights = [0; WIDTH];
        for (height, &end) in heights.iter_mut().zip(ends) {
            *height = end / WIDTH as u32 - top;
        }
        let rows = &mut rows[top as usize..][..highest(&heights) as usize];
        fill_up(rows, &heights);
        sort_columns(rows);
        count = if has_twins(rows, &heights) {
            take_columns_each_once(rows, &heights, high, to, count)
        } else {
            take_columns(rows, &heights, high, to, count)
        };
    }
    Some(count)
}

/// The bits of a word from `shift` on.
#[inline(always)]
fn high_bits<R: Word>(word: R, shift: u32) -> usize {
    let word: u128 = word.into();
    (word as u64 >> shift) as usize
}

/// Puts words into the next places of their columns, and returns whether there were places for all.
#[inline(always)]
fn deal_into_columns<'a, I: Isa, R: Word>(
    isa: I,
    mut slices: impl Iterator<Item = &'a [R]>,
    shift: u32,
    // Slices, not vectors: stores could be thought to change a vector's length and place.
    next: &mut [u32],
    places: &mut [R],
) -> bool {
    let last_column = next.len() - 1;
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
                let next = &mut next[high_bits(word, shift) & last_column];
                let at = *next;
                *next = at + WIDTH as u32;
                let Some(place) = places.get_mut(at as usize) else {
                    return false;
                };
                *place = word;
            }
        }
    }
    true
}

/// Adds the words to the counts of their columns.
#[inline(always)]
fn count_columns<'a, R: Word>(
    slices: impl Iterator<Item = &'a [R]>,
    shift: u32,
    counts: &mut [u32],
) {
    let last_column = counts.len() - 1;
    for words in slices {
        for &word in words {
            counts[high_bits(word, shift) & last_column] += 1;
        }
    }
}

/// Sets the beginnings of columns that have room for this many words each, and the rows in which each
/// sixteen begin.
#[inline(always)]
fn place_columns_of(room: usize, next: &mut [u32], tops: &mut Vec<u32>) {
    tops.clear();
    for (columns, top) in next.chunks_mut(WIDTH).zip((0..).step_by(room)) {
        tops.push(top);
        for (column, k) in columns.iter_mut().zip(0..) {
            *column = top * WIDTH as u32 + k;
        }
    }
}

/// Returns whether no column has more words than this, so that none got into the columns below.
#[inline(always)]
fn have_at_most(room: usize, next: &[u32], tops: &[u32]) -> bool {
    let mut columns = next.chunks(WIDTH).zip(tops);
    columns.all(|(ends, &top)| highest(ends) < (top + room as u32 + 1) * WIDTH as u32)
}

/// Puts the greatest word there is into the places that columns of these heights leave empty.
#[inline(always)]
fn fill_up<R: Word>(rows: &mut [Row<R>], heights: &Heights) {
    let lowest = heights
        .iter()
        .fold(u32::MAX, |all, &height| all.min(height));
    for (row, at) in rows.iter_mut().zip(0..).skip(lowest as usize) {
        // Not a choice between the two: that would be made word by word.
        *row = std::array::from_fn(|k| row[k] | if at < heights[k] { R::ZERO } else { !R::ZERO });
    }
}

/// Returns whether any sorted column of these heights has a word twice.
#[inline(always)]
fn has_twins<R: Word>(rows: &[Row<R>], heights: &Heights) -> bool {
    // The greatest word is what empty places have, too.
    let greatest = !R::ZERO;
    let twins = |above: &Row<R>, below: &Row<R>| {
        (0..WIDTH).fold(false, |any, k| {
            any | (above[k] == below[k]) & (below[k] != greatest)
        })
    };
    // A loop, and no method that takes a function: it would not be inlined, and lose the instructions.
    let mut is_lower = false;
    for rows in rows.windows(2) {
        is_lower |= twins(&rows[0], &rows[1]);
    }
    let is_greatest = |k: usize| heights[k] > 1 && rows[heights[k] as usize - 2][k] == greatest;
    is_lower || (0..WIDTH).any(is_greatest)
}

/// Copies the words of columns of these heights to `to`, from `count` on, with the bits of `high` set, and
/// returns the count after that.
#[inline(always)]
fn take_columns<W: Word, R: Word>(
    rows: &[Row<R>],
    heights: &Heights,
    high: W,
    to: &mut [W],
    mut count: usize,
) -> usize {
    for (k, &height) in heights.iter().enumerate() {
        let to = &mut to[count..][..height as usize];
        for (to, row) in to.iter_mut().zip(&rows[..height as usize]) {
            *to = high | W::truncate(row[k].into());
        }
        count += height as usize;
    }
    count
}

/// Does the same for columns that have words twice, but copies each once.
#[inline(always)]
fn take_columns_each_once<W: Word, R: Word>(
    rows: &[Row<R>],
    heights: &Heights,
    high: W,
    to: &mut [W],
    mut count: usize,
) -> usize {
    let whole = |word: R| high | W::truncate(word.into());
    for (k, &height) in heights.iter().enumerate() {
        let Some((first, rows)) = rows[..height as usize].split_first() else {
            continue;
        };
        let mut last = first[k];
        to[count] = whole(last);
        // Written without a branch: in random words it would often be guessed wrong.
        for row in rows {
            let word = row[k];
            count += usize::from(word != last);
            to[count] = whole(word);
            last = word;
        }
        count += 1;
    }
    count
}

/// Joins neighbouring columns until columns with these counts take no more than `most` rows. Returns how
/// often it joined them, or `None` if that does not help.
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

/// Replaces the count of each column by its beginning, and finds the rows in which each sixteen begin.
#[inline(always)]
fn place_columns(next: &mut [u32], tops: &mut Vec<u32>) {
    tops.clear();
    let mut top = 0;
    for columns in next.chunks_mut(WIDTH) {
        let height = highest(columns);
        tops.push(top);
        for (column, k) in columns.iter_mut().zip(0..) {
            *column = top * WIDTH as u32 + k;
        }
        top += height;
    }
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
            // All with the bit `step` as `first` has it. Where they are single ones, a loop over one is much.
            let limit = count - distance.min(count);
            if step == 1 {
                for at in (first..limit).step_by(2) {
                    let (low, high) = rows.split_at_mut(at + distance);
                    exchange(&mut low[at], &mut high[0]);
                }
            } else {
                for start in (first..limit).step_by(2 * step) {
                    let end = (start + step).min(limit);
                    let (low, high) = rows.split_at_mut(start + distance);
                    for (a, b) in low[start..end].iter_mut().zip(high) {
                        exchange(a, b);
                    }
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
fn exchange<R: Word>(first: &mut Row<R>, second: &mut Row<R>) {
    let (a, b) = (*first, *second);
    *first = std::array::from_fn(|k| Ord::min(a[k], b[k]));
    *second = std::array::from_fn(|k| Ord::max(a[k], b[k]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytemuck::Zeroable;

    fn has_vectors() -> bool {
        !matches!(Backend::detect().token(), Token::Portable(_))
    }

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

    /// Returns whether words were sorted, after checking that they were sorted rightly.
    fn sorts<W: Word, R: Word>(words: &[R], bits: u32, slice: usize) -> bool {
        let high = W::ONE << (W::BITS - 1);
        let mut lines = vec![Line::zeroed(); Columns::lines::<R>(words.len())];
        let mut to = vec![W::ZERO; words.len()];
        let slices = words.chunks(slice);
        let count = Columns::default().sort_each_once(
            slices,
            bits,
            high,
            &mut lines,
            &mut to,
            Backend::detect(),
        );
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
        let has_vectors = has_vectors();
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
        // A quarter of the columns has more than twice the words that columns have on average.
        let uneven: Vec<u32> = (0..40_000)
            .map(|k| random(29) as u32 >> [0, 2, 2][k % 3])
            .collect();
        assert_eq!(sorts::<u64, u32>(&uneven, 29, 1000), has_vectors);
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
        assert_eq!(sorts::<u64, u32>(&words, 32, 300), has_vectors());
        // The greatest of all is the only one that is there twice.
        let words: Vec<u32> = (0..2000).map(|k| u32::MAX - k % 1999 * 2_000_000).collect();
        assert_eq!(sorts::<u64, u32>(&words, 32, 300), has_vectors());
    }
}
