//! The findings of `tbgen mine` as a file of indices, which `tbindex` reads.

use std::io;

use anyhow::Result;
use tbindex::store::{Contents, IndexWriter, Reduction, StoredWord, unwatched};
use tbindex::{Color, Numbering, PlacementCodec};

use super::{REDUCTION, Search};

/// Writes the canonical indices of the placements that a query has, of one table. The file has the side
/// to move if it is the same in all positions.
pub(super) fn write(search: &mut Search<'_>) -> Result<()> {
    match search.tables.wanted[0].material().piece_count() {
        ..=5 => write_words::<u32>(search),
        _ => write_words::<u64>(search),
    }
}

fn write_words<W: StoredWord>(search: &mut Search<'_>) -> Result<()> {
    let (args, tables) = (search.args, search.tables);
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
        search.hits(table, library, |some| {
            let indices = some.iter().map(|hit| {
                sides[hit.position.side as usize] = true;
                codec.encode(&hit.position)
            });
            let indices: Result<Vec<W>, _> = indices.collect();
            let pushed = reducer.push(Numbering::Natural, &indices.map_err(io::Error::other)?);
            Ok(pushed.map_err(io::Error::other)?)
        })?;
        Ok(())
    })?;
    let contents = Contents::new(material, Numbering::Natural).reduced();
    let contents = contents.with_side(match sides {
        [true, false] => Some(Color::White),
        [false, true] => Some(Color::Black),
        _ => None,
    });
    let mut writer = IndexWriter::create(&target, contents, args.tables.machine.backend())?;
    reducer.finish(&mut |indices| writer.write(indices), &mut unwatched)?;
    writer.finish()?;
    Ok(())
}
