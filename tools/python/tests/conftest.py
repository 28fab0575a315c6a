"""Helpers of several tests."""

import contextlib
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

from tbindex.tables import generate


@pytest.fixture
def rng():
    """Random numbers, the same in every run."""
    return np.random.default_rng(20240229)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of the test's own, in which it runs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def rooks(tmp_path_factory):
    """A folder with the tables of king and rook against king, by both metrics."""
    folder = tmp_path_factory.mktemp("rooks")
    for metric in ("dtz", "dtm"):
        assert generate("KRvK", folder, metric=metric) == ["KRvK"]
        assert generate("KRvK", folder, metric=metric) == []
    assert sorted(os.listdir(folder)) == ["KRvK.tbg", "KRvK.tbm"]
    return folder


def refused(error, message, call, *arguments, **keywords):
    """Checks that a call raises an error whose message matches, if there is a pattern; the error."""
    with pytest.raises(error, match=message) as raised:
        call(*arguments, **keywords)
    return raised.value


def in_threads(*jobs):
    """Does jobs at the same time; what they raised."""
    errors, start = [], threading.Barrier(len(jobs))

    def run(job):
        start.wait()
        try:
            job()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


@contextlib.contextmanager
def waiting(program, point, folder, when="1*return(wait)->off"):
    """A Python program that Ctrl-C interrupts, and that waits at a point of the library until its standard input ends."""
    setup = """
import os, signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", setup + program],
        cwd=folder,
        env={**os.environ, "FAILPOINTS": f"{point}={when}"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        line = process.stderr.readline()
        assert line == f"waiting at {point}\n", "check.sh builds the package with --features failpoints"
        yield process
    finally:
        process.kill()


def interrupted(program, point, folder, when="1*return(wait)->off"):
    """The output of a Python program that Ctrl-C reaches where it waits, and its exit status."""
    with waiting(program, point, folder, when) as process:
        process.send_signal(signal.SIGINT)
        return process.communicate(timeout=60)[0], process.returncode


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
