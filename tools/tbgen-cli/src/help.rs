//! `tbgen help`: solves help-problems.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Result, bail};
use rayon::ThreadPool;
use serde_json::json;
use tbgen::{
    GamePosition, HelpSearch, Letters, Metric, Solutions, Solver, Tables, TablesError, Value,
    reachable, solve_shape,
};
use tbindex::batch::Backend;
use tbindex::store::check_space;
use tbindex::{Color, Material, PieceType, Rights};

use super::answers::parse_position;
use super::machine::{MachineArgs, check_memory};
use super::rows::row::Row;
use super::signals::stop_flag;
use super::syzygy::solved_again;
use super::tables::names_of;
use super::{parse_size, print, print_json, refuse};

/// Solves a help-problem: both sides help to checkmate one of them in exactly so many moves
///
/// With a whole number N, N moves of each side, the side to move is checkmated: h#N with Black to move. With N.5, the side to
/// move begins and checkmates: h#N.5 with White to move. A problem with more than one solution is called cooked. Without a
/// number, the shortest helpmates are printed, in which White and in which Black is checkmated. Up to h#3 all moves are
/// searched, and the solutions counted; longer ones come from tables.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbgen help '8/8/8/5k2/4pP2/6K1/8/7Q b - f3 0 1' 2")]
pub(crate) struct Args {
    /// Position as a FEN: of up to 8 men up to h#3, and of up to 6 beyond
    #[arg(value_name = "FEN")]
    position: String,
    /// The number of moves, such as 2 or 2.5
    #[arg(value_name = "N", value_parser = parse_moves)]
    plies: Option<u16>,
    /// Folder of tables that generate --metric help made, may be repeated; without one, tables that are needed are solved
    #[arg(long, value_name = "DIR")]
    tables: Vec<PathBuf>,
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

/// The memory of a search.
const SEARCH_MEMORY: u64 = 512 << 20;

impl Args {
    fn search(&self, victim: Color) -> HelpSearch {
        HelpSearch::new(victim, SEARCH_MEMORY.min(self.memory))
    }

    /// The tables of all that a position leads to, from folders, or solved if there are none.
    fn tables(&self, position: &GamePosition) -> Result<Tables> {
        match self.tables.is_empty() {
            true => {
                let pool = self.machine.pool()?.into();
                let (_, tables) = solving(position, pool, self.machine.backend(), self.memory)?;
                Ok(tables)
            }
            false => tables_in(position, &self.tables),
        }
    }
}

/// The plies of a number of moves such as `2` or `2.5`.
fn parse_moves(text: &str) -> Result<u16, String> {
    let (whole, half) = match text.strip_suffix(".5") {
        Some(whole) => (whole, 1),
        None => (text, 0),
    };
    let moves = whole.parse::<u16>().ok().filter(|&moves| moves <= 500);
    let plies = moves.map(|moves| 2 * moves + half);
    plies.ok_or_else(|| "expected a number of moves from 0 to 500, such as 2 or 2.5".to_owned())
}

/// `h#2.5` of 5 plies.
pub(crate) fn stipulation(plies: u16) -> String {
    format!("h#{}", f32::from(plies) / 2.0)
}

/// Moves with their numbers: `1.Kh8 Kf7 2.…`, or `1...Kf7 2.Kh8 …` where the side that moves second begins.
pub(crate) fn numbered(moves: &[String], second: bool) -> String {
    let halves = moves.iter().zip(usize::from(second)..);
    let numbered = halves.enumerate().map(|(k, (name, half))| match half % 2 {
        0 => format!("{}.{name}", half / 2 + 1),
        _ if k == 0 => format!("1...{name}"),
        _ => name.clone(),
    });
    numbered.collect::<Vec<_>>().join(" ")
}

/// A line of each solution. A checkmate is its own, without a move.
fn lines_of(found: &[Vec<String>]) -> String {
    let found = found.iter().filter(|moves| !moves.is_empty());
    found
        .map(|moves| format!("  {}\n", numbered(moves, moves.len() % 2 == 1)))
        .collect()
}

/// A number of solutions, at least one.
pub(crate) fn parse_most(text: &str) -> Result<usize, String> {
    let most = text.parse().ok().filter(|&most| most > 0);
    most.ok_or_else(|| "expected a number of solutions from 1 on".to_owned())
}

pub(crate) fn no_letters(letters: &Letters) -> Result<()> {
    match letters.is_empty() {
        true => Ok(()),
        false => {
            refuse("helpmates are of pieces of chess: --metric help and --piece exclude each other")
        }
    }
}

pub(crate) fn no_helpmates(material: Material, folders: &[PathBuf]) -> String {
    let folders = names_of(folders);
    format!("no helpmates of {material} in {folders}: generate --metric help makes them")
}

/// The tables of folders, which have those of all positions that a position leads to.
fn tables_in(position: &GamePosition, folders: &[PathBuf]) -> Result<Tables> {
    let tables = Tables::open(folders)?;
    for shape in reachable(position)? {
        let mut metrics = Metric::HelpWhite.of_smaller().iter();
        if !metrics.all(|&metric| tables.has(metric, shape.endgame())) {
            bail!(no_helpmates(shape.material(), folders));
        }
    }
    Ok(tables)
}

/// The most memory of the process, and tables that solve the helpmates of all positions that a position leads to.
pub(crate) fn solving(
    position: &GamePosition,
    pool: Arc<ThreadPool>,
    backend: Backend,
    memory: u64,
) -> Result<(u64, Tables)> {
    let (shapes, temp) = (reachable(position)?, std::env::temp_dir());
    let turn = solved_again(&shapes, Metric::HelpWhite, true);
    let needed = pool.install(|| turn.memory());
    check_memory("the position", needed, Some(memory))?;
    check_space(&temp, turn.temporary(), "the temporary files")?;
    let solver = Solver::new(stop_flag(), backend, solve_shape);
    let tables = Tables::on_demand(needed, pool, solver.with_temp(&temp));
    Ok((needed, tables))
}

/// The shortest helpmate of a position by tables, if there is one.
pub(crate) fn helpmate(
    tables: &Tables,
    position: &GamePosition,
    victim: Color,
) -> Result<Option<Value>, TablesError> {
    let (value, _) = tables.value(Metric::help(victim), position)?;
    Ok((value != Value::DRAW).then_some(value))
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let fen = args.position.trim();
    let position = parse_position(fen, &Letters::default(), Rights::Keep)?;
    let Some(plies) = args.plies else {
        let (text, row) = shortest(fen, shortest_by(args, &position))?;
        return match args.json {
            true => print_json(&row),
            false => print(&format!("{text}\n")),
        };
    };
    let side = position.position().side;
    let victim = if plies.is_multiple_of(2) { side } else { !side };
    let (shortest, solutions) = if args.tables.is_empty() && plies <= HelpSearch::MOST_PLIES {
        let mut search = args.search(victim);
        let solutions = search.solutions(&position, plies, args.most);
        // A longer one is not looked for.
        let shortest = search.value(&position).filter(|of| of.plies <= plies);
        (shortest, solutions)
    } else {
        let tables = args.tables(&position)?;
        let solutions = tables.solutions(&position, victim, plies, args.most)?;
        (helpmate(&tables, &position, victim)?, solutions)
    };
    let of_victim = helpmates(shortest, Some((plies, &solutions)));
    if args.json {
        return print_json(&json!({ "fen": fen, Metric::help(victim).name(): of_victim }));
    }
    let mut text = format!("{fen}: {}: ", stipulation(plies));
    text += &count_of(&solutions);
    if of_victim["cooked"] == true {
        text += ", cooked";
    }
    if let Some(value) = shortest.filter(|value| value.plies != plies) {
        text += &format!("; the shortest helpmate is {}", stipulation(value.plies));
    }
    text.push('\n');
    text += &lines_of(&solutions.found);
    print(&text)
}

/// The helpmates of a victim in an answer's row: the shortest, and the solutions of a problem of so many plies.
fn helpmates(shortest: Option<Value>, problem: Option<(u16, &Solutions)>) -> Row {
    let mut row = Row::Null;
    if shortest.is_some() || problem.is_some() {
        row["moves"] = shortest.map(|value| stipulation(value.plies)).into();
        row["plies"] = shortest.map(|value| value.plies).into();
        row["unique"] = shortest.map(Value::is_unique).into();
    }
    if let Some((plies, solutions)) = problem {
        let (count, more) = (solutions.found.len(), solutions.more);
        let is_short = shortest.is_some_and(|value| value.plies < plies);
        row["problem"] = stipulation(plies).into();
        // Without any solution it is not sound, but no cook is there.
        row["cooked"] = (count > 0 && (is_short || more || count > 1)).into();
        row["count"] = solutions.count.or((!more).then_some(count as u64)).into();
        row["more"] = more.into();
        row["solutions"] = solutions.found.clone().into();
    }
    row
}

/// Finds the shortest helpmate of a position for each victim: by a search, or if it is long, by tables.
fn shortest_by<'a>(
    args: &'a Args,
    position: &'a GamePosition,
) -> impl FnMut(Color) -> Result<Option<Value>> + 'a {
    let mut tables = None;
    move |victim| {
        let position_of_men = position.position();
        let mut men = position_of_men.occupied().map(|(piece, _)| piece);
        if !men.any(|piece| piece.color != victim && piece.kind != PieceType::King) {
            return Ok(None);
        }
        if args.tables.is_empty()
            && let Some(value) = args.search(victim).value(position)
        {
            return Ok(Some(value));
        }
        let tables: &Tables = match &mut tables {
            Some(tables) => tables,
            none => none.insert(args.tables(position)?),
        };
        Ok(helpmate(tables, position, victim)?)
    }
}

/// The shortest helpmates of a position, one for each side that can be checkmated, as text and as a row.
pub(crate) fn shortest(
    fen: &str,
    mut value: impl FnMut(Color) -> Result<Option<Value>>,
) -> Result<(String, Row)> {
    let mut text = fen.to_owned();
    let mut row = json!({ "fen": fen });
    for victim in Color::ALL {
        let value = value(victim)?;
        let way = value.map_or("none".to_owned(), |value| {
            let solutions = if value.is_unique() {
                "one solution"
            } else {
                "several solutions"
            };
            format!("{}, {solutions}", stipulation(value.plies))
        });
        text += &format!("; {victim} mated: {way}");
        row[Metric::help(victim).name()] = helpmates(value, None);
    }
    Ok((text, row))
}

/// Prints the shortest helpmates of a position, with up to so many solutions of each, from the tables in folders.
pub(crate) fn lines(
    folders: &[PathBuf],
    (fen, position): (&str, &GamePosition),
    most: usize,
    json: bool,
) -> Result<()> {
    let tables = tables_in(position, folders)?;
    let (mut text, mut row) = (String::new(), json!({ "fen": fen }));
    for victim in Color::ALL {
        let Some(value) = helpmate(&tables, position, victim)? else {
            text += &format!("{fen}: {victim} mated: no helpmate\n");
            row[Metric::help(victim).name()] = Row::Null;
            continue;
        };
        let solutions = tables.solutions(position, victim, value.plies, most)?;
        let (moves, count) = (stipulation(value.plies), count_of(&solutions));
        text += &format!("{fen}: {victim} mated: {moves}: {count}\n");
        text += &lines_of(&solutions.found);
        row[Metric::help(victim).name()] = helpmates(Some(value), Some((value.plies, &solutions)));
    }
    match json {
        true => print_json(&row),
        false => print(&text),
    }
}

/// `1 solution`, `more solutions than 10`.
fn count_of(solutions: &Solutions) -> String {
    let found = solutions.found.len();
    if solutions.more && solutions.count.is_none() {
        return format!("more solutions than {found}");
    }
    match solutions.count.unwrap_or(found as u64) {
        0 => "no solution".to_owned(),
        1 => "1 solution".to_owned(),
        count => format!("{count} solutions"),
    }
}
