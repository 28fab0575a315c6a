"""Flips against python-chess, which flips bitboards."""

import random

import chess
import numpy as np
import pytest

from tbindex import Equivalence, Layout, Material, Numbering, Symmetry

PLACEMENTS = 10_000


def rotate_90(board):
    """Clockwise: a1 goes to a8."""
    return chess.flip_vertical(chess.flip_diagonal(board))


def rotate_270(board):
    """Counter-clockwise: a1 goes to h1."""
    return chess.flip_horizontal(chess.flip_diagonal(board))


FLIPS = {
    Symmetry.IDENTITY: lambda board: board,
    Symmetry.FLIP_HORIZONTAL: chess.flip_horizontal,
    Symmetry.FLIP_VERTICAL: chess.flip_vertical,
    Symmetry.ROTATE_180: lambda board: chess.flip_vertical(chess.flip_horizontal(board)),
    Symmetry.FLIP_DIAGONAL: chess.flip_diagonal,
    Symmetry.FLIP_ANTI_DIAGONAL: chess.flip_anti_diagonal,
    Symmetry.ROTATE_90: rotate_90,
    Symmetry.ROTATE_270: rotate_270,
}


def placements(pieces):
    """Random placements of distinct squares, by python-chess's numbers."""
    chooser = random.Random(pieces)
    return [chooser.sample(chess.SQUARES, pieces) for _ in range(PLACEMENTS)]


def test_all_symmetries_are_compared():
    assert set(FLIPS) == set(Symmetry)
    # Both turns by what they do to a corner.
    assert chess.BB_A8 == rotate_90(chess.BB_A1)
    assert chess.BB_H1 == rotate_270(chess.BB_A1)


@pytest.mark.parametrize("numbering", list(Numbering), ids=str)
@pytest.mark.parametrize("pieces", [2, 5, 10])
def test_flips_are_those_of_python_chess(pieces, numbering):
    rows = placements(pieces)
    layout = Layout(pieces, numbering)
    indices = layout.encode(np.array(rows, np.uint8))
    assert layout.decode(indices).tolist() == rows
    for symmetry, flip in FLIPS.items():
        images = layout.decode(layout.flip(indices, symmetry)).tolist()
        for row, image in zip(rows, images):
            # Piece by piece, each alone on a board.
            flipped = [flip(chess.BB_SQUARES[square]) for square in row]
            assert [chess.BB_SQUARES[square] for square in image] == flipped, (row, symmetry)


@pytest.mark.parametrize("name", ["KQvKR", "KPvKP", "KRRvK"])
def test_canonical_placements_are_flips_of_the_placements(name):
    same = Material(name).equivalence()
    rows = placements(len(Material(name)))
    indices = same.layout.encode(np.array(rows, np.uint8))
    canonical, symmetries = same.canonical(indices, with_symmetry=True)
    images = same.layout.decode(canonical).tolist()
    letters = Material(name).index_order
    for row, image, code in zip(rows, images, symmetries):
        flip = FLIPS[Symmetry(code)]
        for letter in set(letters):
            # Like pieces may have changed places, so sets are compared.
            stood = sum(chess.BB_SQUARES[s] for s, piece in zip(row, letters) if piece == letter)
            stands = sum(chess.BB_SQUARES[s] for s, piece in zip(image, letters) if piece == letter)
            assert flip(stood) == stands


def test_orbit_sizes_are_those_of_python_chess():
    layout = Layout(2)
    # All pairs of squares.
    rows = np.array([(a, b) for a in chess.SQUARES for b in chess.SQUARES], np.uint8)
    sizes = Equivalence(layout).orbit_sizes(layout.encode(rows))
    for (a, b), size in zip(rows.tolist(), sizes):
        boards = (chess.BB_SQUARES[a], chess.BB_SQUARES[b])
        assert size == len({tuple(map(flip, boards)) for flip in FLIPS.values()})
