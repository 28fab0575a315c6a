//! Packed files of tables.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, bail};
use serde_json::json;
use tbgen::{Endgame, Library, Metric, PackError, Shape, Table, may_be_packed, pack};
use tbindex::batch::Backend;
use tbindex::store::{Overwrite, PartialFile};

use super::bars::Bars;
use super::folder::size;

/// Refuses tables that can't be packed.
pub(crate) fn check_may_be_packed(shapes: &[Shape]) -> Result<()> {
    if let Some(shape) = shapes.iter().find(|shape| !may_be_packed(shape)) {
        let endgame = shape.endgame();
        bail!("tables of chess of at most 5 pieces are packed: not that of {endgame}");
    }
    Ok(())
}

/// Packs a table into a folder, and returns the bytes of its file.
pub(crate) fn pack_table(
    bars: &Bars,
    (table, library): (&Table, &Library),
    folder: &Path,
    overwrite: Overwrite,
    backend: Backend,
) -> Result<u64> {
    let endgame = table.shape().endgame();
    let path = Table::packed_path(folder, endgame, table.metric());
    let path = path.ok_or(PackError::Zeroing(endgame))?;
    let begun = PartialFile::create(&path, overwrite)?;
    bars.write(table, |control| {
        pack(table, library, begun, backend, control)
    })?;
    size(&path)
}

/// The report on a packed table, whose file has so many bytes, as JSON and as a line.
pub(crate) fn row_of(
    (endgame, metric): (Endgame, Metric),
    bytes: u64,
    time: Duration,
) -> (serde_json::Value, String) {
    let (metric, seconds) = (metric.name(), time.as_secs_f64());
    let row = json!({
        "table": endgame.to_string(),
        "metric": metric,
        "bytes": bytes,
        "seconds": seconds,
    });
    let line = format!("{endgame} by {metric}: {bytes} bytes ({seconds:.1} s)\n");
    (row, line)
}
