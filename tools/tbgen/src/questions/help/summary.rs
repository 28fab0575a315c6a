//! Counts and longest helpmates of a table.

use std::collections::BTreeSet;
use std::io;

use rayon::prelude::*;
use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, LikeMen};
use tbindex::{Color, Position};

use crate::table::code_sets::CodeSets;
use crate::table::shape::Slot;
use crate::table::solved::Table;
use crate::table::value::Value;

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
            let mut sets = Default::default();
            of_part.positions_by(side, None, &[&passes], &mut sets)?;
            if let Some(at) = sets.planes()[0].slots().next() {
                let position = table.shape.position(Slot { side, part, at });
                return Ok(position);
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
            let mut dead = Bitbase::legal(&parts[0].domain, side, Backend::detect())?;
            // A placement of pawns that is its own mirror image has every position twice.
            let count = |set: &Bitbase| times * set.count_classes(LikeMen::Together) * 2 / divisor;
            let legal = count(&dead);
            for part in parts {
                let mut sets = CodeSets::default();
                part.positions_by(side, None, &[|value| value != Value::DRAW], &mut sets)?;
                dead.subtract(&sets.planes()[0], Backend::detect());
            }
            *counts = [legal, count(&dead)];
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
