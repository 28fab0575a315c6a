//! The published masks of bound pieces, and the atoms that make a piece free.

use crate::board::Leaper;

/// Pieces with names of their own.
impl Leaper {
    /// The crab: the two foremost and the two hindmost *sideways* moves of a knight, `ffbsN`.
    pub(crate) const CRAB: Leaper = Leaper::new(0x04_400a);
    /// The Y: one square diagonally forwards, or one straight back.
    pub(crate) const Y: Leaper = Leaper::new(0x01_0140);
}

/// A published mask. A piece within it is bound, in the way that the mask's name says. It prints as the published name,
/// such as `no south-east`.
///
/// The source of this list calls it incomplete. [`Verdict`](super::Verdict) is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[expect(
    missing_docs,
    reason = "the names are the published ones, in the published order"
)]
pub enum Mask {
    CheckerColour,
    EveryOtherRow,
    EveryOtherFile,
    NoBackward,
    NoForward,
    NoLeft,
    NoRight,
    NoSouthEast,
    NoNorthWest,
    NoSouthWest,
    NoNorthEast,
    ThreeWayA,
    ThreeWayB,
    Pinwheel1,
    Pinwheel2,
}

impl Mask {
    /// All fifteen in the published order.
    pub const ALL: [Mask; 15] = {
        let mut all = [Mask::CheckerColour; 15];
        let mut index = 0;
        while index < 15 {
            all[index] = TABLE[index].0;
            index += 1;
        }
        all
    };

    /// The piece with all moves of the mask.
    #[must_use]
    pub const fn piece(self) -> Leaper {
        Leaper::new(TABLE[self as usize].1)
    }

    /// The published name, such as `no south-east`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        TABLE[self as usize].2
    }

    /// Whether the piece has no other moves than the mask's.
    pub(crate) const fn holds(self, piece: Leaper) -> bool {
        piece.is_within(self.piece())
    }
}

/// The masks with their moves and their published names.
const TABLE: [(Mask, u32, &str); 15] = [
    (Mask::CheckerColour, 0xaa_a555, "checker colour"),
    (Mask::EveryOtherRow, 0xf8_3c1f, "every other row"),
    (Mask::EveryOtherFile, 0xad_66b5, "every other file"),
    (Mask::NoBackward, 0x00_3fff, "no backward"),
    (Mask::NoForward, 0xff_fc00, "no forward"),
    (Mask::NoLeft, 0xe7_339c, "no left"),
    (Mask::NoRight, 0x39_cce7, "no right"),
    (Mask::NoSouthEast, 0x08_cdff, "no south-east"),
    (Mask::NoNorthWest, 0xff_b310, "no north-west"),
    (Mask::NoSouthWest, 0x86_33df, "no south-west"),
    (Mask::NoNorthEast, 0xfb_cc61, "no north-east"),
    (Mask::ThreeWayA, 0x92_4249, "three-way A"),
    (Mask::ThreeWayB, 0x4c_8132, "three-way B"),
    (Mask::Pinwheel1, 0x40_4202, "pinwheel 1"),
    (Mask::Pinwheel2, 0x14_0028, "pinwheel 2"),
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

/// A published free atom: a piece that contains all its moves is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum FreeAtom {
    /// One square along a file or rank.
    Wazir,
    /// 02, 04, 15, 19: half of a knight.
    Crab,
    /// 07, 09, 17: the smallest of the three.
    Y,
}

impl FreeAtom {
    /// All three in the published order.
    pub const ALL: [FreeAtom; 3] = [FreeAtom::Wazir, FreeAtom::Crab, FreeAtom::Y];

    /// The piece with just the atom's moves.
    #[must_use]
    pub const fn piece(self) -> Leaper {
        match self {
            FreeAtom::Wazir => Leaper::by(1, 0),
            FreeAtom::Crab => Leaper::CRAB,
            FreeAtom::Y => Leaper::Y,
        }
    }

    /// The published name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            FreeAtom::Wazir => "wazir",
            FreeAtom::Crab => "crab",
            FreeAtom::Y => "Y",
        }
    }
}

crate::board::print_names!(Mask, FreeAtom);
