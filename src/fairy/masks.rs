//! The published masks of bound pieces, and the atoms that make a piece free.

use std::fmt;
use std::str::FromStr;

use crate::board::{Leaper, NameError, by_name};

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
    pub const ALL: [Mask; 15] = [
        Mask::CheckerColour,
        Mask::EveryOtherRow,
        Mask::EveryOtherFile,
        Mask::NoBackward,
        Mask::NoForward,
        Mask::NoLeft,
        Mask::NoRight,
        Mask::NoSouthEast,
        Mask::NoNorthWest,
        Mask::NoSouthWest,
        Mask::NoNorthEast,
        Mask::ThreeWayA,
        Mask::ThreeWayB,
        Mask::Pinwheel1,
        Mask::Pinwheel2,
    ];

    /// The piece with all moves of the mask.
    #[must_use]
    pub const fn piece(self) -> Leaper {
        Leaper::new(match self {
            Mask::CheckerColour => 0xaa_a555,
            Mask::EveryOtherRow => 0xf8_3c1f,
            Mask::EveryOtherFile => 0xad_66b5,
            Mask::NoBackward => 0x00_3fff,
            Mask::NoForward => 0xff_fc00,
            Mask::NoLeft => 0xe7_339c,
            Mask::NoRight => 0x39_cce7,
            Mask::NoSouthEast => 0x08_cdff,
            Mask::NoNorthWest => 0xff_b310,
            Mask::NoSouthWest => 0x86_33df,
            Mask::NoNorthEast => 0xfb_cc61,
            Mask::ThreeWayA => 0x92_4249,
            Mask::ThreeWayB => 0x4c_8132,
            Mask::Pinwheel1 => 0x40_4202,
            Mask::Pinwheel2 => 0x14_0028,
        })
    }

    /// The published name.
    const fn name(self) -> &'static str {
        match self {
            Mask::CheckerColour => "checker colour",
            Mask::EveryOtherRow => "every other row",
            Mask::EveryOtherFile => "every other file",
            Mask::NoBackward => "no backward",
            Mask::NoForward => "no forward",
            Mask::NoLeft => "no left",
            Mask::NoRight => "no right",
            Mask::NoSouthEast => "no south-east",
            Mask::NoNorthWest => "no north-west",
            Mask::NoSouthWest => "no south-west",
            Mask::NoNorthEast => "no north-east",
            Mask::ThreeWayA => "three-way A",
            Mask::ThreeWayB => "three-way B",
            Mask::Pinwheel1 => "pinwheel 1",
            Mask::Pinwheel2 => "pinwheel 2",
        }
    }

    /// Whether the piece has no other moves than the mask's.
    pub(crate) const fn holds(self, piece: Leaper) -> bool {
        piece.is_within(self.piece())
    }

    /// The masks that the piece is within, in the published order.
    pub(crate) fn holding(piece: Leaper) -> impl Iterator<Item = Mask> {
        Mask::ALL.into_iter().filter(move |mask| mask.holds(piece))
    }
}

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

impl fmt::Display for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Mask {
    type Err = NameError;

    /// Reads a name as [`Display`](fmt::Display) prints it. Case does not matter, and a blank may be written `-` or
    /// `_`.
    fn from_str(text: &str) -> Result<Mask, NameError> {
        by_name("published mask", &Mask::ALL, text)
    }
}

/// A published atom of freedom: a piece that contains all its moves is free.
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
    pub(crate) const ALL: [FreeAtom; 3] = [FreeAtom::Wazir, FreeAtom::Crab, FreeAtom::Y];

    /// The piece with just the atom's moves.
    #[must_use]
    pub const fn piece(self) -> Leaper {
        match self {
            FreeAtom::Wazir => Leaper::WAZIR,
            FreeAtom::Crab => Leaper::CRAB,
            FreeAtom::Y => Leaper::Y,
        }
    }

    /// The published name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            FreeAtom::Wazir => "wazir",
            FreeAtom::Crab => "crab",
            FreeAtom::Y => "Y",
        }
    }

    /// The atoms that the piece contains.
    pub(crate) fn contained_in(piece: Leaper) -> impl Iterator<Item = FreeAtom> {
        FreeAtom::ALL
            .into_iter()
            .filter(move |atom| atom.piece().is_within(piece))
    }
}

impl fmt::Display for FreeAtom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Step;
    use crate::board::Symmetry;
    use crate::fairy::{Direction, Directions};

    #[test]
    fn named_pieces_have_their_numbers() {
        let of = |numbers: &[u8]| -> Leaper {
            let steps = numbers.iter().copied();
            steps.filter_map(Step::from_number).collect()
        };
        assert_eq!(of(&[2, 4, 6, 10, 15, 19, 21, 23]), Leaper::KNIGHT);
        assert_eq!(of(&[2, 4, 15, 19]), Leaper::CRAB);
        assert_eq!(of(&[7, 9, 17]), Leaper::Y);
    }

    #[test]
    fn masks_hold_the_moves_that_their_names_say() {
        let rule = |mask, Step { files: f, ranks: r }| match mask {
            Mask::CheckerColour => (f + r) % 2 == 0,
            Mask::EveryOtherRow => r % 2 == 0,
            Mask::EveryOtherFile => f % 2 == 0,
            Mask::NoBackward => r >= 0,
            Mask::NoForward => r <= 0,
            Mask::NoLeft => f >= 0,
            Mask::NoRight => f <= 0,
            Mask::NoSouthEast => f <= r,
            Mask::NoNorthWest => f >= r,
            Mask::NoSouthWest => f + r >= 0,
            Mask::NoNorthEast => f + r <= 0,
            Mask::ThreeWayA => (f + r) % 3 == 0,
            Mask::ThreeWayB => (f - r) % 3 == 0,
            Mask::Pinwheel1 => (2 * f + r) % 5 == 0,
            Mask::Pinwheel2 => (f + 2 * r) % 5 == 0,
        };
        for mask in Mask::ALL {
            let expected = Step::ALL.into_iter().filter(|&step| rule(mask, step));
            assert_eq!(mask.piece(), expected.collect(), "{mask}");
            assert_eq!(mask.name().parse(), Ok(mask));
            assert_eq!(
                mask as usize,
                Mask::ALL.iter().position(|&m| m == mask).unwrap()
            );
        }
        let error = "chequer".parse::<Mask>().unwrap_err().to_string();
        assert!(error.contains("\"chequer\"") && error.contains("no south-east"));
    }

    #[test]
    fn the_list_is_closed_under_symmetry() {
        for mask in Mask::ALL {
            for image in mask.piece().images() {
                assert!(
                    Mask::ALL.iter().any(|other| other.piece() == image),
                    "{mask}"
                );
            }
        }
        assert_eq!(
            Mask::Pinwheel1.piece().image(Symmetry::FlipDiagonal),
            Mask::Pinwheel2.piece()
        );
    }

    #[test]
    fn unlisted_masks_are_the_half_planes_along_the_knights_moves() {
        for (name, mask) in UNLISTED_MASKS {
            let missing = Directions::of(mask).missing();
            assert_eq!(missing.len(), 7, "{name}");
            let middle = missing.arc().map(|(first, _)| first as usize + 3);
            let middle = middle.map(|index| Direction::ALL[index % 16].name());
            assert_eq!(middle, name.strip_prefix("no "));
            // All moves but the missing ones, and the edge among them.
            let others = Step::ALL.into_iter();
            let held = others.filter(|&step| !missing.contains(Direction::of(step)));
            assert_eq!(mask, held.collect(), "{name}");
            assert!(Mask::holding(mask).next().is_none(), "{name}");
        }
    }

    #[test]
    fn free_atoms_are_within_no_mask() {
        for atom in FreeAtom::ALL {
            assert_eq!(Mask::holding(atom.piece()).next(), None, "{atom}");
            assert!(FreeAtom::contained_in(atom.piece()).any(|other| other == atom));
        }
    }
}
