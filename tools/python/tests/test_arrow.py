"""Arrow arrays, in and out. This package can import its own exports, so most of it needs no other one."""

import gc
import pathlib

import numpy as np
import pytest
from conftest import random_indices, random_squares, refused

import tbindex
from tbindex import ArrowArray, IndexFile, Kings, Layout, store


pytestmark = pytest.mark.usefixtures("folder")


def test_arrow_arrays_are_arguments(rng):
    for pieces in (4, 7):
        layout = Layout(pieces)
        for count in (0, 1, 1000):
            indices = random_indices(rng, pieces, count)
            arrow = ArrowArray(indices)
            assert len(arrow) == count and arrow.null_count == 0
            assert (layout.flip(arrow, "rotate_90") == layout.flip(indices, "rotate_90")).all()
            out = np.zeros_like(indices)
            assert layout.flip(arrow, "rotate_90", out=out) is out
            rows = random_squares(rng, count, pieces)
            assert (layout.encode(ArrowArray(rows)) == layout.encode(rows)).all()
            codes = rng.integers(0, 8, count, np.uint8)
            assert (layout.flip(arrow, ArrowArray(codes)) == layout.flip(indices, codes)).all()


def test_memory_is_shared_and_kept(rng):
    indices = random_indices(rng, 4, 100_000)
    expected = Layout(4).flip(indices, "rotate_90")
    arrow = ArrowArray(indices)
    refused(ValueError, "cannot resize", indices.resize, 10**6, refcheck=False)
    del indices
    gc.collect()
    others = [np.full(100_000, k, np.uint32) for k in range(20)]
    assert (Layout(4).flip(arrow, "rotate_90") == expected).all() and len(others) == 20
    # An array that lies badly is copied.
    spaced = np.arange(100, dtype=np.uint32)[::3]
    assert (Layout(2).flip(ArrowArray(spaced), 0) == spaced).all()


def test_missing_slots_are_nulls(rng):
    slots = Kings(Layout(3)).rank(random_indices(rng, 3, 1000))
    missing = int((slots == tbindex.NO_SLOT).sum())
    arrow = ArrowArray(slots)
    assert arrow.null_count == missing > 0
    refused(ValueError, "^indices: the Arrow array has nulls: expected none", Layout(3).flip, arrow, 0)
    for dtype in (np.uint8, np.uint32, np.bool_):
        masked = np.ma.masked_array(np.zeros(5, dtype), [0, 1, 0, 1, 1])
        assert ArrowArray(masked).null_count == 3


def test_what_is_no_words_is_refused():
    for wrong, message in [
        (np.zeros((2, 2), np.uint32), "expected an array with one axis"),
        (np.zeros((2, 2, 2), np.uint8), "expected an array with one axis"),
        (np.zeros(2, np.int16), "expected a numpy array of uint32 or uint64"),
        ([1, 2], "expected a numpy array of uint32 or uint64"),
    ]:
        refused(TypeError, message, ArrowArray, wrong)
    answers = ArrowArray(np.array([True, False]))
    refused(TypeError, "^indices: an Arrow array of the type", Layout(2).flip, answers, 0)
    with pytest.raises(TypeError, match="^squares: an array of uint32: expected a numpy array of uint8"):
        Layout(2).encode(ArrowArray(np.zeros(4, np.uint32)))


def test_index_files_are_arrow_arrays(rng):
    for material, compress in [("KRvK", False), ("KRvK", True), ("KQRvKQR", False)]:
        indices = np.unique(random_indices(rng, len(tbindex.Material(material)), 5000))
        with store.write("x.tbi", indices, material, compress=compress, overwrite=True) as file:
            layout = tbindex.Material(material).layout
            array = file.__arrow_c_array__

            class Foreign:
                """An object that has nothing else."""

                def __arrow_c_array__(self, requested_schema=None):
                    return array(requested_schema)

            foreign = Foreign()
            assert (layout.flip(foreign, 3) == layout.flip(indices, 3)).all()
            if not compress:
                assert (layout.flip(file, 3) == layout.flip(indices, 3)).all()
        refused(ValueError, "the file is closed", file.__arrow_c_array__)
        refused(ValueError, "the file is closed", file.__arrow_c_stream__)


# With the packages that people use.


def test_pyarrow_takes_and_gives_without_copying(rng):
    pa = pytest.importorskip("pyarrow")
    indices = random_indices(rng, 4, 10_000)
    array = pa.array(ArrowArray(indices))
    assert array.type == pa.uint32() and (array.to_numpy() == indices).all()
    assert array.buffers()[1].address == indices.ctypes.data
    layout = Layout(4)
    for part in (array, array[100:7000:1], array[5:5]):
        expected = layout.flip(part.to_numpy(), "rotate_90")
        assert (layout.flip(part, "rotate_90") == expected).all()
    assert (layout.flip(pa.chunked_array([array, array]), 3)[:10_000] == layout.flip(indices, 3)).all()
    refused(ValueError, "has nulls", layout.flip, pa.array([1, None], pa.uint32()), 3)
    refused(TypeError, "expected uint32 or uint64", layout.flip, pa.array([1, 2], pa.int16()), 3)
    for of in (pa.int32(), pa.int64()):
        assert (layout.flip(pa.array([1, 2], of), 3) == layout.flip(np.array([1, 2], np.uint32), 3)).all()
    rows = random_squares(rng, 100, 4)
    lists = pa.array(ArrowArray(rows))
    assert lists.type == pa.list_(pa.field("item", pa.uint8(), False), 4)
    assert lists.to_pylist() == rows.tolist()
    assert (layout.encode(lists[10:50]) == layout.encode(rows[10:50])).all()
    assert pa.array(ArrowArray(np.array([True, False, True]))).to_pylist() == [True, False, True]
    slots = Kings(Layout(3)).rank(random_indices(rng, 3, 1000))
    found = pa.array(ArrowArray(slots)).to_pylist()
    assert found == [None if slot == 2**32 - 1 else slot for slot in slots.tolist()]


def test_pyarrow_sees_files_as_tables(rng):
    pa = pytest.importorskip("pyarrow")
    indices = np.unique(random_indices(rng, 4, 100_000))
    for compress in (False, True):
        file = store.write("x.tbi", indices, "KQvKR", side="black", compress=compress, overwrite=True)
        array, table = pa.array(file), pa.table(file)
        assert (array.to_numpy() == indices).all() and (table["index"].to_numpy() == indices).all()
        assert table.schema.equals(pa.schema([pa.field("index", pa.uint32(), False)]))
        assert pa.schema(file).metadata == table.schema.metadata == {
            b"tbindex.material": b"KQvKR",
            b"tbindex.numbering": b"natural",
            b"tbindex.canonical": b"false",
            b"tbindex.sorted": b"true",
            b"tbindex.distinct": b"true",
            b"tbindex.side": b"black",
        }
        if not compress:
            assert array.buffers()[1].address == file.indices.ctypes.data
        file.close()
        del file
        gc.collect()
        pathlib.Path("x.tbi").unlink()
        assert (array.to_numpy() == indices).all() and (table["index"].to_numpy() == indices).all()


def test_damage_ends_a_stream_of_a_compressed_file(rng):
    pa = pytest.importorskip("pyarrow")
    store.write("x.tbi", np.unique(random_indices(rng, 3, 100_000)), "KRvK", compress=True)
    bytes = bytearray(pathlib.Path("x.tbi").read_bytes())
    bytes[5000] ^= 1
    pathlib.Path("x.tbi").write_bytes(bytes)
    refused(OSError, "x.tbi: .*damaged", pa.table, IndexFile("x.tbi"))
    refused(tbindex.StoreError, "x.tbi: .*damaged", pa.array, IndexFile("x.tbi"))


def test_pandas_and_polars_take_files_and_are_taken(rng):
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    indices = np.unique(random_indices(rng, 4, 1000))
    file, layout = store.write("x.tbi", indices, "KQvKR"), Layout(4)
    for series in (pandas.Series(file), polars.Series(file)):
        assert (series.to_numpy() == indices).all() and str(series.dtype).lower() == "uint32"
        assert (layout.flip(series, 3) == layout.flip(indices, 3)).all()
    refused(ValueError, "missing values", layout.flip, pandas.Series([5, None], dtype="UInt32"), 3)
    frame = pandas.DataFrame({"index": file, "slot": Kings(layout).rank(indices)})
    assert (layout.encode(pandas.DataFrame(layout.decode(frame["index"]))) == indices).all()
    assert ((frame["slot"] == tbindex.NO_SLOT) == (frame["slot"] == 2**32 - 1)).all()


def test_capsules_that_were_taken_before_are_refused():
    class Again:
        capsules = ArrowArray(np.array([1, 2], np.uint32)).__arrow_c_array__()

        def __arrow_c_array__(self, requested_schema=None):
            return self.capsules

    layout = Layout(5)
    assert len(layout.flip(Again(), "rotate_90")) == 2
    refused(ValueError, "taken before", layout.flip, Again(), "rotate_90")
