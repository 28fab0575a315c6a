//! Makes packed tables that are not in a folder, and tables of helpmates.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value as Json;
use tbgen::{Endgame, Metric, Shape, depth_first};
use tbindex::Color;

use super::report::Report;
use super::{Args, Format, folder};
use crate::cli::folder::is_packed;
use crate::cli::pack::Packing;
use crate::cli::{help, print, refuse};

/// Tables that are not in a folder of packed ones. They are packed from a folder of their own, which has those that they need,
/// too, and is removed afterwards.
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
        all: impl Iterator<Item = Endgame>,
        metrics: &[Metric],
        name: &str,
    ) -> Result<Missing<'a>> {
        let mut tables = Vec::new();
        for endgame in all {
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
            unpacked: (args.temp.as_deref().unwrap_or(folder)).join(format!("unpacked-{name}")),
        })
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
            from: unpacked,
            to: self.folder,
            overwrite: args.overwrite(),
            check: false,
            memory: args.memory,
            machine: &args.machine,
        };
        let rows = packing.pack(&self.tables, args.json)?;
        std::fs::remove_dir_all(unpacked)
            .with_context(|| format!("can't remove {}", unpacked.display()))?;
        Ok(rows)
    }
}

/// Makes packed tables that are not in a folder.
pub(super) fn make(
    mut report: Report<'_>,
    metrics: &[Metric],
    shapes: &[Shape],
    folder: &Path,
) -> Result<()> {
    let (mut pool, mut rows) = (None, Vec::new());
    for &metric in metrics {
        let all = shapes.iter().map(Shape::endgame);
        let missing = Missing::new(report.args, folder, all, &[metric], metric.name())?;
        let needed = missing.needed();
        let is_needed = |shape: &&Shape| needed.contains(&shape.endgame());
        let shapes: Vec<Shape> = shapes.iter().filter(is_needed).cloned().collect();
        let made = folder::make(&mut report, &[metric], &shapes, &missing.unpacked)?;
        if made.is_some() {
            pool = made;
            rows.extend(missing.pack()?);
        }
    }
    let Some(pool) = pool else { return Ok(()) };
    report.end(&pool, ("packed", rows.into()))
}

/// Makes tables of helpmates, packed or not.
pub(super) fn helpmates(args: &Args, is_chess: bool, all: &[Endgame]) -> Result<()> {
    let alone = args.metric.len() == 1 && !args.rounded && args.log.is_none();
    if !is_chess || !alone || args.format != Format::default() {
        return refuse(
            "--metric help makes tables of chess pieces in files of tbgen's own, and stands alone, without --log",
        );
    }
    let mut materials: Vec<_> = all.iter().map(|endgame| endgame.material).collect();
    let mut missing = None;
    match &args.output {
        // In this order less is in temporary files at a time.
        None => materials = depth_first(&materials),
        Some(folder) if args.packed => {
            let metrics = Color::ALL.map(Metric::help);
            let packed = Missing::new(args, folder, all.iter().copied(), &metrics, "help")?;
            let mut tables = packed.tables.iter();
            if let Some((endgame, _)) = tables.find(|(of, _)| of.material.piece_count() > 5) {
                return refuse(format!("at most 5 pieces are packed: not {endgame}"));
            }
            let needed = packed.needed();
            materials.retain(|&material| needed.contains(&material.into()));
            missing = Some(packed).filter(|packed| !packed.tables.is_empty());
        }
        Some(_) => {}
    }
    let shapes = materials.into_iter().map(Shape::new);
    let shapes: Vec<Shape> = shapes.collect::<Result<_, _>>()?;
    let unpacked = missing.as_ref().map(|missing| &missing.unpacked);
    let generate = help::Generate {
        folder: unpacked.or(args.output.as_ref()).map(PathBuf::as_path),
        memory: args.memory,
        force: args.force,
        dry_run: args.dry_run,
        json: args.json,
        machine: &args.machine,
    };
    let Some(mut made) = generate.run(&shapes)? else {
        return Ok(());
    };
    if args.packed {
        let rows = missing.map_or(Ok(Vec::new()), |missing| missing.pack())?;
        made["packed"] = rows.into();
    }
    match args.json {
        true => print(&format!("{made:#}\n")),
        false => Ok(()),
    }
}
