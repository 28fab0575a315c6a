//! Answers about helpmates for positions.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use tbindex::batch::Backend;
use tbindex::{Color, Material, Position};

use crate::chess::board::en_passant_moves;
use crate::chess::error::ProbeError;
use crate::chess::game::GamePosition;
use crate::solve::levels::solve_shape;
use crate::solve::options::Options;
use crate::storage::packed::PackedFile;
use crate::storage::table_file::{FileError, TableFile};
use crate::subtables::library::{Library, SolveError};
use crate::table::reachable::reachable;
use crate::table::shape::{Shape, table_of};
use crate::table::solved::Table;
use crate::table::temp_file::TempFile;
use crate::table::value::{Metric, Value};

/// The shortest helpmate of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HelpValue {
    /// The least number of plies to a checkmate of the victim.
    pub plies: u16,
    /// Whether exactly one sequence of so many moves leads to a checkmate of the victim.
    pub unique: bool,
}

impl HelpValue {
    pub(super) fn of(value: Value) -> Option<HelpValue> {
        (value != Value::DRAW).then_some(HelpValue {
            plies: value.plies,
            unique: value.is_unique(),
        })
    }
}

/// Tables of helpmates, in memory or in files.
#[derive(Debug, Default)]
pub struct HelpTables {
    library: Library,
    /// The packed files of both victims, by the tables' names.
    packed: BTreeMap<String, [PackedFile; 2]>,
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

    /// The tables of all positions that a position of chess can lead to.
    ///
    /// # Errors
    /// If the pieces are too many, or there is no memory.
    ///
    /// # Panics
    /// If the position has short-range pieces.
    pub fn reachable(position: &GamePosition, backend: Backend) -> Result<HelpTables, SolveError> {
        let mut tables = HelpTables::default();
        let never = AtomicBool::new(false);
        for shape in reachable(position)? {
            tables.solve(&shape, Options::new(Metric::HelpWhite, backend, &never))?;
        }
        Ok(tables)
    }

    /// Opens the tables of a material in a folder, packed ones if there are no others, unless one of the two files is not there.
    /// Returns whether they are.
    ///
    /// # Errors
    /// If a file is damaged, or is no such table.
    pub fn open(&mut self, folder: &Path, material: Material) -> Result<bool, FileError> {
        let both = |packed: usize| {
            let [white, black] = Color::ALL.map(|victim| {
                let files = Table::files(folder, material, Metric::help(victim))?;
                Ok::<_, FileError>(
                    files[packed]
                        .clone()
                        .map(|path| (path, Metric::help(victim))),
                )
            });
            Ok::<_, FileError>(white?.zip(black?).map(<[_; 2]>::from))
        };
        if let Some(files) = both(0)? {
            for (path, metric) in files {
                let file = TableFile::open_as(&path, material.into(), metric)?;
                self.library.insert(file.as_it_is());
            }
        } else if let Some([(white, of_white), (black, of_black)]) = both(1)? {
            let open = |path: &Path, metric| PackedFile::open_as(path, material.into(), metric);
            let files = [open(&white, of_white)?, open(&black, of_black)?];
            self.packed.insert(material.to_string(), files);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Opens all tables of helpmates in folders. Of two of the same material, that in the first folder is taken.
    ///
    /// # Errors
    /// If a folder can't be read, or a file is damaged.
    pub fn open_all(folders: &[impl AsRef<Path>]) -> Result<HelpTables, FileError> {
        let mut tables = HelpTables::default();
        for folder in folders.iter().rev().map(AsRef::as_ref) {
            let io = FileError::io(folder, "read the folder");
            for entry in std::fs::read_dir(folder).map_err(io)? {
                let path = entry.map_err(io)?.path();
                let stem = path.file_stem().and_then(|stem| stem.to_str());
                let material = stem.and_then(|stem| stem.parse::<Material>().ok());
                let metric = Metric::HelpWhite;
                let ends = [Some(metric.extension()), metric.packed_extension()];
                let end = path.extension().and_then(|end| end.to_str());
                let is_help = end.is_some() && ends.contains(&end);
                if let Some(material) = material.filter(|of| is_help && of.is_normal()) {
                    tables.open(folder, material)?;
                }
            }
        }
        Ok(tables)
    }

    /// The tables that are not packed.
    #[must_use]
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// The shortest helpmate of a position of chess in which `victim` is checkmated, or `None` if there is none.
    ///
    /// # Errors
    /// If its table is not there.
    ///
    /// # Panics
    /// If the position has short-range pieces.
    pub fn value(
        &self,
        position: &GamePosition,
        victim: Color,
    ) -> Result<Option<HelpValue>, ProbeError> {
        if !position.castling().is_empty() {
            return Err(ProbeError::Castling);
        }
        let board = position.chess().expect("helpmates are of pieces of chess");
        let by_moves = || self.value_by_moves(position, victim);
        if !en_passant_moves(board).0.is_empty() {
            return by_moves();
        }
        let position = position.position();
        let (name, exchanged) = table_of(&position.material()?);
        let Some(files) = self.packed.get(&name.to_string()) else {
            return self.value_of(&position, name, victim);
        };
        let symmetric = name == name.swap_colors();
        let exchanged = exchanged || symmetric && position.side == Color::Black;
        let own = if exchanged { !victim } else { victim };
        let file = &files[own as usize];
        let Some(place) = file.place(board) else {
            return by_moves();
        };
        let stored = file.look_up(&[place]).map_err(io::Error::other)?;
        Ok(HelpValue::of(stored[0]))
    }

    /// The value that the moves of a position imply, or that it is mate.
    pub(super) fn value_by_moves(
        &self,
        position: &GamePosition,
        victim: Color,
    ) -> Result<Option<HelpValue>, ProbeError> {
        let side = position.position().side;
        let mated = !position.can_move() && position.in_check() && side == victim;
        let mut best = mated.then_some(HelpValue {
            plies: 0,
            unique: true,
        });
        for step in position.moves() {
            let Some(after) = self.value(&step.after, victim)? else {
                continue;
            };
            let plies = after.plies + 1;
            let unique = match best {
                Some(best) if best.plies < plies => continue,
                Some(best) => best.plies > plies && after.unique,
                None => after.unique,
            };
            best = Some(HelpValue { plies, unique });
        }
        Ok(best)
    }

    /// The value of a position without the right to capture en passant, by the table of this name.
    fn value_of(
        &self,
        position: &Position,
        name: Material,
        victim: Color,
    ) -> Result<Option<HelpValue>, ProbeError> {
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
        Ok(HelpValue::of(table(own)?.value_at(slot)?))
    }

    /// Which sides can still checkmate the other by some sequence of moves, white first. If neither can, the position is
    /// dead.
    ///
    /// # Errors
    /// If the position's table is not there.
    ///
    /// # Panics
    /// If the position has short-range pieces.
    pub fn can_mate(&self, position: &GamePosition) -> Result<[bool; 2], ProbeError> {
        let of = |victim| Ok::<_, ProbeError>(self.value(position, victim)?.is_some());
        Ok([of(Color::Black)?, of(Color::White)?])
    }
}
