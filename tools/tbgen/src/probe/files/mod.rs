//! Files as they answer for many positions: own ones, and where these are missing Syzygy files.

mod folders;
mod packed;

use rayon::prelude::*;
use syzygy_tables::batch::rows::{
    self, Cache, Children, Failures, Placed, Position, Report, Rounds, Sources,
};
use syzygy_tables::batch::{Answer, Failure, Positions};
use syzygy_tables::{Error, Wdl};
use tbindex::{Piece, Square};

pub(crate) use self::folders::{Files, Own};
use crate::chess::cozy::{color_of, material_of, piece_of};
use crate::chess::game::is_insufficient;
use crate::chess::piece_set::Endgame;
use crate::probe::answer::{Known, TablesError, Wanted};
use crate::storage::ROW_BITS;
use crate::storage::table_file::{FileError, TableFile};
use crate::table::value::{Metric, Value};

/// The bytes that a position of a round takes besides its answer.
const BYTES_PER_POSITION: usize = 48;

/// The value of a position, or why there is none.
type Reply = Result<Value, Failure>;

/// Fewer positions are answered by the calling thread alone, which takes less time than to wake others.
pub(super) const FEW: usize = 256;

/// No position has as many moves.
const MOST_MOVES: usize = 256;

/// The most positions that are looked up together: their numbers have these bits beside a place.
const MOST_TOGETHER: usize = 1 << ROW_BITS;

/// The better of two for the side to move. A failure stays.
fn better(one: Reply, other: Reply) -> Reply {
    Ok(one?.better(other?))
}

/// Files, as they answer for many positions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileProber<'a> {
    pub(super) files: &'a Files,
    /// The decoded sub-tables of Syzygy files, unless few positions are probed.
    pub(super) cache: Option<&'a Cache>,
    pub(super) failures: &'a Failures<TablesError>,
    /// The metrics whose tables are used.
    pub(super) metrics: &'a [Metric],
    /// About so many bytes are taken, beside positions and answers.
    pub(super) memory: usize,
}

/// Answers, each of which may be missing.
pub(super) type Answers<A> = Vec<Result<A, Failure>>;

/// The question about positions.
pub(super) trait Asked: Copy + Send + Sync {
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
    let men = kinds.zip(placed.squares().map(Square::new));
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

impl FileProber<'_> {
    /// All that is known of positions, of what is wanted, and why something of it is not: a damaged file before a missing one.
    /// Games may be over in them or not. Several threads share the work.
    pub(super) fn known(
        &self,
        wanted: Wanted,
        positions: Positions<'_>,
        may_be_over: bool,
    ) -> Vec<(Known, Option<Failure>)> {
        let mut all = vec![(Known::default(), None); positions.len()];
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
                true if self.files.has_mates => true,
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
        all: &mut [(Known, Option<Failure>)],
        is_asked: impl Fn(&Known) -> bool,
        add: impl Fn(&mut Known, A),
    ) {
        let asked: Vec<usize> = (0..all.len()).filter(|&k| is_asked(&all[k].0)).collect();
        if asked.is_empty() {
            return;
        }
        let answers = positions.some(&asked, |some| self.all(metric, some));
        for (k, answer) in asked.into_iter().zip(answers) {
            let (known, failure) = &mut all[k];
            match answer {
                Ok(answer) => add(known, answer),
                Err(new) => {
                    let stays = |old: &Failure| !old.is_missing() || new.is_missing();
                    *failure = Some(failure.filter(stays).unwrap_or(new));
                }
            }
        }
    }

    fn syzygy(&self) -> Sources<'_> {
        Sources {
            tables: &self.files.syzygy,
            cache: self.cache,
            reasons: self,
        }
    }

    /// The answers for positions, in rounds. The more there are of one, the fewer blocks are decoded again.
    pub(super) fn all<A: Asked>(&self, metric: Metric, positions: Positions<'_>) -> Answers<A> {
        let rounds = Rounds {
            sources: self.syzygy(),
            most: (self.memory / 8 * 3 / BYTES_PER_POSITION).clamp(FEW, MOST_TOGETHER),
            together: MOST_TOGETHER,
            memory: self.memory / 4,
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
            let missing = self
                .files
                .missing(material_of(pieces.material()).into(), metric);
            return vec![Err(self.failures.number(missing)); rows.len()];
        }
        let syzygy = |rows: &[Placed]| A::by_syzygy(self.syzygy(), pieces, rows);
        let published = metric == Metric::Dtz && self.files.syzygy.has(pieces.material());
        let is_own = || {
            self.files
                .is_own(metric, material_of(pieces.material()).into())
        };
        let by_syzygy = published && !(self.files.has_own && is_own());
        let mut found: Answers<A> = match by_syzygy {
            true => syzygy(rows),
            false => {
                let values = self.values(metric, pieces, rows).into_iter();
                values.map(|found| found.map(A::of_value)).collect()
            }
        };
        if !by_syzygy && metric == Metric::Dtz && self.files.has_syzygy() {
            let is_open = |number: &usize| found[*number].is_err_and(Failure::is_missing);
            let open: Vec<usize> = (0..found.len()).filter(is_open).collect();
            let some: Vec<Placed> = open.iter().map(|&number| rows[number]).collect();
            // If there are no Syzygy files of the material, it is the own table that is missing.
            for (number, answer) in open.into_iter().zip(syzygy(&some)) {
                if answer.is_ok() || published {
                    found[number] = answer;
                }
            }
        }
        for (answer, &placed) in found.iter_mut().zip(rows) {
            if answer.is_err()
                && let Some(value) = end(pieces, placed)
            {
                *answer = Ok(A::of_value(value));
            }
        }
        found
    }

    /// How many positions after moves are looked up together.
    fn together(&self) -> usize {
        (self.memory / 8 / BYTES_PER_POSITION).clamp(MOST_MOVES, MOST_TOGETHER - MOST_MOVES)
    }

    /// The values of up to [`MOST_TOGETHER`] positions, which are legal, with the right to capture en passant.
    fn values(&self, metric: Metric, pieces: &rows::Endgame, rows: &[Placed]) -> Vec<Reply> {
        let mut found = match self
            .files
            .own(metric, material_of(pieces.material()).into())
        {
            Ok(Own::Table(file)) => self.in_table(file, pieces, rows),
            Ok(Own::Packed(file)) => self.in_packed(file, pieces, rows),
            Err(error) => return vec![Err(self.failures.number(error)); rows.len()],
        };
        self.add_en_passant(metric, pieces, rows, &mut found);
        found
    }

    fn in_table(&self, file: &TableFile, pieces: &rows::Endgame, rows: &[Placed]) -> Vec<Reply> {
        let material = pieces.material();
        let men: Vec<Piece> = material.pieces().map(piece_of).collect();
        let slots = file.row_slots(&men);
        // A legal position has a slot.
        let nowhere = || {
            let fault = "it is in no table".to_owned();
            self.failures.number(TablesError::Illegal(fault))
        };
        let failed = |error: FileError| self.failures.number(error.into());
        if rows.len() < FEW {
            let values = rows.iter().map(|placed| {
                let slot = slots.slot(&placed.squares()[..men.len()], color_of(placed.side()));
                file.value_at(slot.ok_or_else(nowhere)?).map_err(failed)
            });
            return values.collect();
        }
        let wanted = rows.par_iter().enumerate();
        let wanted = wanted.map(|(row, placed)| {
            let side = color_of(placed.side());
            let slot = slots.slot(&placed.squares()[..men.len()], side)?;
            Some(file.place(slot) << ROW_BITS | row as u64)
        });
        let mut wanted: Vec<u64> = wanted.flatten().collect();
        let mut all = vec![Err(nowhere()); rows.len()];
        for (row, value) in file.values_of(&mut wanted, failed) {
            all[row as usize] = value;
        }
        all
    }

    /// Of positions with the right to capture en passant, takes the captures into their values.
    fn add_en_passant(
        &self,
        metric: Metric,
        pieces: &rows::Endgame,
        rows: &[Placed],
        found: &mut [Reply],
    ) {
        let mut children = Children::default();
        for (row, &placed) in rows.iter().enumerate() {
            if placed.en_passant().is_none() {
                continue;
            }
            let position = Position::new(pieces, placed);
            let mut any = false;
            position.captures_en_passant(|child, after| {
                children.push(child, after, row);
                any = true;
            });
            // If there is no other move, the captures alone count.
            if any && !position.can_move() {
                found[row] = found[row].map(|_| metric.loss(0));
            }
        }
        self.add_children(metric, pieces, &children, found);
    }

    /// Takes captures and promotions into the values of the positions before them.
    fn add_children(
        &self,
        metric: Metric,
        pieces: &rows::Endgame,
        children: &Children,
        found: &mut [Reply],
    ) {
        let worths = |child: &rows::Endgame, rows: &[Placed]| {
            let values = self.values(metric, child, rows).into_iter();
            let worths = values.map(|value| Ok(metric.after_move(value?, true)));
            worths.collect()
        };
        let endgames = (pieces, &self.files.syzygy.endgames);
        children.for_each(
            endgames,
            MOST_TOGETHER,
            Ok(Value::DRAW),
            worths,
            |parent, worth| {
                found[parent] = better(found[parent], worth);
            },
        );
    }
}

impl Report for FileProber<'_> {
    fn failed(&self, error: Error) -> Failure {
        self.failures.number(match error {
            Error::Illegal(fault) => TablesError::Illegal(fault.to_owned()),
            Error::Missing { material, kind } => {
                let endgame = Endgame::from(material_of(material));
                self.files.missing_syzygy(endgame, material, kind)
            }
            error => TablesError::Syzygy(error),
        })
    }
}
