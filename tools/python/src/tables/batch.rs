//! Answers about many positions, as arrays.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use numpy::{Element, PyArray1, PyArrayDescrMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;
use syzygy_tables::batch::{Answer, PackedBoard, PieceOrder};
use syzygy_tables::{Wdl, cozy_chess};
use tbgen::{BatchProber, Failure, GamePosition, Metric, SolveError, Tables, TablesError, Value};
use tbindex::batch::{Backend, BatchWord, IndexOutOfRange};
use tbindex::{Color, Piece};

use super::answers::signed;
use super::arguments::pool;
use super::interrupt::interruptible;
use crate::arrays::{Input, Table, Words, argument, for_words};
use crate::enums::{Member, Sides};
use crate::errors::{Error, OrRaise};
use crate::layout::{PyLayout, checked};
use crate::material::MaterialArg;

/// The most positions that are probed together.
const ROUND: usize = 1 << 24;

/// The positions whose squares are turned at a time.
const PART: usize = 1 << 12;

/// The label of a position. A distance is `None` where it is not known.
#[derive(Clone, Copy, Default)]
pub(super) struct Label {
    wdl: i8,
    certain: bool,
    exact: bool,
    dtz: Option<i16>,
    dtm: Option<i16>,
}

/// The labels that are wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Want {
    Wdl,
    Dtz,
    Dtm,
    All,
}

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
        MaterialArg(material): MaterialArg,
        side: Option<&Bound<'_, PyAny>>,
        Member(numbering): Member<tbindex::Numbering>,
    ) -> PyResult<Positions> {
        let layout = PyLayout::of(material.piece_count(), numbering)?;
        let letters: String = material.index_order().map(Piece::letter).collect();
        let order = PieceOrder::of_letters(&letters);
        let order = order.map_err(|error| Error::new_err(format!("{material}: {error}")))?;
        let pool = pool(None)?;
        let py = positions.py();
        let expected = "uint32 or uint64 (indices), or of uint8 (squares)";
        let (array, _) = argument("positions", positions, expected)?;
        let (packed, shape) = if array.dtype().itemsize() == 1 {
            let squares = Table::new("positions", positions)?;
            let pieces = layout.pieces();
            let (Table::Rows(input) | Table::Columns(input)) = &squares;
            let mut shape = input.shape().to_vec();
            if matches!(squares, Table::Columns(_)) {
                shape.reverse();
            }
            if shape.pop() != Some(pieces) {
                return Err(PyValueError::new_err(format!(
                    "positions: squares whose last axis is not that of the {pieces} pieces of {material}"
                )));
            }
            let reading = input.read()?;
            let (bytes, count) = (reading.slice(), shape.iter().product());
            let by_columns = matches!(squares, Table::Columns(_));
            let packed = py.detach(|| {
                pool.install(|| match by_columns {
                    false => bytes
                        .par_chunks_exact(pieces)
                        .map(|row| order.pack(row))
                        .collect(),
                    true => (0..count)
                        .into_par_iter()
                        .map(|k| {
                            let mut row = [0; 10];
                            for (piece, square) in row[..pieces].iter_mut().enumerate() {
                                *square = bytes[piece * count + k];
                            }
                            order.pack(&row)
                        })
                        .collect::<Vec<u64>>(),
                })
            });
            (packed, shape)
        } else {
            for_words!(Words::new("positions", positions)?, indices => {
                let shape = indices.shape().to_vec();
                (pack_indices(&indices, &layout, &order, &pool)?, shape)
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
                let side = sides.of(place);
                let mut board = [None; 64];
                let squares = packed[place].to_le_bytes();
                for (piece, square) in order.material().pieces().zip(squares) {
                    let letter = format!("{piece:?}").chars().next()?;
                    let slot = board.get_mut(usize::from(square))?;
                    if slot.replace(Piece::from_letter(letter)?).is_some() {
                        return None;
                    }
                }
                let side = match order.side(of_cozy(side)) {
                    cozy_chess::Color::White => Color::White,
                    cozy_chess::Color::Black => Color::Black,
                };
                let fen = tbindex::Position { board, side }.to_string();
                GamePosition::parse(&fen, &tbgen::Letters::default()).ok()
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

/// The squares of indices in the order of a material's name.
fn pack_indices<W: BatchWord + Element>(
    indices: &Input<'_, W>,
    layout: &PyLayout,
    order: &PieceOrder,
    pool: &rayon::ThreadPool,
) -> PyResult<Vec<u64>> {
    let (words, pieces) = (layout.words::<W>().or_raise()?, layout.pieces());
    let reading = indices.read()?;
    let from = reading.slice();
    let packed = indices.py().detach(|| {
        checked(Some(words), from)?;
        let mut packed = vec![0; from.len()];
        pool.install(|| {
            let parts = from.par_chunks(PART).zip(packed.par_chunks_mut(PART));
            parts.for_each_init(
                || vec![0; PART * pieces],
                |rows, (from, to)| {
                    let rows = &mut rows[..from.len() * pieces];
                    Backend::detect().decode_rows(&words, from, rows);
                    for (row, to) in rows.chunks_exact(pieces).zip(to) {
                        *to = order.pack(row);
                    }
                },
            );
        });
        Ok::<_, IndexOutOfRange>(packed)
    });
    packed.or_raise()
}

/// The prober of the files in some folders, and the reasons why positions had no label.
pub(super) struct Batch {
    tables: Arc<Tables>,
    /// `None` if what positions reach is solved.
    prober: Option<Prober>,
    failures: Mutex<BTreeMap<String, u64>>,
}

fn label_of(answer: Answer, counter: u32) -> Label {
    let (wdl, certain) = answer.with_counter(counter);
    let plies = if answer.checkmate {
        0
    } else {
        answer.dtz.plies
    };
    Label {
        wdl: wdl as i8,
        certain,
        exact: answer.dtz.exact,
        dtz: Some(plies as i16),
        dtm: None,
    }
}

fn of_outcome(wdl: Wdl) -> Label {
    Label {
        wdl: wdl as i8,
        certain: true,
        exact: true,
        ..Label::default()
    }
}

fn mate_of(value: Value) -> i16 {
    signed(value) as i16
}

type Prober = BatchProber<Arc<Tables>>;
type Found<A> = Vec<Result<A, Failure>>;

/// The labels that are wanted of positions, by the functions that probe them. There are no counters if all are 0.
fn labels_of(
    want: Want,
    counters: Option<&[u16]>,
    outcomes: impl Fn() -> Found<Wdl>,
    answers: impl Fn() -> Found<Answer>,
    mates: impl Fn() -> Found<Value>,
) -> Found<Label> {
    let counter = |k: usize| counters.map_or(0, |counters| counters[k].into());
    let answers = || -> Found<Label> {
        let answers = answers().into_par_iter().enumerate();
        answers
            .map(|(k, answer)| Ok(label_of(answer?, counter(k))))
            .collect()
    };
    let outcomes = || -> Found<Label> {
        let outcomes = outcomes().into_par_iter();
        outcomes.map(|wdl| wdl.map(of_outcome)).collect()
    };
    // Where there is no distance to zeroing, outcomes are by that to mate.
    let or_outcomes = |mut labels: Found<Label>| {
        if labels.par_iter().any(Result::is_err) {
            let outcomes = outcomes();
            let all = labels.par_iter_mut().zip(outcomes);
            all.for_each(|(label, outcome)| *label = label.or(outcome));
        }
        labels
    };
    match want {
        Want::Wdl if counters.is_none() => outcomes(),
        Want::Wdl => or_outcomes(answers()),
        Want::Dtz => answers(),
        Want::Dtm => {
            let mates = mates().into_par_iter();
            let label = |mate| Label {
                dtm: Some(mate_of(mate)),
                ..Label::default()
            };
            mates.map(|mate| mate.map(label)).collect()
        }
        Want::All => {
            let mut labels = or_outcomes(answers());
            let all = labels.par_iter_mut().zip(mates());
            all.for_each(|(label, mate)| {
                if let Ok(label) = label {
                    label.dtm = mate.ok().map(mate_of);
                }
            });
            labels
        }
    }
}

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

    pub(super) fn tables(&self) -> &Tables {
        &self.tables
    }

    /// How many positions had no label, by the names of missing tables and other reasons.
    pub(super) fn failures(&self) -> BTreeMap<String, u64> {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.clone()
    }

    /// Counts positions that have no label.
    fn count(&self, prober: &Prober, lost: impl Iterator<Item = Failure>) {
        let mut counts = HashMap::<Failure, u64>::new();
        for failure in lost {
            *counts.entry(failure).or_default() += 1;
        }
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        for (failure, count) in counts {
            let reason = match prober.reason(failure) {
                TablesError::Missing { endgame, .. } => endgame.to_string(),
                other => other.to_string(),
            };
            *failures.entry(reason).or_default() += count;
        }
    }

    /// The labels by files.
    fn by_files(
        prober: &Prober,
        want: Want,
        positions: &Positions,
    ) -> Vec<Result<Label, Option<Failure>>> {
        match positions {
            Positions::Boards(boards) => {
                let packed = |board: &Option<GamePosition>| board.as_ref()?.packed();
                let packed: Vec<_> = boards.par_iter().map(packed).collect();
                let there: Vec<PackedBoard> = packed.iter().flatten().copied().collect();
                let counters = boards.iter().zip(&packed).filter_map(|(board, packed)| {
                    packed.and_then(|_| Some(board.as_ref()?.counter()))
                });
                let counters: Vec<u16> = counters.collect();
                let counted = counters.iter().any(|&counter| counter > 0);
                let found = labels_of(
                    want,
                    counted.then_some(&counters[..]),
                    || prober.probe_wdl(&there),
                    || prober.probe(&there),
                    || prober.probe_dtm(&there),
                );
                let mut found = found.into_iter();
                let all = packed.iter().map(|packed| match packed {
                    Some(_) => found.next().ok_or(None)?.map_err(Some),
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
                let of_side = |side: Color, packed: &[u64]| {
                    let (material, side) = (order.material(), order.side(of_cozy(side)));
                    let found = labels_of(
                        want,
                        None,
                        || prober.probe_wdl_of(material, side, packed),
                        || prober.probe_of(material, side, packed),
                        || prober.probe_dtm_of(material, side, packed),
                    );
                    found.into_iter().map(|label| label.map_err(Some))
                };
                match sides {
                    Sides::One(side) => packed
                        .chunks(ROUND)
                        .flat_map(|some| of_side(*side, some))
                        .collect(),
                    Sides::Each(black) => {
                        let mut all = vec![Err(None); packed.len()];
                        for side in Color::ALL {
                            let own = |&place: &usize| black[place] == (side == Color::Black);
                            let places: Vec<usize> = (0..packed.len()).filter(own).collect();
                            let some: Vec<u64> = places.iter().map(|&k| packed[k]).collect();
                            for (place, label) in places.into_iter().zip(of_side(side, &some)) {
                                all[place] = label;
                            }
                        }
                        all
                    }
                }
            }
        }
    }

    /// The label of one position.
    fn one(tables: &Tables, want: Want, position: &GamePosition) -> Result<Label, TablesError> {
        if want == Want::Dtm {
            let (value, _) = tables.value(Metric::Dtm, position)?;
            return Ok(Label {
                dtm: Some(mate_of(value)),
                ..Label::default()
            });
        }
        let of = tables.answer(position)?.evaluation;
        Ok(Label {
            wdl: of.outcome as i8,
            certain: of.certain,
            exact: of.exact,
            dtz: of.dtz.map(mate_of),
            dtm: of.dtm.map(mate_of),
        })
    }

    /// The labels of positions, or `None` where there is none.
    fn labels(
        &self,
        stop: &AtomicBool,
        want: Want,
        positions: &Positions,
        count: usize,
    ) -> Result<Vec<Option<Label>>, TablesError> {
        let found = match &self.prober {
            Some(prober) => {
                let found = Batch::by_files(prober, want, positions);
                self.count(prober, found.iter().filter_map(|found| found.err()?));
                found
            }
            None => vec![Err(None); count],
        };
        // What is in no batch: positions of short-range pieces or of many, and those that are solved.
        let one = |(place, found): (usize, Result<Label, Option<Failure>>)| {
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
        let labels: Vec<Result<Option<Label>, String>> = labels.collect::<Result<_, _>>()?;
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
        stop: &AtomicBool,
        want: Want,
        positions: &Positions,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (count, shape) = match positions {
            Positions::Boards(boards) => (boards.len(), vec![boards.len()]),
            Positions::Squares { packed, shape, .. } => (packed.len(), shape.clone()),
        };
        let pool = pool(None)?;
        // What needs no more than one look is not made into labels first, which would take most of the time.
        if let Positions::Squares {
            order,
            packed,
            sides: Sides::One(side),
            ..
        } = positions
            && let Some(prober) = &self.prober
            && packed.len() <= ROUND
        {
            let (material, side) = (order.material(), order.side(of_cozy(*side)));
            match want {
                Want::Wdl => {
                    let find = || prober.probe_wdl_of(material, side, packed);
                    let found = py.detach(|| pool.install(find));
                    self.count(prober, found.iter().filter_map(|found| found.err()));
                    let column = Column {
                        py,
                        values: &found,
                        shape,
                        pool: &pool,
                    };
                    return column.of(i8::MIN, |found| found.ok().map(|wdl| wdl as i8));
                }
                Want::Dtz => {
                    let find = || prober.probe_of(material, side, packed);
                    let found = py.detach(|| pool.install(find));
                    self.count(prober, found.iter().filter_map(|found| found.err()));
                    let column = Column {
                        py,
                        values: &found,
                        shape,
                        pool: &pool,
                    };
                    return column.of(i16::MIN, |found| {
                        found.ok().and_then(|of| label_of(of, 0).dtz)
                    });
                }
                Want::Dtm | Want::All => (),
            }
        }
        let labels = loop {
            let found = interruptible(py, stop, || {
                pool.install(|| self.labels(stop, want, positions, count))
            })?;
            match found {
                // Another thread's work was to end.
                Err(TablesError::Solve(SolveError::Interrupted)) => std::thread::yield_now(),
                found => break found.or_raise()?,
            }
        };
        let column = Column {
            py,
            values: &labels,
            shape,
            pool: &pool,
        };
        let wdl = || column.of(i8::MIN, |label| Some(label.as_ref()?.wdl));
        let dtz = || column.of(i16::MIN, |label| label.as_ref()?.dtz);
        let dtm = || column.of(i16::MIN, |label| label.as_ref()?.dtm);
        match want {
            Want::Wdl => wdl(),
            Want::Dtz => dtz(),
            Want::Dtm => dtm(),
            Want::All => {
                let certain = column.of(false, |label| Some(label.as_ref()?.certain))?;
                let exact = column.of(false, |label| {
                    label.as_ref()?.dtz.and(label.map(|label| label.exact))
                })?;
                let all = (wdl()?, certain, dtz()?, exact, dtm()?);
                let class = py.import("tbindex.tables")?.getattr("Labels")?;
                class.call1(all)
            }
        }
    }
}

/// Makes masked arrays of values of some kind.
struct Column<'a, 'py, S> {
    py: Python<'py>,
    values: &'a [S],
    shape: Vec<usize>,
    pool: &'a rayon::ThreadPool,
}

impl<'py, S: Sync> Column<'_, 'py, S> {
    /// The column of values, with this one where there is none.
    fn of<T: Element + Copy + Send + Sync>(
        &self,
        missing: T,
        value: impl Fn(&S) -> Option<T> + Sync + Send,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (mut values, mut masked) = (Vec::new(), Vec::new());
        self.py.detach(|| {
            self.pool.install(|| {
                let both = self.values.par_iter().map(|given| {
                    let value = value(given);
                    (value.unwrap_or(missing), value.is_none())
                });
                both.unzip_into_vecs(&mut values, &mut masked);
            });
        });
        let values = PyArray1::from_vec(self.py, values);
        let masked = PyArray1::from_vec(self.py, masked);
        let made = self
            .py
            .import("numpy.ma")?
            .call_method1("array", (values,))?;
        let reshaped =
            |array: &Bound<'py, PyAny>| array.call_method1("reshape", (self.shape.clone(),));
        let made = reshaped(&made)?;
        made.setattr(
            "fill_value",
            PyArray1::from_slice(self.py, &[missing]).get_item(0)?,
        )?;
        made.setattr("mask", reshaped(&masked.into_any())?)?;
        Ok(made)
    }
}
