//! `tbindex fairy`: short-range pieces.

mod census;
mod classify;
mod distances;
mod list;
mod mate;
mod mate_census;

use std::io::{Read, stdin};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Subcommand;
use tbindex::Leaper;
use tbindex::fairy::Grid;

use super::args::ForceArg;
use super::output::{print, write_text};

/// Short-range pieces: what binds them, where they can go, which can give mate, and how many there are
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbindex fairy classify ffbsN")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Classify(classify::Args),
    Distances(distances::Args),
    Mate(mate::Args),
    Census(census::Args),
    List(list::Args),
}

pub(crate) fn run(args: &Args) -> Result<()> {
    match &args.command {
        Command::Classify(args) => classify::run(args),
        Command::Distances(args) => distances::run(args),
        Command::Mate(args) => mate::run(args),
        Command::Census(args) => census::run(args),
        Command::List(args) => list::run(args),
    }
}

/// `PIECE`.
#[derive(clap::Args)]
struct PieceArg {
    /// The piece: a number (0x54422a, 0b…), squares (02,04,06), Betza notation (ffbsN), a 5×5
    /// diagram with its rows on lines or separated by /, or - to read it from standard input
    #[arg(value_name = "PIECE", value_parser = parse_piece, allow_hyphen_values = true)]
    piece: Given,
}

/// A piece as an argument.
#[derive(Clone, Copy, Debug)]
enum Given {
    Piece(Leaper),
    OnStandardInput,
}

fn parse_piece(text: &str) -> Result<Given, String> {
    match text {
        "-" => Ok(Given::OnStandardInput),
        _ => match text.parse() {
            Ok(piece) => Ok(Given::Piece(piece)),
            Err(error) => Err(format!("{error}")),
        },
    }
}

impl PieceArg {
    fn piece(&self) -> Result<Leaper> {
        match self.piece {
            Given::Piece(piece) => Ok(piece),
            Given::OnStandardInput => {
                let mut text = String::new();
                let read = stdin().read_to_string(&mut text);
                read.context("can't read the piece from standard input")?;
                text.parse().context("standard input")
            }
        }
    }
}

/// `--board WxH`.
#[derive(clap::Args)]
struct BoardArg {
    /// The board's size, files × ranks, at most 64 squares
    #[arg(long, value_name = "WxH", default_value_t = Grid::CHESS)]
    board: Grid,
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
    /// Writes the picture if one is wanted, and returns whether there is still text to print.
    fn write(&self, picture: impl FnOnce() -> String) -> Result<bool> {
        match &self.svg {
            None => Ok(true),
            Some(path) if path == Path::new("-") => print(&picture()).map(|()| false),
            Some(path) => write_text(path, &picture(), self.force.overwrite()).map(|()| true),
        }
    }
}

/// The names of the squares in a set, with blanks between them, or `none` for the empty set.
fn square_names(grid: &Grid, squares: u64) -> String {
    let names: Vec<String> = (0..grid.square_count() as u8)
        .filter(|&square| squares >> square & 1 != 0)
        .map(|square| grid.square_name(square))
        .collect();
    or_none(names, " ")
}

/// The words with a separator between them, or `none` if there are none.
fn or_none<T: ToString>(words: impl IntoIterator<Item = T>, separator: &str) -> String {
    let words: Vec<String> = words.into_iter().map(|word| word.to_string()).collect();
    match words.is_empty() {
        true => "none".to_owned(),
        false => words.join(separator),
    }
}
