//! Answers about helpmates for positions, and checks of tables of helpmates by another move generator.

use std::io;
use std::path::{Path, PathBuf};

use tbindex::{Color, Material, Position};

use crate::chess::error::ProbeError;
use crate::chess::game::GamePosition;
use crate::probe::answer::TablesError;
use crate::probe::files::{Files, Own};
use crate::solve::levels::solve_shape;
use crate::solve::options::Options;
use crate::subtables::library::{Library, SolveError};
use crate::table::shape::{Shape, table_of};
use crate::table::solved::Table;
use crate::table::temp_file::TempFile;
use crate::table::value::{Metric, Value};
use crate::verify::{Check, VerifyError, verify};

/// The value of a helpmate, if there is one.
fn found(value: Value) -> Option<Value> {
    (value != Value::DRAW).then_some(value)
}

/// Tables of helpmates, in files and in memory.
#[derive(Debug, Default)]
pub struct HelpTables {
    /// They are asked first.
    files: Files,
    library: Library,
    /// The folder of temporary files for large tables that are solved.
    temp: Option<PathBuf>,
}

impl HelpTables {
    /// No tables yet. Large ones that are solved are kept in temporary files in a folder, each in a file of its own, which is
    /// gone when the table is dropped.
    #[must_use]
    pub fn with_temp(folder: &Path) -> HelpTables {
        HelpTables {
            temp: Some(folder.to_owned()),
            ..HelpTables::default()
        }
    }

    /// Solves the helpmates of a shape, and adds them to the tables. The tables that its captures and promotions lead to have to
    /// be there. It runs on the threads of the current rayon pool. Of the options, the backend and the stop flag are used.
    ///
    /// # Errors
    /// If a table is missing, there is no memory, a temporary file can't be written, or the caller stops the work.
    ///
    /// # Panics
    /// If the shape has short-range pieces.
    pub fn solve(&mut self, shape: &Shape, options: Options<'_>) -> Result<(), SolveError> {
        let temp = self.temp.as_deref();
        let temp_file = TempFile::of(shape, temp)?;
        for victim in Color::ALL {
            let options = Options {
                metric: Metric::help(victim),
                ..options.with_files(shape, temp, temp_file.as_ref())
            };
            let mut table = solve_shape(shape, &self.library, options)?;
            if temp_file.is_some() {
                table.pack(temp_file.as_ref())?;
            }
            self.library.insert(table);
        }
        Ok(())
    }

    /// The tables of helpmates in folders. A file is opened when it is first needed. Of two of the same table, that in the first
    /// folder is taken, and of one folder that which is not packed.
    ///
    /// # Errors
    /// If a folder can't be read.
    pub fn open(folders: &[impl AsRef<Path>]) -> Result<HelpTables, TablesError> {
        Ok(HelpTables {
            files: Files::open(folders, Metric::HelpWhite.of_smaller())?,
            ..HelpTables::default()
        })
    }

    /// Whether there are files of a material, of both victims.
    #[must_use]
    pub fn has_files(&self, material: Material) -> bool {
        let mut metrics = Metric::HelpWhite.of_smaller().iter();
        metrics.all(|&metric| self.files.is_own(metric, material.into()))
    }

    /// The tables in memory.
    #[must_use]
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// The shortest helpmate of a position of chess in which `victim` is checkmated, or `None` if there is none.
    ///
    /// # Errors
    /// If its table is not there, or its file can't be read or is damaged.
    ///
    /// # Panics
    /// If the position has short-range pieces.
    pub fn value(
        &self,
        position: &GamePosition,
        victim: Color,
    ) -> Result<Option<Value>, ProbeError> {
        if !position.castling().is_empty() {
            return Err(ProbeError::Castling);
        }
        assert!(
            !position.is_short_range(),
            "helpmates are of pieces of chess"
        );
        let by_moves = || self.value_by_moves(position, victim);
        if position.board().en_passant().is_some() {
            return by_moves();
        }
        let position = position.position();
        let (name, exchanged) = table_of(&position.material()?);
        let metric = |exchanged: bool| Metric::help(if exchanged { !victim } else { victim });
        if !self.has_files(name) {
            return self.value_of(&position, name, victim);
        }
        let file = |exchanged| {
            let file = self.files.own(metric(exchanged), name.into());
            file.map_err(io::Error::other)
        };
        if let Own::Table(file) = file(exchanged)? {
            let value = file.value(&position).map_err(io::Error::other)?;
            return Ok(found(value));
        }
        // With the colours exchanged, it is a packed file of the other victim.
        let symmetric = name == name.swap_colors();
        let Own::Packed(file) = file(exchanged || symmetric && position.side == Color::Black)?
        else {
            return by_moves();
        };
        let Some(place) = file.place(&position) else {
            return by_moves();
        };
        let stored = file.look_up(&[place]).map_err(io::Error::other)?;
        Ok(found(stored[0]))
    }

    /// The value that the moves of a position imply, or that it is mate.
    fn value_by_moves(
        &self,
        position: &GamePosition,
        victim: Color,
    ) -> Result<Option<Value>, ProbeError> {
        let side = position.position().side;
        let mated = !position.can_move() && position.in_check() && side == victim;
        let mut best = mated.then_some(Value::help(0, true));
        for step in position.moves() {
            let Some(after) = self.value(&step.after, victim)? else {
                continue;
            };
            let plies = after.plies + 1;
            let unique = match best {
                Some(best) if best.plies < plies => continue,
                Some(best) => best.plies > plies && after.is_unique(),
                None => after.is_unique(),
            };
            best = Some(Value::help(plies, unique));
        }
        Ok(best)
    }

    /// The value of a position without the right to capture en passant, by the table of this name.
    fn value_of(
        &self,
        position: &Position,
        name: Material,
        victim: Color,
    ) -> Result<Option<Value>, ProbeError> {
        if name.piece_count() == 2 {
            return Ok(None);
        }
        let table = |victim: Color| {
            let table = self.library.of(&name, Some(victim));
            table.ok_or(ProbeError::Missing(name))
        };
        // The same shape for both victims.
        let slot = table(Color::White)?.shape().slot(position)?;
        let exchanged = slot.side != position.side;
        let own = if exchanged { !victim } else { victim };
        Ok(found(table(own)?.value_at(slot)?))
    }

    /// Which sides can still checkmate the other by some sequence of moves, white first. If neither can, the position is
    /// dead.
    ///
    /// # Errors
    /// As of [`value`](HelpTables::value).
    ///
    /// # Panics
    /// If the position has short-range pieces.
    pub fn can_mate(&self, position: &GamePosition) -> Result<[bool; 2], ProbeError> {
        let of = |victim| Ok::<_, ProbeError>(self.value(position, victim)?.is_some());
        Ok([of(Color::Black)?, of(Color::White)?])
    }
    /// Checks that every value of a table of helpmates is the one that the position's legal moves imply by these tables, and that
    /// no illegal position has a value. Returns the number of legal positions that were checked.
    ///
    /// # Errors
    /// If a value is wrong (the error has one such position), or if a table is missing.
    ///
    /// # Panics
    /// If the table is not one of helpmates.
    pub fn verify<'a>(
        &self,
        table: &Table,
        check: impl Into<Check<'a>>,
    ) -> Result<u64, VerifyError> {
        let victim = table.metric().victim().expect("a table of helpmates");
        let text = |value: &Value| match (*value, value.is_unique()) {
            (Value::DRAW, _) => "no helpmate".to_owned(),
            (Value { plies, .. }, true) => format!("helpmate in {plies} plies with one solution"),
            (Value { plies, .. }, false) => format!("helpmate in {plies} plies with several"),
        };
        let (fen, board) = (Position::to_string, |position: &_| {
            GamePosition::new(position, None)
        });
        verify(table, check.into(), fen, text, board, |board| {
            Ok(self.value_by_moves(board, victim)?.unwrap_or(Value::DRAW))
        })
    }
}
