//! The distances of many positions of a material: what files have, and the moves of the side that they don't have.

use super::children::Children;
use super::endgame::Endgame;
use super::failures::FAILED;
use super::moves::Position;
use super::numbers::{MOST_TOGETHER, Numbers, Parts};
use super::outcomes::{BY_CAPTURE, Need, outcome};
use super::placed::Placed;
use super::sources::Sources;
use crate::file::Class;
use crate::kind::Kind;
use crate::probe::before_zeroing;
use crate::value::Wdl;

/// No position has as many moves that are neither captures nor pawn moves.
const MOST_MOVES: usize = 256;

/// A distance that is not known better than to be between two, or with [`FAILED`] in `least` the number of a reason.
#[derive(Clone, Copy, Debug)]
pub(super) struct Between {
    pub(super) least: u16,
    pub(super) most: u16,
}

impl Between {
    const NONE: Between = Between::exactly(0);
    /// More than any.
    const FAR: Between = Between::exactly(0x7fff);

    pub(super) const fn exactly(plies: u32) -> Between {
        Between {
            least: plies as u16,
            most: plies as u16,
        }
    }

    pub(super) const fn failed(failure: u16) -> Between {
        Between {
            least: failure,
            most: failure,
        }
    }

    pub(super) fn failure(self) -> Option<u16> {
        (self.least & FAILED != 0).then_some(self.least)
    }

    /// The distance before a quiet move.
    const fn before(self) -> Between {
        Between {
            least: self.least + 1,
            most: self.most + 1,
        }
    }

    /// The better of two: the shorter one for the winner, and the longer one for the loser.
    fn better(self, other: Between, won: bool) -> Between {
        match won {
            _ if self.failure().is_some() => self,
            _ if other.failure().is_some() => other,
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

/// Which moves a distance by moves is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moves {
    /// Those that are neither captures nor pawn moves. A position that is lost in time has one ply by all others, and one
    /// that is won has too, or it is known before.
    Quiet,
    All,
}

impl Sources<'_> {
    /// The distances of up to [`MOST_TOGETHER`] positions of which the outcomes are known, and whether captures have them.
    pub(super) fn distances(
        &self,
        endgame: &Endgame,
        rows: &[Placed],
        outcomes: &[u16],
    ) -> Vec<Between> {
        let (mut distances, open) = self.distances_in_files(endgame, rows, outcomes);
        let in_time = |&row: &usize| matches!(outcome(outcomes[row]), Wdl::Win | Wdl::Loss);
        let (quiet, mut all): (Vec<usize>, Vec<usize>) = open.into_iter().partition(in_time);
        self.distances_by_moves(
            endgame,
            rows,
            outcomes,
            &quiet,
            Moves::Quiet,
            &mut distances,
        );
        // Wins by rounded distances of more than 100 plies may be reached by a cursed win, too.
        all.extend(
            quiet
                .into_iter()
                .filter(|&row| outcome(outcomes[row]) == Wdl::Win && distances[row].most > 101),
        );
        self.distances_by_moves(endgame, rows, outcomes, &all, Moves::All, &mut distances);
        distances
    }

    /// The distances that need no moves but captures and those of pawns, and the other positions.
    fn distances_in_files(
        &self,
        endgame: &Endgame,
        rows: &[Placed],
        outcomes: &[u16],
    ) -> (Vec<Between>, Vec<usize>) {
        let mut distances = vec![Between::NONE; rows.len()];
        let (mut pushing, mut wanted, mut open) = (Vec::new(), Vec::new(), Vec::new());
        for (row, (&placed, &number)) in rows.iter().zip(outcomes).enumerate() {
            let value = outcome(number);
            if number & FAILED != 0 {
                distances[row] = Between::failed(number);
            } else if value > Wdl::Draw && number & BY_CAPTURE != 0 {
                distances[row] = Between::exactly(before_zeroing(value));
            } else if value > Wdl::Draw && endgame.has_pawns(placed.side()) {
                pushing.push(row);
            } else if value != Wdl::Draw {
                wanted.push(row);
            }
        }
        self.zeroing_distances(endgame, rows, outcomes, &pushing, &mut distances);
        wanted.extend(pushing.into_iter().filter(|&row| distances[row].least == 0));
        if wanted.is_empty() {
            return (distances, open);
        }
        let file = match self.tables.file(endgame.material, Kind::Dtz) {
            Ok(file) => file,
            Err(error) => {
                let failed = Between::failed(self.failures.number(error));
                wanted.iter().for_each(|&row| distances[row] = failed);
                return (distances, open);
            }
        };
        let parts = Parts::new(file, endgame);
        // A file's distance of a lost position leaves captures en passant out.
        let has = |row: usize| {
            let lost = outcome(outcomes[row]) < Wdl::Draw;
            parts.has(rows[row]) && !(lost && rows[row].en_passant().is_some())
        };
        wanted.retain(|&row| {
            let has = has(row);
            if !has {
                open.push(row);
            }
            has
        });
        let there: Vec<Placed> = wanted.iter().map(|&row| rows[row]).collect();
        let numbers = Numbers::look_up(&parts, &there, &self.cache, &self.failures);
        for ((row, placed), number) in wanted.into_iter().zip(there).zip(numbers.all) {
            distances[row] = match (Class::of(outcome(outcomes[row])), parts.sub_table(placed)) {
                (Some(class), Some(sub_table)) if number & FAILED == 0 => {
                    match file.distance(sub_table, class, number) {
                        Ok(least) => Between {
                            least: least as u16,
                            most: least as u16 + u16::from(!sub_table.is_exact(class)),
                        },
                        Err(error) => Between::failed(self.failures.number(error)),
                    }
                }
                _ => Between::failed(number),
            };
        }
        (distances, open)
    }

    /// Of won positions, writes the distance of those whose outcome a pawn move keeps.
    fn zeroing_distances(
        &self,
        endgame: &Endgame,
        rows: &[Placed],
        outcomes: &[u16],
        pushing: &[usize],
        distances: &mut [Between],
    ) {
        let mut failed = Vec::new();
        self.outcomes_after_pawn_moves(endgame, rows, pushing, |row, after| {
            let value = outcome(outcomes[row]);
            if after & FAILED != 0 {
                failed.push((row, after));
            } else if -outcome(after) == value {
                distances[row] = Between::exactly(before_zeroing(value));
            }
        });
        for (row, failure) in failed {
            if distances[row].least == 0 {
                distances[row] = Between::failed(failure);
            }
        }
    }

    /// Calls a function with the outcome after each pawn move that is no capture, of some positions.
    fn outcomes_after_pawn_moves(
        &self,
        endgame: &Endgame,
        rows: &[Placed],
        some: &[usize],
        mut each: impl FnMut(usize, u16),
    ) {
        let mut children = Children::new(endgame);
        let (mut pushed, mut parents) = (Vec::new(), Vec::new());
        for &row in some {
            let position = Position::new(endgame, rows[row]);
            position.promotions(|child, placed| children.push(child, placed, row));
            position.pawn_moves(|placed| {
                pushed.push(placed);
                parents.push(row);
            });
        }
        self.outcomes_of_children(endgame, &children, Need::Outcome, &mut each);
        for (rows, parents) in pushed
            .chunks(MOST_TOGETHER)
            .zip(parents.chunks(MOST_TOGETHER))
        {
            let outcomes = self.outcomes(endgame, rows, Need::Outcome);
            for (&parent, after) in parents.iter().zip(outcomes) {
                each(parent, after);
            }
        }
    }

    /// Writes the distances of positions by their moves.
    fn distances_by_moves(
        &self,
        endgame: &Endgame,
        rows: &[Placed],
        outcomes: &[u16],
        open: &[usize],
        which: Moves,
        distances: &mut [Between],
    ) {
        let is_won = |row: usize| outcome(outcomes[row]) > Wdl::Draw;
        let mut best: Vec<Option<Between>> = vec![None; rows.len()];
        let mut add = |row: usize, distance: Between| {
            let found = best[row].map_or(distance, |best| best.better(distance, is_won(row)));
            best[row] = Some(found);
        };
        if which == Moves::All {
            let mut after_zeroing = |row: usize, after: u16| {
                if after & FAILED != 0 {
                    add(row, Between::failed(after));
                } else if outcome(after) != Wdl::Draw && is_won(row) == (outcome(after) < Wdl::Draw)
                {
                    add(row, Between::exactly(before_zeroing(-outcome(after))));
                }
            };
            let mut children = Children::new(endgame);
            for &row in open {
                let position = Position::new(endgame, rows[row]);
                position.captures(|child, placed| children.push(child, placed, row));
                position.captures_en_passant(|child, placed| children.push(child, placed, row));
            }
            self.outcomes_of_children(endgame, &children, Need::Outcome, &mut after_zeroing);
            self.outcomes_after_pawn_moves(endgame, rows, open, after_zeroing);
        }
        // Won and lost positions apart: what has to be known of the moves of the one is little.
        for won in [true, false] {
            let (mut after, mut parents) = (Vec::new(), Vec::new());
            for &row in open {
                if is_won(row) != won {
                    continue;
                }
                if after.len() + MOST_MOVES > MOST_TOGETHER {
                    self.after_quiet_moves(endgame, &after, &parents, won, &mut add);
                    after.clear();
                    parents.clear();
                }
                Position::new(endgame, rows[row]).quiet_moves(|placed| {
                    after.push(placed);
                    parents.push(row);
                });
            }
            self.after_quiet_moves(endgame, &after, &parents, won, &mut add);
        }
        for &row in open {
            let value = outcome(outcomes[row]);
            let zeroing = Between::exactly(before_zeroing(value));
            distances[row] = match best[row] {
                // A checkmated side has no move, and a lost one perhaps others than quiet ones.
                Some(best) if value == Wdl::Loss => best.better(zeroing, false),
                Some(best) => best,
                None if value == Wdl::Win && which == Moves::Quiet => Between::FAR,
                None => zeroing,
            };
        }
    }

    /// Calls a function with the position before each of some quiet moves of winners, or of losers, and the distance that the
    /// move brings.
    fn after_quiet_moves(
        &self,
        endgame: &Endgame,
        after: &[Placed],
        parents: &[usize],
        won: bool,
        mut add: impl FnMut(usize, Between),
    ) {
        if after.is_empty() {
            return;
        }
        let need = if won { Need::Loss } else { Need::Capture };
        let outcomes = self.outcomes(endgame, after, need);
        // The moves that don't give away the win, or can't avoid the loss.
        let (mut kept, mut kept_outcomes, mut kept_parents) = (Vec::new(), Vec::new(), Vec::new());
        for ((&placed, &parent), &number) in after.iter().zip(parents).zip(&outcomes) {
            let value = outcome(number);
            if number & FAILED != 0 {
                add(parent, Between::failed(number));
            } else if won && value < Wdl::Draw {
                if Position::new(endgame, placed).is_checkmate() {
                    add(parent, Between::exactly(1));
                } else {
                    kept.push(placed);
                    kept_outcomes.push(number);
                    kept_parents.push(parent);
                }
            } else if !won && value > Wdl::Draw {
                kept.push(placed);
                kept_outcomes.push(number);
                kept_parents.push(parent);
            }
        }
        // These are found in the file, or by the next moves if a capture en passant kept the first position from it.
        let distances = self.distances(endgame, &kept, &kept_outcomes);
        for (parent, distance) in kept_parents.into_iter().zip(distances) {
            add(
                parent,
                match distance.failure() {
                    Some(_) => distance,
                    None => distance.before(),
                },
            );
        }
    }
}
