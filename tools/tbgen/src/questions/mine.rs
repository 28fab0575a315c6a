//! The answers to a query from a whole table: counts, and the positions one by one.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use tbindex::batch::Backend;
use tbindex::bitbase::{self, Bitbase, Row};
use tbindex::{Bitboard, Color, Piece, PieceType, Position};

use super::help::HelpTables;
use super::query::Query;
use super::sets::{PartSets, most_sets, tallies_of};
use crate::chess::pawn_moves::may_have_passed;
use crate::solve::levels::Limits;
use crate::subtables::cache::Recent;
use crate::subtables::library::{Library, SolveError};
use crate::subtables::solved::Solved;
use crate::table::shape::{Shape, Slot};
use crate::table::solved::Table;
use crate::table::stats::{Counting, representatives};
use crate::table::value::{Metric, Outcome, Value};

/// The positions of a table that a query has, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mined {
    /// Those with white to move, and with black to move.
    pub sides: [MinedSide; 2],
    /// The placements that the query has with either side to move or with both, up to symmetry and the exchange of like
    /// pieces.
    pub placements: u64,
}

/// Such positions with one side to move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MinedSide {
    /// Up to symmetry and the exchange of like pieces.
    pub positions: u64,
    /// Up to symmetry, with like pieces told apart.
    pub ordered: u64,
    /// The positions by outcome: wins, cursed wins, draws, blessed losses and losses.
    pub outcomes: [u64; 5],
}

/// A position that a query has, one of each class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The position.
    pub position: Position,
    /// Its value.
    pub value: Value,
}

/// How a table is searched.
#[derive(Clone, Copy, Debug)]
pub struct MineOptions<'a> {
    /// Whether positions are handed over, and not only counted.
    pub list: bool,
    /// Tables of helpmates, among them the table's material, if the query asks for dead positions.
    pub helpmates: Option<&'a HelpTables>,
    /// The instructions to use.
    pub backend: Backend,
    /// A flag that stops the work when it is set.
    pub stop: &'a AtomicBool,
}

/// What was found in a part.
struct Found {
    counts: Mined,
    slots: Vec<Slot>,
    stalemates: [Option<Bitbase>; 2],
}

/// A query and the table that it is put to.
struct Search<'a> {
    table: &'a Table,
    query: &'a Query,
    options: MineOptions<'a>,
    /// The slots that stand for a class, with like pieces exchanged and told apart.
    masks: [[Vec<Row>; 2]; 2],
}

/// Counts the positions of a table that a query has, on the threads of the current rayon pool, and hands them over if they
/// are wanted. The library has the tables that the table leads to.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use tbgen::{Library, Metric, MineOptions, Options, mine, solve};
/// use tbindex::batch::Backend;
/// let (backend, never) = (Backend::detect(), AtomicBool::new(false));
/// let library = Library::default();
/// let table = solve(&"KQvK".parse()?, &library, Options::new(Metric::Dtm, backend, &never))?;
/// let options = MineOptions { list: false, helpmates: None, backend, stop: &never };
/// let mates = mine(&table, &library, &"mate".parse()?, options, |_| {})?;
/// assert_eq!(mates.sides.map(|side| side.positions), [0, 46]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a table is missing in the library or among the helpmates, one can't be read, or the caller stops the work.
///
/// # Panics
/// If the query has distances of the other metric, or the table has short-range pieces.
pub fn mine(
    table: &Table,
    library: &Library,
    query: &Query,
    options: MineOptions<'_>,
    mut each: impl FnMut(Hit),
) -> Result<Mined, SolveError> {
    let shape = table.shape();
    assert!(query.metric().is_none_or(|metric| metric == table.metric()));
    assert!(shape.piece_set().is_chess(), "pieces of chess");
    let masks = [Counting::Unordered, Counting::Ordered];
    let search = Search {
        table,
        query,
        options,
        masks: masks.map(|counting| representatives(shape, counting)),
    };
    let recent = Recent::new(Limits::new(shape).recent);
    let (mut all, mut stalemates) = (Mined::default(), Vec::new());
    // A part's moves ask for the stalemates of those before it.
    for level in shape.placements().levels() {
        let solved = Solved {
            shape,
            metric: table.metric,
            library,
            parts: &table.parts,
            exchanged: None,
            stalemates: &stalemates,
            recent: &recent,
            backend: options.backend,
        };
        let found: Result<Vec<Found>, SolveError> = match shape.any_domain().slices() {
            1 => (level.clone().into_par_iter())
                .map(|number| search.part(&solved, number))
                .collect(),
            _ => (level.clone())
                .map(|number| search.part(&solved, number))
                .collect(),
        };
        for found in found? {
            all.add(&found.counts);
            stalemates.push(found.stalemates);
            for slot in found.slots {
                let value = table.value_at(slot)?;
                let position = shape.position(slot).expect("a legal position");
                each(Hit { position, value });
            }
        }
    }
    Ok(all)
}

impl Query {
    /// The memory, in bytes, in which the query is put to a table that was solved in memory, with the table itself, on the
    /// threads of the current rayon pool. Positions that are handed over come on top.
    #[must_use]
    pub fn memory(&self, shape: &Shape, metric: Metric) -> u64 {
        let stalemates = shape.material().has_pawns();
        shape.asked_memory(metric, most_sets(&self.root, stalemates, metric))
    }
}

impl Mined {
    /// Adds the counts of another table or part.
    pub fn add(&mut self, more: &Mined) {
        self.placements += more.placements;
        for (mine, more) in self.sides.iter_mut().zip(&more.sides) {
            mine.positions += more.positions;
            mine.ordered += more.ordered;
            for (mine, more) in mine.outcomes.iter_mut().zip(more.outcomes) {
                *mine += more;
            }
        }
    }
}

impl Search<'_> {
    fn part(&self, solved: &Solved<'_>, number: usize) -> Result<Found, SolveError> {
        if self.options.stop.load(Ordering::Relaxed) {
            return Err(SolveError::Interrupted);
        }
        let (shape, root) = (self.table.shape(), &self.query.root);
        let pawns = shape.pawns(number);
        let passed = Color::ALL.map(|side| may_have_passed(pawns, !side));
        let wanted = tallies_of(root, passed.contains(&true));
        let sets = PartSets::new(solved, number, &wanted, self.options.helpmates)?;
        let mut found = Found {
            counts: Mined::default(),
            slots: Vec::new(),
            stalemates: [None, None],
        };
        let mut placements = Bitbase::new(&self.table.parts[number].domain)?;
        for side in Color::ALL {
            if passed[side as usize] {
                found.stalemates[side as usize] = Some(sets.stalemates(side)?);
            }
            let set = sets.find(root, side)?;
            let count = |with: Option<Outcome>, counting: Counting| {
                let with = with.map(|outcome| sets.decided(side, outcome));
                self.count(number, &set, with, counting)
            };
            let counts = &mut found.counts.sides[side as usize];
            counts.positions = count(None, Counting::Unordered);
            counts.ordered = count(None, Counting::Ordered);
            counts.outcomes = [
                Outcome::Win,
                Outcome::CursedWin,
                Outcome::Draw,
                Outcome::BlessedLoss,
                Outcome::Loss,
            ]
            .map(|outcome| match outcome {
                Outcome::Draw => 0,
                outcome => count(Some(outcome), Counting::Unordered),
            });
            counts.outcomes[2] = counts.positions - counts.outcomes.iter().sum::<u64>();
            if self.options.list {
                self.slots(number, side, &set, &mut found.slots);
            }
            placements.unite(&set, self.options.backend);
        }
        found.counts.placements = self.count(number, &placements, None, Counting::Unordered);
        Ok(found)
    }

    /// The number of positions of a set, and of another one if there is one.
    fn count(
        &self,
        number: usize,
        set: &Bitbase,
        with: Option<&Bitbase>,
        counting: Counting,
    ) -> u64 {
        let (domain, masks) = (set.domain(), &self.masks[counting as usize]);
        let count = |slice: usize| -> u64 {
            let mask = &masks[usize::from(domain.has_twins(slice))];
            let with = with.map(|with| with.slice(slice));
            let rows = set.slice(slice).iter().zip(mask).enumerate();
            let rows = rows.map(|(at, (&row, &mask))| {
                let both = with.map_or(row, |with| row & with[at]);
                u64::from((both & mask).len())
            });
            rows.sum()
        };
        let all: u64 = (0..domain.slices()).map(count).sum();
        let (times, twice) =
            (self.table.shape()).pawn_weight(number, counting == Counting::Ordered);
        all * times / twice
    }

    /// Adds the slots of a set that stand for a class.
    fn slots(&self, part: usize, side: Color, set: &Bitbase, slots: &mut Vec<Slot>) {
        let (shape, domain) = (self.table.shape(), set.domain());
        let twice = shape.pawn_weight(part, false).1 == 2;
        for slice in 0..domain.slices() {
            let mask = &self.masks[0][usize::from(domain.has_twins(slice))];
            let rows = set.slice(slice).iter().zip(mask);
            let words = rows.flat_map(|(&row, &mask)| (row & mask).0).zip(0..);
            for (word, number) in words {
                for bit in Bitboard(word) {
                    let offset = 64 * number + bit.index() as u64;
                    let at = bitbase::Slot { slice, offset };
                    let slot = Slot { side, part, at };
                    if !twice || is_left(shape, slot) {
                        slots.push(slot);
                    }
                }
            }
        }
    }
}

/// Whether white's king is on the files a to d. Of two mirror images one is so.
fn is_left(shape: &Shape, slot: Slot) -> bool {
    let king = Piece::new(Color::White, PieceType::King);
    let position = shape.position(slot);
    let mut pieces = position.iter().flat_map(Position::occupied);
    pieces.any(|(piece, square)| piece == king && square.index() % 8 < 4)
}
