//! Chains of only moves.

use tbindex::{Material, Position};

use crate::chess::board::Board;
use crate::chess::error::ProbeError;
use crate::chess::game::GamePosition;
use crate::chess::notation::Move;
use crate::subtables::library::Library;
use crate::table::shape::table_of;
use crate::table::solved::Table;
use crate::table::value::{Outcome, Value};

/// The one move that wins, and the replies that resist longest.
type Forced = (Move<Board>, Vec<Move<Board>>);

impl Table {
    /// The only moves that a winner has in a row: 0 if not exactly one move wins, otherwise one more than there are after
    /// every reply that resists longest, whichever of these replies leaves fewest. It ends with a capture or promotion into
    /// another table. The library has the tables that the table leads to.
    ///
    /// # Errors
    /// If a table is missing, or can't be read.
    pub fn only_moves(&self, library: &Library, position: &Position) -> Result<u16, ProbeError> {
        match Board::new(position, None) {
            Some(board) => self.chain(library, &board),
            None => Ok(0),
        }
    }

    /// The moves of such a chain, with the replies that leave fewest only moves.
    ///
    /// # Errors
    /// As of [`only_moves`](Table::only_moves).
    pub fn only_moves_line(
        &self,
        library: &Library,
        position: &Position,
    ) -> Result<Vec<String>, ProbeError> {
        let (mut line, mut board) = (Vec::new(), Board::new(position, None));
        while let Some(before) = board {
            let Some((step, replies)) = self.only_move(library, &before)? else {
                break;
            };
            line.push(san(&before, &step));
            let mut least: Option<(u16, Move<Board>)> = None;
            for reply in replies {
                let length = self.chain(library, &reply.after)?;
                if least.as_ref().is_none_or(|(least, _)| length < *least) {
                    least = Some((length, reply));
                }
            }
            board = least.filter(|(length, _)| *length > 0).map(|(_, reply)| {
                line.push(san(&step.after, &reply));
                reply.after
            });
        }
        Ok(line)
    }

    fn chain(&self, library: &Library, board: &Board) -> Result<u16, ProbeError> {
        let Some((_, replies)) = self.only_move(library, board)? else {
            return Ok(0);
        };
        let mut least = None;
        for reply in replies {
            let length = self.chain(library, &reply.after)?;
            least = Some(least.map_or(length, |least: u16| least.min(length)));
            if length == 0 {
                break;
            }
        }
        Ok(1 + least.unwrap_or(0))
    }

    /// The one move that wins, if there is exactly one, and the replies that resist longest. A chain ends where it leaves the
    /// table.
    fn only_move(&self, library: &Library, board: &Board) -> Result<Option<Forced>, ProbeError> {
        if table_of(&board.position().material()?).0 != self.material() {
            return Ok(None);
        }
        let mut winning = None;
        for step in board.moves() {
            if self.worth(library, &step)?.outcome == Outcome::Win
                && winning.replace(step).is_some()
            {
                return Ok(None);
            }
        }
        let Some(step) = winning else {
            return Ok(None);
        };
        let mut replies = Vec::new();
        for reply in step.after.moves() {
            replies.push((self.worth(library, &reply)?.preference(), reply));
        }
        let longest = replies.iter().map(|(preference, _)| *preference).max();
        replies.retain(|(preference, _)| Some(*preference) == longest);
        let replies = replies.into_iter().map(|(_, reply)| reply).collect();
        Ok(Some((step, replies)))
    }

    /// The value that a move gives.
    fn worth(&self, library: &Library, step: &Move<Board>) -> Result<Value, ProbeError> {
        let value = |after: &Position| -> Result<Value, ProbeError> {
            let material: Material = after.material()?;
            match table_of(&material).0 == self.material() {
                true => self.value(after),
                false => library.value(after),
            }
        };
        let after = step.after.value(self.metric(), value)?;
        Ok(self.metric().after_move(after, step.zeroing))
    }
}

/// A move as people write it.
fn san(before: &Board, step: &Move<Board>) -> String {
    let position = GamePosition::from(before.clone());
    let moves = position.moves();
    let number = moves.iter().position(|other| other.uci() == step.uci());
    number.map_or_else(|| step.uci(), |number| position.san(&moves, number))
}
