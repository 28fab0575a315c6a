"""Interleaved indices of chess positions in numpy arrays.

An index has the high octal digits of all pieces' squares side by side, and then the low digits. So a
flip of the whole board is one operation for all pieces at once. Indices are arrays of ``uint32`` (up to
5 pieces) or ``uint64`` (up to 10).

>>> layout = Material("KQvKR").layout()
>>> squares = np.array([[63, 18, 3, 0]], np.uint8)  # r h8, Q c3, k d1, K a1
>>> indices = layout.encode(squares)
>>> oct(indices[0])
'0o270327'
>>> layout.decode(layout.flip(indices, Symmetry.FLIP_VERTICAL))
array([[ 7, 42, 59, 56]], dtype=uint8)
"""

from . import fairy, store
from ._enums import Group, Numbering, Symmetry
from ._tbindex import (
    Compact,
    Dense,
    Equivalence,
    Error,
    IndexFile,
    Kings,
    Layout,
    Material,
    Orbit,
    StoreError,
    Triangle,
    __version__,
)

__all__ = [
    "Compact",
    "Dense",
    "Equivalence",
    "Error",
    "Group",
    "IndexFile",
    "Kings",
    "Layout",
    "Material",
    "Numbering",
    "Orbit",
    "StoreError",
    "Symmetry",
    "Triangle",
    "fairy",
    "store",
]
