//! `tbindex decode`: prints an index file as FEN lines.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use tbindex::batch::Backend;
use tbindex::store::{Header, IndexFile, IndexReader, StoredWord};
use tbindex::{Color, PlacementCodec, PlacementError};

use super::args::NoMapArg;
use super::files;
use super::output::standard;

/// Print the positions of an index file as FEN lines, in their order
///
/// `encode` reads these lines back to the same file, but for the order of like pieces: a FEN can't say
/// which of them is which, and `encode` gives them the order of a canonical index. It refuses pawns on the
/// first or last rank, where `transform` and `index` may have put them.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbindex decode KQvKR-w.tbi | head")]
pub(crate) struct Args {
    /// The index file
    file: PathBuf,
    /// The side to move that is printed if the file does not record one (default: white)
    #[arg(long)]
    side: Option<Color>,
    /// Skip and count placements with two pieces on one square, which no FEN can show
    #[arg(long)]
    skip_shared: bool,
    #[command(flatten)]
    no_map: NoMapArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let file = args.no_map.open(&args.file, Backend::detect())?;
    match &file {
        IndexFile::U32(reader) => decode(args, file.header(), reader),
        IndexFile::U64(reader) => decode(args, file.header(), reader),
    }
}

fn decode<W: StoredWord>(args: &Args, header: &Header, reader: &IndexReader<W>) -> Result<()> {
    let codec = PlacementCodec::<W>::try_new(header.contents.material, header.contents.numbering)?;
    let side = files::side(&args.file, header.contents.side, args.side)?.unwrap_or_else(|| {
        note!(
            "{} records no side to move: printing white's",
            args.file.display()
        );
        Color::White
    });
    let mut out = standard();
    let (mut shared, mut unsorted) = (0u64, 0u64);
    for (k, index) in (0u64..).zip(reader.iter()) {
        let index = index?;
        match codec.decode(index, side) {
            Ok(position) => {
                unsorted += u64::from(codec.equivalence().sort_like(index) != index);
                writeln!(out, "{position}")?;
            }
            Err(PlacementError::SharedSquare { .. }) if args.skip_shared => shared += 1,
            Err(error) => {
                out.flush()?;
                return Err(error).with_context(|| {
                    format!("{}, index number {k} ({index:#o})", args.file.display())
                });
            }
        }
    }
    out.flush()?;
    match shared {
        0 => {}
        1 => note!("1 placement with two pieces on one square skipped"),
        _ => note!("{shared} placements with two pieces on one square skipped"),
    }
    const ORDER: &str = "like pieces in another order than encode gives them";
    match unsorted {
        0 => {}
        1 => note!("1 placement has {ORDER}"),
        _ => note!("{unsorted} placements have {ORDER}"),
    }
    Ok(())
}
