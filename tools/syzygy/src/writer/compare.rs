//! Files beside the values that a generator has.

use cozy_chess::Color;
use rayon::prelude::*;

use super::CHUNK;
use super::source::{DtzEntry, Source, WdlEntry, of_numbers};
use crate::error::Error;
use crate::file::{SubTable, TableFile};
use crate::kind::Kind;
use crate::numbering::PackedSquares;

/// Compares the number at every place of a file with what a source says of its position, on the threads of the current
/// rayon pool. Calls a function with the side to move of each position whose number is none that the source allows, from
/// several threads; with the first error that it returns the comparison ends. Returns the number of places.
///
/// A source says what *its* writer leaves open. So a number of another writer's file that differs need not be wrong: probers may
/// find a capture before they look at it.
///
/// # Errors
/// If the file is damaged, or the function returns an error.
///
/// # Panics
/// If the source has another material.
pub fn compare<E: From<Error> + Send>(
    file: &TableFile,
    source: &dyn Source,
    differs: impl Fn(Color, PackedSquares) -> Result<(), E> + Sync,
) -> Result<u64, E> {
    assert_eq!(file.material(), source.material(), "the file's material");
    let mut places = 0;
    for sub_table in file.sub_tables() {
        let (side, numbering) = (sub_table.side(), sub_table.numbering());
        let values = file.decode(sub_table)?;
        let most = values.par_iter().copied().max().unwrap_or(0);
        let allowed = match file.kind() {
            Kind::Wdl => allowed_wdl(source, side, most),
            Kind::Dtz => allowed_dtz(file, sub_table, source, most),
        };
        let mut numbers = vec![0; values.len()];
        source.read(file.kind(), side, numbering, 0, &mut numbers);
        let width = usize::from(most) + 1;
        (values.par_chunks(CHUNK).zip(numbers.par_chunks(CHUNK)))
            .enumerate()
            .try_for_each(|(k, (values, numbers))| {
                let first = (k * CHUNK) as u64;
                let pairs = numbers.iter().zip(values);
                let wrong = pairs.enumerate().filter(|(_, (number, value))| {
                    !allowed[usize::from(**number) * width + usize::from(**value)]
                });
                wrong
                    .map(|(at, _)| first + at as u64)
                    .try_for_each(|place| {
                        let position = numbering.positions(place).next().expect("a place");
                        differs(side, position)
                    })
            })?;
        places += values.len() as u64;
    }
    Ok(places)
}

/// For each number of an entry whether it allows the values from 0 to the greatest.
fn allowed_wdl(source: &dyn Source, side: Color, most: u16) -> Vec<bool> {
    let entries = of_numbers(source.outcomes(side), WdlEntry::ANY);
    let allows = |entry: WdlEntry| (0..=most).map(move |value| entry.allows(value as u8));
    entries.into_iter().flat_map(allows).collect()
}

fn allowed_dtz(
    file: &TableFile,
    sub_table: &SubTable,
    source: &dyn Source,
    most: u16,
) -> Vec<bool> {
    let entries = of_numbers(source.distances(sub_table.side()), DtzEntry::ANY);
    let allows = |entry: DtzEntry, value: u16| {
        let Some((class, plies)) = entry.distance() else {
            return true;
        };
        // A checkmate is written as a loss in one ply, and what is rounded may be one more.
        let plies = u32::from(plies).max(1);
        let found = file.distance(sub_table, class, value);
        found.is_ok_and(|found| found == plies || !sub_table.is_exact(class) && found + 1 == plies)
    };
    let all = entries.into_iter();
    all.flat_map(|entry| (0..=most).map(move |value| allows(entry, value)))
        .collect()
}
