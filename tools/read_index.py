#!/usr/bin/env python3
"""Prints an index file's header and indices: read_index.py FILE. A reader written from the format page
in src/store/format.rs alone, with nothing but Python's standard library; every checksum is checked."""
import struct
import sys
import zlib

PIECES = dict(zip([1, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15], "PNBRQKpnbrqk"))


def require(condition, what):
    if not condition:
        sys.exit(f"{sys.argv[1]}: {what}")


def read_header(data):
    require(data[:8] == b"\x89TBI\r\n\x1a\n", "not an index file")
    require(len(data) >= 256, "shorter than a header")
    require(zlib.crc32(data[:252]) == struct.unpack_from("<I", data, 252)[0], "damaged header")
    version, kind, word, numbering, group, side, flags, pieces = struct.unpack_from("<H7B", data, 8)
    require(version == 1, f"version {version}: expected 1")
    require(not any(data[17:24] + data[24 + pieces : 40] + data[88:252]), "unknown fields")
    codes = data[24 : 24 + pieces]
    count, start, length, table, blocks, items, checksum = struct.unpack_from("<5QII", data, 40)
    require(start == 256 and table == -(-(256 + length) // 64) * 64, "wrong offsets")
    require(len(data) == table + 32 * blocks, "wrong length")
    require(not any(data[256 + length : table]), "padding that is not zero")
    require(zlib.crc32(data[table:]) == checksum, "damaged block table")
    print("pieces", "".join(PIECES[code] for code in codes), "first to leading")
    print("numbering", ["natural", "alternate"][numbering], "group", ["", "file mirror", "D4"][group])
    print("side", ["none", "white", "black"][side], "count", count, "kind", ["plain", "compact"][kind])
    print("canonical", flags & 1, "sorted", flags >> 1 & 1, "distinct", flags >> 2 & 1)
    return kind, word, table, blocks


def compact_block(data, first, items, low_bits):
    bits = int.from_bytes(data, "little")
    high = bits >> (64 * -(-items * low_bits // 64))
    for k in range(items):
        place, high = (high & -high).bit_length() - 1, high & (high - 1)
        yield first + ((place - k) << low_bits) + (bits >> (k * low_bits) & (1 << low_bits) - 1)
    require(high == 0, "a block with more indices than it should have")


def read_indices(data, kind, word, table, blocks):
    for number in range(blocks):
        entry = struct.unpack_from("<QQ4I", data, table + 32 * number)
        offset, first, length, items, checksum, parameter = entry
        block = data[offset : offset + length]
        require(zlib.crc32(block) == checksum, f"damaged block {number}")
        if kind == 1:
            yield from compact_block(block, first, items, parameter)
        else:
            yield from struct.unpack(f"<{items}{'I' if word == 4 else 'Q'}", block)


with open(sys.argv[1], "rb") as file:
    contents = file.read()
for index in read_indices(contents, *read_header(contents)):
    print(oct(index))
