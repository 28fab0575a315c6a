//! The functions that make whole files of arrays or of other files.

use std::path::PathBuf;

use numpy::Element;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyMemoryView};
use tbindex::batch::Backend;
use tbindex::store::{
    Contents, IndexWriter, Method, Overwrite, Reduction, Rewrite, SetOperation, StoredWord, Target,
};
use tbindex::{Numbering, Symmetry};

use super::file::{FileArg, FilesArg, PathArg, PyIndexFile};
use crate::arrays::{Input, Words, for_words, of_word};
use crate::enums::{Member, SideArg};
use crate::errors::OrRaise;
use crate::material::MaterialArg;
use crate::numbers::{MemoryArg, Number, thread_count};
use crate::texts::{Keyword, is_text};
use crate::watch::{ProgressArg, Watch, watched};

/// The new file of some arguments.
pub(crate) fn target(path: PathBuf, compress: bool, overwrite: bool) -> Target {
    let overwrite = match overwrite {
        true => Overwrite::Replace,
        false => Overwrite::Refuse,
    };
    Target {
        compact: compress,
        ..Target::plain(path, overwrite)
    }
}

/// Write an array of indices to a file. The file claims to be sorted, distinct or canonical where that is
/// true.
///
/// The indices are of ``uint32`` up to 5 pieces, else of ``uint64``, and are written in the order that they
/// have, the last axis changing fastest if there are several: a file has no shape. ``indices`` may also be an iterable of such arrays, which are written one after the other; so a file
/// may be larger than the memory. ``side`` is the side to move, ``'white'`` or ``'black'``, if it is known. Only sorted indices can
/// be compressed. An existing file is replaced only with ``overwrite``, in one step once the new one is
/// complete. The result is the new file, open.
///
/// >>> indices = np.array([0o12, 0o77, 0o1234], np.uint32)
/// >>> with tbindex.store.write("some.tbi", indices, "KvK", side="white") as file:
/// ...     file.sorted, file.distinct, file.canonical, file.side
/// (True, True, False, 'white')
#[pyfunction]
#[pyo3(
    signature = (path, indices, material, *, numbering = Member(Numbering::Natural), side = None,
        compress = false, overwrite = false, progress = None),
    text_signature = "(path, indices, material, *, numbering='natural', side=None, compress=False, overwrite=False, progress=None)"
)]
#[expect(clippy::too_many_arguments, reason = "Python has arguments with names")]
pub(crate) fn write(
    py: Python<'_>,
    path: PathArg,
    indices: &Bound<'_, PyAny>,
    material: MaterialArg,
    numbering: Member<Numbering>,
    side: Option<SideArg>,
    compress: bool,
    overwrite: bool,
    progress: Option<ProgressArg>,
) -> PyResult<PyIndexFile> {
    let contents = Contents {
        sorted: compress,
        ..Contents::new(material.0, numbering.0).with_side(side.map(|side| side.0))
    };
    let target = target(path.named("path")?, compress, overwrite);
    let watch = Watch::new(progress);
    if let Some(parts) = parts(indices)? {
        of_word!(contents.word(), W => {
            let parts = parts.map(|part| Input::<W>::new("indices", &part?));
            write_parts(py, &target, contents, parts, None, watch)
        })?;
    } else {
        for_words!(Words::new("indices", indices)?, indices => {
            let total = indices.shape().iter().product::<usize>() as u64;
            write_parts(py, &target, contents, [Ok(indices)], Some(total), watch)
        })?;
    }
    PyIndexFile::open(target.path)
}

/// The iterator over arrays that an argument is, or `None` if it is an array itself or none of both.
fn parts<'py>(indices: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyIterator>>> {
    let py = indices.py();
    let is_array = indices.hasattr(intern!(py, "__array__"))?
        || indices.hasattr(intern!(py, "__arrow_c_array__"))?;
    if is_array || is_text(indices) || indices.is_instance_of::<PyMemoryView>() {
        return Ok(None);
    }
    Ok(indices.try_iter().ok())
}

/// The number of indices between two looks at the watch.
const WRITTEN: usize = 1 << 18;

/// Writes arrays one after the other, of so many indices in all, if that is known.
fn write_parts<'py, W: StoredWord + Element>(
    py: Python<'py>,
    target: &Target,
    contents: Contents,
    parts: impl IntoIterator<Item = PyResult<Input<'py, W>>>,
    total: Option<u64>,
    mut watch: Watch,
) -> PyResult<()> {
    let writer = IndexWriter::<W>::create(target, contents, Backend::detect());
    let mut writer = writer.or_raise()?.observing();
    for part in parts {
        let part = part?;
        let reading = part.read()?;
        let all = reading.slice();
        py.detach(|| {
            all.chunks(WRITTEN).try_for_each(|some| {
                writer.write(some).or_raise()?;
                watch.report("write", writer.count(), total)
            })
        })?;
    }
    py.detach(|| writer.finish()).or_raise().map(drop)
}

/// Write the canonical indices of files, sorted and each once.
///
/// The files are open ones or paths, all of one material and side to move. ``memory`` is the most that may
/// be used, as a number of bytes or as ``'512M'``. ``threads`` is the number of threads, by default one for each processor.
/// ``method`` is ``'auto'``, ``'bitmap'`` or ``'sort'``. ``temp`` is the folder for temporary files, by
/// default that of the new file. ``numbering`` is by default that of the first file.
///
/// ``progress`` is called from time to time with a stage (``'read'``, ``'sort'``, ``'write'``), the amount
/// of it that is done, and the whole amount or ``None``. An exception that it raises ends the work, as
/// Ctrl-C does, and then there is no new file. The result is the new file, open.
///
/// >>> _ = tbindex.store.write("some.tbi", np.arange(64**2, dtype=np.uint32), "KvK")
/// >>> with tbindex.store.reduce(["some.tbi"], "reduced.tbi") as file:
/// ...     len(file), file.canonical, file.distinct
/// (528, True, True)
#[pyfunction]
#[pyo3(
    signature = (files, output, *, numbering = None, memory = MemoryArg(1 << 30), threads = None, method = Keyword::new("auto"),
        temp = None, compress = false, overwrite = false, progress = None),
    text_signature = "(files, output, *, numbering=None, memory='1G', threads=None, method='auto', temp=None, compress=False, overwrite=False, progress=None)"
)]
#[expect(clippy::too_many_arguments, reason = "Python has arguments with names")]
pub(crate) fn reduce(
    py: Python<'_>,
    files: FilesArg,
    output: PathArg,
    numbering: Option<Member<Numbering>>,
    memory: MemoryArg,
    threads: Option<Number<usize>>,
    method: Keyword,
    temp: Option<PathArg>,
    compress: bool,
    overwrite: bool,
    progress: Option<ProgressArg>,
) -> PyResult<PyIndexFile> {
    let numbering = numbering.map_or(files.0[0].header().contents.numbering, |numbering| {
        numbering.0
    });
    let reduction = Reduction {
        memory: memory.0,
        threads: thread_count(threads)?,
        method: method.parsed::<Method>("method")?,
        temp: temp.map(|temp| temp.named("temp")).transpose()?,
        backend: Backend::detect(),
    };
    let target = target(output.named("output")?, compress, overwrite);
    watched(py, progress, |watch| {
        reduction.reduce_files_into(&files.0, numbering, &target, &mut |at| watch.tell(at))
    })?;
    PyIndexFile::open(target.path)
}

/// Functions that combine files as sets.
macro_rules! set_operations {
    ($($(#[$docs:meta])* $name:ident = $operation:ident;)+) => {$(
        $(#[$docs])*
        #[pyfunction]
        #[pyo3(
            signature = (files, output, *, memory = MemoryArg(1 << 30), threads = None, compress = false, overwrite = false,
                progress = None),
            text_signature = "(files, output, *, memory='1G', threads=None, compress=False, overwrite=False, progress=None)"
        )]
        #[expect(clippy::too_many_arguments, reason = "Python has arguments with names")]
        pub(crate) fn $name(
            py: Python<'_>,
            files: FilesArg,
            output: PathArg,
            memory: MemoryArg,
            threads: Option<Number<usize>>,
            compress: bool,
            overwrite: bool,
            progress: Option<ProgressArg>,
        ) -> PyResult<PyIndexFile> {
            let target = target(output.named("output")?, compress, overwrite);
            let threads = thread_count(threads)?;
            watched(py, progress, |watch| {
                SetOperation::$operation.combine_files_into(
                    &files.0,
                    &target,
                    memory.0,
                    threads,
                    &mut |at| watch.tell(at),
                )
            })?;
            PyIndexFile::open(target.path)
        }
    )+};
}

set_operations! {
    /// Write the indices that are in any of several files. The files are open ones or paths, sorted and
    /// distinct as ``reduce`` makes them, all of one material, numbering and side to move. ``memory`` is the
    /// most that may be used, as in ``reduce``, besides open files that are mapped. The result is the new file, open.
    union = Union;
    /// Write the indices that are in all of several files. All else is as in ``union``.
    intersection = Intersection;
    /// Write the indices that are in the first of several files and in no other. All else is as in
    /// ``union``.
    difference = Difference;
}

/// Functions that write a file's positions otherwise.
macro_rules! rewrites {
    ($($(#[$docs:meta])* $name:ident as $python:literal, $to:ident: $type:ty = $rewrite:ident;)+) => {$(
        $(#[$docs])*
        #[pyfunction]
        #[pyo3(name = $python, signature = (file, output, $to, *, threads = None, overwrite = false, progress = None))]
        pub(crate) fn $name(
            py: Python<'_>,
            file: FileArg,
            output: PathArg,
            $to: Member<$type>,
            threads: Option<Number<usize>>,
            overwrite: bool,
            progress: Option<ProgressArg>,
        ) -> PyResult<PyIndexFile> {
            let rewrite = Rewrite::$rewrite($to.0);
            let target = target(output.named("output")?, false, overwrite);
            let threads = thread_count(threads)?;
            watched(py, progress, |watch| {
                rewrite.rewrite_file_into(&file.0, &target, threads, &mut |at| watch.tell(at))
            })?;
            PyIndexFile::open(target.path)
        }
    )+};
}

rewrites! {
    /// Write a file's positions under another numbering, in the order that they have.
    ///
    /// >>> _ = tbindex.store.write("some.tbi", np.array([0o13], np.uint32), "KvK")
    /// >>> with tbindex.store.convert("some.tbi", "other.tbi", "alternate") as file:
    /// ...     oct(file.indices[0]), file.numbering
    /// ('0o200', <Numbering.ALTERNATE: 1>)
    change_numbering as "convert", numbering: Numbering = Convert;
    /// Write the images of a file's positions under a symmetry, in the order that they have.
    ///
    /// >>> _ = tbindex.store.write("some.tbi", np.array([0o12], np.uint32), "KvK")
    /// >>> with tbindex.store.transform("some.tbi", "other.tbi", Symmetry.FLIP_VERTICAL) as file:
    /// ...     oct(file.indices[0])
    /// '0o7712'
    transform as "transform", symmetry: Symmetry = Transform;
}
