//! `tbindex flip`: prints the images of an index.

use anyhow::Result;
use serde_json::json;
use tbindex::{Material, Symmetry};

use super::args::{JsonArg, NumberingArg, check_index, codec, octal, parse_index};
use super::output::{print, print_json};

/// Print the image of an index under one symmetry of the board, or under all eight
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbindex flip KQvKR 0o00270327 --symmetry flip_vertical")]
pub(crate) struct Args {
    /// The pieces, such as KQvKR
    material: Material,
    /// The index, as 0o…, 0x… or decimal
    #[arg(value_parser = parse_index)]
    index: u128,
    /// One symmetry: identity, flip_horizontal, flip_vertical, rotate_180, flip_diagonal,
    /// flip_anti_diagonal, rotate_90 or rotate_270
    #[arg(long)]
    symmetry: Option<Symmetry>,
    #[command(flatten)]
    numbering: NumberingArg,
    #[command(flatten)]
    json: JsonArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let layout = codec(args.material, args.numbering.numbering)?
        .equivalence()
        .layout();
    check_index(layout, args.material, args.index)?;
    let symmetries = match args.symmetry {
        Some(symmetry) => vec![symmetry],
        None => Symmetry::ALL.to_vec(),
    };
    let images = symmetries
        .iter()
        .map(|&symmetry| (symmetry, octal(layout.flip(symmetry, args.index))));
    if args.json.json {
        let images: serde_json::Map<_, _> = images
            .map(|(symmetry, index)| (symmetry.to_string(), json!(index)))
            .collect();
        return print_json(&json!(images));
    }
    let lines = images.map(|(symmetry, index)| match args.symmetry {
        Some(_) => format!("{index}\n"),
        None => format!("{symmetry:<19} {index}\n"),
    });
    print(&lines.collect::<String>())
}
