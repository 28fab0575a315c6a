//! Answers about single positions: each is a batch of one.

use cozy_chess::Board;

use super::answer::{Answer, Asked};
use super::board::PackedBoard;
use super::failures::Failures;
use super::sources::Sources;
use crate::error::Error;
use crate::tables::Tables;
use crate::value::{Dtz, Wdl};

impl Tables {
    /// The outcome for the side to move, with the fifty-move counter at zero whatever the position has.
    ///
    /// # Errors
    /// If a table that may change the outcome is missing or damaged, or there can be none for the position. A win by a
    /// capture needs no other tables than that of the capture.
    pub fn probe_wdl(&self, board: &Board) -> Result<Wdl, Error> {
        self.find(board)
    }

    /// The distance to the next capture, pawn move or mate, with the fifty-move counter at zero.
    ///
    /// # Errors
    /// As for [`probe`](Tables::probe).
    pub fn probe_dtz(&self, board: &Board) -> Result<Dtz, Error> {
        self.probe(board).map(|(_, dtz)| dtz)
    }

    /// The answers of [`probe_wdl`](Tables::probe_wdl) and [`probe_dtz`](Tables::probe_dtz), for less than the work of
    /// both.
    ///
    /// # Errors
    /// As for `probe_wdl`, and if a table that may change the distance is missing or damaged.
    pub fn probe(&self, board: &Board) -> Result<(Wdl, Dtz), Error> {
        let answer: Answer = self.find(board)?;
        Ok((answer.wdl, answer.dtz))
    }

    fn find<A: Asked>(&self, board: &Board) -> Result<A, Error> {
        let board = PackedBoard::try_from(board)?;
        if board.len() == 2 {
            return Ok(A::OF_KINGS);
        }
        let failures = Failures::<Error>::default();
        let sources = Sources {
            tables: self,
            cache: None,
            reasons: &failures,
        };
        let endgame = self.endgames.get(board.material());
        let found = A::find(sources, &endgame, &[board.placed()])[0];
        A::answer(found).map_err(|failure| failures.reason(failure))
    }
}
