//! The sets of a query, in a part of a table.

use std::io;

use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Domain, Slot};
use tbindex::{Bitboard, Color, Piece};

use super::help::HelpTables;
use super::query::{Node, Points, Set};
use super::tally::{Leads, Moves, Tallied, Tally};
use crate::subtables::library::SolveError;
use crate::subtables::seen::{legal_in, most_planes};
use crate::subtables::solved::Solved;
use crate::table::code_sets::CodeSets;
use crate::table::solved::Part;
use crate::table::value::{Metric, Outcome, Value};

/// The outcomes of positions that are not drawn, were there no fifty-move rule.
const DECIDED: [Outcome; 4] = [
    Outcome::Win,
    Outcome::CursedWin,
    Outcome::BlessedLoss,
    Outcome::Loss,
];

/// The positions of a part with a side to move.
struct SideSets {
    legal: Bitbase,
    /// By their outcomes, in the order of [`DECIDED`].
    decided: [Bitbase; 4],
    /// In the order of the tallies that are wanted.
    tallied: Vec<Tallied>,
}

/// What a query asks of the positions of a part.
pub(crate) struct PartSets<'a> {
    solved: &'a Solved<'a>,
    /// The part.
    number: usize,
    part: &'a Part,
    backend: Backend,
    helpmates: Option<&'a HelpTables>,
    wanted: &'a [Tally],
    sides: [SideSets; 2],
}

/// All legal moves that lead to a result.
const fn all(leads: Leads) -> Tally {
    let moves = Moves::All;
    Tally { moves, leads }
}

/// The tallies that a query needs, with those of stalemates if they are needed, too.
pub(crate) fn tallies_of(query: &Node, stalemates: bool) -> Vec<Tally> {
    let mut wanted = Vec::new();
    let names = |set| query.names(&|other| other == set);
    let stuck = [Set::Mate, Set::Stalemate, Set::OnlyEnPassant];
    if stalemates || stuck.into_iter().any(names) {
        wanted.push(all(Leads::Anywhere));
    }
    if names(Set::OnlyMove) {
        wanted.extend([Leads::ToWin, Leads::ToDraw, Leads::ToLoss].map(all));
    }
    for (set, moves) in [
        (Set::OnlyUnderpromotion, Moves::NotUnderpromotions),
        (Set::OnlyKingMove, Moves::NotKing),
    ] {
        if names(set) {
            wanted.push(all(Leads::ToDraw));
            wanted.extend([Leads::ToWin, Leads::ToDraw].map(|leads| Tally { moves, leads }));
        }
    }
    if names(Set::CaptureLoses) {
        let (moves, leads) = (Moves::Captures, Leads::ToLoss);
        wanted.push(Tally { moves, leads });
    }
    let mut once: Vec<Tally> = Vec::new();
    wanted.retain(|tally| {
        let new = !once.contains(tally);
        once.extend(new.then_some(*tally));
        new
    });
    wanted
}

/// The most sets that are there at the same time while a part is searched.
pub(crate) fn most_sets(query: &Node, stalemates: bool, metric: Metric) -> u64 {
    let tallies = tallies_of(query, stalemates).len() as u64;
    let codes = most_planes(metric);
    // What moves lead to, and the sums; what captures lead to, with its codes, and the captures themselves.
    let tallying = match tallies {
        0 => 4,
        _ => 4 + 2 * tallies + 1 + 2 * codes + 4 + 4,
    };
    let of_sides = 2 * (1 + DECIDED.len() as u64 + 2 * tallies);
    of_sides + tallying.max(5 + 3 * query.depth())
}

impl<'a> PartSets<'a> {
    /// The sets of a part with these tallies.
    pub(crate) fn new(
        solved: &'a Solved<'a>,
        number: usize,
        wanted: &'a [Tally],
        helpmates: Option<&'a HelpTables>,
    ) -> Result<PartSets<'a>, SolveError> {
        let (part, backend) = (&solved.parts[number], solved.backend);
        let of_side = |side: Color| -> Result<SideSets, SolveError> {
            let legal = legal_in(&part.domain, side, backend, None)?;
            let with = |outcome: Outcome| move |value: Value| value.outcome == outcome;
            let decided = by_values(part, side, &DECIDED.map(with), &legal, backend)?;
            Ok(SideSets {
                decided: decided.try_into().expect("of each test"),
                tallied: solved.tally(number, side, wanted)?,
                legal,
            })
        };
        Ok(PartSets {
            solved,
            number,
            part,
            backend,
            helpmates,
            wanted,
            sides: [of_side(Color::White)?, of_side(Color::Black)?],
        })
    }

    pub(crate) fn legal(&self, side: Color) -> &Bitbase {
        &self.sides[side as usize].legal
    }

    /// The positions with an outcome that is no draw.
    pub(crate) fn decided(&self, side: Color, outcome: Outcome) -> &Bitbase {
        let at = DECIDED.iter().position(|other| *other == outcome);
        &self.sides[side as usize].decided[at.expect("no draw")]
    }

    fn both(&self, mut a: Bitbase, b: &Bitbase) -> Bitbase {
        a.intersect(b, self.backend);
        a
    }

    fn either(&self, mut a: Bitbase, b: &Bitbase) -> Bitbase {
        a.unite(b, self.backend);
        a
    }

    fn without(&self, mut a: Bitbase, b: &Bitbase) -> Bitbase {
        a.subtract(b, self.backend);
        a
    }

    fn tallied(&self, side: Color, tally: Tally) -> &Tallied {
        let at = self.wanted.iter().position(|other| *other == tally);
        &self.sides[side as usize].tallied[at.expect("a tally that is wanted")]
    }

    /// The positions with a side to move that a query has.
    pub(crate) fn find(&self, query: &Node, side: Color) -> Result<Bitbase, SolveError> {
        Ok(match query {
            Node::And(a, b) => self.both(self.find(a, side)?, &self.find(b, side)?),
            Node::Or(a, b) => self.either(self.find(a, side)?, &self.find(b, side)?),
            Node::Not(a) => self.without(self.legal(side).try_clone()?, &self.find(a, side)?),
            Node::Set(set) => self.set(*set, side)?,
        })
    }

    fn set(&self, set: Set, side: Color) -> Result<Bitbase, SolveError> {
        let legal = || Ok(self.legal(side).try_clone()?);
        let decided = |outcome| Ok(self.decided(side, outcome).try_clone()?);
        match set {
            Set::Win => decided(Outcome::Win),
            Set::Loss => decided(Outcome::Loss),
            Set::Cursed => decided(Outcome::CursedWin),
            Set::Blessed => decided(Outcome::BlessedLoss),
            Set::Draw => self.draws(side),
            Set::Zugzwang(points) => self.zugzwangs(points),
            Set::Check => Ok(self.without(legal()?, self.legal(!side))),
            Set::Mate => Ok(self.both(self.stuck(side)?, &self.set(Set::Check, side)?)),
            Set::Stalemate => Ok(self.without(self.stuck(side)?, &self.set(Set::Check, side)?)),
            Set::OnlyMove => {
                let single = |leads| -> io::Result<Bitbase> {
                    let Tallied { any, several } = self.tallied(side, all(leads));
                    Ok(self.without(any.try_clone()?, several))
                };
                let wins = self.both(single(Leads::ToWin)?, &self.set(Set::Win, side)?);
                let draws = self.both(single(Leads::ToDraw)?, &self.draws(side)?);
                let may_lose = &self.tallied(side, all(Leads::ToLoss)).any;
                Ok(self.either(wins, &self.both(draws, may_lose)))
            }
            Set::OnlyUnderpromotion => self.not_by(side, Moves::NotUnderpromotions),
            Set::OnlyEnPassant => self.only_en_passant(side),
            Set::OnlyKingMove => self.not_by(side, Moves::NotKing),
            Set::CaptureLoses => {
                let (moves, leads) = (Moves::Captures, Leads::ToLoss);
                let losing = self.tallied(side, Tally { moves, leads }).any.try_clone()?;
                Ok(self.without(losing, self.decided(side, Outcome::Loss)))
            }
            Set::ToMove(color) if color == side => legal(),
            Set::ToMove(_) => Ok(Bitbase::new(&self.part.domain)?),
            Set::Dead => self.dead(side),
            Set::Distance(how, plies) => {
                let test = [move |value: Value| {
                    value.outcome != Outcome::Draw && how.holds(value.plies, plies)
                }];
                let mut found = by_values(self.part, side, &test, self.legal(side), self.backend)?;
                Ok(found.pop().expect("of one test"))
            }
            Set::On(piece, squares) => {
                let group = self.solved.shape.group();
                let images = group.members().iter();
                let squares =
                    images.fold(Bitboard::EMPTY, |all, by| all | by.apply_to_set(squares));
                Ok(self.both(on(&self.part.domain, piece, squares)?, self.legal(side)))
            }
        }
    }

    /// The draws, those by the fifty-move rule included.
    fn draws(&self, side: Color) -> Result<Bitbase, SolveError> {
        let undecided = self.without(
            self.legal(side).try_clone()?,
            self.decided(side, Outcome::Win),
        );
        Ok(self.without(undecided, self.decided(side, Outcome::Loss)))
    }

    /// The positions without a legal move.
    fn stuck(&self, side: Color) -> Result<Bitbase, SolveError> {
        let any = &self.tallied(side, all(Leads::Anywhere)).any;
        Ok(self.without(self.legal(side).try_clone()?, any))
    }

    /// The stalemates, if they were tallied.
    pub(crate) fn stalemates(&self, side: Color) -> Result<Bitbase, SolveError> {
        self.set(Set::Stalemate, side)
    }

    /// The positions that are won or drawn, whose outcome no move of a kind keeps, though a move keeps it.
    fn not_by(&self, side: Color, moves: Moves) -> Result<Bitbase, SolveError> {
        let keeps = |leads| &self.tallied(side, Tally { moves, leads }).any;
        let wins = self.without(self.set(Set::Win, side)?, keeps(Leads::ToWin));
        let kept = self.both(
            self.draws(side)?,
            &self.tallied(side, all(Leads::ToDraw)).any,
        );
        Ok(self.either(wins, &self.without(kept, keeps(Leads::ToDraw))))
    }

    /// The positions that are won or drawn if the last move was two steps of a certain pawn, and that only captures of it en
    /// passant win or draw.
    fn only_en_passant(&self, side: Color) -> Result<Bitbase, SolveError> {
        let mut found = Bitbase::new(&self.part.domain)?;
        for [wins, draws] in self.solved.en_passant(self.number, side)? {
            let forced = self.both(self.stuck(side)?, &self.either(wins.try_clone()?, &draws));
            let wins = self.without(wins, self.decided(side, Outcome::Win));
            let draws = self.both(draws, self.decided(side, Outcome::Loss));
            for set in [forced, wins, draws] {
                found.unite(&set, self.backend);
            }
        }
        Ok(found)
    }

    /// The positions from which no play checkmates either side.
    fn dead(&self, side: Color) -> Result<Bitbase, SolveError> {
        let material = self.solved.shape.material();
        let mut dead = self.legal(side).try_clone()?;
        for victim in Color::ALL {
            let tables = self.helpmates.map(HelpTables::libraries);
            let table = tables.and_then(|tables| tables[victim as usize].get(&material));
            let table = table.ok_or(SolveError::Missing(material))?;
            let mut mates = CodeSets::default();
            let any = |value: Value| value != Value::DRAW;
            table.parts[self.number].positions_by(side, None, &[any], &mut mates)?;
            dead.subtract(&mates.planes()[0], self.backend);
        }
        Ok(dead)
    }

    /// Mutual zugzwangs: placements that are legal with either side to move, in which each side would be better off if it
    /// were the other's turn.
    fn zugzwangs(&self, points: Points) -> Result<Bitbase, SolveError> {
        let [white, black] = Color::ALL;
        let of = |set: Set, side: Color| self.set(set, side);
        let full = self.both(of(Set::Loss, white)?, self.decided(black, Outcome::Loss));
        let white_loses = self.both(of(Set::Loss, white)?, &self.draws(black)?);
        let black_loses = self.both(of(Set::Loss, black)?, &self.draws(white)?);
        let half = self.either(white_loses, &black_loses);
        Ok(match points {
            Points::Full => full,
            Points::Half => half,
            Points::Any => self.either(full, &half),
        })
    }
}

/// The legal positions whose values pass tests, for each test. Draws pass none.
fn by_values(
    part: &Part,
    side: Color,
    tests: &[impl Fn(Value) -> bool + Sync],
    legal: &Bitbase,
    backend: Backend,
) -> io::Result<Vec<Bitbase>> {
    let mut sets = CodeSets::default();
    part.positions_by(side, None, tests, &mut sets)?;
    let mut sets = sets.into_sets();
    for set in &mut sets {
        set.intersect(legal, backend);
    }
    Ok(sets)
}

/// The slots in which a piece is on one of some squares.
fn on(domain: &Domain, piece: Piece, squares: Bitboard) -> io::Result<Bitbase> {
    let mut set = Bitbase::new(domain)?;
    let fixed = domain.fixed().iter();
    let always = fixed
        .clone()
        .any(|&(other, square)| other == piece && squares.contains(square));
    // The words of a slice that are in use, and the place of a digit in the number of a word.
    let men = domain.men();
    let place = |k: usize| 6 * (men.len() - 2 - k);
    let mine: Vec<usize> = (0..men.len())
        .filter(|&k| men[k].piece() == Some(piece))
        .collect();
    for slice in 0..domain.slices() {
        let slot = Slot { slice, offset: 0 };
        // The kings of slices come first among the squares of a slot.
        let kings = domain
            .squares(slot)
            .take(if domain.king_pairs().is_none() { 0 } else { 2 });
        let king = Color::ALL.into_iter().zip(kings).any(|(color, square)| {
            let is_it = piece == Piece::new(color, tbindex::PieceType::King);
            is_it && squares.contains(square)
        });
        let rows = set.slices_mut().nth(slice).expect("the slice");
        for (at, word) in rows.iter_mut().flat_map(|row| &mut row.0).enumerate() {
            for &k in &mine {
                if k + 1 == men.len() {
                    *word |= squares.0;
                } else if squares.0 >> (at >> place(k) & 63) & 1 != 0 {
                    *word = !0;
                }
            }
            if always || king {
                *word = !0;
            }
        }
    }
    Ok(set)
}
