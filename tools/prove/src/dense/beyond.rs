//! Dense numbers of more than five pieces, part by part.
//!
//! - A slot of [`Triangle`] or [`Kings`] is a number of the leading pieces' squares, followed by the codes of the
//!   others, six bits each. The former come from a table of 64 or 4096 entries, all of which are tried. The latter
//!   are the same bits in another order, so that single bits, and pairs, show all of it. The symmetry of the table's
//!   entry is a flip, which other theorems prove.
//! - [`Orbit`](tbindex::Orbit) is proved with the indices.
//! - A slot of [`Compact`] is a sum: where the slice of the kings' squares starts, and for each set of like pieces the
//!   number of its choice of free squares times the number of ways to place all sets after it. A sum of this kind has one
//!   reading if every number is below its bound (mixed radix), whatever the radices are. So each digit is taken
//!   to its ends, 0, 1, the middle and the last two, together with the ends of all others, in every slice.
//! - The number of a choice of m squares is a sum of binomials C(n, m) + C(n', m − 1) + …, in which each n is the
//!   greatest that fits. Where the number crosses C(n, m), the first summand changes, and nowhere else; so the
//!   numbers next to each are tried, for every m and every n. The second summand is the first of a choice of
//!   m − 1.
//! - With both kings on the diagonal, sets are taken apart into shapes; all of these occur with up to five pieces or
//!   at the ends that are tried here, in 21 slices.

use tbindex::proofs::Sliced;
use tbindex::{
    Compact, Dense, Diagonal, Group, KingDistance, KingPairs, Kings, Layout, Numbering, Rules,
    Triangle, Word,
};

use crate::Theorem;
use crate::instructions::mixed;

/// Checks a slot there and back.
fn comes_back<W: Word>(scheme: &impl Dense<W>, slot: W) -> Result<(), String> {
    let index = scheme.unrank(slot);
    let (layout, back) = (scheme.layout(), scheme.rank(index));
    if layout.is_valid(index) && back == Some(slot) {
        return Ok(());
    }
    let pieces = layout.pieces();
    Err(format!(
        "{pieces} pieces: slot {slot} has position {index:#o}, which has slot {back:?}"
    ))
}

/// The slots of numberings whose slices are full of digits of six bits: in each slice no bit, every bit, every two,
/// and all but these.
fn digits<W: Word>(scheme: &impl Sliced<W>, slices: u64, digits: u32) -> Result<u64, String> {
    let bits = 6 * digits;
    let mut slots = 0;
    let expected = u128::from(slices) << bits;
    let size: u128 = scheme.size().into();
    if size != expected {
        return Err(format!("{size} slots instead of {expected}"));
    }
    let ones = (1u128 << bits) - 1;
    for slice in 0..slices {
        let first = u128::from(slice) << bits;
        let mut try_both = |digits: u128| {
            slots += 2;
            comes_back(scheme, W::truncate(first | digits))?;
            comes_back(scheme, W::truncate(first | !digits & ones))
        };
        try_both(0)?;
        for high in 0..bits {
            try_both(1 << high)?;
            // All pairs in a few slices, and neighbours in all.
            let lowest = match slice % 97 {
                5 => 0,
                _ => high.saturating_sub(1),
            };
            for low in lowest..high {
                try_both(1 << high | 1 << low)?;
            }
        }
    }
    Ok(slots)
}

fn classical<W: Word>(pieces: std::ops::RangeInclusive<usize>) -> Result<u64, String> {
    let mut slots = 0;
    for n in pieces {
        for numbering in Numbering::ALL {
            let layout = Layout::<W>::new(n, numbering);
            let n = n as u32;
            slots += digits(&Triangle::new(layout, Group::D4), 10, n - 1)?;
            slots += digits(&Triangle::new(layout, Group::FileMirror), 32, n - 1)?;
            slots += digits(&Kings::new(layout, Group::D4), 462, n - 2)?;
            slots += digits(&Kings::new(layout, Group::FileMirror), 1806, n - 2)?;
        }
    }
    Ok(slots)
}

/// The number of ways to choose k of n.
fn choose(n: u128, k: u128) -> u128 {
    (0..k).fold(1, |ways, j| ways * (n - j) / (j + 1))
}

/// The numbers at the ends of a digit with this many values.
fn ends(values: u128) -> Vec<u128> {
    let mut ends = vec![0, 1, values / 2, values.saturating_sub(2), values - 1];
    ends.retain(|&end| end < values);
    ends.dedup();
    ends
}

/// Tries slots of a compact numbering of sets with so many like pieces: in each slice, each digit at its ends with all
/// others at theirs. Twelve slots without a pattern follow.
fn compact(material: &str, counts: &[u128]) -> Result<u64, String> {
    let parsed = material.parse().map_err(|error| format!("{error}"))?;
    let scheme = Compact::<u64>::try_new(
        parsed,
        Numbering::Natural,
        Rules::KingsApart,
        Diagonal::Exact,
    )
    .map_err(|error| error.to_string())?;
    let mut free = 62;
    let radix = |&count: &u128| {
        free -= count;
        choose(free + count, count)
    };
    let radices: Vec<u128> = counts.iter().map(radix).collect();
    let of_slice: u128 = radices.iter().product();
    let pairs = KingPairs::new(parsed.group(), KingDistance::Apart);
    let mut slots = 0;
    for slice in 0..scheme.slice_count() {
        let range = scheme.slice(slice);
        let (first, size) = (range.start, u128::from(range.end - range.start));
        // The slices with both kings on the diagonal are smaller.
        if slice < pairs.diagonal_from() && size != of_slice {
            return Err(format!(
                "{material}: {size} slots in slice {slice} instead of {of_slice}"
            ));
        }
        let mut numbers = vec![0];
        for &radix in &radices {
            numbers = numbers
                .iter()
                .flat_map(|&number| ends(radix).into_iter().map(move |end| number * radix + end))
                .collect();
        }
        numbers.retain(|&number| number < size);
        if let [count] = *counts {
            // Every place at which the first binomial changes.
            for n in count..=62 {
                let at = choose(n, count);
                let around = [at - 1, at, at + 1]
                    .into_iter()
                    .filter(|&after| after < size);
                numbers.extend(around.flat_map(|after| [after, size - 1 - after]));
            }
        }
        numbers.extend((0..12).map(|k| u128::from(mixed(slice as u64 * 12 + k)) % size));
        numbers.push(size - 1);
        for number in numbers {
            slots += 1;
            comes_back(&scheme, first + number as u64)
                .map_err(|error| format!("{material}: {error}"))?;
        }
    }
    Ok(slots)
}

pub(super) fn theorems() -> Vec<Theorem> {
    let by_bits = "tables exhaustively, bits alone and in pairs";
    let by_ends = "parts: the ends of every digit";
    vec![
        Theorem::new(
            "dense-classical-sample",
            "The classical numberings of 6 and 7 pieces are inverse to their positions, and their sizes are exact.",
            by_bits,
            true,
            || Ok(format!("{} slots", classical::<u64>(6..=7)?)),
        ),
        Theorem::new(
            "dense-classical",
            "The classical numberings of 3 to 21 pieces are inverse to their positions, and their sizes are exact.",
            by_bits,
            false,
            || {
                let slots = classical::<u64>(3..=10)? + classical::<u128>(11..=21)?;
                Ok(format!("{slots} slots"))
            },
        ),
        Theorem::new(
            "dense-compact",
            "In every slice of compact numberings of 6 to 10 pieces, slots at the ends of all digits come back.",
            by_ends,
            false,
            || {
                let materials: [(&str, &[u128]); 13] = [
                    ("KQRvKBN", &[1, 1, 1, 1]),
                    ("KRRvKBB", &[2, 2]),
                    ("KRRRvKB", &[3, 1]),
                    ("KQRBvKRB", &[1, 1, 1, 1, 1]),
                    ("KRRvK", &[2]),
                    ("KRRRvK", &[3]),
                    ("KRRRRvK", &[4]),
                    ("KRRRRRvK", &[5]),
                    ("KRRRRRRvK", &[6]),
                    ("KRRRRRRRvK", &[7]),
                    ("KRRRRRRRRvK", &[8]),
                    ("KRRRBBBvK", &[3, 3]),
                    ("KRRvKRRBBNN", &[2, 2, 2, 2]),
                ];
                let mut slots = 0;
                for (material, counts) in materials {
                    slots += compact(material, counts)?;
                }
                Ok(format!("{} materials, {slots} slots", materials.len()))
            },
        ),
    ]
}
