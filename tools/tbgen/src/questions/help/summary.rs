//! Counts and longest helpmates of a table.

use std::collections::BTreeSet;
use std::io;

use rayon::prelude::*;
use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, LikeMen};
use tbindex::{Color, Position};

use crate::subtables::seen::legal_in;
use crate::table::code_sets::CodeSets;
use crate::table::slices::{among, chosen};
use crate::table::slots::Slot;
use crate::table::solved::Table;
use crate::table::value::Value;

/// The slices whose sets are in memory at the same time.
const AT_ONCE: usize = 16;

/// The longest helpmate of a table, and a position that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Longest {
    /// The plies to the checkmate.
    pub plies: u16,
    /// The first position that has it.
    pub position: Position,
}

/// The longest helpmates of a table: of all, and of those with one solution.
///
/// # Errors
/// If there is no memory, or the table's file is damaged.
pub fn longest(table: &Table) -> io::Result<[Option<Longest>; 2]> {
    let mut longest = [None; 2];
    for (out, unique) in longest.iter_mut().zip([false, true]) {
        let passes = |value: &Value| *value != Value::DRAW && (!unique || value.is_unique());
        let both = Color::ALL.into_iter().flat_map(|side| table.values(side));
        let plies: BTreeSet<u16> = both.filter(passes).map(|value| value.plies).collect();
        for plies in plies.into_iter().rev() {
            let found = first(table, |value| passes(&value) && value.plies == plies)?;
            if let Some(position) = found {
                *out = Some(Longest { plies, position });
                break;
            }
        }
    }
    Ok(longest)
}

/// The first position whose value passes a test.
fn first(table: &Table, passes: impl Fn(Value) -> bool + Sync) -> io::Result<Option<Position>> {
    for (part, of_part) in table.parts.iter().enumerate() {
        for side in Color::ALL {
            let values = &of_part.sides[side as usize].values;
            if !values.iter().any(|&value| passes(value)) {
                continue;
            }
            let all: Vec<usize> = (0..of_part.domain.slices()).collect();
            for slices in all.chunks(AT_ONCE) {
                let wanted = chosen(&of_part.domain, slices);
                let some = (all.len() > 1).then_some(&wanted[..]);
                let mut sets = CodeSets::for_slices(some);
                of_part.positions_by(side, some, &[&passes], &mut sets)?;
                if let Some(at) = sets.planes()[0].slots().next() {
                    return Ok(table.shape.position(Slot { side, part, at }));
                }
            }
        }
    }
    Ok(None)
}

/// How many positions of a material are legal, and how many of these are dead, with each side to move: up to symmetry and
/// the exchange of like pieces. The tables are those of both victims.
///
/// # Errors
/// If there is no memory, or a table's file is damaged.
pub fn dead(tables: [&Table; 2]) -> io::Result<[[u64; 2]; 2]> {
    let shape = &tables[0].shape;
    let of_part = |number: usize| -> io::Result<[[u64; 2]; 2]> {
        let parts = tables.map(|table| &table.parts[number]);
        let (times, divisor) = shape.pawn_weight(number, false);
        let mut counts = [[0; 2]; 2];
        for (side, counts) in Color::ALL.into_iter().zip(&mut counts) {
            // A placement of pawns that is its own mirror image has every position twice.
            let count = |set: &Bitbase| times * set.count_classes(LikeMen::Together) * 2 / divisor;
            let domain = &parts[0].domain;
            let all: Vec<usize> = (0..domain.slices()).collect();
            for slices in all.chunks(AT_ONCE) {
                let wanted = chosen(domain, slices);
                let some = (all.len() > 1).then_some(&wanted[..]);
                let dead = legal_in(domain, side, Backend::detect(), some);
                let mut dead = dead.map_err(io::Error::other)?;
                counts[0] += count(&dead);
                for part in parts {
                    let mut sets = CodeSets::for_slices(some);
                    part.positions_by(side, some, &[|value| value != Value::DRAW], &mut sets)?;
                    let mated = &sets.planes()[0];
                    among(dead.slices_mut(), some).for_each(|(slice, rows)| {
                        for (row, mated) in rows.iter_mut().zip(mated.slice(slice)) {
                            *row &= !*mated;
                        }
                    });
                }
                counts[1] += count(&dead);
            }
        }
        Ok(counts)
    };
    let add = |a: [[u64; 2]; 2], b: [[u64; 2]; 2]| {
        Ok([0, 1].map(|side| [0, 1].map(|k| a[side][k] + b[side][k])))
    };
    let parts = 0..shape.parts();
    let counts = match shape.any_domain().slices() {
        1 => parts
            .into_par_iter()
            .map(of_part)
            .try_reduce(Default::default, add)?,
        // The sets are large.
        _ => parts
            .map(of_part)
            .try_fold(Default::default(), |all, of_part| add(all, of_part?))?,
    };
    Ok(counts.map(|counts| counts.map(|count| count / 2)))
}
