//! Labels without files: the whole table of a material is solved when a position of it comes, or if memory does not hold
//! that, what each position can reach.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use rayon::prelude::*;
use tbgen::{
    Board, Endgame, GamePosition, Label, Library, Metric, Options, ProbeError, Shape, ShapeError,
    SolveError, Table, Tables, TablesError, Wanted, at_least, mebibytes, process_memory,
    solve_shape,
};
use tbindex::batch::Backend;
use tbindex::{Color, Material, PieceType, Square};

use super::item::{Packed, label_of};
use crate::machine::pool;
use crate::shapes_of;
use crate::signals::stop_flag;

/// Tables that were solved, as many as the memory holds.
pub(super) struct Solved {
    memory: u64,
    wanted: Wanted,
    /// By the metrics that are wanted: the outcomes come from the first.
    libraries: Vec<(Metric, Library)>,
    /// What positions of other materials reach. There are either these or whole tables, each in all the memory.
    reached: Option<Tables>,
    /// The materials of which that was said.
    told: BTreeSet<String>,
    /// The reasons why positions have no label, and how many have none for each.
    pub(super) missing: BTreeMap<String, u64>,
}

impl Solved {
    /// None yet, and so many bytes for them.
    pub(super) fn new(memory: u64, wanted: Wanted) -> Solved {
        let metrics = [Metric::Dtz, Metric::Dtm].into_iter();
        let metrics = metrics.take(1 + usize::from(wanted.dtm));
        Solved {
            memory,
            wanted,
            libraries: metrics.map(|metric| (metric, Library::default())).collect(),
            reached: None,
            told: BTreeSet::new(),
            missing: BTreeMap::new(),
        }
    }

    /// The labels of positions, on the threads of the current rayon pool. Those of a material come together, so each table is
    /// solved once for them all.
    pub(super) fn labels(&mut self, given: &[Packed]) -> Result<Vec<Option<Label>>> {
        let boards: Vec<Board> = given
            .par_iter()
            .map(|given| Board::from(&given.board))
            .collect();
        let mut places: BTreeMap<(usize, String), (Material, Vec<usize>)> = BTreeMap::new();
        for (place, board) in boards.iter().enumerate() {
            let Ok(material) = board.position().material() else {
                continue;
            };
            let material = material.normal();
            let key = (material.piece_count(), material.to_string());
            let (_, places) = places.entry(key).or_insert((material, Vec::new()));
            places.push(place);
        }
        let mut labels = vec![None; given.len()];
        for (material, mut places) in places.into_values() {
            let board = |place: usize| &boards[place];
            let found: Vec<Result<Label, String>> = match self.solve(material)? {
                Err(error) => vec![Err(error.to_string()); places.len()],
                Ok(None) => {
                    let found = (places.par_iter())
                        .map(|&place| self.label(board(place), given[place].counter));
                    found
                        .map(|label| label.map_err(|error| error.to_string()))
                        .collect()
                }
                Ok(Some(bytes)) => {
                    if self.told.insert(material.to_string()) {
                        let bytes = at_least(bytes);
                        note!(
                            "tbgen: the table of {material} takes up to {bytes} of memory to solve: its positions are solved one by one"
                        );
                    }
                    // Those with the same pawns reach the same.
                    places.sort_by_cached_key(|&place| pawns(board(place)));
                    let found = places
                        .iter()
                        .map(|&place| self.by_reach(&position(board(place), given[place])));
                    found.collect::<Result<_>>()?
                }
            };
            for (place, label) in places.into_iter().zip(found) {
                labels[place] = self.wanted_of(label);
            }
        }
        Ok(labels)
    }

    /// The label of a position with castling rights.
    pub(super) fn label_with_castling(&mut self, position: &GamePosition) -> Result<Option<Label>> {
        let label = self.by_reach(position)?;
        Ok(self.wanted_of(label))
    }

    /// What is wanted of a label; the reason why there is none is counted.
    fn wanted_of(&mut self, label: Result<Label, String>) -> Option<Label> {
        match label {
            Ok(label) => {
                let dtz = label.dtz.filter(|_| self.wanted.dtz);
                Some(Label { dtz, ..label })
            }
            Err(reason) => {
                *self.missing.entry(reason).or_default() += 1;
                None
            }
        }
    }

    fn label(&self, board: &Board, counter: u16) -> Result<Label, ProbeError> {
        let value = |(metric, library): &(Metric, Library)| {
            board.value(*metric, |position| library.value(position))
        };
        let zeroing = value(&self.libraries[0])?;
        let mate = self.libraries.get(1).map(value).transpose()?;
        Ok(Label {
            outcome: zeroing.with_counter(counter),
            dtm: mate.and_then(|mate| Label::of_mate(mate).dtm),
            ..label_of(Metric::Dtz, zeroing)
        })
    }

    /// The label of a position by what it can reach, or why it has none.
    fn by_reach(&mut self, position: &GamePosition) -> Result<Result<Label, String>> {
        let tables = match self.reached.take() {
            Some(tables) => tables,
            None => {
                for (_, library) in &mut self.libraries {
                    library.retain(|_| false);
                }
                let pool = pool(rayon::current_num_threads())?;
                let solver = Box::new(|shape: &_, library: &_, metric| {
                    solve_shape(shape, library, options(metric))
                });
                let tables = Tables::on_demand(self.memory, pool, solver);
                match self.libraries[..] {
                    [(metric, _)] => tables.with_metric(metric),
                    _ => tables,
                }
            }
        };
        let tables = self.reached.insert(tables);
        match tables.answer(position) {
            Ok(answer) => Ok(Ok(answer.evaluation.into())),
            Err(TablesError::Solve(error)) => Err(error.into()),
            Err(TablesError::Memory { limit, .. }) => {
                let limit = mebibytes(limit);
                let material = position.endgame();
                Ok(Err(format!(
                    "what a position of {material} can reach takes more memory to solve: --memory has {limit} for tables"
                )))
            }
            Err(error) => Ok(Err(error.to_string())),
        }
    }

    /// Solves the table of a material, if it is not there, with those that it needs. If they take too much memory, others
    /// are dropped; if they still do, there is no table, and the bytes that it takes are returned.
    fn solve(&mut self, material: Material) -> Result<Result<Option<u64>, ShapeError>, SolveError> {
        if material.piece_count() == 2 {
            return Ok(Ok(None));
        }
        let shapes = match shapes_of(Endgame::from(material).needed()) {
            Ok(shapes) => shapes,
            Err(error) => return Ok(Err(error)),
        };
        if self.bytes(&shapes) > self.memory {
            let is_needed =
                |other: &Material| shapes.iter().any(|shape| shape.material() == *other);
            for (_, library) in &mut self.libraries {
                library.retain(is_needed);
            }
        }
        let bytes = self.bytes(&shapes);
        if bytes > self.memory {
            return Ok(Ok(Some(bytes)));
        }
        self.reached = None;
        for (metric, library) in &mut self.libraries {
            for shape in &shapes {
                if library.get(&shape.material()).is_none() {
                    library.insert(solve_shape(shape, library, options(*metric))?);
                }
            }
        }
        Ok(Ok(None))
    }

    /// The most memory of the process while the tables of these shapes that are not there are solved, if all stay.
    fn bytes(&self, shapes: &[Shape]) -> u64 {
        let (mut kept, mut most) = (0, 0);
        for (metric, library) in &self.libraries {
            let there = library.iter().map(Table::shape);
            kept += there.map(|shape| shape.kept_memory(*metric)).sum::<u64>();
            for shape in shapes {
                if library.get(&shape.material()).is_none() {
                    kept += shape.kept_memory(*metric);
                    most = most.max(shape.work_memory(*metric, false));
                }
            }
        }
        match most {
            0 => 0,
            most => process_memory() + kept + most,
        }
    }
}

/// Options for solving tables by a metric until a signal comes.
fn options(metric: Metric) -> Options<'static> {
    Options::new(metric, Backend::detect(), stop_flag())
}

fn position(board: &Board, given: Packed) -> GamePosition {
    GamePosition::from(board.clone()).with_counter(given.counter)
}

/// The pawns of a position.
fn pawns(board: &Board) -> Vec<(bool, Square)> {
    let position = board.position();
    let pawns = (position.occupied()).filter(|(piece, _)| piece.kind == PieceType::Pawn);
    pawns
        .map(|(piece, square)| (piece.color == Color::Black, square))
        .collect()
}
