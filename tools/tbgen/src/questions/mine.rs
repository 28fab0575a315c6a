//! The answers to a query from a whole table: counts, and the positions one by one.

use std::io;
use std::sync::atomic::AtomicBool;

use rayon::prelude::*;
use tbindex::batch::Backend;
use tbindex::bitbase::{self, Bitbase, Row};
use tbindex::{Bitboard, Color, Group, Material, Piece, PieceType, Position};

use super::found::{Mined, SliceHits, Words};
use super::log::MineLog;
use super::memory::parts_at_once;
use super::query::Query;
use super::sets::{PartSets, both, either, tallies_of};
use super::tally::Tally;
use crate::chess::pawns::may_have_passed;
use crate::subtables::cache::{CacheSize, Recent};
use crate::subtables::library::{Library, SolveError, heed_stop};
use crate::subtables::solved::Solved;
use crate::table::planes::Planes;
use crate::table::slots::Slot;
use crate::table::solved::Table;
use crate::table::stats::{Counting, representatives};
use crate::table::value::{BEST_FIRST, Outcome, Value};

/// A position that a query has, one of each class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The position.
    pub position: Position,
    /// Its value.
    pub value: Value,
}

impl Hit {
    /// The legal position of a table's slot, with its value by the planes of the slot's slice.
    pub(super) fn at(table: &Table, slot: Slot, planes: &Planes) -> io::Result<Hit> {
        let values = &table.parts[slot.part].sides[slot.side as usize].values;
        Ok(Hit {
            position: table.shape.position(slot).expect("a legal position"),
            value: values[usize::from(planes.code_at(slot.at.offset)?)],
        })
    }

    /// The positions that are the same up to symmetry, each once, this one first.
    #[must_use]
    pub fn images(&self) -> Vec<Hit> {
        let material = self.position.material();
        let group = material.map_or(Group::Trivial, Material::group);
        let mut all: Vec<Hit> = Vec::new();
        for &symmetry in group.members() {
            let mut board = [None; 64];
            for (piece, square) in self.position.occupied() {
                board[symmetry.apply(square).index()] = Some(piece);
            }
            let position = Position {
                board,
                ..self.position
            };
            if all.iter().all(|hit| hit.position != position) {
                all.push(Hit { position, ..*self });
            }
        }
        all
    }
}

/// How a table is searched.
#[derive(Clone, Copy, Debug)]
pub struct MineOptions<'a> {
    /// Whether positions are handed over, and not only counted.
    pub list: bool,
    /// The helpmates of the table's material in which White and in which Black is checkmated, if the query asks for helpmates.
    pub helpmates: Option<[&'a Table; 2]>,
    /// The slices of a part that are searched at the same time. [`Query::within`] says how many fit into memory.
    pub slices_at_once: usize,
    /// A file from which an interrupted search goes on.
    pub log: Option<&'a MineLog>,
    /// The instructions to use.
    pub backend: Backend,
    /// A flag that stops the work when it is set.
    pub stop: &'a AtomicBool,
}

impl<'a> MineOptions<'a> {
    /// Counts all slices of a part at the same time, with no log and no helpmates.
    #[must_use]
    pub fn new(backend: Backend, stop: &'a AtomicBool) -> MineOptions<'a> {
        MineOptions {
            list: false,
            helpmates: None,
            slices_at_once: usize::MAX,
            log: None,
            backend,
            stop,
        }
    }
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
/// let options = MineOptions::new(backend, &never);
/// let mates = mine(&table, &library, &"mate".parse()?, options, |_| Ok(()))?;
/// assert_eq!(mates.sides.map(|side| side.positions), [0, 46]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a table is missing in the library, one can't be read, or the caller stops the work.
///
/// # Panics
/// If the query has distances of the other metric or asks for helpmates that are not there, or the table has short-range pieces.
pub fn mine(
    table: &Table,
    library: &Library,
    query: &Query,
    options: MineOptions<'_>,
    mut each: impl FnMut(Hit) -> Result<(), SolveError>,
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
    let recent = Recent::new(CacheSize::of(shape, table.metric()));
    let (mut all, mut stalemates, mut searched) = (Mined::default(), Vec::new(), 0);
    let slices: Vec<usize> = (0..shape.any_domain().slices()).collect();
    // A part's moves ask for the stalemates of those before it.
    for level in &shape.placements().levels {
        let parts: Vec<usize> = level.clone().collect();
        let mut of_level = Vec::new();
        let at_once = match slices.len() {
            1 => parts_at_once(shape.any_domain()),
            _ => 1,
        };
        for parts in parts.chunks(at_once) {
            let mut of_parts: Vec<(Mined, [Option<Bitbase>; 2])> = Vec::new();
            of_parts.resize_with(parts.len(), Default::default);
            for slices in slices.chunks(options.slices_at_once.clamp(1, slices.len())) {
                let solved = Solved {
                    shape,
                    metric: table.metric,
                    library,
                    parts: &table.parts,
                    stalemates: &stalemates,
                    recent: &recent,
                    backend: options.backend,
                };
                let of_part = |&part| slices.iter().map(move |&slice| (part, slice));
                let places: Vec<(usize, usize)> = parts.iter().flat_map(of_part).collect();
                let mut found = Vec::new();
                if let Some(log) = options.log {
                    let before = (searched..).zip(&places);
                    let before = before.map_while(|(number, &of)| log.get(number, of).transpose());
                    found = before.collect::<Result<Vec<_>, _>>()?;
                }
                let logged = found.len();
                found.extend(search.places(&solved, &places[logged..])?);
                if let Some(log) = options.log {
                    for (&of, found) in places.iter().zip(&found).skip(logged) {
                        log.add(of, found)?;
                    }
                }
                searched += places.len();
                tbindex::fail_point!("tbgen::slices_searched");
                for (&(part, slice), found) in places.iter().zip(&found) {
                    let (counts, stuck) = &mut of_parts[part - parts[0]];
                    counts.add(&found.counts);
                    search.keep_stalemates(part, slice, &found.stalemates, stuck)?;
                    search.hits(part, slice, &found.hits, &mut each)?;
                }
            }
            for (&part, (counts, stuck)) in parts.iter().zip(of_parts) {
                all.add(&counts.weighed(shape, part));
                of_level.push(stuck);
            }
        }
        stalemates.extend(of_level);
    }
    Ok(all)
}

impl Search<'_> {
    /// Searches these slices, all of one part or one of each of several parts.
    fn places(
        &self,
        solved: &Solved<'_>,
        places: &[(usize, usize)],
    ) -> Result<Vec<SliceHits>, SolveError> {
        heed_stop(self.options.stop)?;
        let (query, helpmates) = (self.query, self.options.helpmates);
        let sets = |part: usize, slices: Option<&[usize]>| {
            PartSets::new(solved, part, slices, &self.wanted(part), query, helpmates)
        };
        let count = self.table.shape().any_domain().slices();
        if count == 1 {
            let places = places.par_iter();
            let each = places.map(|&(part, slice)| self.slice(&sets(part, None)?, part, slice));
            return each.collect();
        }
        let Some(&(part, _)) = places.first() else {
            return Ok(Vec::new());
        };
        let slices: Vec<usize> = places.iter().map(|&(_, slice)| slice).collect();
        let sets = sets(part, (slices.len() < count).then_some(&slices[..]))?;
        let slices = slices.par_iter().with_max_len(1);
        let each = slices.map(|&slice| self.slice(&sets, part, slice));
        each.collect()
    }

    fn may_have_passed(&self, part: usize, side: Color) -> bool {
        may_have_passed(self.table.shape().pawns(part), !side)
    }

    fn wanted(&self, part: usize) -> Vec<Tally> {
        let passed = Color::ALL.map(|side| self.may_have_passed(part, side));
        tallies_of(&self.query.root, passed.contains(&true))
    }

    fn slice(
        &self,
        sets: &PartSets<'_>,
        part: usize,
        slice: usize,
    ) -> Result<SliceHits, SolveError> {
        heed_stop(self.options.stop)?;
        let sets = sets.slice(slice)?;
        let mut found = SliceHits::default();
        let domain = self.table.shape().any_domain();
        let mut placements = vec![Row::EMPTY; domain.rows()];
        let twins = usize::from(domain.has_twins(slice));
        let [unordered, ordered] = self.masks.each_ref().map(|masks| &masks[twins]);
        for side in Color::ALL {
            if !self.wanted(part).is_empty() && self.may_have_passed(part, side) {
                found.stalemates[side as usize] = words(&sets.stalemates(side));
            }
            let set = sets.find(&self.query.root, side)?;
            let counts = &mut found.counts.sides[side as usize];
            counts.positions = count(&set, None, unordered);
            counts.ordered = count(&set, None, ordered);
            for (counted, outcome) in counts.outcomes.iter_mut().zip(BEST_FIRST) {
                if outcome != Outcome::Draw {
                    *counted = count(&set, Some(sets.decided(side, outcome)), unordered);
                }
            }
            counts.outcomes[2] = counts.positions - counts.outcomes.iter().sum::<u64>();
            placements = either(placements, &set);
            if self.options.list {
                found.hits[side as usize] = words(&both(set, unordered));
            }
        }
        found.counts.placements = count(&placements, None, unordered);
        Ok(found)
    }

    /// Keeps the stalemates of a slice, if they are wanted: else it has none.
    fn keep_stalemates(
        &self,
        part: usize,
        slice: usize,
        stalemates: &[Words; 2],
        kept: &mut [Option<Bitbase>; 2],
    ) -> Result<(), SolveError> {
        let both = kept.iter_mut().zip(stalemates);
        for (kept, stalemates) in both.filter(|(_, stalemates)| !stalemates.is_empty()) {
            let kept = match kept {
                Some(kept) => kept,
                None => kept.insert(Bitbase::with_few_slices(&self.table.parts[part].domain)?),
            };
            let rows = kept.slices_mut().nth(slice).expect("a slice of the part");
            for &(at, word) in stalemates {
                rows[at as usize / 8].0[at as usize % 8] = word;
            }
        }
        Ok(())
    }

    /// Hands over the positions of a slice, one of each class.
    fn hits(
        &self,
        part: usize,
        slice: usize,
        hits: &[Words; 2],
        each: &mut impl FnMut(Hit) -> Result<(), SolveError>,
    ) -> Result<(), SolveError> {
        let twice = self.table.shape().pawn_weight(part, false).1 == 2;
        for (side, hits) in Color::ALL.into_iter().zip(hits) {
            if hits.is_empty() {
                continue;
            }
            let planes = self.table.parts[part].sides[side as usize].slices[slice].open()?;
            for &(number, word) in hits {
                for bit in Bitboard(word) {
                    let offset = 64 * number + bit.index() as u64;
                    let at = bitbase::Slot { slice, offset };
                    let hit = Hit::at(self.table, Slot { side, part, at }, &planes)?;
                    if !twice || is_left(&hit.position) {
                        each(hit)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The words of a set that are not empty.
fn words(rows: &[Row]) -> Words {
    let words = (0..).zip(rows.iter().flat_map(|row| row.0));
    words.filter(|(_, word)| *word != 0).collect()
}

/// The number of positions of a set, and of another one if there is one, that stand for a class.
fn count(set: &[Row], with: Option<&Vec<Row>>, mask: &[Row]) -> u64 {
    let rows = set.iter().zip(mask).enumerate();
    let rows = rows.map(|(at, (&row, &mask))| {
        let both = with.map_or(row, |with| row & with[at]);
        u64::from((both & mask).len())
    });
    rows.sum()
}

/// Whether white's king is on the files a to d. One of two mirror images is so.
fn is_left(position: &Position) -> bool {
    let king = Piece::new(Color::White, PieceType::King);
    let mut pieces = position.occupied();
    pieces.any(|(piece, square)| piece == king && square.index() % 8 < 4)
}
