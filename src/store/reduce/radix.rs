//! Words sorted in the nearer caches, by their digits from the lowest to the highest.

use crate::index::Word;

/// No more words than this are left to the standard library.
const FEW: usize = 64;
/// Digits have at most so many bits: with more, there are too many places to write to in turn.
const MOST_DIGIT_BITS: u32 = 10;
/// Words are sorted by as many bits as it takes to number them, and so many more.
const SPARE_BITS: u32 = 3;

/// Sorts words with the help of other memory of the same size, and returns the one of the two that then
/// holds them. The words in the other one are unspecified.
///
/// It takes few more bits to tell words apart than to number them. So they are sorted by their highest bits
/// alone, and then the words that are still out of order are moved one by one.
///
/// # Panics
/// If the other memory is of another size.
pub(super) fn sort<'a, R: Word>(words: &'a mut [R], spare: &'a mut [R]) -> &'a mut [R] {
    if words.len() <= FEW {
        words.sort_unstable();
        return words;
    }
    let varying = varying_bits(words);
    let wanted = words.len().ilog2() + 1 + SPARE_BITS;
    let mut lowest = 0;
    while (varying >> lowest).count_ones() > wanted {
        lowest += 1;
    }
    let (words, spare) = sort_from(lowest, varying, words, spare);
    // If too many are out of order, sorting by all bits is faster. Whatever was moved, the words are the same.
    if varying & ((1 << lowest) - 1) != 0 && !insert(words) {
        return sort_from(0, varying, words, spare).0;
    }
    words
}

/// The bits in which words differ.
fn varying_bits<R: Word>(words: &[R]) -> u64 {
    let Some(&first) = words.first() else {
        return 0;
    };
    let differing = |all, &word: &R| all | (word ^ first);
    words.iter().fold(R::ZERO, differing).to_u64()
}

/// Sorts by the digits that vary, from a bit on, and returns the sorted words and the other memory.
fn sort_from<'a, R: Word>(
    lowest: u32,
    varying: u64,
    mut words: &'a mut [R],
    mut spare: &'a mut [R],
) -> (&'a mut [R], &'a mut [R]) {
    let bits = u64::BITS - (varying >> lowest).leading_zeros();
    let digit_bits = bits.div_ceil(bits.div_ceil(MOST_DIGIT_BITS).max(1));
    let mut shift = lowest;
    while varying >> shift != 0 {
        // Digits begin where bits vary, so that as few as possible are needed.
        shift += (varying >> shift).trailing_zeros();
        deal_out(words, spare, shift, digit_bits);
        std::mem::swap(&mut words, &mut spare);
        shift += digit_bits;
        if shift >= u64::BITS {
            break;
        }
    }
    (words, spare)
}

/// Copies words in the order of some of their bits, keeping the order of words in which these are equal.
fn deal_out<R: Word>(from: &[R], to: &mut [R], shift: u32, bits: u32) {
    const DIGITS: usize = 1 << MOST_DIGIT_BITS;
    let mask = (1usize << bits) - 1;
    let digit = |word: R| (word.to_u64() >> shift) as usize & (mask % DIGITS);
    let mut places = [0u32; DIGITS];
    for &word in from {
        places[digit(word)] += 1;
    }
    let mut start = 0;
    for place in &mut places[..=mask] {
        start += std::mem::replace(place, start);
    }
    for &word in from {
        let place = &mut places[digit(word)];
        to[*place as usize] = word;
        *place += 1;
    }
}

/// Sorts words that are nearly sorted, and returns whether it did: it gives up where that takes too long.
fn insert<R: Word>(words: &mut [R]) -> bool {
    let mut moves = 2 * words.len();
    for k in 1..words.len() {
        let word = words[k];
        if words[k - 1] <= word {
            continue;
        }
        let mut place = k;
        while place > 0 && words[place - 1] > word {
            words[place] = words[place - 1];
            place -= 1;
        }
        words[place] = word;
        match moves.checked_sub(k - place) {
            Some(left) => moves = left,
            None => return false,
        }
    }
    true
}
