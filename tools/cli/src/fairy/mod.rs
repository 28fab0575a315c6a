//! `tbindex fairy`: short-range pieces.

mod census;
mod census_args;
mod classify;
mod compare;
mod distances;
mod list;
mod mate;
mod mate_census;
mod pieces;

use std::io::{Read, stdin};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result, anyhow, bail};
use clap::Subcommand;
use tbindex::Leaper;
use tbindex::fairy::{Grid, NAMED};
use tbindex_fairy::{MateCensus, MateClasses, MateSolver};

use super::args::{ForceArg, usage};
use super::interrupt;
use super::output::{print, progress, write_text};

/// Pieces that leap at most two squares: what binds them, where they can go, which can give mate, and how many there are
///
/// A short-range piece leaps at most two files and two ranks, over whatever stands in between, and captures as it moves.
/// `fairy pieces` lists those that have names. King and several such pieces are `tbgen`'s: `tbgen solve --piece L=WD`.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbindex fairy classify ffbsN")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Classify(classify::Args),
    Compare(compare::Args),
    Distances(distances::Args),
    Pieces(pieces::Args),
    Mate(mate::Args),
    Census(census_args::Args),
    List(list::Args),
}

pub(crate) fn run(args: &Args) -> Result<()> {
    match &args.command {
        Command::Classify(args) => classify::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Pieces(args) => pieces::run(args),
        Command::Distances(args) => distances::run(args),
        Command::Mate(args) => mate::run(args),
        Command::Census(args) => {
            args.check()?;
            match args.mates {
                true => mate_census::run(args),
                false => census::run(args),
            }
        }
        Command::List(args) => list::run(args),
    }
}

/// Solves classes of pieces under a progress bar. Off a terminal, a line says so for each tenth of a million pieces or
/// more.
fn solved(
    solver: &MateSolver,
    classes: MateClasses,
    pool: &rayon::ThreadPool,
) -> Result<MateCensus> {
    interrupt::watch();
    let all = classes.piece_count().max(1);
    let bar = progress(all, "pieces");
    let silent = !bar.is_hidden() || all < 1_000_000;
    let so_far = AtomicU64::new(0);
    let census = pool.install(|| {
        MateCensus::try_new(solver, classes, &|done| {
            bar.inc(done);
            let before = so_far.fetch_add(done, Ordering::Relaxed);
            let tenth = 10 * (before + done) / all;
            if !silent && tenth > 10 * before / all {
                note!("{tenth}0 % of {all} pieces solved");
            }
            interrupt::check()
        })
    });
    bar.finish_and_clear();
    census
}

/// `PIECE`.
#[derive(clap::Args)]
struct PieceArg {
    /// The piece: a number (0x54422a, 0b…), squares (02,04,06), Betza notation (ffbsN), a name
    /// (gold), a 5×5 diagram with its rows on lines or separated by /, or - to read it from standard input
    #[arg(value_name = "PIECE", value_parser = parse_piece, allow_hyphen_values = true)]
    piece: std::option::Option<Leaper>,
}

/// The piece in Betza's notation, with its names and its number.
fn piece_name(piece: Leaper) -> String {
    let names = NAMED.iter().filter(|(name, _)| name.parse() == Ok(piece));
    let names: String = names.map(|(name, _)| format!("{name}, ")).collect();
    let betza = piece.betza().unwrap_or_else(|| "none".to_owned());
    format!("{betza}  ({names}{piece})")
}

/// Reads a piece, or `-`, which is `None`.
fn parse_piece(text: &str) -> Result<Option<Leaper>, String> {
    match text {
        "-" => Ok(None),
        _ => (text.parse().map(Some)).map_err(|error| format!("{error}")),
    }
}

/// The most bytes of a piece on standard input. A diagram has about a hundred.
const MOST_BYTES: u64 = 1 << 16;

impl PieceArg {
    fn piece(&self) -> Result<Leaper> {
        if let Some(piece) = self.piece {
            return Ok(piece);
        }
        let mut text = String::new();
        let read = stdin().take(MOST_BYTES + 1).read_to_string(&mut text);
        read.context("can't read the piece from standard input")?;
        if text.len() as u64 > MOST_BYTES {
            bail!("standard input is longer than {MOST_BYTES} bytes, and no piece");
        }
        // The message has the cause in it already.
        text.parse()
            .map_err(|error| anyhow!("standard input: {error}"))
    }
}

/// `--board WxH`, of at most 256 squares.
#[derive(clap::Args)]
struct LargeBoardArg {
    /// The board's size, files × ranks, at most 256 squares: 16x16
    #[arg(long, value_name = "WxH", default_value_t = Grid::CHESS)]
    board: Grid,
}

/// `--board WxH`, of at most 64 squares.
#[derive(clap::Args)]
struct BoardArg {
    /// The board's size, files × ranks, at most 64 squares
    #[arg(long, value_name = "WxH", default_value_t = Grid::CHESS, value_parser = parse_board)]
    board: Grid,
}

/// Reads the size of a board that has at most 64 squares.
fn parse_board(text: &str) -> Result<Grid, String> {
    let grid: Grid = text.parse().map_err(|error| format!("{error}"))?;
    match grid.square_count() {
        ..=64 => Ok(grid),
        squares => Err(format!("{grid} has {squares} squares: expected at most 64")),
    }
}

/// `--svg FILE` and `--force`.
#[derive(clap::Args)]
struct PictureArgs {
    /// Also draw a picture, as an SVG file; - writes it, and nothing else, to standard output
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArg,
}

impl PictureArgs {
    /// Writes the picture if one is wanted, and returns whether there is still text to print. If JSON is wanted, there
    /// always is.
    fn write(&self, json: bool, picture: impl FnOnce() -> String) -> Result<bool> {
        check_picture(self.svg.as_deref(), json)?;
        match &self.svg {
            None => Ok(true),
            Some(path) if path == Path::new("-") => print(&picture()).map(|()| false),
            Some(path) => write_text(path, &picture(), self.force.overwrite()).map(|()| true),
        }
    }
}

/// Refuses a picture and JSON on standard output together.
fn check_picture(svg: Option<&Path>, json: bool) -> Result<()> {
    match svg {
        Some(path) if json && path == Path::new("-") => {
            Err(usage("--svg - and --json: only one of them can be printed"))
        }
        _ => Ok(()),
    }
}

/// The words with a separator between them, or `none` if there are none.
fn or_none<T: ToString>(words: impl IntoIterator<Item = T>, separator: &str) -> String {
    let words: Vec<String> = words.into_iter().map(|word| word.to_string()).collect();
    match words.is_empty() {
        true => "none".to_owned(),
        false => words.join(separator),
    }
}
