"""The compiled part of the package."""

import os
import pathlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Final, Literal, Protocol, SupportsIndex, TypeVar, Union, final, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray
from typing_extensions import disjoint_base

from ._enums import Group, Numbering, Symmetry
from ._tuples import Estimate, Move, Successors
from .tables import Answer, Labels, Line, MoveAnswer, Outcome

__version__: str

__all__ = [
    "ArrowArray",
    "Compact",
    "Dense",
    "Enumeration",
    "Equivalence",
    "Error",
    "IndexFile",
    "Kings",
    "Layout",
    "Leaper",
    "Material",
    "MissingTableError",
    "Moves",
    "Orbit",
    "PlacementCodec",
    "StoreError",
    "Tables",
    "Triangle",
    "Verdict",
    "__version__",
    "apply_symmetry",
    "compose",
    "convert",
    "difference",
    "estimate",
    "generate",
    "intersection",
    "inverse",
    "numbering_picture",
    "reduce",
    "transform",
    "union",
    "write",
]

class _SupportsArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]: ...

# Not arrays of numpy, which have no such method: their types of elements have to be right.
class _SupportsToNumpy(Protocol):
    def __array__(self) -> NDArray[Any]: ...
    def to_numpy(self) -> Any: ...

# A frame of pandas or polars, or a table of Arrow.
class _Frame(Protocol):
    @property
    def columns(self) -> Any: ...
    def __getitem__(self, name: Any, /) -> Any: ...

# A board of python-chess.
class _Board(Protocol):
    def fen(self) -> str: ...

_Word = TypeVar("_Word", np.uint32, np.uint64)
_Words = Union[NDArray[np.uint32], NDArray[np.uint64]]
_Number = Union[np.uint32, np.uint64, int]
# One index or slot, or an array of them.
_Any = TypeVar("_Any", np.uint32, np.uint64, NDArray[np.uint32], NDArray[np.uint64])
# Types that are taken as an array of words, although their type does not say so: signed words, Arrow's arrays, pandas' series, ….
_ForeignWords = Union[NDArray[np.int32], NDArray[np.int64], _SupportsArrowArray, _SupportsToNumpy]
_Squares = NDArray[np.uint8]
_SymmetryLike = Union[
    Symmetry,
    int,
    np.integer[Any],
    Literal[
        "identity",
        "flip_horizontal",
        "flip_vertical",
        "rotate_180",
        "flip_diagonal",
        "flip_anti_diagonal",
        "rotate_90",
        "rotate_270",
    ],
]
_SymmetriesLike = Union[_SymmetryLike, NDArray[np.uint8], _ForeignWords]
_NumberingLike = Union[Numbering, Literal["natural", "alternate"]]
_GroupLike = Union[Group, Literal["trivial", "file_mirror", "D4"]]
_MaterialLike = Union[Material, str]
_Side = Literal["white", "black"]
_SideLike = Literal["white", "black", "w", "b"]
_SidesLike = Union[_SideLike, NDArray[np.bool_], _SupportsArrowArray, _SupportsToNumpy]
_Text = Union[str, bytes, _Board]
# A pandas' series is iterable; Arrow's arrays are by their capsules.
_Texts = Union[Iterable[Union[str, bytes, _Board, None]], _SupportsArrowArray]
_Invalid = Literal["raise", "mask"]
_Missing = Literal["mask", "raise"]
_Memory = Union[int, str]
_Rights = Literal["keep", "drop", "refuse"]
_Metric = Literal["dtz", "dtm"]
_Stage = Literal["all", "distinct", "kings_apart", "legal"]
_Path = Union[str, bytes, os.PathLike[str], os.PathLike[bytes]]
_File = Union[IndexFile, _Path]
_Progress = Callable[[str, int, Union[int, None]], object]
_Rules = Literal["all", "distinct", "kings_apart", "kings_apart_shared"]

class Error(ValueError): ...
class StoreError(Error): ...

@final
class Material:
    def __new__(cls, name: str) -> Material: ...
    def __len__(self, /) -> int: ...
    index_order: Final[str]
    group: Final[Group]
    has_pawns: Final[bool]
    columns: Final[list[str]]
    layout: Final[Layout]
    def swap_colors(self) -> Material: ...
    @overload
    @staticmethod
    def of(fens: _Text, *, invalid: _Invalid = "raise") -> Material: ...  # type: ignore[overload-overlap]
    @overload
    @staticmethod
    def of(fens: _Texts, *, invalid: _Invalid = "raise") -> list[Material | None]: ...
    def equivalence(self, numbering: _NumberingLike = "natural") -> Equivalence: ...

@final
class Layout:
    def __new__(cls, pieces: int, numbering: _NumberingLike = "natural") -> Layout: ...
    pieces: Final[int]
    numbering: Final[Numbering]
    dtype: Final[np.dtype[Any]]
    index_count: Final[int]
    @overload
    def flip(
        self, indices: _Any, symmetry: _SymmetriesLike, *, check: bool = True, out: _Any | None = None
    ) -> _Any: ...
    @overload
    def flip(self, indices: int, symmetry: _SymmetryLike, *, check: bool = True, out: None = None) -> np.uint64: ...
    @overload
    def flip(
        self,
        indices: _ForeignWords,
        symmetry: _SymmetriesLike,
        *,
        check: bool = True,
        out: _Words | None = None,
    ) -> NDArray[Any]: ...
    @overload
    def convert(
        self, indices: _Any, numbering: _NumberingLike, *, check: bool = True, out: _Any | None = None
    ) -> _Any: ...
    @overload
    def convert(
        self, indices: int, numbering: _NumberingLike, *, check: bool = True, out: None = None
    ) -> np.uint64: ...
    @overload
    def convert(
        self,
        indices: _ForeignWords,
        numbering: _NumberingLike,
        *,
        check: bool = True,
        out: _Words | None = None,
    ) -> NDArray[Any]: ...
    @overload
    def encode(
        self, squares: _Squares | _ForeignWords | _Frame, *, dtype: None = None, out: NDArray[_Word]
    ) -> NDArray[_Word]: ...
    @overload
    def encode(
        self, squares: _Squares | _ForeignWords | _Frame, *, dtype: type[_Word], out: NDArray[_Word] | None = None
    ) -> NDArray[_Word]: ...
    @overload
    def encode(
        self,
        squares: _Squares | _ForeignWords | _Frame,
        *,
        dtype: DTypeLike | None = None,
        out: _Words | None = None,
    ) -> NDArray[Any]: ...
    def decode(
        self,
        indices: _Number | _Words | _ForeignWords,
        *,
        order: Literal["C", "F"] = "C",
        check: bool = True,
        out: _Squares | None = None,
    ) -> _Squares: ...

@final
class Equivalence:
    def __new__(
        cls, layout: Layout, group: _GroupLike = "D4", like: Sequence[Sequence[int]] = ()
    ) -> Equivalence: ...
    layout: Final[Layout]
    group: Final[Group]
    like: Final[list[list[int]]]
    @overload
    def canonical(
        self,
        indices: _Any,
        *,
        with_symmetry: Literal[False] = False,
        check: bool = True,
        out: _Any | None = None,
    ) -> _Any: ...
    @overload
    def canonical(
        self, indices: int, *, with_symmetry: Literal[False] = False, check: bool = True, out: None = None
    ) -> np.uint64: ...
    @overload
    def canonical(
        self, indices: _Word, *, with_symmetry: Literal[True], check: bool = True, out: None = None
    ) -> tuple[_Word, np.uint8]: ...
    @overload
    def canonical(
        self, indices: int, *, with_symmetry: Literal[True], check: bool = True, out: None = None
    ) -> tuple[np.uint64, np.uint8]: ...
    @overload
    def canonical(
        self,
        indices: NDArray[_Word],
        *,
        with_symmetry: Literal[True],
        check: bool = True,
        out: tuple[NDArray[_Word] | None, NDArray[np.uint8] | None] | None = None,
    ) -> tuple[NDArray[_Word], NDArray[np.uint8]]: ...
    @overload
    def canonical(
        self,
        indices: _ForeignWords,
        *,
        with_symmetry: Literal[False] = False,
        check: bool = True,
        out: _Words | None = None,
    ) -> NDArray[Any]: ...
    @overload
    def canonical(
        self,
        indices: _ForeignWords,
        *,
        with_symmetry: Literal[True],
        check: bool = True,
        out: tuple[_Words | None, NDArray[np.uint8] | None] | None = None,
    ) -> tuple[NDArray[Any], NDArray[np.uint8]]: ...
    @overload
    def orbit_sizes(
        self, indices: _Number, *, check: bool = True, out: None = None
    ) -> np.uint8: ...
    @overload
    def orbit_sizes(
        self, indices: _Words | _ForeignWords, *, check: bool = True, out: NDArray[np.uint8] | None = None
    ) -> NDArray[np.uint8]: ...
    @overload
    def is_canonical(
        self, indices: _Number, *, check: bool = True, out: None = None
    ) -> np.bool_: ...
    @overload
    def is_canonical(
        self, indices: _Words | _ForeignWords, *, check: bool = True, out: NDArray[np.bool_] | None = None
    ) -> NDArray[np.bool_]: ...

@disjoint_base
class Dense:
    def __len__(self, /) -> int: ...
    layout: Final[Layout]
    size: Final[int]
    @overload
    def rank(
        self, indices: _Any, *, masked: Literal[False] = False, check: bool = True, out: _Any | None = None
    ) -> _Any: ...
    @overload
    def rank(
        self, indices: int, *, masked: Literal[False] = False, check: bool = True, out: None = None
    ) -> np.uint64: ...
    @overload
    def rank(
        self,
        indices: NDArray[_Word],
        *,
        masked: Literal[True],
        check: bool = True,
        out: NDArray[_Word] | None = None,
    ) -> np.ma.MaskedArray[Any, np.dtype[_Word]]: ...
    @overload
    def rank(
        self,
        indices: _ForeignWords,
        *,
        masked: Literal[False] = False,
        check: bool = True,
        out: _Words | None = None,
    ) -> NDArray[Any]: ...
    @overload
    def rank(
        self,
        indices: _Number | _ForeignWords,
        *,
        masked: Literal[True],
        check: bool = True,
        out: _Words | None = None,
    ) -> np.ma.MaskedArray[Any, Any]: ...
    @overload
    def unrank(self, slots: _Any, *, out: _Any | None = None) -> _Any: ...
    @overload
    def unrank(self, slots: int, *, out: None = None) -> np.uint64: ...
    @overload
    def unrank(self, slots: _ForeignWords, *, out: _Words | None = None) -> NDArray[Any]: ...
    @overload
    def weight(self, slots: _Number, *, out: None = None) -> np.uint8: ...
    @overload
    def weight(
        self, slots: _Words | _ForeignWords, *, out: NDArray[np.uint8] | None = None
    ) -> NDArray[np.uint8]: ...
    twin = unrank

@final
class Orbit(Dense):
    def __new__(cls, layout: Layout, group: _GroupLike = "D4") -> Orbit: ...

@final
class Triangle(Dense):
    def __new__(cls, layout: Layout, group: _GroupLike = "D4") -> Triangle: ...

@final
class Kings(Dense):
    def __new__(cls, layout: Layout, group: _GroupLike = "D4") -> Kings: ...

@final
class Compact(Dense):
    def __new__(
        cls,
        material: _MaterialLike,
        rules: _Rules = "kings_apart",
        exact: bool = True,
        numbering: _NumberingLike = "natural",
    ) -> Compact: ...
    material: Final[Material]

@final
class PlacementCodec:
    def __new__(cls, material: _MaterialLike, numbering: _NumberingLike = "natural") -> PlacementCodec: ...
    material: Final[Material]
    layout: Final[Layout]
    @overload
    def encode(  # type: ignore[overload-overlap]
        self,
        fens: _Text,
        *,
        side: _SideLike | None = None,
        with_side: Literal[False] = False,
        rights: _Rights = "keep",
        invalid: _Invalid = "raise",
    ) -> np.uint32 | np.uint64: ...
    @overload
    def encode(  # type: ignore[overload-overlap]
        self,
        fens: _Text,
        *,
        side: _SideLike | None = None,
        with_side: Literal[True],
        rights: _Rights = "keep",
        invalid: _Invalid = "raise",
    ) -> tuple[np.uint32 | np.uint64, np.bool_]: ...
    @overload
    def encode(
        self,
        fens: _Texts,
        *,
        side: _SideLike | None = None,
        with_side: Literal[False] = False,
        rights: _Rights = "keep",
        invalid: Literal["raise"] = "raise",
    ) -> NDArray[Any]: ...
    @overload
    def encode(
        self,
        fens: _Texts,
        *,
        side: _SideLike | None = None,
        with_side: Literal[False] = False,
        rights: _Rights = "keep",
        invalid: Literal["mask"],
    ) -> np.ma.MaskedArray[Any, Any]: ...
    @overload
    def encode(
        self,
        fens: _Texts,
        *,
        side: _SideLike | None = None,
        with_side: Literal[True],
        rights: _Rights = "keep",
        invalid: Literal["raise"] = "raise",
    ) -> tuple[NDArray[Any], NDArray[np.bool_]]: ...
    @overload
    def encode(
        self,
        fens: _Texts,
        *,
        side: _SideLike | None = None,
        with_side: Literal[True],
        rights: _Rights = "keep",
        invalid: Literal["mask"],
    ) -> tuple[np.ma.MaskedArray[Any, Any], np.ma.MaskedArray[Any, np.dtype[np.bool_]]]: ...
    @overload
    def swap_colors(self, indices: _Any) -> _Any: ...
    @overload
    def swap_colors(self, indices: int) -> np.uint64: ...
    @overload
    def swap_colors(self, indices: _ForeignWords) -> NDArray[Any]: ...
    @overload
    def decode(self, indices: _Number, side: _SideLike = "white", *, invalid: Literal["raise"] = "raise") -> str: ...
    @overload
    def decode(
        self, indices: _Words | _ForeignWords, side: _SidesLike = "white", *, invalid: Literal["raise"] = "raise"
    ) -> list[str]: ...
    @overload
    def decode(self, indices: _Number, side: _SideLike = "white", *, invalid: Literal["mask"]) -> str | None: ...
    @overload
    def decode(
        self, indices: _Words | _ForeignWords, side: _SidesLike = "white", *, invalid: Literal["mask"]
    ) -> list[str | None]: ...

@final
class Enumeration:
    def __new__(
        cls,
        material: _MaterialLike,
        stage: _Stage = "all",
        side: _SideLike = "white",
        *,
        canonical: bool = False,
        numbering: _NumberingLike = "natural",
    ) -> Enumeration: ...
    def __iter__(self, /) -> Iterator[NDArray[Any]]: ...
    material: Final[Material]
    layout: Final[Layout]
    dtype: Final[np.dtype[Any]]
    def counts(self, *, threads: int | None = None, progress: _Progress | None = None) -> dict[str, int]: ...
    def indices(self, *, threads: int | None = None, progress: _Progress | None = None) -> NDArray[Any]: ...
    def write(
        self,
        path: _Path,
        *,
        threads: int | None = None,
        compress: bool = False,
        overwrite: bool = False,
        progress: _Progress | None = None,
    ) -> IndexFile: ...

@final
class Moves:
    def __new__(cls, material: _MaterialLike, numbering: _NumberingLike = "natural") -> Moves: ...
    material: Final[Material]
    layout: Final[Layout]
    @overload
    def is_legal(
        self, indices: _Number, side: _SideLike, *, check: bool = True, out: None = None
    ) -> np.bool_: ...
    @overload
    def is_legal(
        self,
        indices: _Words | _ForeignWords,
        side: _SidesLike,
        *,
        check: bool = True,
        out: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.bool_]: ...
    is_check = is_legal
    is_mate = is_legal
    is_stalemate = is_legal
    def moves(self, index: SupportsIndex, side: _SideLike, *, passed: int | None = None) -> list[Move]: ...
    def successors(self, indices: _Words | _ForeignWords, side: _SidesLike) -> Successors: ...
    def predecessors(
        self, indices: _Words | _ForeignWords, side: _SidesLike
    ) -> tuple[NDArray[np.int64], NDArray[Any]]: ...
    def unmoves(self, index: SupportsIndex, side: _SideLike) -> NDArray[Any]: ...

@final
class ArrowArray:
    def __new__(cls, array: NDArray[Any]) -> ArrowArray: ...
    def __len__(self, /) -> int: ...
    null_count: Final[int]
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]: ...
    def __arrow_c_schema__(self) -> Any: ...

@final
class IndexFile:
    def __new__(cls, path: _Path) -> IndexFile: ...
    def __enter__(self) -> IndexFile: ...
    def __exit__(
        self,
        *_exception: type[BaseException] | BaseException | TracebackType | None,
    ) -> None: ...
    def __len__(self, /) -> int: ...
    def __contains__(self, index: SupportsIndex, /) -> bool: ...
    @overload
    def __getitem__(self, key: SupportsIndex, /) -> Any: ...
    @overload
    def __getitem__(self, key: slice, /) -> NDArray[Any]: ...
    def __iter__(self, /) -> Iterator[Any]: ...
    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...
    def __arrow_c_schema__(self) -> Any: ...
    def blocks(self) -> Iterator[NDArray[Any]]: ...
    def close(self) -> None: ...
    closed: Final[bool]
    path: Final[pathlib.Path]
    material: Final[Material]
    numbering: Final[Numbering]
    group: Final[Group]
    side: Final[_Side | None]
    canonical: Final[bool]
    sorted: Final[bool]
    distinct: Final[bool]
    compressed: Final[bool]
    dtype: Final[np.dtype[Any]]
    indices: Final[NDArray[Any]]
    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]: ...
    def read(self, *, out: _Words | None = None) -> NDArray[Any]: ...
    def verify(self, *, threads: int | None = None, progress: _Progress | None = None) -> None: ...
    @overload
    def rank(self, index: _Words | _ForeignWords) -> NDArray[np.int64]: ...  # type: ignore[overload-overlap]
    @overload
    def rank(self, index: SupportsIndex) -> int: ...

def write(
    path: _Path,
    indices: _Words | _ForeignWords | Iterable[_Words | _ForeignWords],
    material: _MaterialLike,
    *,
    numbering: _NumberingLike = "natural",
    side: _SideLike | None = None,
    compress: bool = False,
    overwrite: bool = False,
    progress: _Progress | None = None,
) -> IndexFile: ...
def reduce(
    files: Iterable[_File],
    output: _Path,
    *,
    numbering: _NumberingLike | None = None,
    memory: _Memory = "1G",
    threads: int | None = None,
    method: Literal["auto", "bitmap", "sort"] = "auto",
    temp: _Path | None = None,
    compress: bool = False,
    overwrite: bool = False,
    progress: _Progress | None = None,
) -> IndexFile: ...
def union(
    files: Iterable[_File],
    output: _Path,
    *,
    memory: _Memory = "1G",
    threads: int | None = None,
    compress: bool = False,
    overwrite: bool = False,
    progress: _Progress | None = None,
) -> IndexFile: ...

intersection = union
difference = union

def convert(
    file: _File,
    output: _Path,
    numbering: _NumberingLike,
    *,
    threads: int | None = None,
    overwrite: bool = False,
    progress: _Progress | None = None,
) -> IndexFile: ...
def transform(
    file: _File,
    output: _Path,
    symmetry: _SymmetryLike,
    *,
    threads: int | None = None,
    overwrite: bool = False,
    progress: _Progress | None = None,
) -> IndexFile: ...

@final
class Leaper:
    def __new__(cls, piece: str | int) -> Leaper: ...
    def __len__(self, /) -> int: ...
    def __iter__(self, /) -> Iterator[tuple[int, int]]: ...
    def __contains__(self, step: tuple[int, int], /) -> bool: ...
    bits: Final[int]
    steps: Final[list[tuple[int, int]]]
    betza: Final[str | None]
    verdict: Final[Verdict]
    def image(self, symmetry: _SymmetryLike) -> Leaper: ...
    def canonical(self) -> Leaper: ...
    def is_connected(self, board: str = "8x8") -> bool: ...
    def distances(self, square: str, board: str = "8x8") -> NDArray[np.int16]: ...
    def svg(self, board: str = "8x8", *, distances_from: str | None = None) -> str: ...
    def _repr_svg_(self) -> str: ...
    def _repr_html_(self) -> str: ...

@final
class Verdict:
    def __new__(cls, piece: Leaper) -> Verdict: ...
    piece: Final[Leaper]
    is_free: Final[bool]
    is_confined: Final[bool]
    lattice_rank: Final[int]
    lattice_index: Final[int | None]
    colouring: Final[str | None]
    masks: Final[list[str]]
    missing: Final[list[str]]

@final
class Tables:
    def __new__(
        cls,
        folders: _Path | Iterable[_Path],
        *,
        memory: _Memory = "512M",
        metric: _Metric | None = None,
        letters: Mapping[str, str | Leaper] | None = None,
    ) -> Tables: ...
    @staticmethod
    def on_demand(
        *,
        memory: _Memory = "1G",
        threads: int | None = None,
        metric: _Metric | None = None,
        letters: Mapping[str, str | Leaper] | None = None,
    ) -> Tables: ...
    @overload
    def probe(  # type: ignore[overload-overlap]
        self,
        positions: _Text,
        *,
        material: None = None,
        side: None = None,
        numbering: _NumberingLike = "natural",
        invalid: _Invalid = "raise",
        missing: _Missing = "mask",
        progress: _Progress | None = None,
    ) -> Answer: ...
    @overload
    def probe(
        self,
        positions: _Texts,
        *,
        material: None = None,
        side: None = None,
        numbering: _NumberingLike = "natural",
        invalid: _Invalid = "raise",
        missing: _Missing = "mask",
        progress: _Progress | None = None,
    ) -> Labels: ...
    @overload
    def probe(
        self,
        positions: _Words | _Squares | _ForeignWords | _Frame,
        *,
        material: _MaterialLike,
        side: _SidesLike,
        numbering: _NumberingLike = "natural",
        invalid: _Invalid = "raise",
        missing: _Missing = "mask",
        progress: _Progress | None = None,
    ) -> Labels: ...
    @overload
    def probe_many(self, fens: Iterable[_Text], *, missing: Literal["raise"] = "raise") -> list[Answer]: ...
    @overload
    def probe_many(self, fens: Iterable[_Text], *, missing: Literal["none"]) -> list[Answer | None]: ...
    @overload
    def wdl(  # type: ignore[overload-overlap]
        self,
        positions: _Text,
        *,
        material: None = None,
        side: None = None,
        numbering: _NumberingLike = "natural",
        invalid: _Invalid = "raise",
        missing: _Missing = "mask",
        progress: _Progress | None = None,
    ) -> Outcome: ...
    @overload
    def wdl(
        self,
        positions: _Texts,
        *,
        material: None = None,
        side: None = None,
        numbering: _NumberingLike = "natural",
        invalid: _Invalid = "raise",
        missing: _Missing = "mask",
        progress: _Progress | None = None,
    ) -> np.ma.MaskedArray[Any, np.dtype[np.int8]]: ...
    @overload
    def wdl(
        self,
        positions: _Words | _Squares | _ForeignWords | _Frame,
        *,
        material: _MaterialLike,
        side: _SidesLike,
        numbering: _NumberingLike = "natural",
        invalid: _Invalid = "raise",
        missing: _Missing = "mask",
        progress: _Progress | None = None,
    ) -> np.ma.MaskedArray[Any, np.dtype[np.int8]]: ...
    @overload
    def dtz(  # type: ignore[overload-overlap]
        self,
        positions: _Text,
        *,
        material: None = None,
        side: None = None,
        numbering: _NumberingLike = "natural",
        invalid: _Invalid = "raise",
        missing: _Missing = "mask",
        progress: _Progress | None = None,
    ) -> int: ...
    @overload
    def dtz(
        self,
        positions: _Texts,
        *,
        material: None = None,
        side: None = None,
        numbering: _NumberingLike = "natural",
        invalid: _Invalid = "raise",
        missing: _Missing = "mask",
        progress: _Progress | None = None,
    ) -> np.ma.MaskedArray[Any, np.dtype[np.int16]]: ...
    @overload
    def dtz(
        self,
        positions: _Words | _Squares | _ForeignWords | _Frame,
        *,
        material: _MaterialLike,
        side: _SidesLike,
        numbering: _NumberingLike = "natural",
        invalid: _Invalid = "raise",
        missing: _Missing = "mask",
        progress: _Progress | None = None,
    ) -> np.ma.MaskedArray[Any, np.dtype[np.int16]]: ...
    dtm = dtz
    @overload
    def reasons(  # type: ignore[overload-overlap]
        self,
        positions: _Text,
        *,
        material: None = None,
        side: None = None,
        numbering: _NumberingLike = "natural",
        invalid: _Invalid = "raise",
        missing: _Missing = "mask",
        progress: _Progress | None = None,
    ) -> str | None: ...
    @overload
    def reasons(
        self,
        positions: _Texts,
        *,
        material: None = None,
        side: None = None,
        numbering: _NumberingLike = "natural",
        invalid: _Invalid = "raise",
        missing: _Missing = "mask",
        progress: _Progress | None = None,
    ) -> NDArray[np.object_]: ...
    @overload
    def reasons(
        self,
        positions: _Words | _Squares | _ForeignWords | _Frame,
        *,
        material: _MaterialLike,
        side: _SidesLike,
        numbering: _NumberingLike = "natural",
        invalid: _Invalid = "raise",
        missing: _Missing = "mask",
        progress: _Progress | None = None,
    ) -> NDArray[np.object_]: ...
    failures: Final[dict[str, int]]
    endgames: Final[list[str]]
    closed: Final[bool]
    def moves(self, fen: _Text) -> list[MoveAnswer]: ...
    def line(self, fen: _Text) -> Line: ...
    def close(self) -> None: ...
    def __enter__(self) -> Tables: ...
    def __exit__(
        self,
        *_exception: type[BaseException] | BaseException | TracebackType | None,
    ) -> None: ...

class MissingTableError(LookupError):
    table: str

def generate(
    endgame: str,
    folder: _Path,
    *,
    metric: _Metric | None = None,
    memory: _Memory | None = None,
    threads: int | None = None,
    overwrite: bool = False,
    progress: _Progress | None = None,
) -> list[str]: ...
def estimate(material: _MaterialLike) -> list[Estimate]: ...
def compose(first: _SymmetryLike, then: _SymmetryLike) -> Symmetry: ...
def inverse(symmetry: _SymmetryLike) -> Symmetry: ...
def apply_symmetry(symmetry: _SymmetryLike, square: int) -> int: ...
def numbering_picture(numbering: _NumberingLike) -> str: ...
