"""Results of some calls of the compiled module."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

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


def _square(number: int) -> str:
    return "abcdefgh"[number % 8] + str(number // 8 + 1)


@dataclass(frozen=True, repr=False)
class Move:
    """A legal move, and the position that it leads to. It is written as engines write it.

    ========================== ===============================================================================
    ``piece``                  the number of the piece that moves
    ``from_square``            the square that it leaves
    ``to_square``              the square that it goes to
    ``captured``               the number of the piece that it takes, or ``None``
    ``promotion``              the letter of what a pawn becomes, or ``None``
    ``passed``                 the square that a pawn passed in a double step next to a pawn of the other side, which
                               may take it there, or ``None``
    ``material``               the material after the move. After a capture or a promotion it is the usual one of what is
                               left, if need be with the colours exchanged
    ``index``                  the index of the position after the move, in that material
    ``side``                   the side to move after the move, once any colours were exchanged
    ========================== ===============================================================================
    """

    piece: int
    from_square: int
    to_square: int
    captured: int | None
    promotion: str | None
    passed: int | None
    material: Material
    index: int
    side: Literal["white", "black"]

    def __str__(self) -> str:
        return _square(self.from_square) + _square(self.to_square) + (self.promotion or "").lower()

    def __repr__(self) -> str:
        return f"<Move {self}>"


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
