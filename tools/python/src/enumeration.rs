//! All placements of a material.

use numpy::{PyArray1, PyArrayDescr};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tbindex::batch::Backend;
use tbindex::store::{self, Contents, IndexWriter, StoreError, StoredWord};
use tbindex::{Color, Enumeration, Material, Numbering, Stage, StageCounts};

use crate::arrays::{Made, of_word};
use crate::classes::{getters, made_by};
use crate::enums::{Member, SideArg};
use crate::errors::OrRaise;
use crate::layout::PyLayout;
use crate::material::{MaterialArg, PyMaterial};
use crate::numbers::{Number, thread_count};
use crate::parts::parts;
use crate::store::{PathArg, PyIndexFile, target};
use crate::texts::Keyword;
use crate::watch::{ProgressArg, watched};

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
    stage: Stage,
    side: Color,
    canonical: bool,
}

impl PyEnumeration {
    fn of<W: StoredWord>(&self) -> PyResult<Enumeration<W>> {
        let all = Enumeration::try_new(self.material, self.layout.numbering).or_raise()?;
        let all = all.stage(self.stage, self.side);
        Ok(match self.canonical {
            true => all.canonical_only(),
            false => all,
        })
    }

    /// Makes all indices, hands them to `take`, and counts them by stages.
    fn make<W: StoredWord>(
        &self,
        py: Python<'_>,
        threads: Option<Number<usize>>,
        progress: Option<ProgressArg>,
        mut take: impl FnMut(&[W]) -> Result<(), StoreError> + Send,
    ) -> PyResult<StageCounts> {
        let (all, threads) = (self.of::<W>()?, thread_count(threads)?);
        watched(py, progress, |watch| {
            store::enumerate(&all, &mut take, threads, &mut |at| watch.tell(at))
        })
    }

    fn no_room(&self) -> PyErr {
        PyMemoryError::new_err(format!(
            "the indices of {} do not fit into memory: iterate over the enumeration, or write them to a file",
            self.material
        ))
    }
}

made_by!(
    PyEnumeration,
    |all, _| (
        all.material.to_string(),
        all.stage.to_string(),
        all.side.to_string()
    ),
    (
        ("canonical", all.canonical),
        ("numbering", all.layout.numbering.to_string()),
    )
);

getters! { PyEnumeration, all;
    /// The material.
    material: PyMaterial = PyMaterial(all.material);
    /// The layout of the indices.
    layout: PyLayout = all.layout;
}

#[pymethods]
impl PyEnumeration {
    #[new]
    #[pyo3(
        signature = (material, stage = Keyword::new("all"), side = SideArg(Color::White), *, canonical = false,
            numbering = Member(Numbering::Natural)),
        text_signature = "(material, stage='all', side='white', *, canonical=False, numbering='natural')"
    )]
    fn new(
        material: MaterialArg,
        stage: Keyword,
        side: SideArg,
        canonical: bool,
        numbering: Member<Numbering>,
    ) -> PyResult<PyEnumeration> {
        Ok(PyEnumeration {
            layout: PyLayout::of(material.0.piece_count(), numbering.0)?,
            material: material.0,
            stage: stage.parsed("stage")?,
            side: side.0,
            canonical,
        })
    }

    /// The type of the indices.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDescr> {
        self.layout.dtype(py)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> Made<'py> {
        let chunks = of_word!(self.layout.word(), W => {
            let all = self.of::<W>()?;
            parts(py, all.chunk_count(), move |py, chunk| {
                let mut indices = Vec::new();
                py.detach(|| all.chunk(chunk, &mut indices));
                py.check_signals()?;
                Ok(PyArray1::from_vec(py, indices).into_any().unbind())
            })?
        });
        // Some are empty.
        let builtins = py.import("builtins")?;
        builtins.call_method1("filter", (builtins.getattr("len")?, chunks))
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
        progress: Option<ProgressArg>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let counts =
            of_word!(self.layout.word(), W => self.make::<W>(py, threads, progress, |_| Ok(())))?;
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
        progress: Option<ProgressArg>,
    ) -> Made<'py> {
        of_word!(self.layout.word(), W => {
            let (mut indices, mut has_room) = (Vec::<W>::new(), true);
            let made = self.make(py, threads, progress, |some| {
                has_room = indices.try_reserve(some.len()).is_ok();
                match has_room {
                    true => indices.extend_from_slice(some),
                    false => return Err(StoreError::cancelled()),
                }
                Ok(())
            });
            made.map_err(|error| if has_room { error } else { self.no_room() })?;
            Ok(PyArray1::from_vec(py, indices).into_any())
        })
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
        progress: Option<ProgressArg>,
    ) -> PyResult<PyIndexFile> {
        let target = target(path.named("path")?, compress, overwrite);
        let contents = Contents {
            side: (self.stage == Stage::Legal).then_some(self.side),
            canonical: self.canonical,
            sorted: true,
            distinct: true,
            ..Contents::new(self.material, self.layout.numbering)
        };
        of_word!(self.layout.word(), W => {
            let writer = IndexWriter::<W>::create(&target, contents, Backend::detect());
            let mut writer = writer.or_raise()?;
            self.make(py, threads, progress, |some| writer.write(some))?;
            py.detach(|| writer.finish()).or_raise()?;
        });
        PyIndexFile::open(target.path)
    }
}
