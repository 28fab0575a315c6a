//! Solved tables, and why one can't be solved.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tbindex::bitbase::DomainError;
use tbindex::{Color, Material};

use crate::storage::record_file::RecordError;
use crate::storage::table_file::is_damage;
use crate::table::shape::ShapeError;
use crate::table::solved::Table;

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
#[derive(Debug, Default)]
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
}
