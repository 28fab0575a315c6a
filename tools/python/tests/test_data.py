"""Data as people have them: frames, missing values, boards; and calls that are interrupted, told about, or take little memory."""

import os
import pickle
import subprocess
import sys

import chess
import numpy as np
import pytest
from conftest import refused, waiting

import tbindex
from tbindex import Compact, Enumeration, IndexFile, Layout, Material, Moves, PlacementCodec, store
from tbindex.tables import Tables, generate

WIN, LOSS = "8/8/8/8/8/2k5/8/K6R w - - 0 1", "8/8/8/8/8/2k5/8/K6R b - - 0 1"


class Frame:
    """A frame with what pandas, polars and Arrow have in common."""

    def __init__(self, columns):
        self.names, self.values = list(columns), list(columns.values())
        self.columns = self.names

    def __len__(self):
        return len(self.values[0])

    def __getitem__(self, name):
        return self.values[self.names.index(name)]


def frames(columns):
    """Frames with these columns, of all packages that are there."""
    yield Frame(columns)
    for package, make in [("pandas", "DataFrame"), ("polars", "DataFrame"), ("pyarrow", "table")]:
        try:
            yield getattr(__import__(package), make)(columns)
        except ImportError:
            pass


@pytest.mark.parametrize("dtype", [np.uint8, np.int64])
def test_squares_are_read_by_the_names_of_columns(rooks, dtype):
    tables, black = Tables(rooks), Enumeration("KRvK", "legal", "black").indices()[::500]
    squares = Material("KRvK").layout.decode(black).astype(dtype)
    expected = tables.dtz(black, material="KRvK", side="black")
    assert Material("KRvK").columns == ["R", "k", "K"] and not expected.mask.any()
    columns = dict(zip(["K", "R", "k"], squares.T[[2, 0, 1]]))
    for frame in frames({"fen": np.arange(len(black)), **columns}):
        assert (tables.dtz(frame, material="KRvK", side="black") == expected).all()
        wrong = refused(ValueError, None, tables.dtz, frame, material="KQvK", side="black")
        assert str(wrong) == (
            "positions: a table with the columns ['fen', 'K', 'R', 'k']: expected one column for each of ['Q', 'k', 'K']"
        )
        refused(TypeError, r"one of its columns \['fen', 'K', 'R', 'k'\]", tables.dtz, frame)
        refused(TypeError, r"one of its columns \['fen'", Layout(3).flip, frame, 0)
        refused(ValueError, "expected one column for each of ..0', '1', '2'", Layout(3).encode, frame)
    for frame in frames({"1": squares[:, 1], "2": squares[:, 2], "0": squares[:, 0]}):
        assert (Layout(3).encode(frame) == black).all()
    same = tables.dtz(Frame({"K": [0], "R1": [9], "R2": [7], "k": [18]}), material="KRRvK", side="black")
    assert same.mask.tolist() == [True] and "KRRvK" in tables.failures
    far = Frame({"R": np.array([300, -250, 7]), "k": np.array([18] * 3), "K": np.array([0] * 3)})
    assert tables.wdl(far, material="KRvK", side="black", invalid="mask").tolist() == [None, None, -2]
    refused(TypeError, "'K' is of bool", tables.wdl, Frame({"R": [7], "k": [18], "K": [False]}), material="KRvK", side="w")


@pytest.mark.parametrize("wrong", [64, 263, 300, -1, -249, 2**63 - 1, np.uint64(2**64 - 1), 3.5, 64.0, float("inf"), -float("inf")])
def test_squares_out_of_range_are_named_as_they_are_in_the_column(rooks, wrong):
    tables, rooks_at = Tables(rooks), np.array([7, wrong], np.asarray(wrong).dtype)
    for frame in frames({"R": rooks_at, "k": np.array([18, 18]), "K": np.array([0, 0])}):
        error = refused(tbindex.Error, None, tables.wdl, frame, material="KRvK", side="black")
        assert str(error) == f"positions: column 'R', position 1: {wrong}: squares are whole numbers from 0 to 63"
        assert tables.wdl(frame, material="KRvK", side="black", invalid="mask").tolist() == [-2, None]
    for frame in frames({"0": np.array([18, 18]), "1": rooks_at}):
        error = refused(tbindex.Error, None, Layout(2).encode, frame)
        assert str(error) == f"squares: column '1', position 1: {wrong}: squares are whole numbers from 0 to 63"


def test_columns_of_floats_lack_what_is_nan(rooks):
    tables = Tables(rooks)
    for frame in frames({"R": np.array([7.0, np.nan]), "k": np.array([18, 18]), "K": np.array([0.0, 0.0], np.float32)}):
        assert tables.dtz(frame, material="KRvK", side="white").tolist() == [27, None]
        assert tables.reasons(frame, material="KRvK", side="white").tolist() == [None, "there is no position"]
    for frame in frames({"0": np.array([7.0, np.nan]), "1": np.array([18, 18])}):
        refused(ValueError, "^squares: a column with missing values", Layout(2).encode, frame)
    for frame in frames({"0": np.array([7.0, 8.0]), "1": np.array([18, 18])}):
        assert (Layout(2).encode(frame) == Layout(2).encode(np.array([[7, 18], [8, 18]], np.uint8))).all()


def test_what_is_missing_is_masked_and_has_a_reason(rooks):
    class NAType:
        """As in pandas."""

    tables, codec = Tables(rooks), PlacementCodec("KRvK")
    fens = [WIN, NAType(), None, float("nan"), "8/8 \ud800", LOSS]
    mask = [False, True, True, True, True, False]
    refused(tbindex.Error, "position 4: .8/8 \ufffd", tables.wdl, fens)
    assert tables.wdl(fens, invalid="mask").mask.tolist() == mask
    assert tables.failures == {"no position": 3, "not a position": 1}
    reasons = tables.reasons(fens)
    assert [why is not None for why in reasons] == mask and reasons[1] == "there is no position" and "\ufffd" in reasons[4]
    assert tables.reasons(WIN) is None and tables.reasons(fens[4]) == reasons[4]
    indices, black = codec.encode(fens, with_side=True, invalid="mask")
    assert indices.mask.tolist() == black.mask.tolist() == mask
    assert Material.of(fens, invalid="mask") == [Material("KRvK"), *[None] * 4, Material("KRvK")]
    refused(tbindex.Error, "^position 4: ", Material.of, fens)
    # A masked entry stays masked.
    assert tables.dtz(indices, material="KRvK", side=black).tolist() == [27, *[None] * 4, -30]
    plain = indices.filled(int(indices[0]))
    assert tables.dtz(plain, material="KRvK", side=black).mask.tolist() == mask
    rows = np.ma.masked_array(codec.layout.decode(plain), [[masked, False, False] for masked in mask])
    assert tables.dtz(rows, material="KRvK", side="white").mask.tolist() == mask
    for call in (codec.decode, Moves("KRvK").is_legal, Moves("KRvK").successors):
        refused(ValueError, "^side: an array with masked elements", call, plain, black)
    assert codec.decode(plain, black, invalid="mask") == [WIN, *[None] * 4, LOSS]
    assert codec.decode(indices, "white", invalid="mask")[:2] == [WIN, None]
    assert codec.decode(np.array([64**3, -1, indices[0]]), invalid="mask") == [None, None, WIN]


def test_columns_of_numbers_may_lack_some(rooks):
    pa, pl, pd = (pytest.importorskip(name) for name in ("pyarrow", "polars", "pandas"))
    tables, index = Tables(rooks), int(PlacementCodec("KRvK").encode(WIN))
    for column in [
        pa.array([index, None, index], pa.uint32()),
        pa.chunked_array([[index], [None, index]], pa.int64()),
        pl.Series([index, None, index]),
        pd.Series([index, None, index], dtype="UInt32"),
        pd.Series([index, None, index], dtype=pd.ArrowDtype(pa.uint32())),
    ]:
        assert tables.dtz(column, material="KRvK", side="white").tolist() == [27, None, 27], type(column)
    for side in [pa.array([True, None]), pl.Series([True, None]), pd.Series([True, None], dtype="boolean"), pd.Series([True, None])]:
        assert tables.dtz(np.array([index] * 2), material="KRvK", side=side).tolist() == [-30, None], type(side)
    refused(TypeError, "^side: ", tables.dtz, np.array([index] * 2), material="KRvK", side=pd.Series(["w", None], dtype=object))
    columns = {"R": [7, None], "k": [18, 18], "K": [0, 0]}
    frame = pd.DataFrame(columns, dtype="Int64")
    for some in (frame, pd.DataFrame(columns), pl.from_pandas(frame), pa.table(frame)):
        assert tables.dtz(some, material="KRvK", side="white").tolist() == [27, None]


def test_boards_and_bytes_are_texts_and_sets_are_refused(rooks):
    tables, codec, board = Tables(rooks), PlacementCodec("KRvK"), chess.Board(WIN)
    assert tables.wdl(board) == tables.wdl(WIN.encode()) == 2 and tables.line(board) == tables.line(WIN)
    assert tables.moves(board) == tables.moves(WIN) and tables.probe_many([board]) == [tables.probe(WIN)]
    assert tables.dtz([board, WIN.encode()]).tolist() == [27, 27]
    assert codec.encode(board) == codec.encode(WIN) and Material.of(board) == codec.material
    for some in ({WIN}, frozenset([WIN])):
        for call in (tables.wdl, codec.encode, Material.of, tables.probe_many):
            refused(TypeError, "a set, which has no order", call, some)


def test_tables_are_closed_and_pickled_and_tell_what_they_have(rooks, tmp_path, monkeypatch):
    monkeypatch.chdir(rooks.parent)
    with Tables(rooks.name, memory="128M", metric="dtm", letters={"L": "WD"}) as tables:
        pickled = pickle.dumps(tables)
        assert tables.endgames == ["KRvK"] and not tables.closed
    assert tables.closed
    for call in (lambda: tables.wdl(WIN), lambda: tables.wdl([WIN]), lambda: tables.failures, tables.__enter__):
        refused(ValueError, "the tables are closed", call)
    monkeypatch.chdir(tmp_path)
    again = pickle.loads(pickled)
    assert again.dtm(WIN) == 27 and repr(again) == repr(tables) and pickle.dumps(again) == pickled
    solving = pickle.loads(pickle.dumps(Tables.on_demand(memory="256M", threads=1)))
    assert solving.dtm(WIN) == 27 and repr(solving) == "Tables.on_demand(memory=268435456)" and solving.endgames == []
    refused(tbindex.Error, f"^{tmp_path}: the folder has no tables", Tables, [rooks, tmp_path])


def test_progress_is_told_and_ends_work(rooks, tmp_path):
    tables, calls = Tables(rooks), []
    assert tables.wdl([WIN] * 3, progress=lambda *call: calls.append(call)).tolist() == [2] * 3
    tables.wdl(iter([WIN]), progress=lambda *call: calls.append(call))
    assert calls == [("probe", 3, 3), ("probe", 1, None)]
    generate("KRvK", tmp_path, progress=lambda *call: calls.append(call))
    assert calls[2:] == [("solve", 1, 1)]

    def end(*call):
        raise KeyError(call)

    refused(KeyError, "probe", tables.wdl, [WIN], progress=end)
    refused(KeyError, "solve", generate, "KRvK", tmp_path, progress=end)


def test_files_are_searched_for_many_and_keep_their_folder(tmp_path, monkeypatch, rng):
    monkeypatch.chdir(tmp_path)
    indices = np.unique(rng.integers(0, 64**3, 5000, np.uint32))
    for compress in (False, True):
        file = store.write("x.tbi", indices, "KRvK", compress=compress, overwrite=True)
        wanted = rng.integers(0, 64**3, (20, 30), np.uint32)
        ranks = file.rank(wanted)
        assert ranks.dtype == np.int64 and (ranks == np.searchsorted(indices, wanted)).all()
        assert file.rank(int(wanted[0, 0])) == ranks[0, 0] and file.rank(wanted[0, 0]) == ranks[0, 0]
    assert len(store.reduce([file], "y.tbi", memory="64M")) > 0
    refused(tbindex.Error, '^memory: "much"', store.reduce, [file], "z.tbi", memory="much")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    assert (pickle.loads(pickle.dumps(file)).read() == indices).all()


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has it")
@pytest.mark.parametrize(
    "point, call",
    [
        ("tables::probing", "tables.wdl(itertools.repeat(fen))"),
        ("python::watch", "codec.encode(itertools.repeat(fen))"),
        ("python::watch", "codec.decode(indices)"),
        ("python::watch", "Compact('KRvK').rank(indices, out=indices)"),
        ("python::watch", "Moves('KRvK').is_mate(indices, 'black')"),
        ("python::watch", "Moves('KRvK').successors(indices, 'black')"),
    ],
)
def test_ctrl_c_ends_calls_before_their_work_is_done(rooks, point, call):
    """The call ends while its work, or the rest of it, waits for the end of standard input."""
    program = f"""
import itertools, time
from tbindex import *
from tbindex.tables import Tables
import numpy as np
fen, indices = {WIN!r}, np.full(1 << 17, 0o270, np.uint32)
codec, tables = PlacementCodec('KRvK'), Tables('.', memory='64M')
try:
    {call}
except KeyboardInterrupt:
    print('ended', flush=True)
"""
    with waiting(program, point, rooks) as process:
        process.send_signal(2)
        if point == "tables::probing":
            assert process.stdout.readline() == "ended\n"
        assert process.communicate(timeout=60)[0] in ("", "ended\n")
        assert process.returncode == 0


@pytest.mark.skipif(sys.platform != "linux", reason="the memory is that of Linux")
@pytest.mark.parametrize(
    "call, count, times",
    [
        ("tables.wdl(indices, material='KRvK', side='white')", 1 << 20, 1),
        ("Moves('KRvK').successors(indices, 'white')", 1 << 18, 2),
    ],
)
def test_calls_take_little_memory_beside_their_results(rooks, call, count, times):
    program = f"""
import numpy as np, resource
from tbindex import Moves
from tbindex.tables import Tables
tables = Tables('.', memory='64M')
def most():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
def results(indices):
    found = {call}
    arrays = [array for array in found if hasattr(array, 'nbytes')] if isinstance(found, tuple) else [found, found.mask]
    return sum(array.nbytes for array in arrays) >> 20
results(np.full(1000, 0o270, np.uint32))
indices = np.full({count}, 0o270, np.uint32)
before = most()
print(results(indices), most() - before)
"""
    run = subprocess.run([sys.executable, "-c", program], cwd=rooks, capture_output=True, text=True, check=True)
    size, taken = map(int, run.stdout.split())
    assert size > 0 and taken < times * size + 24
