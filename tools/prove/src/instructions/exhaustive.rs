//! All operands of operations on numbers of 16 bits, and all neighbours among words of 32 bits.
//!
//! Everything here is inlined into functions that are compiled for the instructions.

use tbindex::proofs::Lanes;

/// The error that an operation is wrong for these operands, or for the first and one that follows the second.
fn differs(name: &str, first: u16, second: u16) -> String {
    format!("{name} of {first:x} and {second:x} or some of the next")
}

/// The numbers of 16 bits in 64 bytes.
const NUMBERS: usize = 32;

/// Compares an operation on all pairs of numbers of 16 bits with its definition, which returns whether a pair counts,
/// and its result.
#[inline(always)]
pub(super) fn all_of_16<V: Lanes<u32>>(
    isa: V::Isa,
    name: &str,
    operation: impl Fn(V, V) -> V,
    definition: impl Fn(u16, u16) -> (bool, u16),
) -> Result<(), String> {
    let vector = |numbers: &[u16]| V::load(isa, bytemuck::cast_slice(numbers));
    let second: Vec<u16> = (0..=u16::MAX).collect();
    for first in 0..=u16::MAX {
        let a = vector(&[first; NUMBERS]);
        for second in second.chunks_exact(2 * V::COUNT) {
            let b = vector(second);
            let mut words = [0; 16];
            operation(a, b).store(&mut words);
            let found: &[u16] = bytemuck::cast_slice(&words);
            let mut differ = false;
            for (&second, &found) in second.iter().zip(found) {
                let (counts, expected) = definition(first, second);
                differ |= counts & (found != expected);
            }
            if differ {
                return Err(differs(name, first, second[0]));
            }
        }
    }
    Ok(())
}

/// Compares the sum of two products of 16 bits with sign with its definition. One pair of factors takes all values; the
/// other pair is `others`.
#[inline(always)]
pub(super) fn all_sums_of_16<V: Lanes<u32>>(
    isa: V::Isa,
    is_upper: bool,
    others: [i16; 2],
) -> Result<(), String> {
    let up = if is_upper { 16 } else { 0 };
    let beside = |number: i16| u32::from(number as u16) << (16 - up);
    let rest = i32::from(others[0]) * i32::from(others[1]);
    for first in 0..=u16::MAX {
        let a = V::splat(isa, u32::from(first) << up | beside(others[0]));
        for second in (0..=u16::MAX).step_by(V::COUNT) {
            let mut words = [0u32; 16];
            for (word, k) in words[..V::COUNT].iter_mut().zip(0..) {
                *word = u32::from(second + k) << up | beside(others[1]);
            }
            let mut found = [0u32; 16];
            a.sum_of_products_of_16(V::load(isa, &words))
                .store(&mut found);
            let mut differ = false;
            for (&found, k) in found[..V::COUNT].iter().zip(0..) {
                let product = i32::from(first as i16) * i32::from((second + k) as i16);
                differ |= found as i32 != product.wrapping_add(rest);
            }
            if differ {
                return Err(differs("sum_of_products_of_16", first, second));
            }
        }
    }
    Ok(())
}

/// Checks that each word below 2³⁰ is less than the next.
#[inline(always)]
pub(super) fn all_neighbours<V: Lanes<u32>>(isa: V::Isa) -> Result<(), String> {
    for first in (0..1u32 << 30).step_by(V::COUNT) {
        let (mut words, mut next) = ([0u32; 16], [0u32; 16]);
        for k in 0..V::COUNT {
            words[k] = first + k as u32;
            next[k] = first + k as u32 + 1;
        }
        let (a, b) = (V::load(isa, &words), V::load(isa, &next));
        let all = (1u64 << V::COUNT) - 1;
        let right = V::bits(a.min(b).equal(a)) == all
            && V::bits(b.min(a).equal(a)) == all
            && V::bits(a.less(b)) == all
            && V::bits(b.less(a)) == 0
            && V::bits(a.less(a)) == 0
            && V::bits(a.equal(b)) == 0;
        if !right {
            return Err(format!(
                "min, less or equal of {first:x} and some of the next"
            ));
        }
    }
    Ok(())
}
