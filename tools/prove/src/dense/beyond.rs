//! Dense numbers of more than five pieces, part by part.
//!
//! - A slot of [`Triangle`] or [`Kings`] is a number of the leading pieces' squares, followed by the codes of the
//!   others, six bits each. The former come from a table of 64 or 4096 entries, all of which are tried. The latter
//!   are the same bits in another order, so that single bits, and pairs, show all of it. The symmetry of the table's
//!   entry is a flip, which other theorems prove.
//! - [`Orbit`](tbindex::Orbit) is proved with the indices.

use tbindex::proofs::Sliced;
use tbindex::{Dense, Group, Kings, Layout, Numbering, Triangle, Word};

use crate::Theorem;

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

pub(super) fn theorems() -> Vec<Theorem> {
    let by_bits = "tables exhaustively, bits alone and in pairs";
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
    ]
}
