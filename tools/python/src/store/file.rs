//! An index file as a view of the map.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use numpy::ndarray::ArrayView1;
use numpy::{Element, PyArray1, PyArrayDescr};
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyCapsule, PyRange, PyRangeMethods, PySlice, PyType};
use pyo3::{PyTypeInfo, intern};
use tbindex::batch::Backend;
use tbindex::store::{Header, IndexFile, IndexReader, StoredWord};
use tbindex::{Group, Numbering, Word};

use super::table::{index_file_array, index_file_stream, table_of};
use crate::arrays::{Made, Out, Output, Words, for_words, of_word};
use crate::arrow::{Capsules, schema_capsule};
use crate::classes::getters;
use crate::enums::Member;
use crate::errors::{Named, OrRaise, unexpected};
use crate::material::PyMaterial;
use crate::numbers::{Number, thread_count};
use crate::parts::parts;
use crate::texts::is_text;
use crate::views::read_only;
use crate::watch::{ProgressArg, in_parts, watched};

/// The object to which an array of a file's indices refers, so that the map lives as long as the array.
#[pyclass(module = "tbindex._tbindex", frozen)]
struct Map(IndexFile);

/// An index file, mapped into memory.
///
/// ``indices`` is a read-only array over the map, of which nothing is read before it is used. Closing the
/// file, as the ``with`` statement does, ends the use of this object. Arrays that were made of it keep the
/// map and stay valid.
///
/// Opening checks the header; ``verify()`` checks everything. Other programs must not change the file
/// meanwhile. The library itself never changes files, but replaces them.
///
/// >>> _ = tbindex.store.write("two.tbi", np.array([0o12, 0o77], np.uint32), "KvK")
/// >>> with IndexFile("two.tbi") as file:
/// ...     indices = file.indices
/// ...     file.material, len(file), file.sorted
/// (Material('KvK'), 2, True)
/// >>> indices
/// array([10, 63], dtype=uint32)
/// >>> indices.flags.writeable, file.closed
/// (False, True)
#[pyclass(name = "IndexFile", module = "tbindex", frozen)]
pub(crate) struct PyIndexFile {
    path: PathBuf,
    /// The path from the root, whatever folder the process goes to.
    absolute: PathBuf,
    header: Header,
    /// The file, or `None` once it is closed.
    file: Mutex<Option<IndexFile>>,
}

/// The number of indices between two looks at the watch: whole blocks of any file.
const READ: usize = 1 << 18;

impl PyIndexFile {
    pub(crate) fn open(path: PathBuf) -> PyResult<PyIndexFile> {
        #[expect(unsafe_code, reason = "arrays are views of the mapped file")]
        // SAFETY: the class's documentation asks for it that nothing changes the file while it is open.
        let file = unsafe { IndexFile::map(&path, Backend::detect()) }.or_raise()?;
        let absolute = std::path::absolute(&path)?;
        Ok(PyIndexFile {
            path,
            absolute,
            header: *file.header(),
            file: Mutex::new(Some(file)),
        })
    }

    /// The file, unless it is closed.
    pub(super) fn file(&self) -> PyResult<IndexFile> {
        self.held().clone().ok_or_else(|| {
            PyValueError::new_err(format!("{}: the file is closed", self.path.display()))
        })
    }

    fn view<'py, W: StoredWord + Element>(&self, py: Python<'py>) -> Made<'py> {
        let map = Bound::new(py, Map(self.file()?))?;
        let indices = map.get().0.reader::<W>().and_then(IndexReader::indices);
        let indices = ArrayView1::from(indices.or_raise()?);
        Ok(read_only(&indices, map.clone().into_any())?.into_any())
    }

    /// The indices of some positions, copied and checked.
    fn part<'py, W: StoredWord + Element>(
        py: Python<'py>,
        file: &IndexFile,
        positions: Range<u64>,
    ) -> Made<'py> {
        let mut words = vec![W::ZERO; usize::try_from(positions.end - positions.start)?];
        let read = py.detach(|| file.reader()?.read_into(positions.start, &mut words));
        read.or_raise()?;
        Ok(PyArray1::from_vec(py, words).into_any())
    }

    /// One index, or the indices of a slice.
    fn item<'py, W: StoredWord + Element>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
    ) -> Made<'py> {
        if !self.header.compact {
            return self.view::<W>(py)?.get_item(key);
        }
        let (file, count) = (self.file()?, self.header.count);
        let part = |first: u64, last: u64| Self::part::<W>(py, &file, first..last + 1);
        // Python's range knows how numbers and slices count.
        let positions = PyRange::new(py, 0, isize::try_from(count)?)?;
        if key.is_instance_of::<PySlice>() {
            let asked = positions.get_item(key)?.cast_into::<PyRange>()?;
            if asked.is_empty()? {
                return Self::part::<W>(py, &file, 0..0);
            }
            // The first and the last position that are asked for, and all between.
            let (first, last): (u64, u64) = (
                asked.get_item(0)?.extract()?,
                asked.get_item(-1)?.extract()?,
            );
            let steps = PySlice::type_object(py).call1((py.None(), py.None(), asked.step()?))?;
            return part(first.min(last), first.max(last))?.get_item(steps);
        }
        let position = positions.get_item(key).map_err(|error| {
            match error.is_instance_of::<PyIndexError>(py) {
                true => PyIndexError::new_err(format!("{key}: the file has {count} indices")),
                false => PyTypeError::new_err(
                    "the indices of a file are numbered by whole numbers and slices",
                ),
            }
        })?;
        let position = position.extract()?;
        part(position, position)?.get_item(0)
    }

    fn held(&self) -> MutexGuard<'_, Option<IndexFile>> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

getters! { PyIndexFile, file;
    /// Whether the file was closed.
    closed: bool = file.held().is_none();
    /// The file's path, a ``pathlib.Path``.
    path: PathBuf = file.path.clone();
    /// The pieces.
    material: PyMaterial = PyMaterial(file.header.contents.material);
    /// The numbering of the squares.
    numbering: Member<Numbering> = Member(file.header.contents.numbering);
    /// The symmetries under which positions count as the same, which are those of the material.
    group: Member<Group> = Member(file.header.contents.material.group());
    /// The side to move, ``'white'`` or ``'black'``, or ``None`` if it is not known.
    side: Option<String> = file.header.contents.side.map(|side| side.to_string());
    /// Whether the file says that every index is the smallest of its equivalents.
    canonical: bool = file.header.contents.canonical;
    /// Whether the file says that the indices ascend.
    sorted: bool = file.header.contents.sorted;
    /// Whether the file says that no index occurs twice.
    distinct: bool = file.header.contents.distinct;
    /// Whether the indices are compressed. If they are, ``read()`` gives them, and ``indices`` does not
    /// exist.
    compressed: bool = file.header.compact;
}

#[pymethods]
impl PyIndexFile {
    #[new]
    fn new(path: PathArg) -> PyResult<PyIndexFile> {
        PyIndexFile::open(path.named("path")?)
    }

    fn __repr__(&self) -> String {
        let Header {
            contents, count, ..
        } = self.header;
        format!(
            "<IndexFile {:?}: {}, {count} indices{}>",
            self.path,
            contents.material,
            if self.closed() { ", closed" } else { "" }
        )
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(usize::try_from(self.header.count)?)
    }

    fn __getitem__<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> Made<'py> {
        of_word!(self.header.word, W => self.item::<W>(py, key))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> Made<'py> {
        let chain = py.import("itertools")?.getattr("chain")?;
        chain.call_method1("from_iterable", (self.blocks(py)?,))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, (PathBuf,))> {
        slf.get().file()?;
        Ok((slf.get_type(), (slf.get().absolute.clone(),)))
    }

    /// An iterator over all indices, in arrays of some thousands, each a block of the file. The checksums are
    /// checked on the way.
    ///
    /// >>> _ = tbindex.store.write("two.tbi", np.array([0o12, 0o77], np.uint32), "KvK")
    /// >>> list(IndexFile("two.tbi").blocks())
    /// [array([10, 63], dtype=uint32)]
    fn blocks<'py>(&self, py: Python<'py>) -> Made<'py> {
        let (file, header) = (self.file()?, self.header);
        let items = u64::from(header.block_items);
        parts(py, header.block_count, move |py, number| {
            let block = number * items..header.count.min((number + 1) * items);
            of_word!(header.word, W => Self::part::<W>(py, &file, block)).map(Bound::unbind)
        })
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Capsules<'py>> {
        // A request is a wish only.
        let _ = requested_schema;
        index_file_array(py, self.file()?)
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        index_file_stream(py, self.file()?)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, table_of(&self.header))
    }

    fn __enter__(slf: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
        slf.get().file()?;
        Ok(slf)
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, pyo3::types::PyTuple>) {
        self.close();
    }

    /// Lets go of the file. Arrays that were made of it stay.
    fn close(&self) {
        *self.held() = None;
    }

    /// The type of the indices: ``uint32`` up to 5 pieces, else ``uint64``.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDescr> {
        of_word!(self.header.word, W => PyArrayDescr::of::<W>(py))
    }

    /// All indices where they lie, as a read-only array over the map.
    #[getter]
    fn indices<'py>(&self, py: Python<'py>) -> Made<'py> {
        of_word!(self.header.word, W => self.view::<W>(py))
    }

    /// The array that ``numpy.asarray(file)`` gives: ``indices``, copied if needed.
    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> Made<'py> {
        let how = [("copy", copy)].into_py_dict(py)?;
        how.set_item("dtype", dtype)?;
        py.import("numpy")?
            .call_method("array", (self.indices(py)?,), Some(&how))
    }

    /// All indices, copied into an array. The checksums are checked on the way. Compressed files can be
    /// read, too.
    ///
    /// >>> _ = tbindex.store.write("two.tbi", np.array([0o12, 0o77], np.uint32), "KvK", compress=True)
    /// >>> IndexFile("two.tbi").read()
    /// array([10, 63], dtype=uint32)
    #[pyo3(signature = (*, out = None))]
    fn read<'py>(&self, py: Python<'py>, out: Out<'_, 'py>) -> Made<'py> {
        let (file, count) = (self.file()?, self.__len__()?);
        of_word!(self.header.word, W => {
            let mut output = Output::<W>::new(py, "out", out, &[count], false)?;
            let mut writing = output.write()?;
            let (all, reader) = (writing.slice(), file.reader::<W>().or_raise()?);
            py.detach(|| in_parts(all.len(), READ, |part| {
                reader.read_into(part.start as u64, &mut all[part]).or_raise()
            }))?;
            drop(writing);
            output.finish()
        })
    }

    /// Reads every byte, checks every claim, and raises the first fault.
    ///
    /// ``threads`` is the number of threads, by default one for each processor. ``progress`` is called from
    /// time to time with ``'verify'``, the bytes done, and the bytes in all. An exception that it raises
    /// ends the work.
    #[pyo3(signature = (*, threads = None, progress = None))]
    fn verify(
        &self,
        py: Python<'_>,
        threads: Option<Number<usize>>,
        progress: Option<ProgressArg>,
    ) -> PyResult<()> {
        let threads = thread_count(threads)?;
        let file = self.file()?;
        watched(py, progress, |watch| {
            file.verify(threads, &mut |at| watch.tell(at))
        })
        .map(drop)
    }

    /// Whether a sorted file holds an index.
    fn __contains__(&self, py: Python<'_>, index: &Bound<'_, PyAny>) -> PyResult<bool> {
        let file = self.file()?;
        // A number of more than 64 bits is looked for, too, as the file may be one that can't be searched.
        let found = match index.extract::<u64>() {
            Ok(index) => py.detach(|| file.search(index)).map(|found| found.is_ok()),
            Err(error) if error.is_instance_of::<PyOverflowError>(py) => {
                py.detach(|| file.search(u64::MAX)).map(|_| false)
            }
            Err(error) => return Err(error),
        };
        found.or_raise()
    }

    /// The number of indices of a sorted file that are smaller than this one, or for an array of indices of the file's type such numbers
    /// as an array of ``int64``.
    ///
    /// >>> _ = tbindex.store.write("two.tbi", np.array([0o12, 0o77], np.uint32), "KvK")
    /// >>> file = IndexFile("two.tbi")
    /// >>> file.rank(0o77), file.rank(0o7777), 0o77 in file, 0o76 in file
    /// (1, 2, True, False)
    /// >>> file.rank(np.array([0o77, 0o7777], np.uint32))
    /// array([1, 2])
    fn rank<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> Made<'py> {
        let file = self.file()?;
        let number = index.extract::<Number<u64>>()?.named("index");
        if !matches!(&number, Err(error) if error.is_instance_of::<PyTypeError>(py)) {
            let index = number?;
            let found = py.detach(|| file.search(index)).or_raise()?;
            let rank = found.unwrap_or_else(|rank| rank);
            return Ok(rank.into_pyobject(py)?.into_any());
        }
        for_words!(Words::new("index", index)?, indices => {
            let mut output = Output::<i64>::like("out", None, &indices)?;
            let reading = indices.read()?;
            let mut writing = output.write()?;
            let (from, to) = (reading.slice(), writing.slice());
            py.detach(|| in_parts(from.len(), READ, |part| {
                for (to, index) in to[part.clone()].iter_mut().zip(&from[part]) {
                    let found = file.search(Word::to_u64(*index)).or_raise()?;
                    *to = found.unwrap_or_else(|rank| rank) as i64;
                }
                Ok(())
            }))?;
            drop((reading, writing));
            output.finish()
        })
    }
}

/// A path as an argument, of any type that the functions of `os` take, or the error that it is none.
pub(crate) struct PathArg(PyResult<PathBuf>);

impl PathArg {
    /// The path of an argument with this name.
    pub(crate) fn named(self, name: &str) -> PyResult<PathBuf> {
        self.0.named(name)
    }
}

impl FromPyObject<'_, '_> for PathArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let path = py
            .import("os")?
            .call_method1(intern!(py, "fsdecode"), (object,));
        Ok(PathArg(path.and_then(|path| path.extract())))
    }
}

/// A file to work on, which is open or is opened for the work.
pub(crate) struct FileArg(pub(super) IndexFile);

impl FromPyObject<'_, '_> for FileArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        opened("file", &object).map(FileArg)
    }
}

/// The file that an argument with this name is, or that it is the path of.
fn opened(name: &str, object: &Bound<'_, PyAny>) -> PyResult<IndexFile> {
    match object.cast::<PyIndexFile>() {
        Ok(file) => file.get().file(),
        Err(_) => PyIndexFile::open(object.extract::<PathArg>()?.named(name)?)?.file(),
    }
}

/// The files to work on: any sequence of them.
pub(crate) struct FilesArg(pub(super) Vec<IndexFile>);

impl FromPyObject<'_, '_> for FilesArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        // A text or a file is a sequence, too, but not one of files.
        let is_one = is_text(&object) || object.is_instance_of::<PyIndexFile>();
        let Some(files) = object.try_iter().ok().filter(|_| !is_one) else {
            let expected = "a sequence of files or paths";
            return Err(unexpected("files", &object, expected));
        };
        let files = files.map(|file| opened("files", &file?));
        let files: Vec<IndexFile> = files.collect::<PyResult<_>>()?;
        match files.is_empty() {
            true => Err(PyValueError::new_err("files: expected at least one")),
            false => Ok(FilesArg(files)),
        }
    }
}
