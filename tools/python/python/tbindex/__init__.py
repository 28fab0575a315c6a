"""Interleaved indices of chess positions in numpy arrays.

An index has the high octal digits of all pieces' squares side by side, and then the low digits. So a
flip of the whole board is one operation for all pieces at once. Indices are arrays of ``uint32`` (up to
5 pieces) or ``uint64`` (up to 10).

>>> layout = Material("KQvKR").layout
>>> squares = np.array([[63, 18, 3, 0]], np.uint8)  # r h8, Q c3, k d1, K a1
>>> indices = layout.encode(squares)
>>> oct(indices[0])
'0o270327'
>>> layout.decode(layout.flip(indices, Symmetry.FLIP_VERTICAL))
array([[ 7, 42, 59, 56]], dtype=uint8)
"""

from . import fairy, store, tables
from ._enums import Group, Numbering, Symmetry
from ._slots import NO_SLOT
from ._tbindex import (
    ArrowArray,
    Compact,
    Dense,
    Enumeration,
    Equivalence,
    Error,
    IndexFile,
    Kings,
    Layout,
    Material,
    Moves,
    Orbit,
    PlacementCodec,
    StoreError,
    Triangle,
    __version__,
    estimate,
)
from ._tuples import Estimate, Move, Successors

__all__ = [
    "NO_SLOT",
    "ArrowArray",
    "Compact",
    "Dense",
    "Enumeration",
    "Equivalence",
    "Error",
    "Estimate",
    "Group",
    "IndexFile",
    "Kings",
    "Layout",
    "Material",
    "Move",
    "Moves",
    "Numbering",
    "Orbit",
    "PlacementCodec",
    "StoreError",
    "Successors",
    "Symmetry",
    "Triangle",
    "__version__",
    "estimate",
    "fairy",
    "store",
    "tables",
]


def __dir__() -> list[str]:
    return __all__
