//! What `tbgen mine` found as files for other programs: indices, and tables of Parquet.

use std::io;

use anyhow::Result;
use tbgen::SolveError;
use tbindex::store::{Contents, IndexWriter, Reduction, unwatched};
use tbindex::{Color, Numbering, PlacementCodec};

use super::{Args, Search, Whole};

/// Writes the canonical indices of the placements that a query has, of one table of up to five pieces. The file has the side
/// to move if it is the same in all positions.
pub(super) fn write_indices(
    args: &Args,
    search: &mut Search<'_>,
    tables: &Whole<'_>,
) -> Result<()> {
    let target = args.output.target()?;
    let material = tables.wanted[0].material();
    let codec = PlacementCodec::<u32>::try_new(material, Numbering::Natural)?;
    let (mut indices, mut sides) = (Vec::new(), [false; 2]);
    tables.each(|table, library| {
        for hit in search.hits(table, library)?.1 {
            indices.push(codec.encode(&hit.position).map_err(io::Error::other)?);
            sides[hit.position.side as usize] = true;
        }
        Ok::<_, SolveError>(())
    })?;
    let contents = Contents::new(material, Numbering::Natural).reduced();
    let contents = contents.with_side(match sides {
        [true, false] => Some(Color::White),
        [false, true] => Some(Color::Black),
        _ => None,
    });
    let mut writer = IndexWriter::create(&target, contents, args.tables.machine.backend())?;
    let count = Some(indices.len() as u64);
    let mut reducer = Reduction::default().reducer(codec.equivalence().clone(), count)?;
    reducer.push(Numbering::Natural, &indices)?;
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
    use crate::cli::parquet::{MOST_ROWS, NewTable, Values};
    let mut output = args.output.open()?;
    let texts = ["fen", "material", "best"];
    let mut written = NewTable::new(&mut output, &texts, &["outcome", "plies"])?;
    tables.each(|table, library| {
        let material = table.material().to_string();
        let listed = search.listed(table, library)?;
        for listed in listed.chunks(MOST_ROWS) {
            let text = |of: &dyn Fn(&tbgen::Listed) -> String| {
                Values::Texts(listed.iter().map(|l| of(l).into_bytes().into()).collect())
            };
            let number = |of: &dyn Fn(&tbgen::Listed) -> i32| {
                Values::Numbers(listed.iter().map(|l| Some(of(l))).collect())
            };
            let columns = [
                text(&|listed| listed.position.fen()),
                text(&|_| material.clone()),
                text(&|listed| listed.best.join(" ")),
                number(&|listed| listed.value.outcome as i32),
                number(&|listed| listed.value.plies.into()),
            ];
            written.write(&columns).map_err(io::Error::other)?;
        }
        Ok::<_, SolveError>(())
    })?;
    written.finish()?;
    output.finish()
}

#[cfg(not(feature = "parquet"))]
pub(super) fn write_parquet(_: &Args, _: &mut Search<'_>, _: &Whole<'_>) -> Result<()> {
    anyhow::bail!(crate::cli::NO_PARQUET)
}
