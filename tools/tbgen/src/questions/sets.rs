//! The sets of a query, in the slices of a part of a table.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;

use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Domain, Row, Slot};
use tbindex::{Bitboard, Color, Piece, PieceType, Symmetry};

use super::en_passant;
use super::query::{Node, Query, Set};
use super::tally::{Leads, Moves, Tallied, Tally};
use crate::subtables::library::SolveError;
use crate::subtables::seen::most_planes;
use crate::subtables::solved::Solved;
use crate::table::codes::{BITS, Codes};
use crate::table::planes::Planes;
use crate::table::slices::illegal_in;
use crate::table::solved::{Part, Table};
use crate::table::value::{Metric, Outcome, Value};

/// The outcomes of positions that are not drawn, were there no fifty-move rule.
const DECIDED: [Outcome; 4] = [
    Outcome::Win,
    Outcome::CursedWin,
    Outcome::BlessedLoss,
    Outcome::Loss,
];

/// The rows of a set in a slice.
pub(crate) type Rows = Vec<Row>;

/// The results of the moves of some slices of a part, or of all.
pub(crate) struct PartSets<'a> {
    solved: &'a Solved<'a>,
    part: &'a Part,
    /// The part in the tables of helpmates by victim, if the query asks for them.
    helpmates: Option<[&'a Part; 2]>,
    /// The sets of each side to move.
    tallied: [Tallied; 2],
    /// Of each side, and of each pawn that it may be able to capture en passant, where some capture wins or draws.
    en_passant: [Vec<[Bitbase; 2]>; 2],
}

/// The positions of a slice with a side to move.
struct SideSets<'a> {
    planes: Cow<'a, Planes>,
    legal: Rows,
    /// By their outcomes, in the order of [`DECIDED`].
    decided: [Rows; 4],
}

/// The conditions of a query on the positions of a slice.
pub(crate) struct SliceSets<'a> {
    of: &'a PartSets<'a>,
    number: usize,
    sides: [SideSets<'a>; 2],
}

/// All legal moves that lead to a result.
const fn all(leads: Leads) -> Tally {
    let moves = Moves::All;
    Tally { moves, leads }
}

/// The tallies that a query needs. If it needs any, moves into a part may ask for its stalemates.
pub(crate) fn tallies_of(query: &Node, may_have_passed: bool) -> Vec<Tally> {
    let mut wanted = BTreeSet::new();
    let stuck = [Set::Mate, Set::Stalemate, Set::OnlyEnPassant];
    if stuck.into_iter().any(|set| query.has(set)) {
        wanted.insert(all(Leads::Anywhere));
    }
    if query.has(Set::OnlyMove) {
        wanted.extend([Leads::ToWin, Leads::ToDraw, Leads::ToLoss].map(all));
    }
    for (set, moves) in [
        (Set::OnlyUnderpromotion, Moves::NotUnderpromotions),
        (Set::OnlyKingMove, Moves::NotKing),
    ] {
        if query.has(set) {
            wanted.insert(all(Leads::ToDraw));
            wanted.extend([Leads::ToWin, Leads::ToDraw].map(|leads| Tally { moves, leads }));
        }
    }
    if query.has(Set::CaptureLoses) {
        let (moves, leads) = (Moves::Captures, Leads::ToLoss);
        wanted.insert(Tally { moves, leads });
    }
    if may_have_passed && !wanted.is_empty() {
        wanted.insert(all(Leads::Anywhere));
    }
    wanted.into_iter().collect()
}

/// The sets of some slices that are there at the same time while moves are tallied: those of the slices themselves, and those
/// of the slices that moves lead to.
pub(crate) fn tallied_sets(wanted: usize, metric: Metric) -> [u64; 2] {
    match wanted as u64 {
        0 => [0, 0],
        // The sums of both sides; what moves lead to, and what captures lead to, with its codes, and the captures.
        wanted => [4 * wanted, 4 + 1 + 2 * most_planes(metric) + 4 + 4],
    }
}

/// The sets of a slice that a thread has at the same time.
pub(crate) fn slice_sets(query: &Node) -> u64 {
    let planes = 2 * BITS as u64;
    planes + 2 * (1 + DECIDED.len() as u64) + 5 + 3 * query.depth()
}

pub(super) fn both(mut a: Rows, b: &[Row]) -> Rows {
    a.iter_mut().zip(b).for_each(|(a, b)| *a &= *b);
    a
}

pub(super) fn either(mut a: Rows, b: &[Row]) -> Rows {
    a.iter_mut().zip(b).for_each(|(a, b)| *a |= *b);
    a
}

pub(super) fn without(mut a: Rows, b: &[Row]) -> Rows {
    a.iter_mut().zip(b).for_each(|(a, b)| *a &= !*b);
    a
}

impl<'a> PartSets<'a> {
    /// The results of the moves from some slices of a part or, if none are chosen, from all, by these tallies and, if they
    /// are asked for, by captures en passant.
    pub(crate) fn new(
        solved: &'a Solved<'a>,
        number: usize,
        slices: Option<&[usize]>,
        wanted: &[Tally],
        query: &Query,
        helpmates: Option<[&'a Table; 2]>,
    ) -> Result<PartSets<'a>, SolveError> {
        let helpmates = helpmates.filter(|_| query.asks_for_helpmates());
        let tallied = |side| Tallied::of(solved, number, side, wanted, slices);
        let en_passant = |side| match query.asks_for_en_passant() {
            true => en_passant::captures(solved, number, side, slices),
            false => Ok(Vec::new()),
        };
        let [white, black] = Color::ALL;
        Ok(PartSets {
            solved,
            part: &solved.parts[number],
            helpmates: helpmates.map(|both| both.map(|table| &table.parts[number])),
            tallied: [tallied(white)?, tallied(black)?],
            en_passant: [en_passant(white)?, en_passant(black)?],
        })
    }

    /// The sets of one of the slices.
    pub(crate) fn slice(&'a self, number: usize) -> io::Result<SliceSets<'a>> {
        let of_side = |side: Color| -> io::Result<SideSets<'a>> {
            let legal = legal(&self.part.domain, number, side, self.solved.backend);
            let of_part = &self.part.sides[side as usize];
            let planes = of_part.slices[number].open()?;
            let with =
                |outcome| by_value(&planes, &of_part.values, &legal, |v| v.outcome == outcome);
            Ok(SideSets {
                decided: DECIDED.map(with),
                planes,
                legal,
            })
        };
        Ok(SliceSets {
            of: self,
            number,
            sides: [of_side(Color::White)?, of_side(Color::Black)?],
        })
    }
}

/// The legal positions of a slice with a side to move.
pub(super) fn legal(domain: &Domain, slice: usize, side: Color, backend: Backend) -> Rows {
    let mut rows = illegal_in(domain, slice, side, backend);
    rows.iter_mut().for_each(|row| *row = !*row);
    rows
}

/// The legal positions of a slice whose values pass a test. Draws are left out.
pub(super) fn by_value(
    planes: &Planes,
    values: &[Value],
    legal: &[Row],
    test: impl Fn(Value) -> bool,
) -> Rows {
    let (codes, count) = (Codes::of(values, test), planes.count());
    let found = |(at, &legal): (usize, &Row)| legal & codes.among(&planes.rows_at(at)[..count]);
    legal.iter().enumerate().map(found).collect()
}

impl SliceSets<'_> {
    fn legal(&self, side: Color) -> &Rows {
        &self.sides[side as usize].legal
    }

    /// The positions with an outcome that is no draw.
    pub(crate) fn decided(&self, side: Color, outcome: Outcome) -> &Rows {
        let at = DECIDED.iter().position(|other| *other == outcome);
        &self.sides[side as usize].decided[at.expect("no draw")]
    }

    /// The legal positions that have such a move.
    fn any(&self, side: Color, tally: Tally) -> Rows {
        let sum = self.of.tallied[side as usize].sum(self.number, tally);
        both(self.legal(side).clone(), sum.rows())
    }

    /// The legal positions that have exactly one such move.
    fn single(&self, side: Color, tally: Tally) -> Rows {
        let sum = self.of.tallied[side as usize].sum(self.number, tally);
        without(self.any(side, tally), sum.several())
    }

    /// The positions with a side to move that a query has, or their images.
    pub(crate) fn find(&self, query: &Node, side: Color) -> io::Result<Rows> {
        let mut found = self.found(query, side, Symmetry::Identity)?;
        if query.names(&|set| matches!(set, Set::On(..))) {
            for &by in &self.of.solved.shape.group().members()[1..] {
                found = either(found, &self.found(query, side, by)?);
            }
        }
        Ok(found)
    }

    /// The positions that a query has, with all its squares mapped by a symmetry.
    fn found(&self, query: &Node, side: Color, by: Symmetry) -> io::Result<Rows> {
        let found = |query| self.found(query, side, by);
        Ok(match query {
            Node::And(a, b) => both(found(a)?, &found(b)?),
            Node::Or(a, b) => either(found(a)?, &found(b)?),
            Node::Not(a) => without(self.legal(side).clone(), &found(a)?),
            Node::Set(set) => self.set(*set, side, by)?,
        })
    }

    fn set(&self, set: Set, side: Color, by: Symmetry) -> io::Result<Rows> {
        let legal = || self.legal(side).clone();
        let decided = |outcome| self.decided(side, outcome).clone();
        Ok(match set {
            Set::Win => decided(Outcome::Win),
            Set::Loss => decided(Outcome::Loss),
            Set::Cursed => decided(Outcome::CursedWin),
            Set::Blessed => decided(Outcome::BlessedLoss),
            Set::Draw => self.draws(side),
            Set::Zugzwang => either(self.full_zugzwangs(), &self.half_zugzwangs()),
            Set::FullZugzwang => self.full_zugzwangs(),
            Set::HalfZugzwang => self.half_zugzwangs(),
            Set::Check => self.checks(side),
            Set::Mate => both(self.stuck(side), &self.checks(side)),
            Set::Stalemate => self.stalemates(side),
            Set::OnlyMove => {
                let single = |leads| self.single(side, all(leads));
                let wins = both(single(Leads::ToWin), self.decided(side, Outcome::Win));
                let draws = both(single(Leads::ToDraw), &self.draws(side));
                either(wins, &both(draws, &self.any(side, all(Leads::ToLoss))))
            }
            Set::OnlyUnderpromotion => self.not_by(side, Moves::NotUnderpromotions),
            Set::OnlyEnPassant => self.only_en_passant(side),
            Set::OnlyKingMove => self.not_by(side, Moves::NotKing),
            Set::CaptureLoses => {
                let (moves, leads) = (Moves::Captures, Leads::ToLoss);
                let losing = self.any(side, Tally { moves, leads });
                without(losing, self.decided(side, Outcome::Loss))
            }
            Set::ToMove(color) if color == side => legal(),
            Set::ToMove(_) => vec![Row::EMPTY; self.legal(side).len()],
            Set::Dead => self.dead(side)?,
            Set::Distance(how, plies) => {
                let values = &self.of.part.sides[side as usize].values;
                let planes = &self.sides[side as usize].planes;
                by_value(planes, values, self.legal(side), |value| {
                    value != Value::DRAW && how.contains(&value.plies.cmp(&plies))
                })
            }
            Set::Helpmate(victim, how, plies) => {
                self.helpmates(victim, side, |value| how.contains(&value.plies.cmp(&plies)))?
            }
            Set::UniqueHelpmate(victim) => self.helpmates(victim, side, Value::is_unique)?,
            Set::On(piece, squares) => {
                let squares = by.apply_to_set(squares);
                let there = on(&self.of.part.domain, self.number, piece, squares);
                both(there, self.legal(side))
            }
        })
    }

    /// The draws, those by the fifty-move rule included.
    fn draws(&self, side: Color) -> Rows {
        let undecided = without(self.legal(side).clone(), self.decided(side, Outcome::Win));
        without(undecided, self.decided(side, Outcome::Loss))
    }

    /// With the other side to move it could take the king.
    fn checks(&self, side: Color) -> Rows {
        without(self.legal(side).clone(), self.legal(!side))
    }

    /// The positions without a legal move.
    fn stuck(&self, side: Color) -> Rows {
        let able = self.any(side, all(Leads::Anywhere));
        without(self.legal(side).clone(), &able)
    }

    /// The stalemates, if moves are tallied.
    pub(crate) fn stalemates(&self, side: Color) -> Rows {
        without(self.stuck(side), &self.checks(side))
    }

    /// The positions that are won or drawn, whose outcome no move of a kind keeps, though a move keeps it.
    fn not_by(&self, side: Color, moves: Moves) -> Rows {
        let keeps = |leads| self.any(side, Tally { moves, leads });
        let wins = self.decided(side, Outcome::Win).clone();
        let wins = without(wins, &keeps(Leads::ToWin));
        let kept = both(self.draws(side), &self.any(side, all(Leads::ToDraw)));
        either(wins, &without(kept, &keeps(Leads::ToDraw)))
    }

    /// The positions that are won or drawn if the last move was two steps of a certain pawn, and that only captures of it en
    /// passant win or draw.
    fn only_en_passant(&self, side: Color) -> Rows {
        let mut found = vec![Row::EMPTY; self.legal(side).len()];
        for sets in &self.of.en_passant[side as usize] {
            let [wins, draws] = sets.each_ref().map(|set| set.slice(self.number).to_vec());
            let forced = both(self.stuck(side), &either(wins.clone(), &draws));
            let wins = without(wins, self.decided(side, Outcome::Win));
            let draws = both(draws, self.decided(side, Outcome::Loss));
            for set in [forced, wins, draws] {
                found = either(found, &set);
            }
        }
        found
    }

    /// The positions with helpmates of a victim whose values pass a test.
    fn helpmates(
        &self,
        victim: Color,
        side: Color,
        test: impl Fn(Value) -> bool,
    ) -> io::Result<Rows> {
        let parts = self.of.helpmates.as_ref().expect("a query for helpmates");
        let of_side = &parts[victim as usize].sides[side as usize];
        let planes = of_side.slices[self.number].open()?;
        let values = &of_side.values;
        Ok(by_value(&planes, values, self.legal(side), |value| {
            value != Value::DRAW && test(value)
        }))
    }

    /// The positions from which no play checkmates either side.
    fn dead(&self, side: Color) -> io::Result<Rows> {
        let mut dead = self.legal(side).clone();
        for victim in Color::ALL {
            dead = without(dead, &self.helpmates(victim, side, |_| true)?);
        }
        Ok(dead)
    }

    /// Mutual zugzwangs, which are placements that are legal with either side to move, in which each side would be better off if
    /// it were the other's turn: those in which each side loses.
    fn full_zugzwangs(&self) -> Rows {
        let [white, black] = Color::ALL.map(|side| self.decided(side, Outcome::Loss));
        both(white.clone(), black)
    }

    /// Mutual zugzwangs in which one side loses, and the other draws.
    fn half_zugzwangs(&self) -> Rows {
        let half = |side: Color| {
            let loses = self.decided(side, Outcome::Loss).clone();
            both(loses, &self.draws(!side))
        };
        either(half(Color::White), &half(Color::Black))
    }
}

/// The slots of a slice in which a piece is on one of some squares.
fn on(domain: &Domain, slice: usize, piece: Piece, squares: Bitboard) -> Rows {
    let mut rows = vec![Row::EMPTY; domain.rows()];
    let is_there = |(other, square)| other == piece && squares.contains(square);
    // The words of a slice that are in use, and the place of a digit in the number of a word.
    let men = domain.men();
    let place = |k: usize| 6 * (men.len() - 2 - k);
    let mine: Vec<usize> = (0..men.len())
        .filter(|&k| men[k].piece() == Some(piece))
        .collect();
    let slot = Slot { slice, offset: 0 };
    // The kings of slices come first among the squares of a slot.
    let kings = Color::ALL.map(|color| Piece::new(color, PieceType::King));
    let kings = kings.into_iter().zip(domain.squares(slot));
    let kings = kings.filter(|_| domain.king_pairs().is_some());
    let always = kings.chain(domain.fixed().iter().copied()).any(is_there);
    for (at, word) in rows.iter_mut().flat_map(|row| &mut row.0).enumerate() {
        for &k in &mine {
            if k + 1 == men.len() {
                *word |= squares.0;
            } else if squares.0 >> (at >> place(k) & 63) & 1 != 0 {
                *word = !0;
            }
        }
        if always {
            *word = !0;
        }
    }
    rows
}
