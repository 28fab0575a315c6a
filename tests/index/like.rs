//! Sets of like pieces that are no partition are refused; `prove` shows that like pieces are sorted.

use tbindex::{LayoutError, LikePieces};

#[test]
fn bad_sets_are_refused() {
    assert_eq!(
        LikePieces::try_new(&[0b011, 0b110], 3),
        Err(LayoutError::Overlap { piece: 1 })
    );
    assert_eq!(
        LikePieces::try_new(&[0b1001], 3),
        Err(LayoutError::OutOfRange {
            piece: 3,
            pieces: 3
        })
    );
    let alone = LikePieces::try_new(&[0b001, 0b010], 3).unwrap();
    assert!(alone.sets().is_empty());
}
