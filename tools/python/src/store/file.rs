//! An index file as a view of the map.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use numpy::ndarray::ArrayView1;
use numpy::{Element, PyArray1, PyArrayDescr, PyArrayMethods, PyReadwriteArray};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyString};
use tbindex::store::{Access, AnyStorage, BlockBuffer, Header, IndexFile, with_word};
use tbindex::{Color, Group, Numbering, Word};

use super::threads::thread_count;
use super::watch::Watch;
use crate::arrays::Output;
use crate::enums::Member;
use crate::errors::{Ended, OrRaise};
use crate::material::PyMaterial;

/// A file's bytes, shared by the file and the arrays that were made of it.
#[derive(Clone)]
pub(crate) struct Bytes(Arc<dyn AsRef<[u8]> + Send + Sync>);

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}

/// The object to which an array of a file's indices refers, so that the map lives as long as the array.
#[pyclass(name = "Map", module = "tbindex._tbindex", frozen)]
pub(crate) struct Map(IndexFile<Bytes>);

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
    header: Header,
    /// The file, or `None` once it is closed.
    file: Mutex<Option<IndexFile<Bytes>>>,
}

impl PyIndexFile {
    pub(super) fn open(path: PathBuf) -> PyResult<PyIndexFile> {
        let AnyStorage::Map(map) = AnyStorage::open(&path, Access::Map).or_raise()? else {
            return Err(PyValueError::new_err("the file was not mapped"));
        };
        let bytes = Bytes(Arc::new(map));
        let file = IndexFile::from_bytes(&path, bytes).or_raise()?;
        Ok(PyIndexFile {
            path,
            header: *file.header(),
            file: Mutex::new(Some(file)),
        })
    }

    /// The file, unless it is closed.
    pub(super) fn file(&self) -> PyResult<IndexFile<Bytes>> {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.clone().ok_or_else(|| {
            PyValueError::new_err(format!("{}: the file is closed", self.path.display()))
        })
    }

    fn view<'py, W: Word + Element>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let map = Bound::new(py, Map(self.file()?))?;
        let indices = ArrayView1::from(map.get().0.indices::<W>().or_raise()?);
        #[expect(unsafe_code, reason = "numpy is to look at memory that it doesn't own")]
        // SAFETY: the array refers to `map`, which holds the bytes that the indices lie in and never
        // changes; a map stays where it is. No other code runs before the array is made read-only, and
        // numpy never undoes that, as `map` has no writable buffer.
        let array = unsafe { PyArray1::borrow_from_array(&indices, map.clone().into_any()) };
        let array = array
            .try_readwrite()
            .map(PyReadwriteArray::make_nonwriteable);
        let array = array.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(array.as_any().clone())
    }

    fn read_into<'py, W: Word + Element>(
        &self,
        py: Python<'py>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let file = self.file()?;
        let count = usize::try_from(file.header().count)?;
        let mut output = Output::<W>::new(py, "out", out, &[count])?;
        {
            let mut writing = output.write()?;
            let mut rest = writing.slice();
            let mut watch = Watch::new(None);
            let read: Result<(), Ended> = py.detach(|| {
                let mut buffer = BlockBuffer::new();
                for number in 0..file.header().block_count {
                    let block = file.read_checked_block::<W>(number, &mut buffer)?;
                    let (to, after) = rest.split_at_mut(block.len());
                    to.copy_from_slice(block);
                    rest = after;
                    watch.report("read", number, None)?;
                }
                Ok(())
            });
            read.or_raise()?;
        }
        output.finish()
    }
}

#[pymethods]
impl PyIndexFile {
    #[new]
    fn new(path: PathArg) -> PyResult<PyIndexFile> {
        PyIndexFile::open(path.0)
    }

    fn __repr__(&self) -> String {
        let Header {
            material, count, ..
        } = self.header;
        format!(
            "<IndexFile {:?}: {material}, {count} indices{}>",
            self.path,
            if self.closed() { ", closed" } else { "" }
        )
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(usize::try_from(self.header.count)?)
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
        *self.file.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Whether the file was closed.
    #[getter]
    fn closed(&self) -> bool {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.is_none()
    }

    /// The file's path.
    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// The pieces.
    #[getter]
    fn material(&self) -> PyMaterial {
        PyMaterial(self.header.material)
    }

    /// The numbering of the squares.
    #[getter]
    fn numbering(&self) -> Member<Numbering> {
        Member(self.header.numbering)
    }

    /// The symmetries under which positions count as the same, which are those of the material.
    #[getter]
    fn group(&self) -> Member<Group> {
        Member(self.header.group)
    }

    /// The side to move, ``'white'`` or ``'black'``, or ``None`` if it is not known.
    #[getter]
    fn side(&self) -> Option<&'static str> {
        self.header.side.map(Color::name)
    }

    /// Whether the file says that every index is the smallest of its equivalents.
    #[getter]
    fn canonical(&self) -> bool {
        self.header.canonical
    }

    /// Whether the file says that the indices ascend.
    #[getter]
    fn sorted(&self) -> bool {
        self.header.sorted
    }

    /// Whether the file says that no index occurs twice.
    #[getter]
    fn distinct(&self) -> bool {
        self.header.distinct
    }

    /// Whether the indices are compressed. If they are, ``read()`` gives them, and ``indices`` does not
    /// exist.
    #[getter]
    fn compressed(&self) -> bool {
        self.header.compact
    }

    /// The type of the indices: ``uint32`` up to 5 pieces, else ``uint64``.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> Bound<'py, PyArrayDescr> {
        with_word!(self.header.word_bits, W => PyArrayDescr::of::<W>(py))
    }

    /// All indices where they lie, as a read-only array over the map.
    #[getter]
    fn indices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        with_word!(self.header.word_bits, W => self.view::<W>(py))
    }

    /// The array that ``numpy.asarray(file)`` gives: ``indices``, copied if needed.
    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
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
    fn read<'py>(
        &self,
        py: Python<'py>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        with_word!(self.header.word_bits, W => self.read_into::<W>(py, out))
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
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let threads = thread_count(threads)?;
        let (file, mut watch) = (self.file()?, Watch::new(progress));
        let verified = py.detach(|| file.verify(threads, |at| watch.tell(at)));
        verified.or_raise().map(drop)
    }

    /// Whether a sorted file holds an index.
    fn __contains__(&self, py: Python<'_>, index: &Bound<'_, PyAny>) -> PyResult<bool> {
        let file = self.file()?;
        // A number of more than 64 bits is looked for, too, as the file may be one that can't be searched.
        let found = match index.extract::<u64>() {
            Ok(index) => py.detach(|| file.contains(index)),
            Err(error) if error.is_instance_of::<PyOverflowError>(py) => {
                py.detach(|| file.contains(u64::MAX)).map(|_| false)
            }
            Err(error) => return Err(error),
        };
        found.or_raise()
    }

    /// The number of indices of a sorted file that are smaller than this one.
    ///
    /// >>> _ = tbindex.store.write("two.tbi", np.array([0o12, 0o77], np.uint32), "KvK")
    /// >>> file = IndexFile("two.tbi")
    /// >>> file.rank(0o77), file.rank(0o7777), 0o77 in file, 0o76 in file
    /// (1, 2, True, False)
    fn rank(&self, py: Python<'_>, index: u64) -> PyResult<u64> {
        let file = self.file()?;
        py.detach(|| file.rank(index)).or_raise()
    }
}

/// A path as an argument, of any type that the functions of `os` take.
pub(crate) struct PathArg(pub(crate) PathBuf);

impl FromPyObject<'_, '_> for PathArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let path = py
            .import("os")?
            .call_method1(intern!(py, "fsdecode"), (object,))?;
        path.extract().map(PathArg)
    }
}

/// A file to work on, which is open or is opened for the work.
pub(crate) enum FileArg {
    Open(IndexFile<Bytes>),
    Path(PathBuf),
}

impl FromPyObject<'_, '_> for FileArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match object.cast::<PyIndexFile>() {
            Ok(file) => file.get().file().map(FileArg::Open),
            Err(_) => object.extract().map(|PathArg(path)| FileArg::Path(path)),
        }
    }
}

impl FileArg {
    /// The file, mapped.
    pub(super) fn open(self) -> PyResult<IndexFile<Bytes>> {
        match self {
            FileArg::Open(file) => Ok(file),
            FileArg::Path(path) => PyIndexFile::open(path)?.file(),
        }
    }
}

/// The files to work on: any sequence of them.
pub(crate) struct FilesArg(pub(crate) Vec<FileArg>);

impl FromPyObject<'_, '_> for FilesArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        // A text is a sequence, too, but not one of files.
        let is_text = object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>();
        let Some(files) = object.try_iter().ok().filter(|_| !is_text) else {
            return Err(PyTypeError::new_err(format!(
                "files: {}: expected a sequence of files or paths",
                object.get_type().name()?
            )));
        };
        let files = files.map(|file| file?.extract());
        files.collect::<PyResult<_>>().map(FilesArg)
    }
}
