//! Packs the tables of a folder.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, bail};
use serde_json::json;
use tbgen::{
    Endgame, Library, Metric, PackError, Shape, Sources, Table, check_packed, may_be_packed, pack,
};
use tbindex::store::{Overwrite, PartialFile};

use super::bars::Bars;
use super::folder::{
    FolderKind, check_kind, make_folder, open_packed, remove_stale, size, temp_file,
};
use super::machine::{MachineArgs, say_memory};
use super::{print, shapes_of};

pub(crate) struct Packing<'a> {
    /// The folders of the tables, with those that they lead to.
    pub(crate) from: &'a [PathBuf],
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
        let shapes = shapes_of(tables.iter().map(|(endgame, _)| *endgame))?;
        if let Some(shape) = shapes.iter().find(|shape| !may_be_packed(shape)) {
            let endgame = shape.endgame();
            bail!("tables of chess of at most 5 pieces are packed: not that of {endgame}");
        }
        let pool = self.machine.pool()?;
        let memory = pool.install(|| shapes.iter().map(Shape::pack_memory).max());
        say_memory(shapes.len(), "pack", memory.unwrap_or(0), self.memory)?;
        let bars = Bars::new(tables.len());
        let mut rows = Vec::new();
        for &(endgame, metric) in tables {
            let begin = Instant::now();
            let bytes = pool.install(|| self.pack_one(&bars, endgame, metric))?;
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
    fn pack_one(&self, bars: &Bars, endgame: Endgame, metric: Metric) -> Result<u64> {
        let path =
            Table::packed_path(self.to, endgame, metric).ok_or(PackError::Zeroing(endgame))?;
        let begun = PartialFile::create(&path, self.overwrite)?;
        let temp_file = temp_file(self.to)?;
        let sources = Sources {
            temp_file: Some(&temp_file),
            ..self.machine.sources(self.from, metric)
        };
        // All helpmates are stored, whatever captures lead to.
        let library = match metric.victim() {
            None => sources.led_to(endgame)?,
            Some(_) => Library::default(),
        };
        let table = sources.table(endgame)?;
        bars.write(&table, |control| {
            pack(&table, &library, begun, sources.backend, control)
        })?;
        if self.check {
            let packed = open_packed(self.to, endgame, metric)?;
            check_packed(&packed, &table, &library, sources.backend)?;
        }
        size(&path)
    }
}
