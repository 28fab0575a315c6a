"""The sizes of tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from . import _tbindex

if TYPE_CHECKING:
    from ._tbindex import _MaterialLike


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


def estimate(material: _MaterialLike) -> list[Estimate]:
    """What every scheme would cost for a material of up to 21 pieces, without making any.

    >>> {estimate.scheme: estimate.slots for estimate in estimate("KRRvK")}["compact_exact"]
    854238
    """
    return [Estimate(*parts) for parts in _tbindex.estimates(material)]
