//! Checks of tables by Syzygy files, and of these by tables.
//!
//! Their distances follow the same convention, with two differences in form. A checkmated side has −1
//! there. And files may store distances in moves: the true distance is then the number given or one more.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use syzygy_tables::cozy_chess;
use syzygy_tables::numbering::square_of;
use syzygy_tables::writer::compare;
use syzygy_tables::{Dtz, Error, Kind, TableFile, Tables, Wdl};
use tbindex::batch::Backend;
use tbindex::store::is_file;
use tbindex::{Material, Position};

use crate::chess::cozy::{color_of, piece_of, to_cozy};
use crate::chess::dependencies::needed_by;
use crate::chess::error::ProbeError;
use crate::plan::memory::entries_memory;
use crate::subtables::library::{Library, SolveError};
use crate::syzygy::source::{ExportError, TableSource};
use crate::table::shape::Shape;
use crate::table::solved::Table;
use crate::table::value::{Metric, Outcome, Value};
use crate::verify::{Check, Sample, VerifyError, for_each_position};

/// Whether both Syzygy files of a material are in a folder and their checksums are right.
///
/// # Errors
/// If a file is there and is damaged or can't be read.
pub fn intact_files(folder: &Path, material: &Material) -> Result<bool, Error> {
    let paths = paths(folder, &material.normal());
    if !is_there(&paths[0])? || !is_there(&paths[1])? {
        return Ok(false);
    }
    for path in &paths {
        TableFile::open(path)?.verify_checksum()?;
    }
    Ok(true)
}

/// The paths of both files of a material in a folder.
fn paths(folder: &Path, material: &Material) -> [PathBuf; 2] {
    ["rtbw", "rtbz"].map(|kind| folder.join(format!("{material}.{kind}")))
}

/// Whether a Syzygy file is there.
fn is_there(path: &Path) -> Result<bool, Error> {
    is_file(path).map_err(|error| Error::Io {
        file: path.display().to_string().into(),
        source: Arc::new(error),
    })
}

/// Tables in Syzygy files.
#[derive(Debug)]
pub struct Published {
    folder: PathBuf,
    tables: Tables,
}

/// The most pieces of a table that is unpacked as a whole. With more, it takes too much memory.
const MOST_UNPACKED: usize = 5;

/// Unpacking a table costs as much as probing one in so many of its positions.
const SPARSE: u64 = 50;

fn is_unpacked(material: &Material, sample: Sample) -> bool {
    material.piece_count() <= MOST_UNPACKED && !matches!(sample, Sample::OneIn(SPARSE..))
}

fn fits(found: Value, wdl: Wdl, dtz: Dtz) -> bool {
    let plies = i32::from(found.plies);
    let signed = match found.outcome {
        Outcome::Draw => 0,
        Outcome::Win | Outcome::CursedWin => plies,
        Outcome::Loss | Outcome::BlessedLoss => -plies.max(1),
    };
    let close = signed == dtz.plies || (!dtz.exact && signed == dtz.plies + dtz.plies.signum());
    wdl == found.outcome && close
}

impl Published {
    /// Opens all tables in a folder, and returns them with the number of files.
    ///
    /// # Errors
    /// If the folder can't be read.
    pub fn open(folder: &Path) -> std::io::Result<(Published, usize)> {
        let mut tables = Tables::new();
        let count = tables.add_folder(folder)?;
        let folder = folder.to_owned();
        Ok((Published { folder, tables }, count))
    }

    /// The tables of a material and of those that its moves lead to, unpacked in memory, if they fit and enough positions are
    /// asked for: then each block would else be decoded again and again.
    fn unpacked(&self, material: &Material, sample: Sample) -> Result<Option<Tables>, Error> {
        if !is_unpacked(material, sample) {
            return Ok(None);
        }
        let mut tables = Tables::new();
        for path in (needed_by(material).iter()).flat_map(|needed| paths(&self.folder, needed)) {
            if is_there(&path)? {
                let mut file = TableFile::open(&path)?;
                file.unpack()?;
                tables.add_file(file);
            }
        }
        Ok(Some(tables))
    }

    /// The memory, in bytes, in which values of this material are compared with those of the files: these, which are mapped,
    /// and what is unpacked of them.
    #[must_use]
    pub fn memory(&self, material: &Material, sample: Sample) -> u64 {
        let files_of = |material: &Material| -> u64 {
            let paths = paths(&self.folder, material).into_iter();
            paths
                .map(|path| std::fs::metadata(path).map_or(0, |file| file.len()))
                .sum()
        };
        let needed = needed_by(material);
        let files: u64 = needed.iter().map(files_of).sum();
        if !is_unpacked(material, sample) {
            return files;
        }
        // Outcomes of both sides, a byte each, and distances of one, two each; or the entries of the table.
        let there = needed.iter().filter(|material| files_of(material) > 0);
        let slots = there.map(|material| Shape::new(*material).map_or(0, |shape| shape.slots()));
        let entries = Shape::new(*material).map_or(0, |shape| entries_memory(&shape, 0));
        files + entries.max(4 * slots.sum::<u64>())
    }

    /// Whether both files of this table's material are there.
    ///
    /// # Errors
    /// If something else than a regular file has the name of one, or the system refuses.
    pub fn has(&self, table: &Table) -> Result<bool, Error> {
        let [wdl, dtz] = paths(&self.folder, &table.material());
        Ok(is_there(&wdl)? && is_there(&dtz)?)
    }

    /// Compares the values of a table with those of the files, and returns how many were compared. Positions whose moves lead
    /// to a file that is not there are left out.
    ///
    /// If all are to be checked, and the library has the tables that the table's captures and promotions lead to, the number at
    /// every place of both files must be one that the table's values allow there, or lead a prober to the right value. Otherwise
    /// the positions are probed.
    ///
    /// # Errors
    /// If a value differs (the error has one such position), or if the files can't be probed.
    pub fn verify<'a>(
        &self,
        table: &Table,
        library: &Library,
        backend: Backend,
        check: impl Into<Check<'a>>,
    ) -> Result<u64, VerifyError> {
        let check = check.into();
        if check.sample == Sample::All
            && table.metric() == Metric::Dtz
            && let Some(compared) = self.verify_places(table, library, backend, check)?
        {
            return Ok(compared);
        }
        let unpacked = self.unpacked(&table.material(), check.sample)?;
        let tables = unpacked.as_ref().unwrap_or(&self.tables);
        for_each_position(table, check, |slot, position| {
            let Some(board) = to_cozy(position) else {
                return Ok(false);
            };
            let found = table.value_at(slot).map_err(ProbeError::from)?;
            probes_as(tables, position, &board, found)
        })
    }

    /// Compares the numbers at all places of both files with the table's entries, or returns nothing if a table is missing
    /// that these need, or there are no such entries.
    fn verify_places(
        &self,
        table: &Table,
        library: &Library,
        backend: Backend,
        check: Check<'_>,
    ) -> Result<Option<u64>, VerifyError> {
        let left_out = AtomicU64::new(0);
        let mut places = 0;
        for (done, kind) in (1..).zip([Kind::Wdl, Kind::Dtz]) {
            check.heed_stop()?;
            let source = match TableSource::new(table, library, backend, kind) {
                Ok(source) => source,
                Err(ExportError::Values(error)) if !matches!(error, SolveError::Missing(_)) => {
                    return Err(error.into());
                }
                Err(_) => return Ok(None),
            };
            let name = format!("{}.{}", table.material(), kind.extension());
            let file = TableFile::open(&self.folder.join(name))?;
            places += compare(&file, &source, |side, squares| {
                let mut board = [None; 64];
                for (k, piece) in file.material().pieces().enumerate() {
                    let square = usize::from(square_of(squares, k));
                    board[square] = Some(piece_of(piece));
                }
                let side = color_of(side);
                let position = Position { board, side };
                // Another writer may leave open what this one does not.
                let Some(board) = to_cozy(&position) else {
                    return Ok(());
                };
                let found = table.value(&position)?;
                if !probes_as(&self.tables, &position, &board, found)? {
                    left_out.fetch_add(1, Ordering::Relaxed);
                }
                Ok::<(), VerifyError>(())
            })?;
            if let Some(progress) = check.progress {
                progress(done, 2);
            }
        }
        Ok(Some(places - left_out.into_inner()))
    }
}

/// Whether the files that a position needs are all there; if they are, a prober must find a value in them.
fn probes_as(
    tables: &Tables,
    position: &Position,
    board: &cozy_chess::Board,
    found: Value,
) -> Result<bool, VerifyError> {
    match tables.probe(board) {
        // A promotion or a capture leads to a table that is not in the folder.
        Err(Error::Missing { .. }) => Ok(false),
        Err(error) => Err(error.into()),
        Ok((wdl, dtz)) if fits(found, wdl, dtz) => Ok(true),
        Ok((wdl, dtz)) => Err(VerifyError::Value {
            position: position.to_string(),
            found: found.to_string(),
            expected: format!("{wdl}, {dtz} plies"),
            source_name: "the Syzygy table",
        }),
    }
}
