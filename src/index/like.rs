//! Like pieces, which may exchange their squares without changing the position.

use super::LayoutError;
use crate::board::Material;

/// A partition of the pieces into sets of like pieces. In the [default](LikePieces::default) one, no two are alike.
///
/// The smallest arrangement of like pieces is the sorted one. An index is compared by its high
/// digits first, the leading piece's first of all, and the arrangement of one set does not touch the
/// digits of the others; so each set is at its smallest when its codes ascend from the piece with the
/// greatest number to the piece with the least: high digits ascending, low digits ascending where
/// they tie. Sorting is done by a fixed network of compare-exchanges, the same for a single index and
/// for batches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LikePieces {
    sets: Vec<u32>,
}

impl LikePieces {
    /// The partition with these sets, each a bit mask of piece numbers. A piece that
    /// is in no set, or alone in one, is like no other.
    ///
    /// ```
    /// # use tbindex::LikePieces;
    /// assert!(LikePieces::try_new(&[0b0011, 0b1100], 4).is_ok());
    /// let error = LikePieces::try_new(&[0b0011, 0b0110], 4).unwrap_err();
    /// assert_eq!(error.to_string(), "piece 1 is in two sets of like pieces");
    /// ```
    ///
    /// # Errors
    /// If a piece is in two sets, or its number is not below `pieces`.
    pub fn try_new(sets: &[u32], pieces: usize) -> Result<LikePieces, LayoutError> {
        let mut seen = 0u32;
        for &set in sets {
            if seen & set != 0 {
                return Err(LayoutError::Overlap {
                    piece: (seen & set).trailing_zeros(),
                });
            }
            seen |= set;
        }
        match seen.checked_shr(pieces as u32).unwrap_or(0) {
            0 => Ok(LikePieces::from_disjoint(sets.to_vec())),
            beyond => Err(LayoutError::OutOfRange {
                piece: beyond.trailing_zeros() + pieces as u32,
                pieces,
            }),
        }
    }

    fn from_disjoint(mut sets: Vec<u32>) -> LikePieces {
        sets.retain(|set| set.count_ones() > 1);
        LikePieces { sets }
    }

    /// Whether no two pieces are alike.
    #[inline]
    pub(crate) fn is_none(&self) -> bool {
        self.sets.is_empty()
    }

    /// The sets of two or more like pieces as bit masks of piece numbers.
    ///
    /// ```
    /// # use tbindex::{LikePieces, Material};
    /// let material: Material = "KRRRvKNN".parse()?;
    /// assert_eq!(LikePieces::from(material).sets(), [0b1_1100, 0b0_0011]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn sets(&self) -> &[u32] {
        &self.sets
    }

    /// Whether there is another piece like this one.
    #[inline]
    pub(super) fn has_twin(&self, piece: usize) -> bool {
        self.sets.iter().any(|set| set >> piece & 1 != 0)
    }

    /// The compare-exchanges that sort every set, in order: after `(a, b)` the code of piece `a` is
    /// not greater than that of piece `b`. Always `a > b`.
    pub(super) fn network(&self) -> impl Iterator<Item = (u8, u8)> + '_ {
        self.sets.iter().flat_map(|&set| sorting_network(set))
    }
}

/// The like pieces of a material.
impl From<Material> for LikePieces {
    fn from(material: Material) -> LikePieces {
        LikePieces::from_disjoint(material.like_sets())
    }
}

/// Batcher's merge exchange (Knuth, The Art of Computer Programming 3, 5.2.2, algorithm M), which
/// works for any number of keys: 1, 3, 5, 9, 12, 16, 19 comparators for 2 to 8.
fn sorting_network(set: u32) -> Vec<(u8, u8)> {
    // Position 0 is the piece with the greatest number: it shall get the least code.
    let pieces: Vec<u8> = (0..32u8).rev().filter(|&k| set >> k & 1 != 0).collect();
    let n = pieces.len();
    let mut network = Vec::new();
    let top = n.next_power_of_two() / 2;
    let mut p = top;
    while p > 0 {
        let (mut q, mut r, mut d) = (top, 0, p);
        loop {
            for i in (0..n.saturating_sub(d)).filter(|i| i & p == r) {
                network.push((pieces[i], pieces[i + d]));
            }
            if q == p {
                break;
            }
            (d, q, r) = (q - p, q / 2, p);
        }
        p /= 2;
    }
    network
}
