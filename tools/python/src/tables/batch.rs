//! Answers about many positions, as arrays.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use numpy::{Element, PyArray1, PyArrayDescrMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;
use syzygy_tables::batch::{Answer, BatchProber, Failure, PackedBoard, PieceOrder};
use syzygy_tables::{Error as Reason, Wdl, cozy_chess};
use tbgen::{GamePosition, Metric, SolveError, Tables, TablesError};
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

/// The prober of the Syzygy files in some folders, and the reasons why positions had no label.
pub(super) struct Batch {
    prober: BatchProber<'static>,
    /// Whether there are other tables, or what positions reach is solved.
    own: bool,
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
        ..Label::default()
    }
}

impl Batch {
    pub(super) fn new(folders: &[PathBuf], memory: u64, on_demand: bool) -> PyResult<Batch> {
        let mut tables = syzygy_tables::Tables::new();
        let mut own = on_demand;
        for folder in folders {
            tables.add_folder(folder)?;
            for file in std::fs::read_dir(folder)? {
                let path = file?.path();
                let extension = path.extension().and_then(|end| end.to_str());
                own |= matches!(extension, Some("tbg" | "tbm" | "tbgp" | "tbmp"));
            }
        }
        let memory = usize::try_from(memory).unwrap_or(usize::MAX);
        Ok(Batch {
            prober: BatchProber::shared(Arc::new(tables), memory),
            own,
            failures: Mutex::default(),
        })
    }

    /// How many positions had no label, by the names of missing files and other reasons.
    pub(super) fn failures(&self) -> BTreeMap<String, u64> {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.clone()
    }

    fn reason(&self, failure: Failure) -> String {
        match self.prober.reason(failure) {
            Reason::Missing { material, kind } => format!("{material}.{}", kind.extension()),
            other => other.to_string(),
        }
    }

    /// Counts positions that have no label.
    fn count(&self, lost: impl Iterator<Item = Failure>) {
        let mut counts = HashMap::<Failure, u64>::new();
        for failure in lost {
            *counts.entry(failure).or_default() += 1;
        }
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        for (failure, count) in counts {
            *failures.entry(self.reason(failure)).or_default() += count;
        }
    }

    /// The labels by Syzygy files.
    fn by_syzygy(&self, want: Want, positions: &Positions) -> Vec<Result<Label, Option<Failure>>> {
        match positions {
            Positions::Boards(boards) => {
                let packed = |board: &Option<GamePosition>| board.as_ref()?.packed();
                let packed: Vec<_> = boards.par_iter().map(packed).collect();
                let there: Vec<PackedBoard> = packed.iter().flatten().copied().collect();
                let counters = boards
                    .iter()
                    .zip(&packed)
                    .filter(|(_, packed)| packed.is_some());
                let counters = counters.filter_map(|(board, _)| Some(board.as_ref()?.counter()));
                let counters: Vec<u16> = counters.collect();
                let found: Vec<Result<Label, Failure>> = match want {
                    Want::Wdl if counters.iter().all(|&counter| counter == 0) => {
                        let outcomes = self.prober.probe_wdl(&there).into_par_iter();
                        outcomes.map(|wdl| wdl.map(of_outcome)).collect()
                    }
                    _ => {
                        let answers = self.prober.probe(&there).into_par_iter().zip(&counters);
                        answers
                            .map(|(answer, &counter)| Ok(label_of(answer?, counter.into())))
                            .collect()
                    }
                };
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
                let of_side =
                    |side: Color, packed: &[u64]| -> Vec<Result<Label, Option<Failure>>> {
                        let (material, side) = (order.material(), order.side(of_cozy(side)));
                        match want {
                            Want::Wdl => {
                                let outcomes = self.prober.probe_wdl_of(material, side, packed);
                                let outcomes = outcomes.into_par_iter();
                                outcomes
                                    .map(|wdl| wdl.map(of_outcome).map_err(Some))
                                    .collect()
                            }
                            _ => {
                                let answers = self.prober.probe_of(material, side, packed);
                                let answers = answers.into_par_iter();
                                answers
                                    .map(|answer| Ok(label_of(answer.map_err(Some)?, 0)))
                                    .collect()
                            }
                        }
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

    /// The label of one position by other tables.
    fn by_own(
        tables: &Tables,
        want: Want,
        position: &GamePosition,
        known: Option<Label>,
    ) -> Result<Label, TablesError> {
        let plies = |metric| {
            tables
                .value(metric, position)
                .map(|(value, _)| signed(value) as i16)
        };
        match want {
            Want::Dtm => {
                let dtm = Some(plies(Metric::Dtm)?);
                Ok(Label {
                    dtm,
                    ..known.unwrap_or_default()
                })
            }
            Want::All if let Some(known) = known => {
                let dtm = match plies(Metric::Dtm) {
                    Err(TablesError::Missing { .. }) => None,
                    found => Some(found?),
                };
                Ok(Label { dtm, ..known })
            }
            _ => {
                let of = tables.answer(position)?.evaluation;
                let plies = |value: Option<tbgen::Value>| value.map(|value| signed(value) as i16);
                Ok(Label {
                    wdl: of.outcome as i8,
                    certain: of.certain,
                    exact: of.exact,
                    dtz: plies(of.dtz),
                    dtm: plies(of.dtm),
                })
            }
        }
    }

    /// The labels of positions, or `None` where there is none.
    fn labels(
        &self,
        tables: &Tables,
        stop: &AtomicBool,
        want: Want,
        positions: &Positions,
        count: usize,
    ) -> Result<Vec<Option<Label>>, TablesError> {
        let found = match want {
            Want::Dtm => vec![Err(None); count],
            _ => self.by_syzygy(want, positions),
        };
        let mut reasons = BTreeMap::<String, u64>::new();
        let labels = if self.own || want == Want::Dtm {
            let one = |(place, found): (usize, &Result<Label, Option<Failure>>)| {
                if stop.load(Ordering::Relaxed) {
                    return Err(TablesError::Solve(SolveError::Interrupted));
                }
                let known = found.ok();
                if known.is_some() && want != Want::All {
                    return Ok(Ok(known));
                }
                let Some(position) = positions.get(place) else {
                    return Ok(Ok(None));
                };
                match Batch::by_own(tables, want, &position, known) {
                    Ok(label) => Ok(Ok(Some(label))),
                    Err(TablesError::Missing { endgame, .. }) => Ok(Err(endgame.to_string())),
                    Err(error) => Err(error),
                }
            };
            let labels = found.par_iter().enumerate().map(one);
            let labels: Vec<Result<Option<Label>, String>> = labels.collect::<Result<_, _>>()?;
            let label = |label: Result<Option<Label>, String>| match label {
                Ok(label) => label,
                Err(name) => {
                    *reasons.entry(name).or_default() += 1;
                    None
                }
            };
            labels.into_iter().map(label).collect()
        } else {
            self.count(found.iter().filter_map(|found| found.err()?));
            found.into_par_iter().map(Result::ok).collect()
        };
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        for (reason, count) in reasons {
            *failures.entry(reason).or_default() += count;
        }
        Ok(labels)
    }

    /// The labels that are wanted as masked arrays, or all of them as a `Labels`.
    pub(super) fn answer<'py>(
        &self,
        py: Python<'py>,
        tables: &Tables,
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
            && !self.own
            && packed.len() <= ROUND
        {
            let (material, side) = (order.material(), order.side(of_cozy(*side)));
            let prober = &self.prober;
            match want {
                Want::Wdl => {
                    let find = || prober.probe_wdl_of(material, side, packed);
                    let found = py.detach(|| pool.install(find));
                    self.count(found.iter().filter_map(|found| found.err()));
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
                    self.count(found.iter().filter_map(|found| found.err()));
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
                pool.install(|| self.labels(tables, stop, want, positions, count))
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
