//! Answers of files for many positions: of own ones, and where these are missing of Syzygy files.

use syzygy_tables::batch::rows::{self, Placed, Position, Report, Rounds, Sources};
use syzygy_tables::batch::{Answer, Failure, Positions};
use syzygy_tables::{Error, Wdl};
use tbindex::Square;

use super::own::{BYTES_PER_POSITION, FEW, FileProber, MOST_TOGETHER, endgame_of};
use crate::chess::cozy::piece_of;
use crate::chess::game::is_insufficient;
use crate::probe::answer::{Known, TablesError, Wanted};
use crate::table::value::{Metric, Value};

/// Answers, each of which may be missing.
pub(in crate::probe) type Answers<A> = Vec<Result<A, Failure>>;

/// The question about positions.
pub(in crate::probe) trait Asked: Copy + Send + Sync {
    fn of_value(value: Value) -> Self;

    /// By Syzygy files, which are never asked for distances to mate.
    fn by_syzygy(files: Sources<'_>, pieces: &rows::Endgame, rows: &[Placed]) -> Answers<Self>;
}

impl Asked for Wdl {
    fn of_value(value: Value) -> Wdl {
        value.outcome
    }

    fn by_syzygy(files: Sources<'_>, pieces: &rows::Endgame, rows: &[Placed]) -> Answers<Wdl> {
        files.probe_wdl(pieces, rows)
    }
}

/// The value, and whether its plies are exact.
impl Asked for (Value, bool) {
    fn of_value(value: Value) -> (Value, bool) {
        (value, true)
    }

    fn by_syzygy(files: Sources<'_>, pieces: &rows::Endgame, rows: &[Placed]) -> Answers<Self> {
        let answers = files.probe(pieces, rows).into_iter();
        answers.map(|answer| answer.map(value_of)).collect()
    }
}

/// The value that an answer is made of, and whether its plies are exact.
fn value_of(answer: Answer) -> (Value, bool) {
    let plies = answer.dtz.plies.unsigned_abs() as u16;
    let value = Value {
        outcome: answer.wdl,
        plies: if answer.checkmate { 0 } else { plies },
    };
    (value, answer.checkmate || answer.dtz.exact)
}

/// The value of a checkmate, a stalemate, or a position of pieces that can't mate, for which no table is needed.
fn end(pieces: &rows::Endgame, placed: Placed) -> Option<Value> {
    let material = pieces.material();
    let kinds = material.pieces().map(|piece| piece_of(piece).kind);
    let men = kinds.zip(placed.squares().map(Square::from_low_bits));
    if is_insufficient(men) {
        return Some(Value::DRAW);
    }
    let position = Position::new(pieces, placed);
    // A capture en passant may be the only move; a right to one that nobody can use is none.
    let mut can_capture = false;
    position.captures_en_passant(|_, _| can_capture = true);
    if can_capture || position.can_move() {
        return None;
    }
    Some(match position.in_check() {
        true => Value::loss(0),
        false => Value::DRAW,
    })
}

/// The knowledge about a position, and why something that was wanted is not: a damaged file before a missing one.
#[derive(Clone, Copy, Default)]
pub(in crate::probe) struct Found {
    pub(in crate::probe) known: Known,
    pub(in crate::probe) failure: Option<Failure>,
}

impl FileProber<'_> {
    /// All that is known of positions, of what is wanted; games may be over in them or not. Several threads share the work.
    pub(in crate::probe) fn known(
        &self,
        wanted: Wanted,
        positions: Positions<'_>,
        may_be_over: bool,
    ) -> Vec<Found> {
        let mut all = vec![Found::default(); positions.len()];
        if wanted.dtz {
            let add = |known: &mut Known, dtz| known.dtz = Some(dtz);
            self.add(Metric::Dtz, positions, &mut all, |_| true, add);
        }
        if wanted.outcome {
            let is_open = |known: &Known| known.dtz.is_none();
            let add = |known: &mut Known, outcome| known.wdl = Some((outcome, true));
            self.add(Metric::Dtz, positions, &mut all, is_open, add);
        }
        if wanted.dtm || wanted.outcome {
            // Where there is nothing else, the distance to mate has the outcome, or the reason why there is none.
            let is_asked = |known: &Known| match wanted.dtm {
                true if self.files.has_mates() => true,
                true if may_be_over => known.may_be_end(),
                _ => known.dtz.is_none() && known.wdl.is_none(),
            };
            let add = |known: &mut Known, (value, _): (Value, bool)| known.dtm = Some(value);
            self.add(Metric::Dtm, positions, &mut all, is_asked, add);
        }
        all
    }

    /// Adds answers to what is known of some positions.
    fn add<A: Asked>(
        &self,
        metric: Metric,
        positions: Positions<'_>,
        all: &mut [Found],
        is_asked: impl Fn(&Known) -> bool,
        add: impl Fn(&mut Known, A),
    ) {
        let asked: Vec<usize> = (0..all.len())
            .filter(|&k| is_asked(&all[k].known))
            .collect();
        if asked.is_empty() {
            return;
        }
        let answers = positions.some(&asked, |some| self.all(metric, some));
        for (k, answer) in asked.into_iter().zip(answers) {
            let Found { known, failure } = &mut all[k];
            match answer {
                Ok(answer) => add(known, answer),
                Err(new) => {
                    let stays = |old: &Failure| !old.is_missing() || new.is_missing();
                    *failure = Some(failure.filter(stays).unwrap_or(new));
                }
            }
        }
    }

    /// The answers for positions, in rounds. The more there are of one, the fewer blocks are decoded again.
    pub(in crate::probe) fn all<A: Asked>(
        &self,
        metric: Metric,
        positions: Positions<'_>,
    ) -> Answers<A> {
        let rounds = Rounds {
            endgames: &self.files.endgames,
            most: (self.memory / 8 * 3 / BYTES_PER_POSITION).clamp(FEW, MOST_TOGETHER),
            together: MOST_TOGETHER,
            memory: self.memory / 4,
            reasons: self,
            failed: Err,
        };
        let find = |pieces: &rows::Endgame, rows: &[Placed]| self.rows(metric, pieces, rows);
        rounds.answers(positions, A::of_value(Value::DRAW), find, |found| found)
    }

    /// The answers for positions of a material, by own files and where these are missing by Syzygy files.
    fn rows<A: Asked>(
        &self,
        metric: Metric,
        pieces: &rows::Endgame,
        rows: &[Placed],
    ) -> Answers<A> {
        if !self.metrics.contains(&metric) {
            let missing = self.files.missing(endgame_of(pieces), metric);
            return vec![Err(self.failures.number(missing)); rows.len()];
        }
        let mut found = self.by_files::<A>(metric, pieces, rows);
        for (answer, &placed) in found.iter_mut().zip(rows) {
            if answer.is_err()
                && let Some(value) = end(pieces, placed)
            {
                *answer = Ok(A::of_value(value));
            }
        }
        found
    }

    fn by_files<A: Asked>(
        &self,
        metric: Metric,
        pieces: &rows::Endgame,
        rows: &[Placed],
    ) -> Answers<A> {
        let syzygy = Sources {
            tables: &self.files.syzygy,
            cache: self.cache,
            reasons: self,
        };
        let published = metric == Metric::Dtz && self.files.syzygy.has(pieces.material());
        let is_own = || self.files.is_own(metric, endgame_of(pieces));
        if published && !(self.files.has_own() && is_own()) {
            return A::by_syzygy(syzygy, pieces, rows);
        }
        let values = self.values(metric, pieces, rows).into_iter();
        let mut found: Answers<A> = values.map(|found| found.map(A::of_value)).collect();
        if metric == Metric::Dtz && self.files.has_syzygy() {
            let is_open = |number: &usize| found[*number].is_err_and(Failure::is_missing);
            let open: Vec<usize> = (0..found.len()).filter(is_open).collect();
            let some: Vec<Placed> = open.iter().map(|&number| rows[number]).collect();
            // If there are no Syzygy files of the material, it is the own table that is missing.
            for (number, answer) in open.into_iter().zip(A::by_syzygy(syzygy, pieces, &some)) {
                if answer.is_ok() || published {
                    found[number] = answer;
                }
            }
        }
        found
    }
}

impl Report for FileProber<'_> {
    fn failed(&self, error: Error) -> Failure {
        self.failures.number(match error {
            Error::Illegal(fault) => TablesError::Illegal(fault.to_owned()),
            Error::Missing { material, kind } => {
                let endgame = endgame_of(&self.files.endgames.get(material));
                self.files.missing_syzygy(endgame, material, kind)
            }
            error => TablesError::Syzygy(error),
        })
    }
}
