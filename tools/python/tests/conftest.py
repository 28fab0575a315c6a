"""What several tests need."""

import numpy as np
import pytest


@pytest.fixture
def rng():
    """Random numbers, the same in every run."""
    return np.random.default_rng(20240229)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of the test's own, in which it runs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def random_squares(rng, positions, pieces):
    """Rows of squares, shared or not."""
    return rng.integers(0, 64, (positions, pieces), np.uint8)


def random_indices(rng, pieces, shape, dtype=None):
    """Valid indices of so many pieces."""
    dtype = dtype or (np.uint32 if pieces <= 5 else np.uint64)
    return rng.integers(0, 64**pieces, shape, dtype)


def awkward_views(array):
    """The same elements in arrays that can't be used where they lie, each with what it is called."""
    flat = array.reshape(-1)
    spaced = np.empty(2 * flat.size, array.dtype)[::2]
    spaced[...] = flat
    reverse = flat[::-1].copy()[::-1]
    misaligned = np.empty(array.nbytes + 1, np.uint8)[1:].view(array.dtype)
    misaligned[...] = flat
    swapped = flat.astype(array.dtype.newbyteorder())
    yield "spaced", spaced
    yield "reversed", reverse
    yield "misaligned", misaligned
    yield "byte-swapped", swapped
