//! Tables that are made in memory, each from those before.

use std::path::Path;

use tbindex::Material;

use super::Done;
use super::in_work::{InWork, Watch};
use crate::distributed::transport::Alone;
use crate::plan::Plan;
use crate::solve::options::Options;
use crate::subtables::library::{Library, SolveError};
use crate::table::shape::Shape;
use crate::table::solved::Table;
use crate::table::temp_file::TempFile;
use crate::table::value::Metric;

/// How tables are made in memory.
#[derive(Clone, Copy, Debug)]
pub struct InMemory<'a> {
    /// Options for solving them. The metric is not used.
    pub options: Options<'a>,
    /// A folder for temporary files of large tables. Without one, all is in memory.
    pub temp: Option<&'a Path>,
    /// A watcher of the tables that are being solved.
    pub watch: &'a dyn Watch,
}

impl InMemory<'_> {
    /// Makes the tables of shapes by metrics, of which distances to zeroing and to mate exclude each other, in an order that has
    /// each after those that it needs, and calls `each` for each, with those that it leads to and earlier ones of the same pieces.
    /// Returns the last. The others are kept as long as larger tables need them; by the distance to zeroing, their outcomes alone.
    ///
    /// # Errors
    /// If a table can't be solved, or put aside while it is not in use, or as of `each`.
    pub fn make<'s, E: From<SolveError>>(
        &self,
        all: impl IntoIterator<Item = (&'s Shape, Metric)>,
        mut each: impl FnMut(&Table, &Library, &Done) -> Result<(), E>,
    ) -> Result<Option<Table>, E> {
        let all: Vec<(&Shape, Metric)> = all.into_iter().collect();
        let mut library = Library::default();
        let mut last: Option<Table> = None;
        for (number, &(shape, metric)) in all.iter().enumerate() {
            if let Some(table) = last.take() {
                library.insert(self.put_aside(table)?);
            }
            let led_to = all[number..].iter().flat_map(|of| of.0.endgame().led_to());
            let wanted: Vec<Material> = led_to.map(|endgame| endgame.material).collect();
            library.retain(|of| wanted.contains(of) || *of == shape.material());
            let in_work = InWork::new(shape, metric, Some(Plan::in_memory(shape, metric)));
            let temp_file = TempFile::of(shape, self.temp).map_err(SolveError::from)?;
            let options = Options {
                metric,
                ..(self.options).with_files(shape, self.temp, temp_file.as_ref())
            };
            let table = last.insert(in_work.solve(&library, options, &Alone, self.watch)?);
            let done = Done {
                solved: Some(in_work.begin.elapsed()),
                ..Done::there_already(shape.endgame(), metric)
            };
            each(table, &library, &done)?;
        }
        Ok(last)
    }

    /// A table as it is kept for larger ones.
    fn put_aside(&self, mut table: Table) -> Result<Table, SolveError> {
        if table.metric() == Metric::Dtz {
            table.forget_distances()?;
        }
        table.pack(TempFile::of(&table.shape, self.temp)?.as_ref())?;
        Ok(table)
    }
}
