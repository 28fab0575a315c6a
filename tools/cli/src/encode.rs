//! `tbindex encode`: writes FEN or EPD lines as an index file.

use std::fs::File;
use std::io::{Read, stdin};
use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::json;
use tbindex::batch::Backend;
use tbindex::store::{Contents, FileWord, IndexWriter, StoredWord, Target};
use tbindex::{Color, Fen, Material, MaterialError, PlacementCodec, Position, Rights, Word};

use super::args::{ForceArg, JsonArg, NumberingArg, output_path, usage};
use super::output::{grouped, note_written, print_json};
use super::{files, interrupt, lines};

/// Read FEN or EPD lines and write the index of each, in their order
///
/// Blank lines and comments (`#`) are skipped, and EPD operations are not read. A line is an error if it is
/// broken, if it has other material or the other side to move, or if it has a castling right or an
/// en-passant square that can be, unless an option below allows it. The error names the file and the line.
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
    #[arg(short, long, value_name = "OUT", value_parser = output_path())]
    output: PathBuf,
    /// Take only positions with this side to move, white or black; the file records the side
    #[arg(long)]
    side: Option<Color>,
    /// Skip and count positions with other material or with the other side to move
    #[arg(long)]
    skip_other: bool,
    /// How to treat castling rights and en-passant squares, which an index can't hold: keep those that can be, which is an
    /// error, and drop the others; drop all; or refuse all
    #[arg(long, value_name = "WAY", default_value_t = Rights::Keep)]
    rights: Rights,
    /// Take positions that fit once their colours are exchanged, and exchange them
    #[arg(long, alias = "swap-colours")]
    swap_colors: bool,
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
    of_side: [u64; 2],
    with_rights: u64,
    other_material: u64,
    other_side: u64,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    match files::word(args.material)? {
        FileWord::U32 => encode::<u32>(args),
        FileWord::U64 => encode::<u64>(args),
    }
}

fn encode<W: StoredWord>(args: &Args) -> Result<()> {
    let numbering = args.numbering.numbering;
    let codec = PlacementCodec::<W>::try_new(args.material, numbering)?;
    let (name, input): (String, Box<dyn Read + Send>) = match args.file.as_os_str() == "-" {
        true => ("standard input".to_owned(), Box::new(stdin())),
        false => {
            let name = args.file.display().to_string();
            let file = File::open(&args.file).with_context(|| format!("cannot open {name}"))?;
            if same_file::is_same_file(&args.file, &args.output).unwrap_or(false) {
                return Err(usage(format!(
                    "{name} is both the input and the file to write"
                )));
            }
            (name, Box::new(file))
        }
    };
    let contents = Contents {
        side: args.side,
        ..Contents::new(args.material, numbering)
    };
    let target = Target::plain(&args.output, args.force.overwrite());
    let mut writer = IndexWriter::<W>::create(&target, contents, Backend::detect())?.observing();
    interrupt::watch();

    let mut counts = Counts::default();
    let mut number = 0u64;
    let mut each = |line: &[u8]| {
        number += 1;
        let line = String::from_utf8_lossy(line);
        let taken = take(args, &codec, line.trim(), &mut counts)
            .map_err(|error| anyhow!("{name}, line {number}: {error:#}"))?;
        if let Some(index) = taken {
            writer.write(&[index])?;
        }
        Ok(())
    };
    lines::for_each(&name, input, &mut each)?;
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
    let had_rights = !fen.castling.is_empty() || fen.en_passant.is_some();
    let fen = fen.with_rights(args.rights)?;
    let Some(position) = fitting(args, &fen.position) else {
        return other(args, &fen.position, counts).map(|()| None);
    };
    if !fen.castling.is_empty() || fen.en_passant.is_some() {
        bail!(
            "the position has {}, which an index can't hold: expected - (or give --rights drop)",
            if fen.castling.is_empty() {
                "an en-passant square"
            } else {
                "castling rights"
            }
        );
    }
    counts.with_rights += u64::from(had_rights);
    counts.turned_round += u64::from(position != fen.position);
    counts.of_side[position.side as usize] += 1;
    let index = codec.encode(&position)?;
    counts.taken += 1;
    Ok(Some(index))
}

/// The position, if it has the material and the side to move that were asked for. Its colours are exchanged
/// if that is allowed and it does not fit as it is.
fn fitting(args: &Args, position: &Position) -> Option<Position> {
    let fits = |position: &Position| {
        position.material() == Ok(args.material)
            && args.side.is_none_or(|side| position.side == side)
    };
    let swapped = || args.swap_colors.then(|| position.swap_colors());
    match fits(position) {
        true => Some(*position),
        false => swapped().filter(fits),
    }
}

/// Counts a position that does not fit, or returns an error that says why it does not.
fn other(args: &Args, position: &Position, counts: &mut Counts) -> Result<()> {
    let found = match position.material() {
        // More pieces than any index holds count as other material, too; a missing king makes a broken
        // line.
        Err(MaterialError::TooManyPieces { .. }) if args.skip_other => {
            counts.other_material += 1;
            return Ok(());
        }
        found => found?,
    };
    let is_material =
        found == args.material || args.swap_colors && found.swap_colors() == args.material;
    if args.skip_other {
        if is_material {
            counts.other_side += 1;
        } else {
            counts.other_material += 1;
        }
        return Ok(());
    }
    if let (true, Some(side)) = (is_material, args.side) {
        let hint = match args.material.swap_colors() == args.material {
            true => " (give --swap-colors to turn it round)",
            false => "",
        };
        bail!("the side to move does not fit: expected {side}{hint}");
    }
    if found.swap_colors() == args.material {
        bail!(
            "the material is {found}: expected {} (give --swap-colors to turn it round)",
            args.material
        );
    }
    bail!("the material is {found}: expected {}", args.material);
}

fn report(args: &Args, counts: &Counts) -> Result<()> {
    if args.side.is_none() && counts.taken > 0 {
        let [white, black] = counts.of_side;
        note!(
            "the file records no side to move: there were {white} positions of white's and {black} \
             of black's (--side takes one side's and records it)"
        );
    }
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
    note_written(counts.taken, &args.output);
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
            note!("  {} {what}", grouped(count.into()));
        }
    }
    Ok(())
}
