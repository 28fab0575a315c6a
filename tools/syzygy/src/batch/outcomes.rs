//! The outcomes of many positions of a material: what files have, and captures, which are batches of smaller materials.

use super::children::Children;
use super::endgame::Endgame;
use super::failures::FAILED;
use super::moves::Position;
use super::numbers::{MOST_TOGETHER, Numbers, Parts};
use super::placed::Placed;
use super::sources::Sources;
use crate::kind::Kind;
use crate::value::Wdl;

/// In an outcome: a capture has it.
pub(super) const BY_CAPTURE: u16 = 8;
/// In a number of a WDL file: it is the true outcome.
const KNOWN: u16 = 16;
const VALUE: u16 = 7;

const LOST: u16 = Wdl::Loss.number() as u16;
const DRAWN: u16 = Wdl::Draw.number() as u16;
const WON: u16 = Wdl::Win.number() as u16;

/// The outcome in a number that is none of [`FAILED`].
pub(super) fn outcome(number: u16) -> Wdl {
    Wdl::ALL[usize::from((number & VALUE).min(WON))]
}

/// What has to be known of an outcome.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// The outcome.
    Outcome,
    /// The outcome, and with [`BY_CAPTURE`] whether a capture has it.
    Capture,
    /// The outcome if it is a loss, or any that is none.
    Loss,
}

impl Need {
    /// Whether a lower bound is enough.
    fn is_met_by(self, bound: u16) -> bool {
        match self {
            Need::Outcome => bound == WON,
            Need::Capture => false,
            Need::Loss => bound >= DRAWN,
        }
    }
}

impl Sources<'_> {
    /// Calls a function with the position before each move and the outcome after it.
    pub(super) fn outcomes_of_children(
        &self,
        endgame: &Endgame,
        children: &Children,
        need: Need,
        mut each: impl FnMut(usize, u16),
    ) {
        for &parent in children.drawn() {
            each(parent as usize, DRAWN);
        }
        for (material, rows, parents) in children.of(endgame) {
            let child = self.endgames.get(material);
            for (rows, parents) in rows
                .chunks(MOST_TOGETHER)
                .zip(parents.chunks(MOST_TOGETHER))
            {
                let outcomes = self.outcomes(&child, rows, need);
                for (&parent, outcome) in parents.iter().zip(outcomes) {
                    each(parent as usize, outcome);
                }
            }
        }
    }

    /// The outcomes of up to [`MOST_TOGETHER`] positions, as [`outcome`] reads them.
    pub(super) fn outcomes(&self, endgame: &Endgame, rows: &[Placed], need: Need) -> Vec<u16> {
        let mut numbers = match self.tables.file(endgame.material, Kind::Wdl) {
            Ok(file) => {
                let parts = Parts::new(file, endgame);
                Numbers::look_up(&parts, rows, &self.cache, &self.failures)
            }
            Err(error) => Numbers::failed(rows.len(), self.failures.number(error)),
        };
        let mut children = Children::new(endgame);
        let mut searched = Vec::new();
        for (row, (&placed, number)) in rows.iter().zip(&mut numbers.all).enumerate() {
            let passing = placed.en_passant().is_some();
            let known = *number & KNOWN != 0 || need.is_met_by(*number & VALUE);
            if !passing && known && *number & FAILED == 0 {
                continue;
            }
            searched.push(row as u32);
            let position = Position::new(endgame, placed);
            position.captures(|child, placed| children.push(child, placed, row));
            if passing {
                let mut any = false;
                position.captures_en_passant(|child, placed| {
                    children.push(child, placed, row);
                    any = true;
                });
                // The file doesn't know of the only moves.
                if any && !position.can_move() {
                    *number = LOST;
                }
            }
        }
        // One more than the best outcome of a capture.
        let mut best = vec![0u16; rows.len()];
        let mut failed = Vec::new();
        self.outcomes_of_children(endgame, &children, Need::Outcome, |parent, after| {
            if after & FAILED != 0 {
                failed.push((parent, after));
            } else {
                best[parent] = best[parent].max(WON + 1 - (after & VALUE));
            }
        });
        for &row in &searched {
            let (number, best) = (&mut numbers.all[row as usize], best[row as usize]);
            if best == WON + 1 || *number & FAILED == 0 && best > *number & VALUE {
                *number = (best - 1) | BY_CAPTURE;
            }
        }
        for (row, failure) in failed {
            let number = &mut numbers.all[row];
            if *number != WON | BY_CAPTURE && *number & FAILED == 0 {
                *number = failure;
            }
        }
        for row in searched {
            let number = numbers.all[row as usize];
            if number & FAILED == 0 && rows[row as usize].en_passant().is_none() {
                numbers.remember(row as usize, (number | KNOWN) as u8);
            }
        }
        numbers.all
    }
}
