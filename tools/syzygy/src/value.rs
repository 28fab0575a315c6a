//! The answers of a probe.

use std::fmt;
use std::ops::Neg;

/// The outcome for the side to move, under the fifty-move rule and with the counter at zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i8)]
pub enum Wdl {
    /// The opponent wins.
    Loss = -2,
    /// The opponent would win if there were no fifty-move rule.
    BlessedLoss = -1,
    /// Nobody can win.
    Draw = 0,
    /// The side to move would win if there were no fifty-move rule.
    CursedWin = 1,
    /// The side to move wins.
    Win = 2,
}

impl Wdl {
    /// All outcomes from the worst to the best, so that the number in a file is the place in this list.
    pub const ALL: [Wdl; 5] = [
        Wdl::Loss,
        Wdl::BlessedLoss,
        Wdl::Draw,
        Wdl::CursedWin,
        Wdl::Win,
    ];

    /// The outcomes that have distances, in the order of a file's maps.
    pub const DECIDED: [Wdl; 4] = [Wdl::Win, Wdl::Loss, Wdl::CursedWin, Wdl::BlessedLoss];

    /// The place in [`DECIDED`](Wdl::DECIDED), or `None` of a draw.
    pub(crate) const fn map(self) -> Option<usize> {
        match self {
            Wdl::Win => Some(0),
            Wdl::Loss => Some(1),
            Wdl::CursedWin => Some(2),
            Wdl::BlessedLoss => Some(3),
            Wdl::Draw => None,
        }
    }

    /// Whether the fifty-move rule draws.
    pub(crate) const fn is_cursed(self) -> bool {
        matches!(self, Wdl::CursedWin | Wdl::BlessedLoss)
    }

    /// The number in a file, 0 for a loss to 4 for a win.
    #[must_use]
    pub const fn number(self) -> u8 {
        (self as i8 + 2) as u8
    }
}

/// The same outcome for the opponent.
impl Neg for Wdl {
    type Output = Wdl;

    fn neg(self) -> Wdl {
        Wdl::ALL[4 - usize::from(self.number())]
    }
}

impl fmt::Display for Wdl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Wdl::Loss => "loss",
            Wdl::BlessedLoss => "blessed loss",
            Wdl::Draw => "draw",
            Wdl::CursedWin => "cursed win",
            Wdl::Win => "win",
        })
    }
}

/// The distance to the next capture, pawn move or mate, when the winner hurries and the loser delays, and neither gives
/// away the outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dtz {
    /// The distance in plies, negative for the loser and 0 for a draw; −1 for a checkmated side, too. Distances of cursed
    /// wins and blessed losses are counted on from 101.
    pub plies: i32,
    /// Whether the distance is exact. If it isn't, because the file has distances in moves, the true one may be one
    /// ply farther from 0.
    pub exact: bool,
}

impl fmt::Display for Dtz {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.exact, self.plies > 0) {
            (true, _) => write!(f, "{}", self.plies),
            (false, true) => write!(f, "{} or {}", self.plies, self.plies + 1),
            (false, false) => write!(f, "{} or {}", self.plies, self.plies - 1),
        }
    }
}
