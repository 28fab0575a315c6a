//! The eight symmetries of the board and the groups of them that keep a position's value.
//!
//! Three bits describe a symmetry: whether it *first* exchanges file and rank, whether it *then* mirrors
//! the files, and whether it *then* mirrors the ranks. The numeric code of a [`Symmetry`] is these three
//! bits, and composition, inverse and all flips of the index layer follow from it.

use super::{Bitboard, Square};

/// A symmetry of the board, an element of the dihedral group D4.
///
/// The discriminant is the code: bit 0 mirrors the files, bit 1 mirrors the ranks, bit 2 exchanges
/// file and rank *before* that.
///
/// ```
/// use tbindex::{Square, Symmetry};
/// let turn = Symmetry::Rotate90;
/// assert_eq!(turn.apply(Square::A1).to_string(), "a8");
/// assert_eq!(turn.then(turn), Symmetry::Rotate180);
/// assert_eq!(turn.then(turn.inverse()), Symmetry::Identity);
/// assert_eq!(turn.to_string(), "rotate_90");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Symmetry {
    /// (f, r) → (f, r).
    Identity = 0b000,
    /// (f, r) → (7−f, r): a ↔ h, the flip around the vertical axis.
    FlipHorizontal = 0b001,
    /// (f, r) → (f, 7−r): 1 ↔ 8, the flip around the horizontal axis.
    FlipVertical = 0b010,
    /// (f, r) → (7−f, 7−r).
    Rotate180 = 0b011,
    /// (f, r) → (r, f): mirrored along a1–h8.
    FlipDiagonal = 0b100,
    /// (f, r) → (7−r, f): counter-clockwise, a1 → h1.
    Rotate270 = 0b101,
    /// (f, r) → (r, 7−f): clockwise, a1 → a8.
    Rotate90 = 0b110,
    /// (f, r) → (7−r, 7−f): mirrored along a8–h1.
    FlipAntiDiagonal = 0b111,
}

impl Symmetry {
    /// All eight, in the order in which they are listed to people.
    pub const ALL: [Symmetry; 8] = [
        Symmetry::Identity,
        Symmetry::FlipHorizontal,
        Symmetry::FlipVertical,
        Symmetry::Rotate180,
        Symmetry::FlipDiagonal,
        Symmetry::FlipAntiDiagonal,
        Symmetry::Rotate90,
        Symmetry::Rotate270,
    ];

    const BY_CODE: [Symmetry; 8] = [
        Symmetry::Identity,
        Symmetry::FlipHorizontal,
        Symmetry::FlipVertical,
        Symmetry::Rotate180,
        Symmetry::FlipDiagonal,
        Symmetry::Rotate270,
        Symmetry::Rotate90,
        Symmetry::FlipAntiDiagonal,
    ];

    /// The symmetry whose code is the low three bits of `code`.
    #[must_use]
    #[inline]
    pub const fn from_code(code: u8) -> Symmetry {
        Symmetry::BY_CODE[(code & 7) as usize]
    }

    /// Whether file and rank are exchanged, before any mirroring.
    #[must_use]
    #[inline]
    pub(crate) const fn exchanges_file_and_rank(self) -> bool {
        self as u8 & 4 != 0
    }

    /// Whether the files are mirrored (after the exchange).
    #[must_use]
    #[inline]
    pub(crate) const fn mirrors_files(self) -> bool {
        self as u8 & 1 != 0
    }

    /// Whether the ranks are mirrored (after the exchange).
    #[must_use]
    #[inline]
    pub(crate) const fn mirrors_ranks(self) -> bool {
        self as u8 & 2 != 0
    }

    /// The composition: first `self`, then `next`.
    #[must_use]
    #[inline]
    pub const fn then(self, next: Symmetry) -> Symmetry {
        // next = mirror ∘ exchange. An exchange after a mirroring is the exchange, then the
        // mirroring of the other axis; two exchanges cancel, two mirrorings add up.
        let mut code = self as u8;
        if next.exchanges_file_and_rank() {
            code = (code & 4) | (code & 1) << 1 | (code >> 1 & 1);
        }
        Symmetry::from_code(code ^ next as u8)
    }

    /// The symmetry that undoes this one. Only the quarter turns are not their own inverse.
    #[must_use]
    #[inline]
    pub const fn inverse(self) -> Symmetry {
        match self {
            Symmetry::Rotate90 => Symmetry::Rotate270,
            Symmetry::Rotate270 => Symmetry::Rotate90,
            other => other,
        }
    }

    /// The image of a square.
    #[must_use]
    #[inline]
    pub const fn apply(self, square: Square) -> Square {
        let number = square.number();
        let number = if self.exchanges_file_and_rank() {
            (number & 7) << 3 | number >> 3
        } else {
            number
        };
        let files = if self.mirrors_files() { 0o07 } else { 0 };
        let ranks = if self.mirrors_ranks() { 0o70 } else { 0 };
        Square::from_low_bits(number ^ files ^ ranks)
    }

    /// The image of a set of squares, by shifts and byte swaps on the whole set.
    #[must_use]
    #[inline]
    pub const fn apply_to_set(self, set: Bitboard) -> Bitboard {
        let mut set = set;
        if self.exchanges_file_and_rank() {
            set = set.flip_diagonal();
        }
        if self.mirrors_files() {
            set = set.flip_horizontal();
        }
        if self.mirrors_ranks() {
            set = set.flip_vertical();
        }
        set
    }

    /// The name as chess libraries write it, `identity`, `flip_horizontal`, ….
    #[must_use]
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Symmetry::Identity => "identity",
            Symmetry::FlipHorizontal => "flip_horizontal",
            Symmetry::FlipVertical => "flip_vertical",
            Symmetry::Rotate180 => "rotate_180",
            Symmetry::FlipDiagonal => "flip_diagonal",
            Symmetry::FlipAntiDiagonal => "flip_anti_diagonal",
            Symmetry::Rotate90 => "rotate_90",
            Symmetry::Rotate270 => "rotate_270",
        }
    }
}

super::read_names!(Symmetry, "symmetry");

/// A group of symmetries under which positions count as the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Group {
    /// Only the identity.
    Trivial = 0,
    /// The identity and the file mirror: positions with pawns.
    FileMirror = 1,
    /// All eight symmetries: positions without pawns.
    D4 = 2,
}

impl Group {
    /// All three groups, the smallest first.
    pub const ALL: [Group; 3] = [Group::Trivial, Group::FileMirror, Group::D4];

    /// The group's members, the identity first, in the order of [`Symmetry::ALL`].
    #[must_use]
    pub const fn members(self) -> &'static [Symmetry] {
        match self {
            Group::Trivial => &[Symmetry::Identity],
            Group::FileMirror => &[Symmetry::Identity, Symmetry::FlipHorizontal],
            Group::D4 => &Symmetry::ALL,
        }
    }

    /// The number of members that the group has: 1, 2 or 8.
    pub(crate) const fn order(self) -> u32 {
        self.members().len() as u32
    }

    /// Whether the symmetry is a member.
    pub(crate) fn contains(self, symmetry: Symmetry) -> bool {
        self.members().contains(&symmetry)
    }

    /// `trivial`, `file mirror` or `D4`.
    #[must_use]
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Group::Trivial => "trivial",
            Group::FileMirror => "file mirror",
            Group::D4 => "D4",
        }
    }
}

super::print_names!(Symmetry, Group);
