//! All placements of a material.

use std::sync::atomic::{AtomicU64, Ordering};

use numpy::{Element, PyArray1, PyArrayDescr};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tbindex::batch::{Backend, BatchWord};
use tbindex::store::{self, Contents, FileWord, IndexWriter, Target};
use tbindex::{Color, Enumeration, Material, Numbering, Stage, StageCounts};

use crate::by_word::of_word;
use crate::enums::{Member, SideArg, spelled, truth};
use crate::errors::{Ended, OrRaise};
use crate::layout::PyLayout;
use crate::material::{MaterialArg, PyMaterial};
use crate::numbers::Number;
use crate::store::{PathArg, PyIndexFile, target, thread_count, watched};

/// All placements of a material up to a stage, in ascending order of their indices.
///
/// The stages are ``'all'`` (squares may be shared; pawns are on ranks 2 to 7), ``'distinct'`` (no two pieces
/// share a square), ``'kings_apart'`` (the kings are not neighbours) and ``'legal'`` (the side not to move is
/// not in check). Each includes the conditions of those before it. With ``canonical`` there is only the
/// canonical placement of each class. Iteration gives arrays of some thousands or millions of indices.
///
/// >>> all = Enumeration("KRvK", "legal", "white", canonical=True)
/// >>> len(all.indices())
/// 21959
/// >>> all.counts()
/// {'all': 32896, 'distinct': 31332, 'kings_apart': 28056, 'legal': 21959}
/// >>> sum(len(some) for some in all)
/// 21959
#[pyclass(name = "Enumeration", module = "tbindex", frozen, eq, hash)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PyEnumeration {
    layout: PyLayout,
    material: Material,
    numbering: Numbering,
    stage: Stage,
    side: Color,
    canonical: bool,
}

impl PyEnumeration {
    fn of<W: BatchWord>(&self) -> PyResult<Enumeration<W>> {
        let all = Enumeration::try_new(self.material, self.numbering).or_raise()?;
        let all = all.stage(self.stage, self.side);
        Ok(match self.canonical {
            true => all.canonical_only(),
            false => all,
        })
    }

    fn word(&self) -> FileWord {
        Contents::new(self.material, self.numbering).word()
    }

    /// Makes all indices, hands them to `take`, and counts them by stages.
    fn make<W: BatchWord>(
        &self,
        py: Python<'_>,
        threads: Option<Number<usize>>,
        progress: Option<Py<PyAny>>,
        take: impl FnMut(&[W]) -> Result<(), Ended> + Send,
    ) -> PyResult<StageCounts> {
        let (all, threads) = (self.of::<W>()?, thread_count(threads)?);
        watched(py, progress, |watch| {
            store::enumerate(&all, take, threads, |at| watch.tell(at))
        })
    }

    fn collect<'py, W: BatchWord + Element>(
        &self,
        py: Python<'py>,
        threads: Option<Number<usize>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut indices = Vec::<W>::new();
        self.make::<W>(py, threads, progress, |some| {
            let room = indices.try_reserve(some.len());
            room.map_err(|_| Ended::Raised(PyMemoryError::new_err(self.too_many())))?;
            indices.extend_from_slice(some);
            Ok(())
        })?;
        Ok(PyArray1::from_vec(py, indices).into_any())
    }

    fn too_many(&self) -> String {
        format!(
            "the indices of {} do not fit into memory: iterate over the enumeration, or write them to a file",
            self.material
        )
    }
}

#[pymethods]
impl PyEnumeration {
    #[new]
    #[pyo3(
        signature = (material, stage = "all", side = SideArg(Color::White), *, canonical = false,
            numbering = Member(Numbering::Natural)),
        text_signature = "(material, stage='all', side='white', *, canonical=False, numbering='natural')"
    )]
    fn new(
        material: MaterialArg,
        stage: &str,
        side: SideArg,
        canonical: bool,
        numbering: Member<Numbering>,
    ) -> PyResult<PyEnumeration> {
        let (material, numbering) = (material.0, numbering.0);
        Ok(PyEnumeration {
            layout: PyLayout::of(material.piece_count(), numbering)?,
            material,
            numbering,
            stage: spelled(stage)
                .parse()
                .or_else(|_| stage.parse())
                .or_raise()?,
            side: side.0,
            canonical,
        })
    }

    fn __repr__(&self) -> String {
        format!(
            "Enumeration('{}', '{}', '{}', canonical={}, numbering='{}')",
            self.material,
            self.stage,
            self.side,
            truth(self.canonical),
            self.numbering
        )
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, all) = (slf.py(), slf.get());
        let keywords = PyDict::new(py);
        keywords.set_item("canonical", all.canonical)?;
        keywords.set_item("numbering", Member(all.numbering))?;
        let new = py
            .import("functools")?
            .getattr("partial")?
            .call((slf.get_type(),), Some(&keywords))?;
        let arguments = (
            PyMaterial(all.material),
            all.stage.to_string(),
            all.side.to_string(),
        );
        Ok((new, arguments).into_pyobject(py)?.into_any())
    }

    /// The material.
    #[getter]
    fn material(&self) -> PyMaterial {
        PyMaterial(self.material)
    }

    /// The layout of the indices.
    #[getter]
    fn layout(&self) -> PyLayout {
        self.layout
    }

    /// The type of the indices.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDescr> {
        of_word!(self.word(), W => PyArrayDescr::of::<W>(py))
    }

    fn __iter__(&self) -> PyResult<Chunks> {
        let chunks = self.of::<u64>()?.chunk_count();
        Ok(Chunks {
            all: *self,
            chunks,
            next: AtomicU64::new(0),
        })
    }

    /// The number of placements that each stage leaves, by the names of the stages.
    ///
    /// ``threads`` is the number of threads, by default one for each processor. ``progress`` is called from time
    /// to time, as in ``tbindex.store``.
    #[pyo3(signature = (*, threads = None, progress = None))]
    fn counts<'py>(
        &self,
        py: Python<'py>,
        threads: Option<Number<usize>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let counts = of_word!(self.word(), W => self.make::<W>(py, threads, progress, |_| Ok(())))?;
        let by_name = PyDict::new(py);
        for stage in Stage::ALL.into_iter().filter(|&stage| stage <= self.stage) {
            by_name.set_item(stage.to_string(), counts[stage])?;
        }
        Ok(by_name)
    }

    /// All indices in one array. The arguments are those of ``counts``.
    #[pyo3(signature = (*, threads = None, progress = None))]
    fn indices<'py>(
        &self,
        py: Python<'py>,
        threads: Option<Number<usize>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        of_word!(self.word(), W => self.collect::<W>(py, threads, progress))
    }

    /// Write all indices to a file, as ``store.write`` does. The result is the new file, open.
    ///
    /// >>> all = Enumeration("KRvK", "legal", "white", canonical=True)
    /// >>> with all.write("KRvK-w.tbi") as file:
    /// ...     len(file), file.canonical, file.side
    /// (21959, True, 'white')
    #[pyo3(signature = (path, *, threads = None, compress = false, overwrite = false, progress = None))]
    fn write(
        &self,
        py: Python<'_>,
        path: PathArg,
        threads: Option<Number<usize>>,
        compress: bool,
        overwrite: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<PyIndexFile> {
        let target = target(path, compress, overwrite);
        of_word!(self.word(), W => self.write_words::<W>(py, &target, threads, progress))?;
        PyIndexFile::open(target.path)
    }
}

impl PyEnumeration {
    fn write_words<W: BatchWord>(
        &self,
        py: Python<'_>,
        target: &Target,
        threads: Option<Number<usize>>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let contents = Contents {
            side: (self.stage == Stage::Legal).then_some(self.side),
            canonical: self.canonical,
            sorted: true,
            distinct: true,
            ..Contents::new(self.material, self.numbering)
        };
        let writer = IndexWriter::<W>::create(target, contents, Backend::detect());
        let mut writer = writer.or_raise()?;
        self.make::<W>(py, threads, progress, |some| Ok(writer.write(some)?))?;
        py.detach(|| writer.finish()).or_raise().map(drop)
    }
}

/// The indices of an enumeration, in arrays.
#[pyclass(name = "Chunks", module = "tbindex._tbindex", frozen)]
pub(crate) struct Chunks {
    all: PyEnumeration,
    chunks: u64,
    next: AtomicU64,
}

impl Chunks {
    fn make<'py, W: BatchWord + Element>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let all = self.all.of::<W>()?;
        loop {
            let chunk = self.next.fetch_add(1, Ordering::Relaxed);
            if chunk >= self.chunks {
                self.next.store(self.chunks, Ordering::Relaxed);
                return Ok(None);
            }
            let mut indices = Vec::new();
            py.detach(|| all.chunk(chunk, &mut indices));
            py.check_signals()?;
            if !indices.is_empty() {
                return Ok(Some(PyArray1::from_vec(py, indices).into_any()));
            }
        }
    }
}

#[pymethods]
impl Chunks {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        of_word!(self.all.word(), W => self.make::<W>(py))
    }
}
