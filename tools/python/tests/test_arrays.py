"""Arrays of all kinds: what comes out is right, or it is a clear exception."""

import pickle

import numpy as np
import pytest
from conftest import awkward_views, random_indices, refused

import tbindex
from tbindex import NO_SLOT, Compact, Equivalence, Group, Kings, Layout, Moves, Orbit, Symmetry, Triangle

NAMES = {4: "KRRvK", 6: "KRRvKRR"}
SHAPES = [(), (0,), (1,), (7,), (4, 3), (2, 0, 5), (3, 1, 2, 2), (5000,)]


class Operation:
    """An operation from words to words, and the words that it takes."""

    def __init__(self, call, end):
        self.call, self.end = call, end

    def __call__(self, *arguments, **keywords):
        return self.call(*arguments, **keywords)

    def words(self, rng, shape):
        return rng.integers(0, self.end, shape, np.uint32 if self.end <= 2**30 else np.uint64)


def operations(pieces=4):
    """Every operation from words to words, by name."""
    layout, same = Layout(pieces), Equivalence(Layout(pieces), like=[[0, 1]])
    calls = {
        "flip": lambda x, **out: layout.flip(x, Symmetry.ROTATE_90, **out),
        "flip by codes": lambda x, **out: layout.flip(x, np.full(np.shape(x), 6, np.uint8), **out),
        "identity": lambda x, **out: layout.flip(x, Symmetry.IDENTITY, **out),
        "convert": lambda x, **out: layout.convert(x, "alternate", **out),
        "same numbering": lambda x, **out: layout.convert(x, "natural", **out),
        "canonical": same.canonical,
        "trivial": Equivalence(layout, "trivial").canonical,
    }
    found = {name: Operation(call, 64**pieces) for name, call in calls.items()}
    for scheme in schemes(pieces):
        found[f"rank of {scheme!r}"] = Operation(scheme.rank, 64**pieces)
        found[f"unrank of {scheme!r}"] = Operation(scheme.unrank, scheme.size)
    return found


def schemes(pieces=4):
    rules = ["all", "distinct", "kings_apart", "kings_apart_shared"]
    material = NAMES[pieces]
    layouts = [Layout(pieces), Layout(pieces, "alternate")]
    three = (Orbit, Triangle, Kings)
    yield from (scheme(layout, group) for scheme in three for layout in layouts for group in Group)
    yield from (Compact(material, rule, exact) for rule in rules for exact in (True, False))
    yield Compact(material, numbering="alternate")


OPERATIONS = operations()


@pytest.fixture(params=sorted(OPERATIONS))
def operation(request):
    return OPERATIONS[request.param]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_shapes_are_kept_and_elements_independent(operation, shape, rng):
    indices = operation.words(rng, shape)
    result = operation(indices)
    assert result.shape == shape and result.dtype == np.uint32
    one_by_one = [operation(np.array([x], np.uint32))[0] for x in indices.reshape(-1)[:50]]
    assert result.reshape(-1)[:50].tolist() == one_by_one


def test_random_shapes_and_views(operation, rng):
    for _ in range(30):
        shape = tuple(rng.integers(0, 6, rng.integers(0, 5)).tolist())
        indices = operation.words(rng, shape)
        # Any axes in any order, each from any end, some of it.
        view = indices.transpose(rng.permutation(len(shape)).tolist())
        steps = rng.choice([1, 2, -1, -3], len(shape)).tolist()
        view = view[(*(slice(None, None, step) for step in steps), ...)]
        expected = operation(np.ascontiguousarray(view).reshape(view.shape))
        result = operation(view)
        assert result.shape == view.shape and (result == expected).all()
        out = np.zeros(indices.shape, np.uint32).T
        if out.shape == view.shape:
            assert operation(view, out=out) is out and (out == expected).all()
        assert operation(view, out=view) is view and (view == expected).all()


WORDS = pytest.mark.parametrize("pieces, dtype", [(4, np.uint32), (4, np.uint64), (6, np.uint64)])


@WORDS
def test_words_that_are_no_indices_are_refused(pieces, dtype, rng):
    layout, same = Layout(pieces), Equivalence(Layout(pieces))
    calls = {name: operation for name, operation in operations(pieces).items() if not name.startswith("unrank")}
    calls |= {
        "decode": layout.decode,
        "orbit_sizes": same.orbit_sizes,
        "is_canonical": same.is_canonical,
        "with_symmetry": lambda words, **how: same.canonical(words, with_symmetry=True, **how),
        "codes": lambda words, **how: layout.flip(words, np.zeros(words.shape, np.uint8), **how),
        "is_legal": lambda words, **how: Moves(NAMES[pieces]).is_legal(words, "white", **how),
    }
    for wrong in {64**pieces, int(np.iinfo(dtype).max)}:
        for count, place in [(1, 0), (5000, 4321), (50_000, 0)]:
            words = rng.integers(0, 64**pieces, count, dtype)
            words[place] = wrong
            before = words.copy()
            for name, call in calls.items():
                message = f"^index {wrong:#o} at position {place}: {pieces} pieces have indices below"
                refused(tbindex.Error, message, call, words)
                if name not in ("decode", "with_symmetry", "orbit_sizes", "is_canonical", "is_legal"):
                    refused(tbindex.Error, message, call, words, out=words)
                    assert (words == before).all(), name


@WORDS
def test_unchecked_words_that_are_no_indices_do_no_harm(pieces, dtype, rng):
    layout, same = Layout(pieces), Equivalence(Layout(pieces))
    words = rng.integers(0, np.iinfo(dtype).max, 20_000, dtype, endpoint=True)
    words[:2] = np.iinfo(dtype).max
    for name, operation in operations(pieces).items():
        if not name.startswith("unrank"):
            assert operation(words, check=False).shape == words.shape
    assert (layout.decode(words, check=False) < 64).all()
    assert set(same.orbit_sizes(words, check=False).tolist()) <= {4, 8}
    _, symmetries = same.canonical(words, with_symmetry=True, check=False)
    assert (symmetries < 8).all()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_out_gets_the_result_and_is_returned(operation, shape, rng):
    indices = operation.words(rng, shape)
    expected, before = operation(indices), indices.copy()
    out = np.full(shape, 1, np.uint32)
    assert operation(indices, out=out) is out
    assert (out == expected).all() and (indices == before).all()
    assert operation(indices, out=indices) is indices
    assert (indices == expected).all()


def test_awkward_arrays_are_as_good_as_others(operation, rng):
    for count in (0, 1, 100, 20_000):
        indices = operation.words(rng, count)
        expected = operation(indices)
        for name, view in awkward_views(indices):
            assert (view == indices).all(), name
            before = view.copy()
            result = operation(view)
            assert result.dtype == np.uint32 and (result == expected).all(), name
            assert (view == before).all(), name
            # In place.
            assert operation(view, out=view) is view
            assert (view == expected).all(), name
        for name, view in awkward_views(np.zeros_like(indices)):
            assert operation(indices, out=view) is view
            assert (view == expected).all(), name


def test_overlapping_arrays_are_sorted_out(operation, rng):
    for count, shift in [(10, 1), (10, 9), (5000, 1), (5000, 17), (30_000, 29_999)]:
        # The second is shifted, or it is not contiguous.
        first, shifted, spaced = slice(count), slice(shift, count + shift), slice(0, 2 * count, 2)
        for places in [(first, shifted), (shifted, first), (first, spaced), (spaced, first)]:
            memory = operation.words(rng, 2 * count)
            indices, out = (memory[place] for place in places)
            expected = operation(indices.copy())
            assert operation(indices, out=out) is out
            assert (out == expected).all(), (count, places)


def test_views_of_the_same_elements_are_in_place(operation, rng):
    indices = operation.words(rng, (40, 50))
    expected = operation(indices)
    view = indices[:]
    assert operation(indices, out=view) is view and (indices == expected).all()
    buffer = bytearray(operation.words(rng, 1000).tobytes())
    one, other = np.frombuffer(buffer, np.uint32), np.frombuffer(buffer, np.uint32)
    before, expected = one.copy(), operation(one)
    assert (operation(one, out=other) == expected).all() and (one == expected).all()
    one[...] = before
    shifted = np.frombuffer(buffer, np.uint32, offset=4)
    expected = operation(one[:-1])
    assert (operation(one[:-1], out=shifted) == expected).all()


def test_wide_words_agree_with_narrow_ones(rng):
    for name, operation in operations().items():
        narrow = operation.words(rng, 3000)
        expected = operation(narrow)
        wide = operation(narrow.astype(np.uint64))
        assert wide.dtype == np.uint64
        no_slot = expected == np.iinfo(np.uint32).max
        assert (wide[~no_slot] == expected[~no_slot]).all(), name
        assert (wide[no_slot] == np.iinfo(np.int64).max).all(), name


def test_numbers_of_numpy_give_numbers(operation, rng):
    indices = operation.words(rng, 20)
    for dtype in (np.uint32, np.uint64):
        words = indices.astype(dtype)
        expected = operation(words)
        for word, result in zip(words, expected):
            found = operation(word)
            assert type(found) is type(word) is dtype and found == result
            out = np.zeros((), dtype)
            assert operation(word, out=out) is out and out == result
            with pytest.raises(ValueError, match=r"^out: an array of shape \(1,\): expected \(\)"):
                operation(word, out=np.zeros(1, dtype))


def test_numbers_of_numpy_in_other_methods():
    same = Equivalence(Layout(3))
    index = np.uint32(0o614273)
    array = np.array([index])
    size = same.orbit_sizes(index)
    assert type(size) is np.uint8 and size == same.orbit_sizes(array)[0]
    pair = same.canonical(index, with_symmetry=True)
    assert [type(number) for number in pair] == [np.uint32, np.uint8]
    assert pair == tuple(some[0] for some in same.canonical(array, with_symmetry=True))
    out = np.zeros((), np.uint32)
    canonical, symmetry = same.canonical(index, with_symmetry=True, out=(out, None))
    assert canonical is out and out == pair[0] and symmetry == pair[1]
    assert (same.layout.decode(index) == same.layout.decode(array)[0]).all()
    assert same.layout.encode(same.layout.decode(index)) == index
    for call in (same.layout.decode, same.canonical, Orbit(Layout(3)).rank):
        assert (call(np.int64(5)) == call(np.uint64(5))).all()
        for wrong in (np.int16(5), np.float64(5), np.bool_(True), np.str_("5"), np.datetime64("2024")):
            refused(TypeError, "expected a numpy array of uint32 or uint64", call, wrong)


@pytest.mark.parametrize(
    "wrong",
    [[1, 2], 3.0, None, "x", (), b"1234", memoryview(b"1234")],
    ids=lambda wrong: type(wrong).__name__,
)
def test_what_is_no_array_is_refused(operation, wrong):
    refused(TypeError, "indices|slots|<", operation, wrong)
    if wrong is not None:
        refused(TypeError, "^out: .*expected a numpy array of uint32", operation, np.zeros(2, np.uint32), out=wrong)


@pytest.mark.parametrize("dtype", ["i2", "u1", "u2", "f4", "f8", "O", "?", "S4", "M8[s]", "u4,u4", ">i2"])
def test_wrong_types_are_refused(dtype):
    right = np.zeros(3, np.uint32)
    wrong = np.zeros(3, dtype)
    for name, operation in operations().items():
        if not name.startswith("unrank"):
            refused(TypeError, "expected a numpy array of uint32 or uint64", operation, wrong)
            refused(TypeError, "^out: .*expected a numpy array of uint32", operation, right, out=wrong)


def test_signed_words_are_taken_as_unsigned_ones(operation, rng):
    words = operation.words(rng, 1000)
    for dtype in (np.int32, np.int64, ">i8"):
        signed = words.astype(dtype)
        assert (operation(signed) == operation(words.astype(signed.dtype.str.replace("i", "u")))).all()
        signed[3] = -1
        refused(tbindex.Error, "^(index|slot) -1 at position 3: ", operation, signed)


def test_negative_numbers_are_named_as_they_are_in_the_array():
    moves, same = tbindex.Moves("KRvK"), tbindex.Material("KRvK").equivalence()
    for dtype, number in [(np.int32, -1), (np.int64, -(2**63)), (">i4", -300)]:
        indices = np.array([0o270, number], dtype)
        for call in (
            lambda: same.canonical(indices, with_symmetry=True),
            lambda: same.is_canonical(indices),
            lambda: same.layout.decode(indices),
            lambda: moves.successors(indices, "white"),
            lambda: moves.is_mate(indices, "white"),
            lambda: tbindex.PlacementCodec("KRvK").decode(indices),
        ):
            refused(tbindex.Error, f"^index {number} at position 1: 3 pieces have indices below 0o1000000$", call)
    refused(tbindex.Error, "^slot -5 at position 0: expected slots below 32896", Orbit(Layout(3)).weight, np.array([-5]))
    refused(tbindex.Error, "^index 0o37777777777 at", same.layout.decode, np.array([2**32 - 1], np.uint32))


def test_out_of_the_other_word_is_refused(operation):
    narrow, wide = np.zeros(3, np.uint32), np.zeros(3, np.uint64)
    refused(TypeError, "out: an array of uint64: expected a numpy array of uint32", operation, narrow, out=wide)
    refused(TypeError, "out: an array of uint32: expected a numpy array of uint64", operation, wide, out=narrow)


def test_wrong_shapes_are_refused(operation):
    indices = np.zeros((2, 3), np.uint32)
    for shape in [(3, 2), (6,), (2, 3, 1), (), (0,), (1, 3)]:
        out = np.full(shape, 5, np.uint32)
        refused(ValueError, r"^out: an array of shape .*: expected \(2, 3\)", operation, indices, out=out)
        assert (out == 5).all()


def test_read_only_arrays_are_read_and_not_written(operation, rng):
    indices = operation.words(rng, 100)
    expected = operation(indices)
    indices.flags.writeable = False
    assert (operation(indices) == expected).all()
    assert (operation(np.broadcast_to(indices[0], (7, 4))) == expected[0]).all()
    before = indices.copy()
    for out in (indices, indices[::2]):
        refused(ValueError, "^out: the array is read-only", operation, before[: out.size], out=out)
    refused(ValueError, "^out: the array is read-only", operation, indices, out=indices)
    constant = np.frombuffer(before.tobytes(), np.uint32)
    refused(ValueError, "^out: the array is read-only", operation, before, out=constant)
    assert (indices == before).all() and (constant == before).all()


def test_narrow_words_do_not_hold_six_pieces():
    narrow, layout = np.zeros(1, np.uint32), Layout(6)
    message = "6 pieces in a word of 32 bits: expected 1 to 5"
    for call in [
        lambda: layout.flip(narrow, "rotate_90"),
        lambda: layout.convert(narrow, "alternate"),
        lambda: layout.decode(narrow),
        lambda: layout.encode(np.zeros((1, 6), np.uint8), dtype=np.uint32),
        lambda: Equivalence(layout).canonical(narrow),
        lambda: Equivalence(layout).orbit_sizes(narrow),
        *(lambda scheme=scheme: scheme.rank(narrow) for scheme in schemes(6)),
        *(lambda scheme=scheme: scheme.unrank(narrow) for scheme in schemes(6)),
    ]:
        refused(tbindex.Error, message, call)


def test_six_pieces_in_wide_words(rng):
    for operation in operations(6).values():
        words = operation.words(rng, 1000)
        expected = operation(words)
        assert expected.dtype == np.uint64
        assert operation(words, out=words) is words and (words == expected).all()


@pytest.mark.parametrize("pieces, dtype", [(4, np.uint32), (6, np.uint64)])
def test_slots_are_ranks_of_their_positions(rng, pieces, dtype):
    for scheme in schemes(pieces):
        slots = rng.integers(0, scheme.size, 2500, dtype)
        slots[0], slots[1] = 0, scheme.size - 1
        assert (scheme.rank(scheme.unrank(slots)) == slots).all()
        assert len(scheme) == scheme.size


@pytest.mark.parametrize("pieces, dtype", [(4, np.uint32), (6, np.uint64)])
def test_numbers_that_are_no_slots_leave_out_alone(pieces, dtype):
    for scheme in schemes(pieces):
        for count in (3, 3000):
            slots = np.zeros(count, dtype)
            slots[-1] = scheme.size
            out, before = np.full(count, 7, dtype), slots.copy()
            message = f"slot {scheme.size} at position {count - 1}: expected slots below {scheme.size}"
            for given in (out, out[::-1]):
                refused(tbindex.Error, message, scheme.unrank, slots, out=given)
            assert (out == 7).all()
            refused(tbindex.Error, message, scheme.unrank, slots, out=slots)
            assert (slots == before).all()


def test_rank_of_canonical_classes_is_theirs(rng):
    indices = random_indices(rng, 4, 2000)
    orbit = Orbit(Layout(4, "alternate"))
    alternate = Layout(4).convert(indices, "alternate")
    same = Equivalence(orbit.layout)
    assert (orbit.rank(alternate) == orbit.rank(same.canonical(alternate))).all()
    assert (orbit.rank(alternate) == Orbit(Layout(4)).rank(indices)).all()


# Two outputs.


def test_canonical_forms_are_images_under_their_symmetries(rng):
    for group in Group:
        same = Equivalence(Layout(3), group)
        indices = random_indices(rng, 3, (50, 20))
        canonical, symmetries = same.canonical(indices, with_symmetry=True)
        assert (canonical == same.canonical(indices)).all()
        assert symmetries.dtype == np.uint8 and symmetries.shape == indices.shape
        for symmetry in Symmetry:
            images = same.layout.flip(indices, symmetry)
            chosen = symmetries == symmetry
            assert (images[chosen] == canonical[chosen]).all()


def test_two_outputs(rng):
    same = Equivalence(Layout(3))
    for count in (0, 1, 100, 50_000):
        indices = random_indices(rng, 3, count)
        canonical, symmetries = same.canonical(indices, with_symmetry=True)
        for out in [
            (None, None),
            (np.zeros_like(indices), None),
            (None, np.zeros(count, np.uint8)),
            (np.zeros_like(indices), np.zeros(count, np.uint8)),
            (np.zeros(2 * count, np.uint32)[::2], np.zeros(2 * count, np.uint8)[::-2]),
            (np.zeros(count, ">u4"), None),
        ]:
            result = same.canonical(indices, with_symmetry=True, out=out)
            for given, got, expected in zip(out, result, (canonical, symmetries)):
                assert given is None or given is got
                assert (got == expected).all()
        # In place, and with codes where the indices were.
        memory = indices.copy()
        _, codes = same.canonical(memory, with_symmetry=True, out=(memory, None))
        assert (memory == canonical).all() and (codes == symmetries).all()
        memory = indices.copy()
        codes = memory.view(np.uint8)[:count]
        result, _ = same.canonical(memory, with_symmetry=True, out=(None, codes))
        assert (result == canonical).all() and (codes == symmetries).all()


def test_outputs_that_share_memory_are_refused():
    same = Equivalence(Layout(3))
    indices = np.zeros(100, np.uint32)
    memory = np.zeros(400, np.uint8)
    words = memory.view(np.uint32)
    for codes in (memory[:100], memory[::4], memory[300:], memory[:200:2][::-1]):
        for given in (indices, words):
            with pytest.raises(ValueError, match="^out: the two arrays share memory"):
                same.canonical(given, with_symmetry=True, out=(words, codes))


def test_pair_of_outputs_is_a_pair():
    same, indices = Equivalence(Layout(3)), np.zeros(2, np.uint32)
    for out in (indices, [None, None], (indices,), (None,) * 3, 1):
        refused(TypeError, "^out: expected a tuple of two arrays", same.canonical, indices, with_symmetry=True, out=out)
    with pytest.raises(TypeError, match=r"^out\[1\]: .*expected a numpy array of uint8"):
        same.canonical(indices, with_symmetry=True, out=(None, indices))


# Codes, marks and weights.


def test_codes_of_symmetries_are_symmetries(rng):
    for layout in (Layout(4), Layout(4, "alternate"), Layout(7), Layout(7, "alternate")):
        same = Equivalence(layout)
        indices = random_indices(rng, layout.pieces, (30, 40))
        canonical, codes = same.canonical(indices, with_symmetry=True)
        assert (layout.flip(indices, codes) == canonical).all()
        assert (layout.flip(indices.T, codes.T) == canonical.T).all()
        every = rng.integers(0, 8, indices.shape, np.uint8)
        images = layout.flip(indices, every)
        for symmetry in Symmetry:
            expected = layout.flip(indices, symmetry)
            assert (images[every == symmetry] == expected[every == symmetry]).all()
            for code in (int(symmetry), np.uint8(symmetry), np.int64(symmetry)):
                assert (layout.flip(indices, code) == expected).all()
        assert layout.flip(indices, every, out=indices) is indices and (indices == images).all()
    assert Layout(4).flip(np.uint32(5), 3) == Layout(4).flip(np.uint32(5), "rotate_180")
    assert Symmetry.ROTATE_90.then(3) is Symmetry.ROTATE_270


def test_codes_of_no_symmetry_are_refused():
    layout, indices = Layout(2), np.zeros(3, np.uint32)
    for wrong in (8, -1, 2**70, np.uint8(255)):
        refused(tbindex.Error, "expected the code of a Symmetry", layout.flip, indices, wrong)
    with pytest.raises(tbindex.Error, match="symmetry 8 at position 2: expected codes from 0 to 7"):
        layout.flip(indices, np.array([0, 7, 8], np.uint8))
    for shape in [(2,), (3, 1), ()]:
        with pytest.raises(ValueError, match=r"^symmetry: an array of shape .*: expected \(3,\)"):
            layout.flip(indices, np.zeros(shape, np.uint8))
    with pytest.raises(TypeError, match="^symmetry: an array of int64: expected a numpy array of uint8"):
        layout.flip(indices, np.zeros(3, np.int64))
    for wrong in (True, 1.0, None, b"rotate_90"):
        refused(TypeError, None, layout.flip, indices, wrong)


def test_masked_elements_are_refused():
    layout = Layout(3)
    indices = np.ma.masked_array(np.arange(4, dtype=np.uint32))
    flipped = layout.flip(indices, "flip_diagonal")
    assert (flipped == layout.flip(indices.data, "flip_diagonal")).all()
    indices[2] = np.ma.masked
    refused(ValueError, r"an array with masked elements.*compressed\(\)", layout.flip, indices, "flip_diagonal")
    refused(ValueError, "out: an array with masked elements", layout.flip, indices.data, "flip_diagonal", out=indices)
    assert layout.flip(indices.compressed(), "flip_diagonal").shape == (3,)


def test_missing_slots_are_marked_and_masked(rng):
    kings = Kings(Layout(3))
    for dtype in (np.uint32, np.uint64):
        indices = random_indices(rng, 3, (50, 60), dtype)
        slots = kings.rank(indices)
        missing = slots == {np.uint32: 2**32 - 1, np.uint64: 2**63 - 1}[dtype]
        assert 0 < missing.sum() < missing.size
        assert ((slots == NO_SLOT) == missing).all() and ((NO_SLOT == slots) == missing).all()
        assert ((slots != NO_SLOT) == ~missing).all() and ((NO_SLOT != slots) == ~missing).all()
        assert type(NO_SLOT.of(dtype)) is dtype and (slots[missing] == NO_SLOT.of(dtype)).all()
        table = np.zeros(kings.size, np.int8)
        for wrong in (slots, slots.astype(np.int64), kings.rank(indices, masked=True)):
            refused(IndexError, "out of bounds", table.__setitem__, wrong, 1)
        assert not table.any()
        masked = kings.rank(indices, masked=True)
        assert isinstance(masked, np.ma.MaskedArray) and (masked.mask == missing).all()
        assert (masked.compressed() == slots[~missing]).all() and masked.dtype == dtype
        out = np.zeros_like(indices)
        assert np.shares_memory(kings.rank(indices, masked=True, out=out), out)
        assert np.uint8 not in {type(NO_SLOT == word) for word in slots[0]}
    assert NO_SLOT == NO_SLOT and not NO_SLOT != NO_SLOT and NO_SLOT != 5 and repr(NO_SLOT) == "NO_SLOT"
    assert pickle.loads(pickle.dumps(NO_SLOT)) is NO_SLOT
    refused(TypeError, "expected uint32 or uint64", NO_SLOT.of, np.int32)


def test_weights_sum_up_to_all_positions():
    for scheme, count in [
        (Orbit(Layout(3)), 64**3),
        (Triangle(Layout(3)), 64**3),
        (Kings(Layout(3)), 3612 * 64),
        (Orbit(Layout(2), "file_mirror"), 64**2),
        (Compact("KRvK"), 3612 * 62),
        (Compact("KRvK", exact=False), 3612 * 62),
    ]:
        slots = np.arange(scheme.size, dtype=np.uint32)
        weights = scheme.weight(slots)
        assert weights.dtype == np.uint8 and int(weights.sum(dtype=np.uint64)) == count
        twins = scheme.twin(slots)
        have = twins != NO_SLOT
        assert (scheme.twin(twins[have]) == slots[have]).all() and (twins[have] != slots[have]).all()
        same = Equivalence(scheme.layout, "file_mirror" if scheme.layout.pieces == 2 else "D4")
        forms = same.canonical(scheme.unrank(slots))
        assert (forms[twins[have]] == forms[have]).all()
        with pytest.raises(tbindex.Error, match=f"slot {scheme.size} at position 1"):
            scheme.weight(np.array([0, scheme.size], np.uint32))
        refused(tbindex.Error, f"slot {scheme.size} at position 0", scheme.twin, np.uint32(scheme.size))


def test_canonical_indices_are_told(rng):
    for same in (Equivalence(Layout(4)), Equivalence(Layout(4), like=[[0, 1]]), Equivalence(Layout(7), "file_mirror")):
        indices = random_indices(rng, same.layout.pieces, (20, 50))
        expected = same.canonical(indices) == indices
        assert (same.is_canonical(indices) == expected).all() and same.is_canonical(indices).dtype == bool
        assert same.is_canonical(same.canonical(indices)).all()
        out = np.full((50, 20), True).T
        assert same.is_canonical(indices, out=out) is out and (out == expected).all()
        assert same.is_canonical(indices[0, 0]) == expected[0, 0]
        with pytest.raises(TypeError, match="^out: expected a numpy array of bool"):
            same.is_canonical(indices, out=np.zeros(indices.shape, np.uint8))


def test_results_of_too_many_dimensions_are_an_error():
    """The squares of an index are one dimension more, which is more than numpy has."""
    most = next(n for n in (64, 32) if can_have(n))
    for dimensions in range(31, most):
        indices = np.zeros((1,) * dimensions, np.uint32)
        assert Layout(1).decode(indices).shape == (1,) * (dimensions + 1)
    refused(ValueError, "dimension", Layout(4).decode, np.zeros((1,) * most, np.uint32))


def can_have(dimensions):
    """Whether this version of numpy has arrays of so many dimensions."""
    try:
        np.zeros((1,) * dimensions)
    except ValueError:
        return False
    return True
