//! The size of a table under every scheme, before anything is allocated.

use super::{Compact, Dense, Diagonal, Kings, Layout, Orbit, Rules, Triangle};
use crate::board::Material;
use crate::index::Numbering;

/// The size of one material's table under one scheme.
///
/// ```
/// use tbindex::Estimate;
/// let all = Estimate::all("KQRvKR".parse()?);
/// let kings = all.iter().find(|e| e.scheme == "kings").expect("a classical scheme");
/// assert_eq!(kings.slots, 462 * 64 * 64 * 64);
/// assert_eq!(kings.bytes(2), Some(kings.slots / 4));
/// # Ok::<(), tbindex::MaterialError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// The scheme's name, a word: `orbit`, `triangle`, `kings`, `compact_both`, ….
    pub scheme: &'static str,
    /// The positions that have a slot, in words.
    pub room: &'static str,
    /// The number of slots, for one side to move.
    pub slots: u128,
}

impl Estimate {
    /// The estimates of all schemes, from the widest set of positions to the narrowest. A material has at
    /// most 21 pieces, which have fewer than 2¹²⁷ positions; nothing can overflow.
    ///
    /// ```
    /// # use tbindex::Estimate;
    /// let all = Estimate::all("KRPvKR".parse()?);
    /// let slots = |scheme| all.iter().find(|e| e.scheme == scheme).expect("a scheme").slots;
    /// // Pieces that share no squares, and pawns on 48 of them, take a third of the slots less.
    /// assert_eq!((slots("compact_exact"), slots("kings")), (307_483_920, 473_432_064));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn all(material: Material) -> Vec<Estimate> {
        let (layout, group) = (
            Layout::new(material.piece_count(), Numbering::Natural),
            material.group(),
        );
        let compact = |rules, diagonal| Compact::<u128>::slots(material, rules, diagonal);
        let exact = |rules| compact(rules, Diagonal::Exact);
        let all = [
            (
                "triangle",
                "any squares, pieces told apart",
                Triangle::<u128>::new(layout, group).size(),
            ),
            (
                "orbit",
                "any squares, pieces told apart, exact",
                Orbit::<u128>::new(layout, group).size(),
            ),
            (
                "kings",
                "kings apart, pieces told apart",
                Kings::<u128>::new(layout, group).size(),
            ),
            ("compact_all", "any squares, exact", exact(Rules::All)),
            (
                "compact_distinct",
                "squares not shared, exact",
                exact(Rules::Distinct),
            ),
            (
                "compact_shared",
                "kings apart, exact",
                exact(Rules::KingsApartShared),
            ),
            (
                "compact_both",
                "kings apart, squares not shared, diagonal twins",
                compact(Rules::KingsApart, Diagonal::Both),
            ),
            (
                "compact_exact",
                "kings apart, squares not shared, exact",
                exact(Rules::KingsApart),
            ),
        ];
        all.map(|(scheme, room, slots)| Estimate {
            scheme,
            room,
            slots,
        })
        .to_vec()
    }

    /// The size in bytes of a table with this number of bits for each slot, for one side to move, or
    /// `None` if it does not fit 128 bits.
    ///
    /// ```
    /// # use tbindex::Estimate;
    /// let estimate = Estimate { scheme: "kings", room: "kings apart, pieces told apart", slots: 462 << 12 };
    /// assert_eq!(estimate.bytes(16), Some(3_784_704));
    /// ```
    #[must_use]
    pub fn bytes(&self, bits: u32) -> Option<u128> {
        // Whole bytes first: the number of bits may not fit where the number of bytes does.
        let bits = u128::from(bits);
        let rest = (self.slots % 8 * bits).div_ceil(8);
        (self.slots / 8).checked_mul(bits)?.checked_add(rest)
    }
}
