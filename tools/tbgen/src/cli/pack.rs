//! Packs the tables of a folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::json;
use tbgen::{
    Endgame, Metric, Shape, Sources, Table, TempFile, check_packed, may_be_packed, mebibytes,
};
use tbindex::store::{Overwrite, PartialFile};

use super::bars::Bars;
use super::folder::{FolderKind, check_kind, make_folder, open_packed, remove_stale};
use super::machine::{MachineArgs, check_memory};
use super::print;
use super::signals::stop_flag;

/// What is packed, and where.
pub(crate) struct Packing<'a> {
    /// The folder of the tables, with those that they lead to.
    pub(crate) from: &'a Path,
    /// The folder of the packed files.
    pub(crate) to: &'a Path,
    pub(crate) overwrite: Overwrite,
    /// Whether each file is read again and compared with its table.
    pub(crate) check: bool,
    pub(crate) memory: Option<u64>,
    pub(crate) machine: &'a MachineArgs,
}

impl Packing<'_> {
    /// Packs tables, and returns what was done as JSON. Unless `json` is set, a line is printed for each.
    pub(crate) fn pack(
        &self,
        tables: &[(Endgame, Metric)],
        json: bool,
    ) -> Result<Vec<serde_json::Value>> {
        check_kind(self.to, FolderKind::Own)?;
        make_folder(self.to)?;
        remove_stale(self.to)?;
        let shapes = tables
            .iter()
            .map(|(endgame, _)| Shape::of_endgame(*endgame));
        let shapes = shapes.collect::<Result<Vec<Shape>, _>>()?;
        if let Some(shape) = shapes.iter().find(|shape| !may_be_packed(shape)) {
            let endgame = shape.endgame();
            bail!("tables of chess of at most 5 pieces are packed: not that of {endgame}");
        }
        let pool = self.machine.pool()?;
        let memory = pool.install(|| shapes.iter().map(Shape::pack_memory).max());
        let memory = memory.unwrap_or(0);
        note!(
            "{} tables to pack, up to {} of memory",
            shapes.len(),
            mebibytes(memory)
        );
        check_memory("this", memory, self.memory)?;
        let bars = Bars::new(tables.len());
        let mut rows = Vec::new();
        for &(endgame, metric) in tables {
            let begin = Instant::now();
            let path = Table::packed_path(self.to, endgame, metric);
            let bytes = pool.install(|| self.pack_one(&bars, &path, endgame, metric))?;
            bars.done();
            let seconds = begin.elapsed().as_secs_f64();
            let metric = metric.name();
            match json {
                true => rows.push(json!({
                    "table": endgame.to_string(),
                    "metric": metric,
                    "bytes": bytes,
                    "seconds": seconds,
                })),
                false => print(&format!(
                    "{endgame} by {metric}: {bytes} bytes ({seconds:.1} s)\n"
                ))?,
            }
        }
        Ok(rows)
    }

    /// Packs a table, and returns the bytes of its file.
    fn pack_one(
        &self,
        bars: &Bars,
        path: &PathBuf,
        endgame: Endgame,
        metric: Metric,
    ) -> Result<u64> {
        let begun = PartialFile::create(path, self.overwrite)?;
        let temp_file = TempFile::new(self.to)
            .with_context(|| format!("can't make a temporary file in {}", self.to.display()))?;
        let temp_file = Arc::new(temp_file);
        let backend = self.machine.backend();
        let sources = Sources {
            folder: self.from,
            metric,
            temp_file: Some(&temp_file),
            backend,
            stop: stop_flag(),
        };
        let library = sources.led_to(endgame)?;
        let table = sources.table(endgame)?;
        bars.pack(&table, &library, begun, backend)?;
        if self.check {
            check_packed(
                &open_packed(self.to, endgame, metric)?,
                &table,
                &library,
                backend,
            )?;
        }
        let length = std::fs::metadata(path).map(|found| found.len());
        length.with_context(|| format!("can't look at {}", path.display()))
    }
}
