"""Short-range pieces."""

import pickle
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from conftest import refused

import tbindex
from tbindex import Symmetry
from tbindex.fairy import Leaper, Verdict

PIECES = [Leaper(piece) for piece in (0, "W", "F", "N", "hlN", "01,02,10,15", 0x404201, 2**24 - 1)]


@pytest.mark.parametrize("piece", PIECES, ids=repr)
def test_pieces_are_values(piece):
    assert eval(repr(piece)) == piece == Leaper(piece.bits)
    assert pickle.loads(pickle.dumps(piece)) == piece and hash(pickle.loads(pickle.dumps(piece))) == hash(piece)
    verdict = piece.verdict
    assert eval(repr(verdict)) == verdict == pickle.loads(pickle.dumps(verdict))
    assert verdict.piece == piece and hash(verdict) == hash(Verdict(piece))
    assert len(piece.steps) == len(piece) == bin(piece.bits).count("1")
    for step in piece.steps:
        assert step in piece
    assert (0, 0) not in piece and (3, 0) not in piece
    if len(piece):
        assert Leaper(str(piece)) == piece
    for symmetry in Symmetry:
        assert piece.image(symmetry).image(symmetry.inverse) == piece
        assert piece.image(symmetry).canonical() == piece.canonical()


@pytest.mark.parametrize(
    "piece, free, confined, rank, index",
    [
        ("N", True, False, 2, 1),
        ("07,09,17", True, False, 2, 1),
        ("F", False, False, 2, 2),
        ("A", False, False, 2, 8),
        ("hlN", False, False, 2, 5),
        ("01,02,10,15", False, True, 2, 1),
        ("04,15", False, True, 2, 3),
        ("fW", False, True, 1, None),
        (0, False, True, 0, None),
    ],
)
def test_verdicts_are_the_published_ones(piece, free, confined, rank, index):
    verdict = Leaper(piece).verdict
    assert verdict.is_free == free and verdict.is_confined == confined
    assert verdict.lattice_rank == rank and verdict.lattice_index == index
    assert str(verdict).startswith("Free: " if free else "Bound: ")
    assert bool(verdict.missing) == confined


def test_published_distances_of_the_semi_pinwheel():
    table = """
        2 D B 9 7 5 3 E
        A 8 6 4 2 D B 9
        5 3 1 C A 8 6 4
        2 B 9 7 5 3 1 C
        8 6 4 2 0 B 9 7
        5 3 1 A 8 6 4 2
        2 9 7 5 3 1 C A
        8 6 4 2 B 9 7 5
    """
    expected = np.array([[int(cell, 16) for cell in row.split()] for row in table.split("\n") if row.strip()])
    distances = Leaper("01,10,15,23").distances("e4")
    assert (distances[::-1] == expected).all() and distances.dtype == np.int16
    assert (Leaper("F").distances("a1", "3x2") == [[0, -1, 2], [-1, 1, -1]]).all()


@pytest.mark.parametrize("piece", PIECES, ids=repr)
def test_notebooks_draw_pieces(piece):
    picture = piece._repr_svg_()
    root = ElementTree.fromstring(picture)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    squares = [element for element in root.iter() if element.tag.endswith("rect")]
    assert len(squares) == 1 + 25 + 64
    html = piece._repr_html_()
    assert picture in html and str(piece.verdict).split(":")[0] in html
    wide = ElementTree.fromstring(piece.svg("10x6"))
    assert sum(element.tag.endswith("rect") for element in wide.iter()) == 1 + 25 + 60
    distances = piece.svg(distances_from="e4")
    ElementTree.fromstring(distances)
    # Colours that every renderer of SVG knows.
    for text in (picture, distances):
        colours = set(re.findall(r'fill="([^"]*)"', text))
        assert colours and all(re.fullmatch("#[0-9a-f]{6}|none", colour) for colour in colours)


@pytest.mark.parametrize("wrong", ["", "XYZ", "25", "01,,02", 2**24, -1, 2**200])
def test_what_is_no_piece_is_refused(wrong):
    refused((tbindex.Error, OverflowError, TypeError), None, Leaper, wrong)


def test_other_arguments_are_refused():
    refused(TypeError, None, Leaper, 1.5)
    refused(tbindex.Error, "is not a square of the 8x8 board", Leaper("N").distances, "i9")
    refused(tbindex.Error, "is not a size of a board", Leaper("N").is_connected, "8by8")
    refused(tbindex.Error, "1 to 256 squares", Leaper("N").svg, "17x16")
