//! What `tbgen mine` found as files for other programs: indices, and tables of Parquet.

use std::io;

use anyhow::Result;
#[cfg(feature = "parquet")]
use tbgen::Listed;
use tbgen::SolveError;
use tbindex::batch::BatchWord;
use tbindex::store::{Contents, IndexWriter, Reduction, unwatched};
use tbindex::{Color, Numbering, PlacementCodec};

use super::{Args, REDUCTION, Search, Whole};

/// The rows of a group of a table of Parquet.
#[cfg(feature = "parquet")]
const ROWS: usize = 1 << 16;

/// Writes the canonical indices of the placements that a query has, of one table. The file has the side
/// to move if it is the same in all positions.
pub(super) fn write_indices(
    args: &Args,
    search: &mut Search<'_>,
    tables: &Whole<'_>,
) -> Result<()> {
    match tables.wanted[0].material().piece_count() {
        ..=5 => write_words::<u32>(args, search, tables),
        _ => write_words::<u64>(args, search, tables),
    }
}

fn write_words<W: BatchWord>(
    args: &Args,
    search: &mut Search<'_>,
    tables: &Whole<'_>,
) -> Result<()> {
    let target = args.output.target()?;
    let material = tables.wanted[0].material();
    let codec = PlacementCodec::<W>::try_new(material, Numbering::Natural)?;
    let reduction = Reduction {
        memory: REDUCTION,
        ..Reduction::default()
    };
    let mut reducer = reduction.reducer(codec.equivalence().clone(), None)?;
    let (mut indices, mut sides) = (Vec::new(), [false; 2]);
    tables.each(|table, library| {
        search.hits(table, library, |hit| {
            indices.push(codec.encode(&hit.position).map_err(io::Error::other)?);
            sides[hit.position.side as usize] = true;
            if indices.len() == 1 << 16 {
                reducer
                    .push(Numbering::Natural, &indices)
                    .map_err(io::Error::other)?;
                indices.clear();
            }
            Ok(())
        })?;
        Ok::<_, SolveError>(())
    })?;
    reducer.push(Numbering::Natural, &indices)?;
    let contents = Contents::new(material, Numbering::Natural).reduced();
    let contents = contents.with_side(match sides {
        [true, false] => Some(Color::White),
        [false, true] => Some(Color::Black),
        _ => None,
    });
    let mut writer = IndexWriter::create(&target, contents, args.tables.machine.backend())?;
    reducer.finish(|indices| writer.write(indices), unwatched)?;
    writer.finish()?;
    Ok(())
}

#[cfg(feature = "parquet")]
pub(super) fn write_parquet(
    args: &Args,
    search: &mut Search<'_>,
    tables: &Whole<'_>,
) -> Result<()> {
    use crate::cli::parquet::NewTable;
    let mut output = args.output.open()?;
    let texts = ["fen", "material", "best"];
    let mut written = NewTable::new(&mut output, &texts, &["outcome", "plies"])?;
    tables.each(|table, library| {
        let material = table.material().to_string();
        let mut some: Vec<Listed> = Vec::new();
        search.listed(table, library, |listed| {
            some.push(listed);
            if some.len() == ROWS {
                write_rows(&mut written, &material, &some)?;
                some.clear();
            }
            Ok(())
        })?;
        write_rows(&mut written, &material, &some)?;
        Ok::<_, SolveError>(())
    })?;
    written.finish()?;
    output.finish()
}

/// Writes a group of rows.
#[cfg(feature = "parquet")]
fn write_rows(
    table: &mut crate::cli::parquet::NewTable<'_>,
    material: &str,
    some: &[Listed],
) -> io::Result<()> {
    use crate::cli::parquet::Values;
    if some.is_empty() {
        return Ok(());
    }
    let text = |of: &dyn Fn(&Listed) -> String| {
        Values::Texts(some.iter().map(|l| of(l).into_bytes().into()).collect())
    };
    let number =
        |of: &dyn Fn(&Listed) -> i32| Values::Numbers(some.iter().map(|l| Some(of(l))).collect());
    let columns = [
        text(&|listed| listed.position.fen()),
        text(&|_| material.to_owned()),
        text(&|listed| listed.best.join(" ")),
        number(&|listed| listed.value.outcome as i32),
        number(&|listed| listed.value.plies.into()),
    ];
    table.write(&columns).map_err(io::Error::other)
}

#[cfg(not(feature = "parquet"))]
pub(super) fn write_parquet(_: &Args, _: &mut Search<'_>, _: &Whole<'_>) -> Result<()> {
    anyhow::bail!(crate::cli::NO_PARQUET)
}
