//! Laws of every index, written once for tests and fuzz targets.
//!
//! A law takes its input, computes both sides and panics where they differ.

use tbindex::{Equivalence, Group, Layout, Numbering, Square, Symmetry, Word, reference};

use crate::support::equivalence::equivalence;

/// Encoding, decoding, and reading and writing single squares agree with the look-up reference.
pub fn squares_agree_with_reference<W: Word>(layout: Layout<W>, index: W) {
    let (n, numbering) = (layout.pieces(), layout.numbering());
    assert!(layout.is_valid(index));
    let squares: Vec<Square> = layout.decode(index).collect();
    assert_eq!(
        squares,
        reference::decode(n, numbering, index),
        "{layout:?} {index:#o}"
    );
    assert_eq!(layout.encode(&squares), index, "{layout:?} {index:#o}");
    assert_eq!(reference::encode::<W>(numbering, &squares), index);
    for (k, &square) in squares.iter().enumerate() {
        assert_eq!(layout.square(index, k), square);
        assert_eq!(
            Layout::<u32>::new(1, numbering).square(numbering.code(square).into(), 0),
            square
        );
        let to = Square::new((square.number().wrapping_mul(5) ^ 0o25) & 63);
        let mut moved = squares.clone();
        moved[k] = to;
        let expected = reference::encode::<W>(numbering, &moved);
        assert_eq!(layout.with_square(index, k, to), expected);
    }
}

/// Every symmetry does to an index what it does to each piece's square.
pub fn symmetries_agree_with_reference<W: Word>(layout: Layout<W>, index: W) {
    let (n, numbering) = (layout.pieces(), layout.numbering());
    for symmetry in Symmetry::ALL {
        let image = layout.flip(symmetry, index);
        assert_eq!(
            image,
            reference::flip(n, numbering, symmetry, index),
            "{symmetry} of {index:#o}, {numbering}, {n} pieces"
        );
        assert_eq!(layout.flip(symmetry.inverse(), image), index);
    }
}

/// Conversion agrees with the reference, goes both ways, and commutes with every symmetry.
pub fn conversion_agrees_with_reference<W: Word>(layout: Layout<W>, index: W) {
    let (n, numbering) = (layout.pieces(), layout.numbering());
    for to in Numbering::ALL {
        let converted = layout.convert(to, index);
        assert_eq!(
            converted,
            reference::encode(to, &reference::decode(n, numbering, index)),
            "{numbering} {index:#o} to {to}, {n} pieces"
        );
        let other = Layout::<W>::new(n, to);
        assert_eq!(other.convert(numbering, converted), index);
        for symmetry in Symmetry::ALL {
            assert_eq!(
                other.flip(symmetry, converted),
                layout.convert(to, layout.flip(symmetry, index))
            );
        }
    }
}

/// The canonical index is the reference's, and everything holds that follows from its being the smallest equivalent.
pub fn canonical_is_smallest<W: Word>(same: &Equivalence<W>, index: W) {
    let layout = same.layout();
    let found = same.canonical_with_symmetry(index);
    let (n, numbering) = (layout.pieces(), layout.numbering());
    let (group, sets) = (same.group(), same.like().sets());
    let expected = reference::canonical_with_symmetry(n, numbering, group, sets, index);
    assert_eq!(found, expected, "canonical of {index:#o} under {same:?}");
    let (canonical, symmetry) = found;
    assert_eq!(same.canonical(index), canonical);
    assert!(group.members().contains(&symmetry));
    assert_eq!(same.sort_like(layout.flip(symmetry, index)), canonical);
    assert_eq!(same.canonical(canonical), canonical, "idempotent");
}

/// The size of the orbit agrees with the stabiliser by the reference.
pub fn orbit_agrees_with_reference<W: Word>(same: &Equivalence<W>, index: W) {
    let layout = same.layout();
    let (n, numbering, group) = (layout.pieces(), layout.numbering(), same.group());
    let orbit = same.orbit_size(index) as usize;
    let fixes = |symmetry: &&Symmetry| reference::flip(n, numbering, **symmetry, index) == index;
    let stabiliser = group.members().iter().filter(fixes);
    assert_eq!(orbit * stabiliser.count(), group.members().len());
}

/// All equivalents of an index have the same canonical index and class size.
pub fn equivalents_share_their_canonical_index<W: Word>(same: &Equivalence<W>, index: W) {
    let (n, numbering) = (same.layout().pieces(), same.layout().numbering());
    let (group, sets) = (same.group(), same.like().sets());
    let mut all = reference::equivalents(n, numbering, group, sets, index);
    all.sort_unstable();
    all.dedup();
    let size = all.len() as u128;
    assert_eq!(same.class_size(index), size, "{index:#o} under {same:?}");
    for equivalent in all {
        assert_eq!(same.canonical(equivalent), same.canonical(index));
        assert_eq!(same.class_size(equivalent), same.class_size(index));
    }
}

/// One law of one placement for one word, in one numbering and under one group, all chosen by the first byte. A fuzz
/// target that checks one of them tries many more placements.
pub fn laws_of_bytes(bytes: &[u8]) {
    let Some((&choice, bytes)) = bytes.split_first() else {
        return;
    };
    let (word, law) = (choice % 3, choice / 3);
    match word {
        0 => one_law_of_word::<u32>(law, bytes),
        1 => one_law_of_word::<u64>(law, bytes),
        _ => one_law_of_word::<u128>(law, bytes),
    }
}

fn one_law_of_word<W: Word>(choice: u8, bytes: &[u8]) {
    let Some((pieces, like, natural)) = index_from_bytes::<W>(bytes) else {
        return;
    };
    let numbering = Numbering::ALL[usize::from(choice % 2)];
    let layout = Layout::<W>::new(pieces, numbering);
    let index = reference::encode(
        numbering,
        &reference::decode(pieces, Numbering::Natural, natural),
    );
    let of_group = |group: usize| equivalence(layout, Group::ALL[group], &like);
    match choice / 2 % 12 {
        0 => squares_agree_with_reference(layout, index),
        1 => symmetries_agree_with_reference(layout, index),
        2 => conversion_agrees_with_reference(layout, index),
        law @ 3..6 => canonical_is_smallest(&of_group(usize::from(law) - 3), index),
        law @ 6..9 => orbit_agrees_with_reference(&of_group(usize::from(law) - 6), index),
        // More pieces have too many orders of like ones.
        law if pieces <= 5 => {
            equivalents_share_their_canonical_index(&of_group(usize::from(law) - 9), index);
        }
        _ => {}
    }
}

/// A number of pieces for this word, a natural index of them and sets of like pieces, from any bytes:
/// what fuzz targets and property tests start from.
pub fn index_from_bytes<W: Word>(bytes: &[u8]) -> Option<(usize, Vec<u32>, W)> {
    let (&first, rest) = bytes.split_first()?;
    let pieces = 1 + usize::from(first) % W::MAX_PIECES;
    let (codes, rest) = rest.split_at_checked(pieces)?;
    let squares: Vec<Square> = codes.iter().map(|&code| Square::new(code & 63)).collect();
    // Each piece joins one of as many sets as there are pieces.
    let mut sets = vec![0u32; pieces];
    for k in 0..pieces {
        let set = rest.get(k).map_or(k, |&byte| usize::from(byte) % pieces);
        sets[set] |= 1 << k;
    }
    Some((
        pieces,
        sets,
        reference::encode(Numbering::Natural, &squares),
    ))
}
