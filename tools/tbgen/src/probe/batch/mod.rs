//! Answers about many positions at a time, for a fraction of the work of one after the other.
//!
//! Positions are grouped by their material, and looked up in the order of their table's blocks, each of which is decoded once.
//! Captures and promotions that packed files leave open are batches of the smaller materials. Positions of Syzygy files are
//! a batch of [`syzygy_tables`].

mod failures;
mod indices;
mod labels;
mod own;
mod packed;

use std::collections::HashSet;
use std::ops::Deref;
use std::sync::Arc;

use rayon::prelude::*;
use syzygy_tables::batch::rows::{self, Endgames, Group, Placed, Position};
use syzygy_tables::batch::{self, Answer, PackedBoard, Positions};
use syzygy_tables::cozy_chess::Color;
use syzygy_tables::numbering::PackedSquares;
use syzygy_tables::{Dtz, Error, Material, Wdl};
use tbindex::Square;

pub use failures::Failure;
use failures::{Cause, Failures};
pub use indices::{index_order, pack_indices};
pub use labels::{Label, Sides, Wanted};
use own::{MOST_MOVES, MOST_TOGETHER, OwnFiles, endgame_of};

use crate::chess::board::piece_of;
use crate::chess::game::{GamePosition, is_insufficient};
use crate::probe::answer::{self, TablesError};
use crate::probe::files::Files;
use crate::probe::tables::{Tables, answer};
use crate::table::value::{Metric, Value};

/// What a position of a round takes besides its answer.
const BYTES_PER_POSITION: usize = 48;

/// A prober of batches, from the files of [`Tables`], which it borrows or shares.
///
/// Answers are those of [`Tables`], with the fifty-move counter at zero; [`Answer::with_counter`] heeds one.
/// Where tables are missing, a batch may know that they don't matter where [`Tables`] gives up.
///
/// ```no_run
/// use syzygy_tables::batch::PackedBoard;
/// use tbgen::{BatchProber, GamePosition, Letters, Tables};
///
/// let tables = Tables::open(&["tables", "syzygy"])?;
/// let prober = BatchProber::new(&tables, 512 << 20);
/// let position = GamePosition::parse("8/8/2k5/1r6/8/8/8/2KQ4 b - - 40 90", &Letters::default())?;
/// let boards: Vec<PackedBoard> = position.packed().into_iter().collect();
/// for (answer, mate) in prober.probe(&boards).into_iter().zip(prober.probe_dtm(&boards)) {
///     match (answer, mate) {
///         (Ok(answer), Ok(mate)) => println!("{:?} in {}, {mate}", answer.wdl, answer.dtz.plies),
///         (Err(failure), _) | (_, Err(failure)) => eprintln!("{}", prober.reason(failure)),
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct BatchProber<T> {
    tables: T,
    memory: usize,
    syzygy: Syzygy,
    /// The materials of Syzygy files.
    published: HashSet<Material>,
    failures: Failures,
}

/// A prober of Syzygy files alone.
type Syzygy = batch::BatchProber<Arc<syzygy_tables::Tables>>;

/// Answers, each of which may be missing.
type Answers<A, F = Failure> = Vec<Result<A, F>>;

/// What is asked about positions.
trait Asked: Copy + Send + Sync {
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

/// The value that an answer is made of.
fn value_of(answer: Answer) -> Value {
    let plies = answer.dtz.plies.unsigned_abs() as u16;
    Value {
        outcome: answer.wdl,
        plies: if answer.checkmate { 0 } else { plies },
    }
}

impl<T: Deref<Target = Tables> + Sync> BatchProber<T> {
    /// A prober that takes about so many bytes of memory, 64 MiB at least, beside positions and answers.
    ///
    /// # Panics
    /// If the tables are solved on demand.
    #[must_use]
    pub fn new(tables: T, memory: usize) -> BatchProber<T> {
        let memory = memory.max(64 << 20);
        let files = tables.files().expect("tables in files");
        let share = if files.has_own() { 4 } else { 1 };
        BatchProber {
            memory,
            syzygy: Syzygy::new(Arc::clone(&files.syzygy), memory / share),
            published: files.syzygy.materials().collect(),
            failures: Failures::default(),
            tables,
        }
    }

    /// The tables.
    #[must_use]
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// The outcome of each position under the fifty-move rule, or without it where only the distance to mate is known. Several
    /// threads share the work.
    pub fn probe_wdl<'p>(&self, positions: impl Into<Positions<'p>>) -> Vec<Result<Wdl, Failure>> {
        self.counted(self.outcomes(positions.into()))
    }

    /// The outcome of each position, and its distance to zeroing. Several threads share the work.
    pub fn probe<'p>(&self, positions: impl Into<Positions<'p>>) -> Vec<Result<Answer, Failure>> {
        self.counted(self.all(positions.into()))
    }

    /// The value of each position by the distance to mate, which only own files have. Several threads share the work.
    pub fn probe_dtm<'p>(
        &self,
        positions: impl Into<Positions<'p>>,
    ) -> Vec<Result<Value, Failure>> {
        self.counted(self.all(positions.into()))
    }

    /// The answers that [`Tables::answer`] has, which heed the counters. Several threads share the work.
    pub fn answers(&self, positions: &[GamePosition]) -> Vec<Result<answer::Answer, TablesError>> {
        let packed = positions.par_iter().map(GamePosition::packed);
        let packed: Vec<Option<PackedBoard>> = packed.collect();
        let boards: Vec<PackedBoard> = packed.iter().flatten().copied().collect();
        let mut found = self.probe(&boards).into_iter().zip(self.probe_dtm(&boards));
        let known = packed.iter();
        let known: Vec<_> = known
            .map(|packed| packed.and_then(|_| found.next()))
            .collect();
        let all = positions.par_iter().zip(known);
        let all = all.map(|(position, known)| {
            if let Some(answer) = self.tables.of_end(position) {
                return Ok(answer);
            }
            // Short-range pieces, and more pieces than tables have, are in no batch.
            let Some((by_zeroing, by_mate)) = known else {
                return self.tables.answer(position);
            };
            let failures = [by_zeroing.err(), by_mate.err()].into_iter().flatten();
            let damaged = failures.into_iter().any(|failure| !failure.is_missing());
            let dtz = by_zeroing.ok();
            let dtz = dtz.map(|answer| (value_of(answer), answer.dtz.exact));
            let dtm = by_mate.ok().map(|value| (value, true));
            match answer([dtz, dtm], position) {
                Some(answer) if answer.evaluation.certain && !damaged => Ok(answer),
                // Its moves may say more, and its tables what is missing.
                _ => self.tables.answer(position),
            }
        });
        all.collect()
    }

    /// The reason why a position has no answer. Of a damaged file, the place that was found first is named.
    ///
    /// # Panics
    /// If the failure is of another prober.
    #[must_use]
    pub fn reason(&self, failure: Failure) -> TablesError {
        self.failures.reason(failure)
    }

    /// The reasons why positions had no answers, or labels lacked a value though its table is there, and how many there were
    /// for each.
    #[must_use]
    pub fn failures(&self) -> Vec<(TablesError, u64)> {
        self.failures.all()
    }

    fn files(&self) -> &Files {
        self.tables.files().expect("as when the prober was made")
    }

    fn endgames(&self) -> &Endgames {
        &self.files().endgames
    }

    fn own(&self) -> OwnFiles<'_> {
        OwnFiles {
            files: self.files(),
            endgames: self.endgames(),
            failures: &self.failures,
            together: (self.memory / 8 / BYTES_PER_POSITION).min(MOST_TOGETHER - MOST_MOVES),
        }
    }

    /// How many positions are answered together. The more there are, the fewer blocks are decoded again.
    fn round(&self) -> usize {
        (self.memory / 2 / BYTES_PER_POSITION).min(MOST_TOGETHER)
    }

    /// Why a material has no own table, if it hasn't, and whether Syzygy files are asked where own tables are missing.
    fn sources(
        &self,
        metric: Metric,
        own: &OwnFiles<'_>,
        pieces: &rows::Endgame,
    ) -> (Option<Failure>, bool) {
        if !self.tables.uses(metric) {
            let endgame = endgame_of(pieces);
            let error = || self.files().missing(endgame, metric);
            let failure = self.failures.number(Cause::Own(endgame, metric), error);
            return (Some(failure), false);
        }
        let asked = metric == Metric::Dtz && !self.published.is_empty();
        (own.fault(metric, pieces), asked)
    }

    /// The answers for positions of a material, by own files and where these are missing by Syzygy files.
    fn rows<A: Asked>(&self, pieces: &rows::Endgame, rows: &[Placed]) -> Answers<A> {
        let own = self.own();
        let (fault, asked) = self.sources(A::METRIC, &own, pieces);
        let mut found: Answers<A> = match fault {
            Some(fault) => vec![Err(fault); rows.len()],
            None => {
                let values = own.values(A::METRIC, pieces, rows).into_iter();
                values.map(|found| found.map(A::of_value)).collect()
            }
        };
        if asked {
            let is_open = |number: &usize| found[*number].is_err_and(Failure::is_missing);
            let open: Vec<usize> = (0..found.len()).filter(is_open).collect();
            let positions = Positions::Rows(pieces, rows);
            let answers = positions.some(&open, |open| A::by_syzygy(&self.syzygy, open));
            // If there are no Syzygy files of the material, it is the own table that is missing.
            let published = self.published.contains(&pieces.material());
            let mut of_syzygy = remembered(|failure| self.of_syzygy(failure));
            for (number, answer) in open.into_iter().zip(answers) {
                match answer {
                    Ok(answer) => found[number] = Ok(answer),
                    Err(failure) if published => found[number] = Err(of_syzygy(failure)),
                    Err(_) => {}
                }
            }
        }
        if self.tables.uses(A::METRIC) {
            for (answer, &placed) in found.iter_mut().zip(rows) {
                if answer.is_err_and(Failure::is_missing)
                    && let Some(value) = end(pieces, placed)
                {
                    *answer = Ok(A::of_value(value));
                }
            }
        }
        found
    }

    /// The outcomes of positions. Where tables are missing, distances to mate have them.
    fn outcomes(&self, positions: Positions<'_>) -> Answers<Wdl> {
        let mut answers = self.all::<Wdl>(positions);
        let is_open = |&k: &usize| answers[k].is_err_and(Failure::is_missing);
        let open: Vec<usize> = (0..answers.len()).filter(is_open).collect();
        let values = positions.some(&open, |open| self.all::<Value>(open));
        for (k, value) in open.into_iter().zip(values) {
            if let Ok(value) = value {
                answers[k] = Ok(value.outcome);
            }
        }
        answers
    }

    /// Counts failures.
    fn counted<A>(&self, answers: Answers<A>) -> Answers<A> {
        let failures = answers.iter().filter_map(|answer| answer.as_ref().err());
        self.failures.count(failures.copied());
        answers
    }

    fn all<A: Asked>(&self, positions: Positions<'_>) -> Answers<A> {
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
        let found = A::by_syzygy(&self.syzygy, positions).into_iter();
        found.map(|answer| answer.map_err(&mut of_syzygy)).collect()
    }

    /// Answers for positions of any materials, in rounds.
    fn boards<A: Asked>(&self, boards: &[PackedBoard]) -> Answers<A> {
        if A::METRIC == Metric::Dtz && self.tables.uses(Metric::Dtz) && !self.files().has_own() {
            return self.by_syzygy(Positions::Boards(boards));
        }
        let mut answers = vec![Ok(A::of_value(Value::DRAW)); boards.len()];
        let rounds = (boards.chunks(self.round())).zip(answers.chunks_mut(self.round()));
        for (boards, answers) in rounds {
            let groups = Group::all(boards, self.endgames());
            let found = (groups.par_iter()).map(|group| self.rows(&group.endgame, &group.rows));
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
        let endgame = self.endgames().get(material);
        if let (Some(missing), true) = self.sources(A::METRIC, &self.own(), &endgame)
            && missing.is_missing()
            && self.published.contains(&material)
        {
            return self.by_syzygy(Positions::Squares(material, side, positions));
        }
        let mask = (1 << (8 * material.len())) - 1;
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
            Error::Missing { material, .. } => {
                let endgame = endgame_of(&self.endgames().get(material));
                let error = || self.files().missing(endgame, Metric::Dtz);
                self.failures.number(Cause::Syzygy(failure), error)
            }
            error => {
                let error = || TablesError::Syzygy(error);
                self.failures.number(Cause::Syzygy(failure), error)
            }
        }
    }
}
