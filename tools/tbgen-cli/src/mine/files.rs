//! What `tbgen mine` found as files for other programs: indices, and tables of Parquet.

use std::io;

use anyhow::Result;
use tbgen::Listed;
use tbindex::batch::BatchWord;
use tbindex::store::{Contents, IndexWriter, Reduction, unwatched};
use tbindex::{Color, Numbering, PlacementCodec};

use super::{REDUCTION, Search, Whole};
use crate::parquet::{Create, NewTable};

/// The rows of a group of a table of Parquet.
const ROWS: usize = 1 << 16;

/// Writes the canonical indices of the placements that a query has, of one table. The file has the side
/// to move if it is the same in all positions.
pub(super) fn write_indices(search: &mut Search<'_>, tables: &Whole<'_>) -> Result<()> {
    match tables.wanted[0].material().piece_count() {
        ..=5 => write_words::<u32>(search, tables),
        _ => write_words::<u64>(search, tables),
    }
}

fn write_words<W: BatchWord>(search: &mut Search<'_>, tables: &Whole<'_>) -> Result<()> {
    let args = search.args;
    let target = args.output.target()?;
    let material = tables.wanted[0].material();
    let codec = PlacementCodec::<W>::try_new(material, Numbering::Natural)?;
    let reduction = Reduction {
        memory: REDUCTION,
        ..Reduction::default()
    };
    let mut reducer = reduction.reducer(codec.equivalence().clone(), None)?;
    let mut sides = [false; 2];
    tables.each(|table, library| {
        search.some_hits(table, library, |some| {
            let indices = some.iter().map(|hit| {
                sides[hit.position.side as usize] = true;
                codec.encode(&hit.position)
            });
            let indices: Result<Vec<W>, _> = indices.collect();
            let pushed = reducer.push(Numbering::Natural, &indices.map_err(io::Error::other)?);
            Ok(pushed.map_err(io::Error::other)?)
        })
    })?;
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

pub(super) fn write_parquet(
    create: Create,
    search: &mut Search<'_>,
    tables: &Whole<'_>,
) -> Result<()> {
    let mut output = search.args.output.open()?;
    let texts = ["fen", "material", "best"];
    let mut written = create(&mut output, &texts, &["outcome", "plies"])?;
    tables.each(|table, library| {
        let material = table.material().to_string();
        let mut some: Vec<Listed> = Vec::new();
        search.listed(table, library, |listed| {
            some.push(listed);
            if some.len() == ROWS {
                write_rows(&mut *written, &material, &some)?;
                some.clear();
            }
            Ok(())
        })?;
        write_rows(&mut *written, &material, &some)?;
        Ok::<_, tbgen::SolveError>(())
    })?;
    written.finish()?;
    output.finish()
}

/// Writes a group of rows.
fn write_rows(table: &mut dyn NewTable, material: &str, some: &[Listed]) -> io::Result<()> {
    if some.is_empty() {
        return Ok(());
    }
    let written = table.write(
        some.len(),
        &[
            &|row| some[row].position.fen(),
            &|_| material.to_owned(),
            &|row| some[row].best.join(" "),
        ],
        &[&|row| Some(some[row].value.outcome as i32), &|row| {
            Some(some[row].value.plies.into())
        }],
    );
    written.map_err(io::Error::other)
}
