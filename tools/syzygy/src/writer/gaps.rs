//! The numbers where the source leaves a choice.
//!
//! Long runs cost little. So a gap takes the value beside it where it may, and only a gap that may have neither
//! neighbour's value gets another.

/// Marks a free place among ranks of distances.
pub(crate) const FREE: u16 = u16::MAX;

/// The most frequent values first.
pub(crate) type Preference = [u8; 5];

/// Which neighbour's value a gap takes if it may have both. Neither is better for all tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// The more frequent one.
    FrequentFirst,
    /// The other.
    RareFirst,
}

/// Replaces codes of choices by values. Of codes 5 to 8 each allows all values up to itself less 4.
pub(crate) fn close_wdl(codes: &mut [u8], preference: Preference, style: Style) {
    let preferred = |most: u8| {
        let found = preference.into_iter().find(|&value| value <= most);
        found.unwrap_or(0)
    };
    let mut at = 0;
    let mut left = None;
    while at < codes.len() {
        if codes[at] <= 4 {
            left = Some(codes[at]);
            at += 1;
            continue;
        }
        let len = codes[at..]
            .iter()
            .position(|&code| code <= 4)
            .unwrap_or(codes.len() - at);
        let right = codes.get(at + len).copied();
        let gap = &mut codes[at..at + len];
        let most = gap.iter().fold(4, |most, &code| most.min(code - 4));
        let fits = |side: Option<u8>| side.filter(|&value| value <= most);
        match (fits(left), fits(right)) {
            (Some(left), Some(right)) => {
                let rank = |value| preference.iter().position(|&p| p == value);
                let left_first = (rank(left) <= rank(right)) != (style == Style::RareFirst);
                gap.fill(if left_first { left } else { right });
            }
            (Some(value), None) | (None, Some(value)) => gap.fill(value),
            (None, None) => close_between(gap, left, right, preferred),
        }
        left = gap.last().copied();
        at += len;
    }
}

/// Closes a gap that can't have one neighbour's value throughout.
fn close_between(
    gap: &mut [u8],
    left: Option<u8>,
    right: Option<u8>,
    preferred: impl Fn(u8) -> u8,
) {
    let fitting = |code: &&mut u8, side: Option<u8>| side.is_some_and(|value| value <= **code - 4);
    let mut rest = gap;
    while let Some((first, after)) = std::mem::take(&mut rest).split_first_mut() {
        let first_ref = &first;
        if !fitting(first_ref, left) {
            // Put it back.
            let most = *first - 4;
            let mut most_of_all = most;
            let mut end = after.len();
            while end > 0 && right.is_some_and(|value| value <= after[end - 1] - 4) {
                end -= 1;
                after[end] = right.unwrap_or(0);
            }
            for code in &after[..end] {
                most_of_all = most_of_all.min(*code - 4);
            }
            let value = preferred(most_of_all);
            *first = value;
            after[..end].fill(value);
            return;
        }
        *first = left.unwrap_or(0);
        rest = after;
    }
}

/// The values that fill long gaps in distances. Neither is better for all tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LongGaps {
    /// The value beside them, which fills short ones, too.
    AsBeside,
    /// The most frequent rank.
    Frequent,
}

/// Gaps that are at least so long are long.
const LONG_GAP: usize = 32;

/// Replaces free places by ranks, of which small ones are frequent.
pub(crate) fn close_dtz(ranks: &mut [u16], long: LongGaps) {
    let mut at = 0;
    let mut left = None;
    while at < ranks.len() {
        if ranks[at] != FREE {
            left = Some(ranks[at]);
            at += 1;
            continue;
        }
        let len = ranks[at..]
            .iter()
            .position(|&rank| rank != FREE)
            .unwrap_or(ranks.len() - at);
        let right = ranks.get(at + len).copied();
        let value = match (left, right) {
            _ if len >= LONG_GAP && long == LongGaps::Frequent => 0,
            (Some(left), Some(right)) => left.min(right),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => 0,
        };
        ranks[at..at + len].fill(value);
        left = Some(value);
        at += len;
    }
}
