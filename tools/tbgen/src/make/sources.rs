//! The tables of folders, as others are made of them. One that is packed is solved again, and compared with its file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Job, MakeError};
use crate::chess::piece_set::Endgame;
use crate::solve::levels::solve_shape;
use crate::solve::options::Options;
use crate::storage::packed::PackedFile;
use crate::storage::table_file::{FileError, TableFile};
use crate::subtables::library::{Library, SolveError};
use crate::syzygy::pack::check_packed;
use crate::table::shape::Shape;
use crate::table::solved::Table;
use crate::table::temp_file::TempFile;
use crate::table::value::Metric;

/// How a table is kept that was read.
#[derive(Clone, Copy)]
pub(super) enum ReadAs<'a> {
    /// In its file, from which values are read when they are wanted.
    InFile,
    /// As larger tables need it: by the distance to zeroing its outcomes; and if it is large, in the temporary file or compressed
    /// in memory.
    Aside(Option<&'a Arc<TempFile>>),
}

impl<'a> Job<'a> {
    /// The folder that has the table of an endgame, in either form, with its [files](Table::files); if none has, the first.
    ///
    /// # Errors
    /// As of [`Table::files`].
    ///
    /// # Panics
    /// If the job has no folders of tables.
    pub fn files(
        &self,
        endgame: Endgame,
        metric: Metric,
    ) -> Result<(&'a Path, [Option<PathBuf>; 2]), FileError> {
        for folder in self.tables {
            let files = Table::files(folder, endgame, metric)?;
            if files != [None, None] {
                return Ok((folder, files));
            }
        }
        Ok((&self.tables[0], [None, None]))
    }

    /// The tables that may be in memory together while tables of some endgames are solved again, as they are packed and not there
    /// in another form, of helpmates those of either victim: these, and all that they need. Each comes after those that it needs.
    ///
    /// # Errors
    /// As of [`Table::files`], or if there is no memory.
    ///
    /// # Panics
    /// If the job has no folders of tables.
    pub fn solved_again(&self, of: &[Endgame], metric: Metric) -> Result<Vec<Shape>, MakeError> {
        let mut all: Vec<Shape> = Vec::new();
        for &endgame in of {
            let mut is_packed = false;
            for &metric in metric.of_smaller() {
                is_packed |= matches!(self.files(endgame, metric)?, (_, [None, Some(_)]));
            }
            if is_packed {
                for shape in Shape::needed_by(endgame).map_err(SolveError::from)? {
                    if all.iter().all(|of| of.endgame() != shape.endgame()) {
                        all.push(shape);
                    }
                }
            }
        }
        Ok(all)
    }

    /// The table of an endgame, whose values are read from its file when they are wanted; or, if it is packed, solved again
    /// from those that it leads to, which have to be there, too.
    ///
    /// # Errors
    /// If a file is missing, damaged or wrong, or a table can't be solved again.
    ///
    /// # Panics
    /// If the job has no folders of tables.
    pub fn table(&self, endgame: Endgame, metric: Metric) -> Result<Table, MakeError> {
        self.get((endgame, metric), ReadAs::InFile, &mut Library::default())
    }

    /// Adds the tables that one leads to, where a library lacks them; of helpmates, those of both victims.
    pub(super) fn bring(
        &self,
        (endgame, metric): (Endgame, Metric),
        kept: ReadAs<'_>,
        library: &mut Library,
    ) -> Result<(), MakeError> {
        for source in endgame.led_to() {
            for &metric in metric.of_smaller() {
                if library.of(&source.material, metric.victim()).is_none() {
                    let table = self.get((source, metric), kept, library)?;
                    library.insert(table);
                }
            }
        }
        Ok(())
    }

    /// The table of an endgame; if it is packed, solved again from tables that are added to a library.
    pub(super) fn get(
        &self,
        (endgame, metric): (Endgame, Metric),
        kept: ReadAs<'_>,
        library: &mut Library,
    ) -> Result<Table, MakeError> {
        let (folder, files) = self.files(endgame, metric)?;
        if let [None, Some(path)] = files {
            let file = PackedFile::open_as(&path, endgame, metric)?;
            let table = match kept {
                ReadAs::InFile => self.solve_again(&file, None, library)?,
                ReadAs::Aside(temp_file) => {
                    let mut table = self.solve_again(&file, temp_file, library)?;
                    table.pack(temp_file).map_err(SolveError::from)?;
                    table
                }
            };
            return Ok(table.in_letters(endgame));
        }
        let mut file = TableFile::open_as(&Table::path(folder, endgame, metric), endgame, metric)?;
        if metric == Metric::Dtz && matches!(kept, ReadAs::Aside(_)) {
            file = file.by_outcomes();
        }
        // Parts of tables with pawns are small, and few are wanted at a time, and each only now and then. For helpmates, most of
        // what leads to a table leads to that of one victim alone.
        let small = endgame.material.has_pawns() || metric.victim().is_some();
        let table = match kept {
            ReadAs::Aside(temp_file) if !small => file.load(temp_file, self.stop)?,
            _ => file.as_it_is(),
        };
        Ok(table.in_letters(endgame))
    }

    /// The table of a packed file, solved again from those that it leads to, which have to be in the folders, and compared
    /// with the file.
    ///
    /// # Errors
    /// As of [`table`](Job::table).
    ///
    /// # Panics
    /// If the job has no folders of tables.
    pub fn unpack(&self, file: &PackedFile) -> Result<Table, MakeError> {
        self.solve_again(file, None, &mut Library::default())
    }

    fn solve_again(
        &self,
        file: &PackedFile,
        temp_file: Option<&Arc<TempFile>>,
        library: &mut Library,
    ) -> Result<Table, MakeError> {
        let (endgame, metric) = (Endgame::from(file.material()), file.metric());
        self.bring((endgame, metric), ReadAs::Aside(temp_file), library)?;
        let shape = Shape::of_endgame(endgame).map_err(SolveError::from)?;
        let options = Options {
            temp_file,
            ..Options::new(metric, self.backend, self.stop)
        };
        let table = solve_shape(&shape, library, options)?;
        check_packed(file, &table, library, self.backend)?;
        Ok(table)
    }
}
