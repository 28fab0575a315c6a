//! Stretches of values that a test holds for, and runs of like values, found by masks of 64 values at a time.

use std::ops::Range;

/// So many values are tested at once.
const LANES: usize = 64;

/// Bit k says whether a test holds for value k.
#[inline]
fn mask_of<T: Copy>(values: &[T; LANES], test: impl Fn(T) -> bool) -> u64 {
    let mut holds = [0u8; LANES];
    for (holds, &value) in holds.iter_mut().zip(values) {
        *holds = u8::from(test(value));
    }
    let (eights, _) = holds.as_chunks::<8>();
    // The product has bit k of the topmost byte from byte k.
    let bits =
        |eight: &[u8; 8]| u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    (eights.iter().rev()).fold(0, |mask, eight| mask << 8 | bits(eight))
}

/// Calls a function with all values and each longest stretch that a test holds for, from the first on. The function may
/// change the values of the stretch.
#[inline]
pub fn for_each_stretch<T: Copy>(
    values: &mut [T],
    test: impl Fn(T) -> bool,
    mut work: impl FnMut(&mut [T], Range<usize>),
) {
    let (mut begin, mut last) = (None, 0);
    for at in (0..values.len()).step_by(LANES) {
        let mask = match values[at..].first_chunk() {
            Some(values) => mask_of(values, &test),
            None => (values[at..].iter().rev())
                .fold(0, |mask, &value| mask << 1 | u64::from(test(value))),
        };
        // Where a stretch begins, and where one ends.
        let mut changes = mask ^ (mask << 1 | last);
        last = mask >> 63;
        while changes != 0 {
            let change = at + changes.trailing_zeros() as usize;
            changes &= changes - 1;
            match begin.take() {
                None => begin = Some(change),
                Some(begin) => work(values, begin..change),
            }
        }
    }
    if let Some(begin) = begin {
        work(values, begin..values.len());
    }
}

/// Calls a function with each longest stretch of like values: the value, and how many there are.
#[inline]
pub fn for_each_run<T: Copy + Eq>(values: &[T], mut work: impl FnMut(T, usize)) {
    let Some(&last) = values.last() else { return };
    let mut begin = 0;
    for at in (0..values.len()).step_by(LANES) {
        let mut ends = match (
            values[at..].first_chunk(),
            values.get(at + 1..).and_then(<[T]>::first_chunk),
        ) {
            (Some(values), Some(next)) => differ(values, next),
            _ => (values[at..].windows(2).rev())
                .fold(0, |mask, pair| mask << 1 | u64::from(pair[0] != pair[1])),
        };
        while ends != 0 {
            let end = at + ends.trailing_zeros() as usize + 1;
            ends &= ends - 1;
            work(values[begin], end - begin);
            begin = end;
        }
    }
    work(last, values.len() - begin);
}

/// Bit k says whether values k differ.
#[inline]
fn differ<T: Copy + Eq>(a: &[T; LANES], b: &[T; LANES]) -> u64 {
    let pairs: [(T, T); LANES] = std::array::from_fn(|k| (a[k], b[k]));
    mask_of(&pairs, |(a, b)| a != b)
}
