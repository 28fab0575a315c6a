//! Equivalences, from sets of like pieces that are known to be sound.

use tbindex::{Equivalence, Group, Layout, LikePieces, Word};

/// The equivalence of a layout, a group and like sets that are known to be sound.
pub fn equivalence<W: Word>(layout: Layout<W>, group: Group, like: &[u32]) -> Equivalence<W> {
    let like = LikePieces::try_new(like, layout.pieces()).expect("sound like sets");
    Equivalence::new(layout, group, like)
}
