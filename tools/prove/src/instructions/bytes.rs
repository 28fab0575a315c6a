//! The methods of `Bytes`: vectors as rows of squares.
//!
//! Where bytes change places, a run with a different value in every byte shows where each comes from.

use tbindex::proofs::{Bytes, Lanes};

use super::words::{Checks, Of, mixed, up_to_two_bits, words};

/// Slices of bytes in which every byte has another value, some of which have no bit in common.
fn different(count: usize) -> [Vec<u8>; 3] {
    let byte = |f: fn(u8) -> u8| (1..=count as u8).map(f).collect();
    [
        byte(|k| k),
        byte(|k| !k),
        byte(|k| k.wrapping_mul(0x35) ^ 0x5a),
    ]
}

/// The row of so many bytes with this number, as a word.
fn row(bytes: &[u8], stride: usize, number: usize) -> u64 {
    let row = &bytes[stride * number..][..stride];
    row.iter()
        .rev()
        .fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// Operands of one word each, of at most so many bits.
fn operands(bits: u32) -> Vec<u64> {
    let mut all = up_to_two_bits(bits);
    all.extend((0..500).map(|k| mixed(k) & u64::MAX >> (64 - bits)));
    all
}

/// All methods.
pub(super) fn check<V: Bytes>(isa: V::Isa, checks: &mut Checks) {
    pairs_of_vectors::<V>(isa, checks);
    rows::<V>(isa, checks);
    short_rows::<V>(isa, checks);
    codes::<V>(isa, checks);
    tables::<V>(isa, checks);
}

/// Vectors folded into one, and widened.
fn pairs_of_vectors<V: Bytes>(isa: V::Isa, checks: &mut Checks) {
    let values: Vec<u64> = up_to_two_bits(32);
    for start in 0..values.len() {
        let at = |k: usize| values[(start + k) % values.len()];
        let first: [u64; 16] = std::array::from_fn(&at);
        let second: [u64; 16] = std::array::from_fn(|k| at(k + 40));
        let (a, b) = (V::load(isa, &first), V::load(isa, &second));
        let folded = a.fold_halves(b);
        let (low, high) = V::unfold_halves(isa, folded);
        let (first, second) = (&first[..V::COUNT], &second[..V::COUNT]);
        let name = format_args!("unfold_halves {start}");
        let found = [words(low), words(high)];
        checks.expect(name, found, [first, second].map(<[u64]>::to_vec));
        let both = first.iter().chain(second).map(|&word| word as u32);
        let both: Vec<u32> = both.collect();
        let [mut found, mut expected] = [words(folded), both.clone()];
        found.sort_unstable();
        expected.sort_unstable();
        checks.expect(format_args!("fold_halves {start}"), found, expected);
        // The upper halves must not matter here.
        let noisy = |words: &[u64]| -> [u64; 16] {
            std::array::from_fn(|k| words.get(k).map_or(0, |word| word | mixed(k as u64) << 32))
        };
        let narrow = V::load(isa, &noisy(first)).narrow(V::load(isa, &noisy(second)));
        checks.expect(format_args!("narrow {start}"), words(narrow), both.clone());
        let found = words(V::load_narrow(isa, &both));
        checks.expect(format_args!("load_narrow {start}"), found, first.to_vec());
    }
    checks.operations += 4;
}

/// Rows of one to eight bytes.
fn rows<V: Bytes>(isa: V::Isa, checks: &mut Checks) {
    for bytes in different(8 * V::COUNT) {
        let expected: Vec<u64> = (0..V::COUNT).map(|k| row(&bytes, 8, k)).collect();
        let vector = V::load_all(isa, &bytes);
        checks.expect("load_all", words(vector), expected.clone());
        let mut to = vec![0; 8 * V::COUNT];
        vector.store_all(&mut to);
        checks.expect("store_all", &to, &bytes);
        for stride in 1..=8 {
            let shuffle = V::shuffle(isa, stride);
            let expected: Vec<u64> = (0..V::COUNT).map(|k| row(&bytes, stride, k)).collect();
            let found = words(V::load_rows(isa, shuffle, &bytes));
            checks.expect(format_args!("load_rows {stride}"), found, expected);
            let mut to = vec![0; 8 * V::COUNT];
            vector.store_rows(shuffle, &mut to);
            let row = |k: usize| bytes[8 * k..][..stride].to_vec();
            let expected: Vec<u8> = (0..V::COUNT).flat_map(row).collect();
            to.truncate(expected.len());
            checks.expect(format_args!("store_rows {stride}"), to, expected);
        }
    }
    for rest in different(8 * V::COUNT) {
        // Bytes that the first vector has not.
        let eight: Vec<u8> = rest.iter().map(|byte| byte ^ 0x80).collect();
        for pieces in [9, 10] {
            let mut to = vec![0; (V::COUNT - 1) * pieces + 16];
            let vector = V::load_all(isa, &eight);
            vector.store_long(V::load_all(isa, &rest), V::long(isa, pieces), &mut to);
            let row = |k: usize| [&eight[8 * k..][..8], &rest[8 * k..][..pieces - 8]].concat();
            let expected: Vec<u8> = (0..V::COUNT).flat_map(row).collect();
            to.truncate(expected.len());
            checks.expect(format_args!("store_long {pieces}"), to, expected);
        }
    }
    checks.operations += 5;
}

/// Rows of two to five bytes, in words of 32 bits.
fn short_rows<V: Bytes>(isa: V::Isa, checks: &mut Checks) {
    let count = V::Words32::COUNT;
    // The words in the order of the rows.
    let in_order = |vector: V::Words32, wide: bool| -> Vec<u64> {
        if wide {
            let mut words = [0; 16];
            V::store_wide(isa, vector, &mut words[..count]);
            words[..count].to_vec()
        } else {
            words(vector).into_iter().map(u64::from).collect()
        }
    };
    for pieces in 2..=5 {
        for (wide, bytes) in [false, true]
            .into_iter()
            .flat_map(|wide| different(pieces * count).map(|bytes| (wide, bytes)))
        {
            let short = V::short(isa, pieces, wide);
            let (fours, fifths) = if pieces < 5 {
                (V::load_fours(isa, short, &bytes), None)
            } else {
                let (fours, fifths) = V::load_fives(isa, short, &bytes);
                (fours, Some(fifths))
            };
            let expected: Vec<u64> = (0..count)
                .map(|k| row(&bytes, pieces, k) & 0xffff_ffff)
                .collect();
            let what = &format!("load_fours or fives, {pieces} pieces, wide: {wide}");
            checks.expect(what, in_order(fours, wide), expected);
            let Some(fifths) = fifths else { continue };
            let fifths = in_order(fifths, wide);
            for (k, fifth) in fifths.into_iter().enumerate() {
                let [first, second, third, fourth, ..] = fifth.to_le_bytes();
                let own = bytes[5 * k + 4];
                checks.expect(what, [second, fourth], [own, own]);
                let is_there = |byte: u8| byte == 0 || bytes.contains(&byte);
                checks.expect(what, [is_there(first), is_there(third)], [true, true]);
            }
        }
        for turned in [false, true] {
            if let Some(spread) = V::spread_short(isa, pieces, turned) {
                stored_short::<V>(isa, checks, pieces, turned, spread);
            }
        }
    }
    checks.operations += 4;
}

fn stored_short<V: Bytes>(
    isa: V::Isa,
    checks: &mut Checks,
    pieces: usize,
    turned: bool,
    spread: V::SpreadShort,
) {
    let count = V::Words32::COUNT;
    let indices = operands(6 * pieces as u32);
    for start in 0..indices.len() {
        let at = |k: usize| indices[(start + k) % indices.len()];
        let words: [u32; 16] = std::array::from_fn(|k| at(k) as u32);
        let vector = V::Words32::load(isa, &words);
        let mut to = vec![0; 6 * count];
        if pieces == 5 {
            V::store_short::<true>(isa, spread, vector, &mut to);
        } else {
            V::store_short::<false>(isa, spread, vector, &mut to);
        }
        let expected: Vec<u8> = (0..count)
            .flat_map(|k| (0..pieces).map(move |piece| (k, piece)))
            .map(|(k, piece)| code(at(k), pieces, piece, turned))
            .collect();
        to.truncate(expected.len());
        let name = format_args!(
            "store_short, {pieces} pieces, turned: {turned}, {:o}",
            at(0)
        );
        checks.expect(name, to, expected);
    }
}

/// The code of a piece in an index.
fn code(index: u64, pieces: usize, piece: usize, turned: bool) -> u8 {
    let low = (index >> (3 * piece)) as u8 & 7;
    let high = (index >> (3 * (pieces + piece))) as u8 & 7;
    match turned {
        true => low << 3 | high,
        false => high << 3 | low,
    }
}

/// Codes gathered into indices, and indices spread into codes.
fn codes<V: Bytes>(isa: V::Isa, checks: &mut Checks) {
    let digit = |word: u64, k: usize| word >> (8 * k) & 7;
    let of = &mut Of::<u64, V>::new(isa, checks);
    let gathered = |a: u64| (0..8).fold(0, |all, k| all | digit(a, k) << (3 * k));
    let spread = |a: u64| (0..8).fold(0, |all, k| all | (a >> (3 * k) & 7) << (8 * k));
    let words = operands(64);
    of.one("gather_digits", &words, |a| a.gather_digits(isa), gathered);
    of.one("spread_digits", &words, |a| a.spread_digits(isa), spread);
    for pieces in 1..=10 {
        let indices = operands(6 * pieces as u32);
        let first = if pieces > 8 { 8 } else { pieces };
        let codes_of = |index: u64, turned: bool| {
            (0..first).fold(0, |all, k| {
                all | u64::from(code(index, pieces, k, turned)) << (8 * k)
            })
        };
        let rows: Vec<u64> = indices.iter().map(|&a| codes_of(a, false)).collect();
        let index = |a: V| a.index_of_codes(isa, 3 * pieces as u32);
        let index_of = |a: u64| {
            (0..first).fold(0, |all, k| {
                let high = a >> (8 * k + 3) & 7;
                all | digit(a, k) << (3 * k) | high << (3 * (pieces + k))
            })
        };
        of.one("index_of_codes", &rows, index, index_of);
        for turned in [false, true] {
            if turned && !V::LOOKS_UP {
                continue;
            }
            let spread = V::spread(isa, pieces, turned);
            let used = V::splat(isa, u64::MAX >> (64 - 8 * first));
            let codes = |a: V| a.codes_of_index(isa, spread) & used;
            of.one("codes_of_index", &indices, codes, |a| codes_of(a, turned));
        }
    }
}

/// Tables of sixteen bytes: every byte in every place.
fn tables<V: Bytes>(isa: V::Isa, checks: &mut Checks) {
    let table: [u8; 16] = std::array::from_fn(|k| 0xa5 ^ (7 * k as u8));
    for byte in 0..=u8::MAX {
        let bytes: Vec<u8> = (0..8 * V::COUNT)
            .map(|k| byte.wrapping_add(k as u8))
            .collect();
        let mut found = bytes.clone();
        V::load_all(isa, &bytes)
            .look_up(isa, &table)
            .store_all(&mut found);
        let entry = |&byte: &u8| {
            if byte < 128 {
                table[usize::from(byte & 15)]
            } else {
                0
            }
        };
        let expected: Vec<u8> = bytes.iter().map(entry).collect();
        checks.expect(format_args!("look_up {byte}"), found, expected);
    }
    checks.operations += 1;
}
