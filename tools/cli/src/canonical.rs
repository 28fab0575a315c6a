//! `tbindex canonical`: prints canonical forms, orbit sizes, and the symmetries that lead to the forms.

use anyhow::Result;
use serde_json::{Value, json};
use tbindex::Material;

use super::args::{JsonArg, NumberingArg, check_index, codec, octal, parse_index};
use super::output::{print, print_json};

/// Print the canonical index of each index, the orbit size, and the symmetry that leads to it
///
/// The canonical index is the smallest among all equivalents. These are the images under the board's
/// symmetries (all eight without pawns, only the file mirror with pawns), with like pieces in any order.
/// The orbit size counts the different images under the symmetries alone. In JSON, the answers are in the
/// array `positions`, also if there is only one.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbindex canonical KQvKR 0o77507450")]
pub(crate) struct Args {
    /// The pieces, such as KQvKR
    material: Material,
    /// The indices, as 0o…, 0x… or decimal
    #[arg(value_parser = parse_index, required = true)]
    indices: Vec<u128>,
    #[command(flatten)]
    numbering: NumberingArg,
    #[command(flatten)]
    json: JsonArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let codec = codec(args.material, args.numbering.numbering)?;
    let same = codec.equivalence();
    let mut rows: Vec<Value> = Vec::new();
    let mut text = String::new();
    for &index in &args.indices {
        check_index(codec.equivalence().layout(), args.material, index)?;
        let (canonical, symmetry) = same.canonical_with_symmetry(index);
        let orbit = same.orbit_size(index);
        text += &format!("{} orbit {orbit} by {symmetry}\n", octal(canonical));
        rows.push(json!({
            "index": octal(index),
            "canonical": octal(canonical),
            "symmetry": symmetry.to_string(),
            "orbit": orbit,
        }));
    }
    match args.json.json {
        true => print_json(&json!({ "positions": rows })),
        false => print(&text),
    }
}
