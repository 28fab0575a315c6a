"""The small classes: equal, hashed, written and pickled as they should be; and what they refuse."""

import copy
import pickle

import numpy as np
import pytest
from conftest import refused

import tbindex
from tbindex import (
    Compact,
    Enumeration,
    Equivalence,
    Group,
    Kings,
    Layout,
    Material,
    Moves,
    Numbering,
    Orbit,
    PlacementCodec,
    Symmetry,
    Triangle,
)

OBJECTS = [
    Material("KvK"),
    Material("KQvKR"),
    Material("KRvKQ"),
    Layout(3),
    Layout(3, "alternate"),
    Layout(10),
    Equivalence(Layout(3)),
    Equivalence(Layout(3), "file_mirror"),
    Equivalence(Layout(3), Group.D4, [[0, 2]]),
    Equivalence(Layout(9), "trivial", [[0, 2], [1, 3, 4]]),
    Orbit(Layout(3)),
    Orbit(Layout(4)),
    Orbit(Layout(4, "alternate")),
    Orbit(Layout(4), "file_mirror"),
    Triangle(Layout(4)),
    Kings(Layout(4)),
    Kings(Layout(7), "file_mirror"),
    Compact("KRRvK"),
    Compact("KRRvK", exact=False),
    Compact("KRRvK", "all"),
    Compact("KRRvK", numbering="alternate"),
    Compact(Material("KRvK"), "kings_apart_shared"),
    Moves("KPvKP"),
    Moves("KPvKP", "alternate"),
    PlacementCodec("KPvKP"),
    PlacementCodec("KPvK"),
    Enumeration("KPvK"),
    Enumeration("KPvK", "legal", "black", canonical=True, numbering="alternate"),
]
PLAIN = len(OBJECTS)
OBJECTS += [
    *Symmetry,
    *Numbering,
    *Group,
    # A double step beside a pawn, a promotion, and captures.
    *Moves("KPPvKP").moves(PlacementCodec("KPPvKP").encode("8/P7/8/8/1p6/8/2P5/K2k4 w - -"), "white"),
]


@pytest.mark.parametrize("value", OBJECTS, ids=repr)
def test_copies_are_equal(value):
    copies = [copy.copy(value), copy.deepcopy(value)]
    copies += [pickle.loads(pickle.dumps(value, n)) for n in range(pickle.HIGHEST_PROTOCOL + 1)]
    for other in copies:
        assert other == value and hash(other) == hash(value)
        assert type(other) is type(value) and repr(other) == repr(value)


def test_different_values_differ():
    for kind in {type(value) for value in OBJECTS}:
        values = [value for value in OBJECTS if type(value) is kind]
        assert len(set(values)) == len(values)
        assert len(set(map(repr, values))) == len(values)
        for k, value in enumerate(values):
            assert not any(value == other for other in values[k + 1 :])
            assert value != "x" and value is not None


@pytest.mark.parametrize("value", OBJECTS[:PLAIN], ids=repr)
def test_repr_is_how_it_is_made(value):
    assert eval(repr(value), vars(tbindex)) == value


@pytest.mark.parametrize("value", OBJECTS[:PLAIN], ids=repr)
def test_values_do_not_change(value):
    for name in ("layout", "anything"):
        refused((AttributeError, TypeError), None, setattr, value, name, None)


def test_symmetries_are_a_group():
    for a in Symmetry:
        assert a.then(a.inverse) is Symmetry.IDENTITY
        for b in Symmetry:
            for square in range(64):
                assert a.then(b).apply(square) == b.apply(a.apply(square))


def test_names_are_the_librarys():
    layout = Layout(1)
    squares = np.arange(64, dtype=np.uint32)
    for symmetry in Symmetry:
        named = layout.flip(squares, str(symmetry))
        assert (named == layout.flip(squares, symmetry)).all()
        assert named.tolist() == [symmetry.apply(square) for square in range(64)]
    for numbering in Numbering:
        assert Layout(2, str(numbering)).numbering is numbering
    for group in Group:
        assert Orbit(layout, str(group)) == Orbit(layout, group)
        assert Equivalence(layout, str(group)).group is group


def test_names_may_be_written_with_spaces_and_hyphens():
    for name in ("file_mirror", "file mirror", "FILE_MIRROR", "file-mirror"):
        assert Equivalence(Layout(2), name).group is Group.FILE_MIRROR
    for name in ("kings apart, shared", "kings-apart-shared"):
        assert Compact("KRvK", name) == Compact("KRvK", "kings_apart_shared")
    assert Enumeration("KRvK", "kings-apart") == Enumeration("KRvK", "kings apart")
    assert Enumeration("KRvK", "legal", "w") == Enumeration("KRvK", "legal", "white")


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Material("KQKR"), "expected white's pieces, one 'v', black's"),
        (lambda: Material("KRQvK"), "expected KQRvK"),
        (lambda: Material("KK"), "is not a material"),
        (lambda: Material("KXvK"), "character 2 is 'X'"),
        (lambda: Material("KQQQQQvKRRRR").layout, "11 pieces in a word of 64 bits"),
        (lambda: Material("KQQQQQvKRRRR").equivalence(), "11 pieces in a word of 64 bits"),
        (lambda: Layout(0), "0 pieces in a word of 64 bits: expected 1 to 10"),
        (lambda: Layout(11), "11 pieces in a word of 64 bits: expected 1 to 10"),
        (lambda: Layout(2, "unnatural"), "is not a numbering: expected natural or alternate"),
        (lambda: Equivalence(Layout(2), "D5"), "is not a group: expected one of trivial"),
        (lambda: Equivalence(Layout(2), like=[[0, 2]]), "names piece 2: expected numbers below 2"),
        (lambda: Equivalence(Layout(2), like=[[0, 99]]), "expected numbers below 2"),
        (lambda: Equivalence(Layout(2), like=[[0, 1], [1]]), "piece 1 is in two sets"),
        (lambda: Equivalence(Layout(2), like=[[0, 0]]), "piece 0 is twice"),
        (lambda: Kings(Layout(1)), "expected at least 2, the kings"),
        (lambda: Compact("KRRvK", "some"), "names no rules: expected one of"),
        (lambda: Compact("KQQQQQvKRRRR"), "11 pieces"),
        (lambda: Symmetry.IDENTITY.apply(64), "64"),
    ],
)
def test_what_is_refused_says_why(make, message):
    error = refused(ValueError, message, make)
    assert type(error) is tbindex.Error


@pytest.mark.parametrize(
    "make",
    [
        lambda: Layout(2, 1),
        lambda: Layout(2, Symmetry.FLIP_VERTICAL),
        lambda: Layout("2"),
        lambda: Layout(2.5),
        lambda: Equivalence(2),
        lambda: Orbit(3),
        lambda: Compact(4),
        lambda: Material(4),
        lambda: Symmetry.IDENTITY.then(Numbering.NATURAL),
    ],
)
def test_other_types_are_refused(make):
    refused(TypeError, None, make)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Layout("4"), "pieces: str: expected a whole number"),
        (lambda: Layout(4, 1), "numbering: int: expected a tbindex.Numbering or its name"),
        (lambda: Layout(4).encode(np.zeros((1, 4), np.uint8), dtype=np.int32), "dtype: int32: expected uint32 or uint64"),
        (lambda: Layout(4).decode(np.uint32(3), order=3), "order: int: expected a text"),
        (lambda: Layout(4).flip(np.uint32(3), 1.5), "symmetry: float: expected a tbindex.Symmetry or its name"),
        (lambda: Material(None), "name: NoneType: expected a text"),
        (lambda: Material.of("8/8 w", invalid=3), "invalid: int: expected a text"),
        (lambda: Moves(3), "material: int: expected a tbindex.Material or its name"),
        (lambda: Moves("KRvK").moves(None, "white"), "index: NoneType: expected a whole number"),
        (lambda: Moves("KRvK").moves(3, None), "side: NoneType: expected a text"),
        (lambda: PlacementCodec("KRvK").encode("8/8 w", rights=3), "rights: int: expected a text"),
        (lambda: Enumeration("KRvK", 3), "stage: int: expected a text"),
        (lambda: Enumeration("KRvK").write(3), "path: expected str, bytes or os.PathLike object, not int"),
        (lambda: Enumeration("KRvK").counts(progress="no"), "progress: str: expected a function"),
        (lambda: Compact("KRvK", 3), "rules: int: expected a text"),
        (lambda: Orbit(3), "layout: int: expected a tbindex.Layout"),
        (lambda: Equivalence(3), "layout: int: expected a tbindex.Layout"),
        (lambda: Equivalence(Layout(3), 3), "group: int: expected a tbindex.Group or its name"),
        (lambda: Equivalence(Layout(3), like=3), "like: int: expected lists of the numbers of pieces"),
        (lambda: tbindex.fairy.Leaper(None), "piece: NoneType: expected a text or a number of 24 bits"),
        (lambda: tbindex.fairy.Leaper("N").distances(3), "square: int: expected a text"),
        (lambda: tbindex.fairy.Verdict("N"), "piece: str: expected a tbindex.fairy.Leaper"),
        (lambda: tbindex.IndexFile(3), "path: expected str, bytes or os.PathLike object, not int"),
        (lambda: tbindex.store.convert(3, "x.tbi", "natural"), "file: expected str, bytes or os.PathLike object, not int"),
        (lambda: tbindex.store.reduce([3], "x.tbi"), "files: expected str, bytes or os.PathLike object, not int"),
        (lambda: tbindex.NO_SLOT.of(np.int32), "dtype: int32: expected uint32 or uint64"),
    ],
)
def test_arguments_of_other_types_are_named(make, message):
    assert str(refused(TypeError, None, make)) == message


@pytest.mark.parametrize("pieces", [-1, 2**70])
def test_numbers_out_of_range_are_refused(pieces):
    for make in (
        lambda pieces: Layout(pieces),
        lambda like: Equivalence(Layout(2), like=[[0, like]]),
        lambda square: Symmetry.IDENTITY.apply(square),
        lambda index: tbindex.Moves("KRvK").moves(index, "w"),
        lambda memory: tbindex.tables.Tables.on_demand(memory=memory),
        lambda threads: Enumeration("KvK").counts(threads=threads),
    ):
        (name,) = make.__code__.co_varnames
        refused(ValueError, f"^{name}: .*expected a number from 0 to", make, pieces)


def test_only_public_names_are_offered():
    for module in (tbindex, tbindex.store, tbindex.fairy):
        assert dir(module) == sorted(module.__all__)
        assert not [name for name in dir(module) if name.startswith("_") and name != "__version__"]
