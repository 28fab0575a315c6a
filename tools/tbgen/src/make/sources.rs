//! The tables of folders, as others are made of them. One that is packed is solved again, and compared with its file.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tbindex::batch::Backend;

use super::MakeError;
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

/// Folders of tables by a metric, of both forms.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    /// The folders, one at least. Of two files of a table, that in an earlier folder is taken.
    pub folders: &'a [PathBuf],
    /// The metric.
    pub metric: Metric,
    /// A file for what is put aside of large tables.
    pub temp_file: Option<&'a Arc<TempFile>>,
    /// The instructions to use.
    pub backend: Backend,
    /// A flag that stops the work when it is set.
    pub stop: &'a AtomicBool,
}

impl<'a> Sources<'a> {
    /// The folder that has the table of an endgame, in either form, with its [files](Table::files); if none has, the first.
    ///
    /// # Errors
    /// As of [`Table::files`].
    pub fn files(&self, endgame: Endgame) -> Result<(&'a Path, [Option<PathBuf>; 2]), FileError> {
        for folder in self.folders {
            let files = Table::files(folder, endgame, self.metric)?;
            if files != [None, None] {
                return Ok((folder, files));
            }
        }
        Ok((&self.folders[0], [None, None]))
    }

    /// The packed file of an endgame, if there is one and the table is there in no other form.
    fn packed(&self, endgame: Endgame) -> Result<Option<PackedFile>, MakeError> {
        let (_, [None, Some(path)]) = self.files(endgame)? else {
            return Ok(None);
        };
        Ok(Some(PackedFile::open_as(&path, endgame, self.metric)?))
    }

    /// The table of an endgame, whose values are read from its file when they are wanted; or, if it is packed, solved again
    /// from those that it leads to, which have to be there, too.
    ///
    /// # Errors
    /// If a file is missing, damaged or wrong, or a table can't be solved again.
    pub fn table(&self, endgame: Endgame) -> Result<Table, MakeError> {
        match self.packed(endgame)? {
            Some(file) => self.unpack(&file),
            None => Ok(self.file(endgame)?.as_it_is().in_letters(endgame)),
        }
    }

    /// The table of an endgame, if it is large in the temporary file or compressed in memory.
    ///
    /// # Errors
    /// As of [`table`](Sources::table).
    pub fn put_aside(&self, endgame: Endgame) -> Result<Table, MakeError> {
        let table = match self.packed(endgame)? {
            Some(file) => {
                let mut table = self.unpack(&file)?;
                table.pack(self.temp_file).map_err(SolveError::from)?;
                table
            }
            None => (self.file(endgame)?).load_packed(self.temp_file, self.stop)?,
        };
        Ok(table.in_letters(endgame))
    }

    /// The tables that one leads to; of helpmates, those of both victims.
    ///
    /// # Errors
    /// As of [`table`](Sources::table).
    pub fn led_to(&self, endgame: Endgame) -> Result<Library, MakeError> {
        self.smaller(endgame, false)
    }

    /// The tables that one leads to; all as they are in their files if `few` slices of them are wanted.
    pub(super) fn smaller(&self, endgame: Endgame, few: bool) -> Result<Library, MakeError> {
        let mut library = Library::default();
        let sources = self.metric.of_smaller().iter();
        for sources in sources.map(|&metric| Sources { metric, ..*self }) {
            for source in endgame.led_to() {
                // Parts of tables with pawns are small, and few are wanted at a time, and each only now and then. For
                // helpmates, most of what leads to a table leads to that of one victim alone.
                let small = source.material.has_pawns() || sources.metric.victim().is_some();
                let table = match few || small && sources.packed(source)?.is_none() {
                    true => sources.table(source)?,
                    false => sources.put_aside(source)?,
                };
                library.insert(table);
            }
        }
        Ok(library)
    }

    fn file(&self, endgame: Endgame) -> Result<TableFile, MakeError> {
        let path = Table::path(self.files(endgame)?.0, endgame, self.metric);
        Ok(TableFile::open_as(&path, endgame, self.metric)?)
    }

    /// The table of a packed file, solved again from those that it leads to, which have to be there, too, and compared
    /// with the file.
    ///
    /// # Errors
    /// As of [`table`](Sources::table).
    pub fn unpack(&self, file: &PackedFile) -> Result<Table, MakeError> {
        let endgame = Endgame::from(file.material());
        let library = self.led_to(endgame)?;
        let shape = Shape::of_endgame(endgame).map_err(SolveError::from)?;
        let options = Options {
            temp_file: self.temp_file,
            ..Options::new(self.metric, self.backend, self.stop)
        };
        let table = solve_shape(&shape, &library, options)?;
        check_packed(file, &table, &library, self.backend)?;
        Ok(table)
    }
}
