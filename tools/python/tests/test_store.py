"""Index files: views that outlive the file, work that can be ended, and errors with reasons."""

import errno
import gc
import os
import pathlib
import pickle
import shutil
import signal

import numpy as np
import pytest
from conftest import in_threads, interrupted, random_indices, refused, waiting

import tbindex
from tbindex import IndexFile, Layout, Material, Numbering, Symmetry, store


pytestmark = pytest.mark.usefixtures("folder")


def names(folder):
    return sorted(os.listdir(folder))


def test_files_hold_what_was_written(rng):
    for material, dtype in [("KQvKR", np.uint32), ("KQRvKQR", np.uint64)]:
        for count in (0, 1, 1000, 300_000):
            for numbering in Numbering:
                for side in ("white", "black", None):
                    indices = random_indices(rng, len(Material(material)), count)
                    with store.write(
                        "x.tbi", indices, material, numbering=numbering, side=side, overwrite=True
                    ) as file:
                        assert file.material == Material(material) and file.numbering is numbering
                        assert file.side == side and file.group == Material(material).group
                        assert file.dtype == dtype and file.indices.dtype == dtype
                        assert len(file) == count and not file.compressed
                        assert (file.indices == indices).all() and (file.read() == indices).all()
                        assert file.path == pathlib.Path("x.tbi")
                        file.verify()


def test_files_claim_what_is_true_of_them():
    same = Material("KRvK").equivalence()
    canonical = np.unique(same.canonical(np.arange(64**3, dtype=np.uint32)))
    for indices, claims in [
        (canonical, (True, True, True)),
        (canonical[::-1], (False, False, True)),
        (np.repeat(canonical, 2), (True, False, True)),
        (np.arange(64**3, dtype=np.uint32), (True, True, False)),
    ]:
        with store.write("x.tbi", indices, "KRvK", overwrite=True) as file:
            assert (file.sorted, file.distinct, file.canonical) == claims
            file.verify()


def test_compressed_files_are_read_not_viewed(rng):
    indices = np.sort(random_indices(rng, 5, 100_000))
    with store.write("x.tbi", indices, "KQRvKR", compress=True) as file:
        assert file.compressed and (file.read() == indices).all()
        out = np.zeros(2 * indices.size, np.uint32)[::2]
        assert file.read(out=out) is out and (out == indices).all()
        with pytest.raises(tbindex.StoreError, match="the file is compressed"):
            file.indices
        refused(ValueError, "out: an array of shape", file.read, out=np.zeros(3, np.uint32))
        file.verify()
    refused(tbindex.StoreError, "expected sorted indices", store.write, "y.tbi", indices[::-1], "KQRvKR", compress=True)
    assert names(".") == ["x.tbi"]


def test_views_are_read_only_for_good(rng):
    with store.write("x.tbi", random_indices(rng, 3, 100), "KRvK") as file:
        indices = file.indices
        for view in (indices, indices[3:], indices.view(np.uint8), np.asarray(indices)):
            assert not view.flags.writeable
            with pytest.raises(ValueError):
                view[0] = 1
            with pytest.raises(ValueError):
                view.flags.writeable = True
        refused(ValueError, "out: the array is read-only", Layout(3).flip, indices, "rotate_90", out=indices)
        refused(ValueError, None, indices.resize, 10, refcheck=False)
        assert memoryview(indices).readonly
        # It refers to no buffer that could be written.
        refused(TypeError, None, memoryview, indices.base)


def test_views_outlive_the_file(rng):
    expected = random_indices(rng, 5, 500_000)
    file = store.write("x.tbi", expected, "KQRvKR")
    view, part = file.indices, file.indices[1000:2000:3]
    file.close()
    del file
    gc.collect()
    os.remove("x.tbi")
    # Something else in the memory that would be free.
    others = [np.full(500_000, k, np.uint32) for k in range(20)]
    assert (view == expected).all() and (part == expected[1000:2000:3]).all()
    del view
    gc.collect()
    assert (part == expected[1000:2000:3]).all() and len(others) == 20
    turned = Layout(5).flip(part, "rotate_180")
    assert (turned == Layout(5).flip(expected[1000:2000:3], "rotate_180")).all()


def test_a_map_is_given_back_with_its_last_view(rng):
    if not os.path.exists("/proc/self/maps"):
        pytest.skip("only Linux says what is mapped")

    def mapped():
        return "view-of-this.tbi" in pathlib.Path("/proc/self/maps").read_text()

    file = store.write("view-of-this.tbi", random_indices(rng, 3, 100), "KRvK")
    view = file.indices
    file.close()
    assert mapped()
    del view
    gc.collect()
    assert not mapped()


def test_a_closed_file_says_so():
    file = store.write("x.tbi", np.zeros(1, np.uint32), "KvK")
    with file as same:
        assert same is file and not file.closed
    assert file.closed and "closed" in repr(file)
    file.close()
    for use in [
        lambda: file.indices,
        lambda: file.read(),
        lambda: file.verify(),
        lambda: 0 in file,
        lambda: file.rank(0),
        lambda: file.__enter__(),
        lambda: store.reduce([file], "y.tbi"),
        lambda: store.union([file], "y.tbi"),
    ]:
        refused(ValueError, "x.tbi: the file is closed", use)
    # The header's content is still known.
    assert file.material == Material("KvK") and len(file) == 1
    assert names(".") == ["x.tbi"]


def test_files_closed_while_they_are_read(rng):
    expected = random_indices(rng, 5, 2_000_000)
    file = store.write("x.tbi", expected, "KQRvKR")
    results = []

    def read():
        try:
            results.append((file.read() == expected).all())
        except ValueError as error:
            results.append("closed" in str(error))

    assert in_threads(*[read] * 4, file.close) == []
    assert results == [True] * 4


def test_search(rng):
    indices = np.unique(random_indices(rng, 3, 5000))
    with store.write("x.tbi", indices, "KRvK") as file:
        for index in (*indices[:20].tolist(), 0, 64**3 - 1, 2**40):
            assert (index in file) == (index in indices)
            assert file.rank(index) == np.searchsorted(indices, index)
        assert indices[5] in file and -1 not in file and 2**64 not in file
        for wrong in ("5", None, 0.5):
            with pytest.raises(TypeError):
                wrong in file
    with store.write("y.tbi", indices[::-1], "KRvK") as file:
        for index in (0, -1):
            with pytest.raises(tbindex.StoreError, match="does not say that its indices are sorted"):
                index in file


def test_reduce_is_unique_of_canonical(rng):
    same = Material("KRRvK").equivalence()
    parts = [random_indices(rng, 4, 50_000) for _ in range(3)]
    expected = np.unique(same.canonical(np.concatenate(parts)))
    files = [store.write(f"{k}.tbi", part, "KRRvK") for k, part in enumerate(parts)]
    mixed = [files[0], "1.tbi", pathlib.Path("2.tbi")]
    for k, (method, compress, threads) in enumerate(
        [("auto", False, None), ("sort", True, 1), ("bitmap", False, 2)]
    ):
        output = f"reduced-{k}.tbi"
        with store.reduce(mixed, output, method=method, compress=compress, threads=threads) as file:
            assert file.compressed == compress
            assert (file.read() == expected).all()
            assert file.sorted and file.distinct and file.canonical
            file.verify()
    alternate = Material("KRRvK").equivalence("alternate")
    with store.reduce(mixed, "alternate.tbi", numbering="alternate") as file:
        converted = same.layout.convert(np.concatenate(parts), "alternate")
        assert (file.indices == np.unique(alternate.canonical(converted))).all()


def test_sets_are_those_of_numpy(rng):
    sets = [np.unique(random_indices(rng, 3, 60_000)) for _ in range(2)]
    files = [store.write(f"{k}.tbi", part, "KRvK") for k, part in enumerate(sets)]
    for make, expected in [
        (store.union, np.union1d(*sets)),
        (store.intersection, np.intersect1d(*sets)),
        (store.difference, np.setdiff1d(*sets)),
    ]:
        for compress in (False, True):
            with make(files, f"{make.__name__}-{compress}.tbi", compress=compress) as file:
                assert (file.read() == expected).all() and file.distinct
    unsorted = store.write("unsorted.tbi", sets[0][::-1], "KRvK")
    refused(tbindex.StoreError, "unsorted.tbi: .*sorted and distinct", store.union, [files[0], unsorted], "x.tbi")
    other = store.write("other.tbi", sets[0], "KQvK")
    with pytest.raises(tbindex.StoreError, match="other.tbi: its material is KQvK: expected KRvK"):
        store.union([files[0], other], "x.tbi")
    refused(ValueError, "expected at least one", store.union, [], "x.tbi")
    assert not os.path.exists("x.tbi")


def test_whole_files_change_as_arrays_do(rng):
    layout, indices = Layout(4), random_indices(rng, 4, 200_000)
    file = store.write("x.tbi", indices, "KQvKR")
    for symmetry in Symmetry:
        with store.transform(file, "y.tbi", symmetry, overwrite=True) as changed:
            assert (changed.indices == layout.flip(indices, symmetry)).all()
    with store.convert("x.tbi", "y.tbi", "alternate", overwrite=True) as changed:
        assert (changed.indices == layout.convert(indices, "alternate")).all()
        assert changed.numbering is Numbering.ALTERNATE
    # In place: the old map is kept by whoever has it.
    before = file.indices
    store.transform("x.tbi", "x.tbi", "rotate_90", overwrite=True)
    assert (before == indices).all()
    assert (IndexFile("x.tbi").indices == layout.flip(indices, "rotate_90")).all()


def test_what_the_system_refuses_is_an_oserror():
    message = r"^\[Errno \d+\] can't open the file: No such file[^()]*: 'missing.tbi'$"
    error = refused(FileNotFoundError, message, IndexFile, "missing.tbi")
    assert error.errno == errno.ENOENT and error.filename == "missing.tbi"
    assert error.strerror.startswith("can't open the file")
    refused(tbindex.StoreError, r"^\.: it is .*: expected a regular file", IndexFile, ".")
    refused(FileNotFoundError, "no-such-folder", store.write, "no-such-folder/x.tbi", np.zeros(1, np.uint32), "KvK")
    store.write("x.tbi", np.zeros(1, np.uint32), "KvK")
    message = "the file exists already.*: 'x.tbi'$"
    error = refused(FileExistsError, message, store.write, pathlib.Path("x.tbi"), np.zeros(2, np.uint32), "KvK")
    assert error.errno == errno.EEXIST and error.filename == "x.tbi"
    for make in (store.reduce, store.union):
        refused(FileExistsError, message, make, ["x.tbi"], "x.tbi")
    assert len(IndexFile("x.tbi")) == 1


def test_paths_are_what_python_takes_for_paths(folder):
    name = "päth.tbi"
    for path in (name, folder / name, os.fsencode(name), b"x.tbi"):
        with store.write(path, np.arange(5, dtype=np.uint32), "KvK", overwrite=True) as file:
            assert isinstance(file.path, pathlib.Path) and file.path == pathlib.Path(os.fsdecode(path))
        assert len(IndexFile(path)) == 5
        with store.reduce([path], os.fsencode("y.tbi"), temp=os.fsencode(folder), overwrite=True) as file:
            assert len(file) == 5
    for wrong in (3, None, ["x.tbi"]):
        refused(TypeError, "^path: expected str, bytes or os.PathLike", IndexFile, wrong)
    refused(OSError, "NUL|null", IndexFile, "a\0b")
    assert names(folder) == sorted([name, "x.tbi", "y.tbi"])


def test_files_are_any_number_of_files(folder):
    file = store.write("x.tbi", np.arange(5, dtype=np.uint32), "KvK")
    for files in ([file], (file, "x.tbi"), iter([b"x.tbi"]), {"x.tbi": 1}):
        store.union(files, "y.tbi", overwrite=True)
    for wrong in ("x.tbi", b"x.tbi", folder / "x.tbi", file, 3, None):
        for make in (store.union, store.reduce):
            refused(TypeError, "^files: .*: expected a sequence of files or paths", make, wrong, "z.tbi")
    refused(TypeError, "^files: expected str, bytes or os.PathLike", store.union, [file, 3], "z.tbi")
    refused(TypeError, "^output: expected str, bytes or os.PathLike", store.union, [file], 3)
    refused(TypeError, "^temp: expected str, bytes or os.PathLike", store.reduce, [file], "z.tbi", temp=3)
    assert names(folder) == ["x.tbi", "y.tbi"]


def test_files_are_sequences(rng):
    for material, count in [("KRvK", 30_000), ("KQRvKQR", 40_000), ("KRvK", 0), ("KRvK", 1)]:
        indices = np.unique(random_indices(rng, len(Material(material)), count))
        for compress in (False, True):
            with store.write("x.tbi", indices, material, compress=compress, overwrite=True) as file:
                found = list(file)
                assert found == indices.tolist() and len(found) == len(file)
                blocks = list(file.blocks())
                assert sum(map(len, blocks)) == len(file) and all(b.dtype == file.dtype for b in blocks)
                for place in {0, 1, -1, len(indices) // 2, len(indices) - 1, -len(indices)}:
                    if -len(indices) <= place < len(indices):
                        assert file[place] == indices[place] and type(file[place]) is file.dtype.type
                for outside in (len(indices), -len(indices) - 1, 2**70):
                    with pytest.raises(IndexError):
                        file[outside]
                for _ in range(30):
                    ends = rng.integers(-len(indices) - 5, len(indices) + 5, 2).tolist()
                    part = slice(*ends, int(rng.choice([1, 2, 5000, -1, -3, -70_000])))
                    assert (file[part] == indices[part]).all() and file[part].shape == indices[part].shape
                assert (file[:] == indices).all() and (file[::-1] == indices[::-1]).all()
                with pytest.raises((TypeError, IndexError)):
                    file["a"]
    with pytest.raises(ValueError, match="the file is closed"):
        file[0]
    refused(ValueError, "the file is closed", iter, file)


def test_files_are_pickled_by_their_paths(folder, monkeypatch):
    file = store.write("x.tbi", np.arange(5, dtype=np.uint32), "KvK")
    pickled = pickle.dumps(file)
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    other = pickle.loads(pickled)
    assert (other.indices == file.indices).all() and other.path == folder / "x.tbi"
    file.close()
    refused(ValueError, "the file is closed", pickle.dumps, file)


def test_files_are_written_part_by_part(rng):
    indices = np.unique(random_indices(rng, 3, 100_000))
    whole = store.write("whole.tbi", indices, "KRvK", side="white")
    for parts in (
        np.array_split(indices, 7),
        iter(np.array_split(indices, 7)),
        (indices[k : k + 1000] for k in range(0, len(indices), 1000)),
        [indices, indices[:0]],
        whole.blocks(),
    ):
        store.write("x.tbi", parts, "KRvK", side="white", overwrite=True)
        assert pathlib.Path("x.tbi").read_bytes() == pathlib.Path("whole.tbi").read_bytes()
    os.remove("x.tbi")
    assert len(store.write("x.tbi", [], "KRvK")) == 0
    os.remove("x.tbi")
    before = names(".")

    def broken():
        yield indices
        raise KeyError("no more")

    refused(KeyError, "no more", store.write, "x.tbi", broken(), "KRvK")
    for wrong in ([indices, [1]], [indices.astype(np.uint64)], [1, 2], ["ab"]):
        refused(TypeError, "^indices: .*expected a numpy array of uint32", store.write, "x.tbi", wrong, "KRvK")
    for wrong in ("abcd", b"abcd", memoryview(b"abcd"), 5.0, None):
        with pytest.raises(TypeError, match="^indices: .*expected a numpy array of uint32 or uint64"):
            store.write("x.tbi", wrong, "KRvK")
    assert names(".") == before


def test_numbers_out_of_range_are_value_errors():
    file = store.write("x.tbi", np.arange(5, dtype=np.uint32), "KvK")
    for use in [
        lambda: file.rank(-1),
        lambda: file.rank(2**64),
        lambda: file.verify(threads=-1),
        lambda: store.reduce([file], "y.tbi", memory=-1),
        lambda: store.reduce([file], "y.tbi", memory=2**70),
        lambda: store.reduce([file], "y.tbi", threads=-1),
    ]:
        refused(ValueError, "expected a number from 0 to", use)


def test_files_are_arrays_to_numpy(rng):
    indices = np.unique(random_indices(rng, 3, 1000))
    with store.write("x.tbi", indices, "KRvK") as file:
        view = np.asarray(file)
        assert view.dtype == np.uint32 and not view.flags.writeable and (view == indices).all()
        assert np.shares_memory(view, file.indices)
        wide, copy = np.asarray(file, np.uint64), np.array(file)
        assert wide.dtype == np.uint64 and (wide == indices).all()
        assert copy.flags.writeable and (copy == indices).all()
        assert np.isin(file, indices[:10]).sum() == 10
    refused(ValueError, "the file is closed", np.asarray, file)
    with store.write("y.tbi", indices, "KRvK", compress=True) as file:
        refused(tbindex.StoreError, "the file is compressed", np.asarray, file)


def test_damage_is_a_store_error(rng):
    store.write("x.tbi", random_indices(rng, 3, 1000), "KRvK")
    good = pathlib.Path("x.tbi").read_bytes()
    for at, message in [(0, "not an index file"), (20, "header"), (300, "block 0.*damaged"), (-1, "damaged|says")]:
        bad = bytearray(good)
        bad[at] ^= 1
        pathlib.Path("bad.tbi").write_bytes(bad)
        with pytest.raises(tbindex.StoreError, match=f"^bad.tbi: .*({message})"):
            with IndexFile("bad.tbi") as file:
                file.verify()
    for length in (0, 1, 255, 256, len(good) - 1):
        pathlib.Path("bad.tbi").write_bytes(good[:length])
        refused((tbindex.StoreError, OSError), "^bad.tbi: |: 'bad.tbi'$", IndexFile, "bad.tbi")


def test_indices_must_go_with_the_material():
    with pytest.raises(tbindex.StoreError, match="index 0o1000000 at position 1 is out of range"):
        store.write("x.tbi", np.array([0, 64**3], np.uint32), "KRvK")
    refused(tbindex.StoreError, "64-bit words were asked for", store.write, "x.tbi", np.zeros(1, np.uint64), "KRvK")
    refused(tbindex.StoreError, "11 pieces", store.write, "x.tbi", np.zeros(1, np.uint64), "KQQQQQvKRRRR")
    refused(tbindex.Error, "'?green'? is|\"green\"", store.write, "x.tbi", np.zeros(1, np.uint32), "KvK", side="green")
    with pytest.raises(tbindex.Error, match="^method: .* is not a method"):
        file = store.write("y.tbi", np.zeros(1, np.uint32), "KvK")
        store.reduce([file], "x.tbi", method="magic")
    refused(tbindex.StoreError, "bytes of memory are too little", store.reduce, [file], "x.tbi", memory=1)
    assert names(".") == ["y.tbi"]


# Progress and interruption.


@pytest.fixture(scope="module")
def many_to_copy(tmp_path_factory):
    """Made once, as it takes a while."""
    path = tmp_path_factory.mktemp("many") / "many.tbi"
    indices = np.unique(random_indices(np.random.default_rng(1), 5, 2_000_000))
    store.write(path, indices, "KQRvKR").close()
    return path


@pytest.fixture
def many(many_to_copy, folder):
    shutil.copy(many_to_copy, "many.tbi")
    return IndexFile("many.tbi")


def works(many):
    """Every work that reports, by name."""
    indices = many.read()
    return {
        "write": lambda **how: store.write("new.tbi", indices, "KQRvKR", **how),
        "reduce": lambda **how: store.reduce([many], "new.tbi", **how),
        "sort": lambda **how: store.reduce([many], "new.tbi", method="sort", **how),
        "union": lambda **how: store.union([many, many], "new.tbi", **how),
        "intersection": lambda **how: store.intersection([many, many], "new.tbi", **how),
        "difference": lambda **how: store.difference([many, many], "new.tbi", **how),
        "convert": lambda **how: store.convert(many, "new.tbi", "alternate", **how),
        "transform": lambda **how: store.transform(many, "new.tbi", "rotate_90", **how),
        "verify": lambda **how: many.verify(**how),
    }


def test_threads_are_counted(many, folder):
    expected = Layout(5).flip(many.indices, "rotate_90")
    for threads in (None, 0, 1, 3):
        with store.transform(many, "new.tbi", "rotate_90", threads=threads, overwrite=True) as file:
            assert (file.indices == expected).all()
    os.remove("new.tbi")
    for threads in (1025, 2**63):
        for name, work in works(many).items():
            if name != "write":
                refused(ValueError, f"^threads: {threads}: expected at most 1024", work, threads=threads)
    assert names(folder) == ["many.tbi"]


def test_progress_is_told(many):
    for name, work in works(many).items():
        calls = []
        work(progress=lambda *call: calls.append(call))
        assert calls, name
        stages = {stage for stage, _, _ in calls}
        assert stages <= {"read", "sort", "write", "verify"}
        for stage in stages:
            done = [(d, total) for s, d, total in calls if s == stage]
            assert done == sorted(done, key=lambda call: call[0])
            assert all(total is None or d <= total for d, total in done)
        # The end of what has a known end is always told.
        assert any(d == total for _, d, total in calls), name
        if name != "verify":
            os.remove("new.tbi")


def test_what_progress_raises_ends_the_work(many, folder):
    class Enough(BaseException):
        pass

    def stop(*_):
        raise Enough("that will do")

    for name, work in works(many).items():
        refused(Enough, "that will do", work, progress=stop)
        assert names(folder) == ["many.tbi"], name
    refused(TypeError, None, store.reduce, [many], "new.tbi", progress=lambda: None)
    refused(TypeError, "^progress: str: expected a function", store.reduce, [many], "new.tbi", progress="not callable")
    assert names(folder) == ["many.tbi"]


@pytest.fixture
def interrupts():
    """Lets SIGINT raise KeyboardInterrupt also where it was ignored, as in a background job of a shell."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has it")
def test_interrupt_ends_the_work(many, folder, interrupts):
    def interrupt(*_):
        os.kill(os.getpid(), signal.SIGINT)

    for name, work in works(many).items():
        refused(KeyboardInterrupt, None, work, progress=interrupt)
        assert names(folder) == ["many.tbi"], name


# A program that waits where the second file that it writes is begun.
BEGUN = "1*off->1*return(wait)->off"
MANY = """
import numpy as np
from tbindex import store
many = store.write('many.tbi', np.arange(100_000, dtype=np.uint32), 'KQRvKR')
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has it")
def test_interrupt_of_a_reduction_in_another_process(folder):
    program = MANY + """
try:
    store.reduce([many], "new.tbi", method="sort")
except KeyboardInterrupt:
    print("interrupted", sorted(os.listdir(".")), flush=True)
    sys.exit(3)
"""
    assert interrupted(program, "store::writer_created", folder, BEGUN) == ("interrupted ['many.tbi']\n", 3)


def test_other_threads_run_while_files_are_reduced(folder):
    # The library waits until another thread of the same interpreter has noticed that this test closed a pipe.
    program = MANY + """
outside = os.dup(0)
end, write = os.pipe()
os.dup2(end, 0)
os.close(end)
def close():
    os.read(outside, 1)
    os.close(write)
threading.Thread(target=close).start()
store.reduce([many], "new.tbi", method="sort")
print("reduced", flush=True)
"""
    with waiting(program, "store::writer_created", folder, BEGUN) as process:
        assert process.communicate(timeout=60)[0] == "reduced\n"
