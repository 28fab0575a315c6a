//! Moves that lead out of a part of a table, by what they lead to: captures, and the moves of pawns.

use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Captured, Captures, Domain, Gathered, SeenError, Slice};
use tbindex::{Color, Conversion, Material, PieceType};

use crate::library::{Library, SolveError};
use crate::pawns::Pawns;
use crate::shape::{Shape, table_of};
use crate::steps::{Step, en_passant, steps};
use crate::table::{Outcome, Part, Value};

impl From<SeenError> for SolveError {
    fn from(error: SeenError) -> SolveError {
        match error {
            SeenError::Memory(error) => error.into(),
            error => unreachable!("a move leads to the pieces that are left: {error}"),
        }
    }
}

/// Positions by their outcome for the side to move.
struct Sets {
    legal: Bitbase,
    lost: Bitbase,
    blessed: Bitbase,
    not_won: Bitbase,
    /// Not even a cursed win.
    not_cursed: Bitbase,
}

impl Sets {
    /// The positions of a part with a side to move.
    fn of(part: &Part, side: Color, backend: Backend) -> Result<Sets, SolveError> {
        let with = |test: &dyn Fn(Value) -> bool| part.positions_with(side, test);
        let legal = Bitbase::legal(&part.domain, side, backend)?;
        let mut not_won = with(&|value| value.outcome == Outcome::Win)?;
        not_won.complement_in(&legal, backend);
        let mut not_cursed = with(&|value| value.outcome >= Outcome::CursedWin)?;
        not_cursed.complement_in(&legal, backend);
        Ok(Sets {
            lost: with(&|value| value.outcome == Outcome::Loss)?,
            blessed: with(&|value| value.outcome == Outcome::BlessedLoss)?,
            legal,
            not_won,
            not_cursed,
        })
    }

    /// All legal positions of a domain, which are draws.
    fn drawn(domain: &Domain, side: Color, backend: Backend) -> Result<Sets, SolveError> {
        let legal = Bitbase::legal(domain, side, backend)?;
        Ok(Sets {
            lost: Bitbase::new(domain)?,
            blessed: Bitbase::new(domain)?,
            not_won: legal.try_clone()?,
            not_cursed: legal.try_clone()?,
            legal,
        })
    }

    fn each(
        self,
        change: impl Fn(Bitbase) -> Result<Bitbase, SolveError>,
    ) -> Result<Sets, SolveError> {
        Ok(Sets {
            legal: change(self.legal)?,
            lost: change(self.lost)?,
            blessed: change(self.blessed)?,
            not_won: change(self.not_won)?,
            not_cursed: change(self.not_cursed)?,
        })
    }
}

/// Moves that lead into certain positions.
#[derive(Default)]
pub(crate) struct Exits {
    /// Captures by kings and men.
    captures: Vec<Captures>,
    /// The positions from which a pawn's move leads there.
    moves: Option<Bitbase>,
}

impl Exits {
    /// Gathers the positions of a slice that have such a move. Illegal ones may be among them.
    pub(crate) fn gather(&self, slice: &Slice<'_>, gathered: &mut Gathered) {
        gathered.captures(slice, &self.captures);
        if let Some(moves) = &self.moves {
            gathered.add(moves.slice(slice.number()));
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.captures.is_empty() && self.moves.is_none()
    }

    fn moves(&mut self, domain: &Domain) -> Result<&mut Bitbase, SolveError> {
        if self.moves.is_none() {
            self.moves = Some(Bitbase::new(domain)?);
        }
        Ok(self.moves.as_mut().expect("just made"))
    }

    fn drop_if_empty(&mut self) {
        self.captures.retain(|captures| !captures.is_empty());
        self.moves.take_if(|moves| moves.is_empty());
    }

    fn same_as(&self, other: &Exits) -> bool {
        let rows = |exits: &Exits| exits.moves.as_ref().map(|moves| moves.rows().to_vec());
        self.captures == other.captures && rows(self) == rows(other)
    }
}

/// The moves of one side out of a part, by the positions that they lead to.
#[derive(Default)]
pub(crate) struct Doors {
    /// Into legal positions.
    pub(crate) any: Exits,
    /// Into those lost for the side to move, which is the other one.
    pub(crate) lost: Exits,
    pub(crate) blessed: Exits,
    /// Into those not won for the side to move; not even a cursed win.
    pub(crate) not_won: Exits,
    pub(crate) not_cursed: Exits,
    /// Whether the last two differ.
    pub(crate) cursed: bool,
}

/// What is solved already.
pub(crate) struct Solved<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) library: &'a Library,
    /// The parts of this table that are solved.
    pub(crate) parts: &'a [Part],
    /// For each of these parts and each side to move the stalemates, where a pawn of the other side may have made
    /// two steps to get there.
    pub(crate) stalemates: &'a [[Option<Bitbase>; 2]],
    pub(crate) backend: Backend,
}

impl Solved<'_> {
    /// The positions of a material with the pawns on these squares and `side` to move, by their outcomes, as seen
    /// from a domain.
    fn sets(
        &self,
        material: &Material,
        pawns: Pawns,
        side: Color,
        from: &Domain,
    ) -> Result<Sets, SolveError> {
        let (name, swapped) = table_of(material);
        if name.piece_count() == 2 {
            return Sets::drawn(from, side, self.backend);
        }
        let (shape, parts) = if name == self.shape.material() {
            (self.shape, self.parts)
        } else {
            let table = self.library.get(&name).ok_or(SolveError::Missing(name))?;
            (&table.shape, &table.parts[..])
        };
        let pawns = if swapped { pawns.turned() } else { pawns };
        let (part, _) = shape.placements().find(pawns);
        let mover = if swapped { !side } else { side };
        let sets = Sets::of(&parts[part], mover, self.backend)?;
        sets.each(|set| Ok(set.seen_from(from, swapped)?))
    }

    /// The stalemates with `side` to move in a part of this table, as seen from a domain of the same pieces.
    fn stalemates(
        &self,
        pawns: Pawns,
        side: Color,
        from: &Domain,
    ) -> Result<Option<Bitbase>, SolveError> {
        // In a table of the same pieces on both sides colours may be exchanged, but there is no need to.
        let (part, _) = self.shape.placements().find(pawns);
        match &self.stalemates[part][side as usize] {
            Some(set) => Ok(Some(set.seen_from(from, false)?)),
            None => Ok(None),
        }
    }

    /// What a pawn's move leads to, with the other side to move, in the slots of the domain before the move but
    /// for a captured piece.
    fn after(&self, domain: &Domain, step: &Step, side: Color) -> Result<Sets, SolveError> {
        let mut fixed = step.pawns.pieces();
        fixed.extend(step.promoted.map(|piece| (piece, step.to)));
        let from = match step.captured {
            Some(_) => {
                let man = self.captured_men(domain, step, side).next();
                domain.without_man(man.expect("a man of the kind"))
            }
            None => domain.clone(),
        };
        let from = (from.with_others_fixed(&fixed)).expect("pieces on squares of their own");
        let mut sets = self.sets(&step.material, step.pawns, !side, &from)?;
        if let Some(passed) = step.passed {
            sets = sets.each(|mut set| {
                set.remove_on(passed);
                Ok(set)
            })?;
            let after = en_passant(step.pawns, side, passed);
            if !after.is_empty() {
                self.capture_en_passant(domain, step, side, &after, &mut sets)?;
            }
        }
        Ok(sets)
    }

    /// The men that a pawn's move may capture: those of the kind.
    fn captured_men(
        &self,
        domain: &Domain,
        step: &Step,
        side: Color,
    ) -> impl Iterator<Item = usize> + use<> {
        let men: Vec<usize> = (0..domain.men().len())
            .filter(|&k| {
                let piece = domain.men()[k].piece();
                piece.is_some_and(|piece| piece.color != side && Some(piece.kind) == step.captured)
            })
            .collect();
        men.into_iter()
    }

    /// Lets the other side capture en passant after a pawn's two steps: positions are worth the better of what
    /// they are worth without and of these captures, and these captures alone where there is no other move.
    fn capture_en_passant(
        &self,
        domain: &Domain,
        step: &Step,
        side: Color,
        after: &[Pawns],
        sets: &mut Sets,
    ) -> Result<(), SolveError> {
        let backend = self.backend;
        let captured = tbindex::Piece::new(side, PieceType::Pawn);
        let material = (self.shape.material())
            .after(Conversion::Capture { captured })
            .expect("a pawn was there");
        let captures = after.iter().map(|&pawns| {
            let from = domain.with_others_fixed(&pawns.pieces());
            let from = from.expect("pawns on squares of their own");
            self.sets(&material, pawns, side, &from)?.each(|set| {
                let mut here = Bitbase::new(sets.legal.domain())?;
                here.unite_same_squares(&set);
                here.intersect(&sets.legal, backend);
                Ok(here)
            })
        });
        let captures: Vec<Sets> = captures.collect::<Result<_, SolveError>>()?;
        // A stalemate is none if there is such a capture: it counts as lost until one is better.
        if let Some(stalemates) = self.stalemates(step.pawns, !side, sets.legal.domain())? {
            for capture in &captures {
                let mut stuck = capture.legal.try_clone()?;
                stuck.intersect(&stalemates, backend);
                sets.lost.unite(&stuck, backend);
            }
        }
        for capture in &captures {
            let mut blessed = capture.not_won.try_clone()?;
            blessed.intersect(&sets.lost, backend);
            sets.lost.subtract(&blessed, backend);
            sets.blessed.unite(&blessed, backend);
            sets.blessed.subtract(&capture.not_cursed, backend);
            for worse in [&capture.lost, &capture.blessed] {
                sets.not_cursed.subtract(worse, backend);
            }
            sets.not_won.subtract(&capture.lost, backend);
        }
        Ok(())
    }

    /// The moves of `side` out of a part.
    pub(crate) fn doors(&self, part: usize, side: Color) -> Result<Doors, SolveError> {
        let domain = &self.shape.domain(part);
        let pawns = self.shape.pawns(part);
        let mut doors = Doors::default();
        for captured in domain.captured_by(side) {
            let (piece, mut left) = match captured {
                Captured::Man(man) => (domain.men()[man].piece(), pawns),
                Captured::Fixed(fixed) => {
                    let (piece, square) = domain.fixed()[fixed];
                    let mut left = pawns;
                    left.remove(piece.color, square);
                    (Some(piece), left)
                }
            };
            let captured_piece = piece.expect("a piece of chess");
            let smaller = (self.shape.material())
                .after(Conversion::Capture {
                    captured: captured_piece,
                })
                .expect("the piece is there");
            let after = domain.after(captured);
            let after = after.expect("a group that leaves fixed pieces in place");
            let (name, swapped) = table_of(&smaller);
            let mover = if swapped { side } else { !side };
            let sets = if name.piece_count() == 2 {
                Sets::drawn(&after, mover, self.backend)?
            } else {
                let table = self.library.get(&name).ok_or(SolveError::Missing(name))?;
                if swapped {
                    left = left.turned();
                }
                let (part, _) = table.shape.placements().find(left);
                Sets::of(&table.parts[part], mover, self.backend)?
            };
            let swapped = swapped && name.piece_count() > 2;
            for (exits, set) in doors.with(&sets) {
                exits
                    .captures
                    .push(Captures::new(domain, captured, set, swapped)?);
            }
        }
        for step in steps(&self.shape.material(), pawns, side) {
            let sets = self.after(domain, &step, side)?;
            for (exits, set) in doors.with(&sets) {
                let moves = exits.moves(domain)?;
                if step.captured.is_some() {
                    for man in self.captured_men(domain, &step, side) {
                        moves.unite_with_man(man, step.to, set);
                    }
                } else {
                    moves.unite_same_squares(set);
                }
            }
        }
        doors.lost.drop_if_empty();
        doors.blessed.drop_if_empty();
        doors.cursed = !doors.not_won.same_as(&doors.not_cursed);
        if !doors.cursed {
            doors.not_cursed = Exits::default();
        }
        Ok(doors)
    }
}

impl Doors {
    /// The exits with the sets that they lead into.
    fn with<'a>(&'a mut self, sets: &'a Sets) -> [(&'a mut Exits, &'a Bitbase); 5] {
        [
            (&mut self.any, &sets.legal),
            (&mut self.lost, &sets.lost),
            (&mut self.blessed, &sets.blessed),
            (&mut self.not_won, &sets.not_won),
            (&mut self.not_cursed, &sets.not_cursed),
        ]
    }
}
