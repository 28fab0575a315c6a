"""The enumerations, whose members the compiled module takes and returns."""

from __future__ import annotations

from enum import IntEnum

from . import _tbindex


class _Named(IntEnum):
    """Members that are written by their names, and made of them, too."""

    def __str__(self) -> str:
        return self.name.lower()

    @classmethod
    def _missing_(cls, value: object) -> _Named | None:
        named = (member for member in cls if str(member) == value)
        return next(named, None)


class Symmetry(_Named):
    """A symmetry of the board; its value is the library's code.

    Bit 0 mirrors the files, bit 1 the ranks, and bit 2 exchanges file and rank before that.

    >>> Symmetry.ROTATE_90.then(Symmetry.ROTATE_90)
    <Symmetry.ROTATE_180: 3>
    >>> str(Symmetry.FLIP_ANTI_DIAGONAL), Symmetry("rotate_90")
    ('flip_anti_diagonal', <Symmetry.ROTATE_90: 6>)
    """

    IDENTITY = 0
    FLIP_HORIZONTAL = 1
    FLIP_VERTICAL = 2
    ROTATE_180 = 3
    FLIP_DIAGONAL = 4
    ROTATE_270 = 5
    ROTATE_90 = 6
    FLIP_ANTI_DIAGONAL = 7

    def then(self, other: Symmetry) -> Symmetry:
        """The symmetry that does what this one does and then what the other does."""
        return _tbindex.compose(self, other)

    @property
    def inverse(self) -> Symmetry:
        """The symmetry that undoes this one.

        >>> Symmetry.ROTATE_90.inverse
        <Symmetry.ROTATE_270: 5>
        """
        return _tbindex.inverse(self)

    def apply(self, square: int) -> int:
        """The image of a square, a1 = 0 to h8 = 63.

        >>> Symmetry.ROTATE_90.apply(0)
        56
        """
        return _tbindex.apply_symmetry(self, square)


class Numbering(_Named):
    """The way in which a square becomes a six-bit code, which is a high and a low octal digit.

    >>> print(Numbering.ALTERNATE.picture().splitlines()[-2])
    1| 60 00 10 20 22 12 02 62
    """

    NATURAL = 0
    ALTERNATE = 1

    def picture(self) -> str:
        """The board with every square's code in octal."""
        return _tbindex.numbering_picture(self)


class Group(_Named):
    """A group of symmetries under which positions count as the same."""

    TRIVIAL = 0
    FILE_MIRROR = 1
    D4 = 2

    def __str__(self) -> str:
        return "D4" if self is Group.D4 else self.name.lower()
