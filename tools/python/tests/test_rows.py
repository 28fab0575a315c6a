"""Rows of squares, encoded and decoded."""

import numpy as np
import pytest
from conftest import awkward_views, random_squares, refused

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
    refused(tbindex.Error, "piece 1 of position 1 stands on 64: squares are 0 to 63", Layout(2).encode, rows)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 3), (4, 0, 2), (3, 1, 2)], ids=str)
def test_any_shape_has_rows_of_squares(shape, rng):
    layout = Layout(3)
    rows = random_squares(rng, int(np.prod(shape)), 3).reshape((*shape, 3))
    indices = layout.encode(rows)
    assert indices.shape == shape and indices.dtype == np.uint32
    assert (layout.decode(indices) == rows).all()
    flat = rows.reshape(-1, 3)
    assert (layout.encode(flat) == np.reshape(indices, -1)).all()
    out = np.zeros(shape, np.uint64)
    assert layout.encode(rows, out=out) is out and (out == indices).all()
    out = np.zeros_like(rows)
    assert layout.decode(indices, out=out) is out and (out == rows).all()


@pytest.mark.parametrize("numbering", ["natural", "alternate"])
def test_columns_are_as_good_as_rows(numbering, rng):
    for pieces in (1, 2, 5, 6, 9, 10):
        layout = Layout(pieces, numbering)
        for positions in (0, 1, 2, 33, 5000):
            rows = random_squares(rng, positions, pieces)
            columns = np.asfortranarray(rows)
            indices = layout.encode(rows)
            assert (layout.encode(columns) == indices).all()
            squares = layout.decode(indices, order="F")
            assert squares.shape == rows.shape and (squares == rows).all()
            assert squares.flags.f_contiguous
            out = np.asfortranarray(np.zeros_like(rows))
            assert layout.decode(indices, out=out) is out and (out == rows).all()
            # Column by column from a larger table.
            table = np.asfortranarray(np.zeros((positions, pieces + 2), np.uint8))
            table[:, 1:-1] = rows
            assert (layout.encode(table[:, 1:-1]) == indices).all()
            # In the same memory.
            memory = np.zeros(max(positions, 1) * 80, np.uint8)
            shared = memory[: positions * pieces].reshape(pieces, positions).T
            shared[...] = rows
            out = memory[: positions * 8].view(np.uint64)
            assert (layout.encode(shared, out=out) == indices).all()
            assert (layout.decode(out, out=shared) == rows).all()
    columns = np.asfortranarray(np.zeros((3, 2), np.uint8))
    columns[1, 1] = 64
    refused(tbindex.Error, "piece 1 of position 1 stands on 64: squares are 0 to 63", Layout(2).encode, columns)
    with pytest.raises(ValueError, match=r"^out: an array of shape \(3, 2\): expected \(5, 2\)"):
        Layout(2).decode(np.zeros(5, np.uint32), out=columns)
    with pytest.raises(TypeError, match="^out: list: expected a numpy array of uint8"):
        Layout(2).decode(np.zeros(5, np.uint32), order="F", out=[1])
    refused(ValueError, "^order: .*: expected 'C' or 'F'", Layout(2).decode, np.zeros(5, np.uint32), order="K")


@pytest.mark.parametrize("shape", [(), (3,), (3, 3), (2, 2, 1)], ids=str)
def test_rows_of_wrong_shape_are_refused(shape):
    for order in ("C", "F"):
        refused(ValueError, r"^squares: .*: expected \(…, 2\)", Layout(2).encode, np.zeros(shape, np.uint8, order))
    with pytest.raises(TypeError, match="^squares: an array of int64: expected a numpy array of uint8"):
        Layout(2).encode(np.zeros(shape, np.int64))


def test_encode_refuses_other_types():
    rows = np.zeros((1, 2), np.uint8)
    for dtype in (np.int32, float, "u2", object):
        refused(TypeError, "expected uint32 or uint64", Layout(2).encode, rows, dtype=dtype)
        refused(TypeError, "expected uint32 or uint64", Layout(2).encode, rows, out=np.zeros(1, dtype))
    refused(TypeError, "out", Layout(2).encode, rows, dtype=np.uint64, out=np.zeros(1, np.uint32))
