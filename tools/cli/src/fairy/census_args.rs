//! The arguments of `tbindex fairy census`, for both of its ways to count.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::{BoardArg, check_picture};
use crate::args::{ForceArg, JsonArg, MachineArgs, usage};

/// Count all 16 777 216 pieces by what binds them, on the plane and on a board, or by their mates
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  tbindex fairy census\n  \
    tbindex fairy census --board 10x6 --symmetric --csv census.csv\n  \
    tbindex fairy census --mates --svg mates.svg --csv mates.csv")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) board: BoardArg,
    /// Count the pieces by what they achieve with their king against a bare king. This takes one to three
    /// minutes on two cores, and much longer on boards with more than eight files or ranks
    #[arg(long)]
    pub(super) mates: bool,
    /// Count pieces that are images of each other once: under the eight symmetries if the board is square,
    /// else under the four that keep the board
    #[arg(long)]
    pub(super) symmetric: bool,
    #[command(flatten)]
    pub(super) json: JsonArg,
    /// Write a table by the number of moves, as a CSV file; - writes it to standard output. With --mates,
    /// the table has a line for each class of pieces that are images of each other, and the totals are
    /// printed, too, unless the table goes to standard output
    #[arg(long, value_name = "FILE")]
    pub(super) csv: Option<PathBuf>,
    /// Also draw the histogram of longest mates, as an SVG file; - writes it, and nothing else, to standard
    /// output
    #[arg(long, value_name = "FILE", requires = "mates")]
    pub(super) svg: Option<PathBuf>,
    #[command(flatten)]
    pub(super) force: ForceArg,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
}

impl Args {
    /// Checks that all output has a place of its own.
    pub(super) fn check(&self) -> Result<()> {
        let csv_excludes_json = |path: &Path| !self.mates || path == Path::new("-");
        if self.json.json && self.csv.as_deref().is_some_and(csv_excludes_json) {
            return Err(usage("--csv and --json: only one of them can be printed"));
        }
        check_picture(self.svg.as_deref(), self.json.json)
    }

    /// Up to which symmetries pieces are counted, in words.
    pub(super) fn up_to(&self) -> &'static str {
        match (self.symmetric, self.board.board.symmetries().len() == 8) {
            (false, _) => "",
            (true, true) => ", counted up to the eight symmetries",
            (true, false) => ", counted up to the four symmetries of the board",
        }
    }
}
