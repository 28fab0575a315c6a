//! The order of moves, the best first: one for every list of moves.
//!
//! It is that of lichess's tablebase server (lila-tablebase): by the outcome, and of winning moves those that zero the
//! counter first. Where the distance to mate is known, a winner mates as soon as the fifty-move rule allows, and a loser as
//! late as it can.

use tbindex::PieceType;

/// The outcome of a move for the side that makes it, from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Category {
    /// A win.
    Win,
    /// A win that the fifty-move rule saves the other side from.
    CursedWin,
    /// One of these two, as a rounded distance leaves open whether the counter reaches 100.
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

/// The key to the place of a move among others. Distances, in plies, and the counter are those of the position after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate<'a> {
    /// The outcome.
    pub(crate) category: Category,
    /// Whether it checkmates.
    pub(crate) checkmate: bool,
    /// The distance to zeroing, if it is known.
    pub(crate) dtz: Option<u16>,
    /// The distance to mate, if it is known.
    pub(crate) dtm: Option<u16>,
    /// The fifty-move counter, or `None` where that rule is not heeded.
    pub(crate) counter: Option<u16>,
    /// Whether it is a capture or a move of a pawn.
    pub(crate) zeroing: bool,
    /// Whether it is a capture.
    pub(crate) capture: bool,
    /// The piece that a pawn becomes.
    pub(crate) promotion: Option<PieceType>,
    /// The move as UCI engines write it, which decides between moves that are equal otherwise.
    pub(crate) uci: &'a str,
}

/// Numbers that are smaller for better moves.
type Rank = (Category, [u16; 2]);

impl Candidate<'_> {
    /// `losses_by_mate` tells that the distance to mate of each losing move is known.
    fn rank(&self, losses_by_mate: bool) -> Rank {
        let way = self.dtz.or(self.dtm).unwrap_or(0);
        let in_time = |dtm: &u16| self.counter.is_none_or(|counter| counter + dtm <= 100);
        let numbers = match self.category {
            Category::Win | Category::CursedWin | Category::OpenWin => {
                match self.dtm.filter(in_time) {
                    _ if self.checkmate => [0, 0],
                    Some(dtm) => [1, dtm],
                    None if self.zeroing => [2, way],
                    None => [3, way],
                }
            }
            Category::Draw | Category::Unknown => [0, 0],
            Category::OpenLoss | Category::BlessedLoss | Category::Loss => match self.dtm {
                Some(dtm) if losses_by_mate => [0, u16::MAX - dtm],
                _ => [u16::from(self.zeroing), u16::MAX - way],
            },
        };
        (self.category, numbers)
    }

    /// The first of winning moves that zero the counter and are as long: captures, and then the greater promotion.
    fn kind(&self) -> (bool, usize) {
        use PieceType::{Bishop, Knight, Queen, Rook};
        let kinds = [Queen, Rook, Bishop, Knight];
        let promotion = kinds.iter().position(|&kind| self.promotion == Some(kind));
        (!self.capture, promotion.unwrap_or(kinds.len()))
    }
}

/// Whether the distance to mate of each losing move is known.
fn losses_by_mate<M>(moves: &[M], of: impl Fn(&M) -> Candidate<'_>) -> bool {
    let mut losses = moves.iter().map(of);
    losses.all(|of| of.category < Category::OpenLoss || of.dtm.is_some())
}

/// Sorts moves as [`Tables::moves`](crate::Tables::moves) says, by their [candidates](Candidate).
pub(crate) fn sort_moves<M>(moves: &mut [M], of: impl Fn(&M) -> Candidate<'_>) {
    let by_mate = losses_by_mate(moves, &of);
    moves.sort_by(|a, b| {
        let (a, b) = (of(a), of(b));
        let zeroing = |of: &Candidate<'_>, rank: Rank| match rank {
            (category, [2, _]) if category < Category::Draw => Some(of.kind()),
            _ => None,
        };
        let (a_rank, b_rank) = (a.rank(by_mate), b.rank(by_mate));
        let by_kind = || zeroing(&a, a_rank).cmp(&zeroing(&b, b_rank));
        let by_rank = a_rank.cmp(&b_rank).then_with(by_kind);
        by_rank.then_with(|| a.uci.cmp(b.uci))
    });
}

/// How many of the moves, the best first, are as good as the first.
pub(crate) fn best_moves<M>(moves: &[M], of: impl Fn(&M) -> Candidate<'_>) -> usize {
    let by_mate = losses_by_mate(moves, &of);
    let first = moves.first().map(|step| of(step).rank(by_mate));
    moves
        .iter()
        .take_while(|step| Some(of(step).rank(by_mate)) == first)
        .count()
}
