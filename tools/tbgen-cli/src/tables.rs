//! The tables that answer for positions.

use std::path::PathBuf;

use anyhow::{Result, bail};
use tbgen::{Job, Letters, Metric, Solver, Tables, parse_size};
use tbindex::batch::Backend;

use super::bars::Bars;
use super::folder::{FolderKind, kind_of};
use super::machine::pool;
use super::signals::stop_flag;
use super::{metrics, refuse};

/// `--tables`, `--memory`.
#[derive(clap::Args)]
pub(crate) struct TablesArgs {
    /// Folder of tables, of Syzygy files, or of both; may be repeated: of two files of a table, that in an earlier folder is
    /// taken
    #[arg(long = "tables", value_name = "DIR", required = true)]
    pub(crate) folders: Vec<PathBuf>,
    /// The most memory to use, such as 4G, for a position that the files leave open: castling rights, a rounded distance or a
    /// missing table are settled by solving, if it takes no more. Of lists of positions nothing is solved
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "512M")]
    memory: u64,
}

impl TablesArgs {
    /// The tables of one metric or of both, which solve for a single position where the files have no answer.
    pub(crate) fn open(
        &self,
        letters: &Letters,
        metric: Option<Metric>,
        single: bool,
    ) -> Result<Tables> {
        if !letters.is_empty() {
            metrics(false, metric.as_slice())?;
        }
        let tables = open_tables(&self.folders)?;
        let is_syzygy = |folder: &PathBuf| matches!(kind_of(folder), Ok(FolderKind::Syzygy));
        if metric == Some(Metric::Dtm) && self.folders.iter().all(is_syzygy) {
            return refuse("Syzygy files have no distances to mate: leave out --metric dtm");
        }
        let tables = match single {
            true => tables.and_on_demand(self.memory, pool(0)?, solver(Backend::detect(), 1)),
            false => tables,
        };
        Ok(match metric {
            Some(metric) => tables.with_metric(metric),
            None => tables,
        })
    }
}

/// The tables in folders, which have to have some.
pub(crate) fn open_tables(folders: &[PathBuf]) -> Result<Tables> {
    let tables = Tables::open(folders)?;
    if tables.is_empty() {
        bail!("{}: there are no files of tables", names_of(folders));
    }
    Ok(tables)
}

/// The names of folders, in a message.
pub(crate) fn names_of(folders: &[PathBuf]) -> String {
    let names = folders.iter().map(|folder| folder.display().to_string());
    names.collect::<Vec<_>>().join(" and ")
}

/// Solves tables under progress bars, so many by each metric, until a signal comes.
pub(crate) fn solver(backend: Backend, tables: usize) -> Solver {
    let bars = Bars::new(2 * tables);
    Solver::new(stop_flag(), backend, move |shape, library, options| {
        let table = Job::in_memory(backend, options.stop, &bars).solve(shape, library, options);
        bars.done();
        table
    })
}
