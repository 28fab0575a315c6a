//! The head of a sub-table: flags, sizes, the code and the symbols.

use super::bytes::{Cursor, damaged};
use crate::error::Error;

/// Distances are of black to move.
pub(crate) const SIDE_BLACK: u8 = 1;
/// Values are entries of maps.
pub(crate) const MAPPED: u8 = 2;
/// Wins are in plies.
pub(crate) const WINS_EXACT: u8 = 4;
/// Losses are in plies.
pub(crate) const LOSSES_EXACT: u8 = 8;
/// Maps have entries of 16 bits.
pub(crate) const WIDE_MAPS: u8 = 16;
/// There is but one value.
pub(crate) const SINGLE: u8 = 128;

/// The second half of a leaf.
pub(crate) const LEAF: u16 = 0xfff;
/// The most symbols.
pub(crate) const MOST_SYMBOLS: usize = 4095;
/// The most values that a symbol stands for.
pub(crate) const LONGEST_SYMBOL: u16 = 256;
/// The most levels of pairs within pairs.
pub(crate) const DEEPEST: u8 = 16;
/// The longest code.
pub(crate) const LONGEST_CODE: u8 = 32;
/// The binary logarithms of the smallest and the largest block.
pub(crate) const BLOCK_BITS: std::ops::RangeInclusive<u8> = 1..=10;

/// A pair of symbols, or a leaf, whose second half is [`LEAF`].
pub(crate) type Symbol = (u16, u16);

/// A sub-table's code.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) symbols: Vec<Symbol>,
    /// How many values each symbol stands for.
    pub(crate) values: Vec<u16>,
    pub(crate) shortest: u8,
    /// The lowest code of each length from the shortest on, left-aligned in 64 bits; 0 for the longest.
    pub(crate) base: Vec<u64>,
    /// The symbol of that code.
    pub(crate) lowest: Vec<u16>,
    /// For the next bits of a block, in the lower four bits the number of bits of the whole codes with which they begin, and
    /// above it the number of their values. If there is no whole code, by how much the first is longer than the shortest, at
    /// least.
    pub(super) strides: Vec<u16>,
    /// How many bits of a block are looked at together.
    pub(super) stride_bits: u32,
}

/// The head of a sub-table.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) flags: u8,
    pub(crate) content: HeadContent,
}

#[derive(Debug)]
pub(crate) enum HeadContent {
    /// One value for all positions.
    Single(u8),
    Coded(CodedHead),
}

#[derive(Debug)]
pub(crate) struct CodedHead {
    pub(crate) block_bits: u8,
    pub(crate) span_bits: u8,
    pub(crate) padding: u8,
    /// The blocks with data.
    pub(crate) blocks: u64,
    pub(crate) code: Code,
}

impl CodedHead {
    /// The blocks that have a length: those with data, and others that only the index refers to.
    pub(crate) fn lengths(&self) -> u64 {
        self.blocks + u64::from(self.padding)
    }
}

impl Head {
    /// Reads the head of a sub-table of whose blocks so many bits, 8 to 15, are looked at together, or fewer if it has few.
    pub(crate) fn read(cursor: &mut Cursor<'_>, stride_bits: u32) -> Result<Head, Error> {
        let flags = cursor.u8("flags")?;
        if flags & SINGLE != 0 {
            let value = cursor.u8("the single value")?;
            let content = HeadContent::Single(value);
            return Ok(Head { flags, content });
        }
        let block_bits = cursor.u8("the size of blocks")?;
        cursor.check(BLOCK_BITS.contains(&block_bits), 1, || {
            format!("blocks are of 2^{block_bits} bytes, not of 2^1 to 2^10")
        })?;
        let span_bits = cursor.u8("the span of the index")?;
        cursor.check((1..=31).contains(&span_bits), 1, || {
            format!("the span of the index is 2^{span_bits}, not 2^1 to 2^31")
        })?;
        let padding = cursor.u8("the padding of block lengths")?;
        let blocks = u64::from(cursor.u32("the number of blocks")?);
        cursor.check(blocks > 0, 4, || "there are no blocks".to_owned())?;
        let code = Code::read(cursor, (blocks.ilog2() + 2).clamp(8, stride_bits))?;
        let content = HeadContent::Coded(CodedHead {
            block_bits,
            span_bits,
            padding,
            blocks,
            code,
        });
        Ok(Head { flags, content })
    }
}

impl Code {
    fn read(cursor: &mut Cursor<'_>, stride_bits: u32) -> Result<Code, Error> {
        let longest = cursor.u8("the longest code")?;
        cursor.check((1..=LONGEST_CODE).contains(&longest), 1, || {
            format!("the longest code has {longest} bits, not 1 to 32")
        })?;
        let shortest = cursor.u8("the shortest code")?;
        cursor.check((1..=longest).contains(&shortest), 1, || {
            format!("the shortest code has {shortest} bits, not 1 to {longest}")
        })?;
        let lengths = usize::from(longest - shortest) + 1;
        let lowest_at = cursor.at();
        let lowest = (0..lengths)
            .map(|_| cursor.u16("the lowest symbols"))
            .collect::<Result<Vec<_>, _>>()?;
        let count = usize::from(cursor.u16("the number of symbols")?);
        cursor.check((1..=MOST_SYMBOLS).contains(&count), 2, || {
            format!("there are {count} symbols, not 1 to {MOST_SYMBOLS}")
        })?;
        let symbols_at = cursor.at();
        let symbols: Vec<Symbol> = cursor
            .take(3 * count, "the symbols")?
            .chunks_exact(3)
            .map(|b| {
                let [x, m, y] = [b[0], b[1], b[2]].map(u16::from);
                (x | (m & 15) << 8, m >> 4 | y << 4)
            })
            .collect();
        cursor.take(count % 2, "the padding after symbols")?;

        if lowest.windows(2).any(|pair| pair[0] < pair[1])
            || usize::from(lowest[0]) >= count
            || lowest[lengths - 1] != 0
        {
            let what = "the lowest symbols do not fall from the shortest code to 0 for the longest";
            return Err(damaged(cursor.name, lowest_at, what));
        }
        let values = lengths_of(&symbols).map_err(|(symbol, what)| {
            let what = format!("symbol {symbol} {what}");
            damaged(cursor.name, symbols_at + 3 * symbol, what)
        })?;
        let base = bases(shortest, &lowest).ok_or_else(|| {
            let what = "the numbers of codes of each length do not fit together";
            damaged(cursor.name, lowest_at, what)
        })?;
        let mut code = Code {
            symbols,
            values,
            shortest,
            base,
            lowest,
            strides: Vec::new(),
            stride_bits,
        };
        code.strides = code.all_strides();
        Ok(code)
    }

    /// The symbol that the next bits of a block begin with, and the length of its code; `None` if they are no code.
    #[inline]
    pub(crate) fn next(&self, bits: u64) -> Option<(u16, u32)> {
        self.next_from(bits, 0)
    }

    /// The symbol if the code is longer than the shortest by at least so much.
    #[inline]
    pub(super) fn next_from(&self, bits: u64, least: usize) -> Option<(u16, u32)> {
        let i = self.longer_by(bits, least);
        let len = u32::from(self.shortest) + i as u32;
        let symbol = u64::from(self.lowest[i]) + ((bits - self.base[i]) >> (64 - len));
        let found = usize::try_from(symbol).is_ok_and(|symbol| symbol < self.symbols.len());
        found.then_some((symbol as u16, len))
    }

    /// By how much the next code is longer than the shortest, if it is by at least so much.
    #[inline]
    fn longer_by(&self, bits: u64, least: usize) -> usize {
        let mut i = least;
        // The last base is 0.
        while bits < self.base[i] {
            i += 1;
        }
        i
    }

    /// The bytes that it has in memory, roughly.
    pub(crate) fn memory(&self) -> usize {
        6 * self.symbols.len() + 2 * self.strides.len()
    }

    fn all_strides(&self) -> Vec<u16> {
        let most = self.stride_bits;
        (0..1u64 << most)
            .map(|bits| {
                let bits = bits << (64 - most);
                let (mut used, mut values) = (0, 0);
                while used < most
                    && let Some((symbol, len)) = self.next(bits << used)
                    && used + len <= most
                {
                    used += len;
                    values += self.values[usize::from(symbol)];
                }
                match used {
                    // Greater bits have shorter codes.
                    0 => (self.longer_by(bits | u64::MAX >> most, 0) as u16) << 4,
                    _ => used as u16 | values << 4,
                }
            })
            .collect()
    }

    /// The value at a place of a symbol's expansion. The place is less than the symbol's length.
    #[inline]
    pub(crate) fn leaf(&self, mut symbol: u16, mut place: u32) -> u16 {
        loop {
            let (x, y) = self.symbols[usize::from(symbol)];
            if y == LEAF {
                return x;
            }
            let left = u32::from(self.values[usize::from(x)]);
            if place < left {
                symbol = x;
            } else {
                place -= left;
                symbol = y;
            }
        }
    }

    /// Whether every value fits a byte.
    pub(super) fn fits_bytes(&self) -> bool {
        let mut symbols = self.symbols.iter();
        symbols.all(|&(value, second)| second != LEAF || value <= 0xff)
    }
}

/// The number of values of each symbol, or the first symbol that can't be and why.
fn lengths_of(symbols: &[Symbol]) -> Result<Vec<u16>, (usize, String)> {
    let mut values = vec![0u16; symbols.len()];
    let mut depth = vec![0u8; symbols.len()];
    for first in 0..symbols.len() {
        // The symbols between the first and the one at hand, the outermost first. None is longer than this, so none is
        // nested deeper, and a cycle is noticed.
        let mut open = vec![first];
        while let Some(&symbol) = open.last() {
            let (x, y) = symbols[symbol];
            if values[symbol] > 0 || y == LEAF {
                values[symbol] = values[symbol].max(1);
                open.pop();
                continue;
            }
            let (x, y) = (usize::from(x), usize::from(y));
            if x >= symbols.len() || y >= symbols.len() {
                return Err((
                    symbol,
                    format!("is made of {x} and {y}, and there are {}", symbols.len()),
                ));
            }
            if values[x] > 0 && values[y] > 0 {
                let length = values[x] + values[y];
                if length > LONGEST_SYMBOL {
                    return Err((symbol, format!("stands for {length} values, more than 256")));
                }
                values[symbol] = length;
                depth[symbol] = depth[x].max(depth[y]) + 1;
                if depth[symbol] > DEEPEST {
                    return Err((symbol, format!("is nested more than {DEEPEST} deep")));
                }
                open.pop();
                continue;
            }
            if open.len() > usize::from(DEEPEST) {
                return Err((
                    symbol,
                    format!("contains itself, or is nested more than {DEEPEST} deep"),
                ));
            }
            open.push(if values[x] == 0 { x } else { y });
        }
    }
    Ok(values)
}

/// The lowest code of each length, left-aligned; `None` if there are more codes than can be.
fn bases(shortest: u8, lowest: &[u16]) -> Option<Vec<u64>> {
    let mut base = vec![0u64; lowest.len()];
    for i in (0..lowest.len() - 1).rev() {
        let sum = base[i + 1] + u64::from(lowest[i] - lowest[i + 1]);
        if !sum.is_multiple_of(2) {
            return None;
        }
        base[i] = sum / 2;
    }
    for (i, base) in base.iter_mut().enumerate() {
        let len = u32::from(shortest) + i as u32;
        if *base >= 1 << len {
            return None;
        }
        *base <<= 64 - len;
    }
    Some(base)
}
