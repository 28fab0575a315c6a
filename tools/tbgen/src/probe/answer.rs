//! The answers of tables for positions and moves.

use std::io;
use std::sync::Arc;

use syzygy_tables::batch::rows::Reason;
use tbindex::PieceType;

use crate::chess::error::ProbeError;
use crate::chess::game::{GamePosition, Move};
use crate::chess::piece_set::Endgame;
use crate::plan::sizes::{at_least, mebibytes};
use crate::storage::table_file::FileError;
use crate::subtables::library::SolveError;
use crate::table::shape::ShapeError;
use crate::table::value::{Metric, Outcome, Value};

/// The metrics that answers have distances of.
pub(super) const METRICS: [Metric; 2] = [Metric::Dtz, Metric::Dtm];

/// Why tables have no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TablesError {
    /// A folder can't be read.
    #[error("can't read {folder}: {error}")]
    Folder {
        /// The folder.
        folder: String,
        /// The system's error.
        error: Arc<io::Error>,
    },
    /// There are no files of a table.
    #[error("the table of {endgame} is needed: there is no {files}")]
    Missing {
        /// The endgame of the table.
        endgame: Endgame,
        /// The files of which one would do, and where they are looked for.
        files: String,
    },
    /// A table file can't be read, or is damaged, which the error names.
    #[error(transparent)]
    File(#[from] Arc<FileError>),
    /// The position has castling rights, which no table knows.
    #[error("no table has positions with castling rights: only solving answers for them")]
    Castling,
    /// Distances to zeroing are asked for, with short-range pieces.
    #[error("tables with short-range pieces have distances to mate alone")]
    ShortRange,
    /// A Syzygy file can't be read, or is damaged.
    #[error(transparent)]
    Syzygy(#[from] syzygy_tables::Error),
    /// A position isn't in the table that should have it.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The position is not legal, so a packed file has no value of it.
    #[error("the position is not legal: {0}")]
    Illegal(String),
    /// No table can be solved for the position.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The tables that the position needs take too much memory.
    #[error("a position of {endgame} needs up to {} of memory to solve: expected at most {}", at_least(*.needed), mebibytes(*.limit))]
    Memory {
        /// The pieces of the position.
        endgame: Endgame,
        /// The bytes that are needed.
        needed: u64,
        /// The bytes that may be used.
        limit: u64,
    },
    /// A table can't be solved.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The value of a position is not the one that its moves imply.
    #[error("the tables are wrong: {fen} is a {stored} in one, and {implied} by its moves")]
    Contradiction {
        /// The position.
        fen: String,
        /// The value in its table.
        stored: Value,
        /// The best value by its moves.
        implied: Value,
    },
    /// Rounded distances, or outcomes alone, do not tell the way.
    #[error("the files have no exact distances, and best play by them goes round in circles")]
    Rounded,
}

impl TablesError {
    /// Whether there is no answer though nothing is damaged: a table is missing, no table has such positions, or solving takes too
    /// much memory.
    #[must_use]
    pub const fn is_missing(&self) -> bool {
        matches!(
            self,
            TablesError::Missing { .. }
                | TablesError::Castling
                | TablesError::ShortRange
                | TablesError::Memory { .. }
                | TablesError::Shape(_)
        )
    }

    /// The name of the table that is missing, such as `KQvK`, or the whole error.
    #[must_use]
    pub fn brief(&self) -> String {
        match self {
            TablesError::Missing { endgame, .. } => endgame.to_string(),
            other => other.to_string(),
        }
    }
}

impl Reason for TablesError {
    fn is_missing(&self) -> bool {
        self.is_missing()
    }

    fn what(&self) -> String {
        let file = |error: &FileError| error.path().map(|path| path.display().to_string());
        match self {
            TablesError::File(error) => file(error).unwrap_or_else(|| error.to_string()),
            TablesError::Syzygy(error) => error.what(),
            TablesError::Missing { files, .. } => files.clone(),
            TablesError::Memory { endgame, .. } => endgame.to_string(),
            other => other.to_string(),
        }
    }
}

impl From<FileError> for TablesError {
    fn from(error: FileError) -> TablesError {
        TablesError::File(Arc::new(error))
    }
}

/// The answer of tables for the side to move, or for the side that makes a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evaluation {
    /// The outcome with the position's fifty-move counter. If it is not [certain](Evaluation::certain), it is the one of two that
    /// stands if the counter does not reach 100. Neither distance is known where a WDL file is all that there is, or where a move
    /// decides, and other moves lead to tables that are missing.
    pub outcome: Outcome,
    /// Whether the outcome is certain. It is not where tables leave open whether the counter reaches 100: where a rounded distance
    /// may be either of two; where a WDL file is all that there is, and the counter is from 1 to 99; and where the distance to mate
    /// alone is known, the mate comes later, and the counter is below 100. With tables by the
    /// [distance to mate](crate::Tables::with_metric) alone there is no fifty-move rule, and every outcome is certain.
    pub certain: bool,
    /// The outcome if the counter were 0. Where the distance to mate alone is known, it is that without the fifty-move rule.
    pub at_zero: Outcome,
    /// The value by the distance to zeroing, if it is known. It does not heed the counter.
    pub dtz: Option<Value>,
    /// Whether the plies to zeroing are exact. If not, because a Syzygy file has distances in moves, there may be one more.
    pub exact: bool,
    /// The value by the distance to mate, if it is known.
    pub dtm: Option<Value>,
}

/// The values of positions that are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The outcome. A position that has one is labelled, whether its distances are known or not.
    pub outcome: bool,
    /// The distance to zeroing.
    pub dtz: bool,
    /// The distance to mate.
    pub dtm: bool,
}

impl Wanted {
    /// The outcome alone.
    pub const WDL: Wanted = Wanted::of_values([true, false, false]);
    /// The distance to zeroing alone.
    pub const DTZ: Wanted = Wanted::of_values([false, true, false]);
    /// The distance to mate alone.
    pub const DTM: Wanted = Wanted::of_values([false, false, true]);
    /// All values.
    pub const ALL: Wanted = Wanted::of_values([true; 3]);

    const fn of_values([outcome, dtz, dtm]: [bool; 3]) -> Wanted {
        Wanted { outcome, dtz, dtm }
    }
}

/// The answer of tables for a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// For the side to move.
    pub evaluation: Evaluation,
    /// Whether the side to move is in check.
    pub check: bool,
    /// Whether it is checkmated.
    pub checkmate: bool,
    /// Whether it is stalemated.
    pub stalemate: bool,
}

/// The answer of tables for a legal move.
#[derive(Clone, Debug)]
pub struct MoveAnswer {
    /// The move as UCI engines write it, `a1b2`.
    pub uci: String,
    /// The move in standard algebraic notation, `Kxb2`.
    pub san: String,
    /// Whether it is a capture.
    pub capture: bool,
    /// Whether it is a capture or a move of a pawn.
    pub zeroing: bool,
    /// The piece that a pawn becomes.
    pub promotion: Option<PieceType>,
    /// For the side that makes the move, before it. Distances count the move. `None` if a table is missing.
    pub evaluation: Option<Evaluation>,
    /// About the position after the move. `None` if a table is missing.
    pub after: Option<Answer>,
    /// The position after the move.
    pub position: GamePosition,
}

/// Best play of both sides.
#[derive(Clone, Debug)]
pub struct Line {
    /// The moves.
    pub moves: Vec<MoveAnswer>,
    /// The last position.
    pub end: GamePosition,
    /// Why it is the last.
    pub ending: Ending,
}

/// Why a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The side to move is checkmated.
    Checkmate,
    /// The position is drawn, whatever the counter is.
    Draw,
    /// The counter is 100 or more.
    FiftyMoves,
}

impl Ending {
    /// The name: `checkmate`, `draw`, `fifty moves`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Ending::Checkmate => "checkmate",
            Ending::Draw => "draw",
            Ending::FiftyMoves => "fifty moves",
        }
    }
}

impl Answer {
    pub(super) fn new(evaluation: Evaluation, position: &GamePosition) -> Answer {
        let (check, stuck) = (position.in_check(), !position.can_move());
        Answer {
            evaluation,
            check,
            checkmate: check && stuck,
            stalemate: !check && stuck,
        }
    }
}

/// The values that tables have of a position.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    /// The value by the distance to zeroing, and whether its plies are exact.
    pub(super) dtz: Option<(Value, bool)>,
    /// The value by the distance to mate.
    pub(super) dtm: Option<Value>,
    /// Where the first is not known, the outcome with the counter at 0, and whether it is certain.
    pub(super) wdl: Option<(Outcome, bool)>,
}

impl Known {
    /// The knowledge about a position that needs no table.
    pub(super) const fn end(value: Value) -> Known {
        Known {
            dtz: Some((value, true)),
            dtm: Some(value),
            wdl: None,
        }
    }

    /// Whether the game may be over: that needs no table.
    pub(super) fn may_be_end(&self) -> bool {
        match (self.dtz, self.wdl) {
            (Some((value, _)), _) => value == Value::DRAW || value == Value::loss(0),
            (None, Some((outcome, _))) => matches!(outcome, Outcome::Draw | Outcome::Loss),
            (None, None) => true,
        }
    }
}

impl Evaluation {
    /// The knowledge about a position, with its counter, or `None` where there is no fifty-move rule.
    pub(super) fn new(known: Known, counter: Option<u16>) -> Option<Evaluation> {
        let Known { dtz, dtm, wdl } = known;
        let plies = counter.unwrap_or(0);
        let (outcome, at_zero, certain) = match dtz {
            Some((value, exact)) => {
                let decided = matches!(value.outcome, Outcome::Win | Outcome::Loss);
                let last = plies > 0 && value.plies > 0 && plies + value.plies == 100;
                let certain = exact || !decided || !last;
                (value.with_counter(plies), value.outcome, certain)
            }
            None => {
                let (at_zero, of_zero) = wdl.or(dtm.map(|mate| (mate.outcome, false)))?;
                let mates_in_time = dtm.is_some_and(|mate| mate.is_in_time(plies));
                let outcome = match mates_in_time {
                    true => at_zero,
                    // Unless it is checkmate, the next zeroing takes a ply at least.
                    false => Value {
                        outcome: at_zero,
                        plies: 1,
                    }
                    .with_counter(plies),
                };
                let decided = matches!(outcome, Outcome::Win | Outcome::Loss);
                let certain = !decided || mates_in_time || plies == 0 && of_zero;
                (outcome, at_zero, certain || counter.is_none())
            }
        };
        Some(Evaluation {
            outcome,
            certain,
            at_zero,
            // A draw by the distance to mate is one by zeroing, too.
            dtz: (dtz.map(|(value, _)| value)).or(dtm.filter(|mate| mate.outcome == Outcome::Draw)),
            exact: dtz.is_none_or(|(_, exact)| exact),
            dtm,
        })
    }

    /// The knowledge about a move to a position of which this is known, for the side that makes it with this counter, or `None` where
    /// there is no fifty-move rule.
    fn before_move(&self, zeroing: bool, counter: Option<u16>) -> Evaluation {
        let by = |metric: Metric, value| metric.after_move(value, zeroing);
        // After a move that zeroes the counter, an outcome has its distance.
        let (outcome, plies) = (self.outcome, 1);
        let known = zeroing && self.certain && counter.is_some();
        let by_outcome = known.then_some(Value { outcome, plies });
        let dtz = (self.dtz.or(by_outcome)).map(|value| by(Metric::Dtz, value));
        let with_counter = |value: Value| value.with_counter(counter.unwrap_or(0));
        Evaluation {
            outcome: dtz.map_or(-self.outcome, with_counter),
            certain: self.certain,
            at_zero: dtz.map_or(-self.at_zero, |value| value.outcome),
            dtz,
            exact: self.exact || zeroing,
            dtm: self.dtm.map(|value| by(Metric::Dtm, value)),
        }
    }

    /// The value by a metric, if it is known.
    fn by(&self, metric: Metric) -> Option<Value> {
        match metric {
            Metric::Dtz => self.dtz,
            Metric::Dtm => self.dtm,
            Metric::HelpWhite | Metric::HelpBlack => None,
        }
    }

    /// The distance by a metric, if it is known, with [its sign](Value::signed).
    #[must_use]
    pub fn signed(&self, metric: Metric) -> Option<i16> {
        Some(self.by(metric)?.signed(metric))
    }

    /// The value by a metric, if it is known and exact.
    pub(crate) fn exact_by(&self, metric: Metric) -> Option<Value> {
        (self.by(metric)).filter(|_| self.exact || metric == Metric::Dtm)
    }

    /// This answer with those distances alone that are wanted.
    #[must_use]
    pub fn only(self, wanted: Wanted) -> Evaluation {
        Evaluation {
            dtz: self.dtz.filter(|_| wanted.dtz),
            dtm: self.dtm.filter(|_| wanted.dtm),
            ..self
        }
    }

    /// The worst and the best that the outcome may be.
    fn range(&self) -> (Outcome, Outcome) {
        match (self.certain, self.outcome) {
            (false, Outcome::Win) => (Outcome::CursedWin, Outcome::Win),
            (false, Outcome::Loss) => (Outcome::Loss, Outcome::BlessedLoss),
            (_, outcome) => (outcome, outcome),
        }
    }

    /// Whether the outcome is certain, and a distance is known unless it is a draw.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        let has_distance = self.dtz.is_some() || self.dtm.is_some();
        self.certain && (has_distance || self.outcome == Outcome::Draw)
    }

    /// Settles an open outcome by what the moves may bring, if all are known.
    pub(super) fn settle(&mut self, moves: &[MoveAnswer]) {
        if self.certain {
            return;
        }
        let ranges = moves.iter().map(|step| Some(step.evaluation?.range()));
        let ranges: Option<Vec<_>> = ranges.collect();
        let ranges = ranges.unwrap_or_default().into_iter();
        let best = ranges.reduce(|(worst, best), (low, high)| (worst.max(low), best.max(high)));
        if let Some((worst, best)) = best {
            self.outcome = best;
            self.certain = worst == best;
        }
    }
}

impl MoveAnswer {
    /// The legal moves of a position, the best first, by answers for the positions after its [moves](GamePosition::moves), each of
    /// which may be missing, and by the answer for the position itself, if there is one.
    ///
    /// # Panics
    /// If there are fewer answers than moves.
    #[must_use]
    pub fn list(
        position: &GamePosition,
        steps: &[Move],
        after: impl IntoIterator<Item = Option<Answer>>,
        root: Option<&Answer>,
    ) -> Vec<MoveAnswer> {
        let mut all = MoveAnswer::of_steps(position, steps, after, Some(position.counter()));
        if let Some(root) = root {
            MoveAnswer::settle(&mut all, &root.evaluation);
        }
        MoveAnswer::sort(&mut all);
        all
    }

    /// The moves of a position with this counter, or `None` where there is no fifty-move rule, in any order.
    pub(super) fn of_steps(
        position: &GamePosition,
        steps: &[Move],
        after: impl IntoIterator<Item = Option<Answer>>,
        counter: Option<u16>,
    ) -> Vec<MoveAnswer> {
        let mut after = after.into_iter();
        let moves = steps.iter().enumerate().map(|(number, step)| {
            let after = after.next().expect("an answer for each move");
            let evaluation = after.map(|after| after.evaluation.before_move(step.zeroing, counter));
            MoveAnswer {
                uci: step.uci(),
                san: position.san(steps, number),
                capture: step.capture,
                zeroing: step.zeroing,
                promotion: step.promotion,
                evaluation,
                after,
                position: step.after.clone(),
            }
        });
        moves.collect()
    }

    /// Whether the move checkmates.
    #[must_use]
    pub fn checkmates(&self) -> bool {
        self.after.is_some_and(|after| after.checkmate)
    }

    /// Whether the outcome is known and certain.
    pub(super) fn is_certain(&self) -> bool {
        self.evaluation.is_some_and(|of| of.certain)
    }

    /// Settles open outcomes of all moves of a position by its own, than which none is better: of a position that is lost, all
    /// lose, and of one that is won too late, no move wins in time. Of a position that is won or held by the counter, one move is
    /// as good, and an open one may be worse, so it stays open.
    pub(super) fn settle(all: &mut [MoveAnswer], root: &Evaluation) {
        let (_, most) = root.range();
        for step in all {
            let open = step.evaluation.as_mut();
            if let Some(of) = open.filter(|of| !of.certain && of.range().0 >= most) {
                (of.outcome, of.certain) = (most, true);
                of.at_zero = of.at_zero.min(root.at_zero);
                if let Some(after) = &mut step.after {
                    (after.evaluation.outcome, after.evaluation.certain) = (-most, true);
                }
            }
        }
    }

    /// The knowledge that moves, the best first, give about the position that has them: everything if all are known, and that it is won if one
    /// wins.
    pub(super) fn root(all: &[MoveAnswer], counter: Option<u16>) -> Option<Evaluation> {
        let known: Option<Vec<Evaluation>> = all.iter().map(|step| step.evaluation).collect();
        if let Some(known) = known {
            let best = |of: fn(&Evaluation) -> Option<(Value, bool)>| {
                let values: Option<Vec<_>> = known.iter().map(of).collect();
                values?
                    .into_iter()
                    .max_by_key(|(value, _)| value.preference())
            };
            let outcome = known.iter().map(|of| of.at_zero).max();
            let known = Known {
                dtz: best(|of| of.dtz.map(|value| (value, of.exact))),
                dtm: best(|of| of.dtm.map(|value| (value, true))).map(|(value, _)| value),
                wdl: outcome.map(|outcome| (outcome, false)),
            };
            let mut root = Evaluation::new(known, counter)?;
            root.settle(all);
            return Some(root);
        }
        let first = all.first()?;
        let mate = first.checkmates().then_some(Value::win(1));
        let is_won = |of: Evaluation| of.outcome == Outcome::Win && of.certain;
        first.evaluation.is_some_and(is_won).then_some(Evaluation {
            outcome: Outcome::Win,
            certain: true,
            at_zero: Outcome::Win,
            dtz: mate,
            exact: mate.is_some(),
            dtm: mate,
        })
    }
}
