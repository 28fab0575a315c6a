"""Arrays that several threads, or other code, work on at the same time."""

import subprocess
import sys

import numpy as np
import pytest
from conftest import in_threads, random_indices, refused

import tbindex
from tbindex import Layout, store


def test_threads_flip_their_own_arrays(rng):
    layout = Layout(4)
    arrays = [random_indices(rng, 4, 300_000) for _ in range(4)]
    expected = [layout.flip(array, "rotate_90") for array in arrays]

    def flip(array):
        for _ in range(41):
            layout.flip(array, "rotate_90", out=array)

    assert in_threads(*(lambda array=array: flip(array) for array in arrays)) == []
    # Forty-one quarter turns are one.
    for array, turned in zip(arrays, expected):
        assert (array == turned).all()


def test_threads_read_the_same_array(rng):
    layout = Layout(4)
    indices = random_indices(rng, 4, 300_000)
    expected = layout.flip(indices, "rotate_90")

    def flip():
        for _ in range(20):
            assert (layout.flip(indices, "rotate_90") == expected).all()

    assert in_threads(*[flip] * 4) == []


def test_threads_that_write_the_same_array_are_refused_or_take_turns(rng):
    layout = Layout(4)
    indices = random_indices(rng, 4, 500_000)
    original = indices.copy()

    def flip():
        turns = 0
        while turns < 21:
            try:
                layout.flip(indices, "rotate_90", out=indices)
                turns += 1
            except tbindex.Error as error:
                assert "in use by another call" in str(error)

    assert in_threads(*[flip] * 3) == []
    # Every call either did all of it or nothing, and sixty-four quarter turns are none.
    layout.flip(indices, "rotate_90", out=indices)
    assert (indices == original).all()


@pytest.mark.parametrize(
    "call",
    [
        "layout.flip(indices, 'rotate_90', out=indices)",
        "layout.decode(indices, out=rows)",
        "codec.decode(indices)",
        "moves.is_mate(indices, 'black', out=mates)",
        "moves.successors(indices, 'black')",
    ],
)
def test_other_threads_go_on_while_a_call_works(call):
    """For an hour nobody asks the calling thread for the interpreter's lock, so it is the call that lets it go. Outputs are given,
    as numpy lets it go to make them."""
    program = f"""
import sys, threading
import numpy as np
from tbindex import Layout, Moves, PlacementCodec
layout, codec, moves = Layout(3), PlacementCodec('KRvK'), Moves('KRvK')
indices = np.full(1 << 17, 0o270, np.uint32)
rows, mates = np.zeros((len(indices), 3), np.uint8), np.zeros(len(indices), bool)
sys.setswitchinterval(3600)
called, gone_on = threading.Event(), []
threading.Thread(target=lambda: gone_on.append(called.wait()), daemon=True).start()
called.set()
while not gone_on:
    {call}
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)


@pytest.mark.parametrize("count", [100, 1_000_000])
@pytest.mark.parametrize("view", [False, True])
def test_arrays_in_use_are_neither_moved_nor_written(rng, tmp_path, count, view):
    owner, layout = np.sort(random_indices(rng, 3, count)), Layout(3)
    indices = owner[:] if view else owner
    before, calls = owner.copy(), []

    def meddle(*call):
        calls.append(call)
        refused(ValueError, "cannot resize", owner.resize, 10**7, refcheck=False)
        refused(tbindex.Error, "in use by another call", layout.flip, indices[5:10], "rotate_90", out=indices[5:10])
        # Another shape moves nothing.
        indices.shape = (2, -1)
        indices.shape = (-1,)

    with store.write(tmp_path / "x.tbi", indices, "KRvK", progress=meddle) as file:
        assert calls and (file.indices == before).all()
    # Now it may be moved and written.
    del indices
    owner.resize(10, refcheck=False)
    assert (layout.flip(owner, "rotate_90") == layout.flip(before[:10], "rotate_90")).all()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_arrays_that_change_under_the_call_are_refused(rng):
    """A subclass can do as much harm while its array is looked at as another thread."""

    class Meddler(np.ndarray):
        meddle = staticmethod(lambda array: None)

        @property
        def base(self):
            self.meddle(self)
            return np.ndarray.base.__get__(self)

    layout = Layout(4)

    def array():
        return random_indices(rng, 4, 8000).view(Meddler)

    def flip(array):
        return layout.flip(array, "rotate_90")

    def fill(array):
        return layout.flip(np.zeros(8000, np.uint32), "rotate_90", out=array)

    for call in (flip, fill):
        Meddler.meddle = staticmethod(lambda array: None)
        assert call(array()).shape == (8000,)
        # Four times as many elements; fewer; elements with gaps.
        for change in [
            lambda array: setattr(array, "dtype", np.uint8),
            lambda array: setattr(array, "dtype", np.uint64),
            lambda array: setattr(array, "strides", (0,)),
        ]:
            Meddler.meddle = staticmethod(change)
            refused(tbindex.Error, "changed during the call", call, array())
    Meddler.meddle = staticmethod(lambda array: array.setflags(write=False))
    assert flip(array()).shape == (8000,)
    refused(tbindex.Error, "changed during the call", fill, array())
