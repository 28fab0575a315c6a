//! The order of moves, the best first: one for every list of moves.
//!
//! It is that of lichess's tablebase server (lila-tablebase): by the outcome, and of winning moves those that zero the
//! counter first. Where the distance to mate is known, a winner mates as soon as the fifty-move rule allows, and a loser as
//! late as it can.

use tbindex::PieceType;

use crate::probe::answer::MoveAnswer;
use crate::table::value::{Outcome, Value};

/// The outcome of a move for the side that makes it, from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Category {
    /// A win.
    Win,
    /// A win that the fifty-move rule saves the other side from.
    CursedWin,
    /// One of these two, as it is open whether the counter reaches 100.
    OpenWin,
    /// A draw.
    Draw,
    /// No table says it.
    Unknown,
    /// A loss or a blessed loss, as for [`OpenWin`](Category::OpenWin).
    OpenLoss,
    /// A loss that the fifty-move rule saves the side from.
    BlessedLoss,
    /// A loss.
    Loss,
}

/// Numbers that are smaller for better moves.
type Rank = (Category, [u16; 2]);

impl MoveAnswer {
    fn category(&self) -> Category {
        let of = self.evaluation.map(|of| (of.outcome, of.certain));
        match of {
            None => Category::Unknown,
            Some((Outcome::Win | Outcome::CursedWin, false)) => Category::OpenWin,
            Some((Outcome::Loss | Outcome::BlessedLoss, false)) => Category::OpenLoss,
            Some((Outcome::Win, true)) => Category::Win,
            Some((Outcome::CursedWin, true)) => Category::CursedWin,
            Some((Outcome::Draw, _)) => Category::Draw,
            Some((Outcome::BlessedLoss, true)) => Category::BlessedLoss,
            Some((Outcome::Loss, true)) => Category::Loss,
        }
    }

    /// The distances to zeroing and to mate after the move, as far as they are known.
    fn plies(&self) -> [Option<u16>; 2] {
        let after = self.after.map(|after| after.evaluation);
        let plies = |value: Option<Value>| value.map(|value| value.plies);
        [after.and_then(|of| of.dtz), after.and_then(|of| of.dtm)].map(plies)
    }

    /// Whether a mate in so many plies after the move comes before the counter reaches 100.
    fn is_in_time(&self, dtm: u16) -> bool {
        let after = self.after.map(|after| after.evaluation);
        // A win that is certain, without a distance to zeroing, is in time.
        let counts = after.is_some_and(|of| {
            let late = matches!(of.outcome, Outcome::CursedWin | Outcome::BlessedLoss);
            of.dtz.is_some() || !of.certain || late
        });
        !counts || self.position.counter() + dtm <= 100
    }

    /// `losses_by_mate` tells that the distance to mate of each losing move is known.
    fn rank(&self, losses_by_mate: bool) -> Rank {
        let (category, [dtz, dtm]) = (self.category(), self.plies());
        // A zeroing at the next ply is known, so a distance that is not known is longer.
        let way = dtz.or(dtm).unwrap_or(u16::MAX);
        let numbers = match category {
            Category::Win | Category::CursedWin | Category::OpenWin => {
                match dtm.filter(|&dtm| self.is_in_time(dtm)) {
                    _ if self.checkmates() => [0, 0],
                    Some(dtm) => [1, dtm],
                    None if self.zeroing => [2, way],
                    None => [3, way],
                }
            }
            Category::Draw | Category::Unknown => [0, 0],
            Category::OpenLoss | Category::BlessedLoss | Category::Loss => match dtm {
                Some(dtm) if losses_by_mate => [0, u16::MAX - dtm],
                _ => [u16::from(self.zeroing), u16::MAX - way],
            },
        };
        (category, numbers)
    }

    /// The first of winning moves that zero the counter and are as long: captures, and then the greater promotion.
    fn kind(&self) -> (bool, usize) {
        use PieceType::{Bishop, Knight, Queen, Rook};
        let kinds = [Queen, Rook, Bishop, Knight];
        let promotion = kinds.iter().position(|&kind| self.promotion == Some(kind));
        (!self.capture, promotion.unwrap_or(kinds.len()))
    }

    /// Sorts moves as [`Tables::moves`](crate::Tables::moves) says.
    pub(super) fn sort(all: &mut [MoveAnswer]) {
        let by_mate = losses_by_mate(all);
        all.sort_by_cached_key(|of| {
            let rank = of.rank(by_mate);
            let kind = match rank {
                (category, [2, _]) if category < Category::Draw => Some(of.kind()),
                _ => None,
            };
            (rank, kind, of.uci.clone())
        });
    }

    /// Of moves, the best first, those that are as good as the first.
    pub fn best(all: &[MoveAnswer]) -> impl Iterator<Item = &MoveAnswer> {
        let by_mate = losses_by_mate(all);
        let first = all.first().map(|step| step.rank(by_mate));
        let all = all.iter();
        all.take_while(move |step| Some(step.rank(by_mate)) == first)
    }
}

/// Whether the distance to mate of each losing move is known.
fn losses_by_mate(moves: &[MoveAnswer]) -> bool {
    let mut losses = moves.iter();
    losses.all(|of| of.category() < Category::OpenLoss || of.plies()[1].is_some())
}
