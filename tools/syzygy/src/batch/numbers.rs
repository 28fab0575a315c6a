//! The numbers that files have for many positions of a material.

use super::cache::Shared;
use super::endgame::Endgame;
use super::placed::Placed;
use super::sources::Sources;
use crate::error::Error;
use crate::file::{SubTable, TableFile};

/// The most positions that are looked up together: their numbers take these bits beside a place.
pub(super) const MOST_TOGETHER: usize = 1 << ROW_BITS;
const ROW_BITS: u32 = 19;

/// As few positions are not worth sorting.
const ONE_BY_ONE: usize = 3;

/// The fault of a row that is no legal position as its table sees it.
const NOWHERE: Error = Error::Illegal("it has no place in its table");

/// The place of a position, and above it the number of its sub-table.
type TablePlace = u64;
const TABLE_SHIFT: u32 = 60;

/// The numbers of positions, and where they were found.
pub(super) struct Numbers {
    /// The number of each position, or [`FAILED`](super::failures::FAILED) with the number of the reason.
    pub(super) all: Vec<u16>,
    /// The place of each, where sub-tables may be decoded.
    places: Vec<TablePlace>,
    decoded: [Option<Shared>; 8],
}

/// The place of a position in its sub-table.
#[inline]
fn place(sub_table: &SubTable, placed: Placed) -> Option<u64> {
    let numbering = sub_table.numbering();
    let place = numbering.index_of_position(placed.0);
    (place < numbering.len()).then_some(place)
}

impl Sources<'_> {
    /// Looks up the numbers of up to [`MOST_TOGETHER`] positions, whose sides the file has.
    pub(super) fn numbers(self, file: &TableFile, endgame: &Endgame, rows: &[Placed]) -> Numbers {
        if self.cache.is_none() && rows.len() <= ONE_BY_ONE {
            let one = |&placed: &Placed| {
                let sub_table = file.sub_table(endgame.sub_table(placed)).ok_or(NOWHERE)?;
                file.value(sub_table, place(sub_table, placed).ok_or(NOWHERE)?)
            };
            let numbers = (rows.iter()).map(|placed| self.or_failed(one(placed)));
            return Numbers::undecoded(numbers.collect());
        }
        let sub_tables: [_; 8] = std::array::from_fn(|number| file.sub_table(number));
        let mut counts = [0u64; 8];
        let mut nowhere = Vec::new();
        let mut places = Vec::with_capacity(rows.len());
        places.extend(rows.iter().enumerate().map(|(row, &placed)| {
            let number = endgame.sub_table(placed);
            counts[number] += 1;
            let place = sub_tables[number].and_then(|sub_table| place(sub_table, placed));
            let place = place.unwrap_or_else(|| {
                nowhere.push(row);
                0
            });
            place | (number as u64) << TABLE_SHIFT
        }));
        let decoded: [Option<Shared>; 8] = std::array::from_fn(|number| {
            let wanted = Some(counts[number]).filter(|&count| count > 0)?;
            let key = (file.material(), file.kind(), number);
            (self.cache?).decoded(key, file, sub_tables[number]?, wanted)
        });
        let direct = decoded.each_ref().map(|shared| shared.as_ref()?.get());
        let mut in_blocks: [Vec<u64>; 8] = Default::default();
        let mut all = Vec::with_capacity(rows.len());
        all.extend(places.iter().enumerate().map(|(row, &place)| {
            let (number, place) = split(place);
            match direct[number] {
                Some(decoded) => decoded.get(place as usize),
                None => {
                    in_blocks[number].push(place << ROW_BITS | row as u64);
                    0
                }
            }
        }));
        for (sub_table, mut wanted) in sub_tables.into_iter().zip(in_blocks) {
            let Some(sub_table) = sub_table.filter(|_| !wanted.is_empty()) else {
                continue;
            };
            wanted.sort_unstable();
            let place = |wanted| wanted >> ROW_BITS;
            file.values_of(sub_table, &wanted, place, |wanted, value| {
                let row = wanted & ((1 << ROW_BITS) - 1);
                all[row as usize] = self.or_failed(value);
            });
        }
        for row in nowhere {
            all[row] = self.or_failed(Err(NOWHERE));
        }
        Numbers {
            all,
            places,
            decoded,
        }
    }
}

impl Numbers {
    /// Numbers that are not of decoded sub-tables.
    pub(super) fn undecoded(all: Vec<u16>) -> Numbers {
        Numbers {
            all,
            places: Vec::new(),
            decoded: Default::default(),
        }
    }

    /// Replaces the number of a position for all later look-ups, if its sub-table is decoded.
    #[inline]
    pub(super) fn remember(&self, row: usize, number: u8) {
        if let Some((table, place)) = self.places.get(row).copied().map(split)
            && let Some(shared) = &self.decoded[table]
            && let Some(decoded) = shared.get()
        {
            decoded.set(place as usize, number);
        }
    }
}

const fn split(place: TablePlace) -> (usize, u64) {
    let number = place >> TABLE_SHIFT;
    (number as usize, place ^ number << TABLE_SHIFT)
}
