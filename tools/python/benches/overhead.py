"""Measures what Python costs: calls of the package against those of the C library on the same buffers, which check
nothing, and calls on empty arrays against numpy's.

    target/python/bin/pip install --no-deps --force-reinstall .
    make -C ../capi bench
    target/python/bin/python benches/overhead.py ../../target/dist/libtbindex_capi.so [SYZYGY_FOLDER]

With a folder of Syzygy files, the values of KQvKR are measured, and nothing else: on one thread, the best of several calls.

The package that check.sh leaves there is built for tests, so another is put in its place. The two
calls take turns, so that a disturbance of one disturbs the other. Medians are compared.
"""

import ctypes
import os
import statistics
import sys
import time
import timeit

import numpy as np

from tbindex import Enumeration, Equivalence, Layout, Orbit, Symmetry
from tbindex.tables import Tables

COUNT, ROUNDS, PROBE_ROUNDS = 10_000_000, 41, 9


class CLayout(ctypes.Structure):
    _fields_ = [("pieces", ctypes.c_uint32), ("numbering", ctypes.c_uint32)]


def library(path):
    """The library's flip and canonical form of four pieces, from one address to another."""
    library, layout, same = ctypes.CDLL(path), CLayout(4, 0), ctypes.c_void_p()
    d4, turn, size, count = 2, 6, ctypes.c_size_t(4), ctypes.c_size_t(COUNT)
    assert library.tbi_equivalence_of_layout(layout, d4, None, ctypes.c_size_t(0), ctypes.byref(same)) == 0
    void = ctypes.c_void_p

    def flip(source, target):
        assert library.tbi_flip(layout, turn, void(source), void(target), size, count) == 0

    def canonical(source, target):
        assert library.tbi_canonical(same, void(source), void(target), None, size, count) == 0

    return flip, canonical


def compare(name, call, native):
    """Both medians, after a round that warms up."""
    times = [], []
    for _ in range(ROUNDS + 1):
        for work, taken in zip((call, native), times):
            start = time.perf_counter_ns()
            work()
            taken.append(time.perf_counter_ns() - start)
    ours, theirs = (statistics.median(taken[1:]) for taken in times)
    print(
        f"{name:30} {COUNT / ours * 1e3:7.0f} M/s in Python, {COUNT / theirs * 1e3:7.0f} M/s in C, "
        f"ratio {theirs / ours:.3f}"
    )


def probes(path, folder):
    """Values of many positions of one material on one thread, beside a Rust program's call."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    library, tables, void = ctypes.CDLL(path), ctypes.c_void_p(), ctypes.c_void_p
    assert library.tbi_tables_open(folder.encode(), ctypes.c_size_t(0), ctypes.byref(tables)) == 0
    ours, values, time_taken = Tables(folder), np.zeros(COUNT, np.int16), ctypes.c_uint64()
    legal = Enumeration("KQvKR", "legal", "white").indices()
    indices = np.random.default_rng(1).choice(legal, COUNT)

    def native(distances):
        arguments = (tables, b"KQvKR", ctypes.c_bool(distances), void(indices.ctypes.data), void(values.ctypes.data))
        assert library.tbi_bench_probe(*arguments, ctypes.c_size_t(COUNT), ctypes.byref(time_taken)) == 0
        return time_taken.value

    def python(call):
        start = time.perf_counter_ns()
        labels = call(indices, material="KQvKR", side="white")
        return time.perf_counter_ns() - start, labels

    for call, distances in [(ours.wdl, False), (ours.dtz, True)]:
        times = [], []
        for _ in range(PROBE_ROUNDS):
            taken, labels = python(call)
            times[0].append(taken)
            times[1].append(native(distances))
            assert not labels.mask.any() and (labels.data == values).all()
        own, theirs = map(min, times)
        print(
            f"{call.__name__} of KQvKR: {COUNT / own * 1e3:.1f} M/s in Python, {COUNT / theirs * 1e3:.1f} M/s in Rust, "
            f"ratio {theirs / own:.2f}"
        )


def main():
    if len(sys.argv) > 2:
        return probes(*sys.argv[1:])
    flip, canonical = library(sys.argv[1])
    layout, same = Layout(4), Equivalence(Layout(4))
    rng = np.random.default_rng(1)
    indices = rng.integers(0, layout.index_count, COUNT, dtype=np.uint32)
    out = np.zeros_like(indices)
    address, to = indices.ctypes.data, out.ctypes.data
    turn = Symmetry.ROTATE_90
    # Both do the work, and right.
    flip(address, to)
    assert (out == layout.flip(indices, turn)).all()
    works = {
        "flip in place": (lambda **how: layout.flip(indices, turn, out=indices, **how), lambda: flip(address, address)),
        "flip into out": (lambda **how: layout.flip(indices, turn, out=out, **how), lambda: flip(address, to)),
        "canonical in place": (lambda **how: same.canonical(indices, out=indices, **how), lambda: canonical(address, address)),
    }
    # By default, indices are checked first: another pass over the array.
    for checked, check in [("", True), (", unchecked", False)]:
        for name, (call, native) in works.items():
            compare(f"{name}{checked}", lambda: call(check=check), native)

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
