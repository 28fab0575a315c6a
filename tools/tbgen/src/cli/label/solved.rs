//! Labels without files: the whole table of a material is solved when a position of it comes.

use std::collections::BTreeMap;

use rayon::prelude::*;
use tbgen::{
    Board, Endgame, Library, Metric, Options, ProbeError, Shape, SolveError, at_least, mebibytes,
    process_memory, solve_shape,
};
use tbindex::batch::Backend;
use tbindex::{Fen, Material};

use super::item::{Given, Label, distance};
use crate::cli::signals::stop_flag;

/// Tables that were solved, as many as the memory holds.
pub(super) struct Solved {
    memory: u64,
    dtz: bool,
    /// By the metrics that are wanted: the outcomes come from the first.
    libraries: Vec<(Metric, Library)>,
}

impl Solved {
    /// None yet, and so many bytes for them.
    pub(super) fn new(memory: u64, (dtz, dtm): (bool, bool)) -> Solved {
        let metrics = [Metric::Dtz, Metric::Dtm].into_iter();
        let metrics = metrics.take(1 + usize::from(dtm));
        Solved {
            memory,
            dtz,
            libraries: metrics.map(|metric| (metric, Library::default())).collect(),
        }
    }

    /// The labels of positions, on the threads of the current rayon pool, and why some have none. Those of a material come
    /// together, so each table is solved once for them all.
    pub(super) fn labels(
        &mut self,
        given: &[&Given],
        missing: &mut BTreeMap<String, u64>,
    ) -> Result<Vec<Option<Label>>, SolveError> {
        let boards = given.par_iter().map(|given| {
            let fen: Fen = given.fen().parse().ok()?;
            Board::new(&fen.position, fen.en_passant)
        });
        let boards: Vec<Option<Board>> = boards.collect();
        let mut places: BTreeMap<(usize, String), (Material, Vec<usize>)> = BTreeMap::new();
        for (place, board) in boards.iter().enumerate() {
            let Some(Ok(material)) = board.as_ref().map(|board| board.position().material()) else {
                continue;
            };
            let material = material.normal();
            let key = (material.piece_count(), material.to_string());
            let (_, places) = places.entry(key).or_insert((material, Vec::new()));
            places.push(place);
        }
        let mut labels = vec![None; given.len()];
        for (material, places) in places.into_values() {
            if let Err(reason) = self.solve(material)? {
                *missing.entry(reason).or_default() += places.len() as u64;
                continue;
            }
            let found = places.par_iter().map(|&place| {
                let board = boards[place].as_ref().expect("of this material");
                self.label(board, given[place])
            });
            let found: Vec<Result<Label, ProbeError>> = found.collect();
            for (place, label) in places.into_iter().zip(found) {
                match label {
                    Ok(label) => labels[place] = Some(label),
                    Err(error) => *missing.entry(error.to_string()).or_default() += 1,
                }
            }
        }
        Ok(labels)
    }

    fn label(&self, board: &Board, given: &Given) -> Result<Label, ProbeError> {
        let mut label = Label::default();
        for (metric, library) in &self.libraries {
            let value = board.value(*metric, |position| library.value(position))?;
            let plies = Some(distance(*metric, value));
            match metric {
                Metric::Dtz => {
                    label.wdl = value.with_counter(given.counter) as i8;
                    label.dtz = plies.filter(|_| self.dtz);
                }
                _ => label.dtm = plies,
            }
        }
        Ok(label)
    }

    /// Solves the table of a material, if it is not there, with those that it needs. If they take too much memory, others
    /// are dropped; if they still do, there is a reason why there is no table.
    fn solve(&mut self, material: Material) -> Result<Result<(), String>, SolveError> {
        if material.piece_count() == 2 {
            return Ok(Ok(()));
        }
        let needed = Endgame::from(material).needed();
        let shapes: Result<Vec<Shape>, _> = needed.into_iter().map(Shape::of_endgame).collect();
        let shapes = match shapes {
            Ok(shapes) => shapes,
            Err(error) => return Ok(Err(error.to_string())),
        };
        if self.bytes(&shapes) > self.memory {
            let is_needed =
                |other: &Material| shapes.iter().any(|shape| shape.material() == *other);
            for (_, library) in &mut self.libraries {
                library.retain(is_needed);
            }
        }
        let (bytes, memory) = (self.bytes(&shapes), self.memory);
        if bytes > memory {
            let (bytes, memory) = (at_least(bytes), mebibytes(memory));
            return Ok(Err(format!(
                "the table of {material} takes up to {bytes} of memory to solve: --memory has {memory} for tables"
            )));
        }
        for (metric, library) in &mut self.libraries {
            for shape in &shapes {
                if library.get(&shape.material()).is_none() {
                    let options = Options::new(*metric, Backend::detect(), stop_flag());
                    library.insert(solve_shape(shape, library, options)?);
                }
            }
        }
        Ok(Ok(()))
    }

    /// The most memory of the process while the tables of these shapes that are not there are solved, if all stay.
    fn bytes(&self, shapes: &[Shape]) -> u64 {
        let (mut kept, mut most) = (0, 0);
        for (metric, library) in &self.libraries {
            let there = library
                .iter()
                .map(|table| table.shape().kept_memory(*metric));
            kept += there.sum::<u64>();
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
