"""Index files: written from arrays, reduced, and combined as sets.

A new file is written beside its target and renamed when it is complete, so a name has a whole
file or none. Interrupted work leaves nothing behind.

If ``progress`` is given, it is called from time to time with a stage, the amount of it that is done, and
the whole amount or ``None``. An exception that it raises ends the work, as Ctrl-C does.

>>> first = write("first.tbi", np.array([1, 5, 9], np.uint32), "KvK")
>>> second = write("second.tbi", np.array([5, 7], np.uint32), "KvK")
>>> union([first, second], "union.tbi").indices
array([1, 5, 7, 9], dtype=uint32)
>>> intersection([first, second], "intersection.tbi").indices
array([5], dtype=uint32)
>>> difference([first, second], "difference.tbi").indices
array([1, 9], dtype=uint32)
"""

from __future__ import annotations

from collections.abc import Iterable as _Iterable
from typing import TYPE_CHECKING as _TYPE_CHECKING

from ._tbindex import IndexFile, combine as _combine, convert, reduce, transform, write

if _TYPE_CHECKING:
    from ._tbindex import _File, _Path, _Progress

__all__ = [
    "IndexFile",
    "convert",
    "difference",
    "intersection",
    "reduce",
    "transform",
    "union",
    "write",
]


def __dir__() -> list[str]:
    return __all__


def union(
    files: _Iterable[_File],
    output: _Path,
    *,
    threads: int | None = None,
    compress: bool = False,
    overwrite: bool = False,
    progress: _Progress | None = None,
) -> IndexFile:
    """Write the indices that are in any of several files. The files are open ones or paths, sorted and
    distinct as ``reduce`` makes them, all of one material, numbering and side to move. The result is the
    new file, open."""
    return _combine("union", files, output, threads, compress, overwrite, progress)


def intersection(
    files: _Iterable[_File],
    output: _Path,
    *,
    threads: int | None = None,
    compress: bool = False,
    overwrite: bool = False,
    progress: _Progress | None = None,
) -> IndexFile:
    """Write the indices that are in all of several files. All else is as in ``union``."""
    return _combine("intersection", files, output, threads, compress, overwrite, progress)


def difference(
    files: _Iterable[_File],
    output: _Path,
    *,
    threads: int | None = None,
    compress: bool = False,
    overwrite: bool = False,
    progress: _Progress | None = None,
) -> IndexFile:
    """Write the indices that are in the first of several files and in no other. All else is as in
    ``union``."""
    return _combine("difference", files, output, threads, compress, overwrite, progress)
