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

from ._tbindex import IndexFile, convert, difference, intersection, reduce, transform, union, write

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


def __dir__() -> "list[str]":
    return __all__
