//! A prober of files for many positions of a material: own ones, and where these are missing Syzygy files.

use rayon::prelude::*;
use syzygy_tables::batch::rows::{self, Group, Placed, Position};
use syzygy_tables::batch::{self, Answer, PackedBoard, Positions};
use syzygy_tables::cozy_chess::Color;
use syzygy_tables::numbering::PackedSquares;
use syzygy_tables::{Dtz, Error, Material, Wdl};
use tbindex::Square;

use super::failures::{Cause, Failure, Failures};
use super::folders::{Files, Syzygy};
use super::own::{FEW, MOST_MOVES, MOST_TOGETHER, OwnFiles, endgame_of};
use super::wanted::Wanted;
use crate::chess::board::piece_of;
use crate::chess::game::is_insufficient;
use crate::probe::answer::{Known, TablesError};
use crate::table::value::{Metric, Value};

/// What a position of a round takes besides its answer.
const BYTES_PER_POSITION: usize = 48;

/// Answers, each of which may be missing.
pub(in crate::probe) type Answers<A, F = Failure> = Vec<Result<A, F>>;

/// What is asked about positions.
pub(in crate::probe) trait Asked: Copy + Send + Sync {
    const METRIC: Metric;

    fn of_value(value: Value) -> Self;

    /// By Syzygy files, which are never asked for distances to mate.
    fn by_syzygy(prober: &Syzygy, positions: Positions<'_>) -> Answers<Self, batch::Failure>;
}

impl Asked for Wdl {
    const METRIC: Metric = Metric::Dtz;

    fn of_value(value: Value) -> Wdl {
        value.outcome
    }

    fn by_syzygy(prober: &Syzygy, positions: Positions<'_>) -> Answers<Wdl, batch::Failure> {
        prober.probe_wdl(positions)
    }
}

impl Asked for Answer {
    const METRIC: Metric = Metric::Dtz;

    /// As Syzygy files have it, a checkmated side is one ply from its end.
    fn of_value(value: Value) -> Answer {
        let wdl = value.outcome;
        let plies = match wdl {
            Wdl::Draw => 0,
            wdl if wdl > Wdl::Draw => i32::from(value.plies),
            _ => -i32::from(value.plies.max(1)),
        };
        Answer {
            wdl,
            dtz: Dtz { plies, exact: true },
            checkmate: value == Value::loss(0),
        }
    }

    fn by_syzygy(prober: &Syzygy, positions: Positions<'_>) -> Answers<Answer, batch::Failure> {
        prober.probe(positions)
    }
}

/// The value by the distance to mate.
impl Asked for Value {
    const METRIC: Metric = Metric::Dtm;

    fn of_value(value: Value) -> Value {
        value
    }

    fn by_syzygy(_: &Syzygy, _: Positions<'_>) -> Answers<Value, batch::Failure> {
        Vec::new()
    }
}

/// The value that an answer is made of, and whether its plies are exact.
pub(in crate::probe) fn value_of(answer: Answer) -> (Value, bool) {
    let plies = answer.dtz.plies.unsigned_abs() as u16;
    let value = Value {
        outcome: answer.wdl,
        plies: if answer.checkmate { 0 } else { plies },
    };
    (value, answer.checkmate || answer.dtz.exact)
}

/// A function that asks another for the failure of a cause, once where like causes follow one another.
fn remembered<C: Copy + PartialEq>(ask: impl Fn(C) -> Failure) -> impl FnMut(C) -> Failure {
    let mut last = None;
    move |cause| match last {
        Some((other, failure)) if other == cause => failure,
        _ => last.insert((cause, ask(cause))).1,
    }
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
    // A capture en passant may be the only move.
    if placed.en_passant().is_some() || position.can_move() {
        return None;
    }
    Some(match position.in_check() {
        true => Value::loss(0),
        false => Value::DRAW,
    })
}

/// Puts the answer of a legal position that needs no table in the place of a failure.
fn need_no_table<A: Asked>(
    answer: &mut Result<A, Failure>,
    pieces: &rows::Endgame,
    placed: Placed,
) {
    if answer.is_err()
        && let Some(value) = end(pieces, placed)
    {
        *answer = Ok(A::of_value(value));
    }
}

/// What is known of a position, and why something that was wanted is not: a damaged file before a missing one.
#[derive(Clone, Copy, Default)]
pub(in crate::probe) struct Found {
    pub(in crate::probe) known: Known,
    pub(in crate::probe) failure: Option<Failure>,
}

impl Found {
    fn fail(&mut self, failure: Failure) {
        let stays = |old: &Failure| !old.is_missing() || failure.is_missing();
        self.failure = Some(self.failure.filter(stays).unwrap_or(failure));
    }
}

/// Files, as they answer for many positions.
#[derive(Clone, Copy)]
pub(in crate::probe) struct FileProber<'a> {
    pub(in crate::probe) files: &'a Files,
    pub(in crate::probe) syzygy: &'a Syzygy,
    pub(in crate::probe) failures: &'a Failures,
    /// The metrics whose tables are used.
    pub(in crate::probe) metrics: &'a [Metric],
    /// About so many bytes are taken, beside positions and answers.
    pub(in crate::probe) memory: usize,
}

impl<'a> FileProber<'a> {
    /// All that is known of positions, of what is wanted. Several threads share the work.
    pub(in crate::probe) fn known(&self, wanted: Wanted, positions: Positions<'_>) -> Vec<Found> {
        let mut all = vec![Found::default(); positions.len()];
        if wanted.dtz {
            for (found, answer) in all.iter_mut().zip(self.all::<Answer>(positions)) {
                match answer {
                    Ok(answer) => found.known.dtz = Some(value_of(answer)),
                    Err(failure) => found.fail(failure),
                }
            }
        }
        if wanted.outcome {
            let is_open = |&k: &usize| all[k].known.dtz.is_none();
            let open: Vec<usize> = (0..all.len()).filter(is_open).collect();
            let outcomes = self.some::<Wdl>(positions, &open);
            for (k, outcome) in open.into_iter().zip(outcomes) {
                match outcome {
                    Ok(outcome) => all[k].known.wdl = Some((outcome, true)),
                    Err(failure) => all[k].fail(failure),
                }
            }
        }
        if wanted.dtm || wanted.outcome {
            // Where there is nothing else, the distance to mate has the outcome, or the reason why there is none.
            let all_are = wanted.dtm && self.files.has_mates();
            let is_asked = |&k: &usize| {
                let Known { dtz, wdl, .. } = all[k].known;
                all_are || dtz.is_none() && wdl.is_none()
            };
            let asked: Vec<usize> = (0..all.len()).filter(is_asked).collect();
            let values = self.some::<Value>(positions, &asked);
            for (k, value) in asked.into_iter().zip(values) {
                match value {
                    Ok(value) => all[k].known.dtm = Some(value),
                    Err(failure) => all[k].fail(failure),
                }
            }
        }
        all
    }

    /// The answers for positions of these numbers.
    pub(in crate::probe) fn some<A: Asked>(
        &self,
        positions: Positions<'_>,
        numbers: &[usize],
    ) -> Answers<A> {
        match numbers {
            [] => Vec::new(),
            numbers => positions.some(numbers, |some| self.all(some)),
        }
    }

    fn own(&self) -> OwnFiles<'a> {
        OwnFiles {
            files: self.files,
            failures: self.failures,
            together: (self.memory / 8 / BYTES_PER_POSITION)
                .clamp(MOST_MOVES, MOST_TOGETHER - MOST_MOVES),
        }
    }

    /// How many positions are answered together. The more there are, the fewer blocks are decoded again.
    fn round(&self) -> usize {
        (self.memory / 2 / BYTES_PER_POSITION).clamp(FEW, MOST_TOGETHER)
    }

    /// Why a material has no own table, if it hasn't, and whether Syzygy files are asked where own tables are missing.
    fn own_fault(&self, metric: Metric, pieces: &rows::Endgame) -> (Option<Failure>, bool) {
        if !self.metrics.contains(&metric) {
            let endgame = endgame_of(pieces);
            let error = || self.files.missing(endgame, metric);
            let failure = self.failures.number(Cause::Own(endgame, metric), error);
            return (Some(failure), false);
        }
        let asked = metric == Metric::Dtz && self.files.has_syzygy();
        (self.own().fault(metric, pieces), asked)
    }

    /// The answers for positions of a material, by own files and where these are missing by Syzygy files.
    fn rows<A: Asked>(&self, pieces: &rows::Endgame, rows: &[Placed]) -> Answers<A> {
        let (fault, asked) = self.own_fault(A::METRIC, pieces);
        let mut found: Answers<A> = match fault {
            Some(fault) => vec![Err(fault); rows.len()],
            None => {
                let values = self.own().values(A::METRIC, pieces, rows).into_iter();
                values.map(|found| found.map(A::of_value)).collect()
            }
        };
        if asked {
            let is_open = |number: &usize| found[*number].is_err_and(Failure::is_missing);
            let open: Vec<usize> = (0..found.len()).filter(is_open).collect();
            let positions = Positions::Rows(pieces, rows);
            let answers = positions.some(&open, |open| A::by_syzygy(self.syzygy, open));
            // If there are no Syzygy files of the material, it is the own table that is missing.
            let published = self.files.syzygy.has(pieces.material());
            let mut of_syzygy = remembered(|failure| self.of_syzygy(failure));
            for (number, answer) in open.into_iter().zip(answers) {
                match answer {
                    Ok(answer) => found[number] = Ok(answer),
                    Err(failure) if published => found[number] = Err(of_syzygy(failure)),
                    Err(_) => {}
                }
            }
        }
        if self.metrics.contains(&A::METRIC) {
            for (answer, &placed) in found.iter_mut().zip(rows) {
                need_no_table(answer, pieces, placed);
            }
        }
        found
    }

    pub(in crate::probe) fn all<A: Asked>(&self, positions: Positions<'_>) -> Answers<A> {
        match positions {
            Positions::Boards(boards) => self.boards(boards),
            Positions::Squares(material, side, squares) => self.squares((material, side), squares),
            Positions::Rows(endgame, rows) => {
                let rounds = rows.chunks(self.round());
                rounds.flat_map(|rows| self.rows(endgame, rows)).collect()
            }
        }
    }

    /// Answers by Syzygy files alone.
    fn by_syzygy<A: Asked>(&self, positions: Positions<'_>) -> Answers<A> {
        let mut of_syzygy = remembered(|failure| self.of_syzygy(failure));
        let found = A::by_syzygy(self.syzygy, positions).into_iter();
        found.map(|answer| answer.map_err(&mut of_syzygy)).collect()
    }

    /// Answers for positions of any materials, in rounds.
    fn boards<A: Asked>(&self, boards: &[PackedBoard]) -> Answers<A> {
        let is_used = self.metrics.contains(&Metric::Dtz);
        if A::METRIC == Metric::Dtz && is_used && !self.files.has_own() {
            let mut answers = self.by_syzygy(Positions::Boards(boards));
            let is_open = |&k: &usize| answers[k].is_err();
            let open: Vec<usize> = (0..answers.len()).filter(is_open).collect();
            let some: Vec<PackedBoard> = open.iter().map(|&k| boards[k]).collect();
            for group in Group::all(&some, &self.files.endgames) {
                for (&number, &placed) in group.numbers.iter().zip(&group.rows) {
                    let answer = &mut answers[open[number as usize]];
                    need_no_table(answer, &group.endgame, placed);
                }
            }
            return answers;
        }
        let mut answers = vec![Ok(A::of_value(Value::DRAW)); boards.len()];
        let rounds = (boards.chunks(self.round())).zip(answers.chunks_mut(self.round()));
        for (boards, answers) in rounds {
            let groups = Group::all(boards, &self.files.endgames);
            let least = if boards.len() < FEW { groups.len() } else { 1 };
            let found = groups.par_iter().with_min_len(least);
            let found = found.map(|group| self.rows(&group.endgame, &group.rows));
            let found: Vec<Answers<A>> = found.collect();
            for (group, found) in groups.iter().zip(found) {
                for (&number, answer) in group.numbers.iter().zip(found) {
                    answers[number as usize] = answer;
                }
            }
        }
        answers
    }

    /// Answers for positions of one material, which may be illegal, in rounds.
    fn squares<A: Asked>(
        &self,
        (material, side): (Material, Color),
        positions: &[PackedSquares],
    ) -> Answers<A> {
        let endgame = self.files.endgames.get(material);
        let mask = (1 << (8 * material.len())) - 1;
        if let (Some(missing), true) = self.own_fault(A::METRIC, &endgame)
            && missing.is_missing()
            && self.files.syzygy.has(material)
        {
            let mut answers = self.by_syzygy(Positions::Squares(material, side, positions));
            for (answer, &position) in answers.iter_mut().zip(positions) {
                if answer.is_err_and(Failure::is_missing) {
                    let placed = endgame.normal(Placed::new(position & mask, side));
                    need_no_table(answer, &endgame, placed);
                }
            }
            return answers;
        }
        let mut answers = vec![Ok(A::of_value(Value::DRAW)); positions.len()];
        let rounds = (positions.chunks(self.round())).zip(answers.chunks_mut(self.round()));
        for (positions, answers) in rounds {
            let rows = positions.par_iter().map(|position| {
                let placed = Placed::new(position & mask, side);
                let fault = Position::new(&endgame, placed).fault();
                fault.map_or_else(|| Ok(endgame.normal(placed)), Err)
            });
            let rows: Vec<Result<Placed, &'static str>> = rows.collect();
            let (mut there, mut numbers) = (Vec::new(), Vec::<u32>::new());
            let mut illegal = remembered(|fault| self.own().illegal(fault));
            for (number, row) in rows.into_iter().enumerate() {
                match row {
                    Ok(placed) => {
                        there.push(placed);
                        numbers.push(number as u32);
                    }
                    Err(fault) => answers[number] = Err(illegal(fault)),
                }
            }
            for (&number, answer) in numbers.iter().zip(self.rows(&endgame, &there)) {
                answers[number as usize] = answer;
            }
        }
        answers
    }

    /// A failure of Syzygy files as one of this prober.
    fn of_syzygy(&self, failure: batch::Failure) -> Failure {
        match self.syzygy.reason(failure) {
            Error::Illegal(fault) => self.own().illegal(fault),
            Error::Missing { material, kind } => {
                let endgame = endgame_of(&self.files.endgames.get(material));
                let error = || self.files.missing_syzygy(endgame, material, kind);
                self.failures.number(Cause::Syzygy(failure), error)
            }
            error => {
                let error = || TablesError::Syzygy(error);
                self.failures.number(Cause::Syzygy(failure), error)
            }
        }
    }
}
