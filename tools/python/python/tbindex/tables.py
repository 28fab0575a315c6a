"""Tables of endgames: outcomes, distances and best play, from files or solved on demand.

>>> tables = Tables.on_demand(memory="512M")
>>> tables.wdl("8/8/8/3k4/8/8/3PK3/8 w - - 0 1"), tables.dtm("8/8/8/3k4/8/8/3PK3/8 w - - 0 1")
(<Outcome.WIN: 2>, 41)
"""

from __future__ import annotations

from enum import IntEnum as _IntEnum
from typing import Any as _Any
from typing import NamedTuple as _NamedTuple

import numpy as _np

from ._tbindex import MissingTableError, Tables, generate

__all__ = ["Answer", "Labels", "Line", "MissingTableError", "MoveAnswer", "Outcome", "Tables", "generate"]


def __dir__() -> list[str]:
    return __all__


class Outcome(_IntEnum):
    """The outcome for one side, under the fifty-move rule.

    A cursed win is one without that rule, and a draw with it. A blessed loss is the same for the other side.

    >>> -Outcome.CURSED_WIN == Outcome.BLESSED_LOSS, str(Outcome.CURSED_WIN)
    (True, 'cursed win')
    """

    LOSS = -2
    BLESSED_LOSS = -1
    DRAW = 0
    CURSED_WIN = 1
    WIN = 2

    def __str__(self) -> str:
        return self.name.lower().replace("_", " ")


class Answer(_NamedTuple):
    """The answer of tables for a position, for the side to move.

    ========================== ===============================================================================
    ``wdl``                    the outcome with the fifty-move counter of the FEN. Where ``dtz`` is ``None``,
                               it is that without the fifty-move rule, unless the counter is 100 or more
    ``certain``                whether the outcome is certain. It is not where a rounded distance leaves open
                               whether the counter reaches 100; then ``wdl`` is the better one
    ``wdl_at_zero``            the outcome if the counter were 0
    ``dtz``                    the plies to zeroing, negative if the side to move loses, 0 for a draw, and -1
                               for a checkmated side, as Syzygy files have it; or ``None`` if they are not
                               known. The counter does not matter
    ``exact``                  whether ``dtz`` is exact. If it is not, because a Syzygy file has distances in
                               moves, there may be one ply more
    ``dtm``                    the plies to mate without the fifty-move rule, and 0 for a checkmated side
    ``check``                  whether the side to move is in check
    ``checkmate``              whether it is checkmated
    ``stalemate``              whether it is stalemated
    ========================== ===============================================================================
    """

    wdl: Outcome
    certain: bool
    wdl_at_zero: Outcome
    dtz: int | None
    exact: bool
    dtm: int | None
    check: bool
    checkmate: bool
    stalemate: bool


class Labels(_NamedTuple):
    """The answers of tables for many positions: masked arrays of the positions' shape.

    ========================== ===============================================================================
    ``wdl``                    the outcomes, ``int8``, from -2 for a loss to 2 for a win
    ``certain``                whether the outcomes are certain, ``bool``
    ``dtz``                    the plies to zeroing, ``int16``
    ``exact``                  whether these are exact, ``bool``
    ``dtm``                    the plies to mate, ``int16``
    ========================== ===============================================================================
    """

    wdl: _np.ma.MaskedArray[_Any, _np.dtype[_np.int8]]
    certain: _np.ma.MaskedArray[_Any, _np.dtype[_np.bool_]]
    dtz: _np.ma.MaskedArray[_Any, _np.dtype[_np.int16]]
    exact: _np.ma.MaskedArray[_Any, _np.dtype[_np.bool_]]
    dtm: _np.ma.MaskedArray[_Any, _np.dtype[_np.int16]]


class MoveAnswer(_NamedTuple):
    """The answer of tables for a move.

    ========================== ===============================================================================
    ``uci``                    the move as engines write it, ``a1b2``
    ``san``                    the move as people write it, ``Kxb2``
    ``capture``                whether it is a capture
    ``zeroing``                whether it is a capture or a move of a pawn
    ``wdl`` to ``dtm``         as of :class:`Answer`, for the side that makes the move. Distances count it. ``wdl`` and
                               ``wdl_at_zero`` are None if a table is missing
    ``after``                  the :class:`Answer` for the position after the move, or None
    ``fen``                    that position
    ========================== ===============================================================================
    """

    uci: str
    san: str
    capture: bool
    zeroing: bool
    wdl: Outcome | None
    certain: bool
    wdl_at_zero: Outcome | None
    dtz: int | None
    exact: bool
    dtm: int | None
    after: Answer | None
    fen: str


class Line(_NamedTuple):
    """Best play of both sides: the moves, the last position, and why it is the last: ``'checkmate'``, ``'draw'``, whatever
    the counter is, or ``'fifty moves'``."""

    moves: list[MoveAnswer]
    fen: str
    ending: str
