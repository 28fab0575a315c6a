//! Writes tables as Syzygy files.

use std::path::{Path, PathBuf};

use syzygy_tables::Kind;
use syzygy_tables::writer::{Control, Distances, Source as _, publish, write_dtz, write_wdl};
use tbindex::batch::Backend;

use crate::subtables::library::Library;
use crate::syzygy::source::{ExportError, TableSource};
use crate::table::solved::Table;

/// How tables are written as Syzygy files.
#[derive(Clone, Copy, Debug)]
pub struct ExportOptions<'a> {
    /// How distances are written.
    pub distances: Distances,
    /// The instructions to use.
    pub backend: Backend,
    /// How the caller watches and stops the work.
    pub control: Control<'a>,
}

/// Writes the two files of a table into a folder, and returns their paths. The library has the tables that the table's
/// captures and promotions lead to.
///
/// # Errors
/// If a table is missing in the library, there is no memory, the caller stops the work, or the system refuses.
///
/// # Panics
/// If the table has distances to mate.
pub fn export(
    table: &Table,
    library: &Library,
    folder: &Path,
    options: ExportOptions<'_>,
) -> Result<[PathBuf; 2], ExportError> {
    let source_of = |kind| TableSource::new(table, library, options.backend, kind);
    let source = source_of(Kind::Wdl)?;
    let material = source.material();
    let bytes = write_wdl(&source, options.control)?;
    let first = publish(folder, material, Kind::Wdl, &bytes)?;
    tbindex::fail_point!("tbgen::wdl_written");
    drop(source);
    let source = source_of(Kind::Dtz)?;
    let bytes = write_dtz(&source, options.distances, options.control)?;
    let second = publish(folder, material, Kind::Dtz, &bytes)?;
    tbindex::fail_point!("tbgen::dtz_written");
    Ok([first, second])
}
