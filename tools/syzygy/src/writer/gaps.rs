//! The numbers where the source leaves a choice.
//!
//! Long runs cost little. So a gap takes the value beside it where it may, and only a gap that may have neither
//! neighbour's value gets another.

use super::stretches::for_each_stretch;

/// Marks a free place among ranks of distances.
pub const FREE: u8 = u8::MAX;

/// The most frequent values first.
pub(crate) type Preference = [u8; 5];

/// Which neighbour's value a gap takes if it may have both. Neither is better for all tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// The more frequent one.
    FrequentFirst,
    /// The other.
    RareFirst,
}

/// Replaces codes of choices by values. Each code from 5 to 8 allows all values up to itself less 4.
pub fn close_wdl(codes: &mut [u8], preference: Preference, style: Style) {
    let preferred = |most: u8| {
        let found = preference.into_iter().find(|&value| value <= most);
        found.unwrap_or(0)
    };
    let rank = |value| preference.iter().position(|&p| p == value);
    let most = |code: u8| (code > 4).then(|| code - 4);
    close(codes, most, rank, preferred, style);
}

/// Replaces choices by values. A function says which values a choice allows: all up to the greatest, which it returns; of
/// a value it returns `None`. The greater a choice, the more it allows. Of frequent values the rank is small, and `preferred`
/// is the most frequent one up to another.
pub(crate) fn close<T: Copy + Ord, R: Ord>(
    codes: &mut [T],
    most_of: impl Fn(T) -> Option<T>,
    rank: impl Fn(T) -> R,
    preferred: impl Fn(T) -> T,
    style: Style,
) {
    for_each_stretch(
        codes,
        |code| most_of(code).is_some(),
        |codes, gap| {
            let left = gap.start.checked_sub(1).map(|before| codes[before]);
            let right = codes.get(gap.end).copied();
            let gap = &mut codes[gap];
            let least = gap.iter().copied().fold(gap[0], T::min);
            let fits = |side: Option<T>| side.filter(|&value| Some(value) <= most_of(least));
            match (fits(left), fits(right)) {
                (Some(left), Some(right)) => {
                    let left_first = (rank(left) <= rank(right)) != (style == Style::RareFirst);
                    gap.fill(if left_first { left } else { right });
                }
                (Some(value), None) | (None, Some(value)) => gap.fill(value),
                (None, None) => close_between(gap, left, right, &most_of, &preferred),
            }
        },
    );
}

/// Closes a gap that can't have one neighbour's value throughout: the beginning that may have the left one's takes it, the
/// end the right one's, and what is between them a value that all of it may have.
fn close_between<T: Copy + Ord>(
    gap: &mut [T],
    left: Option<T>,
    right: Option<T>,
    most_of: impl Fn(T) -> Option<T>,
    preferred: impl Fn(T) -> T,
) {
    let fits = |code: T, side: Option<T>| {
        side.filter(|&value| most_of(code).is_some_and(|most| value <= most))
    };
    let mut begin = 0;
    while let Some(value) = gap.get(begin).and_then(|&code| fits(code, left)) {
        gap[begin] = value;
        begin += 1;
    }
    let mut end = gap.len();
    while end > begin + 1
        && let Some(value) = fits(gap[end - 1], right)
    {
        end -= 1;
        gap[end] = value;
    }
    let rest = &mut gap[begin..end];
    if let Some(most) = rest.iter().filter_map(|&code| most_of(code)).min() {
        rest.fill(preferred(most));
    }
}

/// The values that fill long gaps in distances. Neither is better for all tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LongGaps {
    /// The value beside them, which fills short ones, too.
    AsBeside,
    /// The most frequent rank.
    Frequent,
}

/// Gaps that are at least so long are long.
const LONG_GAP: usize = 32;

/// Replaces free places by ranks, of which small ones are frequent.
pub fn close_dtz(ranks: &mut [u8], long: LongGaps) {
    for_each_stretch(
        ranks,
        |rank| rank == FREE,
        |ranks, gap| {
            let left = gap.start.checked_sub(1).map(|before| ranks[before]);
            let right = ranks.get(gap.end).copied();
            let value = match (left, right) {
                _ if gap.len() >= LONG_GAP && long == LongGaps::Frequent => 0,
                (Some(left), Some(right)) => left.min(right),
                (Some(one), None) | (None, Some(one)) => one,
                (None, None) => 0,
            };
            ranks[gap].fill(value);
        },
    );
}
