//! Answers for many positions, as masked arrays.

use numpy::{Element, PyArray1};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyList};
use rayon::ThreadPool;
use rayon::prelude::*;
use tbgen::{Evaluation, Metric, Value, Wanted};

use super::batch::Found;
use super::positions::Lack;
use crate::arrays::Made;

/// The values of positions, and which of them are masked.
struct Column<T> {
    values: Vec<T>,
    masked: Vec<bool>,
    /// The value in place of one that there is not.
    missing: T,
}

impl<T: Element + Copy + Send + Sync> Column<T> {
    fn new(missing: T, total: usize) -> Column<T> {
        Column {
            values: Vec::with_capacity(total),
            masked: Vec::with_capacity(total),
            missing,
        }
    }

    fn extend<S: Sync>(&mut self, found: &[S], value: impl Fn(&S) -> Option<T> + Sync + Send) {
        let (mut values, mut masked) = (Vec::new(), Vec::new());
        let both = found.par_iter().map(|found| {
            let value = value(found);
            (value.unwrap_or(self.missing), value.is_none())
        });
        both.unzip_into_vecs(&mut values, &mut masked);
        self.values.append(&mut values);
        self.masked.append(&mut masked);
    }

    fn finish<'py>(self, py: Python<'py>, shape: Option<&[usize]>) -> Made<'py> {
        let masked = PyArray1::from_vec(py, self.masked);
        let array = [("mask", masked)].into_py_dict(py)?;
        let missing = PyArray1::from_slice(py, &[self.missing]).get_item(0)?;
        array.set_item("fill_value", missing)?;
        let class = py.import(intern!(py, "numpy.ma"))?.getattr("MaskedArray")?;
        let made = class.call((PyArray1::from_vec(py, self.values),), Some(&array))?;
        reshaped(made, shape)
    }
}

fn reshaped<'py>(array: Bound<'py, PyAny>, shape: Option<&[usize]>) -> Made<'py> {
    match shape {
        None => Ok(array),
        Some(shape) => array.call_method1("reshape", (shape.to_vec(),)),
    }
}

/// The columns that are wanted.
pub(super) struct Columns {
    wanted: Wanted,
    wdl: Column<i8>,
    certain: Column<bool>,
    dtz: Column<i16>,
    exact: Column<bool>,
    dtm: Column<i16>,
}

impl Columns {
    /// Columns for so many positions, if their number is known.
    pub(super) fn new(wanted: Wanted, total: Option<usize>) -> Columns {
        let total = total.unwrap_or(0);
        let of = |is_wanted: bool| if is_wanted { total } else { 0 };
        let all = of(wanted == Wanted::ALL);
        Columns {
            wanted,
            wdl: Column::new(i8::MIN, of(wanted.outcome)),
            certain: Column::new(false, all),
            dtz: Column::new(i16::MIN, of(wanted.dtz)),
            exact: Column::new(false, all),
            dtm: Column::new(i16::MIN, of(wanted.dtm)),
        }
    }

    /// Adds the answers for some positions.
    pub(super) fn extend(&mut self, pool: &ThreadPool, found: &Found) {
        pool.install(|| match found {
            Found::Outcomes(all) => self.wdl.extend(all, |one| Some(one.ok()? as i8)),
            Found::Distances(all) => {
                let plies = |(value, _): (Value, bool)| value.signed(Metric::Dtz);
                self.dtz.extend(all, |one| one.ok().map(plies));
            }
            Found::Labels(all) => self.extend_by_labels(all),
        });
    }

    fn extend_by_labels(&mut self, all: &[Result<Evaluation, Lack>]) {
        let wanted = self.wanted;
        if wanted.outcome {
            let outcome = |label: &Evaluation| label.outcome as i8;
            self.wdl.extend(all, |one| one.as_ref().ok().map(outcome));
        }
        if wanted.dtz {
            self.dtz
                .extend(all, |one| one.as_ref().ok()?.signed(Metric::Dtz));
        }
        if wanted.dtm {
            self.dtm
                .extend(all, |one| one.as_ref().ok()?.signed(Metric::Dtm));
        }
        if wanted == Wanted::ALL {
            let certain = |label: &Evaluation| label.certain;
            self.certain
                .extend(all, |one| one.as_ref().ok().map(certain));
            let exact = |label: &Evaluation| label.dtz.map(|_| label.exact);
            self.exact
                .extend(all, |one| one.as_ref().ok().and_then(exact));
        }
    }

    /// The column that is wanted, or all of them as a `Labels`.
    pub(super) fn finish<'py>(self, py: Python<'py>, shape: Option<&[usize]>) -> Made<'py> {
        match self.wanted {
            Wanted::WDL => self.wdl.finish(py, shape),
            Wanted::DTZ => self.dtz.finish(py, shape),
            Wanted::DTM => self.dtm.finish(py, shape),
            _ => {
                let all = (
                    self.wdl.finish(py, shape)?,
                    self.certain.finish(py, shape)?,
                    self.dtz.finish(py, shape)?,
                    self.exact.finish(py, shape)?,
                    self.dtm.finish(py, shape)?,
                );
                let class = py
                    .import(intern!(py, "tbindex.tables"))?
                    .getattr("Labels")?;
                class.call1(all)
            }
        }
    }
}

/// Texts or None as an array of objects.
pub(super) fn objects<'py>(texts: Bound<'py, PyList>, shape: Option<&[usize]>) -> Made<'py> {
    let numpy = texts.py().import(intern!(texts.py(), "numpy"))?;
    reshaped(numpy.call_method1("array", (texts, "O"))?, shape)
}
