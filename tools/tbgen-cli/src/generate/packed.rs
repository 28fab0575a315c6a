//! Makes packed tables that are not in a folder.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::Value as Json;
use tbgen::{Endgame, Metric, Shape};
use tbindex::store::{Overwrite, PartialFile};

use super::report::Report;
use super::{Args, folder};
use crate::folder::{begin, is_packed, make_folder, remove_made};
use crate::pack::Packing;

/// Tables that are not in a folder of packed ones. They are packed from a folder of their own, which has those that they need,
/// too; they are removed afterwards, and so is the folder, if nobody else has put anything there.
struct Missing<'a> {
    args: &'a Args,
    tables: Vec<(Endgame, Metric)>,
    folder: &'a Path,
    unpacked: PathBuf,
}

impl<'a> Missing<'a> {
    fn new(
        args: &'a Args,
        folder: &'a Path,
        shapes: &[Shape],
        metrics: &[Metric],
    ) -> Result<Missing<'a>> {
        let mut tables = Vec::new();
        for endgame in shapes.iter().map(Shape::endgame) {
            for &metric in metrics {
                if args.force || !is_packed(folder, endgame, metric)? {
                    tables.push((endgame, metric));
                }
            }
        }
        Ok(Missing {
            args,
            tables,
            folder,
            // Another metric's tables may be those of a run that was interrupted.
            unpacked: (args.temp.as_deref().unwrap_or(folder)).join(match metrics[0] {
                Metric::Dtm => "unpacked-dtm",
                _ => "unpacked-help",
            }),
        })
    }

    /// Keeps other runs from the folder of the tables that are packed. One that works there is waited for, and then what it has
    /// made is missing no more.
    fn lock(&self) -> Result<Option<PartialFile>> {
        if let Some(parent) = self.unpacked.parent() {
            make_folder(parent)?;
        }
        begin(&self.unpacked.with_extension("lock"), Overwrite::Replace)
    }

    /// The tables, and those that they need.
    fn needed(&self) -> HashSet<Endgame> {
        let tables = self.tables.iter();
        tables.flat_map(|(endgame, _)| endgame.needed()).collect()
    }

    /// Packs the tables, which are in the folder of their own.
    fn pack(&self) -> Result<Vec<Json>> {
        let (args, unpacked) = (self.args, &self.unpacked);
        let packing = Packing {
            from: std::slice::from_ref(unpacked),
            to: self.folder,
            overwrite: args.overwrite(),
            check: false,
            memory: args.memory,
            machine: &args.machine,
        };
        let rows = packing.pack(&self.tables, args.json)?;
        remove_made(unpacked)?;
        Ok(rows)
    }
}

/// Makes packed tables by the distance to mate, or of helpmates.
pub(super) fn make(
    report: Report<'_>,
    metrics: &[Metric],
    shapes: &[Shape],
    folder: &Path,
) -> Result<()> {
    let missing = || Missing::new(report.args, folder, shapes, metrics);
    let _lock = match report.args.dry_run {
        true => None,
        false => missing()?.lock()?,
    };
    let missing = missing()?;
    let needed = missing.needed();
    let is_needed = |shape: &&Shape| needed.contains(&shape.endgame());
    let shapes: Vec<Shape> = shapes.iter().filter(is_needed).cloned().collect();
    let Some(pool) = folder::make(&report, metrics, &shapes, &missing.unpacked)? else {
        return Ok(());
    };
    report.end(&pool, ("packed", missing.pack()?.into()))
}
