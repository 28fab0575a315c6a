//! The promise of a numbering, square by square.

use tbindex::reference::SQUARE_OF_CODE;
use tbindex::{
    Diagonal, Equivalence, Group, Layout, LikePieces, Material, Numbering, Piece, PieceType, Rules,
};

/// The equivalence of positions, and those that have slots.
pub(crate) struct Promise {
    pub(crate) same: Equivalence<u32>,
    pub(crate) layout: Layout<u32>,
    /// Whether every class has exactly one slot.
    pub(crate) is_exact: bool,
    /// Whether pieces may share squares.
    shared: bool,
    /// The squares of each piece.
    zones: Vec<u64>,
    /// The squares on which one king keeps off the other.
    near: [u64; 64],
    /// The square of each code.
    squares: [u8; 64],
}

const ALL: u64 = u64::MAX;
const WITHOUT_ENDS: u64 = 0x00ff_ffff_ffff_ff00;

impl Promise {
    pub(crate) fn of_material(
        material: Material,
        numbering: Numbering,
        rules: (Rules, Diagonal),
    ) -> Promise {
        let same = Equivalence::try_new(material, numbering).expect("few pieces");
        let zone = |piece: Piece| match piece.kind {
            PieceType::Pawn => WITHOUT_ENDS,
            _ => ALL,
        };
        let zones = material.index_order().map(zone).collect();
        Promise::new(same, rules, zones)
    }

    /// The promise for pieces that are all different.
    pub(crate) fn of_layout(
        layout: Layout<u32>,
        group: Group,
        rules: (Rules, Diagonal),
    ) -> Promise {
        let same = Equivalence::new(layout, group, LikePieces::default());
        Promise::new(same, rules, vec![ALL; layout.pieces()])
    }

    fn new(
        same: Equivalence<u32>,
        (rules, diagonal): (Rules, Diagonal),
        zones: Vec<u64>,
    ) -> Promise {
        let near = std::array::from_fn(|king: usize| {
            let touches = |other: usize| {
                (king % 8).abs_diff(other % 8) <= 1 && (king / 8).abs_diff(other / 8) <= 1
            };
            (0..64)
                .filter(|&other| match rules {
                    Rules::All => false,
                    Rules::Distinct => other == king,
                    Rules::KingsApart | Rules::KingsApartShared => touches(other),
                })
                .fold(0, |all, other| all | 1 << other)
        });
        Promise {
            layout: same.layout(),
            squares: SQUARE_OF_CODE[same.layout().numbering() as usize],
            same,
            is_exact: diagonal == Diagonal::Exact,
            shared: matches!(rules, Rules::All | Rules::KingsApartShared),
            zones,
            near,
        }
    }

    /// The square of a piece.
    #[inline(always)]
    fn square(&self, index: u32, piece: usize) -> usize {
        let (low, high) = (3 * piece, 3 * (self.zones.len() + piece));
        let code = (index >> high & 7) << 3 | index >> low & 7;
        self.squares[code as usize].into()
    }

    /// Whether a position has a slot.
    #[inline(always)]
    pub(crate) fn has_room(&self, index: u32) -> bool {
        let pieces = self.zones.len();
        let (mut occupied, mut is_free, mut is_in_zone) = (0u64, true, true);
        for (piece, zone) in self.zones.iter().enumerate() {
            let bit = 1u64 << self.square(index, piece);
            is_free &= occupied & bit == 0;
            is_in_zone &= zone & bit != 0;
            occupied |= bit;
        }
        let kings_admitted = pieces < 2
            || self.near[self.square(index, pieces - 1)] >> self.square(index, pieces - 2) & 1 == 0;
        kings_admitted && is_in_zone && (is_free || self.shared)
    }
}
