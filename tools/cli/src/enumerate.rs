//! `tbindex enumerate`: writes or counts all placements of a material.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use indicatif::{HumanBytes, HumanDuration};
use serde_json::json;
use tbindex::store::{self, Contents, FileWord, IndexWriter, StoredWord};
use tbindex::{
    Color, Compact, Diagonal, Enumeration, LikePieces, Material, Piece, PieceType, Rules, Stage,
    StageCounts, Word,
};

use super::args::{CompressArg, ForceArg, JsonArg, MachineArgs, NumberingArg, output_path};
use super::files;
use super::output::{grouped, note_written, print, print_json};

/// Write all placements of a material, or the canonical ones, and count what each stage leaves
///
/// The stages are `all` (squares may be shared; pawns are on ranks 2-7), `distinct` (no two pieces are on
/// one square), `kings-apart` (the kings are not neighbours) and `legal` (the side not to move is not in
/// check). Each stage includes the conditions of those before it. Like pieces are told apart unless
/// `--reduce` is given.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  \
    tbindex enumerate KQvKR --stage legal --side white --reduce -o KQvKR-w.tbi")]
pub(crate) struct Args {
    /// The pieces, such as KQvKR
    material: Material,
    /// The stage: all, distinct, kings-apart or legal
    #[arg(long, default_value = "all")]
    stage: Stage,
    /// The side to move, white or black; if the stage is legal, white by default
    #[arg(long)]
    side: Option<Color>,
    /// Take only canonical placements, one of each class under the symmetries and the exchange of like
    /// pieces
    #[arg(long)]
    reduce: bool,
    /// The file to write; without one the placements are only counted
    #[arg(short, long, value_name = "OUT", value_parser = output_path())]
    output: Option<PathBuf>,
    #[command(flatten)]
    compress: CompressArg,
    #[command(flatten)]
    numbering: NumberingArg,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    force: ForceArg,
    #[command(flatten)]
    json: JsonArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    match files::word(args.material)? {
        FileWord::U32 => enumerate::<u32>(args),
        FileWord::U64 => enumerate::<u64>(args),
    }
}

fn enumerate<W: StoredWord>(args: &Args) -> Result<()> {
    let numbering = args.numbering.numbering;
    let side = match args.stage {
        Stage::Legal => Some(args.side.unwrap_or(Color::White)),
        _ => args.side,
    };
    let mut all = Enumeration::<W>::try_new(args.material, numbering)?
        .stage(args.stage, side.unwrap_or(Color::White));
    if args.reduce {
        all = all.canonical_only();
    }
    let threads = args.machine.count();
    let most = most_placements(args);
    announce::<W>(args, most, all.chunk_count().min(4 * threads as u64));

    let mut writer = match &args.output {
        None => None,
        Some(path) => {
            let contents = Contents {
                side,
                canonical: args.reduce,
                sorted: true,
                distinct: true,
                ..Contents::new(args.material, numbering)
            };
            let target = args.compress.target(path, &args.force);
            let writer = IndexWriter::<W>::create(&target, contents, args.machine.backend())?;
            writer.check_space(most)?;
            Some(writer)
        }
    };
    let mut take = |indices: &[W]| match &mut writer {
        None => Ok(()),
        Some(writer) => writer.write(indices),
    };
    let counts = files::watched(|watch| store::enumerate(&all, &mut take, threads, watch))?;
    if let Some(writer) = writer {
        writer.finish()?;
    }
    report(args, side, counts)
}

/// The product of 48 squares for each pawn and 64 for each other piece.
fn raw_placements(material: Material) -> u128 {
    let squares = |piece: Piece| match piece.kind {
        PieceType::Pawn => 48,
        _ => 64,
    };
    material.name_order().map(squares).product()
}

/// The number of placements, exactly or nearly, or an upper bound.
fn most_placements(args: &Args) -> u128 {
    let material = &args.material;
    let raw = raw_placements(*material);
    // Nearly every class has so many placements.
    let orders = |set: &u32| (1..=u128::from(set.count_ones())).product::<u128>();
    let images = u128::from(material.group().members().len() as u32)
        * LikePieces::from(*material)
            .sets()
            .iter()
            .map(orders)
            .product::<u128>();
    match (args.stage, args.reduce) {
        (Stage::All | Stage::Distinct, false) => raw,
        (Stage::All | Stage::Distinct, true) => raw.div_ceil(images),
        (Stage::KingsApart | Stage::Legal, true) => {
            Compact::<u128>::slots(*material, Rules::KingsApart, Diagonal::Exact)
        }
        (Stage::KingsApart | Stage::Legal, false) => {
            Compact::<u128>::slots(*material, Rules::KingsApart, Diagonal::Exact) * images
        }
    }
}

/// Prints on standard error how much memory and disk the work will take, and how long if that is long, before it starts.
fn announce<W: Word>(args: &Args, most: u128, chunks_at_once: u64) {
    let bytes = u128::from(W::BITS / 8);
    let memory = (u128::from(chunks_at_once << 21) * bytes).min(most * bytes) + (32 << 20);
    let human = |bytes: u128| HumanBytes(u64::try_from(bytes).unwrap_or(u64::MAX)).to_string();
    let disk = match args.output {
        Some(_) => format!("at most about {} of disk", human(most * bytes)),
        None => "no disk".to_owned(),
    };
    let mut text = format!("needs at most {} of memory and {disk}", human(memory));
    // Measured for one thread on a Xeon (Emerald Rapids), and rounded up.
    let each = if args.reduce { 15e-9 } else { 8e-9 };
    let seconds = most as f64 * each / args.machine.count() as f64;
    if seconds > 60.0 {
        let time = HumanDuration(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
        text += &format!(", and roughly {time} of time");
    }
    note!("{text}");
}

fn report(args: &Args, side: Option<Color>, counts: StageCounts) -> Result<()> {
    let stages = Stage::ALL.into_iter().filter(|&s| s <= args.stage);
    let count = counts[args.stage];
    if args.json.json {
        let mut object = json!({
            "material": args.material.to_string(),
            "numbering": args.numbering.numbering.to_string(),
            "side": side.map(|side| side.to_string()),
            "reduced": args.reduce,
        });
        for stage in stages {
            object[stage.to_string()] = files::json_count(counts[stage]);
        }
        object["count"] = files::json_count(count);
        object["peak_memory"] = json!(files::peak_memory());
        return print_json(&object);
    }
    let mut text = format!(
        "{}: {} placements{}\n",
        args.material,
        grouped(raw_placements(args.material)),
        if args.reduce {
            ", of these canonical:"
        } else {
            ""
        }
    );
    for stage in stages {
        let name = match (stage, side) {
            (Stage::Legal, Some(side)) => format!("legal, {side} to move"),
            _ => stage.to_string().replace('_', " "),
        };
        text += &format!("  {name:<22} {:>16}\n", grouped(counts[stage]));
    }
    print(&text)?;
    if let Some(path) = &args.output {
        note_written(count, path);
    }
    Ok(())
}
