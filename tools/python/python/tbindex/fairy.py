"""Short-range pieces: what binds them, exactly.

>>> print(Leaper("01,02,10,15").verdict)
Bound: all its moves lie in one half-plane, so it can never make up a direction from east clockwise to south-west.
"""

from ._tbindex import Leaper, Verdict

__all__ = ["Leaper", "Verdict"]


def __dir__() -> "list[str]":
    return __all__
