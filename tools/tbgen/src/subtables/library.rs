//! Solved tables, and why one can't be solved.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tbindex::bitbase::DomainError;
use tbindex::{Color, Material, Piece, PieceType, Square};

use crate::chess::board::Board;
use crate::chess::error::ProbeError;
use crate::chess::game::{GamePosition, Move};
use crate::storage::record_file::RecordError;
use crate::storage::table_file::is_damage;
use crate::table::en_passant::value_with_en_passant;
use crate::table::shape::{ShapeError, table_of};
use crate::table::solved::Table;
use crate::table::value::{Metric, Value};

/// The reason why a table can't be solved.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SolveError {
    /// The material is out of reach.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A table to which a capture or a promotion leads is missing.
    #[error("the table of {0} is needed, and it isn't there")]
    Missing(Material),
    /// There are more different values than codes, or distances to mate that no code says.
    #[error(
        "{0}, or a table that it leads to, has more than 2047 different values for one side to move, or mates in more than 2045 plies"
    )]
    TooManyValues(Material),
    /// The system gives no memory.
    #[error("no memory for a set of positions: {0}")]
    Memory(#[source] Arc<io::Error>),
    /// A table that was solved before can't be read or put aside, or sets of positions can't be kept in files. The error
    /// names the file.
    #[error("{0}")]
    Source(Arc<io::Error>),
    /// The checkpoint can't be used.
    #[error(transparent)]
    Checkpoint(#[from] Arc<RecordError>),
    /// A message of another process is damaged.
    #[error("a message of another process is damaged: {0}")]
    Message(&'static str),
    /// The caller stopped the work.
    #[error("interrupted")]
    Interrupted,
}

impl SolveError {
    /// Whether a file is damaged.
    pub(crate) fn is_damage(&self) -> bool {
        matches!(self, SolveError::Source(error) if is_damage(error))
    }
}

impl From<io::Error> for SolveError {
    fn from(error: io::Error) -> SolveError {
        // An error of a file has words of its own.
        if error.kind() == io::ErrorKind::OutOfMemory && error.get_ref().is_none() {
            SolveError::Memory(Arc::new(error))
        } else {
            SolveError::Source(Arc::new(error))
        }
    }
}

impl From<RecordError> for SolveError {
    fn from(error: RecordError) -> SolveError {
        match error {
            RecordError::Interrupted => SolveError::Interrupted,
            RecordError::Source(error) => error.into(),
            error => SolveError::Checkpoint(Arc::new(error)),
        }
    }
}

impl From<DomainError> for SolveError {
    fn from(error: DomainError) -> SolveError {
        match error {
            DomainError::Memory(kind) => io::Error::from(kind).into(),
            error => unreachable!("a move leads to the pieces that are left: {error}"),
        }
    }
}

/// Ends the work if it is to stop.
pub(crate) fn heed_stop(stop: &AtomicBool) -> Result<(), SolveError> {
    match stop.load(Ordering::Relaxed) {
        true => Err(SolveError::Interrupted),
        false => Ok(()),
    }
}

/// Solved tables of one metric, to which captures and promotions of others lead; of helpmates, those of both victims.
#[derive(Clone, Debug, Default)]
pub struct Library(BTreeMap<(String, Option<Color>), Arc<Table>>);

impl Library {
    /// Adds a table.
    pub fn insert(&mut self, table: impl Into<Arc<Table>>) {
        let table = table.into();
        let key = (table.material().to_string(), table.metric().victim());
        self.0.insert(key, table);
    }

    /// The table of a material, as [`table_of`](crate::table_of) names it, that is none of helpmates.
    #[must_use]
    pub fn get(&self, material: &Material) -> Option<&Table> {
        self.of(material, None)
    }

    /// The table of a material or, if there is a victim, that of the helpmates in which it is checkmated.
    #[must_use]
    pub fn of(&self, material: &Material, victim: Option<Color>) -> Option<&Table> {
        let key = (material.to_string(), victim);
        self.0.get(&key).map(AsRef::as_ref)
    }

    /// Drops the tables whose material does not pass a test.
    pub fn retain(&mut self, keep: impl Fn(&Material) -> bool) {
        self.0.retain(|_, table| keep(&table.material()));
    }

    /// All tables, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Table> {
        self.0.values().map(AsRef::as_ref)
    }

    /// The value of a position by tables of this metric. If there is a right to capture en passant, it is the better of the
    /// position's without it and of these captures; and if there is no other move, these captures alone count. Two bare kings
    /// are drawn.
    ///
    /// # Errors
    /// If the table is missing.
    pub fn probe(&self, metric: Metric, position: &GamePosition) -> Result<Value, ProbeError> {
        value_with_en_passant(metric, position.board(), &mut |board| {
            self.value_by_name(metric, board.men(), board.side())
        })
    }

    /// The value of a board that a move from a position of `likely` leads to. It is looked for there first.
    pub(crate) fn value_on(&self, board: &Board, likely: &Table) -> Result<Value, ProbeError> {
        value_with_en_passant(likely.metric(), board, &mut |board| {
            self.value_of(board.men(), board.side(), likely)
        })
    }

    /// The worth of a move from a position of a table.
    pub(crate) fn worth(&self, step: &Move, table: &Table) -> Result<Value, ProbeError> {
        let after = self.value_on(step.after.board(), table)?;
        Ok(table.metric().after_move(after, step.zeroing))
    }

    /// The value of pieces on squares, looked for in `likely` first.
    pub(crate) fn value_of(
        &self,
        men: &[(Piece, Square)],
        side: Color,
        likely: &Table,
    ) -> Result<Value, ProbeError> {
        let pawns = men.iter().filter(|man| man.0.kind == PieceType::Pawn);
        let fixed = likely.shape.any_domain().fixed();
        if men.len() == likely.material().piece_count() && pawns.count() == fixed.len() {
            return self.value_in(likely, men, side, false);
        }
        self.value_by_name(likely.metric(), men, side)
    }

    /// The value of pieces on squares, looked for in the table of their material.
    pub(crate) fn value_by_name(
        &self,
        metric: Metric,
        men: &[(Piece, Square)],
        side: Color,
    ) -> Result<Value, ProbeError> {
        let material = Material::from_pieces(men.iter().map(|man| man.0))?;
        if men.len() == 2 {
            return Ok(Value::DRAW);
        }
        let (name, swapped) = table_of(&material);
        let table = self.of(&name, metric.victim());
        let table = table.ok_or(ProbeError::Missing(name))?;
        self.value_in(table, men, side, swapped)
    }

    /// The value of pieces on squares in a table of their material, or of helpmates in that of the other victim, if the colours
    /// are exchanged there.
    fn value_in(
        &self,
        table: &Table,
        men: &[(Piece, Square)],
        side: Color,
        swapped: bool,
    ) -> Result<Value, ProbeError> {
        let slot = table.shape.slot_of(men, side, swapped)?;
        let table = match table.metric().exchanged().victim() {
            Some(victim) if slot.side != side => {
                let (name, victim) = (table.material(), Some(victim));
                self.of(&name, victim).ok_or(ProbeError::Missing(name))?
            }
            _ => table,
        };
        Ok(table.value_at(slot)?)
    }
}
