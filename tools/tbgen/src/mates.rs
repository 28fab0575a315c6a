//! Bit planes of codes that say the distance to mate.
//!
//! Moves to positions change their distances by one, and of several moves the best counts. Halves, as [`codes`] has them,
//! are compared and added to for all positions of a row at once, bit by bit.
//!
//! [`codes`]: crate::codes

use tbindex::bitbase::{Bitbase, Row};

use crate::codes::{BITS, code_of_mate, say_mates};
use crate::library::SolveError;
use crate::planes::{Slab, for_each_code};
use crate::value::Value;

/// Codes that say the distance to mate, in place of those of these values, of which `sets` are the planes.
///
/// The result is `None` if a value has no code.
///
/// # Errors
/// If there is no memory.
pub(crate) fn to_mates(
    sets: &mut Vec<Bitbase>,
    values: &[Value],
) -> Result<Option<()>, SolveError> {
    let codes = values.iter().map(|&value| code_of_mate(value));
    let Some(codes) = codes.collect::<Option<Vec<u16>>>() else {
        return Ok(None);
    };
    let Some(first) = sets.first().filter(|_| !say_mates(values)) else {
        return Ok(Some(()));
    };
    let domain = first.domain().clone();
    let most = codes.iter().max().copied().unwrap_or(0);
    let count = sets.len();
    while most >> sets.len() != 0 {
        sets.push(Bitbase::new(&domain)?);
    }
    for_each_slab(sets, |planes| {
        let mut out = [[Row::EMPTY; 8]; BITS];
        for_each_code(&planes[..count], &[Row::FULL; 8], |code, these| {
            let code = codes.get(usize::from(code)).copied().unwrap_or(0);
            for (_, out) in (out.iter_mut().enumerate()).filter(|(bit, _)| code >> bit & 1 != 0) {
                for (out, these) in out.iter_mut().zip(these) {
                    *out |= *these;
                }
            }
        });
        *planes = out;
    });
    Ok(Some(()))
}

/// The codes that moves to positions with these codes have, in place of them.
///
/// The result is `None` if a distance is too long.
///
/// # Errors
/// If there is no memory.
pub(crate) fn to_moves(sets: &mut Vec<Bitbase>) -> Result<Option<()>, SolveError> {
    let Some(first) = sets.first() else {
        return Ok(Some(()));
    };
    // The next half may have a bit more.
    let more = Bitbase::new(first.domain())?;
    sets.push(more);
    let mut too_long = false;
    let count = sets.len();
    for_each_slab(sets, |planes| {
        for r in 0..8 {
            let won = planes[0][r];
            let (mut carry, mut any) = (won, Row::EMPTY);
            for plane in &mut planes[1..count.min(BITS)] {
                let half = plane[r];
                any |= half;
                plane[r] = (half & !carry) | (!half & carry);
                carry = half & carry;
            }
            too_long |= !carry.is_empty();
            planes[0][r] = any & !won;
        }
    });
    sets.pop_if(|set| set.is_empty());
    Ok((!too_long).then_some(()))
}

/// Lets the planes of sets be changed slab by slab, where any has positions.
fn for_each_slab(sets: &mut [Bitbase], mut change: impl FnMut(&mut [Slab; BITS])) {
    let mut rows: Vec<&mut [Row]> = sets.iter_mut().map(Bitbase::rows_mut).collect();
    for at in (0..rows[0].len()).step_by(8) {
        let mut planes = [[Row::EMPTY; 8]; BITS];
        let mut any = false;
        for (plane, rows) in planes.iter_mut().zip(&rows) {
            plane.copy_from_slice(&rows[at..at + 8]);
            any |= plane.iter().any(|row| !row.is_empty());
        }
        if !any {
            continue;
        }
        change(&mut planes);
        for (plane, rows) in planes.iter().zip(&mut rows) {
            rows[at..at + 8].copy_from_slice(plane);
        }
    }
}

/// The positions of a row for which these codes are better than those that they have, `there`: any value is better than
/// none, a win than a loss, a faster win than a slower one, and a slower loss than a faster one.
#[inline(always)]
pub(crate) fn improved(codes: &[Row], there: &[Row]) -> Row {
    let row = |rows: &[Row], bit: usize| rows.get(bit).copied().unwrap_or(Row::EMPTY);
    let (mut any, mut had) = (Row::EMPTY, Row::EMPTY);
    let (mut more, mut less) = (Row::EMPTY, Row::EMPTY);
    for bit in (1..codes.len().max(there.len())).rev() {
        let (new, old) = (row(codes, bit), row(there, bit));
        any |= new;
        had |= old;
        let same = !(more | less);
        more |= same & new & !old;
        less |= same & !new & old;
    }
    let (wins, won) = (row(codes, 0), row(there, 0));
    let better = (wins & (less | !won)) | (more & !wins & !won);
    any & (!had | better)
}

#[cfg(test)]
mod tests {
    use tbindex::bitbase::Domain;

    use super::*;
    use crate::codes::mate_of_code;
    use crate::value::Metric;

    /// All pairs of codes, one position after the other, against the preferences of values.
    #[test]
    fn rows_of_codes_are_compared_as_values_are() {
        let codes: Vec<u16> = [0].into_iter().chain(2..60).collect();
        let there = |code: u16| mate_of_code(code);
        for &new in &codes {
            let (mut halves, mut rows) = ([Row::EMPTY; 7], [Row::EMPTY; 6]);
            for (at, &old) in codes.iter().enumerate() {
                let put = |rows: &mut [Row], code: u16| {
                    for (bit, row) in rows.iter_mut().enumerate() {
                        row.0[at / 64] |= u64::from(code >> bit & 1) << (at % 64);
                    }
                };
                put(&mut halves, new);
                put(&mut rows, old);
            }
            let improved = improved(&halves, &rows);
            for (at, &old) in codes.iter().enumerate() {
                let (new, old) = (there(new), there(old));
                let better = old == Value::DRAW || new.preference() > old.preference();
                let found = improved.0[at / 64] >> (at % 64) & 1 != 0;
                assert_eq!(found, new != Value::DRAW && better, "{old} and then {new}");
            }
        }
    }

    /// Codes that say their values and codes in order of finding lead to what the values lead to.
    #[test]
    fn planes_change_as_their_values_do() {
        let domain = Domain::try_new("KQvK".parse().unwrap()).unwrap();
        let count = 60u16;
        let own: Vec<Value> = (0..count).map(mate_of_code).collect();
        let mut other: Vec<Value> = own[1..].to_vec();
        other.reverse();
        other.insert(0, Value::DRAW);
        let code_at = |sets: &[Bitbase], at: usize| {
            let bits = sets.iter().enumerate();
            bits.fold(0, |code, (bit, set)| {
                code | (set.rows()[at].0[at % 8] >> at & 1) << bit
            })
        };
        for values in [own, other] {
            let mut sets: Vec<Bitbase> = (0..6).map(|_| Bitbase::new(&domain).unwrap()).collect();
            for at in 0..values.len() {
                for (bit, set) in sets.iter_mut().enumerate() {
                    set.rows_mut()[at].0[at % 8] = (at as u64 >> bit & 1) << at;
                }
            }
            let bits = |values: &[Value]| -> u64 {
                let codes = values.iter().map(|&value| code_of_mate(value).unwrap());
                codes.map(|code| u64::from(code.count_ones())).sum()
            };
            let all = |sets: &[Bitbase]| -> u64 {
                let rows = sets.iter().flat_map(Bitbase::rows);
                rows.map(|row| u64::from(row.len())).sum()
            };
            to_mates(&mut sets, &values).unwrap().unwrap();
            for (at, &value) in values.iter().enumerate() {
                // Code 1 means a draw here, as no position has it.
                let code = code_at(&sets, at) as u16;
                assert_eq!(mate_of_code(code), value);
            }
            to_moves(&mut sets).unwrap().unwrap();
            let after = values
                .iter()
                .map(|&value| Metric::Dtm.after_move(value, true));
            let after: Vec<Value> = after.collect();
            for (at, &after) in after
                .iter()
                .enumerate()
                .filter(|(at, _)| values[*at] != Value::DRAW)
            {
                assert_eq!(code_at(&sets, at), u64::from(code_of_mate(after).unwrap()));
            }
            // Code 1 of the first values has become 2.
            let odd = u64::from(values[1] == Value::DRAW);
            assert_eq!(all(&sets), bits(&after) + odd);
        }
    }

    #[test]
    fn distances_that_codes_cannot_say_are_refused() {
        let domain = Domain::try_new("KQvK".parse().unwrap()).unwrap();
        let longest = [Value::DRAW, Metric::Dtm.win(2045)];
        let mut sets = vec![Bitbase::new(&domain).unwrap()];
        sets[0].rows_mut()[0].0[0] = 1;
        assert!(to_mates(&mut sets, &longest).unwrap().is_some());
        assert!(to_moves(&mut sets).unwrap().is_none());
        let longer = [Value::DRAW, Metric::Dtm.win(2047)];
        assert!(to_mates(&mut sets, &longer).unwrap().is_none());
    }
}
