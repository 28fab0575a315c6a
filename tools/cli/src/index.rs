//! `tbindex index`: prints the index of squares.

use anyhow::Result;
use serde_json::json;
use tbindex::{Material, Square};

use super::args::{JsonArg, NumberingArg, codec, octal, parse_squares, usage};
use super::output::{print, print_json};

/// Print the index of pieces on squares
///
/// Any squares have an index, also pawns on the first or last rank and two pieces on one square. `encode`
/// refuses such positions.
#[derive(clap::Args)]
#[command(after_help = "Example (white K a1, Q c3, black K d1, R h8):\n  \
                        tbindex index KQvKR a1,c3,d1,h8")]
pub(crate) struct Args {
    /// The pieces, such as KQvKR
    material: Material,
    /// Their squares in the order of the name, such as a1,c3,d1,h8
    #[arg(value_parser = parse_squares)]
    squares: std::vec::Vec<Square>,
    #[command(flatten)]
    numbering: NumberingArg,
    #[command(flatten)]
    json: JsonArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let codec = codec(args.material, args.numbering.numbering)?;
    let index = codec
        .encode_squares(&args.squares)
        .map_err(|error| usage(error.to_string()))?;
    if args.json.json {
        print_json(&json!({
            "material": args.material.to_string(),
            "numbering": args.numbering.numbering.to_string(),
            "index": octal(index),
        }))
    } else {
        print(&format!("{}\n", octal(index)))
    }
}
