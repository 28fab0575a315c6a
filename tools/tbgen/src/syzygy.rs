//! Answers from Syzygy files, and checks of tables by them and of them by tables.
//!
//! Their distances follow the same convention, with two differences in form. A checkmated side has −1
//! there. And files may store distances in moves: the true distance is then the number given or one more.

use std::path::Path;

use syzygy_tables::{Dtz, Error, TableFile, Tables, Wdl};
use tbindex::Material;

use crate::error::ProbeError;
use crate::shape::Shape;
use crate::stats::{Counting, Stats};
use crate::table::Table;
use crate::value::{Outcome, Value};
use crate::verify::{Board, Sample, VerifyError, for_each_position, to_cozy};

/// What Syzygy files say about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The value.
    pub value: Value,
    /// Whether the plies are exact. If not, because the file has distances in moves, there may be one more.
    pub exact: bool,
}

/// Whether both Syzygy files of a material are in a folder and their checksums are right.
///
/// # Errors
/// If a file is there and is damaged or can't be read.
pub fn intact_files(folder: &Path, material: &Material) -> Result<bool, Error> {
    let name = material.normal();
    let paths = ["rtbw", "rtbz"].map(|kind| folder.join(format!("{name}.{kind}")));
    if !paths.iter().all(|path| path.exists()) {
        return Ok(false);
    }
    for path in &paths {
        TableFile::open(path)?.verify_checksum()?;
    }
    Ok(true)
}

/// Tables in Syzygy files.
#[derive(Debug)]
pub struct Published {
    tables: Tables,
}

fn outcome(wdl: Wdl) -> Outcome {
    match wdl {
        Wdl::Loss => Outcome::Loss,
        Wdl::BlessedLoss => Outcome::BlessedLoss,
        Wdl::Draw => Outcome::Draw,
        Wdl::CursedWin => Outcome::CursedWin,
        Wdl::Win => Outcome::Win,
    }
}

fn fits(found: Value, wdl: Wdl, dtz: Dtz) -> bool {
    let plies = i32::from(found.plies);
    let signed = match found.outcome {
        Outcome::Draw => 0,
        Outcome::Win | Outcome::CursedWin => plies,
        Outcome::Loss | Outcome::BlessedLoss => -plies.max(1),
    };
    let close = signed == dtz.plies || (!dtz.exact && signed == dtz.plies + dtz.plies.signum());
    outcome(wdl) == found.outcome && close
}

impl Published {
    /// Opens all tables in a folder, and returns them with the number of files.
    ///
    /// # Errors
    /// If the folder can't be read.
    pub fn open(folder: &Path) -> std::io::Result<(Published, usize)> {
        let mut tables = Tables::new();
        let count = tables.add_folder(folder)?;
        Ok((Published { tables }, count))
    }

    fn probe(&self, board: &cozy_chess::Board) -> Result<Answer, Error> {
        let wdl = self.tables.probe_wdl(board)?;
        let dtz = self.tables.probe_dtz(board)?;
        let mated = wdl == Wdl::Loss && !board.generate_moves(|_| true);
        Ok(Answer {
            value: Value {
                outcome: outcome(wdl),
                plies: if mated {
                    0
                } else {
                    dtz.plies.unsigned_abs() as u16
                },
            },
            exact: dtz.exact,
        })
    }

    /// The value of a board.
    ///
    /// # Errors
    /// If a file is missing or damaged.
    pub fn value(&self, board: &Board) -> Result<Answer, Error> {
        self.probe(board.cozy())
    }

    /// Counts the positions of a material by their values, and says whether all distances are exact. Each position is
    /// probed, which takes some seconds with three pieces, and hours with five.
    ///
    /// # Errors
    /// If a file is missing or damaged; the error has the position.
    pub fn stats(&self, shape: &Shape, counting: Counting) -> Result<(Stats, bool), VerifyError> {
        let rounded = std::sync::atomic::AtomicBool::new(false);
        let stats = Stats::of_positions(shape, counting, |position| -> Result<_, VerifyError> {
            let Some(board) = to_cozy(position, None) else {
                return Ok(None);
            };
            let answer = self.probe(&board).map_err(|error| VerifyError::Other {
                position: position.to_string(),
                message: error.to_string(),
            })?;
            if !answer.exact {
                rounded.store(true, std::sync::atomic::Ordering::Relaxed);
            }
            Ok(Some(answer.value))
        })?;
        Ok((stats, !rounded.into_inner()))
    }

    /// Whether both files of this table's material are there.
    #[must_use]
    pub fn has(&self, table: &Table, folder: &Path) -> bool {
        ["rtbw", "rtbz"].iter().all(|kind| {
            folder
                .join(format!("{}.{kind}", table.material()))
                .is_file()
        })
    }

    /// Compares the values of a table's legal positions with those of the files, and returns the number of
    /// positions compared. Positions whose moves lead to a file that is not there are left out.
    ///
    /// # Errors
    /// If a value differs (the error has one such position), or if the files can't be probed.
    pub fn verify(&self, table: &Table, sample: Sample) -> Result<u64, VerifyError> {
        for_each_position(table, sample, |slot, position| {
            let Some(board) = to_cozy(position, None) else {
                return Ok(false);
            };
            let found = table.value_at(slot).map_err(ProbeError::from)?;
            let probes = (self.tables.probe_wdl(&board))
                .and_then(|wdl| Ok((wdl, self.tables.probe_dtz(&board)?)));
            match probes {
                // A promotion or a capture leads to a table that is not in the folder.
                Err(Error::Missing { .. }) => Ok(false),
                Err(error) => Err(VerifyError::Other {
                    position: position.to_string(),
                    message: error.to_string(),
                }),
                Ok((wdl, dtz)) if fits(found, wdl, dtz) => Ok(true),
                Ok((wdl, dtz)) => Err(VerifyError::Value {
                    position: position.to_string(),
                    found,
                    expected: format!("{wdl}, {dtz} plies"),
                    source_name: "the Syzygy table",
                }),
            }
        })
    }
}
