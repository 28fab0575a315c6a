"""A client of lichess's API asks the server, and python-chess probes the same files."""

import os
import random
import subprocess

import berserk
import chess
import chess.syzygy
import pytest

FILES = os.environ["TBSERVE_TABLES"]
WDL = {2: "win", 1: "cursed-win", 0: "draw", -1: "blessed-loss", -2: "loss"}


@pytest.fixture(scope="module")
def client():
    # Without the memory to solve what is not in files.
    command = [os.environ["TBSERVE"], "--tables", FILES, "--listen", "127.0.0.1:0", "--memory", "1M"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        address = server.stdout.readline().strip()
        yield berserk.Client(tablebase_url=address)
        server.terminate()
        assert server.wait(timeout=60) == 0


def positions(material, chance):
    """Random legal positions, some of which allow a capture en passant or a promotion."""
    while True:
        board = chess.Board(None)
        squares = chance.sample(chess.SQUARES, len(material) - 1)
        white, black = material.split("v")
        for square, letter in zip(squares, white + black.lower()):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = chance.choice(chess.COLORS)
        if board.is_valid():
            yield board


def probed(tables, board):
    """The files' answer for a position, or None where a file is missing."""
    try:
        return tables.probe_wdl(board), tables.probe_dtz(board)
    except chess.syzygy.MissingTableError:
        return None


def test_answers_are_those_of_python_chess(client):
    chance = random.Random(1)
    materials = sorted({name.split(".")[0] for name in os.listdir(FILES) if name.endswith(".rtbz")})
    sources = [positions(material, chance) for material in materials]
    compared = moves = 0
    with chess.syzygy.open_tablebase(FILES) as tables:
        while compared < 500:
            board = next(sources[compared % len(sources)])
            compared += 1
            answer = client.tablebase.standard(board.fen())
            known = probed(tables, board)
            if known is not None:
                wdl, dtz = known
                assert (answer["category"], answer["dtz"]) == (WDL[wdl], dtz), board.fen()
                assert answer["precise_dtz"] in (None, dtz)
            assert answer["checkmate"] == board.is_checkmate()
            assert answer["stalemate"] == board.is_stalemate()
            assert answer["insufficient_material"] == board.is_insufficient_material()
            names = {move.uci(): board.san(move) for move in board.legal_moves}
            assert {step["uci"]: step["san"] for step in answer["moves"]} == names
            for step in answer["moves"]:
                move = chess.Move.from_uci(step["uci"])
                assert step["zeroing"] == board.is_zeroing(move)
                after = board.copy()
                after.push(move)
                assert step["checkmate"] == after.is_checkmate()
                after.halfmove_clock = 0
                known = probed(tables, after)
                if known is not None:
                    assert step["dtz"] == known[1], (board.fen(), step)
                    moves += 1
            outcomes = ["loss", "blessed-loss", "draw", "cursed-win", "win"]
            if answer["moves"] and all(step["category"] in outcomes for step in answer["moves"]):
                # The best move keeps the outcome.
                best = outcomes.index(answer["moves"][0]["category"])
                assert outcomes[4 - best] == answer["category"], board.fen()
    assert moves > 2000


def test_wrong_positions_are_refused(client):
    with pytest.raises(berserk.exceptions.ResponseError, match="400"):
        client.tablebase.standard("no position")
