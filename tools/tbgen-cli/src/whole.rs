//! The whole tables that a command goes through, from a folder or solved in memory.

use std::path::PathBuf;

use anyhow::{Result, bail};
use tbgen::{
    Endgame, InTurn, Job, Library, Metric, Shape, SolveError, Table, all_up_to, compare_memory,
    parse_size, process_memory,
};
use tbindex::store::is_file;

use super::bars::Bars;
use super::machine::{MachineArgs, state_memory};
use super::syzygy::solved_again;
use super::{parse_material, shapes_of};

/// A material or all, `--tables`, `--memory`.
#[derive(clap::Args)]
pub(crate) struct WholeArgs {
    /// The material, such as KQPvKQ
    #[arg(value_parser = parse_material, required_unless_present = "all")]
    material: Option<tbindex::Material>,
    /// All tables of 3 to so many pieces, in place of a material
    #[arg(long, value_name = "PIECES", conflicts_with = "material", value_parser = clap::value_parser!(u8).range(3..=6))]
    all: Option<u8>,
    /// Folder of tables to read, by tbgen alone, not of Syzygy files, may be repeated; without one they are solved in memory
    #[arg(long, value_name = "DIR")]
    pub(crate) tables: Vec<PathBuf>,
    /// The most memory to use, such as 2G: what needs more is refused before it begins. By default 8G, of which tables of six
    /// pieces in files take little
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) memory: Option<u64>,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
}

/// The materials of 3 to so many pieces, each after those that it needs.
pub(crate) fn endgames_up_to(pieces: u8) -> Vec<Endgame> {
    let all = all_up_to(pieces.into()).into_iter();
    all.map(Endgame::from).collect()
}

/// The tables of a call.
pub(crate) struct Whole<'a> {
    args: &'a WholeArgs,
    pub(crate) metric: Metric,
    with_others: bool,
    /// Whether the helpmates of tables that are solved are solved, too.
    pub(crate) helpmates: bool,
    /// The materials that are asked for.
    pub(crate) wanted: Vec<Shape>,
    /// These materials, each after those that have to be solved for it.
    pub(crate) all: Vec<Shape>,
}

impl WholeArgs {
    /// The tables by a metric, with those that they lead to or alone.
    pub(crate) fn tables(&self, metric: Metric, with_others: bool) -> Result<Whole<'_>> {
        let all = match self.material {
            Some(material) => Endgame::from(material).needed(),
            None => endgames_up_to(self.all.unwrap_or(3)),
        };
        let all = shapes_of(all)?;
        let mut wanted = all.clone();
        let material = self.material.map(tbindex::Material::normal);
        wanted.retain(|shape| material.is_none_or(|material| material == shape.material()));
        Ok(Whole {
            args: self,
            metric,
            with_others,
            helpmates: false,
            wanted,
            all,
        })
    }
}

impl Whole<'_> {
    /// Whether the tables are read from files, without one to be solved again.
    ///
    /// # Errors
    /// As of [`Job::solved_again`].
    pub(crate) fn are_files(&self) -> Result<bool> {
        let mut all: Vec<Endgame> = self.wanted.iter().map(Shape::endgame).collect();
        if self.with_others {
            all.extend(all.clone().into_iter().flat_map(Endgame::led_to));
        }
        let job = self.args.machine.job(&self.args.tables, &());
        Ok(!job.tables.is_empty() && job.solved_again(&all, self.metric)?.is_empty())
    }

    /// Says what memory the tables take, each of which is asked something in some, and so many bytes beside them all, or
    /// refuses it.
    pub(crate) fn check_memory(
        &self,
        command: &str,
        beside: u64,
        asked: impl Fn(&Shape) -> u64,
    ) -> Result<()> {
        let metrics = [self.metric];
        let tables = match self.are_files()? {
            true => self.wanted.iter().map(asked).max().unwrap_or(0) + process_memory(),
            false if self.args.tables.is_empty() => {
                InTurn::in_memory(&self.all, &metrics).memory_with(asked)
            }
            // Packed tables are solved again, and compared.
            false => {
                let turn = solved_again(&self.all, self.metric, false);
                turn.memory_with(|shape| asked(shape).max(compare_memory(shape, self.metric)))
            }
        };
        let limit = self.args.memory.or(Some(8 << 30));
        state_memory(command, tables + beside, limit)
    }

    /// Checks that a table is in the folders. If it is not, it is said how to make it.
    fn check_is_there(&self, shape: &Shape) -> Result<()> {
        let job = self.args.machine.job(&self.args.tables, &());
        let (folder, files) = job.files(shape.endgame(), self.metric)?;
        if files != [None, None] {
            return Ok(());
        }
        let (name, metric) = (shape.endgame().to_string(), self.metric.name());
        let why = match is_file(&folder.join(&name).with_extension("rtbw")) {
            Ok(true) => "Syzygy files are not read as whole tables",
            _ => "there is no such table",
        };
        bail!(
            "{name}: {why}: make it by `tbgen generate {name} --metric {metric} -o {}`, or leave --tables out",
            folder.display()
        )
    }

    /// Hands over each table, with those that it leads to if they are wanted, and with its helpmates if these are solved.
    pub(crate) fn each(
        &self,
        mut each: impl FnMut(&Table, &Library) -> Result<(), SolveError>,
    ) -> Result<()> {
        let shapes = match &self.args.tables[..] {
            [] => &self.all,
            _ => &self.wanted,
        };
        if !self.args.tables.is_empty() {
            shapes
                .iter()
                .try_for_each(|shape| self.check_is_there(shape))?;
        }
        let bars = Bars::new(shapes.len());
        let job = Job {
            with_others: self.with_others,
            ..self.args.machine.job(&self.args.tables, &bars)
        };
        let helpmates = Metric::HelpWhite.of_smaller().iter();
        let metrics: Vec<Metric> = (helpmates.filter(|_| self.helpmates).copied())
            .chain([self.metric])
            .collect();
        job.each(InTurn::in_memory(shapes, &metrics), |made| {
            let Some((table, library)) = made.table.filter(|of| of.0.metric() == self.metric)
            else {
                return Ok(());
            };
            bars.done();
            let mut wanted = self.wanted.iter();
            match wanted.any(|shape| shape.material() == table.material()) {
                true => Ok(each(table, library)?),
                false => Ok::<_, anyhow::Error>(()),
            }
        })?;
        Ok(())
    }
}
