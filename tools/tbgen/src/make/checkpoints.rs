//! The checkpoints beside the tables of a folder.

use std::path::{Path, PathBuf};

use crate::chess::piece_set::Endgame;
use crate::storage::checkpoint::{CheckpointOf, bytes_on_disk};
use crate::storage::record_file::{RecordError, is_record_file};
use crate::table::shape::Shape;
use crate::table::value::Metric;

/// The path of the checkpoint of an endgame's table in a folder.
pub(super) fn checkpoint_path(folder: &Path, endgame: Endgame, metric: Metric) -> PathBuf {
    let ending = match metric {
        Metric::Dtz => "plies",
        Metric::Dtm => "mates",
        Metric::HelpWhite | Metric::HelpBlack => metric.name(),
    };
    folder.join(format!("{}.{ending}", endgame.normal()))
}

/// The bytes of the checkpoint of an endgame's table in a folder, if there is one.
#[must_use]
pub fn checkpoint_bytes(folder: &Path, endgame: Endgame, metric: Metric) -> u64 {
    bytes_on_disk(&checkpoint_path(folder, endgame, metric))
}

/// Refuses what is in the way of the checkpoint of a table that is to be made in a folder, as far as that can be told before
/// smaller tables are made.
///
/// # Errors
/// If there is something else under the checkpoint's name, or the checkpoint of another table.
pub fn check_checkpoint(
    checkpoints: &Path,
    folder: &Path,
    shape: &Shape,
    metric: Metric,
) -> Result<(), RecordError> {
    let checkpoint = checkpoint_path(checkpoints, shape.endgame(), metric);
    if !shape.has_checkpoint() && !is_record_file(&checkpoint) {
        return Ok(());
    }
    let material = shape.material();
    match CheckpointOf::new(material, metric, folder) {
        Ok(of) => of.check(&checkpoint, true),
        // The smaller tables are made before.
        Err(_) => {
            let of = CheckpointOf {
                material,
                metric,
                sources: 0,
                together: false,
            };
            of.check(&checkpoint, false)
        }
    }
}
