"""A user's program, under mypy --strict."""
import pathlib
from typing import Any
import numpy as np
from numpy.typing import NDArray
from tbindex import NO_SLOT, ArrowArray, Compact, Enumeration, IndexFile, Layout, Material, Moves, Orbit, PlacementCodec, Symmetry, estimate, store
from tbindex.tables import Answer, Outcome, Tables, generate

layout = Layout(4)
squares: NDArray[np.uint8] = np.zeros((3, 4), np.uint8)
narrow: NDArray[np.uint32] = layout.encode(squares, dtype=np.uint32)
wide: NDArray[np.uint64] = layout.encode(squares, dtype=np.uint64)
same = Material("KQvKR").equivalence()
canonical, codes = same.canonical(narrow, with_symmetry=True)
back: NDArray[np.uint32] = layout.flip(narrow, codes)
one: np.uint32 = layout.flip(narrow[0], Symmetry(codes[0]))
other: np.uint32 = layout.flip(narrow[0], 3)
rows: NDArray[np.uint8] = layout.decode(narrow, order="F")
orbit = Orbit(layout)
slots: NDArray[np.uint32] = orbit.rank(narrow)
masked = orbit.rank(narrow, masked=True).mask
missing: NDArray[np.bool_] = slots == NO_SLOT
file: IndexFile = store.write("x.tbi", [narrow], "KQvKR", side="white")
name: str = file.path.name
suffix: pathlib.Path = file.path.with_suffix(".txt")
total: int = sum(int(index) for index in file)
first = file[0]
part: NDArray[np.uint32] = file[1:5]
store.union([file, "y.tbi", pathlib.Path("z.tbi")], "u.tbi")
codec = PlacementCodec("KQvKR")
index = codec.encode("7r/8/8/8/8/2Q5/8/K2k4 w - -")
lines: list[str] = codec.decode(narrow)
text: str = codec.decode(narrow[0])
moves = [str(move) for move in Moves("KQvKR").moves(index, "white")]
for some in Enumeration("KRvK", "legal"):
    print(some.sum())
print(estimate("KRvK")[0].slots, ArrowArray(slots).null_count, Compact("KRvK").weight(slots))
end: np.bool_ = Moves("KRvK").is_mate(5, "b")
wide_one: np.uint64 = layout.convert(5, "alternate")
made: list[str] = generate("KRvK", pathlib.Path("tables"), metric="dtm")
tables = Tables(["tables", pathlib.Path("syzygy")], letters={"L": "WD"})
outcome: Outcome = tables.wdl("8/8/8/8/8/2k5/8/K6R w - - 0 1")
known: list[Answer] = tables.probe_many(lines)
some_known: list[Answer | None] = Tables.on_demand(memory="512M").probe_many(iter(lines), missing="none")
after: Answer | None = tables.moves(lines[0])[0].after
# Arrays of other types fail, and so does the check of types.
layout.flip(np.zeros(3), 3)  # type: ignore[type-var]
signed: NDArray[Any] = orbit.rank(np.zeros(3, np.int64))
layout.decode(np.zeros(3, np.int16))  # type: ignore[arg-type]
labels = Tables("syzygy", memory="64M").probe(narrow, material="KQvKR", side="white")
outcomes: np.ma.MaskedArray[Any, np.dtype[np.int8]] = tables.wdl(lines)
by_side = tables.dtz(squares, material="KQvKR", side=missing)
reasons: dict[str, int] = tables.failures
successors: NDArray[np.uint8] = Moves("KQvKR").successors(narrow, missing).to_square
