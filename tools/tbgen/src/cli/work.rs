//! Makes tables, with threads, progress and interruption.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use indicatif::ProgressBar;
use tbgen::{Library, Options, Table, TableFile, needed_by, solve};
use tbindex::Material;
use tbindex::batch::Backend;
use tbindex::store::Overwrite;

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

/// Makes the table of a material and all tables that it needs. If there is a folder, intact tables are
/// taken from it, and the others are written to it.
pub(crate) fn make(
    material: &Material,
    folder: Option<(&Path, Overwrite)>,
    backend: Backend,
    mut each: impl FnMut(&Done),
) -> Result<Library> {
    let mut library = Library::default();
    let all = needed_by(material);
    for (number, &material) in all.iter().enumerate() {
        let last = number + 1 == all.len();
        let mut done = Done {
            material,
            solved: None,
            written: None,
        };
        let path = folder.map(|(folder, _)| Table::path(folder, &material));
        let replace = matches!(folder, Some((_, Overwrite::Replace)));
        if let Some(path) = path.as_deref().filter(|path| path.exists() && !replace) {
            // Loading checks every byte. So damage is found here, before other tables are built on it.
            let table = TableFile::open(path).and_then(|file| file.load())?;
            library.insert(table);
        } else {
            let begin = Instant::now();
            let table = solve_with_bar(&material, &library, backend)?;
            done.solved = Some(begin.elapsed());
            if let Some(path) = path {
                let begin = Instant::now();
                if last {
                    // The other tables are not needed any more, and memory is shortest here.
                    library = Library::default();
                }
                let overwrite = folder.map_or(Overwrite::Refuse, |(_, overwrite)| overwrite);
                table.write(&path, overwrite)?;
                done.written = Some(begin.elapsed());
            }
            library.insert(table);
        }
        each(&done);
    }
    Ok(library)
}

fn solve_with_bar(material: &Material, library: &Library, backend: Backend) -> Result<Table> {
    let bar = if std::io::stderr().is_terminal() {
        ProgressBar::new_spinner().with_message(material.to_string())
    } else {
        ProgressBar::hidden()
    };
    let table = solve(
        material,
        library,
        Options {
            backend,
            progress: &|progress| {
                bar.set_message(format!(
                    "{material}: {} wins in {} plies",
                    progress.winner, progress.plies
                ));
                bar.tick();
            },
            stop: *STOP,
        },
    );
    bar.finish_and_clear();
    Ok(table?)
}
