//! The published masks of bound pieces.

use crate::board::Leaper;

/// The published masks with their names, in the published order. A piece within one of them is bound, in the way that the
/// mask's name says.
///
/// The source of this list calls it incomplete. [`Verdict`](super::Verdict) is complete.
///
/// ```
/// use tbindex::Leaper;
/// use tbindex::fairy::MASKS;
/// let ferz: Leaper = "F".parse()?;
/// let mut holding = MASKS.iter().filter(|&&(_, mask)| ferz & mask == ferz);
/// assert_eq!(holding.next().map(|&(name, _)| name), Some("checker colour"));
/// # Ok::<(), tbindex::fairy::NotationError>(())
/// ```
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
