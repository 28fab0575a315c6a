#!/usr/bin/env python3
"""A reader of packed table files, written from the page of their format alone (tools/tbgen/src/storage/packed/mod.rs, and
tools/syzygy/src/format.md for orders, blocks and codes).

    read_table.py FILE                    the metric, the side to move, and the sub-tables
    read_table.py FILE Ka1,Rh1,kc3...     what the file has for positions with its side to move: the value, or where a
                                          capture or a promotion has the value, one that is not better

Black's pieces are small letters. The name of the table says which side is white.
"""

import sys
import zlib
from functools import lru_cache
from pathlib import Path


def number(data, at, length):
    return int.from_bytes(data[at : at + length], "little")


def check(what, data, expected):
    if zlib.crc32(data) != expected:
        raise ValueError(f"{what} is damaged")


class SubTable:
    def __init__(self, pieces, orders, values, head, places, tables, data):
        self.pieces, self.orders, self.values = pieces, orders, values
        self.single = head[0] == 128
        self.block_bytes = 1 if self.single else 1 << head[1]
        data.at += -data.at % self.block_bytes
        self.at = data.at
        if self.single:
            return
        self.span, blocks = head[2], number(head, 4, 4)
        longest, self.shortest = head[8], head[9]
        count = longest - self.shortest + 1
        self.lowest = [number(head, 10 + 2 * k, 2) for k in range(count)]
        symbols = number(head, 10 + 2 * count, 2)
        at = 12 + 2 * count
        self.symbols = []
        for k in range(symbols):
            b = head[at + 3 * k : at + 3 * k + 3]
            self.symbols.append((b[0] | (b[1] & 15) << 8, b[1] >> 4 | b[2] << 4))
        self.base = [0] * count
        for k in reversed(range(count - 1)):
            self.base[k] = (self.base[k + 1] + self.lowest[k] - self.lowest[k + 1]) // 2
        entries = -(-places // (1 << self.span))
        self.index = tables.take(6 * entries)
        self.lengths = tables.take(2 * (blocks + head[3]))
        data.at += blocks * self.block_bytes

    @lru_cache(None)
    def expand(self, symbol):
        x, y = self.symbols[symbol]
        return (x,) if y == 0xFFF else self.expand(x) + self.expand(y)

    def length(self, block):
        return number(self.lengths, 2 * block, 2) + 1

    def at_place(self, place, read):
        """The value at a place; `read` reads bytes of the data."""
        if self.single:
            return self.values[0]
        entry = place >> self.span
        block = number(self.index, 6 * entry, 4)
        offset = number(self.index, 6 * entry + 4, 2)
        offset += place - (entry << self.span) - (1 << (self.span - 1))
        while offset < 0:
            block -= 1
            offset += self.length(block)
        while offset >= self.length(block):
            offset -= self.length(block)
            block += 1
        bits = int.from_bytes(read(self.at + block * self.block_bytes, self.block_bytes), "big")
        left = 8 * self.block_bytes
        while True:
            for length, base, lowest in zip(range(self.shortest, 99), self.base, self.lowest):
                # Behind the last bit of a block are zeros.
                code = (bits << 64) >> (left + 64 - length) & ((1 << length) - 1)
                if code >= base:
                    break
            values = self.expand(lowest + code - base)
            left -= length
            if offset < len(values):
                return self.values[values[offset]]
            offset -= len(values)


class Cursor:
    def __init__(self, data=b""):
        self.data, self.at = data, 0

    def take(self, count):
        self.at += count
        if self.at > len(self.data):
            raise ValueError("the file is cut")
        return self.data[self.at - count : self.at]


class Packed:
    def __init__(self, path):
        self.data = data = Path(path).read_bytes()
        if data[:8] != b"\x89TBP\r\n\x1a\n":
            raise ValueError(f"{path}: not a packed table file")
        if number(data, 8, 2) != 1:
            raise ValueError(f"{path}: version {number(data, 8, 2)}, expected 1")
        check("the header", data[:60], number(data, 60, 4))
        self.metric, self.side = data[10], data[11]
        heads_end = 64 + number(data, 16, 4)
        tables_end = heads_end + number(data, 24, 8)
        length = number(data, 40, 8)
        self.data_at = tables_end + 4 * -(-length // 65536)
        check("the heads", data[64:heads_end], number(data, 20, 4))
        check("the tables that find a block", data[heads_end:tables_end], number(data, 32, 4))
        pages = data[tables_end : self.data_at]
        check("the checksums of pages", pages, number(data, 36, 4))
        if self.data_at + length != len(data):
            raise ValueError(f"{path}: {len(data)} bytes, expected {self.data_at + length}")
        for k in range(len(pages) // 4):
            page = data[self.data_at + 65536 * k :][:65536]
            check(f"page {k}", page, number(pages, 4 * k, 4))
        heads, tables, end = Cursor(data[64:heads_end]), Cursor(data[heads_end:tables_end]), Cursor()
        self.sub_tables = []
        for file in range(data[14]):
            pieces = heads.take(heads.take(1)[0])
            orders = heads.take(2)
            values = []
            for _ in range(number(heads.take(2), 0, 2)):
                value = heads.take(4)
                values.append((number(value, 0, 2), number(value, 2, 2)))
            head = heads.take(number(heads.take(2), 0, 2))
            groups = Groups(list(pieces), orders, file if data[14] == 4 else None)
            places = 1
            for size in groups.sizes:
                places *= size
            own = SubTable(pieces, orders, values, head, places, tables, end)
            own.groups = groups
            self.sub_tables.append(own)

    def read(self, at, count):
        return self.data[self.data_at + at :][:count]


def binomial(n, k):
    result = 1
    for i in range(k):
        result = result * (n - i) // (i + 1)
    return result if n >= k else 0


TRIANGLE = {s: k for k, s in enumerate([1, 2, 3, 10, 11, 19, 0, 9, 18, 27])}
BELOW = [s for s in range(64) if s >> 3 < s & 7]
SIZES = {
    1: [6, 6, 6, 6],
    2: [252, 180, 108, 36],
    3: [5201, 2645, 953, 125],
}


def pawn_number(s):
    """a2 47, h2 46, a3 45 ... h7 36, b2 35 ... e7 0."""
    file, rank = s & 7, s >> 3
    from_edge = min(file, 7 - file)
    return 47 - 12 * from_edge - 2 * (rank - 1) - (file > 3)


def king_pairs():
    numbers = {}
    for diagonal in (False, True):
        for a in sorted(TRIANGLE, key=TRIANGLE.get):
            for b in range(64):
                near = abs((a & 7) - (b & 7)) < 2 and abs((a >> 3) - (b >> 3)) < 2
                on = [s >> 3 == s & 7 for s in (a, b)]
                above = on[0] and b >> 3 > b & 7
                if not near and not above and all(on) == diagonal:
                    numbers[a, b] = len(numbers)
    return numbers


KINGS = king_pairs()


class Groups:
    """The groups of an order of pieces: where each begins, its length, size and factor."""

    def __init__(self, pieces, orders, file):
        self.file = file
        self.pieces = pieces
        colours = [sum(p == 1 + 8 * c for p in pieces) for c in (0, 1)]
        self.second = 0
        if file is None:
            self.leading = 3 if sum(pieces.count(p) == 1 for p in pieces) >= 3 else 2
        else:
            self.leading = pieces.count(pieces[0])
            self.second = sum(colours) - self.leading
        at, lengths = 0, []
        while at < len(pieces):
            length = self.leading if at == 0 else pieces.count(pieces[at])
            lengths.append((at, length))
            at += length
        places = [None] * len(lengths)
        places[orders[0]] = 0
        if self.second:
            places[orders[1]] = 1
        rest = [k for k in range(len(lengths)) if k not in places]
        self.groups = [None] * len(lengths)
        free, factor = 64 - self.leading - self.second, 1
        self.sizes = []
        for place in places:
            k = rest.pop(0) if place is None else place
            start, length = lengths[k]
            if k == 0:
                size = {3: 31332, 2: 462}[length] if file is None else SIZES[length][file]
            elif k == 1 and self.second:
                size = binomial(48 - self.leading, length)
            else:
                size = binomial(free, length)
                free -= length
            self.groups[k] = (start, length, factor)
            self.sizes.append(size)
            factor *= size

    def place(self, squares):
        """The place of pieces on squares, in the order of the sub-table."""
        squares = list(squares)
        first = self.leading
        if self.file is None:
            if squares[0] & 7 > 3:
                squares = [s ^ 7 for s in squares]
            if squares[0] >> 3 > 3:
                squares = [s ^ 56 for s in squares]
            off = [s for s in squares[:first] if s & 7 != s >> 3]
            if off and off[0] >> 3 > off[0] & 7:
                squares = [s >> 3 | (s & 7) << 3 for s in squares]
            number = three(*squares[:3]) if first == 3 else KINGS[tuple(squares[:2])]
        else:
            pawns = sorted(squares[:first], key=pawn_number, reverse=True)
            if pawns[0] & 7 > 3:
                squares = [s ^ 7 for s in squares]
                pawns = [s ^ 7 for s in pawns]
            file, rank = pawns[0] & 7, pawns[0] >> 3
            number = sum(
                binomial(pawn_number(8 * q + file), first - 1) for q in range(1, rank)
            )
            others = sorted(pawn_number(s) for s in pawns[1:])
            number += sum(binomial(s, i + 1) for i, s in enumerate(others))
        place = number * self.groups[0][2]
        taken = squares[:first]
        for k, (start, length, factor) in enumerate(self.groups[1:], 1):
            own = sorted(squares[start : start + length])
            lowest = 8 if k == 1 and self.second else 0
            lowered = [s - sum(t < s for t in taken) - lowest for s in own]
            place += factor * sum(binomial(s, i + 1) for i, s in enumerate(lowered))
            taken = taken + own
        return place


def three(a, b, c):
    x, y = int(b > a), int(a < c) + int(b < c)
    rank = lambda s: s >> 3
    off = lambda s: s & 7 != s >> 3
    if off(a):
        return TRIANGLE[a] * 3906 + (b - x) * 62 + c - y
    if off(b):
        return 23436 + (rank(a) * 28 + BELOW.index(b)) * 62 + c - y
    if off(c):
        return 30380 + (rank(a) * 7 + rank(b) - x) * 28 + BELOW.index(c)
    return 31164 + (rank(a) * 7 + rank(b) - x) * 6 + rank(c) - y


LETTERS = ".PNBRQK..pnbrqk"


def main(path, *positions):
    packed = Packed(path)
    side = "wb"[packed.side]
    names = [f"{LETTERS[p]}" for p in packed.sub_tables[0].pieces]
    if not positions:
        print("metric", ["dtz", "dtm"][packed.metric], "side", side, "pieces", "".join(names))
        for own in packed.sub_tables:
            print("values", len(own.values), "orders", *own.orders)
    for position in positions:
        squares = {}
        for man in position.split(","):
            squares.setdefault(man[0], []).append("abcdefgh".index(man[1]) + 8 * int(man[2]) - 8)
        leading = squares[names[0]]
        file = 0
        if len(packed.sub_tables) == 4:
            file = max(leading, key=pawn_number) & 7
            file = min(file, 7 - file)
        own = packed.sub_tables[file]
        queue = {letter: sorted(there) for letter, there in squares.items()}
        ordered = [queue[LETTERS[p]].pop(0) for p in own.pieces]
        kind, plies = own.at_place(own.groups.place(ordered), packed.read)
        print(["draw", "win", "loss"][kind], plies)


if __name__ == "__main__":
    main(*sys.argv[1:])
