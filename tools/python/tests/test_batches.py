"""Many positions at a time: the answers are those of one at a time, whatever the positions are given as."""

import chess
import chess.syzygy
import numpy as np
import pytest
from conftest import awkward_views, refused
from test_tables import PUBLISHED

import tbindex
from tbindex import Enumeration, Material, PlacementCodec
from tbindex.tables import Labels, MissingTableError, Tables

published = pytest.mark.skipif(not PUBLISHED.is_dir(), reason=f"no Syzygy files in {PUBLISHED}")


def some_legal(name, side, rng, count):
    """Legal positions of a material, and their FENs."""
    legal = Enumeration(name, "legal", side).indices()
    indices = rng.choice(legal, count, replace=False)
    return indices, PlacementCodec(name).decode(indices, side)


@published
@pytest.mark.parametrize("name", ["KQvKR", "KRvKQ", "KPvK", "KvKP", "KPvKP"])
@pytest.mark.parametrize("side", ["white", "black"])
def test_published_files_answer_as_python_chess(name, side, rng):
    """Indices, rows and columns of squares and FENs, also where black has more than white."""
    tables = Tables(PUBLISHED)
    indices, fens = some_legal(name, side, rng, 400)
    with chess.syzygy.open_tablebase(str(PUBLISHED)) as theirs:
        boards = [chess.Board(fen) for fen in fens]
        try:
            wdl = [theirs.probe_wdl(board) for board in boards]
            dtz = [theirs.probe_dtz(board) for board in boards]
        except chess.syzygy.MissingTableError:
            pytest.skip(f"{name} is not among the published files")
    squares = Material(name).layout.decode(indices)
    of = {"material": name, "side": side}
    for given, kw in [(indices, of), (squares, of), (np.asfortranarray(squares), of), (fens, {})]:
        labels = tables.probe(given, **kw)
        assert not labels.wdl.mask.any() and not labels.dtz.mask.any()
        assert labels.wdl.tolist() == wdl
        near = np.abs(labels.dtz) - np.abs(dtz)
        assert (near[labels.exact] == 0).all() and ((near == 0) | (near == 1) | (near == -1)).all()
        assert tables.wdl(given, **kw).tolist() == wdl
        assert (tables.dtz(given, **kw) == labels.dtz).all()
        # A game that is over needs no table.
        assert (~labels.dtm.mask).tolist() == [not any(board.legal_moves) for board in boards]
        assert (labels.dtm.compressed() == 0).all()
    assert tables.failures == {}


@published
def test_every_kind_of_array_and_of_sides_is_taken(rng):
    tables = Tables(PUBLISHED)
    indices, _ = some_legal("KRvK", "black", rng, 60)
    black = rng.integers(0, 2, 60).astype(bool)
    white_moves, black_moves = (tables.wdl(indices, material="KRvK", side=side) for side in ("w", "black"))
    both = tables.wdl(indices, material="KRvK", side=black)
    assert (both == np.ma.where(black, black_moves, white_moves)).all()
    assert (both.mask == np.where(black, black_moves.mask, white_moves.mask)).all()
    assert black_moves.mask.sum() == 0 < white_moves.mask.sum()
    for _, view in awkward_views(indices):
        assert (tables.wdl(view, material="KRvK", side="white") == white_moves).all()
    shaped = tables.wdl(indices.reshape(3, 20), material="KRvK", side="white")
    assert shaped.shape == (3, 20) and (shaped.ravel() == white_moves).all()
    wide = tables.wdl(indices.astype(np.uint64), material="KRvK", side="white")
    assert (wide == white_moves).all()
    other = Material("KRvK").layout.convert(indices, "alternate")
    assert (tables.wdl(other, material="KRvK", side="w", numbering="alternate") == white_moves).all()
    assert tables.wdl(indices[:0], material="KRvK", side="white").shape == (0,)
    (reason,) = tables.failures
    assert "legal" in reason and tables.failures[reason] == 8 * white_moves.mask.sum() + both.mask.sum()


@published
def test_texts_keep_counters_and_en_passant():
    tables = Tables(PUBLISHED)
    fens = [
        "8/8/8/8/8/2k5/8/K6R w - - 90 60",
        "8/8/8/8/8/2k5/8/K6R w - - 0 60",
        "8/8/8/8/k2Pp2K/8/8/8 b - d3 0 1",
        "8/8/8/8/k2Pp2K/8/8/8 b - - 0 1",
    ]
    assert tables.wdl(fens).tolist() == [int(tables.wdl(fen)) for fen in fens] == [1, 2, *tables.wdl(fens[2:])]
    assert tables.dtz(fens).tolist() == [tables.dtz(fen) for fen in fens]


def test_own_tables_answer_as_they_do_for_one_position(rooks, rng):
    tables = Tables(rooks)
    indices, fens = some_legal("KRvK", "black", rng, 200)
    labels = tables.probe(indices, material="KRvK", side="black")
    assert isinstance(labels, Labels)
    answers = tables.probe_many(fens)
    for column in ("wdl", "certain", "dtz", "exact", "dtm"):
        assert getattr(labels, column).tolist() == [getattr(answer, column) for answer in answers], column
    assert tables.dtm(fens).tolist() == labels.dtm.tolist() == tables.dtm(indices, material="KRvK", side="black").tolist()


def test_missing_tables_are_masked_and_counted(rooks):
    tables = Tables(rooks)
    fens = ["8/8/8/3k4/8/8/8/KQ6 w - - 0 1", "8/8/8/8/8/2k5/8/K6R w - -", None, "8/8/8/3k4/8/8/8/KQ6 b - - 0 1"]
    wdl = tables.wdl(fens)
    assert wdl.mask.tolist() == [True, False, True, True] and wdl[1] == 2
    assert tables.failures == {"KQvK": 2, "no position": 1}
    for fen in fens:
        assert (tables.reasons(fen) if fen else "there is no position") == tables.reasons([fen])[0]
    for ask in (tables.wdl, tables.dtz, tables.dtm, tables.probe):
        missing = refused(MissingTableError, "^position 0: the table of KQvK", ask, fens, missing="raise")
        assert missing.table == "KQvK"
    refused(MissingTableError, None, tables.wdl, fens[0])
    assert Tables.on_demand().wdl(fens).tolist() == [2, 2, None, -2]


def test_wrong_texts_name_the_place_and_the_text(rooks):
    tables = Tables(rooks)
    fens = ["8/8/8/8/8/2k5/8/K6R w - -", "8/8 w"]
    refused(tbindex.Error, "position 1: \"8/8 w\"", tables.wdl, fens)
    assert tables.wdl(fens, invalid="mask").tolist() == [2, None]
    refused(ValueError, '"skip"', tables.wdl, fens, invalid="skip")
    refused(TypeError, "position 0: positions without material: int", tables.wdl, [1])
    refused(TypeError, "positions without material: NoneType: expected texts", tables.wdl, None)
    refused(TypeError, "material, too", tables.wdl, fens, side="white")


def test_wrong_arrays_are_refused(rooks):
    tables, indices = Tables(rooks), np.zeros(3, np.uint32)
    for side in (None, 1, np.zeros(3), np.zeros(2, bool)):
        refused(TypeError, "side", tables.wdl, indices, material="KRvK", side=side)
    with pytest.raises(ValueError, match="last axis of 4: expected 3"):
        tables.wdl(np.zeros((3, 4), np.uint8), material="KRvK", side="white")
    with pytest.raises(TypeError, match=r"int64: expected .* of uint8 \(squares\)"):
        tables.wdl(np.zeros((3, 3), np.int64), material="KRvK", side="white")
    refused(tbindex.Error, "index", tables.wdl, indices + 64**3, material="KRvK", side="white")
    refused(tbindex.Error, "KvK", tables.wdl, indices, material="KvK", side="white")
    # Squares that are none, and pieces on one square.
    odd = np.array([[3, 3, 60], [7, 18, 0], [9, 64, 2]], np.uint8)
    for some in (odd, np.asfortranarray(odd)):
        refused(tbindex.Error, "piece 1 of position 2 stands on 64", tables.wdl, some, material="KRvK", side="white")
        assert tables.wdl(some, material="KRvK", side="white", invalid="mask").tolist() == [None, 2, None]
    far = np.array([64**3, 0o00270, 64**3 - 1, -1])
    refused(tbindex.Error, "at position 0", tables.wdl, far, material="KRvK", side="white")
    refused(tbindex.Error, "^index -1 at position 1: ", tables.wdl, far[2:], material="KRvK", side="white")
    masked = tables.wdl(far, material="KRvK", side="white", invalid="mask")
    assert masked.mask.tolist() == [True, False, True, True]
    assert all("legal" in why for why in tables.reasons(far, material="KRvK", side="white")[masked.mask])


def test_columns_of_other_packages_are_taken(rooks):
    pa, pl, pd = (pytest.importorskip(name) for name in ("pyarrow", "polars", "pandas"))
    tables = Tables(rooks)
    fens = ["8/8/8/8/8/2k5/8/K6R w - -", None, "8/8/8/8/8/2k5/8/K6R b - -"]
    columns = [
        pa.array(fens),
        pa.array(fens, pa.large_string()),
        pa.array(fens, pa.string_view()),
        pa.chunked_array([fens[:1], fens[1:]]),
        pa.table({"fen": fens})["fen"],
        pl.Series(fens),
        pd.Series(fens),
        np.array(fens, object),
        iter(fens),
        pd.Series(fens).convert_dtypes(),
        *(pd.Series(fens, dtype=dtype) for dtype in ("string[python]", "string[pyarrow]", "category")),
        pd.Series(fens, dtype=pd.ArrowDtype(pa.string())),
        pa.array(fens).dictionary_encode(),
        pa.array([None, *fens, None]).dictionary_encode()[1:4],
        *(pa.array(fens).cast(of) for of in (pa.binary(), pa.large_binary(), pa.binary_view())),
        pl.Series(fens, dtype=pl.Categorical),
        pl.Series(fens).cast(pl.Binary),
    ]
    for column in columns:
        assert tables.dtz(column).tolist() == [27, None, -30], type(column)
    refused(TypeError, "one of its columns", tables.dtz, pd.DataFrame({"fen": fens}))
    refused(TypeError, "expected texts", tables.dtz, pa.array([1]))


def test_moves_take_a_side_for_each_position_and_many_positions(rng):
    moves, codec = tbindex.Moves("KPvKP"), PlacementCodec("KPvKP")
    indices = rng.choice(Enumeration("KPvKP", "kings_apart").indices(), 300)
    black = rng.integers(0, 2, 300).astype(bool)
    sides = ["black" if b else "white" for b in black]
    for ask in (moves.is_legal, moves.is_check, moves.is_mate, moves.is_stalemate):
        one_by_one = [bool(ask(index, side)) for index, side in zip(indices, sides)]
        assert ask(indices, black).tolist() == one_by_one
        out = np.empty(300, bool)
        assert ask(indices, black, out=out) is out and out.tolist() == one_by_one
    assert codec.decode(indices, black) == [codec.decode(index, side) for index, side in zip(indices, sides)]

    after = moves.successors(indices, black)
    offsets, before = moves.predecessors(indices, black)
    assert len(after.offsets) == len(offsets) == 301
    legal = moves.is_legal(indices, black)
    assert 50 < legal.sum() < 300
    for k, (index, side) in enumerate(zip(indices, sides)):
        part = slice(int(after.offsets[k]), int(after.offsets[k + 1]))
        expected = moves.moves(index, side) if legal[k] else []
        assert after.indices[part].tolist() == [move.index for move in expected]
        assert after.black[part].tolist() == [move.side == "black" for move in expected]
        assert [after.materials[m] for m in after.material[part]] == [move.material for move in expected]
        assert after.from_square[part].tolist() == [move.from_square for move in expected]
        assert after.to_square[part].tolist() == [move.to_square for move in expected]
        assert after.piece[part].tolist() == [move.piece for move in expected]
        assert [chr(p) if p else None for p in after.promotion[part]] == [move.promotion for move in expected]
        found = before[int(offsets[k]) : int(offsets[k + 1])].tolist()
        assert found == (moves.unmoves(index, side).tolist() if legal[k] else [])
    for side in (np.zeros(2, bool), np.zeros(300), None):
        refused(TypeError, None, moves.is_legal, indices, side)
        refused(TypeError, None, moves.successors, indices, side)


def test_encoding_takes_columns_and_masks_what_is_wrong():
    codec = PlacementCodec("KRvK")
    fens = ["8/8/8/8/8/2k5/8/K6R w - -", "8/8/8/8/8/2k5/8/K6Q w - -", "8/8 w", None, "8/8/8/8/8/2k5/8/K6R b - -"]
    expected = codec.encode(fens[0])
    for wrong in (1, 2):
        refused(tbindex.Error, f"position 1: \"{fens[wrong]}\"", codec.encode, [fens[0], fens[wrong]])
    refused(TypeError, "position 1: no text", codec.encode, [fens[0], None])
    indices, black = codec.encode(fens, with_side=True, invalid="mask")
    assert indices.tolist() == [expected, None, None, None, expected] and black.tolist() == [False, *[None] * 3, True]
    assert codec.encode(fens, side="white", invalid="mask").tolist() == [expected, *[None] * 4]
    refused(ValueError, "raise", codec.encode, fens, invalid="skip")
    pa = pytest.importorskip("pyarrow")
    for column in (pa.array(fens), pa.chunked_array([fens[:2], fens[2:]])):
        assert codec.encode(column, invalid="mask").mask.tolist() == indices.mask.tolist()


@pytest.mark.parametrize("name", ["KQvKP", "KRRvK", "KvKPP"])
def test_colours_of_indices_are_exchanged(name, rng):
    codec, twin = PlacementCodec(name), PlacementCodec(Material(name).swap_colors())
    indices = rng.choice(Enumeration(name, "distinct").indices(), 100)
    swapped = [chess.Board(fen).mirror().fen() for fen in codec.decode(indices, "white")]
    assert twin.decode(codec.swap_colors(indices), "black") == swapped
    assert (twin.swap_colors(codec.swap_colors(indices)) == indices).all()
