"""Results of some calls of the compiled module."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._tbindex import Material


class Estimate(NamedTuple):
    """The number of slots that one scheme needs for a material, for one side to move, and ``room``: which positions have
    one, in words.

    Schemes are ``'orbit'``, ``'triangle'``, ``'kings'``; ``'compact_exact'`` for ``Compact(material)``,
    ``'compact_both'`` for ``Compact(material, exact=False)``, and ``'compact_all'``, ``'compact_distinct'`` and
    ``'compact_shared'`` for its other rules.
    """

    scheme: str
    room: str
    slots: int

    def bytes(self, bits: int) -> int:
        """The size in bytes of a table with this number of bits for each slot."""
        return -(-self.slots * bits // 8)


class Successors(NamedTuple):
    """The legal moves of many positions: those of position k are from ``offsets[k]`` to before ``offsets[k + 1]``.

    ``indices`` are those of the positions after the moves, each in the material ``materials[material]``, and ``black`` says
    whether black is to move then, once any colours were exchanged. The first material is that of the positions. ``piece``,
    ``from_square`` and ``to_square`` are those of :class:`Move`, and ``promotion`` is the letter's code, or 0.

    >>> after = Moves("KRvK").successors(np.array([0o00270], np.uint32), "white")
    >>> int(after.offsets[1]) == len(after.indices), after.materials[0]
    (True, Material('KRvK'))
    """

    offsets: NDArray[np.int64]
    indices: NDArray[Any]
    black: NDArray[np.bool_]
    material: NDArray[np.uint8]
    materials: list[Material]
    piece: NDArray[np.uint8]
    from_square: NDArray[np.uint8]
    to_square: NDArray[np.uint8]
    promotion: NDArray[np.uint8]
