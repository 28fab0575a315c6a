//! Packed and Syzygy files that are made of tables.

use std::fs::File;

use anyhow::{Context, Result};
use serde_json::{Value as Json, json};
use syzygy_tables::writer::Distances;
use tbgen::{Done, Output, Shape, Table, begin_file, may_be_packed};
use tbindex::store::{Overwrite, PartialFile};

use super::folder::{
    FolderKind, check_kind, keep_kind, make_folder, note_waiting, remove_stale, size,
};
use super::refuse;
use super::signals::stop_flag;

/// The distances of Syzygy files, rounded as the published ones are, or exact.
pub(crate) fn distances(rounded: bool) -> Distances {
    match rounded {
        true => Distances::Rounded,
        false => Distances::Exact,
    }
}

/// The locks of a folder in which packed or Syzygy files are made.
pub(crate) type Locks = (Option<File>, Option<PartialFile>);

/// Checks that files of tables can be made, and that they may go into their folder. Keeps other runs from it that make packed or
/// Syzygy files there, unless nothing will be made: one that makes the same kind is waited for.
pub(crate) fn enter<'s>(
    output: Output<'_>,
    shapes: impl IntoIterator<Item = &'s Shape>,
    dry_run: bool,
) -> Result<Option<Locks>> {
    let (folder, kind, name) = match output {
        Output::Nothing => return Ok(None),
        Output::Tables(folder) => (folder, FolderKind::Own, None),
        Output::Packed(folder) => (folder, FolderKind::Own, Some("packed.lock")),
        Output::Syzygy(folder, _) => (folder, FolderKind::Syzygy, Some("syzygy.lock")),
    };
    let refused = shapes.into_iter().find(|shape| !may_be_packed(shape));
    if let (Output::Packed(_), Some(shape)) = (output, refused) {
        let endgame = shape.endgame();
        return refuse(format!(
            "tables of chess of at most 5 pieces are packed: not that of {endgame}"
        ));
    }
    check_kind(folder, kind)?;
    let Some(name) = name.filter(|_| !dry_run) else {
        return Ok(None);
    };
    make_folder(folder)?;
    let (path, overwrite) = (folder.join(name), Overwrite::Replace);
    let lock = begin_file(&path, overwrite, Some(&note_waiting), stop_flag())?;
    let kept = keep_kind(folder, kind)?;
    match kind {
        FolderKind::Own => remove_stale(folder)?,
        FolderKind::Syzygy => syzygy_tables::writer::remove_stale(folder)
            .with_context(|| format!("can't read {}", folder.display()))?,
    }
    Ok(Some((kept, lock)))
}

/// The report on the packed or Syzygy files that were made of a table, as JSON and as a line.
pub(crate) fn row_of(output: Output<'_>, done: &Done) -> Result<(Json, String)> {
    let (endgame, metric) = (done.endgame.to_string(), done.metric.name());
    let seconds = done.written.unwrap_or_default().as_secs_f64();
    if let Output::Syzygy(folder, _) = output {
        let size = |end| size(&folder.join(format!("{endgame}.{end}")));
        let (wdl, dtz) = (size("rtbw")?, size("rtbz")?);
        let line = format!("{endgame}: {wdl} bytes WDL, {dtz} bytes DTZ ({seconds:.1} s)\n");
        let row =
            json!({ "table": endgame, "wdl_bytes": wdl, "dtz_bytes": dtz, "seconds": seconds });
        return Ok((row, line));
    }
    let path =
        (output.folder()).and_then(|folder| Table::packed_path(folder, done.endgame, done.metric));
    let bytes = path.map_or(Ok(0), |path| size(&path))?;
    let line = format!("{endgame} by {metric}: {bytes} bytes ({seconds:.1} s)\n");
    let row = json!({ "table": endgame, "metric": metric, "bytes": bytes, "seconds": seconds });
    Ok((row, line))
}
