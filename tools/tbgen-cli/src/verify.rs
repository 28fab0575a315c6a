//! `tbgen verify`: checks tables.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::builder::TypedValueParser;
use serde_json::{Value as Json, json};
use syzygy_tables::TableFile as SyzygyFile;
use tbgen::{
    Check, Endgame, ExportError, FileError, Job, Library, MakeError, Metric, PackedFile, Published,
    Sample, VerifyError, check_packed, in_order, look_up_memory, needed_by, verify_moves,
};
use tbindex::Material;
use tbindex::store::is_file;

use super::bars::Bars;
use super::folder::{FolderKind, kind_of, open_packed, open_table, syzygy_names, tables_in};
use super::machine::{MachineArgs, state_memory};
use super::md5_lists::Md5Lists;
use super::signals::{check_stopped, stop_flag};
use super::syzygy::{comparing_memory, memory_again, open_published, to_compare};
use super::tables::names_of;
use super::{parse_endgame, parse_size, print, print_json, refuse, shapes_of};

/// Checks tables: checksums, agreement of every value with its moves, agreement with Syzygy files
///
/// Every value must be the one that the position's legal moves imply. These come from a move generator that
/// shares no code with the one that made the table. Values are read from the files block by block, so memory does not grow
/// with the tables, unless they are compared with Syzygy files of up to five pieces as a whole. Packed tables are solved
/// again, and compared with their files. In a folder of Syzygy files every byte is checked, and every value of 3 to 5 pieces by a table that is
/// solved anew, and MD5 checksums are compared with those of lists (*.md5) that lie beside the files. Tables that are damaged
/// or wrong, and those that could not be checked, are listed at the end.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbgen verify --tables tables --syzygy syzygy")]
pub(crate) struct Args {
    /// Folder of tables, or of Syzygy files, may be repeated: of two files of a table, that in an earlier folder is taken
    #[arg(long, value_name = "DIR", required = true)]
    tables: Vec<PathBuf>,
    /// Also compare with the Syzygy files in this folder, if there are any of the same material
    #[arg(long, value_name = "PATH")]
    syzygy: Option<PathBuf>,
    /// Check only this table, not all of the folders; may be repeated
    #[arg(long, value_name = "MATERIAL", value_parser = parse_endgame)]
    table: Vec<Endgame>,
    /// Check one in N positions of each table
    #[arg(long, value_name = "N", default_value = "1", value_parser = one_in())]
    one_in: Sample,
    /// Don't play moves or solve tables; check only the bytes, and Syzygy files if asked for
    #[arg(long)]
    no_moves: bool,
    /// The most memory to use, such as 4G; work that may need more is refused before it begins
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory: Option<u64>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineArgs,
}

fn one_in() -> impl TypedValueParser<Value = Sample> {
    clap::value_parser!(u64).range(1..).map(|n| match n {
        1 => Sample::All,
        n => Sample::OneIn(n),
    })
}

struct Report {
    json: bool,
    rows: Vec<Json>,
}

/// Whether an error says that a table is damaged or wrong. If not, the system refused something, or another table is missing.
fn is_damage(error: &anyhow::Error) -> bool {
    fn by<E: Error + Send + Sync + 'static>(error: &anyhow::Error, is: fn(&E) -> bool) -> bool {
        error.downcast_ref().is_some_and(is)
    }
    by(error, FileError::is_damage)
        || by(error, MakeError::is_damage)
        || by(error, ExportError::is_damage)
        || by(error, VerifyError::is_damage)
        || by(error, |error| {
            matches!(error, syzygy_tables::Error::Damaged { .. })
        })
}

/// The result of printing, of which a reader that is gone is an error as others are: a check that it ends has not succeeded.
fn printed(result: Result<()>) -> Result<()> {
    result.map_err(|error| anyhow::anyhow!("{error:#}"))
}

impl Report {
    /// Reports on a table, which is in the output by these fields.
    fn add(&mut self, name: &str, line: Result<String>, mut row: Json) -> Result<()> {
        row["table"] = name.into();
        match line {
            Ok(line) if !self.json => printed(print(&format!("{name}{line}\n")))?,
            Ok(_) => {}
            Err(error) => {
                note!("tbgen: {name}: {error:#}");
                row["error"] = format!("{error:#}").into();
                row["damaged"] = is_damage(&error).into();
            }
        }
        self.rows.push(row);
        Ok(())
    }

    fn end(self) -> Result<()> {
        let rows = self.rows;
        if self.json {
            printed(print_json(&json!({ "tables": rows })))?;
        }
        let mut found = Vec::new();
        for (damaged, what) in [
            (true, "are damaged or wrong"),
            (false, "could not be checked"),
        ] {
            let bad = rows.iter().filter(|row| row["damaged"] == damaged);
            let bad: Vec<&str> = bad.filter_map(|row| row["table"].as_str()).collect();
            if !bad.is_empty() {
                let (count, all, names) = (bad.len(), rows.len(), bad.join(", "));
                found.push(format!("{count} of {all} tables {what}: {names}"));
            }
        }
        match found.is_empty() {
            true => Ok(()),
            false => bail!("{}", found.join("; ")),
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    args.machine.pool()?.install(|| verify(args))
}

fn verify(args: &Args) -> Result<()> {
    let (mut own, mut of_syzygy) = (Vec::new(), Vec::new());
    for folder in &args.tables {
        match kind_of(folder)? {
            FolderKind::Own => own.push(folder.clone()),
            FolderKind::Syzygy => of_syzygy.push(folder),
        }
    }
    let mut report = Report {
        json: args.json,
        rows: Vec::new(),
    };
    if !own.is_empty() {
        verify_own(args, &own, &mut report)?;
    }
    for folder in of_syzygy {
        verify_syzygy(args, folder, &mut report)?;
    }
    report.end()
}

fn verify_own(args: &Args, folders: &[PathBuf], report: &mut Report) -> Result<()> {
    let published = args.syzygy.as_deref().map(open_published).transpose()?;
    let published = match (published, &args.syzygy) {
        (Some((_, 0)), Some(folder)) => bail!("there are no Syzygy files in {}", folder.display()),
        (published, _) => published.map(|(files, _)| files),
    };
    let tables = wanted(args, folders)?;
    if tables.is_empty() {
        bail!(
            "there are no such table files (*.{} or *.{}) in {}",
            Metric::Dtz.extension(),
            Metric::Dtm.extension(),
            names_of(folders)
        );
    }
    let job = args.machine.job(folders, &());
    let memory = |&(endgame, metric): &(Endgame, Metric)| {
        let open = endgame.led_to().into_iter().chain([endgame]);
        let files = published.as_ref().filter(|_| metric == Metric::Dtz);
        let unpacked = files.map_or(0, |files| files.memory(&endgame.material, args.one_in));
        look_up_memory(open) + unpacked
    };
    let mut most = tables.iter().map(memory).max().unwrap_or(0);
    for &(endgame, metric) in &tables {
        most = most.max(solved_again(args, &job, endgame, metric)?);
    }
    state_memory("verify", most, args.memory)?;

    let bars = Bars::new(tables.len());
    for (endgame, metric) in tables {
        let begin = Instant::now();
        let of = (endgame, metric);
        let found = verify_table(args, &bars, &job, of, published.as_ref());
        check_stopped()?;
        bars.done();
        let of = match metric {
            Metric::Dtz => String::new(),
            Metric::Dtm => " (mate)".to_owned(),
            help => format!(" ({})", help.name()),
        };
        let seconds = begin.elapsed().as_secs_f64();
        let (moves, syzygy) = found.as_ref().map_or((None, None), |found| *found);
        let row = json!({
            "table": null,
            "metric": metric.name(),
            "positions": moves,
            "syzygy_values": syzygy,
            "seconds": seconds,
        });
        let line = found.map(|_| {
            let syzygy = match (syzygy, &args.syzygy) {
                (Some(n), _) => format!(", {n} values as in the Syzygy files"),
                (None, None) => String::new(),
                _ if metric == Metric::Dtz => ", no Syzygy files of it".to_owned(),
                _ => ", not compared: Syzygy files have distances to zeroing".to_owned(),
            };
            let what = moves.map_or("checksums".to_owned(), |count| format!("{count} positions"));
            format!("{of}: {what} right{syzygy} ({seconds:.1} s)")
        });
        report.add(&endgame.to_string(), line, row)?;
    }
    Ok(())
}

/// The tables to verify: all of the folders, or those that are asked for, each by the metrics by which it is there.
fn wanted(args: &Args, folders: &[PathBuf]) -> Result<Vec<(Endgame, Metric)>> {
    let mut all = Vec::new();
    if args.table.is_empty() {
        for metric in Metric::ALL {
            let there = tables_in(folders, metric)?.into_iter();
            all.extend(there.map(|endgame| (endgame, metric)));
        }
    }
    for endgame in args.table.iter().map(|endgame| endgame.normal()) {
        let mut there = Vec::new();
        for metric in Metric::ALL {
            let (_, files) = args.machine.job(folders, &()).files(endgame, metric)?;
            there.extend((files != [None, None]).then_some(metric));
        }
        if there.is_empty() {
            // The file that is missing is named.
            there = super::metrics(endgame.piece_set.is_chess(), &[])?;
        }
        all.extend(there.into_iter().map(|metric| (endgame, metric)));
    }
    Ok(all)
}

/// Whether a table with these files is compared with its checksums alone, as a packed one of helpmates is.
fn has_bytes_alone(args: &Args, metric: Metric, [unpacked, _]: &[Option<PathBuf>; 2]) -> bool {
    match metric.victim() {
        Some(_) => args.no_moves || unpacked.is_none(),
        None => args.no_moves && args.syzygy.is_none(),
    }
}

/// The memory of a table that is compared with its moves, where it or one that it leads to is packed: such tables are solved
/// again, and stay.
fn solved_again(args: &Args, job: &Job<'_>, endgame: Endgame, metric: Metric) -> Result<u64> {
    let of = [endgame.led_to(), vec![endgame]].concat();
    let again = job.solved_again(&of, metric)?;
    let (_, files) = job.files(endgame, metric)?;
    if has_bytes_alone(args, metric, &files) || again.is_empty() {
        return Ok(0);
    }
    Ok(memory_again(&again, metric, false))
}

/// Checks a table, and returns the numbers of positions that were compared with their moves and with Syzygy files.
fn verify_table(
    args: &Args,
    bars: &Bars,
    job: &Job<'_>,
    (endgame, metric): (Endgame, Metric),
    published: Option<&Published>,
) -> Result<(Option<u64>, Option<u64>)> {
    let (folder, files) = job.files(endgame, metric)?;
    let ends_here = has_bytes_alone(args, metric, &files);
    let [unpacked, packed] = files;
    if unpacked.is_some() || packed.is_none() {
        open_table(folder, endgame, metric)?.check(Some(stop_flag()))?;
    }
    let open = || open_packed(folder, endgame, metric);
    let packed = packed.map(|_| open()).transpose()?;
    let check = |file: &PackedFile| file.check(Some(stop_flag()));
    packed.as_ref().map(check).transpose()?;
    if ends_here {
        return Ok((None, None));
    }
    // Values are read from the files block by block; packed tables are solved again, and compared with their files.
    let table = job.table(endgame, metric)?;
    let sample = args.one_in;
    let mut library = Library::default();
    let compares = published.is_some() && metric == Metric::Dtz && sample == Sample::All;
    if !args.no_moves || compares {
        for smaller in endgame.led_to() {
            // Without them Syzygy files are probed.
            if !args.no_moves || matches!(job.files(smaller, metric)?, (_, [Some(_), _])) {
                for &metric in metric.of_smaller() {
                    library.insert(job.table(smaller, metric)?);
                }
            }
        }
    }
    let moves = if args.no_moves {
        None
    } else {
        if let Some(packed) = packed.filter(|_| unpacked.is_some()) {
            check_packed(&packed, &table, &library, args.machine.backend())?;
        }
        let what = format!("{endgame}: moves");
        let count = bars.check(&what, sample, |check| verify_moves(&table, &library, check));
        Some(count?)
    };
    let Some(files) = published.filter(|_| metric == Metric::Dtz) else {
        return Ok((moves, None));
    };
    if !files.has(&table)? {
        return Ok((moves, None));
    }
    let what = format!("{endgame}: Syzygy files");
    let backend = args.machine.backend();
    let verify = |check: Check<'_>| files.verify(&table, &library, backend, check);
    Ok((moves, Some(bars.check(&what, sample, verify)?)))
}

fn verify_syzygy(args: &Args, folder: &Path, report: &mut Report) -> Result<()> {
    if args.syzygy.is_some() {
        return refuse(format!(
            "{} has Syzygy files, which are compared with tables that are solved anew: leave out --syzygy, which names the files that tables of tbgen are compared with",
            folder.display()
        ));
    }
    let names: Vec<String> = match &args.table[..] {
        [] => syzygy_names(folder)?,
        wanted => (wanted.iter())
            .map(|material| material.normal().to_string())
            .collect(),
    };
    let lists = Md5Lists::read(folder)?;
    let paths = |name: &str| ["rtbw", "rtbz"].map(|end| folder.join(format!("{name}.{end}")));
    let mut add = |name: &str, found: Result<Option<u64>>, begin: Instant| {
        let seconds = begin.elapsed().as_secs_f64();
        let positions = found.as_ref().ok().copied().flatten();
        let paths = paths(name);
        let lists = paths.iter().flat_map(|path| lists.of(path));
        let mut lists: Vec<String> = lists.map(|list| list.display().to_string()).collect();
        lists.dedup();
        let row = json!({
            "table": null,
            "values": positions,
            "md5_lists": lists,
            "seconds": seconds,
        });
        let line = found.map(|positions| {
            let what = positions.map_or("bytes".to_owned(), |count| format!("{count} values"));
            let as_in = match lists.is_empty() {
                true => String::new(),
                false => format!(", MD5 as in {}", lists.join(" and ")),
            };
            format!(": {what} right{as_in} ({seconds:.1} s)")
        });
        report.add(name, line, row)
    };
    let check_bytes = |name: &str| -> Result<bool> {
        let mut there = 0;
        for path in paths(name) {
            check_stopped()?;
            if is_file(&path).with_context(|| path.display().to_string())? {
                lists.check(&path)?;
                SyzygyFile::open(&path)?.verify()?;
                there += 1;
            }
        }
        match there {
            0 => bail!("there are no files of {name} in {}", folder.display()),
            there => Ok(there == 2),
        }
    };
    let (files, _) = open_published(folder)?;
    let materials = names.iter().map(|name| {
        let material = super::parse_material(name).ok()?.normal();
        (!args.no_moves && material.piece_count() <= 5).then_some(material)
    });
    let materials: Vec<Option<Material>> = materials.collect();
    let needed = |materials: &[Material]| {
        let mut all: Vec<Material> = materials.iter().flat_map(needed_by).collect();
        in_order(&mut all);
        all.dedup();
        all
    };
    let solvable: Vec<Material> = materials.iter().copied().flatten().collect();
    let shapes = shapes_of(needed(&solvable))?;
    let memory = comparing_memory(&shapes, &solvable, &files, args.one_in);
    state_memory("verify", memory, args.memory)?;
    let mut solvable = Vec::new();
    for (name, material) in names.iter().zip(&materials) {
        let begin = Instant::now();
        let found = check_bytes(name);
        check_stopped()?;
        match (found, material) {
            (Ok(true), Some(material)) => solvable.push(*material),
            (found, _) => add(name, found.map(|_| None), begin)?,
        }
    }
    let shapes = shapes_of(needed(&solvable))?;
    let bars = Bars::new(shapes.len());
    let job = args.machine.job(&[], &bars);
    job.each(to_compare(&shapes), |made| {
        bars.done();
        let begin = Instant::now();
        let table = made.table.filter(|of| solvable.contains(&of.0.material()));
        let Some((table, library)) = table else {
            return Ok(());
        };
        let name = table.material().to_string();
        let verify = |check: Check<'_>| files.verify(table, library, job.backend, check);
        let count = bars.check(&format!("{name}: files"), args.one_in, verify);
        check_stopped()?;
        add(&name, count.map(Some).map_err(Into::into), begin)
    })?;
    Ok(())
}
