//! The masks of bound pieces, and the atoms that make a piece free.

use crate::board::Leaper;

/// The published masks with their names, in the published order. A piece within one of them is bound, in the way that the
/// mask's name says.
///
/// The source of this list calls it incomplete. [`Verdict`](super::Verdict) is complete.
pub const MASKS: [(&str, Leaper); 15] = [
    ("checker colour", Leaper::new(0xaa_a555)),
    ("every other row", Leaper::new(0xf8_3c1f)),
    ("every other file", Leaper::new(0xad_66b5)),
    ("no backward", Leaper::new(0x00_3fff)),
    ("no forward", Leaper::new(0xff_fc00)),
    ("no left", Leaper::new(0xe7_339c)),
    ("no right", Leaper::new(0x39_cce7)),
    ("no south-east", Leaper::new(0x08_cdff)),
    ("no north-west", Leaper::new(0xff_b310)),
    ("no south-west", Leaper::new(0x86_33df)),
    ("no north-east", Leaper::new(0xfb_cc61)),
    ("three-way A", Leaper::new(0x92_4249)),
    ("three-way B", Leaper::new(0x4c_8132)),
    ("pinwheel 1", Leaper::new(0x40_4202)),
    ("pinwheel 2", Leaper::new(0x14_0028)),
];

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
/// use tbindex::fairy::{free_atoms_of, masks_of};
/// let ferz = "F".parse()?;
/// assert!(masks_of(ferz).eq(["checker colour"]));
/// assert!(free_atoms_of(ferz).next().is_none());
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
