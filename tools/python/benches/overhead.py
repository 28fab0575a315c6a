"""Measures what Python costs: calls of the package against the library's own on the same buffers, and
calls on empty arrays against numpy's.

    target/python/bin/pip install --no-deps --force-reinstall .
    cargo build --release --example same_buffer
    target/python/bin/python benches/overhead.py

The package that check.sh leaves there is built for tests, so another is put in its place. The two
calls take turns, so that a disturbance of one disturbs the other. Medians are compared.
"""

import ctypes
import pathlib
import statistics
import time
import timeit

import numpy as np

from tbindex import Equivalence, Layout, Orbit, Symmetry

COUNT, ROUNDS = 10_000_000, 41


def library():
    """The library's calls."""
    target = pathlib.Path(__file__).parent.parent / "target" / "release" / "examples"
    (path,) = (p for p in target.glob("*same_buffer.*") if p.suffix in {".so", ".dylib", ".dll"})
    functions = ctypes.CDLL(str(path))
    for function in (functions.flip_in_place, functions.canonical_in_place):
        function.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        function.restype = ctypes.c_uint64
    functions.flip_into.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
    functions.flip_into.restype = ctypes.c_uint64
    return functions


def compare(name, call, native):
    """Both medians, after a round that warms up."""
    ours, theirs = [], []
    for _ in range(ROUNDS + 1):
        start = time.perf_counter_ns()
        call()
        ours.append(time.perf_counter_ns() - start)
        theirs.append(native())
    ours, theirs = statistics.median(ours[1:]), statistics.median(theirs[1:])
    print(
        f"{name:30} {COUNT / ours * 1e3:7.0f} M/s in Python, {COUNT / theirs * 1e3:7.0f} M/s in Rust, "
        f"ratio {theirs / ours:.3f}"
    )


def main():
    functions = library()
    layout, same = Layout(4), Equivalence(Layout(4))
    rng = np.random.default_rng(1)
    indices = rng.integers(0, layout.index_count, COUNT, dtype=np.uint32)
    out = np.zeros_like(indices)
    address, to = indices.ctypes.data, out.ctypes.data
    turn = Symmetry.ROTATE_90
    # The same is done, and right.
    functions.flip_into(address, to, COUNT)
    assert (out == layout.flip(indices, turn)).all()
    # By default, indices are checked first: another pass over the array.
    for checked, check in [("", True), (", unchecked", False)]:
        compare(
            f"flip in place{checked}",
            lambda: layout.flip(indices, turn, check=check, out=indices),
            lambda: functions.flip_in_place(address, COUNT),
        )
        compare(
            f"flip into out{checked}",
            lambda: layout.flip(indices, turn, check=check, out=out),
            lambda: functions.flip_into(address, to, COUNT),
        )
        compare(
            f"canonical in place{checked}",
            lambda: same.canonical(indices, check=check, out=indices),
            lambda: functions.canonical_in_place(address, COUNT),
        )

    empty, other = np.zeros(0, np.uint32), np.zeros(0, np.uint32)
    orbit = Orbit(layout)
    calls = {
        "np.negative(x)": lambda: np.negative(empty),
        "flip(x)": lambda: layout.flip(empty, turn),
        "canonical(x)": lambda: same.canonical(empty),
        "rank(x)": lambda: orbit.rank(empty),
        "np.negative(x, out=y)": lambda: np.negative(empty, out=other),
        "flip(x, out=y)": lambda: layout.flip(empty, turn, out=other),
        "flip(x, out=x)": lambda: layout.flip(empty, turn, out=empty),
        "flip(x, 'rotate_90')": lambda: layout.flip(empty, "rotate_90"),
    }
    loops = 20_000
    times = {name: [] for name in calls}
    for _ in range(21):
        for name, call in calls.items():
            times[name].append(timeit.timeit(call, number=loops) / loops * 1e9)
    for name in calls:
        print(f"{name:22} {statistics.median(times[name]):6.0f} ns on an empty array")


if __name__ == "__main__":
    main()
