//! The masks and free atoms of a piece, by name.

use tbindex::Leaper;
use tbindex::fairy::MASKS;

/// The masks that the published list lacks, named in its manner: the eight half-planes whose edge runs
/// along a knight's move.
///
/// With them the list is complete: a piece is bound exactly if one of the 15 + 8 masks holds it.
pub const UNLISTED_MASKS: [(&str, Leaper); 8] = [
    ("no north-north-east", Leaper::new(0xff_cc20)),
    ("no east-north-east", Leaper::new(0x79_cc63)),
    ("no east-south-east", Leaper::new(0x18_ccef)),
    ("no south-south-east", Leaper::new(0x00_4fff)),
    ("no south-south-west", Leaper::new(0x04_33ff)),
    ("no west-south-west", Leaper::new(0xc6_339e)),
    ("no west-north-west", Leaper::new(0xf7_3318)),
    ("no north-north-west", Leaper::new(0xff_f200)),
];

/// The published free atoms with their names: a piece that contains all moves of one is free. The crab has the two foremost
/// and the two hindmost *sideways* moves of a knight, `ffbsN`; the Y goes one square diagonally forwards, or one straight
/// back, `fFbW`.
pub const FREE_ATOMS: [(&str, Leaper); 3] = [
    ("wazir", Leaper::new(0x01_1880)),
    ("crab", Leaper::new(0x04_400a)),
    ("Y", Leaper::new(0x01_0140)),
];

/// The names of the published [masks](MASKS) that a piece is within.
///
/// ```
/// let ferz = "F".parse()?;
/// assert!(tbindex_fairy::masks_of(ferz).eq(["checker colour"]));
/// assert!(tbindex_fairy::free_atoms_of(ferz).next().is_none());
/// # Ok::<(), tbindex::fairy::NotationError>(())
/// ```
pub fn masks_of(piece: Leaper) -> impl Iterator<Item = &'static str> {
    holding(&MASKS, piece)
}

/// The names of the masks that the published list lacks and that a piece is within.
pub fn unlisted_masks_of(piece: Leaper) -> impl Iterator<Item = &'static str> {
    holding(&UNLISTED_MASKS, piece)
}

/// The names of the published [free atoms](FREE_ATOMS) that a piece contains.
pub fn free_atoms_of(piece: Leaper) -> impl Iterator<Item = &'static str> {
    let contained = FREE_ATOMS
        .iter()
        .filter(move |&&(_, atom)| atom & piece == atom);
    contained.map(|&(name, _)| name)
}

fn holding(
    masks: &'static [(&'static str, Leaper)],
    piece: Leaper,
) -> impl Iterator<Item = &'static str> {
    let holding = masks
        .iter()
        .filter(move |&&(_, mask)| piece & mask == piece);
    holding.map(|&(name, _)| name)
}
