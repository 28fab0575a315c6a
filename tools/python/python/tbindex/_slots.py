"""The mark of positions that have no slot."""

from __future__ import annotations

from typing import Any

import numpy as _np
from numpy.typing import DTypeLike as _DTypeLike


class NoSlot:
    """The mark that ``rank`` writes in place of a slot that does not exist: 2**32 - 1 or 2**63 - 1.

    Its value depends on the type of the words, so slots are compared with it. An array that is indexed by it raises an
    :class:`IndexError`.

    >>> slots = Kings(Layout(2)).rank(np.array([0o0001, 0o0002], np.uint32))
    >>> slots == NO_SLOT
    array([ True, False])
    >>> slots[slots != NO_SLOT]
    array([339], dtype=uint32)
    >>> NO_SLOT.of(np.uint32)
    np.uint32(4294967295)
    """

    __slots__ = ()
    # Numpy leaves comparisons to this class.
    __array_ufunc__ = None

    def of(self, dtype: _DTypeLike) -> Any:
        """The mark as a number of a type, ``uint32`` or ``uint64``."""
        dtype = _np.dtype(dtype)
        if dtype not in (_np.uint32, _np.uint64):
            raise TypeError(f"dtype: {dtype}: expected uint32 or uint64")
        return dtype.type(min(_np.iinfo(dtype).max, _np.iinfo(_np.int64).max))

    def __eq__(self, other: object) -> Any:
        if other is self:
            return True
        dtype = getattr(other, "dtype", None)
        if dtype not in (_np.uint32, _np.uint64):
            return NotImplemented
        return other == self.of(dtype)

    def __ne__(self, other: object) -> Any:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else _np.logical_not(equal)

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return "NO_SLOT"

    def __reduce__(self) -> str:
        return "NO_SLOT"


NO_SLOT = NoSlot()
