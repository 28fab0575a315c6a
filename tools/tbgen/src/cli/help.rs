//! `tbgen help`: solves help-problems; and what `tbgen generate --metric help` does.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, bail};
use serde_json::{Value as Json, json};
use tbgen::{
    GamePosition, HelpTables, Letters, Longest, Metric, Options, Shape, Solutions, Table, at_least,
    reachable,
};
use tbindex::batch::Backend;
use tbindex::store::{Overwrite, check_space};
use tbindex::{Color, Material};

use super::answers::parse_position;
use super::folder::{make_folder, remove_stale};
use super::machine::{MachineArgs, check_memory};
use super::signals::stop_flag;
use super::{UsageError, mebibytes, parse_size, print};

/// Solves a help-problem: both sides help to checkmate one of them in exactly so many moves
///
/// With a whole number N, N moves of each side, the side to move is checkmated: h#N with Black to move. With N.5, the side to
/// move begins and checkmates: h#N.5 with White to move. A problem with more than one solution is called cooked. Without a
/// number, the shortest helpmates are printed, in which White and in which Black is checkmated.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbgen help '7k/8/8/8/8/8/8/R3K3 b - - 0 1' 2")]
pub(crate) struct Args {
    /// Position as a FEN, of up to 6 men
    #[arg(value_name = "FEN")]
    position: String,
    /// The number of moves, such as 2 or 2.5
    #[arg(value_name = "N", value_parser = parse_moves)]
    plies: Option<u16>,
    /// Folder of tables that generate --metric help made; without one the tables are solved
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
    /// The most solutions to print
    #[arg(long, value_name = "COUNT", default_value_t = 1000, value_parser = parse_most)]
    most: usize,
    /// The most memory to use, such as 4G; work that may need more is refused before it begins
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "8G")]
    memory: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineArgs,
}

/// The plies of a number of moves such as `2` or `2.5`.
fn parse_moves(text: &str) -> Result<u16, String> {
    let (whole, half) = match text.strip_suffix(".5") {
        Some(whole) => (whole, 1),
        None => (text, 0),
    };
    let moves = whole
        .parse::<u16>()
        .ok()
        .filter(|moves| (0..=500).contains(moves));
    let plies = moves.map(|moves| 2 * moves + half);
    plies.ok_or_else(|| "expected a number of moves from 0 to 500, such as 2 or 2.5".to_owned())
}

/// `h#2.5` of 5 plies.
fn stipulation(plies: u16) -> String {
    format!(
        "h#{}{}",
        plies / 2,
        if plies.is_multiple_of(2) { "" } else { ".5" }
    )
}

/// The moves of a solution with their numbers: `1.Kh8 Kf7 2.…`, or `1…Kf7 2.Kh8 …` where the side that mates begins.
fn numbered(moves: &[String]) -> String {
    let skipped = moves.len() % 2;
    let numbered = moves
        .iter()
        .enumerate()
        .map(|(k, name)| match (k + skipped) % 2 {
            0 => format!("{}.{name}", (k + skipped) / 2 + 1),
            _ if k == 0 => format!("1...{name}"),
            _ => name.clone(),
        });
    numbered.collect::<Vec<_>>().join(" ")
}

/// A line of each solution. A checkmate is its own, without a move.
fn lines_of(found: &[Vec<String>]) -> String {
    let found = found.iter().filter(|moves| !moves.is_empty());
    found
        .map(|moves| format!("  {}\n", numbered(moves)))
        .collect()
}

/// A number of solutions, at least one.
pub(crate) fn parse_most(text: &str) -> Result<usize, String> {
    let most = text.parse().ok().filter(|&most| most > 0);
    most.ok_or_else(|| "expected a number of solutions from 1 on".to_owned())
}

/// Refuses short-range pieces.
pub(crate) fn no_letters(letters: &Letters) -> Result<()> {
    let message = "helpmates are of pieces of chess: --metric help and --piece exclude each other";
    match letters.is_empty() {
        true => Ok(()),
        false => Err(UsageError(message.to_owned()).into()),
    }
}

pub(crate) fn no_helpmates(material: Material, folder: &Path) -> String {
    let folder = folder.display();
    format!("no helpmates of {material} in {folder}: generate --metric help makes them")
}

/// The tables of all positions that a position leads to, from a folder or solved.
pub(crate) fn tables_of(
    position: &GamePosition,
    folder: Option<&Path>,
    backend: Backend,
    memory: u64,
) -> Result<HelpTables> {
    let shapes = reachable(position)?;
    let mut tables = HelpTables::default();
    if let Some(folder) = folder {
        for shape in &shapes {
            let material = shape.material();
            if !tables.open(folder, material)? {
                bail!(no_helpmates(material, folder));
            }
        }
        return Ok(tables);
    }
    let temp = std::env::temp_dir();
    let temporary = HelpTables::temporary(&shapes, true);
    check_memory(
        "the position",
        HelpTables::memory_of_all(&shapes),
        Some(memory),
    )?;
    check_space(&temp, temporary, "the temporary files")?;
    let mut tables = HelpTables::with_temp(&temp);
    for shape in &shapes {
        tables.solve(shape, Options::new(Metric::HelpWhite, backend, stop_flag()))?;
    }
    Ok(tables)
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let fen = args.position.trim();
    let position = parse_position(fen, &Letters::default())?;
    let (folder, backend) = (args.tables.as_deref(), args.machine.backend());
    let pool = args.machine.pool()?;
    let tables = pool.install(|| tables_of(&position, folder, backend, args.memory))?;
    let Some(plies) = args.plies else {
        let (text, json) = shortest((fen, &position), &tables)?;
        return match args.json {
            true => print(&format!("{json:#}\n")),
            false => print(&format!("{text}\n")),
        };
    };
    let side = position.position().side;
    let victim = if plies.is_multiple_of(2) { side } else { !side };
    let shortest = tables.value(&position, victim)?;
    let solutions = tables.solutions(&position, victim, plies, args.most)?;
    let (count, more) = (solutions.found.len(), solutions.more);
    let is_short = shortest.is_some_and(|value| value.plies < plies);
    // Without any solution it is not sound, but no cook is there.
    let cooked = count > 0 && (is_short || more || count > 1);
    if args.json {
        let json = json!({
            "fen": fen,
            "stipulation": stipulation(plies),
            "shortest": shortest.map(|value| stipulation(value.plies)),
            "cooked": cooked,
            "more": more,
            "solutions": solutions.found,
        });
        return print(&format!("{json:#}\n"));
    }
    let mut text = format!("{fen}: {}: ", stipulation(plies));
    text += &count_of(&solutions.found, more);
    if cooked {
        text += ", cooked";
    }
    if let Some(value) = shortest.filter(|value| value.plies != plies) {
        text += &format!("; the shortest helpmate is {}", stipulation(value.plies));
    }
    text.push('\n');
    text += &lines_of(&solutions.found);
    print(&text)
}

/// The shortest helpmates of a position, one for each side that can be checkmated, as text and as JSON.
pub(crate) fn shortest(
    (fen, position): (&str, &GamePosition),
    tables: &HelpTables,
) -> Result<(String, Json)> {
    let mut text = fen.to_owned();
    let mut json = json!({ "fen": fen });
    for victim in Color::ALL {
        let value = tables.value(position, victim)?;
        let way = value.map_or("none".to_owned(), |value| {
            let unique = if value.unique {
                "one solution"
            } else {
                "several solutions"
            };
            format!("{}, {unique}", stipulation(value.plies))
        });
        text += &format!("; {victim} mated: {way}");
        json[Metric::help(victim).name()] = value.map_or(Json::Null, |value| {
            json!({ "moves": stipulation(value.plies), "plies": value.plies, "unique": value.unique })
        });
    }
    Ok((text, json))
}

/// Prints the shortest helpmates of a position, with up to so many solutions of each, from the tables in a folder.
pub(crate) fn lines(
    folder: &Path,
    (fen, position): (&str, &GamePosition),
    most: usize,
    json: bool,
) -> Result<()> {
    let tables = tables_of(position, Some(folder), Backend::detect(), 0)?;
    let mut text = String::new();
    let mut object = json!({ "fen": fen });
    for victim in Color::ALL {
        let name = Metric::help(victim).name();
        let Some(value) = tables.value(position, victim)? else {
            text += &format!("{fen}: {victim} mated: no helpmate\n");
            object[name] = Json::Null;
            continue;
        };
        let Solutions { found, more } = tables.solutions(position, victim, value.plies, most)?;
        let moves = stipulation(value.plies);
        text += &format!(
            "{fen}: {victim} mated: {moves}: {}\n",
            count_of(&found, more)
        );
        text += &lines_of(&found);
        object[name] = json!({
            "moves": moves,
            "plies": value.plies,
            "unique": value.unique,
            "more": more,
            "solutions": found,
        });
    }
    match json {
        true => print(&format!("{object:#}\n")),
        false => print(&text),
    }
}

/// `1 solution`, `more solutions than 10`.
fn count_of(found: &[Vec<String>], more: bool) -> String {
    match (found.len(), more) {
        (0, false) => "no solution".to_owned(),
        (1, false) => "1 solution".to_owned(),
        (count, false) => format!("{count} solutions"),
        (count, true) => format!("more solutions than {count}"),
    }
}

/// How `generate --metric help` works.
pub(crate) struct Generate<'a> {
    pub(crate) folder: Option<&'a Path>,
    pub(crate) memory: Option<u64>,
    pub(crate) force: bool,
    pub(crate) dry_run: bool,
    pub(crate) json: bool,
    pub(crate) machine: &'a MachineArgs,
}

impl Generate<'_> {
    /// Makes the tables of helpmates of these shapes, each after those that it needs, and prints a line of each unless it is to
    /// be JSON. Returns what is in them, or `None` if the call only asks what that takes.
    pub(crate) fn run(&self, shapes: &[Shape]) -> Result<Option<Json>> {
        let begin = Instant::now();
        let pool = self.machine.pool()?;
        let temp = std::env::temp_dir();
        let temp = self.folder.map_or(temp, Path::to_owned);
        let (memory, temporary) = pool.install(|| match self.folder {
            // What is in files is read from there. While a table's files are written, its temporary ones are there.
            Some(folder) => {
                let missing = shapes.iter().filter(|shape| {
                    let path = |metric| Table::path(folder, shape.material(), metric);
                    self.force
                        || !Color::ALL
                            .map(Metric::help)
                            .map(path)
                            .iter()
                            .all(|path| path.exists())
                });
                let files = HelpTables::likely_files(missing.clone());
                let each = missing.map(std::slice::from_ref);
                let memory = each
                    .clone()
                    .map(|shape| HelpTables::memory_of_each(shape, true));
                let temporary = each.map(|shape| HelpTables::temporary(shape, false)).max();
                (
                    memory.max().unwrap_or(0),
                    temporary.map_or(0, |bytes| bytes + files),
                )
            }
            None => (
                HelpTables::memory_of_each(shapes, true),
                HelpTables::temporary(shapes, false),
            ),
        });
        let mut text = format!(
            "helpmates of {} tables, up to {} of memory",
            shapes.len(),
            mebibytes(memory)
        );
        if temporary > 0 {
            let (bytes, temp) = (mebibytes(temporary), temp.display());
            text += &format!(", up to about {bytes} in {temp}");
        }
        if self.dry_run {
            match self.json {
                true => print(&format!(
                    "{:#}\n",
                    json!({
                        "tables": shapes.len(),
                        "memory_bytes": memory,
                        "temporary_bytes": temporary,
                    })
                ))?,
                false => print(&format!("{text}\n"))?,
            }
            return Ok(None);
        }
        note!("{text}");
        check_memory("the work", memory, self.memory)?;
        let large = shapes
            .iter()
            .find(|shape| shape.material().piece_count() > 5);
        if let Some(shape) = large.filter(|_| self.memory.is_none()) {
            let message = format!(
                "the helpmates of {} and what it needs are solved in up to {} of memory: allow it by --memory",
                shape.material(),
                at_least(memory)
            );
            return Err(UsageError(message).into());
        }
        if let Some(folder) = self.folder {
            make_folder(folder)?;
            remove_stale(folder)?;
        }
        check_space(&temp, temporary, "the files")?;
        let mut tables = HelpTables::with_temp(&temp);
        let mut all = Vec::new();
        pool.install(|| {
            for (number, shape) in shapes.iter().enumerate() {
                if stop_flag().load(std::sync::atomic::Ordering::Relaxed) {
                    bail!("interrupted");
                }
                let summary = self.make(shape, &mut tables)?;
                if self.folder.is_none() {
                    tables.put_aside(&shape.material(), &shapes[number + 1..])?;
                }
                if !self.json {
                    print(&format!("{}\n", text_of(&summary)))?;
                }
                all.push(summary);
            }
            Ok(())
        })?;
        let seconds = begin.elapsed().as_secs_f64();
        if !self.json {
            print(&format!(
                "{} tables in {seconds:.1} s, up to {} of memory\n",
                all.len(),
                at_least(memory)
            ))?;
        }
        Ok(Some(json!({ "tables": all, "seconds": seconds })))
    }

    /// Makes the table of a shape, unless it is in the folder.
    fn make(&self, shape: &Shape, tables: &mut HelpTables) -> Result<Json> {
        let material = shape.material();
        let there = match self.folder {
            Some(folder) if !self.force => tables.open_whole(folder, material)?,
            _ => false,
        };
        let begin = Instant::now();
        if !there {
            let backend = self.machine.backend();
            tables.solve(shape, Options::new(Metric::HelpWhite, backend, stop_flag()))?;
        }
        let seconds = begin.elapsed().as_secs_f64();
        let [white, black] = tables
            .libraries()
            .each_ref()
            .map(|library| library.get(&material));
        let both = [white, black].map(|table| table.expect("it was made"));
        let mut bytes = 0;
        let mut summary = summary(both)?;
        if let (Some(folder), false) = (self.folder, there) {
            for table in both {
                let path = Table::path(folder, material, table.metric());
                table.write(&path, Overwrite::Replace)?;
                bytes += std::fs::metadata(&path)?.len();
            }
            tables.open_whole(folder, material)?;
        }
        summary["bytes"] = bytes.into();
        summary["seconds"] = seconds.into();
        Ok(summary)
    }
}

/// The longest helpmates and the dead positions of a table.
fn summary(both: [&Table; 2]) -> Result<Json> {
    let mut json = json!({ "material": both[0].material().to_string() });
    for (table, victim) in both.into_iter().zip(Color::ALL) {
        let [longest, unique] = tbgen::longest(table)?;
        let of = |longest: Option<Longest>| {
            longest.map(|Longest { plies, position }| {
                let side = if position.side == Color::White {
                    'w'
                } else {
                    'b'
                };
                let fen = format!("{} {side} - - 0 1", position.placement());
                json!({ "moves": stipulation(plies), "plies": plies, "fen": fen })
            })
        };
        json[Metric::help(victim).name()] = json!({ "longest": of(longest), "unique": of(unique) });
    }
    for (counts, side) in tbgen::dead(both)?.into_iter().zip(Color::ALL) {
        json[format!("{side}_to_move")] = json!({ "positions": counts[0], "dead": counts[1] });
    }
    Ok(json)
}

/// A table's summary in a line.
fn text_of(summary: &Json) -> String {
    let mut text = summary["material"].as_str().unwrap_or_default().to_owned();
    for victim in Color::ALL {
        let of = &summary[Metric::help(victim).name()];
        let way = |longest: &Json| match longest["moves"].as_str() {
            Some(moves) => format!("{moves} ({})", longest["fen"].as_str().unwrap_or_default()),
            None => "none".to_owned(),
        };
        text += &format!(
            "; {victim} mated: longest {}, unique {}",
            way(&of["longest"]),
            way(&of["unique"])
        );
    }
    let of = |field: &str| -> u64 {
        Color::ALL
            .into_iter()
            .filter_map(|side| summary[format!("{side}_to_move")][field].as_u64())
            .sum()
    };
    text + &format!("; dead {} of {}", of("dead"), of("positions"))
}
