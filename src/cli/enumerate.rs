//! `tbindex enumerate`: all placements of a material.

use std::path::PathBuf;

use anyhow::Result;
use indicatif::{HumanBytes, ProgressBar};
use rayon::prelude::*;
use serde_json::{Map, json};
use tbindex::store::{Contents, IndexWriter};
use tbindex::{Color, Enumeration, Material, Piece, PieceType, Stage, StageCounts, Word};

use super::args::{ForceArg, JsonArg, NumberingArg, ThreadsArg, parse_output};
use super::output::{grouped, print, print_json, progress};
use super::{files, interrupt};

/// Write all placements of a material, or the canonical ones, and count what each stage leaves
///
/// Stages, each with the ones before: `all` (squares may be shared; pawns on ranks 2-7), `distinct`
/// (no two pieces on one square), `kings-apart` (the kings are not neighbours), `legal` (the side not
/// to move is not in check). Like pieces are told apart unless `--reduce` is given.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  \
    tbindex enumerate KQvKR --stage legal --side white --reduce -o KQvKR-w.tbi")]
pub(crate) struct Args {
    /// The pieces, such as KQvKR
    material: Material,
    /// How strict: all, distinct, kings-apart or legal
    #[arg(long, default_value = "all")]
    stage: Stage,
    /// Side to move: white or black (white if the stage is legal and this is not given)
    #[arg(long)]
    side: Option<Color>,
    /// Only canonical placements: one of each class under the symmetries and the exchange of like
    /// pieces
    #[arg(long)]
    reduce: bool,
    /// The file to write; without it the placements are only counted
    #[arg(short, long, value_name = "OUT", value_parser = parse_output)]
    output: Option<PathBuf>,
    #[command(flatten)]
    numbering: NumberingArg,
    #[command(flatten)]
    threads: ThreadsArg,
    #[command(flatten)]
    force: ForceArg,
    #[command(flatten)]
    json: JsonArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    match files::word_bits(&args.material)? {
        32 => enumerate::<u32>(args),
        _ => enumerate::<u64>(args),
    }
}

fn enumerate<W: Word>(args: &Args) -> Result<()> {
    let numbering = args.numbering.numbering;
    let side = match args.stage {
        Stage::Legal => Some(args.side.unwrap_or(Color::White)),
        _ => args.side,
    };
    let mut all = Enumeration::<W>::try_new(&args.material, numbering)?
        .stage(args.stage, side.unwrap_or(Color::White));
    if args.reduce {
        all = all.canonical_only();
    }
    let pool = args.threads.pool()?;
    let at_once = 2 * pool.current_num_threads() as u64;
    announce::<W>(args, at_once.min(all.chunk_count()));

    let mut writer = match &args.output {
        None => None,
        Some(path) => Some(IndexWriter::<W>::create(
            path,
            Contents {
                side,
                canonical: args.reduce,
                sorted: true,
                distinct: true,
                ..Contents::new(args.material, numbering)
            },
            args.force.overwrite(),
        )?),
    };
    interrupt::watch();
    let bar = progress(all.chunk_count(), "chunks");
    let counts = pool.install(|| walk(&all, at_once, &bar, writer.as_mut()))?;
    bar.finish_and_clear();
    if let Some(writer) = writer {
        writer.finish()?;
    }
    report(args, side, counts)
}

/// Goes through all chunks, some at once, and writes them in their order.
fn walk<W: Word>(
    all: &Enumeration<W>,
    at_once: u64,
    bar: &ProgressBar,
    mut writer: Option<&mut IndexWriter<W>>,
) -> Result<StageCounts> {
    let mut total = StageCounts::default();
    let mut next = 0;
    while next < all.chunk_count() {
        interrupt::check()?;
        let end = all.chunk_count().min(next + at_once);
        let made: Vec<(Vec<W>, StageCounts)> = (next..end)
            .into_par_iter()
            .map(|chunk| {
                let mut indices = Vec::new();
                let counts = all.chunk(chunk, &mut indices);
                (indices, counts)
            })
            .collect();
        for (indices, counts) in made {
            total += counts;
            if let Some(writer) = &mut writer {
                writer.write(&indices)?;
            }
        }
        bar.inc(end - next);
        next = end;
    }
    Ok(total)
}

/// 64ⁿ, or 48 squares for each pawn.
fn raw_placements(material: &Material) -> u128 {
    let squares = |piece: Piece| match piece.kind {
        PieceType::Pawn => 48,
        _ => 64,
    };
    material.name_order().map(squares).product()
}

/// What the work will take, on standard error, before it starts.
fn announce<W: Word>(args: &Args, chunks_at_once: u64) {
    let bytes = u128::from(W::BITS / 8);
    let most = raw_placements(&args.material);
    let classes = if args.reduce {
        most.div_ceil(u128::from(args.material.group().order()))
    } else {
        most
    };
    let memory = u128::from(chunks_at_once << 21) * bytes;
    let memory = memory.min(classes * bytes) + (32 << 20);
    let human = |bytes: u128| HumanBytes(u64::try_from(bytes).unwrap_or(u64::MAX)).to_string();
    let disk = match args.output {
        // A position on a diagonal has fewer images, so there is a little more than an eighth.
        Some(_) => format!("at most about {} of disk", human(classes * bytes)),
        None => "no disk".to_owned(),
    };
    eprintln!("needs at most {} of memory and {disk}", human(memory));
}

fn report(args: &Args, side: Option<Color>, counts: StageCounts) -> Result<()> {
    let stages = Stage::ALL.into_iter().filter(|&s| s <= args.stage);
    let count = counts.get(args.stage);
    if args.json.json {
        let mut object = Map::new();
        object.insert("material".into(), json!(args.material.to_string()));
        object.insert("numbering".into(), json!(args.numbering.numbering.name()));
        object.insert("side".into(), json!(side.map(Color::name)));
        object.insert("reduced".into(), json!(args.reduce));
        for stage in stages {
            object.insert(
                stage.name().into(),
                json!(files::json_count(counts.get(stage))),
            );
        }
        object.insert("count".into(), json!(files::json_count(count)));
        return print_json(&object.into());
    }
    let mut text = format!(
        "{}: {} placements{}\n",
        args.material,
        grouped(raw_placements(&args.material)),
        if args.reduce {
            ", of these canonical:"
        } else {
            ""
        }
    );
    for stage in stages {
        let name = match (stage, side) {
            (Stage::Legal, Some(side)) => format!("legal, {side} to move"),
            _ => stage.name().replace('_', " "),
        };
        text += &format!("  {name:<22} {:>16}\n", grouped(counts.get(stage)));
    }
    if let Some(path) = &args.output {
        text += &format!("wrote {} indices to {}\n", grouped(count), path.display());
    }
    print(&text)
}
