//! `tbindex encode`: FEN or EPD lines to an index file.

use std::fs::File;
use std::io::{BufRead, BufReader, stdin};
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::json;
use tbindex::store::{Contents, IndexWriter};
use tbindex::{Color, Fen, Material, PlacementCodec, Position, Word};

use super::args::{ForceArg, JsonArg, NumberingArg, parse_side};
use super::output::{grouped, print, print_json};
use super::{files, interrupt};

/// Read FEN or EPD lines and write their indices, one a line, in their order
///
/// Blank lines and comments (`#`) are skipped, EPD operations are not read. A line that is broken,
/// of other material, of the other side, or with castling rights or an en-passant square is an error
/// that names file and line, unless an option below takes it.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  \
    tbindex encode KQvKR games.epd -o games.tbi --side white --skip-other")]
pub(crate) struct Args {
    /// The pieces, such as KQvKR
    material: Material,
    /// The lines; - is standard input
    #[arg(default_value = "-")]
    file: PathBuf,
    /// The file to write
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Only positions with this side to move: white or black. The file records it
    #[arg(long, value_parser = parse_side)]
    side: Option<Color>,
    /// Skip, and count, positions of other material or the other side to move
    #[arg(long)]
    skip_other: bool,
    /// Take positions with castling rights or an en-passant square; an index forgets them
    #[arg(long)]
    allow_rights: bool,
    /// Take positions that fit with exchanged colours, and turn them round
    #[arg(long, alias = "swap-colors")]
    swap_colours: bool,
    #[command(flatten)]
    numbering: NumberingArg,
    #[command(flatten)]
    force: ForceArg,
    #[command(flatten)]
    json: JsonArg,
}

#[derive(Default)]
struct Counts {
    taken: u64,
    turned_round: u64,
    with_rights: u64,
    other_material: u64,
    other_side: u64,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    match files::word_bits(&args.material)? {
        32 => encode::<u32>(args),
        _ => encode::<u64>(args),
    }
}

fn encode<W: Word>(args: &Args) -> Result<()> {
    let numbering = args.numbering.numbering;
    let codec = PlacementCodec::<W>::new(args.material, numbering)?;
    let from_stdin = args.file.as_os_str() == "-";
    let name = if from_stdin {
        "standard input".to_owned()
    } else {
        args.file.display().to_string()
    };
    let mut lines: Box<dyn BufRead> = if from_stdin {
        Box::new(stdin().lock())
    } else {
        let file = File::open(&args.file).with_context(|| format!("cannot open {name}"))?;
        Box::new(BufReader::new(file))
    };
    let contents = Contents {
        side: args.side,
        ..Contents::new(args.material, numbering)
    };
    let mut writer =
        IndexWriter::<W>::create(&args.output, contents, args.force.overwrite())?.observing();
    interrupt::watch();

    let mut counts = Counts::default();
    let mut line = Vec::new();
    for number in 1u64.. {
        line.clear();
        let read = lines
            .read_until(b'\n', &mut line)
            .with_context(|| format!("cannot read {name}"))?;
        if read == 0 {
            break;
        }
        interrupt::check()?;
        let taken = std::str::from_utf8(&line)
            .map_err(|_| anyhow!("the line is not UTF-8 text: expected FEN or EPD"))
            .and_then(|text| take(args, &codec, text.trim(), &mut counts))
            .map_err(|error| anyhow!("{name}, line {number}: {error:#}"))?;
        if let Some(index) = taken {
            writer.write(&[index])?;
        }
    }
    writer.finish()?;
    report(args, &counts)
}

/// The index of a line, or `None` where it is to be skipped.
fn take<W: Word>(
    args: &Args,
    codec: &PlacementCodec<W>,
    line: &str,
    counts: &mut Counts,
) -> Result<Option<W>> {
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let fen: Fen = line.parse()?;
    let Some(position) = fitting(args, &fen.position) else {
        return other(args, &fen.position, counts).map(|()| None);
    };
    if fen.has_rights() {
        if !args.allow_rights {
            bail!(
                "the position has {}, which an index can't hold: expected - (or give --allow-rights)",
                if fen.castling {
                    "castling rights"
                } else {
                    "an en-passant square"
                }
            );
        }
        counts.with_rights += 1;
    }
    counts.turned_round += u64::from(position != fen.position);
    let index = codec.encode(&position)?;
    counts.taken += 1;
    Ok(Some(index))
}

/// The position, or with `--swap-colours` its twin, whichever has the material and side asked for.
fn fitting(args: &Args, position: &Position) -> Option<Position> {
    let fits = |p: &Position| {
        p.material() == Ok(args.material) && args.side.is_none_or(|side| p.side == side)
    };
    let twin = args.swap_colours.then(|| position.swap_colors());
    [Some(*position), twin].into_iter().flatten().find(fits)
}

/// Counts a position that does not fit, or says why it does not.
fn other(args: &Args, position: &Position, counts: &mut Counts) -> Result<()> {
    let found = position.material()?;
    let is_material =
        found == args.material || args.swap_colours && found.swap_colors() == args.material;
    if args.skip_other {
        if is_material {
            counts.other_side += 1;
        } else {
            counts.other_material += 1;
        }
        return Ok(());
    }
    if let (true, Some(side)) = (is_material, args.side) {
        bail!("the side to move does not fit: expected {side}");
    }
    if found.swap_colors() == args.material {
        bail!(
            "the material is {found}: expected {} (give --swap-colours to turn it round)",
            args.material
        );
    }
    bail!("the material is {found}: expected {}", args.material);
}

fn report(args: &Args, counts: &Counts) -> Result<()> {
    if args.json.json {
        return print_json(&json!({
            "material": args.material.to_string(),
            "count": counts.taken,
            "turned_round": counts.turned_round,
            "with_rights": counts.with_rights,
            "skipped": counts.other_material + counts.other_side,
            "skipped_other_material": counts.other_material,
            "skipped_other_side": counts.other_side,
        }));
    }
    let mut text = format!(
        "wrote {} indices to {}\n",
        grouped(counts.taken.into()),
        args.output.display()
    );
    for (count, what) in [
        (counts.turned_round, "turned round"),
        (
            counts.with_rights,
            "whose castling rights or en-passant square were dropped",
        ),
        (counts.other_material, "of other material skipped"),
        (counts.other_side, "of the other side to move skipped"),
    ] {
        if count > 0 {
            text += &format!("  {} {what}\n", grouped(count.into()));
        }
    }
    print(&text)
}
