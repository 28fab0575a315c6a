"""Rows of squares, encoded and decoded."""

import numpy as np
import pytest
from conftest import awkward_views, random_squares

import tbindex
from tbindex import Equivalence, Layout


@pytest.mark.parametrize("pieces", range(1, 11))
@pytest.mark.parametrize("numbering", ["natural", "alternate"])
def test_rows_come_back(pieces, numbering, rng):
    layout = Layout(pieces, numbering)
    for positions in (0, 1, 2, 33, 5000):
        rows = random_squares(rng, positions, pieces)
        indices = layout.encode(rows)
        assert indices.shape == (positions,) and indices.dtype == layout.dtype
        assert (layout.decode(indices) == rows).all()
        wide = layout.encode(rows, dtype=np.uint64)
        assert wide.dtype == np.uint64 and (wide == indices).all()
        assert (layout.decode(wide) == rows).all()
        # The natural index by its definition.
        if numbering == "natural":
            half = 3 * pieces
            expected = sum(
                (rows[:, k].astype(np.uint64) & 7) << np.uint64(3 * k)
                | (rows[:, k].astype(np.uint64) >> 3) << np.uint64(half + 3 * k)
                for k in range(pieces)
            )
            assert (expected == indices).all()


def test_rows_in_awkward_arrays(rng):
    layout = Layout(3)
    rows = random_squares(rng, 500, 3)
    indices = layout.encode(rows)
    for view in (np.asfortranarray(rows), rows[::-1].copy()[::-1], np.repeat(rows, 2, axis=1)[:, ::2]):
        assert (layout.encode(view) == indices).all()
        out = np.zeros_like(view)
        assert layout.decode(indices, out=out) is out and (out == rows).all()
    for _, out in awkward_views(np.zeros_like(indices)):
        assert layout.encode(rows, out=out) is out and (out == indices).all()
    for _, view in awkward_views(indices):
        assert (layout.decode(view) == rows).all()


def test_rows_and_indices_in_the_same_memory(rng):
    layout = Layout(4)
    rows = random_squares(rng, 400, 4)
    indices = layout.encode(rows)
    memory = rows.copy()
    out = memory.view(np.uint32).reshape(-1)
    assert (layout.encode(memory, out=out) == indices).all()
    back = memory.view(np.uint8).reshape(400, 4)
    assert (layout.decode(out, out=back) == rows).all()
    sizes = memory.reshape(-1)[:400]
    expected = Equivalence(layout).orbit_sizes(indices)
    out[...] = indices
    assert (Equivalence(layout).orbit_sizes(out, out=sizes) == expected).all()


def test_squares_out_of_range_are_named():
    rows = np.zeros((3, 2), np.uint8)
    rows[1, 1] = 64
    with pytest.raises(tbindex.Error, match="piece 1 of position 1 stands on 64: squares are 0 to 63"):
        Layout(2).encode(rows)


@pytest.mark.parametrize("shape", [(), (2,), (3, 3), (2, 2, 2)], ids=str)
def test_rows_of_wrong_shape_are_refused(shape):
    with pytest.raises(ValueError, match=r"^squares: .*: expected \(positions, 2\)"):
        Layout(2).encode(np.zeros(shape, np.uint8))
    with pytest.raises(TypeError, match="^squares: an array of int64: expected a numpy array of uint8"):
        Layout(2).encode(np.zeros(shape, np.int64))
    if len(shape) != 1:
        with pytest.raises(ValueError, match=r"^indices: .*: expected \(positions,\)"):
            Layout(2).decode(np.zeros(shape, np.uint32))


def test_encode_refuses_other_types():
    rows = np.zeros((1, 2), np.uint8)
    for dtype in (np.int32, float, "u2", object):
        with pytest.raises(TypeError, match="expected uint32 or uint64"):
            Layout(2).encode(rows, dtype=dtype)
        with pytest.raises(TypeError, match="expected uint32 or uint64"):
            Layout(2).encode(rows, out=np.zeros(1, dtype))
    with pytest.raises(TypeError, match="out"):
        Layout(2).encode(rows, dtype=np.uint64, out=np.zeros(1, np.uint32))
