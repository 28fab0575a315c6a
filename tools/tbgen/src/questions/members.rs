//! The positions of a table whose values pass a test, by number: rank and select in the sets of its slices.

use std::borrow::Cow;
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;
use tbindex::batch::Backend;
use tbindex::bitbase::{self, Row};
use tbindex::{Bitboard, Color};

use super::mine::Hit;
use super::sets::{both, by_value, legal, without};
use crate::subtables::library::{SolveError, heed_stop};
use crate::table::planes::Planes;
use crate::table::slots::Slot;
use crate::table::solved::{Part, Table};
use crate::table::stats::{Counting, representatives};
use crate::table::value::Value;

/// The positions of a table whose values pass a test, numbered from 0: one of each class up to symmetry and the exchange
/// of like pieces, first those with white to move.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use tbgen::{Library, Members, Metric, Options, Value, solve};
/// use tbindex::batch::Backend;
/// let (backend, never) = (Backend::detect(), AtomicBool::new(false));
/// let options = Options::new(Metric::Dtm, backend, &never);
/// let table = solve(&"KQvK".parse()?, &Library::default(), options)?;
/// let mates = Members::new(&table, |value| value == Value::loss(0), backend, &never)?;
/// assert_eq!(mates.count(), 46);
/// let some = mates.select(&[0, 45])?;
/// assert_ne!(some[0].position, some[1].position);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Members<'a, F> {
    table: &'a Table,
    test: F,
    backend: Backend,
    stop: &'a AtomicBool,
    /// The slots that stand for a class, in slices without twins and with them.
    masks: [Vec<Row>; 2],
    /// For each slice of each part with each side to move, how many members come before; and how many there are.
    starts: Vec<u64>,
}

impl<F> std::fmt::Debug for Members<'_, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Members")
            .field("material", &self.table.material())
            .field("count", &self.count())
            .finish_non_exhaustive()
    }
}

impl<F> Members<'_, F> {
    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }
}

impl<'a, F: Fn(Value) -> bool + Sync> Members<'a, F> {
    /// Counts the positions that pass a test, on the threads of the current rayon pool.
    ///
    /// # Errors
    /// If the table can't be read, or the caller stops the work.
    pub fn new(
        table: &'a Table,
        test: F,
        backend: Backend,
        stop: &'a AtomicBool,
    ) -> Result<Members<'a, F>, SolveError> {
        let mut members = Members {
            table,
            test,
            backend,
            stop,
            masks: representatives(table.shape(), Counting::Unordered),
            starts: vec![0],
        };
        let slices = 2 * table.parts.len() * table.shape().any_domain().slices();
        let counts = (0..slices).into_par_iter().map(|number| {
            let (rows, _) = members.slice(number)?;
            Ok(rows.iter().map(|row| u64::from(row.len())).sum())
        });
        let counts: Vec<u64> = counts.collect::<Result<_, SolveError>>()?;
        let mut all = 0;
        members.starts.extend(counts.into_iter().map(|count| {
            all += count;
            all
        }));
        Ok(members)
    }

    /// The members with these numbers, which ascend.
    ///
    /// # Errors
    /// If the table can't be read, or the caller stops the work.
    ///
    /// # Panics
    /// If a number is not below [`count`](Members::count).
    pub fn select(&self, numbers: &[u64]) -> Result<Vec<Hit>, SolveError> {
        assert!(numbers.is_sorted(), "ascending numbers");
        let last = numbers.last();
        assert!(last.is_none_or(|&last| last < self.count()), "{last:?}");
        let slice_of = |number: u64| self.starts.partition_point(|&start| start <= number) - 1;
        let slices = numbers.par_chunk_by(|&a, &b| slice_of(a) == slice_of(b));
        let found = slices.map(|numbers| self.select_in(slice_of(numbers[0]), numbers));
        let found: Vec<Vec<Hit>> = found.collect::<Result<_, _>>()?;
        Ok(found.concat())
    }

    /// The members with these numbers, which are in a slice.
    fn select_in(&self, slice: usize, numbers: &[u64]) -> Result<Vec<Hit>, SolveError> {
        let (side, part, at) = self.place(slice);
        let (rows, planes) = self.slice(slice)?;
        let mut before = self.starts[slice];
        let mut numbers = numbers.iter().peekable();
        let mut hits = Vec::with_capacity(numbers.len());
        for (word, number_of_word) in rows.iter().flat_map(|row| row.0).zip(0..) {
            let end = before + u64::from(word.count_ones());
            while let Some(&number) = numbers.next_if(|&&number| number < end) {
                let bit = Bitboard(word).into_iter().nth((number - before) as usize);
                let offset = 64 * number_of_word + bit.expect("a member").index() as u64;
                let at = bitbase::Slot { slice: at, offset };
                hits.push(Hit::at(self.table, Slot { side, part, at }, &planes)?);
            }
            before = end;
        }
        Ok(hits)
    }

    /// The side to move, the part and the slice with a number among all.
    fn place(&self, number: usize) -> (Color, usize, usize) {
        let slices = self.table.shape().any_domain().slices();
        let (part, slice) = (number / slices, number % slices);
        let parts = self.table.parts.len();
        (Color::ALL[part / parts], part % parts, slice)
    }

    /// The members in a slice, and the planes of its codes.
    fn slice(&self, number: usize) -> Result<(Vec<Row>, Cow<'a, Planes>), SolveError> {
        heed_stop(self.stop)?;
        let (side, part, at) = self.place(number);
        let Part { domain, sides } = &self.table.parts[part];
        let side_of_part = &sides[side as usize];
        let planes = side_of_part.slices[at].open()?;
        // Draws and illegal positions have one code: where draws pass, these are the others that do not.
        let draws = (self.test)(Value::DRAW);
        let decided = |value: Value| value != Value::DRAW && (self.test)(value) != draws;
        let legal = legal(domain, at, side, self.backend);
        let found = by_value(&planes, &side_of_part.values, &legal, decided);
        let found = if draws { without(legal, &found) } else { found };
        let mut rows = both(found, &self.masks[usize::from(domain.has_twins(at))]);
        if self.table.shape().pawn_weight(part, false).1 == 2 {
            // Mirror images are there, too: of each pair, white's king of one is on the files a to d.
            for (word, number) in rows.iter_mut().flat_map(|row| &mut row.0).zip(0..) {
                let offset = 64 * number;
                let slot = bitbase::Slot { slice: at, offset };
                let king = domain.squares(slot).next();
                *word *= u64::from(king.is_some_and(|king| king.index() % 8 < 4));
            }
        }
        Ok((rows, planes))
    }
}
