//! The rows of a set: eight words that are one vector register.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

use bytemuck::{Pod, Zeroable};

/// Eight neighbouring words of a set: 512 slots, the bits of one vector register.
///
/// The last man's squares are the bits of a word, a1 the lowest. The words of a row are the squares a to h of
/// the last man but one on one rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Row(pub [u64; 8]);

impl Row {
    /// The row without positions.
    pub const EMPTY: Row = Row([0; 8]);

    /// Whether the row has no position.
    ///
    /// ```
    /// # use tbindex::bitbase::Row;
    /// assert!(Row::EMPTY.is_empty() && !Row([0, 0, 0, 0, 0, 0, 0, 1 << 63]).is_empty());
    /// ```
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        let mut any = 0;
        for &word in &self.0 {
            any |= word;
        }
        any == 0
    }

    /// The number of slots in the row, 0 to 512.
    ///
    /// ```
    /// # use tbindex::bitbase::Row;
    /// assert_eq!((!Row::EMPTY).len(), 512);
    /// ```
    #[must_use]
    #[inline]
    pub fn len(&self) -> u32 {
        let mut len = 0;
        for &word in &self.0 {
            len += word.count_ones();
        }
        len
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $assign_trait:ident $assign:ident),*) => {$(
        impl $trait for Row {
            type Output = Row;

            #[inline]
            fn $method(mut self, other: Row) -> Row {
                $assign_trait::$assign(&mut self, other);
                self
            }
        }

        impl $assign_trait for Row {
            #[inline]
            fn $assign(&mut self, other: Row) {
                for k in 0..8 {
                    $assign_trait::$assign(&mut self.0[k], other.0[k]);
                }
            }
        }
    )*};
}

operators!(BitAnd bitand BitAndAssign bitand_assign, BitOr bitor BitOrAssign bitor_assign);

impl Not for Row {
    type Output = Row;

    #[inline]
    fn not(mut self) -> Row {
        for word in &mut self.0 {
            *word = !*word;
        }
        self
    }
}
