//! The methods of `Lanes` on vectors of words.

use tbindex::proofs::{Isa, LINE_BYTES, Lanes, Line, Vectors};

use std::ops::{BitAnd, BitOr, BitXor, Not};

use super::words::{
    Checks, Of, mixed, neighbours, one_bit_each, three_operands, up_to_two_bits, words,
};

/// Words without a pattern.
fn without_pattern<const N: usize>(bits: u32, count: u64) -> Vec<[u64; N]> {
    let word = |k: u64, n: u64| mixed(k * 8 + n) & u64::MAX >> (64 - bits);
    (0..count)
        .map(|k| std::array::from_fn(|n| word(k, n as u64)))
        .collect()
}

/// Applies a function to every two numbers of 16 bits.
fn by_16(a: u64, b: u64, f: impl Fn(u32, u32) -> u32) -> u64 {
    (0..4).fold(0, |all, k| {
        let part = |word: u64| (word >> (16 * k)) as u32 & 0xffff;
        all | u64::from(f(part(a), part(b)) & 0xffff) << (16 * k)
    })
}

/// The sums of two products of 16 bits with sign, in every 32 bits.
fn sums_of_16(a: u64, b: u64) -> u64 {
    (0..2).fold(0, |all, k| {
        let part = |word: u64, up: u32| i64::from((word >> (32 * k + up)) as u16 as i16);
        let sum = part(a, 0) * part(b, 0) + part(a, 16) * part(b, 16);
        all | u64::from(sum as u32) << (32 * k)
    })
}

/// All methods.
pub(super) fn check<W: Vectors, V: Lanes<W>>(isa: V::Isa, checks: &mut Checks) {
    let of = &mut Of::<W, V>::new(isa, checks);
    memory(of);
    bits(of);
    order(of);
    conditions(of);
    products(of);
    halves(of);
    bytes(of);
}

/// A line of different bytes is copied.
pub(super) fn check_lines<I: Isa>(isa: I, checks: &mut Checks) {
    let line = Line(std::array::from_fn(|k| mixed(k as u64) as u8));
    let mut copy = Line([0xa5; LINE_BYTES]);
    isa.stream_line(&line, &mut copy);
    checks.expect(format_args!("stream_line"), copy.0, line.0);
    checks.operations += 1;
}

/// Loads, stores and constants.
fn memory<W: Vectors, V: Lanes<W>>(of: &mut Of<'_, W, V>) {
    let word = |value: u64| W::truncate(value.into());
    of.one("load and store", &up_to_two_bits(W::BITS), |a| a, |a| a);
    let (isa, checks) = (of.isa, &mut *of.checks);
    for value in up_to_two_bits(W::BITS) {
        let found = words(V::splat(isa, word(value)));
        let expected = vec![word(value); V::COUNT];
        checks.expect(format_args!("splat of {value:x}"), found, expected);
    }
    checks.operations += 1;
    // Every byte in every lane, and in the other bytes of the word what must not matter.
    for byte in 0..=u8::MAX {
        let from: [u8; 16] = std::array::from_fn(|k| byte.wrapping_add(k as u8));
        let found = words(V::load_bytes(isa, &from));
        let expected = from[..V::COUNT].iter().map(|&byte| W::from(byte)).collect();
        checks.expect(format_args!("load_bytes {byte}"), found, expected);
        for above in [0, u64::MAX << 8, 0x1234_5678_9abc_de00] {
            let words = from.map(|byte| word(above | u64::from(byte)));
            let mut to = [0; 16];
            V::load(isa, &words).store_bytes(&mut to);
            checks.expect(
                format_args!("store_bytes {byte}"),
                &to[..V::COUNT],
                &from[..V::COUNT],
            );
        }
    }
    checks.operations += 2;
}

/// Operations in which each bit depends on the bits at the same place, and shifts.
fn bits<W: Vectors, V: Lanes<W>>(of: &mut Of<'_, W, V>) {
    let pairs = one_bit_each(W::BITS);
    of.two("and", &pairs, V::bitand, u64::bitand);
    of.two("or", &pairs, V::bitor, u64::bitor);
    of.two("xor", &pairs, V::bitxor, u64::bitxor);
    let words = up_to_two_bits(W::BITS);
    of.one("not", &words, V::not, u64::not);
    of.one("twice", &words, V::twice, |a| a << 1);
    let ones = u64::MAX >> (64 - W::BITS);
    for by in 0..W::BITS {
        let shift = V::shift(of.isa, by);
        of.one("shl", &words, |a| a << shift, |a| a << by);
        of.one("shr", &words, |a| a >> shift, |a| (a & ones) >> by);
    }
    let triples = three_operands(W::BITS);
    type Definition = fn([u64; 3]) -> u64;
    type Operation<V> = fn(V, V, V) -> V;
    let choose = |[a, mask, b]: [u64; 3]| a & mask | b & !mask;
    let choose_not = |[a, mask, b]: [u64; 3]| a & mask | !b & !mask;
    let differ = |[a, b, mask]: [u64; 3]| (a ^ b) & mask | !(a & b) & !mask;
    let all: [(&str, Operation<V>, Definition); 3] = [
        ("choose_bits", V::choose_bits, choose),
        ("choose_bits_not", V::choose_bits_not, choose_not),
        ("differ_or_not_both", V::differ_or_not_both, differ),
    ];
    for (name, operation, right) in all {
        of.all(name, &triples, |[a, b, c]| operation(a, b, c), right);
    }
    let other = |[a, mask, b]: [u64; 3]| b & mask | a & !mask;
    let wrong: [(&str, Definition); 3] = [
        ("choose_bits chooses the other", other),
        ("choose_bits joins", |[a, mask, b]| a & mask | b),
        ("choose_bits_not is choose_bits", choose_not),
    ];
    for (name, wrong) in wrong {
        let (right, wrong) = (|of| choose(of) & ones, |of| wrong(of) & ones);
        of.checks.mistake(name, &triples, right, wrong);
    }
    // Whether any bit of two words meets: every bit of one with every bit of the other, and all masks but one bit.
    let conditions: Vec<[u64; 4]> = pairs
        .iter()
        .enumerate()
        .map(|(k, &[condition, bits])| {
            let [a, mask] = without_pattern::<2>(W::BITS, k as u64 % 7 + 1)[k % 7];
            [a, mask, condition, bits]
        })
        .collect();
    of.all(
        "xor_where",
        &conditions,
        |[a, mask, condition, bits]| a.xor_where(mask, condition, bits),
        |[a, mask, condition, bits]| if condition & bits == 0 { a } else { a ^ mask },
    );
}

/// The order of words: minima and comparisons.
fn order<W: Vectors, V: Lanes<W>>(of: &mut Of<'_, W, V>) {
    // Neighbours, in both orders, and any words.
    let both = |bits: u32| -> Vec<[u64; 2]> {
        let mut pairs = neighbours(bits);
        pairs.extend(
            up_to_two_bits(Ord::min(bits, 40))
                .into_iter()
                .map(|word| [word, word]),
        );
        pairs.extend(without_pattern::<2>(bits, 5000));
        pairs.extend(one_bit_each(bits));
        pairs.extend(pairs.clone().iter().map(|&[a, b]| [b, a]));
        pairs
    };
    let pairs = both(W::BITS - 1);
    of.two("min", &pairs, V::min, Ord::min);
    let right = |[a, b]: [u64; 2]| Ord::min(a, b);
    let low = (1u64 << (W::BITS / 2)) - 1;
    type Wrong<'a> = (&'a str, &'a dyn Fn([u64; 2]) -> u64);
    let wrong: [Wrong<'_>; 4] = [
        ("min is the greater", &|[a, b]| a.max(b)),
        ("min compares the lower halves alone", &|[a, b]| {
            if a & low < b & low { a } else { b }
        }),
        ("min compares the upper halves alone", &|[a, b]| {
            if a | low <= b | low { a } else { b }
        }),
        ("min ignores the lowest bit", &|[a, b]| {
            if a | 1 <= b | 1 { a } else { b }
        }),
    ];
    for (name, wrong) in wrong {
        of.checks.mistake(name, &pairs, right, wrong);
    }
    let less = |a, b| u64::from(a < b);
    let less_or_equal = |[a, b]: [u64; 2]| u64::from(a <= b);
    let right = |[a, b]: [u64; 2]| less(a, b);
    of.checks
        .mistake("less is less or equal", &pairs, right, less_or_equal);
    let [one, zero] = [W::ONE, W::ZERO].map(|word| V::splat(of.isa, word));
    of.two("less", &pairs, |a, b| one.select(a.less(b), zero), less);
    let (pairs, equal) = (both(W::BITS), |a, b| u64::from(a == b));
    of.two("equal", &pairs, |a, b| one.select(a.equal(b), zero), equal);
}

/// Conditions: every one of all lanes.
fn conditions<W: Vectors, V: Lanes<W>>(of: &mut Of<'_, W, V>) {
    let (isa, checks) = (of.isa, &mut *of.checks);
    let condition = |mask: u64| {
        let words: [W; 16] = std::array::from_fn(|lane| W::from((mask >> lane & 1) as u8));
        V::load(isa, &words).equal(V::splat(isa, W::ONE))
    };
    let all = 1u64 << V::COUNT;
    let [a, b] = [1, 2].map(|seed| {
        let words: [W; 16] =
            std::array::from_fn(|lane| W::truncate(mixed(seed + 9 * lane as u64).into()));
        words
    });
    for mask in 0..all {
        let is_set = |lane: usize| mask >> lane & 1 == 1;
        let found = V::bits(condition(mask));
        checks.expect(format_args!("bits {mask:x}"), found, mask);
        let found = words(V::load(isa, &a).select(condition(mask), V::load(isa, &b)));
        let chosen = |lane| if is_set(lane) { a[lane] } else { b[lane] };
        let expected = (0..V::COUNT).map(chosen).collect();
        checks.expect(format_args!("select {mask:x}"), found, expected);
        // Each bit of either depends on the same bit of both.
        for other in (0..V::COUNT).map(|lane| 1 << lane).chain([0, all - 1]) {
            let found = V::bits(V::either(condition(mask), condition(other)));
            let name = format_args!("either {mask:x} {other:x}");
            checks.expect(name, found, mask | other);
        }
    }
    checks.operations += 3;
}

/// Products of 16 and of 8 bits. All pairs of factors are compared elsewhere; here it is every lane, and the sums.
fn products<W: Vectors, V: Lanes<W>>(of: &mut Of<'_, W, V>) {
    let edges: [u64; 14] = [
        0, 1, 2, 3, 0x55, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0x8001, 0xaaaa, 0xffff,
    ];
    let mut pairs = without_pattern::<2>(W::BITS, 5000);
    for a in edges {
        for b in edges {
            for up in (0..W::BITS).step_by(16) {
                pairs.push([a << up, b << up]);
                for [c, d] in [[1, 1], [0x8000, 0x7fff], [0xffff, 0xffff], [0x1234, 0xfedc]] {
                    let other = up ^ 16;
                    pairs.push([a << up | c << other, b << up | d << other]);
                }
            }
        }
    }
    pairs.extend(one_bit_each(W::BITS));
    type Two = fn(u64, u64) -> u64;
    let min: Two = |a, b| by_16(a, b, Ord::min);
    let high: Two = |a, b| by_16(a, b, |a, b| (a * b) >> 16);
    let low: Two = |a, b| by_16(a, b, |a, b| a * b);
    of.two("min_of_16", &pairs, V::min_of_16, min);
    of.two("high_product_of_16", &pairs, V::high_product_of_16, high);
    of.two("low_product_of_16", &pairs, V::low_product_of_16, low);
    let sums = "sum_of_products_of_16";
    of.two(sums, &pairs, V::sum_of_products_of_16, sums_of_16);
    // Numbers of half a word; in words of 32 bits there is no room for a sign.
    let halves: Vec<[u64; 2]> = pairs
        .iter()
        .map(|pair| pair.map(|word| word & if W::NARROW { 0x7fff } else { 0xffff_ffff }))
        .collect();
    of.two("product", &halves, V::product, |a, b| a * b);
    let signed_min = |a, b| u32::from(Ord::min(a as i16, b as i16) as u16);
    let signed_high = |a, b| ((i32::from(a as i16) * i32::from(b as i16)) >> 16) as u32;
    let rounded = |a, b| ((u64::from(a) * u64::from(b) + 0x8000) >> 16) as u32;
    let saturated = |a: u32, b: u32| Ord::min(u64::from(a) * u64::from(b), 0xffff) as u32;
    type By16 = fn(u32, u32) -> u32;
    let wrong: [(&str, Two, By16); 4] = [
        ("min_of_16 has a sign", min, signed_min),
        ("high_product_of_16 has a sign", high, signed_high),
        ("high_product_of_16 rounds", high, rounded),
        ("low_product_of_16 is saturated", low, saturated),
    ];
    for (name, right, wrong) in wrong {
        let wrong = |[a, b]: [u64; 2]| by_16(a, b, wrong);
        of.checks.mistake(name, &pairs, |[a, b]| right(a, b), wrong);
    }
    let unsigned: Two = |a, b| {
        (0..2).fold(0, |all, k| {
            let part = |word: u64, up: u32| word >> (32 * k + up) & 0xffff;
            let sum = part(a, 0) * part(b, 0) + part(a, 16) * part(b, 16);
            all | (sum & 0xffff_ffff) << (32 * k)
        })
    };
    let lacking: Two = |a, b| sums_of_16(a & 0x0000_ffff_0000_ffff, b);
    for (name, wrong) in [
        ("sum_of_products_of_16 has no sign", unsigned),
        ("sum_of_products_of_16 lacks a product", lacking),
    ] {
        let right = |[a, b]: [u64; 2]| sums_of_16(a, b);
        of.checks.mistake(name, &pairs, right, |[a, b]| wrong(a, b));
    }
    // The others have no bit that the sum has: as many of those that are left as a mask lets through.
    let triples: Vec<[u64; 3]> = pairs
        .iter()
        .zip(0..)
        .map(|(&[a, b], k)| [a, b, mixed(k) & !sums_of_16(a, b)])
        .collect();
    of.all(
        "sum_of_products_of_16_or",
        &triples,
        |[a, b, others]| a.sum_of_products_of_16_or(b, others),
        |[a, b, others]| sums_of_16(a, b) | others,
    );
    // Sums that are numbers of 16 bits with sign.
    let small: Vec<[u64; 2]> = pairs
        .iter()
        .map(|&[a, b]| [a & 0x7f7f_7f7f_7f7f_7f7f, b])
        .collect();
    let sums_of_8 = |a: u32, b: u32| {
        let product = |up: u32| (a >> up & 0xff) as i32 * i32::from((b >> up) as u8 as i8);
        (product(0) + product(8)) as u32
    };
    let (name, sums) = ("sum_of_products_of_8", |a, b| by_16(a, b, sums_of_8));
    of.two(name, &small, V::sum_of_products_of_8, sums);
}

/// Exchanges of the halves of indices.
fn halves<W: Vectors, V: Lanes<W>>(of: &mut Of<'_, W, V>) {
    let isa = of.isa;
    for pieces in 1..=W::MAX_PIECES as u32 {
        let half = 3 * pieces;
        let low = (1u64 << half) - 1;
        let high = W::truncate((low << half).into());
        let mut words = up_to_two_bits(2 * half);
        words.extend(without_pattern::<1>(2 * half, 200).as_flattened());
        let exchanged = |a| a >> half | (a & low) << half;
        let exchange = |a: V| a.exchange_halves(isa, half, high);
        of.one("exchange_halves", &words, exchange, exchanged);
    }
}

/// Bytes taken from any bits, and bytes translated by a table.
fn bytes<W: Vectors, V: Lanes<W>>(of: &mut Of<'_, W, V>) {
    let isa = of.isa;
    let words = up_to_two_bits(W::BITS);
    for first in 0..=24 {
        // Each byte is taken from every bit.
        let from: [u32; 4] = std::array::from_fn(|k| (first + 7 * k as u32) % 25);
        let taken = |a: u64| {
            (0..8).fold(0, |all, k| {
                let half = a >> (32 * (k / 4)) & 0xffff_ffff;
                all | (half >> from[k % 4] & 0xff) << (8 * k)
            })
        };
        of.one("take_bytes", &words, |a| a.take_bytes(isa, from), taken);
    }
    let every_byte = 0..=255u64;
    let alike = |byte| {
        [
            byte * 0x0101_0101_0101_0101,
            byte << 8 | byte << 48,
            mixed(byte),
        ]
    };
    let mut bytes: Vec<u64> = every_byte.clone().flat_map(alike).collect();
    bytes.extend((0..8).flat_map(|k| every_byte.clone().map(move |byte| byte << (8 * k))));
    for seed in 0..4 {
        let table: [u8; 64] = std::array::from_fn(|k| match seed {
            0 => k as u8,
            _ => mixed(100 * seed + k as u64) as u8,
        });
        let entry = |byte: u8| table[usize::from(byte & 63)];
        let translated = |a: u64| u64::from_le_bytes(a.to_le_bytes().map(entry));
        let translate = |a: V| a.translate_bytes(isa, &table);
        of.one("translate_bytes", &bytes, translate, translated);
    }
}
