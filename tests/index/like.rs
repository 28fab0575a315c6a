//! Like pieces: their networks sort, and what is no partition is refused.

use tbindex::{Equivalence, Group, Layout, LikePieces, LikePiecesError, Numbering};

use crate::support::thorough::one_in;

/// The zero-one principle: a network that sorts all sequences of bits sorts all sequences. Of more than fourteen pieces some
/// sequences, or all if `TBINDEX_THOROUGH` is set.
#[test]
fn like_pieces_are_sorted_whatever_their_codes() {
    for n in 1..=21usize {
        let like = LikePieces::try_new(&[(1 << n) - 1], n).unwrap();
        let layout = Layout::<u128>::new(n, Numbering::Natural);
        let same = Equivalence::new(layout, Group::Trivial, like);
        let step = if n > 14 { one_in(97) } else { 1 };
        for bits in (0..1u128 << n).step_by(step) {
            // The low digits are 0 and 1: three bits each.
            let index = |bits: u128| (0..n).fold(0, |index, k| index | (bits >> k & 1) << (3 * k));
            // Ascending from the greatest piece number downwards: ones at the bottom.
            let expected = (1 << bits.count_ones()) - 1;
            assert_eq!(
                same.sort_like(index(bits)),
                index(expected),
                "{n} pieces, {bits:#b}"
            );
        }
    }
}

#[test]
fn bad_sets_are_refused() {
    assert_eq!(
        LikePieces::try_new(&[0b011, 0b110], 3),
        Err(LikePiecesError::Overlap { piece: 1 })
    );
    assert_eq!(
        LikePieces::try_new(&[0b1001], 3),
        Err(LikePiecesError::OutOfRange {
            piece: 3,
            pieces: 3
        })
    );
    let alone = LikePieces::try_new(&[0b001, 0b010], 3).unwrap();
    assert!(alone.sets().is_empty());
}
