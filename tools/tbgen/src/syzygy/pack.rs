//! Tables as packed files.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use syzygy_tables::Material as SyzygyMaterial;
use syzygy_tables::coding::{AT_MOST, Encoder, Entries, OPEN, Order};
use syzygy_tables::numbering::Numbering;
use syzygy_tables::writer::{Control, Interrupted};
use tbindex::Color;
use tbindex::batch::Backend;
use tbindex::bitbase::Accumulator;
use tbindex::store::PartialFile;

use crate::chess::cozy::syzygy_material;
use crate::chess::pawns::PawnStep;
use crate::storage::packed::{PackedFile, write};
use crate::subtables::library::{Library, SolveError};
use crate::subtables::solved::Solved;
use crate::syzygy::entries::{Exported, entries_of};
use crate::syzygy::source::ExportError;
use crate::table::codes::{MOST_CODES, mate_of_code};
use crate::table::shape::Shape;
use crate::table::solved::{Part, Table};
use crate::table::transpose::codes_of;
use crate::table::value::{Metric, Value};

/// The numbers of all slots of a side to move.
struct Numbers<'a> {
    of: &'a Exported<'a>,
    all: Vec<u16>,
    count: usize,
}

impl Entries for Numbers<'_> {
    fn material(&self) -> SyzygyMaterial {
        self.of.material
    }

    fn count(&self) -> usize {
        self.count
    }

    fn read(&self, numbering: &Numbering, start: u64, entries: &mut [u16]) {
        let places = &self.of.places;
        places.read(&self.all, numbering, start, OPEN, entries);
    }
}

/// The number of a value among values in the order of preference, or of no value.
fn number_of(values: &[Value], value: Value) -> u16 {
    let number = values.binary_search_by_key(&value.preference(), |value| value.preference());
    number.map_or(OPEN, |number| number as u16)
}

/// Writes the numbers of a part's slots with a side to move, by values in the order of preference. Illegal positions have
/// none yet.
fn numbers_of(
    solved: &Solved<'_>,
    part: usize,
    side: Color,
    values: &[Value],
    out: &mut [u16],
) -> Result<(), SolveError> {
    let captures = |step: &PawnStep| step.capture || step.promoted.is_some();
    let Part { domain, sides } = &solved.parts[part];
    let own = &sides[side as usize];
    let numbers: Vec<u16> = (own.values.iter())
        .map(|&value| number_of(values, value))
        .collect();
    // By the code of a position and the number of its best capture or promotion.
    let number = |code: u16, best: u16| {
        let number = numbers[usize::from(code)];
        match number == best {
            true => number | AT_MOST,
            false => number,
        }
    };
    if solved.metric == Metric::Dtm {
        let draw = number_of(values, Value::DRAW);
        let of_codes: Vec<u16> = (0..MOST_CODES as u16)
            .map(|code| match code {
                0 | 1 => OPEN,
                code => number_of(values, mate_of_code(code, side)),
            })
            .collect();
        let lend = || Box::new(Accumulator::new(domain, solved.backend));
        let best = solved.best(part, side, None, &captures, lend)?;
        let slices = out.par_chunks_mut(domain.slice_slots() as usize);
        return (slices.zip(&own.slices).zip(&best)).try_for_each(|((out, planes), best)| {
            let planes = planes.open()?;
            for (word, out) in out.chunks_exact_mut(64).enumerate() {
                let codes = codes_of(&planes.words(word));
                let most = codes_of(&best.planes.words(word));
                let [safe, illegal] =
                    [&best.safe, &best.illegal].map(|rows| rows[word / 8].0[word % 8]);
                for (square, out) in out.iter_mut().enumerate() {
                    let mut most = of_codes[usize::from(most[square])];
                    if safe >> square & 1 != 0 && (most == OPEN || most < draw) {
                        most = draw;
                    }
                    if illegal >> square & 1 == 0 {
                        *out = number(codes[square], most);
                    }
                }
            }
            Ok(())
        });
    }
    // Of helpmates, a file has the values of all legal positions.
    let entry = |code, illegal: u8| match illegal {
        0 => number(code, OPEN),
        _ => OPEN,
    };
    entries_of(&solved.parts[part], side, &[], solved.backend, out, entry)
}

/// A table that may be packed.
fn packing<'a>(
    table: &'a Table,
    library: &'a Library,
    backend: Backend,
) -> Result<Exported<'a>, ExportError> {
    let shape = table.shape();
    if table.metric() == Metric::Dtz {
        return Err(ExportError::Zeroing(shape.endgame()));
    }
    let material = syzygy_material(shape.material());
    let material = material.filter(|_| may_be_packed(shape));
    let material = material.ok_or_else(|| ExportError::Unpacked(shape.endgame()))?;
    Ok(Exported::new(table, library, material, backend))
}

impl Exported<'_> {
    /// The values with a side to move, the worst for it first.
    fn values(&self, side: Color) -> Vec<Value> {
        let mut values = self.table.values(side);
        values.sort_unstable_by_key(|value| value.preference());
        values
    }

    /// The numbers of all positions with a side to move, by these values.
    fn numbers(&self, side: Color, values: &[Value]) -> Result<Numbers<'_>, SolveError> {
        let write = |solved: &Solved<'_>, part, out: &mut [u16]| {
            numbers_of(solved, part, side, values, out)
        };
        Ok(Numbers {
            of: self,
            all: self.entries(OPEN, write)?,
            count: values.len(),
        })
    }
}

/// Whether a table can be packed.
#[must_use]
pub fn may_be_packed(shape: &Shape) -> bool {
    shape.piece_set().is_chess() && shape.material().piece_count() <= 5
}

/// Writes a table to a packed file. The library has the tables that its captures and promotions lead to; that of helpmates
/// may be empty.
///
/// # Errors
/// If the table has more than five pieces or short-range ones, or has distances to zeroing, if a table is missing in the library, there is no memory,
/// the caller stops the work, or the system refuses.
///
/// # Panics
/// Never.
pub fn pack(
    table: &Table,
    library: &Library,
    begun: PartialFile,
    backend: Backend,
    control: Control<'_>,
) -> Result<(), ExportError> {
    let packing = packing(table, library, backend)?;
    let sides: &[Color] = match packing.material.is_symmetric() {
        true => &[Color::White],
        false => &Color::ALL,
    };
    let files: Vec<Option<u8>> = match packing.material.has_pawns() {
        true => (0..4).map(Some).collect(),
        false => vec![None],
    };
    let encoder = Encoder::new(control, files.len());
    // The entries that were made last, and for each side its values, the orders of its sub-tables, and the bits of all.
    let mut made = None;
    let mut tried = Vec::new();
    for &side in sides {
        drop(made.take());
        let values = packing.values(side);
        let numbers = packing.numbers(side, &values)?;
        let mut orders: Vec<Order> = Vec::new();
        for &file in &files {
            orders.push(encoder.find_order(&numbers, file, orders.last())?);
        }
        let bits = |order: &Order| order.rate() * order.numbering().len() as f64;
        let bits: f64 = orders.iter().map(bits).sum();
        tried.push((side, values, orders, bits));
        made = Some((side, numbers));
    }
    let best = (tried.into_iter()).min_by(|a, b| a.3.total_cmp(&b.3));
    let (side, values, orders, _) = best.expect("there is a side");
    let numbers = match made {
        Some((of, numbers)) if of == side => numbers,
        _ => packing.numbers(side, &values)?,
    };
    // By the distance to mate codes are long, and a probe goes through most of ten blocks or more.
    let largest = match table.metric() {
        Metric::Dtm => 6,
        _ => 8,
    };
    let sub_tables = orders.iter().map(|order| {
        let parts = encoder.encode(&numbers, order, largest)?;
        Ok((order.numbering(), &values[..], parts))
    });
    let sub_tables = sub_tables.collect::<Result<Vec<_>, Interrupted>>()?;
    drop(numbers);
    Ok(write(begun, (table.metric(), side), &sub_tables)?)
}

/// Checks that a packed file has what it may have for every position of its table. The library has the tables that the
/// table's captures and promotions lead to. Returns the number of positions, of those with one side to move, whose value
/// the file has itself.
///
/// # Errors
/// If the file is damaged, or if one entry is wrong; if a table is missing in the library, or there is no memory.
pub fn check_packed(
    file: &PackedFile,
    table: &Table,
    library: &Library,
    backend: Backend,
) -> Result<u64, ExportError> {
    let packing = packing(table, library, backend)?;
    let values = packing.values(file.side());
    let numbers = packing.numbers(file.side(), &values)?;
    let count = AtomicU64::new(0);
    for (number, sub_table) in file.sub_tables.iter().enumerate() {
        let own = sub_table.values.iter();
        let own: Vec<u16> = own.map(|&value| number_of(&values, value)).collect();
        file.decode(sub_table, |start, found| {
            let mut expected = vec![OPEN; found.len()];
            numbers.read(&sub_table.numbering, start, &mut expected);
            let mut there = 0;
            for ((place, &found), &expected) in (start..).zip(found).zip(&expected) {
                let exact = expected & AT_MOST == 0;
                let fits = match own[usize::from(found)] {
                    number if exact => number == expected,
                    number => expected == OPEN || number <= expected & !AT_MOST,
                };
                if !fits {
                    let value = values[usize::from(expected & !AT_MOST)];
                    return Err(ExportError::Wrong {
                        path: file.path.clone(),
                        sub_table: number,
                        place,
                        found: sub_table.values[usize::from(found)],
                        expected: match exact {
                            true => value.to_string(),
                            false => format!("one not better than a {value}"),
                        },
                    });
                }
                there += u64::from(exact);
            }
            count.fetch_add(there, Ordering::Relaxed);
            Ok(())
        })?;
    }
    Ok(count.into_inner())
}
