//! `tbindex squares`: prints the squares of an index.

use anyhow::Result;
use serde_json::json;
use tbindex::{Color, Material};

use super::args::{JsonArg, NumberingArg, check_index, codec, octal, parse_index};
use super::output::{print, print_json};

/// Print the squares of an index in the order of the material's name, and the FEN placement
///
/// An index may put two pieces on one square, which no FEN can show, or a pawn on the first or last rank,
/// which `encode` refuses.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbindex squares KQvKR 0o00270327")]
pub(crate) struct Args {
    /// The pieces, such as KQvKR
    material: Material,
    /// The index, as 0o…, 0x… or decimal
    #[arg(value_parser = parse_index)]
    index: u128,
    #[command(flatten)]
    numbering: NumberingArg,
    #[command(flatten)]
    json: JsonArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let codec = codec(args.material, args.numbering.numbering)?;
    check_index(codec.equivalence().layout(), args.material, args.index)?;
    let squares: Vec<String> = codec
        .decode_squares(args.index)?
        .map(|square| square.to_string())
        .collect();
    // An index may put two pieces on one square, but no board can show that.
    let placement = codec
        .decode(args.index, Color::White)
        .map(|position| position.placement());
    if args.json.json {
        print_json(&json!({
            "material": args.material.to_string(),
            "numbering": args.numbering.numbering.to_string(),
            "index": octal(args.index),
            "squares": squares,
            "fen": placement.ok(),
        }))
    } else {
        print(&format!("{}\n", squares.join(",")))?;
        match placement {
            Ok(placement) => print(&format!("{placement}\n")),
            Err(error) => {
                note!("tbindex: there is no FEN of it: {error}");
                Ok(())
            }
        }
    }
}
