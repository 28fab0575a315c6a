//! Makes tables, with threads, progress and interruption.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;
use syzygy_tables::Kind;
use syzygy_tables::writer::{self, Control, Distances, Step};
use tbgen::{
    ExportOptions, Library, Metric, Options, Shape, Spool, Table, TableFile, export, solve_shape,
};
use tbindex::batch::Backend;
use tbindex::store::Overwrite;
use tbindex::{Color, Material, Piece, PieceType};

/// Set by the first ctrl-C.
static STOP: LazyLock<&AtomicBool> = LazyLock::new(|| {
    static STOP: AtomicBool = AtomicBool::new(false);
    // If no handler can be set, ctrl-C ends the process as usual.
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    &STOP
});

/// `--threads`, `--backend`.
#[derive(clap::Args)]
pub(crate) struct MachineArgs {
    /// Threads to use; all processors by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// Instructions to use: portable, avx2 or avx512; the best there are by default
    #[arg(long, value_name = "NAME")]
    pub(crate) backend: Option<Backend>,
}

impl MachineArgs {
    pub(crate) fn pool(&self) -> Result<rayon::ThreadPool> {
        rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads.map_or(0, usize::from))
            .build()
            .context("can't start threads")
    }

    pub(crate) fn backend(&self) -> Backend {
        self.backend.unwrap_or_else(Backend::detect)
    }
}

/// A table that was made or found.
pub(crate) struct Done {
    pub(crate) material: Material,
    /// The time that it took to solve, or `None` if the table was there already.
    pub(crate) solved: Option<Duration>,
    /// The time that it took to compress and write.
    pub(crate) written: Option<Duration>,
}

impl Done {
    pub(crate) fn there_already(material: Material) -> Done {
        Done {
            material,
            solved: None,
            written: None,
        }
    }
}

/// The tables that moves from a material lead to directly.
pub(crate) fn sources(material: &Material) -> Vec<Material> {
    let mut all: Vec<Material> = (material.conversions().into_iter())
        .map(|(_, after)| after.normal())
        .filter(|after| after.piece_count() > 2)
        .collect();
    all.sort_by_key(Material::to_string);
    all.dedup();
    all
}

/// Tables of which none leads to another: so many pieces, so many of them pawns.
pub(crate) fn kin(material: &Material) -> (usize, usize) {
    let pawns = Color::ALL.map(|color| material.count(Piece::new(color, PieceType::Pawn)));
    (material.piece_count(), pawns[0] + pawns[1])
}

/// Makes tables, which are in an order that has each after those that it needs, and returns the last. If there is a
/// folder, tables that are there are taken from it, and the others are written to it.
pub(crate) fn make(
    all: &[Material],
    folder: Option<(&Path, Overwrite)>,
    metric: Metric,
    backend: Backend,
    mut each: impl FnMut(&Done),
) -> Result<Table> {
    let spool = match folder {
        Some((folder, _)) => Some(Arc::new(Spool::new(folder)?)),
        None => None,
    };
    let mut library = Library::default();
    let mut result = None;
    let bars = Bars::new(all.len());
    let replace = matches!(folder, Some((_, Overwrite::Replace)));
    let mut at = 0;
    for group in all.chunk_by(|a, b| kin(a) == kin(b)) {
        // Large tables have work for all threads, and take memory. Small ones are solved side by side.
        let width = if kin(&group[0]).0 < 5 { group.len() } else { 1 };
        for group in group.chunks(width) {
            at += group.len();
            let last = at == all.len();
            let there = |material: &Material| {
                let path = folder.map(|(folder, _)| Table::path(folder, material, metric));
                path.filter(|path| path.exists() && !replace)
            };
            let todo: Vec<Material> = (group.iter().copied())
                .filter(|material| there(material).is_none())
                .collect();
            for material in group.iter().filter(|material| !todo.contains(material)) {
                each(&Done::there_already(*material));
                bars.done();
            }
            // What was dropped, or was there before, is taken from the folder when it is needed.
            for source in todo.iter().flat_map(sources) {
                if library.get(&source).is_none() {
                    let folder = folder.map(|(folder, _)| Table::path(folder, &source, metric));
                    let path = folder.with_context(|| format!("the table of {source} is gone"))?;
                    // Loading checks every byte. So damage is found here, before tables are built on it.
                    let file = TableFile::open(&path)?;
                    let table = file.load_packed(spool.as_ref())?;
                    library.insert(table);
                }
            }
            let made: Result<Vec<(Done, Table)>> = (todo.par_iter())
                .map(|material| {
                    let begin = Instant::now();
                    let table = bars.solve(
                        &Shape::new(*material)?,
                        &library,
                        metric,
                        backend,
                        spool.as_ref(),
                    )?;
                    let mut done = Done::there_already(*material);
                    done.solved = Some(begin.elapsed());
                    Ok((done, table))
                })
                .collect();
            let later = &all[at..];
            let wanted = |material: &Material| later.iter().any(|l| sources(l).contains(material));
            if folder.is_some() {
                // Memory is shortest while a table is written. The small ones are kept, they are needed again.
                library.retain(|material| material.piece_count() < 5 && wanted(material));
            } else {
                library.retain(|material| wanted(material));
            }
            for (mut done, mut table) in made? {
                if let Some((folder, overwrite)) = folder {
                    let begin = Instant::now();
                    table.write(&Table::path(folder, &done.material, metric), overwrite)?;
                    done.written = Some(begin.elapsed());
                }
                each(&done);
                bars.done();
                let keep = folder.is_none() || done.material.piece_count() < 5;
                if last && Some(&done.material) == all.last() {
                    result = Some(table);
                } else if keep && wanted(&done.material) {
                    table.pack(spool.as_ref())?;
                    library.insert(table);
                }
            }
        }
    }
    match (result, all.last(), folder) {
        (Some(table), _, _) => Ok(table),
        (None, Some(last), Some((folder, _))) => {
            Ok(TableFile::open(&Table::path(folder, last, metric))?.load()?)
        }
        _ => anyhow::bail!("there is no table to make"),
    }
}

/// Progress bars on a terminal: of all tables, and of those in work.
pub(crate) struct Bars {
    bars: MultiProgress,
    all: ProgressBar,
}

impl Bars {
    pub(crate) fn new(tables: usize) -> Bars {
        let bars = MultiProgress::new();
        if !std::io::stderr().is_terminal() {
            bars.set_draw_target(ProgressDrawTarget::hidden());
        }
        let all = bars.add(ProgressBar::new(tables as u64));
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} tables, {elapsed} gone");
        all.set_style(style.expect("a template"));
        all.tick();
        Bars { bars, all }
    }

    pub(crate) fn done(&self) {
        self.all.inc(1);
    }

    pub(crate) fn solve(
        &self,
        shape: &Shape,
        library: &Library,
        metric: Metric,
        backend: Backend,
        spool: Option<&Arc<Spool>>,
    ) -> Result<Table> {
        let material = shape.material();
        let bar = self.bars.add(ProgressBar::new_spinner());
        bar.set_message(material.to_string());
        let table = solve_shape(
            shape,
            library,
            Options {
                metric,
                backend,
                progress: &|progress| {
                    let (solved, parts) = progress.parts;
                    let of_parts = if parts > 1 {
                        format!(", part {solved} of {parts}")
                    } else {
                        String::new()
                    };
                    bar.set_message(format!(
                        "{material}: {} wins in {} plies{of_parts}",
                        progress.winner, progress.plies
                    ));
                    bar.tick();
                },
                stop: *STOP,
                spool,
            },
        );
        bar.finish_and_clear();
        self.bars.remove(&bar);
        Ok(table?)
    }

    /// Writes a table's two Syzygy files into a folder, and returns their paths.
    pub(crate) fn export(
        &self,
        table: &Table,
        library: &Library,
        folder: &Path,
        distances: Distances,
        backend: Backend,
    ) -> Result<[PathBuf; 2]> {
        let material = table.material();
        let bar = self.bars.add(ProgressBar::new_spinner());
        bar.set_message(format!("{material}: writing"));
        let progress = |progress: writer::Progress| {
            let what = match progress.kind {
                Kind::Wdl => "outcomes",
                Kind::Dtz => "distances",
            };
            let (done, all) = progress.sub_tables;
            let step = match progress.step {
                Step::Orders => "orders".to_owned(),
                Step::Values => "values".to_owned(),
                Step::Symbols(count) => format!("{count} symbols"),
            };
            let number = done + 1;
            bar.set_message(format!(
                "{material}: {what}, part {number} of {all}: {step}"
            ));
            bar.tick();
        };
        let control = Control {
            stop: Some(*STOP),
            progress: Some(&progress),
        };
        let options = ExportOptions {
            distances,
            backend,
            control,
        };
        let paths = export(table, library, folder, options);
        bar.finish_and_clear();
        self.bars.remove(&bar);
        Ok(paths?)
    }
}

impl Drop for Bars {
    fn drop(&mut self) {
        self.all.finish_and_clear();
    }
}
