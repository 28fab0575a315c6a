//! `tbgen stats`: prints how many positions have each value.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::json;
use tbgen::{
    Check, Counting, Endgame, InTurn, Letters, Metric, Outcome, PackedFile, Sample, SideStats,
    Stats, Table, TableFile, intact_files, needed_by, parse_size, process_memory, stats_memory,
};
use tbindex::store::is_file;
use tbindex::{Color, Position};

use super::bars::Bars;
use super::folder::is_syzygy;
use super::machine::{MachineArgs, state_memory};
use super::syzygy::{comparing_memory, memory_again, open_published, to_compare};
use super::{
    OUTCOMES, metric_parser, metrics, parse_endgame, parse_material, print, print_json, refuse,
    shapes_of,
};

/// Prints how many positions are won, drawn and lost, the numbers at each distance, and the longest lines
///
/// Positions are counted up to symmetry and the exchange of like pieces. The tables of Syzygy files, of up to five pieces,
/// are solved again, compared with both files at every place, and counted.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbgen stats KQvKR --json")]
pub(crate) struct Args {
    /// A table file, a Syzygy file with those beside it that it needs, or a material, which is generated in memory,
    /// with short-range pieces in brackets, as in K[WD]vK
    #[arg(value_name = "FILE|MATERIAL")]
    table: PathBuf,
    /// Count like pieces as if they could be told apart
    #[arg(long)]
    ordered: bool,
    /// The metric of a table that is generated; by default dtz, and dtm with short-range pieces, which have
    /// no other. A file has one kind, and a wrong one is refused
    #[arg(long, value_parser = metric_parser(2))]
    metric: Option<Metric>,
    /// The most memory to use, such as 2G: what needs more is refused before it begins
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "8G")]
    memory: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineArgs,
}

/// Whether the table of the call is a file.
fn is_there(path: &Path) -> Result<bool> {
    is_file(path).with_context(|| path.display().to_string())
}

fn state(args: &Args, bytes: u64) -> Result<()> {
    state_memory("stats", bytes, Some(args.memory))
}

/// The table of the call, from its file or solved, on the threads of the current rayon pool.
fn table(args: &Args) -> Result<Table> {
    let path = args.table.as_path();
    if is_there(path)? {
        let extension = path.extension().and_then(|end| end.to_str());
        let mut all = Metric::ALL.into_iter();
        if all
            .clone()
            .any(|metric| extension.is_some() && extension == metric.packed_extension())
        {
            return packed(args, path);
        }
        let table = TableFile::open(path)?.as_it_is();
        let metric = table.metric();
        let named = all.find(|metric| extension == Some(metric.extension()));
        if named.is_some_and(|named| named != metric) {
            bail!("{}: this is a table by {}", path.display(), metric.name());
        }
        check_metric(args, metric)?;
        state(args, process_memory() + stats_memory(table.shape()))?;
        return Ok(table);
    }
    let endgame = parse_endgame(&path.to_string_lossy()).or_else(|error| {
        refuse(format!(
            "{path:?} is not a file, and as a material: {error}"
        ))
    })?;

    let metric = metrics(endgame.piece_set.is_chess(), args.metric.as_slice())?[0];
    let shapes = shapes_of(endgame.needed())?;
    state(args, InTurn::in_memory(&shapes, &[metric]).memory())?;
    let bars = Bars::new(shapes.len());
    let job = args.machine.job(&[], &bars);
    let table = job.each(InTurn::in_memory(&shapes, &[metric]), |_| {
        bars.done();
        Ok::<_, anyhow::Error>(())
    })?;
    table.with_context(|| format!("there is no table of {endgame}"))
}

/// The table of a packed file, which is solved again from those beside it, and compared with the file.
fn packed(args: &Args, path: &Path) -> Result<Table> {
    let file = PackedFile::open(path)?;
    check_metric(args, file.metric())?;
    if file.metric().victim().is_some() {
        let path = path.display();
        bail!("{path}: stats counts helpmates in files that are not packed");
    }
    let shapes = shapes_of(needed_by(&file.material()))?;
    state(args, memory_again(&shapes, file.metric(), false))?;
    let folders = [path.parent().unwrap_or(Path::new("")).to_owned()];
    Ok(args.machine.job(&folders, &()).unpack(&file)?)
}

/// A file has the distances of one metric, and no other may be asked for.
fn check_metric(args: &Args, there: Metric) -> Result<()> {
    match args.metric {
        Some(wanted) if wanted != there => refuse(format!(
            "{}: the distances of this file are by {}, and not by {}",
            args.table.display(),
            there.name(),
            wanted.name()
        )),
        _ => Ok(()),
    }
}

/// The counts of a Syzygy file, if it is one: those of its table, which is solved and compared with both files.
fn syzygy(args: &Args, counting: Counting) -> Result<Option<(Endgame, Metric, Stats)>> {
    let path = Path::new(&args.table);
    if !is_syzygy(path) || !is_there(path)? {
        return Ok(None);
    }
    check_metric(args, Metric::Dtz)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let material = parse_material(&name)
        .map_err(anyhow::Error::msg)
        .with_context(|| format!("{} can't be counted", path.display()))?
        .normal();
    if material.piece_count() > 5 {
        bail!("Syzygy files of up to 5 pieces are counted: not {name}");
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if !intact_files(folder, &material)? {
        let folder = folder.display();
        bail!("{material}.rtbw and {material}.rtbz are needed: one of them is not in {folder}");
    }
    let (files, _) = open_published(folder)?;
    let all = needed_by(&material);
    let shapes = shapes_of(all.iter().copied())?;
    state(
        args,
        comparing_memory(&shapes, &[material], &files, Sample::All),
    )?;
    let bars = Bars::new(all.len());
    let job = args.machine.job(&[], &bars);
    let mut stats = None;
    job.each(to_compare(&shapes), |made| {
        bars.done();
        let table = made.table.filter(|of| of.0.material() == material);
        if let Some((table, library)) = table {
            let verify = |check: Check<'_>| files.verify(table, library, job.backend, check);
            bars.check(&format!("{material}: files"), Sample::All, verify)?;
            stats = Some(Stats::of(table, counting)?);
        }
        Ok::<_, anyhow::Error>(())
    })?;
    let stats = stats.context("the table was solved")?;
    Ok(Some((Endgame::from(material), Metric::Dtz, stats)))
}

fn side_text(
    (color, side): (Color, &SideStats),
    metric: Metric,
    fen: &dyn Fn(&Position) -> String,
) -> String {
    let mut text = format!("{color} to move: {} positions\n", side.total());
    let helpmates = [
        ("one solution", Outcome::Win),
        ("several", Outcome::Loss),
        ("none", Outcome::Draw),
    ];
    let (outcomes, names) = match metric.victim() {
        None => (
            (OUTCOMES.into_iter().rev().zip(Outcome::ALL).rev()).collect(),
            ["win", "loss"],
        ),
        Some(_) => (helpmates.to_vec(), ["one", "several"]),
    };
    for (name, outcome) in outcomes {
        text += &format!("  {name:<14} {:>12}\n", side.count(outcome));
    }
    for (name, counts) in names.iter().zip([&side.win_in, &side.loss_in]) {
        for (plies, count) in counts {
            text += &format!("  {name:<4} in {plies:>3}  {count:>12}\n");
        }
    }
    for (name, longest) in names.iter().zip(&side.longest) {
        if let Some((plies, position)) = longest {
            let rule = match (metric, *name) {
                (Metric::Dtz, "win") if *plies > 100 => "cursed ",
                (Metric::Dtz, "loss") if *plies > 100 => "blessed ",
                _ => "",
            };
            let fen = fen(position);
            text += &format!("  longest {rule}{name}: {plies} plies, {fen}\n");
        }
    }
    text
}

/// The numbers of helpmates with a side to move: with one solution, with several, and none.
fn helpmates(side: &SideStats, fen: &dyn Fn(&Position) -> String) -> serde_json::Value {
    let [one, several] = side.longest.map(|longest| {
        longest.map(|(plies, position)| json!({ "plies": plies, "position": fen(&position) }))
    });
    json!({
        "unique": side.count(Outcome::Win),
        "several": side.count(Outcome::Loss),
        "none": side.count(Outcome::Draw),
        "unique_in": side.win_in,
        "several_in": side.loss_in,
        "longest_unique": one,
        "longest_several": several,
    })
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let pool = args.machine.pool()?;
    let (endgame, metric, stats) = pool.install(|| -> Result<(Endgame, Metric, Stats)> {
        let counting = match args.ordered {
            true => Counting::Ordered,
            false => Counting::Unordered,
        };
        if let Some(found) = syzygy(args, counting)? {
            return Ok(found);
        }
        let table = table(args)?;
        let stats = Stats::of(&table, counting)?;
        Ok((table.shape().endgame(), table.metric(), stats))
    })?;
    let leapers = endgame.leapers();
    let letters = Letters::for_leapers(&leapers);
    let fen = |position: &Position| letters.fen(position, endgame.piece_set);
    if args.json {
        let mut text = json!({ "material": endgame.to_string(), "metric": metric.name() });
        if !leapers.is_empty() {
            text["pieces"] = json!(letters.meanings().collect::<Vec<_>>());
        }
        let sides = match metric.victim() {
            None => stats.to_json(&fen),
            Some(_) => {
                let [white, black] = &stats.sides;
                json!({ "white": helpmates(white, &fen), "black": helpmates(black, &fen) })
            }
        };
        if let (Some(all), Some(sides)) = (text.as_object_mut(), sides.as_object()) {
            all.extend(sides.clone());
        }
        return print_json(&text);
    }
    let [white, black] = &stats.sides;
    let pieces = letters.meanings().map(|meaning| format!(", {meaning}"));
    print(&format!(
        "{endgame} by {}{}\n{}{}",
        metric.name(),
        pieces.collect::<String>(),
        side_text((Color::White, white), metric, &fen),
        side_text((Color::Black, black), metric, &fen)
    ))
}
