//! The logs of plies beside the tables of a folder.

use std::path::{Path, PathBuf};

use crate::chess::piece_set::Endgame;
use crate::solve::levels::remove_shared_logs;
use crate::storage::log::{LogError, LogOf, is_log, remove_file};
use crate::table::shape::Shape;
use crate::table::value::Metric;

/// The path of the log of an endgame's table in a folder.
pub(super) fn log_path(folder: &Path, endgame: Endgame, metric: Metric) -> PathBuf {
    let ending = match metric {
        Metric::Dtz => "plies",
        Metric::Dtm => "mates",
    };
    folder.join(format!("{}.{ending}", endgame.normal()))
}

/// The bytes of the log of an endgame's table in a folder, if there is one.
#[must_use]
pub fn log_bytes(folder: &Path, endgame: Endgame, metric: Metric) -> u64 {
    std::fs::metadata(log_path(folder, endgame, metric)).map_or(0, |log| log.len())
}

/// Removes the logs of a table, by one process or several. Who has one open can still read it. What is no log of plies
/// stays, unless whatever is there is to be replaced.
pub(super) fn remove_logs(log: &Path, replace: bool) -> Result<(), LogError> {
    if replace || is_log(log) {
        remove_file(log.to_owned())?;
    }
    remove_shared_logs(log)
}

/// Refuses what is in the way of the log of a table that is to be made in a folder, as far as that can be told before
/// smaller tables are made.
///
/// # Errors
/// If there is something else under the log's name, or the log of another table.
pub fn check_log(
    logs: &Path,
    folder: &Path,
    shape: &Shape,
    metric: Metric,
) -> Result<(), LogError> {
    let log = log_path(logs, shape.endgame(), metric);
    if !log.exists() || !shape.is_logged() && !is_log(&log) {
        return Ok(());
    }
    let material = shape.material();
    match LogOf::new(material, metric, folder) {
        Ok(of) => of.check(&log, true),
        // The smaller tables are made before.
        Err(_) => {
            let of = LogOf {
                material,
                metric,
                sources: 0,
            };
            of.check(&log, false)
        }
    }
}
