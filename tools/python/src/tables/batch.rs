//! Answers about many positions, as arrays.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use numpy::{Element, PyArray1, PyArrayDescrMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::IntoPyDict;
use rayon::ThreadPool;
use rayon::prelude::*;
use syzygy_tables::batch::{self, PackedBoard, PieceOrder};
use syzygy_tables::cozy_chess;
use tbgen::{
    BatchProber, Board, Evaluation, Failure, GamePosition, Metric, SolveError, Tables, TablesError,
    Wanted, index_order, pack_indices,
};
use tbindex::batch::OutOfRange;
use tbindex::{Color, Numbering, Piece, Position};

use super::interrupt::interruptible;
use crate::arrays::{Made, Table, Words, argument, for_words, wrong_type};
use crate::enums::{Member, Sides};
use crate::errors::{Error, OrRaise};
use crate::layout::{PyLayout, checked};
use crate::material::MaterialArg;

/// The most positions that are probed together.
const ROUND: usize = 1 << 24;

/// The positions whose squares are turned at a time.
const PART: usize = 1 << 12;

/// Many positions.
pub(super) enum Positions {
    /// Any positions, with `None` for those that are missing.
    Boards(Vec<Option<GamePosition>>),
    /// Positions of one material.
    Squares {
        order: PieceOrder,
        packed: Vec<u64>,
        sides: Sides,
        shape: Vec<usize>,
    },
}

impl Positions {
    /// Positions of a material as indices or as squares.
    pub(super) fn of_array(
        positions: &Bound<'_, PyAny>,
        pool: &ThreadPool,
        MaterialArg(material): MaterialArg,
        side: Option<&Bound<'_, PyAny>>,
        Member(numbering): Member<Numbering>,
    ) -> PyResult<Positions> {
        let layout = PyLayout::of(material.piece_count(), numbering)?;
        let order = index_order(material);
        let order = order.map_err(|error| Error::new_err(format!("{material}: {error}")))?;
        let py = positions.py();
        let expected = "uint32 or uint64 (indices), or of uint8 (squares)";
        let (array, _) = argument("positions", positions, expected)?;
        if array.dtype().kind() != b'u' {
            return Err(wrong_type("positions", &array, expected));
        }
        let (packed, shape) = if array.dtype().itemsize() == 1 {
            let squares = Table::new("positions", positions)?;
            let (pieces, mut shape) = (layout.pieces, squares.shape());
            let last = shape.pop().unwrap_or(0);
            if last != pieces {
                return Err(PyValueError::new_err(format!(
                    "positions: squares with a last axis of {last}: expected {pieces}, as {material} has {pieces} pieces"
                )));
            }
            let reading = squares.squares.read()?;
            let (bytes, count): (_, usize) = (reading.slice(), shape.iter().product());
            let by_columns = squares.by_columns;
            let mut packed = vec![0; count];
            py.detach(|| {
                pool.install(|| {
                    let parts = packed.par_chunks_mut(PART).enumerate();
                    parts.for_each(|(number, packed)| {
                        let (first, len) = (number * PART, packed.len());
                        if !by_columns {
                            return order.pack(&bytes[first * pieces..][..len * pieces], packed);
                        }
                        let places = (0..len * pieces).map(|k| k % pieces * count + k / pieces);
                        let rows: Vec<u8> = places.map(|place| bytes[first + place]).collect();
                        order.pack(&rows, packed);
                    });
                });
            });
            (packed, shape)
        } else {
            for_words!(Words::new("positions", positions)?, indices => {
                let words = layout.words().or_raise()?;
                let reading = indices.read()?;
                let from = reading.slice();
                let packed = py.detach(|| {
                    checked(Some(words), from)?;
                    let mut packed = vec![0; from.len()];
                    pool.install(|| pack_indices(&order, &words, from, &mut packed));
                    Ok::<_, OutOfRange>(packed)
                });
                (packed.or_raise()?, indices.shape().to_vec())
            })
        };
        let side = side.ok_or_else(|| {
            PyTypeError::new_err(
                "side: expected 'white', 'black', or an array of bool, true where black is to move",
            )
        })?;
        Ok(Positions::Squares {
            sides: Sides::new(side, packed.len())?,
            order,
            packed,
            shape,
        })
    }

    /// The shape of what is known about them.
    fn shape(&self) -> Vec<usize> {
        match self {
            Positions::Boards(boards) => vec![boards.len()],
            Positions::Squares { shape, .. } => shape.clone(),
        }
    }

    /// One of the positions, or `None` if it is missing or illegal.
    fn get(&self, place: usize) -> Option<GamePosition> {
        match self {
            Positions::Boards(boards) => boards[place].clone(),
            Positions::Squares {
                order,
                packed,
                sides,
                ..
            } => {
                let mut board = [None; 64];
                let squares = packed[place].to_le_bytes();
                for (piece, square) in order.material().pieces().zip(squares) {
                    let letter = format!("{piece:?}").chars().next()?;
                    let slot = board.get_mut(usize::from(square))?;
                    if slot.replace(Piece::from_letter(letter)?).is_some() {
                        return None;
                    }
                }
                let side = match order.side(of_cozy(sides.of(place))) {
                    cozy_chess::Color::White => Color::White,
                    cozy_chess::Color::Black => Color::Black,
                };
                Board::new(&Position { board, side }, None).map(GamePosition::from)
            }
        }
    }
}

fn of_cozy(side: Color) -> cozy_chess::Color {
    match side {
        Color::White => cozy_chess::Color::White,
        Color::Black => cozy_chess::Color::Black,
    }
}

/// The prober of the files in some folders.
pub(super) struct Batch {
    pub(super) tables: Arc<Tables>,
    /// `None` if what positions reach is solved.
    prober: Option<Prober>,
    /// How many positions that are in no batch had no label, by the names of missing tables.
    failures: Mutex<BTreeMap<String, u64>>,
}

type Prober = BatchProber<Arc<Tables>>;

impl Batch {
    /// Of tables in files, with so much memory, or of what is solved on demand.
    pub(super) fn new(tables: Arc<Tables>, memory: Option<u64>) -> Batch {
        let prober = memory.map(|memory| {
            let memory = usize::try_from(memory).unwrap_or(usize::MAX);
            BatchProber::new(Arc::clone(&tables), memory)
        });
        Batch {
            tables,
            prober,
            failures: Mutex::default(),
        }
    }

    /// How many positions had no label, by the names of missing tables and other reasons.
    pub(super) fn failures(&self) -> BTreeMap<String, u64> {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let mut failures = failures.clone();
        for (reason, count) in self.prober.iter().flat_map(BatchProber::failures) {
            *failures.entry(reason.brief()).or_default() += count;
        }
        failures
    }

    /// The labels by files. A position in no batch has neither a label nor a failure.
    fn by_files(
        prober: &Prober,
        want: Wanted,
        positions: &Positions,
    ) -> Vec<Result<Evaluation, Option<Failure>>> {
        let found = |labels: Vec<Result<Evaluation, Failure>>| {
            labels.into_iter().map(|label| label.map_err(Some))
        };
        match positions {
            Positions::Boards(boards) => {
                let packed = |board: &Option<GamePosition>| {
                    let board = board.as_ref()?;
                    Some((board.packed()?, board.counter()))
                };
                let packed: Vec<_> = boards.par_iter().map(packed).collect();
                let (there, counters): (Vec<PackedBoard>, Vec<u16>) =
                    packed.iter().flatten().copied().unzip();
                let mut labels = found(prober.labels(want, &there, &counters));
                let all = packed.iter().map(|packed| match packed {
                    Some(_) => labels.next().unwrap_or(Err(None)),
                    None => Err(None),
                });
                all.collect()
            }
            Positions::Squares {
                order,
                packed,
                sides,
                ..
            } => {
                let parts = packed.chunks(ROUND).enumerate().flat_map(|(number, some)| {
                    let first = number * ROUND;
                    let sides = match sides {
                        Sides::One(side) => tbgen::Sides::Same(*side),
                        Sides::Each(black) => {
                            tbgen::Sides::Black(&black[first..first + some.len()])
                        }
                    };
                    found(prober.labels_of(want, order, sides, some))
                });
                parts.collect()
            }
        }
    }

    /// The label of one position.
    fn one(
        tables: &Tables,
        want: Wanted,
        position: &GamePosition,
    ) -> Result<Evaluation, TablesError> {
        if want != Wanted::DTM {
            return Ok(tables.answer(position)?.evaluation);
        }
        let (value, exact) = tables.value(Metric::Dtm, position)?;
        Ok(Evaluation {
            outcome: value.outcome,
            certain: true,
            at_zero: value.outcome,
            dtz: None,
            exact,
            dtm: Some(value),
        })
    }

    /// The labels of positions, or `None` where there is none.
    fn labels(
        &self,
        stop: &AtomicBool,
        want: Wanted,
        positions: &Positions,
    ) -> Result<Vec<Option<Evaluation>>, TablesError> {
        let found = match &self.prober {
            Some(prober) => Batch::by_files(prober, want, positions),
            None => vec![Err(None); positions.shape().iter().product()],
        };
        // In no batch are positions of short-range pieces or of many, and those that are solved.
        let one = |(place, found): (usize, Result<Evaluation, Option<Failure>>)| {
            let position = match found {
                Err(None) => positions.get(place),
                found => return Ok(Ok(found.ok())),
            };
            if stop.load(Ordering::Relaxed) {
                return Err(TablesError::Solve(SolveError::Interrupted));
            }
            match position.map(|position| Batch::one(&self.tables, want, &position)) {
                None => Ok(Ok(None)),
                Some(Ok(label)) => Ok(Ok(Some(label))),
                Some(Err(TablesError::Missing { endgame, .. })) => Ok(Err(endgame.to_string())),
                Some(Err(error)) => Err(error),
            }
        };
        let labels = found.into_par_iter().enumerate().map(one);
        let labels: Vec<Result<Option<Evaluation>, String>> = labels.collect::<Result<_, _>>()?;
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let labels = labels.into_iter().map(|label| {
            label.unwrap_or_else(|name| {
                *failures.entry(name).or_default() += 1;
                None
            })
        });
        Ok(labels.collect())
    }

    /// The labels that are wanted as masked arrays, or all of them as a `Labels`.
    pub(super) fn answer<'py>(
        &self,
        py: Python<'py>,
        pool: &ThreadPool,
        stop: &AtomicBool,
        want: Wanted,
        positions: &Positions,
    ) -> Made<'py> {
        let shape = positions.shape();
        let columns = Columns { py, shape, pool };
        // Calls that need no more than one look make no labels first, which would take most of the time.
        if let Positions::Squares {
            order,
            packed,
            sides: Sides::One(side),
            ..
        } = positions
            && let Some(prober) = &self.prober
            && packed.len() <= ROUND
        {
            let side = order.side(of_cozy(*side));
            let positions = batch::Positions::Squares(order.material(), side, packed);
            match want {
                Wanted::WDL => {
                    let found = py.detach(|| pool.install(|| prober.probe_wdl(positions)));
                    return columns.of(&found, i8::MIN, |found| found.ok().map(|wdl| wdl as i8));
                }
                Wanted::DTZ => {
                    let found =
                        py.detach(|| pool.install(|| prober.values(Metric::Dtz, positions)));
                    return columns.of(&found, i16::MIN, |found| {
                        let (value, _) = found.ok()?;
                        Some(value.signed(Metric::Dtz))
                    });
                }
                _ => (),
            }
        }
        let labels = loop {
            let found = interruptible(py, stop, || {
                pool.install(|| self.labels(stop, want, positions))
            })?;
            match found {
                // Another thread's work was to end.
                Err(TablesError::Solve(SolveError::Interrupted)) => std::thread::yield_now(),
                found => break found.or_raise()?,
            }
        };
        let wdl = || columns.of(&labels, i8::MIN, |label| Some((*label)?.outcome as i8));
        let dtz = || columns.of(&labels, i16::MIN, |label| (*label)?.signed(Metric::Dtz));
        let dtm = || columns.of(&labels, i16::MIN, |label| (*label)?.signed(Metric::Dtm));
        match want {
            Wanted::WDL => wdl(),
            Wanted::DTZ => dtz(),
            Wanted::DTM => dtm(),
            _ => {
                let certain = columns.of(&labels, false, |label| Some((*label)?.certain))?;
                let exact = columns.of(&labels, false, |label| {
                    (*label).and_then(|label| label.dtz.map(|_| label.exact))
                })?;
                let all = (wdl()?, certain, dtz()?, exact, dtm()?);
                let class = py.import("tbindex.tables")?.getattr("Labels")?;
                class.call1(all)
            }
        }
    }
}

/// Makes masked arrays of a shape.
struct Columns<'a, 'py> {
    py: Python<'py>,
    shape: Vec<usize>,
    pool: &'a ThreadPool,
}

impl<'py> Columns<'_, 'py> {
    /// The column of some values, with this one where there is none.
    fn of<S: Sync, T: Element + Copy + Send + Sync>(
        &self,
        given: &[S],
        missing: T,
        value: impl Fn(&S) -> Option<T> + Sync + Send,
    ) -> Made<'py> {
        let (mut values, mut masked) = (Vec::new(), Vec::new());
        let pool = self.pool;
        let both = given.par_iter().map(|given| {
            let value = value(given);
            (value.unwrap_or(missing), value.is_none())
        });
        self.py
            .detach(|| pool.install(|| both.unzip_into_vecs(&mut values, &mut masked)));
        let values = PyArray1::from_vec(self.py, values);
        let masked = PyArray1::from_vec(self.py, masked);
        let array = [("mask", masked)].into_py_dict(self.py)?;
        let missing = PyArray1::from_slice(self.py, &[missing]).get_item(0)?;
        array.set_item("fill_value", missing)?;
        let class = self.py.import("numpy.ma")?.getattr("MaskedArray")?;
        let made = class.call((values,), Some(&array))?;
        made.call_method1("reshape", (self.shape.clone(),))
    }
}
