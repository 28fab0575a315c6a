"""FEN, legality, moves and enumeration, against python-chess."""

import pickle
import subprocess
import sys

import chess
import numpy as np
import pytest
from conftest import random_indices, refused

import tbindex
from tbindex import Enumeration, IndexFile, Material, Moves, Numbering, PlacementCodec, estimate, store

MATERIALS = ["KQvKR", "KPvKP", "KRRvK", "KPPvKPP", "KBNvKQP"]


def boards(codec, indices, side):
    """The positions that a board can show, as boards of python-chess with their indices."""
    for index in indices:
        try:
            yield index, chess.Board(codec.decode(index, side))
        except tbindex.Error as error:
            assert "two pieces stand on" in str(error)


@pytest.mark.parametrize("numbering", list(Numbering), ids=str)
@pytest.mark.parametrize("name", MATERIALS)
def test_positions_are_those_of_python_chess(name, numbering, rng):
    codec, moves = PlacementCodec(name, numbering), Moves(name, str(numbering))
    layout = codec.layout
    indices = random_indices(rng, layout.pieces, 60)
    for side in ("white", "black"):
        legal, check = moves.is_legal(indices, side), moves.is_check(indices, side)
        mate, stalemate = moves.is_mate(indices, side), moves.is_stalemate(indices, side)
        by_index = {int(index): k for k, index in enumerate(indices)}
        for index, board in boards(codec, indices, side):
            k = by_index[int(index)]
            # Pieces as python-chess has them, by piece numbers.
            squares = layout.decode(index)
            for square, letter in zip(squares.tolist(), codec.material.index_order):
                assert board.piece_at(square).symbol() == letter
            if board.pawns & chess.BB_BACKRANKS:
                assert not legal[k]
                refused(tbindex.Error, "a pawn stands on", codec.encode, board.fen())
                continue
            assert codec.encode(board.epd()) == codec.encode(board.fen())
            same = tbindex.Equivalence(layout, "trivial", codec.material.equivalence().like)
            assert same.canonical(index) == codec.encode(board.epd())
            # Checks that no last move can have given do not count.
            status = board.status() & ~(chess.STATUS_TOO_MANY_CHECKERS | chess.STATUS_IMPOSSIBLE_CHECK)
            assert legal[k] == (status == chess.STATUS_VALID)
            if not legal[k]:
                refused(tbindex.Error, "is no legal position", moves.moves, index, side)
                continue
            assert check[k] == board.is_check()
            assert mate[k] == board.is_checkmate() and stalemate[k] == board.is_stalemate()
            found = moves.moves(int(index), side)
            assert sorted(map(str, found)) == sorted(move.uci() for move in board.legal_moves)
            for move in found[:6]:
                after = board.copy(stack=False)
                step = chess.Move.from_uci(str(move))
                after.push(step)
                reached = PlacementCodec(move.material, numbering)
                position = chess.Board(reached.decode(reached.layout.dtype.type(move.index), move.side))
                expected = after if move.side == ("white" if after.turn else "black") else after.mirror()
                assert position.board_fen() == expected.board_fen() and position.turn == expected.turn
                if move.captured is None and move.promotion is None:
                    assert index in moves.unmoves(move.index, move.side)
                assert (move.from_square, move.to_square) == (step.from_square, step.to_square)


def test_lines_become_arrays():
    codec = PlacementCodec("KvK")
    lines = ["8/8/8/8/8/8/8/K1k5 w - -", "8/8/8/8/8/8/8/k1K5 b - - 3 7"]
    indices, black = codec.encode(lines, with_side=True)
    assert indices.tolist() == [0o02, 0o20] and black.tolist() == [False, True]
    assert indices.dtype == np.uint32 and black.dtype == bool
    assert type(codec.encode(lines[0])) is np.uint32 and codec.encode(iter(lines)).tolist() == indices.tolist()
    assert codec.encode(lines[:1], side="white").tolist() == [2] and codec.encode([]).shape == (0,)
    assert codec.decode(indices) == [codec.decode(index) for index in indices]
    wide = PlacementCodec("KQRvKQR")
    assert wide.encode([]).dtype == np.uint64
    assert pickle.loads(pickle.dumps(codec)).encode(lines[0]) == 2
    assert repr(codec) == "PlacementCodec('KvK', 'natural')"


@pytest.mark.parametrize(
    "line, message",
    [
        ("8/8/8/8/8/8/8/K1k4 w", "rank 1 has 7 squares"),
        ("8/8/8/8/8/8/8/K1k5", "the side to move is"),
        ("8/8/8/8/8/8/8/K1kQ4 w", "the position's material is KvKQ|the position's material is KQvK: expected KvK"),
        ("8/8/8/8/8/8/8/K1k5 b", "black is to move: expected white"),
        ("", "ranks between slashes"),
    ],
)
def test_wrong_lines_are_refused(line, message):
    codec = PlacementCodec("KvK")
    refused(tbindex.Error, message, codec.encode, line, side="white")
    with pytest.raises(tbindex.Error, match=f"^position 1: .*({message})"):
        codec.encode(["8/8/8/8/8/8/8/K1k5 w - -", line], side="white")


def test_other_arguments_are_refused():
    codec = PlacementCodec("KvK")
    # A right that can't be is dropped.
    assert codec.encode("8/8/8/8/8/8/8/K1k5 w K -") == codec.encode("8/8/8/8/8/8/8/K1k5 w K -", rights="drop") == 2
    refused(tbindex.Error, "expected none", codec.encode, "8/8/8/8/8/8/8/K1k5 w K -", rights="refuse")
    castles, rook = "4k3/8/8/8/8/8/8/4K2R w K -", PlacementCodec("KRvK")
    refused(tbindex.Error, "castling rights or an en-passant square", rook.encode, castles)
    assert rook.encode(castles, rights="drop") == rook.encode(castles.replace("K -", "- -"))
    refused(ValueError, "keep, drop or refuse", rook.encode, castles, rights="take")
    for wrong in (5, None, [5], [[]]):
        refused(TypeError, None, codec.encode, wrong)
    refused(tbindex.Error, "position 1: two pieces stand on a1", codec.decode, np.array([2, 0], np.uint32))
    refused(tbindex.Error, "index 0o10000 at position 0", codec.decode, np.array([4096], np.uint32))
    refused(ValueError, "red", codec.decode, np.uint32(2), "red")
    refused(tbindex.Error, "11 pieces", PlacementCodec, "KQQQQQvKRRRR")
    refused(ValueError, "expected a number from 0", Moves("KvK").moves, -1, "white")


@pytest.mark.parametrize("name, side", [("KRvK", "white"), ("KRvK", "black"), ("KPvK", "black")])
def test_enumerations_are_what_is_left_of_all_indices(name, side, tmp_path):
    material = Material(name)
    same, moves = material.equivalence(), Moves(name)
    every = np.arange(material.layout.index_count, dtype=np.uint32)
    legal = every[moves.is_legal(every, side)]
    all = Enumeration(name, "legal", side)
    assert (all.indices() == legal).all() and (np.concatenate(list(all)) == legal).all()
    reduced = Enumeration(material, "legal", side, canonical=True)
    expected = np.unique(same.canonical(legal))
    assert (reduced.indices(threads=1) == expected).all()
    counts = reduced.counts()
    assert list(counts) == ["all", "distinct", "kings_apart", "legal"] and counts["legal"] == len(expected)
    assert list(Enumeration(name, "distinct").counts()) == ["all", "distinct"]
    for compress in (False, True):
        with reduced.write(tmp_path / "x.tbi", compress=compress, overwrite=True) as file:
            assert (file.read() == expected).all() and file.side == side
            assert file.canonical and file.sorted and file.distinct and file.compressed == compress
            file.verify()
    with Enumeration(name, "distinct").write(tmp_path / "y.tbi") as file:
        assert file.side is None and not file.canonical
    again = pickle.loads(pickle.dumps(reduced))
    assert (again.indices() == expected).all() and repr(again) == repr(reduced)
    assert eval(repr(again), vars(tbindex)).counts() == counts


def test_enumerations_can_be_stopped(tmp_path):
    class Enough(Exception):
        pass

    def stop(*_):
        raise Enough

    all = Enumeration("KQRvKR")
    for work in (
        all.counts,
        all.indices,
        lambda **how: all.write(tmp_path / "x.tbi", **how),
    ):
        refused(Enough, None, work, progress=stop)
    assert list(tmp_path.iterdir()) == []
    refused(tbindex.Error, "is not a stage", Enumeration, "KRvK", "some")
    with pytest.raises(FileExistsError):
        (tmp_path / "x.tbi").touch()
        Enumeration("KRvK").write(tmp_path / "x.tbi")


def test_estimates_are_the_sizes_of_schemes():
    estimates = {estimate.scheme: estimate for estimate in estimate("KRRvK")}
    assert estimates["orbit"].slots == tbindex.Orbit(tbindex.Layout(4)).size
    assert estimates["kings"].slots == tbindex.Kings(tbindex.Layout(4)).size
    assert estimates["compact_exact"].slots == tbindex.Compact("KRRvK").size
    assert estimates["compact_exact"].bytes(2) == -(-tbindex.Compact("KRRvK").size // 4)
    assert all(estimate.room for estimate in estimates.values())
    assert estimate("KQQQQQQQQQQvKRRRRRRRRR")[0].slots > 2**64


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as Linux does")
def test_too_many_indices_are_a_memory_error():
    program = """
import resource, tbindex
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
try:
    tbindex.Enumeration("KQRvKQR").indices(threads=1)
except MemoryError as error:
    assert "KQRvKQR" in str(error), error
else:
    raise SystemExit("no error")
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)


def test_numbers_of_python_are_indices():
    codec, moves = PlacementCodec("KRvK"), Moves("KRvK")
    index = int(codec.encode("7k/8/6K1/8/8/8/8/R7 w - -"))
    mates = [str(move) for move in moves.moves(index, "white") if moves.is_mate(move.index, "black")]
    assert mates == ["a1a8"]
    flipped = moves.layout.flip(index, "flip_horizontal")
    assert type(flipped) is np.uint64
    assert flipped == moves.layout.flip(np.uint32(index), "flip_horizontal")
    assert codec.decode(index).startswith("7k/8/6K1/8/8/8/8/R7")
    for wrong in (-1, 2**64):
        refused(ValueError, "expected a number from 0 to", moves.is_legal, wrong, "white")


def test_tables_are_no_texts():
    class Table(dict):
        columns = ["fen"]

    refused(TypeError, r"expected one of its columns \[.fen.\]", PlacementCodec("KRvK").encode, Table(fen=[]))
