//! The outcomes of many positions of a material: what files have, and captures, which are batches of smaller materials.

use super::children::Children;
use super::endgame::Endgame;
use super::failures::FAILED;
use super::moves::Position;
use super::numbers::{MOST_TOGETHER, Numbers};
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
pub(super) const DRAWN: u16 = Wdl::Draw.number() as u16;
const WON: u16 = Wdl::Win.number() as u16;

/// The outcome in a number that is none of [`FAILED`].
pub(super) fn outcome(number: u16) -> Wdl {
    Wdl::ALL[usize::from((number & VALUE).min(WON))]
}

/// The precision to which an outcome has to be known. A lower bound of this number or more is enough.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub(super) enum Need {
    /// The outcome if it is a loss, or any that is none.
    Loss = DRAWN,
    /// The outcome.
    Outcome = WON,
    /// The outcome, and with [`BY_CAPTURE`] whether a capture has it.
    Capture = WON + 1,
}

/// The best of some captures, so that a greater number is better: none, then 1 more than an outcome, then a failure, then
/// a win, which no failure can change.
const NO_CAPTURE: u16 = 0;
const WINS: u16 = u16::MAX;

/// The place of a capture among the best, by the outcome after it.
const fn worth(after: u16) -> u16 {
    match after & VALUE {
        _ if after & FAILED != 0 => after,
        LOST => WINS,
        value => WON + 1 - value,
    }
}

impl Sources<'_> {
    /// Calls a function with the position before each move and the outcome after it.
    pub(super) fn outcomes_of_children(
        self,
        endgame: &Endgame,
        children: &Children,
        each: impl FnMut(usize, u16),
    ) {
        let look_up = |child: &Endgame, rows: &[Placed]| self.outcomes(child, rows, Need::Outcome);
        let endgames = (endgame, &self.tables.endgames);
        children.for_each(endgames, MOST_TOGETHER, DRAWN, look_up, each);
    }

    /// The outcomes of up to [`MOST_TOGETHER`] positions, as [`outcome`] reads them.
    pub(super) fn outcomes(self, endgame: &Endgame, rows: &[Placed], need: Need) -> Vec<u16> {
        let mut numbers = match self.tables.file(endgame.material(), Kind::Wdl) {
            Ok(file) => self.numbers(file, endgame, rows),
            Err(error) => Numbers::undecoded(vec![self.or_failed(Err(error)); rows.len()]),
        };
        let mut children = Children::default();
        let mut searched = Vec::new();
        for (row, (&placed, number)) in rows.iter().zip(&mut numbers.all).enumerate() {
            let passing = placed.en_passant().is_some();
            let known = *number & KNOWN != 0 || *number & VALUE >= need as u16;
            if !passing && known && *number & FAILED == 0 {
                continue;
            }
            let position = Position::new(endgame, placed);
            let mut capture = |child, placed| children.push(child, placed, searched.len());
            position.captures(&mut capture);
            if passing {
                let mut any = false;
                position.captures_en_passant(|child, placed| {
                    capture(child, placed);
                    any = true;
                });
                // The file doesn't know of the only moves.
                if any && !position.can_move() {
                    *number = LOST;
                }
            }
            searched.push(row as u32);
        }
        let mut best = vec![NO_CAPTURE; searched.len()];
        self.outcomes_of_children(endgame, &children, |parent, after| {
            best[parent] = best[parent].max(worth(after));
        });
        for (row, best) in searched.into_iter().zip(best) {
            let number = &mut numbers.all[row as usize];
            let failed = *number & FAILED != 0;
            match best {
                WINS => *number = WON | BY_CAPTURE,
                _ if failed => {}
                _ if best & FAILED != 0 => *number = best,
                _ if best > *number & VALUE => *number = (best - 1) | BY_CAPTURE,
                _ => {}
            }
            let number = *number;
            if !failed && number & FAILED == 0 && rows[row as usize].en_passant().is_none() {
                numbers.remember(row as usize, (number | KNOWN) as u8);
            }
        }
        numbers.all
    }
}
