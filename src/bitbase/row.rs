//! Eight words side by side.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

use bytemuck::{Pod, Zeroable};

/// Eight neighbouring words of a bitbase: 512 positions, the bits of one vector register.
///
/// The last piece's squares are the bits of a word. The words of a row have the piece before it on the files a
/// to h of one rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Row(pub [u64; 8]);

impl Row {
    /// No position.
    pub const EMPTY: Row = Row([0; 8]);

    /// All 512 positions.
    pub const FULL: Row = Row([!0; 8]);

    /// Whether there is no position.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        let mut any = 0;
        for &word in &self.0 {
            any |= word;
        }
        any == 0
    }

    /// The number of positions.
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

impl BitAnd for Row {
    type Output = Row;

    #[inline]
    fn bitand(mut self, other: Row) -> Row {
        self &= other;
        self
    }
}

impl BitOr for Row {
    type Output = Row;

    #[inline]
    fn bitor(mut self, other: Row) -> Row {
        self |= other;
        self
    }
}

impl BitAndAssign for Row {
    #[inline]
    fn bitand_assign(&mut self, other: Row) {
        for k in 0..8 {
            self.0[k] &= other.0[k];
        }
    }
}

impl BitOrAssign for Row {
    #[inline]
    fn bitor_assign(&mut self, other: Row) {
        for k in 0..8 {
            self.0[k] |= other.0[k];
        }
    }
}

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
