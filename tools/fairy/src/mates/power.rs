//! The mating power of a piece with the help of its king.

/// The mating power of king and piece against the bare king, in numbers of positions.
///
/// All placements count, as pieces in general have no symmetry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MatingPower {
    /// The placements in which Black is checkmated. Without any, the piece can't give mate.
    pub mates: u32,
    /// The legal positions with White to move: Black is not in check.
    pub legal_white: u32,
    /// The positions that White to move wins.
    pub wins_white: u32,
    /// The legal positions with Black to move.
    pub legal_black: u32,
    /// The positions that Black to move loses, checkmates included.
    pub losses_black: u32,
    /// The most plies to the mate, whichever side is to move. It is odd if positions with White to move take longest, and 0 if White
    /// can't force a mate at all.
    pub longest: u16,
}

impl MatingPower {
    /// Whether White to move wins every legal position.
    #[must_use]
    pub const fn wins_everywhere(&self) -> bool {
        self.wins_white > 0 && self.wins_white == self.legal_white
    }

    /// The share of legal positions that White to move wins, 0 to 1.
    #[must_use]
    pub fn share(&self) -> f64 {
        f64::from(self.wins_white) / f64::from(self.legal_white.max(1))
    }
}
