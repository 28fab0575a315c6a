//! Distances that moves out of a part bring in.
//!
//! By the distance to mate, a move out of a part leads to a position with a distance of its own. Before the plies
//! of a part are gone through, each position gets the code of the best that such moves do for it: for the winner
//! the shortest win, for the loser the longest loss. In the ply of that distance it is *due*: the win is there, or
//! the loser has nothing left out there that holds longer.

use tbindex::bitbase::Row;

use crate::planes::{Codes, MOST_CODES, Planes, Slab, for_each_code};
use crate::table::Side;
use crate::value::{Outcome, Value};

/// For each slab of a slice the codes that are due in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Due(Vec<CodeSet>);

/// A bit for each code.
type CodeSet = [u64; MOST_CODES / 64];

fn holds(codes: &CodeSet, code: u16) -> bool {
    codes[usize::from(code >> 6)] >> (code & 63) & 1 != 0
}

impl Due {
    /// Whether a code is due anywhere.
    pub(crate) fn has(&self, code: u16) -> bool {
        self.0.iter().any(|codes| holds(codes, code))
    }

    /// The slabs in which a code is due, with their positions.
    pub(crate) fn slabs(&self, code: u16, planes: &Planes) -> Vec<(usize, Slab)> {
        let wanted = Codes::from(code);
        let slabs = self
            .0
            .iter()
            .enumerate()
            .filter(|(_, codes)| holds(codes, code));
        slabs
            .map(|(slab, _)| (slab, planes.slab_with(slab, &wanted)))
            .collect()
    }

    /// The slabs in which anything is due.
    pub(crate) fn all(&self) -> impl Iterator<Item = usize> + '_ {
        let slabs = self.0.iter().enumerate();
        slabs
            .filter(|(_, codes)| **codes != [0; MOST_CODES / 64])
            .map(|(slab, _)| slab)
    }

    /// Notes the codes of wins or of losses that positions of a slice have, `shut` ones left out.
    pub(crate) fn note(
        planes: &Planes,
        slabs: usize,
        values: &[Value],
        wins: bool,
        shut: &[Row],
    ) -> Due {
        let mut due = vec![[0; MOST_CODES / 64]; slabs];
        for (slab, due) in due.iter_mut().enumerate() {
            for_each_code(&planes.slab(slab), &mut |code, these| {
                let value = values[usize::from(code)];
                let open = (0..8).any(|r| !(these[r] & !shut[slab * 8 + r]).is_empty());
                if value.outcome != Outcome::Draw && (value.outcome > Outcome::Draw) == wins && open
                {
                    due[usize::from(code >> 6)] |= 1 << (code & 63);
                }
            });
        }
        Due(due)
    }
}

/// Values that positions of a slice may get.
pub(crate) struct Improvement {
    /// The code.
    pub(crate) code: u16,
    /// For each code whether a position keeps it.
    keep: Codes,
}

impl Improvement {
    /// The improvement by a value: the winner keeps what wins as fast, the loser what loses as late, and both keep
    /// what is decided the other way.
    pub(crate) fn new(side: &mut Side, value: Value) -> Option<Improvement> {
        let code = side.code_of(value)?;
        let wins = value.outcome > Outcome::Draw;
        let keep = Codes::of(&side.values, |there| {
            let same = (there.outcome > Outcome::Draw) == wins;
            let as_good = if wins {
                there.plies <= value.plies
            } else {
                there.plies >= value.plies
            };
            !same || as_good
        });
        Some(Improvement { code, keep })
    }

    /// Gives positions of a slab the value, if they have no better one and are not `shut`.
    pub(crate) fn apply(&self, planes: &mut Planes, slab: usize, these: &Slab, shut: &[Row]) {
        let rows = shut.len();
        let count = planes.count();
        let mut new = [Row::EMPTY; 8];
        let mut any = false;
        for (r, new) in new.iter_mut().enumerate() {
            let open = these[r] & !shut[slab * 8 + r];
            if open.is_empty() {
                continue;
            }
            *new = open & !self.keep.among(&planes.rows_at(slab * 8 + r)[..count]);
            any |= !new.is_empty();
        }
        if any {
            planes.replace(slab, &new, rows, self.code);
        }
    }
}

impl Side {
    /// The code of a value, a new one if it has none yet, or `None` if there are no more.
    pub(crate) fn code_of(&mut self, value: Value) -> Option<u16> {
        let values = std::sync::Arc::make_mut(&mut self.values);
        let code = values.iter().position(|&there| there == value);
        let code = code.unwrap_or(values.len());
        if code == values.len() {
            values.push(value);
        }
        u16::try_from(code)
            .ok()
            .filter(|&code| usize::from(code) < MOST_CODES)
    }
}

/// The other side's values that a move out of a part is good for: its losses for the winner, its wins for the
/// loser.
pub(crate) fn wanted(value: Value, mover_wins: bool) -> bool {
    match value.outcome {
        Outcome::Draw => false,
        outcome => (outcome < Outcome::Draw) == mover_wins,
    }
}
