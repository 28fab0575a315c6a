//! Tables written to files.

use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;
use tbgen::{Endgame, InTurn, Job, MakeError, Metric, Output, Shape, TablesError};
use tbindex::batch::Backend;
use tbindex::store::Overwrite;

use super::arguments::{MetricArg, pool};
use super::interrupt::interruptible;
use crate::errors::{OrRaise, os_error};
use crate::numbers::{MemoryArg, Number, thread_count};
use crate::store::PathArg;
use crate::texts::Keyword;
use crate::watch::{ProgressArg, Watch};

/// Write the table of an endgame and those to which its moves lead to a folder. Returns the names of the new ones.
///
/// An endgame is a material of 3 to 7 pieces, or has short-range pieces in brackets, such as ``'K[WD]NvK'``, and 3 to 5
/// pieces. ``metric`` is ``'dtz'`` or ``'dtm'``, by default ``'dtz'``, and ``'dtm'`` with short-range pieces, which have no
/// other. ``memory`` is the most that a table may take, as a number of bytes or as ``'512M'``. ``threads`` is the number of
/// threads, by default one for each processor. Tables that are there stay, unless ``overwrite`` is true. ``progress`` is called
/// after tables with ``'solve'``, their number and that of all, as in ``tbindex.store``. Ctrl-C ends the work, and leaves the
/// tables that are complete.
///
/// >>> generate("KvKR", "tables"), generate("KRvK", "tables")
/// (['KRvK'], [])
#[pyfunction]
#[pyo3(signature = (endgame, folder, *, metric = None, memory = None, threads = None, overwrite = false, progress = None))]
#[expect(clippy::too_many_arguments, reason = "Python has arguments with names")]
pub(crate) fn generate(
    py: Python<'_>,
    endgame: Keyword,
    folder: PathArg,
    metric: Option<MetricArg>,
    memory: Option<MemoryArg>,
    threads: Option<Number<usize>>,
    overwrite: bool,
    progress: Option<ProgressArg>,
) -> PyResult<Vec<String>> {
    let endgame = endgame.parsed::<Endgame>("endgame")?;
    let metric = match (endgame.piece_set.is_chess(), metric.map(|metric| metric.0)) {
        (false, Some(Metric::Dtz)) => return Err(TablesError::ShortRange).or_raise(),
        (false, _) => Metric::Dtm,
        (true, metric) => metric.unwrap_or(Metric::Dtz),
    };
    let shapes = endgame.needed().into_iter().map(Shape::of_endgame);
    let shapes: Vec<Shape> = shapes.collect::<Result<_, _>>().or_raise()?;
    let (pool, folder) = (pool(thread_count(threads)?)?, folder.named("folder")?);
    std::fs::create_dir_all(&folder)
        .map_err(|error| os_error(None, "can't make the folder", Some(&error), Some(&folder)))?;
    let stop = AtomicBool::new(false);
    let (mut watch, mut count, mut ended) = (Watch::new(progress), 0, None);
    let made = interruptible(py, &stop, || {
        let mut made = Vec::new();
        pool.install(|| {
            let job = Job {
                output: Output::Tables(&folder),
                temp: Some(&folder),
                overwrite: match overwrite {
                    true => Overwrite::Replace,
                    false => Overwrite::Refuse,
                },
                memory: memory.map(|memory| memory.0),
                ..Job::in_memory(Backend::detect(), &stop, &())
            };
            job.each(InTurn::in_memory(&shapes, &[metric]), |of| {
                if of.done.solved.is_some() {
                    made.push(of.done.endgame.to_string());
                }
                count += 1;
                let total = Some(shapes.len() as u64);
                if let Err(error) = watch.report("solve", count, total) {
                    stop.store(true, Ordering::Relaxed);
                    ended = Some(error);
                }
                Ok::<_, MakeError>(())
            })?;
            Ok::<_, MakeError>(made)
        })
    })?;
    match ended {
        Some(error) => Err(error),
        None => made.or_raise(),
    }
}
