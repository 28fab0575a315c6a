//! Tables as packed files.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use syzygy_tables::Material as SyzygyMaterial;
use syzygy_tables::coding::{AT_MOST, Encoder, Entries, OPEN, Order};
use syzygy_tables::numbering::Numbering;
use syzygy_tables::writer::{Control, Interrupted};
use tbindex::Color;
use tbindex::batch::Backend;
use tbindex::bitbase::{Accumulator, Bitbase, Row, Slice};
use tbindex::store::PartialFile;

use crate::chess::pawn_moves::Step;
use crate::chess::piece_set::Endgame;
use crate::storage::packed::{PackedFile, PackedHead, write};
use crate::storage::table_file::FileError;
use crate::subtables::cache::{CacheSize, Recent};
use crate::subtables::library::{Library, SolveError};
use crate::subtables::solved::Solved;
use crate::syzygy::places::Places;
use crate::table::codes::{MOST_CODES, mate_of_code};
use crate::table::planes::Planes;
use crate::table::shape::Shape;
use crate::table::solved::Table;
use crate::table::transpose::bytes_of;
use crate::table::value::{Metric, Value};

/// The numbers of all slots of a side to move.
struct Numbers<'a> {
    material: SyzygyMaterial,
    places: &'a Places,
    all: Vec<u16>,
    count: usize,
}

impl Entries for Numbers<'_> {
    fn material(&self) -> SyzygyMaterial {
        self.material
    }

    fn count(&self) -> usize {
        self.count
    }

    fn read(&self, numbering: &Numbering, start: u64, entries: &mut [u16]) {
        self.places.read(&self.all, numbering, start, OPEN, entries);
    }
}

/// Working memory for the captures of a slice.
struct Gathered(Accumulator);

impl AsMut<Accumulator> for Gathered {
    fn as_mut(&mut self) -> &mut Accumulator {
        &mut self.0
    }
}

/// The number of a value among values in the order of preference, or of no value.
fn number_of(values: &[Value], value: Value) -> u16 {
    let number = values.binary_search_by_key(&value.preference(), |value| value.preference());
    number.map_or(OPEN, |number| number as u16)
}

/// The bytes of up to eleven words for each of 64 slots.
fn codes_of(words: &[u64]) -> [u16; 64] {
    let low = bytes_of(&words[..words.len().min(8)]);
    let high = bytes_of(words.get(8..).unwrap_or(&[]));
    std::array::from_fn(|k| u16::from(low[k]) | u16::from(high[k]) << 8)
}

/// Writes the entries of a part with a side to move.
fn entries_of(
    solved: &Solved<'_>,
    part: usize,
    side: Color,
    values: &[Value],
    out: &mut [u16],
) -> Result<(), SolveError> {
    let own = &solved.parts[part].sides[side as usize];
    let numbers: Vec<u16> = (own.values.iter())
        .map(|&value| number_of(values, value))
        .collect();
    let domain = &solved.parts[part].domain;
    let slots = domain.slice_slots() as usize;
    let draw = number_of(values, Value::DRAW);
    let captures = |step: &Step| step.capture || step.promoted.is_some();
    let slices = out.par_chunks_mut(slots).zip(&own.slices);
    // Writes the entries of a slice, by the number of the best capture of each of 64 slots.
    let write = |out: &mut [u16],
                 planes: &Planes,
                 illegal: &[Row],
                 best: &dyn Fn(usize, &mut [u16; 64])|
     -> Result<(), SolveError> {
        let planes = planes.open()?;
        let count = planes.count();
        for (word, out) in out.chunks_exact_mut(64).enumerate() {
            let mut bests = [OPEN; 64];
            best(word, &mut bests);
            let codes = codes_of(&planes.words(word)[..count]);
            let illegal = illegal[word / 8].0[word % 8];
            for (square, out) in out.iter_mut().enumerate() {
                if illegal >> square & 1 == 0 {
                    let number = numbers[usize::from(codes[square])];
                    *out = match number == bests[square] {
                        true => number | AT_MOST,
                        false => number,
                    };
                }
            }
        }
        Ok(())
    };
    if solved.metric.victim().is_some() {
        return slices.enumerate().try_for_each(|(slice, (out, planes))| {
            let mut illegal = vec![Row::EMPTY; domain.rows()];
            Slice::new(domain, slice).illegal_into(side, &mut illegal, solved.backend);
            write(out, planes, &illegal, &|_, _| {})
        });
    }
    if solved.metric == Metric::Dtm {
        let of_codes: Vec<u16> = (0..MOST_CODES as u16)
            .map(|code| match code {
                0 | 1 => OPEN,
                code => number_of(values, mate_of_code(code, side)),
            })
            .collect();
        let lend = || Gathered(Accumulator::new(domain, solved.backend));
        let best = solved.best(part, side, None, &captures, lend)?;
        return (slices.zip(&best)).try_for_each(|((out, planes), best)| {
            let count = best.planes.count();
            write(out, planes, &best.illegal, &|word, bests| {
                let codes = codes_of(&best.planes.words(word)[..count]);
                let safe = best.safe[word / 8].0[word % 8];
                for (square, (best, code)) in bests.iter_mut().zip(codes).enumerate() {
                    *best = of_codes[usize::from(code)];
                    if safe >> square & 1 != 0 && (*best == OPEN || *best < draw) {
                        *best = draw;
                    }
                }
            })
        });
    }
    let exits = solved.exits(part, side, None, &captures)?;
    let worths = [
        Value::loss(1),
        Value::loss(101),
        Value::DRAW,
        Value::win(101),
        Value::win(1),
    ];
    let worths = worths.map(|value| number_of(values, value));
    let of_moves: Vec<u16> = (0..1usize << worths.len())
        .map(|moves| {
            moves
                .checked_ilog2()
                .map_or(OPEN, |best| worths[best as usize])
        })
        .collect();
    slices.enumerate().try_for_each_init(
        || Accumulator::new(domain, solved.backend),
        |gathered, (number, (out, planes))| {
            let slice = Slice::new(domain, number);
            let mut sets = Vec::new();
            for exits in exits.iter() {
                exits.gather(&slice, gathered)?;
                sets.push(gathered.rows().to_vec());
                gathered.clear();
            }
            let mut illegal = vec![Row::EMPTY; domain.rows()];
            slice.illegal_into(side, &mut illegal, solved.backend);
            write(out, planes, &illegal, &|word, bests| {
                let words: Vec<u64> = sets.iter().map(|set| set[word / 8].0[word % 8]).collect();
                for (best, moves) in bests.iter_mut().zip(bytes_of(&words)) {
                    *best = of_moves[usize::from(moves)];
                }
            })
        },
    )
}

impl<'a> Numbers<'a> {
    /// The numbers of a table's values, of which there is a list, with a side to move.
    fn of(
        solved: &Solved<'_>,
        material: SyzygyMaterial,
        places: &'a Places,
        side: Color,
        values: &[Value],
    ) -> Result<Numbers<'a>, SolveError> {
        let shape = solved.shape;
        let part_slots = (shape.slots() / shape.parts() as u64) as usize;
        let mut all = vec![OPEN; shape.slots() as usize];
        let parts = all.par_chunks_mut(part_slots).enumerate();
        parts.try_for_each(|(part, out)| entries_of(solved, part, side, values, out))?;
        Ok(Numbers {
            material,
            places,
            all,
            count: values.len(),
        })
    }
}

/// Why a table can't be packed, or is not what a packed file has.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// A table that captures or promotions lead to is missing, or there is no memory.
    #[error(transparent)]
    Values(#[from] SolveError),
    /// A file can't be read or written.
    #[error(transparent)]
    File(Box<FileError>),
    /// The caller stopped the work.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// The table has more than five pieces, or short-range ones.
    #[error("tables of chess of at most 5 pieces are packed: not that of {0}")]
    Material(Endgame),
    /// A packed file has another value than its table.
    #[error("{}: the file is wrong: it has a {found} at place {place} of sub-table {sub_table}, expected {expected}: remove the file and pack the table again", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The sub-table, from 0.
        sub_table: usize,
        /// The place in the sub-table.
        place: u64,
        /// What the file has.
        found: Value,
        /// What it should have.
        expected: String,
    },
}

impl From<FileError> for PackError {
    fn from(error: FileError) -> PackError {
        PackError::File(Box::new(error))
    }
}

/// A table and what its entries are made of.
struct Packing<'a> {
    solved: Solved<'a>,
    material: SyzygyMaterial,
    places: Places,
}

impl Packing<'_> {
    /// Calls a function with a table, and the tables that its captures and promotions lead to.
    fn with<T>(
        table: &Table,
        library: &Library,
        backend: Backend,
        work: impl FnOnce(&Packing<'_>) -> Result<T, PackError>,
    ) -> Result<T, PackError> {
        let shape = table.shape();
        let refused = || PackError::Material(shape.endgame());
        if !may_be_packed(shape) {
            return Err(refused());
        }
        let name = shape.material().to_string();
        let material = name.parse().map_err(|_| refused())?;
        // Only what leaves the table is looked at, and no two steps of pawns.
        let no_stalemates: Vec<[Option<Bitbase>; 2]> =
            table.parts.iter().map(|_| [None, None]).collect();
        let solved = Solved {
            shape,
            metric: table.metric(),
            library,
            parts: &table.parts,
            exchanged: None,
            stalemates: &no_stalemates,
            recent: &Recent::new(CacheSize::new(RECENT)),
            backend,
        };
        work(&Packing {
            material,
            places: Places::new(shape, material, backend),
            solved,
        })
    }

    /// The values with a side to move, the worst for it first.
    fn values(&self, side: Color) -> Vec<Value> {
        let parts = self.solved.parts.iter();
        let values = parts.flat_map(|part| part.sides[side as usize].values.iter().copied());
        let by_preference: BTreeMap<i32, Value> =
            values.map(|value| (value.preference(), value)).collect();
        by_preference.into_values().collect()
    }

    /// The entries of all positions with a side to move, by the numbers of these values.
    fn numbers<'b>(&'b self, side: Color, values: &[Value]) -> Result<Numbers<'b>, SolveError> {
        Numbers::of(&self.solved, self.material, &self.places, side, values)
    }

    fn files(&self) -> Vec<Option<u8>> {
        match self.material.has_pawns() {
            true => (0..4).map(Some).collect(),
            false => vec![None],
        }
    }
}

/// The bytes of what is kept of smaller tables while the entries are made.
const RECENT: u64 = 64 << 20;

/// Whether a table can be packed.
#[must_use]
pub fn may_be_packed(shape: &Shape) -> bool {
    shape.piece_set().is_chess() && shape.material().piece_count() <= 5
}

/// Writes a table to a packed file. The library has the tables that its captures and promotions lead to; that of helpmates
/// may be empty.
///
/// # Errors
/// If the table has more than five pieces or short-range ones, if a table is missing in the library, there is no memory,
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
) -> Result<(), PackError> {
    Packing::with(table, library, backend, |packing| {
        let sides: &[Color] = match packing.material.is_symmetric() {
            true => &[Color::White],
            false => &Color::ALL,
        };
        let files = packing.files();
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
        let head = PackedHead::new(table.metric(), side);
        Ok(write(begun, head, &sub_tables)?)
    })
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
) -> Result<u64, PackError> {
    Packing::with(table, library, backend, |packing| {
        let values = packing.values(file.side());
        let numbers = packing.numbers(file.side(), &values)?;
        let count = AtomicU64::new(0);
        for (number, sub_table) in file.sub_tables().iter().enumerate() {
            let own = sub_table.values.iter();
            let own: Vec<u16> = own.map(|&value| number_of(&values, value)).collect();
            let wrong = Mutex::new(None);
            file.decode(sub_table, |start, found| {
                let mut expected = vec![OPEN; found.len()];
                numbers.read(&sub_table.numbering, start, &mut expected);
                let mut there = 0;
                for ((place, &found), &expected) in (start..).zip(found).zip(&expected) {
                    let number = own[usize::from(found)];
                    let fits = match expected & AT_MOST {
                        0 => number == expected,
                        _ => expected == OPEN || number <= expected & !AT_MOST,
                    };
                    there += u64::from(expected & AT_MOST == 0);
                    if !fits {
                        let mut wrong = wrong.lock().unwrap_or_else(PoisonError::into_inner);
                        wrong.get_or_insert((place, found, expected));
                    }
                }
                count.fetch_add(there, Ordering::Relaxed);
                Ok(())
            })?;
            let wrong = wrong.into_inner().unwrap_or_else(PoisonError::into_inner);
            if let Some((place, found, expected)) = wrong {
                let value = values[usize::from(expected & !AT_MOST)];
                return Err(PackError::Wrong {
                    path: file.path().to_owned(),
                    sub_table: number,
                    place,
                    found: sub_table.values[usize::from(found)],
                    expected: match expected & AT_MOST {
                        0 => value.to_string(),
                        _ => format!("one not better than a {value}"),
                    },
                });
            }
        }
        Ok(count.into_inner())
    })
}
