//! The distances of many positions of a material: what files have, and the moves of the side that they don't have.

use super::children::Children;
use super::endgame::Endgame;
use super::failures::{FAILED, Failure};
use super::moves::Position;
use super::numbers::MOST_TOGETHER;
use super::outcomes::{BY_CAPTURE, DRAWN, Need, outcome};
use super::placed::Placed;
use super::sources::Sources;
use crate::error::Error;
use crate::file::TableFile;
use crate::kind::Kind;
use crate::value::Wdl;

/// No position has as many moves that are neither captures nor pawn moves.
const MOST_MOVES: usize = 256;

/// A distance that is not known better than to be between two, or with [`FAILED`] in `least` the number of a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Between {
    pub(super) least: u16,
    pub(super) most: u16,
}

impl Between {
    /// That of a draw, and of a position about which nothing is known yet.
    const NONE: Between = Between::exactly(0);

    const fn exactly(plies: u16) -> Between {
        Between {
            least: plies,
            most: plies,
        }
    }

    pub(super) const fn failed(failure: Failure) -> Between {
        Between::exactly(failure.0)
    }

    /// That of a position of this outcome from which a capture or pawn move keeps it.
    const fn before_zeroing(value: Wdl) -> Between {
        match value {
            Wdl::CursedWin | Wdl::BlessedLoss => Between::exactly(101),
            _ => Between::exactly(1),
        }
    }

    pub(super) fn failure(self) -> Option<Failure> {
        (self.least & FAILED != 0).then_some(Failure(self.least))
    }

    /// The distance before a quiet move.
    fn before(self) -> Between {
        match self.failure() {
            Some(_) => self,
            None => Between {
                least: self.least + 1,
                most: self.most + 1,
            },
        }
    }

    /// The better of two: the shorter one for the winner, and the longer one for the loser.
    fn better(self, other: Between, won: bool) -> Between {
        match won {
            _ if self == Between::NONE || other.failure().is_some() => other,
            _ if self.failure().is_some() => self,
            true => Between {
                least: self.least.min(other.least),
                most: self.most.min(other.most),
            },
            false => Between {
                least: self.least.max(other.least),
                most: self.most.max(other.most),
            },
        }
    }
}

/// Positions of which the outcomes are known, and the distances that were found.
struct Distances<'a> {
    sources: Sources<'a>,
    endgame: &'a Endgame,
    rows: &'a [Placed],
    outcomes: &'a [u16],
    found: Vec<Between>,
}

impl Sources<'_> {
    /// The distances of up to [`MOST_TOGETHER`] positions of which the outcomes are known, and whether captures have them.
    pub(super) fn distances(
        self,
        endgame: &Endgame,
        rows: &[Placed],
        outcomes: &[u16],
    ) -> Vec<Between> {
        let mut distances = Distances {
            sources: self,
            endgame,
            rows,
            outcomes,
            found: vec![Between::NONE; rows.len()],
        };
        let wanted = distances.by_captures_and_pawns();
        if wanted.is_empty() {
            return distances.found;
        }
        let open = distances.by_file(wanted);
        distances.add_quiet_moves(&open);
        let by_zeroing = |&row: &usize| match (distances.value(row), distances.found[row]) {
            // By a capture or pawn move it takes one ply.
            (Wdl::Loss, _) => false,
            // So does a win, and it is known. But a cursed win may lead to one of more than 100 plies, if distances are rounded.
            (Wdl::Win, found) => found == Between::NONE || found.most > 101,
            _ => true,
        };
        let zeroing: Vec<usize> = open.iter().copied().filter(by_zeroing).collect();
        distances.add_zeroing_moves(&zeroing);
        for row in open {
            // Without a quiet move the side is checkmated, or every move is as good.
            if distances.found[row] == Between::NONE {
                distances.found[row] = Between::before_zeroing(distances.value(row));
            }
        }
        distances.found
    }
}

impl Distances<'_> {
    fn value(&self, row: usize) -> Wdl {
        outcome(self.outcomes[row])
    }

    /// Whether a move to a position of this outcome doesn't give away the win, or can't avoid the loss.
    fn keeps(&self, row: usize, after: u16) -> bool {
        let after = outcome(after);
        after != Wdl::Draw && (self.value(row) > Wdl::Draw) == (after < Wdl::Draw)
    }

    /// Takes what a move brings into the distance of a position.
    fn add(&mut self, row: usize, distance: Between) {
        let won = self.value(row) > Wdl::Draw;
        self.found[row] = self.found[row].better(distance, won);
    }

    /// Finds the distances of wins that a capture or pawn move keeps; the result is the positions that need a file.
    fn by_captures_and_pawns(&mut self) -> Vec<usize> {
        let (mut pushing, mut wanted) = (Vec::new(), Vec::new());
        for (row, (&placed, &number)) in self.rows.iter().zip(self.outcomes).enumerate() {
            let value = outcome(number);
            if number & FAILED != 0 {
                self.found[row] = Between::failed(Failure(number));
            } else if value > Wdl::Draw && number & BY_CAPTURE != 0 {
                self.found[row] = Between::before_zeroing(value);
            } else if value > Wdl::Draw && self.endgame.has_pawns(placed.side()) {
                pushing.push(row);
            } else if value != Wdl::Draw {
                wanted.push(row);
            }
        }
        let mut children = Children::default();
        for &row in &pushing {
            let position = Position::new(self.endgame, self.rows[row]);
            push_pawn_moves(&mut children, &position, row);
        }
        let sources = self.sources;
        sources.outcomes_of_children(self.endgame, &children, |row, after| {
            let (value, found) = (outcome(self.outcomes[row]), &mut self.found[row]);
            if after & FAILED == 0 && -outcome(after) == value {
                *found = Between::before_zeroing(value);
            } else if after & FAILED != 0 && *found == Between::NONE {
                *found = Between::failed(Failure(after));
            }
        });
        pushing.retain(|&row| self.found[row] == Between::NONE);
        wanted.append(&mut pushing);
        wanted
    }

    /// Finds the distances that the file has; the result is the positions whose side it doesn't have.
    fn by_file(&mut self, wanted: Vec<usize>) -> Vec<usize> {
        let (sources, endgame) = (self.sources, self.endgame);
        let file = match sources.tables.file(endgame.material(), Kind::Dtz) {
            Ok(file) => file,
            Err(error) => {
                let failed = Between::failed(sources.reasons.failed(error));
                wanted.iter().for_each(|&row| self.found[row] = failed);
                return Vec::new();
            }
        };
        let (there, open): (Vec<usize>, Vec<usize>) = wanted.into_iter().partition(|&row| {
            let placed = self.rows[row];
            // A file's distance of a lost position leaves captures en passant out.
            file.sub_table(endgame.sub_table(placed)).is_some()
                && (placed.en_passant().is_none() || self.value(row) > Wdl::Draw)
        });
        let rows: Vec<Placed> = there.iter().map(|&row| self.rows[row]).collect();
        let numbers = sources.numbers(file, endgame, &rows);
        for (row, number) in there.into_iter().zip(numbers.all) {
            let found = match number & FAILED {
                0 => self.of_number(file, row, number),
                _ => Ok(Between::failed(Failure(number))),
            };
            let failed = |error| Between::failed(sources.reasons.failed(error));
            self.found[row] = found.unwrap_or_else(failed);
        }
        open
    }

    /// The distance for which a number of the file stands.
    fn of_number(&self, file: &TableFile, row: usize, number: u16) -> Result<Between, Error> {
        let sub_table = file.sub_table(self.endgame.sub_table(self.rows[row]));
        let (sub_table, value) = (sub_table.expect("the file has it"), self.value(row));
        let least = file.distance(sub_table, value, number)? as u16;
        let most = least + u16::from(!sub_table.is_exact(value));
        Ok(Between { least, most })
    }

    /// Takes captures and pawn moves into the distances of some positions.
    fn add_zeroing_moves(&mut self, some: &[usize]) {
        let mut children = Children::default();
        for &row in some {
            let position = Position::new(self.endgame, self.rows[row]);
            position.captures(|child, placed| children.push(child, placed, row));
            position.captures_en_passant(|child, placed| children.push(child, placed, row));
            push_pawn_moves(&mut children, &position, row);
        }
        let sources = self.sources;
        sources.outcomes_of_children(self.endgame, &children, |row, after| {
            if after & FAILED != 0 {
                self.add(row, Between::failed(Failure(after)));
            } else if self.keeps(row, after) {
                self.add(row, Between::before_zeroing(-outcome(after)));
            }
        });
    }

    /// Takes moves that are neither captures nor pawn moves into the distances of some positions.
    fn add_quiet_moves(&mut self, some: &[usize]) {
        // Won and lost positions apart: what has to be known of the moves of the one is little.
        for need in [Need::Loss, Need::Capture] {
            let (mut after, mut parents) = (Vec::new(), Vec::new());
            for &row in some {
                if (self.value(row) > Wdl::Draw) != (need == Need::Loss) {
                    continue;
                }
                if after.len() + MOST_MOVES > MOST_TOGETHER {
                    self.add_after(need, &after, &parents);
                    after.clear();
                    parents.clear();
                }
                Position::new(self.endgame, self.rows[row]).quiet_moves(|placed| {
                    after.push(placed);
                    parents.push(row);
                });
            }
            self.add_after(need, &after, &parents);
        }
    }

    /// Takes the positions after quiet moves into the distances of those before.
    fn add_after(&mut self, need: Need, after: &[Placed], parents: &[usize]) {
        if after.is_empty() {
            return;
        }
        let mut outcomes = self.sources.outcomes(self.endgame, after, need);
        for ((number, &placed), &row) in outcomes.iter_mut().zip(after).zip(parents) {
            if *number & FAILED != 0 {
                continue;
            }
            let mates = || Position::new(self.endgame, placed).is_checkmate();
            if !self.keeps(row, *number) {
                *number = DRAWN;
            } else if need == Need::Loss && mates() {
                self.add(row, Between::exactly(1));
                *number = DRAWN;
            }
        }
        // These are found in the file, or by the next moves if a capture en passant kept the first position from it.
        let distances = self.sources.distances(self.endgame, after, &outcomes);
        for (&row, distance) in parents.iter().zip(distances) {
            if distance != Between::NONE {
                self.add(row, distance.before());
            }
        }
    }
}

/// Adds the positions after pawn moves that are no captures.
fn push_pawn_moves(children: &mut Children, position: &Position<'_>, row: usize) {
    position.promotions(|child, placed| children.push(child, placed, row));
    position.pawn_moves(|placed| children.push_to(0, placed, row));
}
