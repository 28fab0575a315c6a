//! Moves that lead out of a part of a table, by what they lead to: captures, and the moves of pawns.

use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Captured, Captures, Domain, Gathered, SeenError, Slice, Slot};
use tbindex::{Color, Conversion, Material, Piece, PieceType};

use crate::due::wanted;
use crate::library::{Library, SolveError};
use crate::pawns::Pawns;
use crate::planes::{Slab, for_each_code};
use crate::shape::{Shape, table_of};
use crate::steps::{Step, en_passant, steps};
use crate::table::Part;
use crate::value::{Metric, Outcome, Value};

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
    not_won: Bitbase,
    /// Where the fifty-move rule makes a difference.
    cursed: Option<Cursed>,
}

/// What the fifty-move rule makes of positions.
struct Cursed {
    blessed: Bitbase,
    /// Not even a cursed win.
    not_cursed: Bitbase,
}

impl Sets {
    /// The positions of a part with a side to move.
    fn of(part: &Part, side: Color, backend: Backend) -> Result<Sets, SolveError> {
        let legal = Bitbase::legal(&part.domain, side, backend)?;
        let mut values = part.sides[side as usize].values.iter();
        let lost = |value: Value| value.outcome == Outcome::Loss;
        let won = |value: Value| value.outcome == Outcome::Win;
        let is_cursed =
            |value: &Value| matches!(value.outcome, Outcome::CursedWin | Outcome::BlessedLoss);
        if !values.any(is_cursed) {
            let [lost, mut not_won] = part.positions_by(side, [&lost, &won])?;
            not_won.complement_in(&legal, backend);
            return Ok(Sets {
                legal,
                lost,
                not_won,
                cursed: None,
            });
        }
        let blessed = |value: Value| value.outcome == Outcome::BlessedLoss;
        let cursed = |value: Value| value.outcome >= Outcome::CursedWin;
        let [lost, mut not_won, blessed, mut not_cursed] =
            part.positions_by(side, [&lost, &won, &blessed, &cursed])?;
        not_won.complement_in(&legal, backend);
        not_cursed.complement_in(&legal, backend);
        Ok(Sets {
            legal,
            lost,
            not_won,
            cursed: Some(Cursed {
                blessed,
                not_cursed,
            }),
        })
    }

    /// All legal positions of a domain, which are draws.
    fn drawn(domain: &Domain, side: Color, backend: Backend) -> Result<Sets, SolveError> {
        let legal = Bitbase::legal(domain, side, backend)?;
        Ok(Sets {
            lost: Bitbase::new(domain)?,
            not_won: legal.try_clone()?,
            cursed: None,
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
            not_won: change(self.not_won)?,
            cursed: match self.cursed {
                Some(cursed) => Some(Cursed {
                    blessed: change(cursed.blessed)?,
                    not_cursed: change(cursed.not_cursed)?,
                }),
                None => None,
            },
        })
    }

    /// What the fifty-move rule makes of positions, made if it made no difference so far.
    fn cursed(&mut self) -> Result<&mut Cursed, SolveError> {
        if self.cursed.is_none() {
            self.cursed = Some(Cursed {
                blessed: Bitbase::new(self.legal.domain())?,
                not_cursed: self.not_won.try_clone()?,
            });
        }
        Ok(self.cursed.as_mut().expect("just made"))
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

    fn copy(&self) -> Result<Exits, SolveError> {
        let moves = self.moves.as_ref().map(Bitbase::try_clone).transpose()?;
        Ok(Exits {
            captures: self.captures.clone(),
            moves,
        })
    }

    fn drop_if_empty(&mut self) {
        self.captures.retain(|captures| !captures.is_empty());
        self.moves.take_if(|moves| moves.is_empty());
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
    /// `None` if it is the same as `not_won`.
    pub(crate) not_cursed: Option<Exits>,
}

/// What moves out of a part lead to, by distances.
pub(crate) enum Promise<'a> {
    /// All values that there may be.
    Values(&'a [Value]),
    /// Captures that lead to positions of a value.
    Captures(Value, &'a Captures),
    /// Positions of a slab from which a pawn's move leads to positions of a value.
    Slab(Value, usize, &'a Slab),
}

/// Values of positions in bit planes.
struct Coded {
    planes: Vec<Bitbase>,
    values: Vec<Value>,
}

impl Coded {
    fn value(&self, slot: Slot) -> Value {
        let planes = self.planes.iter().enumerate();
        self.values[planes.fold(0, |code, (bit, plane)| {
            code | usize::from(plane.contains(slot)) << bit
        })]
    }

    fn set(&mut self, slot: Slot, value: Value, domain: &Domain) -> Result<(), SolveError> {
        let code = self.values.iter().position(|&there| there == value);
        let code = code.unwrap_or(self.values.len());
        if code == self.values.len() {
            self.values.push(value);
        }
        while code >> self.planes.len() != 0 {
            self.planes.push(Bitbase::new(domain)?);
        }
        for (bit, plane) in self.planes.iter_mut().enumerate() {
            if code >> bit & 1 != 0 {
                plane.insert(slot);
            } else {
                plane.remove(slot);
            }
        }
        Ok(())
    }
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
        let Some((part, swapped)) = self.source(material, pawns)? else {
            return Sets::drawn(from, side, self.backend);
        };
        let mover = if swapped { !side } else { side };
        let sets = Sets::of(part, mover, self.backend)?;
        sets.each(|set| Ok(set.seen_from(from, swapped)?))
    }

    /// The part of a table that has a material with the pawns on these squares, or their mirror images, and
    /// whether its colours are exchanged; or `None` if there are only the kings.
    fn source(
        &self,
        material: &Material,
        pawns: Pawns,
    ) -> Result<Option<(&Part, bool)>, SolveError> {
        let (name, swapped) = table_of(material);
        if name.piece_count() == 2 {
            return Ok(None);
        }
        let (shape, parts) = if name == self.shape.material() {
            (self.shape, self.parts)
        } else {
            let table = self.library.get(&name).ok_or(SolveError::Missing(name))?;
            (&table.shape, &table.parts[..])
        };
        let pawns = if swapped { pawns.turned() } else { pawns };
        let (part, _) = shape.placements().find(pawns);
        Ok(Some((&parts[part], swapped)))
    }

    /// The domain after a pawn's move: the same slots but for a captured man.
    fn domain_after(&self, domain: &Domain, step: &Step, side: Color) -> Domain {
        let mut fixed = step.pawns.pieces();
        fixed.extend(step.promoted.map(|piece| (piece, step.to)));
        let from = match step.captured {
            Some(_) => {
                let man = self.captured_men(domain, step, side).next();
                domain.without_man(man.expect("a man of the kind"))
            }
            None => domain.clone(),
        };
        let from = from.with_others_fixed(&fixed);
        from.expect("pieces on squares of their own")
    }

    /// The captures by men and kings of a side: of what, the material, and the pawns that are left.
    fn captures(&self, part: usize, side: Color) -> Vec<(Captured, Material, Pawns)> {
        let domain = self.shape.domain(part);
        let all = domain.captured_by(side).map(|captured| {
            let mut left = self.shape.pawns(part);
            let piece = match captured {
                Captured::Man(man) => domain.men()[man].piece().expect("a piece of chess"),
                Captured::Fixed(fixed) => {
                    let (piece, square) = domain.fixed()[fixed];
                    left.remove(piece.color, square);
                    piece
                }
            };
            let smaller = (self.shape.material()).after(Conversion::Capture { captured: piece });
            (captured, smaller.expect("the piece is there"), left)
        });
        all.collect()
    }

    /// Hands over the positions of a part from which moves of `side` out of it lead to values that count for it,
    /// with these values of the other side: losses if `wins`, else wins. A position may be handed over several
    /// times, and illegal ones may be among them. First all values are handed over that there may be.
    pub(crate) fn promises(
        &self,
        part: usize,
        side: Color,
        wins: bool,
        each: &mut dyn FnMut(Promise<'_>) -> Result<(), SolveError>,
    ) -> Result<(), SolveError> {
        let domain = &self.shape.domain(part);
        let captures = self.captures(part, side);
        let pawn_steps = steps(&self.shape.material(), self.shape.pawns(part), side);
        let mut values = Vec::new();
        let mut sources: Vec<(&Part, Color)> = Vec::new();
        for (_, material, pawns) in &captures {
            if let Some((part, swapped)) = self.source(material, *pawns)? {
                sources.push((part, if swapped { side } else { !side }));
            }
        }
        for step in &pawn_steps {
            if let Some((part, swapped)) = self.source(&step.material, step.pawns)? {
                sources.push((part, if swapped { side } else { !side }));
            }
            for (material, pawns) in self.en_passant_sources(step, side) {
                if let Some((part, swapped)) = self.source(&material, pawns)? {
                    let mover = if swapped { !side } else { side };
                    let there = part.sides[mover as usize].values.iter();
                    values.extend(there.map(|&value| Metric::Dtm.after_move(value, true)));
                }
            }
        }
        for (part, mover) in sources {
            values.extend(part.sides[mover as usize].values.iter().copied());
        }
        values.sort_unstable();
        values.dedup();
        values.retain(|&value| wanted(value, wins));
        each(Promise::Values(&values))?;

        for (captured, material, pawns) in captures {
            let Some((part, swapped)) = self.source(&material, pawns)? else {
                continue;
            };
            let mover = if swapped { side } else { !side };
            for &value in part.sides[mover as usize].values.iter() {
                if !wanted(value, wins) {
                    continue;
                }
                let set = part.positions_with(mover, |there| there == value)?;
                let captures = Captures::new(domain, captured, &set, swapped)?;
                if !captures.is_empty() {
                    each(Promise::Captures(value, &captures))?;
                }
            }
        }
        for step in &pawn_steps {
            let Some(coded) = self.coded(domain, step, side)? else {
                continue;
            };
            for slab in 0..domain.slabs() {
                let planes: Vec<Slab> = (coded.planes.iter())
                    .map(|plane| std::array::from_fn(|r| plane.rows()[slab * 8 + r]))
                    .collect();
                let mut result = Ok(());
                for_each_code(&planes, &mut |code, these| {
                    let value = coded.values[usize::from(code)];
                    if wanted(value, wins) && result.is_ok() {
                        result = each(Promise::Slab(value, slab, these));
                    }
                });
                result?;
            }
        }
        Ok(())
    }

    /// The materials and pawns after captures en passant of a pawn's two steps.
    fn en_passant_sources(&self, step: &Step, side: Color) -> Vec<(Material, Pawns)> {
        let Some(passed) = step.passed else {
            return Vec::new();
        };
        let captured = Piece::new(side, PieceType::Pawn);
        let material = (self.shape.material())
            .after(Conversion::Capture { captured })
            .expect("a pawn was there");
        let after = en_passant(step.pawns, side, passed).into_iter();
        after.map(|pawns| (material, pawns)).collect()
    }

    /// The values after a pawn's move, in the slots before it; `None` if only the kings are left.
    fn coded(
        &self,
        domain: &Domain,
        step: &Step,
        side: Color,
    ) -> Result<Option<Coded>, SolveError> {
        let Some((part, swapped)) = self.source(&step.material, step.pawns)? else {
            return Ok(None);
        };
        let mover = if swapped { side } else { !side };
        let from = self.domain_after(domain, step, side);
        let mut coded = Coded {
            planes: Vec::new(),
            values: part.sides[mover as usize].values.to_vec(),
        };
        for plane in part.planes(mover)? {
            let mut seen = plane.seen_from(&from, swapped)?;
            if let Some(passed) = step.passed {
                seen.remove_on(passed);
            }
            let mut here = Bitbase::new(domain)?;
            if step.captured.is_some() {
                for man in self.captured_men(domain, step, side) {
                    here.unite_with_man(man, step.to, &seen);
                }
            } else {
                here.unite_same_squares(&seen);
            }
            coded.planes.push(here);
        }
        let after = self.en_passant_sources(step, side);
        if !after.is_empty() {
            self.code_en_passant(domain, step, side, &after, &mut coded)?;
        }
        Ok(Some(coded))
    }

    /// Lets the other side capture en passant after a pawn's two steps, position by position: there are few.
    fn code_en_passant(
        &self,
        domain: &Domain,
        step: &Step,
        side: Color,
        after: &[(Material, Pawns)],
        coded: &mut Coded,
    ) -> Result<(), SolveError> {
        let backend = self.backend;
        let moved = domain.with_others_fixed(&step.pawns.pieces());
        let moved = moved.expect("pawns on squares of their own");
        let mut legal = Bitbase::legal(&moved, !side, backend)?;
        legal.remove_on(step.passed.expect("two steps"));
        // Positions without another move, stalemates and mates, have the value of the captures alone.
        let mut stuck = Bitbase::new(&moved)?;
        if let Some(stalemates) = self.stalemates(step.pawns, !side, &moved)? {
            stuck.unite(&stalemates, backend);
        }
        let mut best: std::collections::BTreeMap<Slot, Value> = std::collections::BTreeMap::new();
        for (material, pawns) in after {
            let from = domain.with_others_fixed(&pawns.pieces());
            let from = from.expect("pawns on squares of their own");
            let mut able = Bitbase::new(&moved)?;
            able.unite_same_squares(&Bitbase::legal(&from, side, backend)?);
            able.intersect(&legal, backend);
            let (planes, values) = match self.source(material, *pawns)? {
                None => (Vec::new(), vec![Value::DRAW]),
                Some((part, swapped)) => {
                    let mover = if swapped { !side } else { side };
                    let planes = part.planes(mover)?.into_iter();
                    let planes = planes.map(|plane| Ok(plane.seen_from(&from, swapped)?));
                    let planes = planes.collect::<Result<Vec<Bitbase>, SolveError>>()?;
                    (planes, part.sides[mover as usize].values.to_vec())
                }
            };
            for slot in able.slots() {
                let code = planes.iter().enumerate().fold(0, |code, (bit, plane)| {
                    code | usize::from(plane.contains(slot)) << bit
                });
                let value = Metric::Dtm.after_move(values[code], true);
                let better = |there: &Value| value.preference() > there.preference();
                if best.get(&slot).is_none_or(better) {
                    best.insert(slot, value);
                }
            }
        }
        for (slot, capture) in best {
            let there = coded.value(slot);
            let only = stuck.contains(slot) || there == Value::loss(0);
            if only || capture.preference() > there.preference() {
                coded.set(slot, capture, domain)?;
            }
        }
        Ok(())
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
        let from = self.domain_after(domain, step, side);
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
        let captured = Piece::new(side, PieceType::Pawn);
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
        let makes_a_difference = captures.iter().any(|capture| capture.cursed.is_some());
        if makes_a_difference {
            sets.cursed()?;
        }
        for capture in &captures {
            let mut saved = capture.not_won.try_clone()?;
            saved.intersect(&sets.lost, backend);
            sets.lost.subtract(&saved, backend);
            sets.not_won.subtract(&capture.lost, backend);
            let Some(cursed) = &mut sets.cursed else {
                continue;
            };
            // What saves from a loss saves a blessed loss at least.
            cursed.blessed.unite(&saved, backend);
            cursed.not_cursed.subtract(&capture.lost, backend);
            match &capture.cursed {
                Some(more) => {
                    cursed.blessed.subtract(&more.not_cursed, backend);
                    cursed.not_cursed.subtract(&more.blessed, backend);
                }
                None => cursed.blessed.subtract(&capture.not_won, backend),
            }
        }
        Ok(())
    }

    /// The moves of `side` out of a part.
    pub(crate) fn doors(&self, part: usize, side: Color) -> Result<Doors, SolveError> {
        let domain = &self.shape.domain(part);
        let pawns = self.shape.pawns(part);
        let mut doors = Doors::default();
        for (captured, material, left) in self.captures(part, side) {
            let (sets, swapped) = match self.source(&material, left)? {
                Some((part, swapped)) => {
                    let mover = if swapped { side } else { !side };
                    (Sets::of(part, mover, self.backend)?, swapped)
                }
                None => {
                    let after = domain.after(captured);
                    let after = after.expect("a group that leaves fixed pieces in place");
                    (Sets::drawn(&after, !side, self.backend)?, false)
                }
            };
            doors.add(&sets, &mut |exits, set| {
                let captures = Captures::new(domain, captured, set, swapped)?;
                exits.captures.push(captures);
                Ok(())
            })?;
        }
        for step in steps(&self.shape.material(), pawns, side) {
            let sets = self.after(domain, &step, side)?;
            doors.add(&sets, &mut |exits, set| {
                let moves = exits.moves(domain)?;
                if step.captured.is_some() {
                    for man in self.captured_men(domain, &step, side) {
                        moves.unite_with_man(man, step.to, set);
                    }
                } else {
                    moves.unite_same_squares(set);
                }
                Ok(())
            })?;
        }
        doors.lost.drop_if_empty();
        doors.blessed.drop_if_empty();
        Ok(doors)
    }
}

impl Doors {
    /// Adds to all exits the moves that lead into these sets.
    fn add(
        &mut self,
        sets: &Sets,
        to: &mut dyn FnMut(&mut Exits, &Bitbase) -> Result<(), SolveError>,
    ) -> Result<(), SolveError> {
        if sets.cursed.is_some() && self.not_cursed.is_none() {
            self.not_cursed = Some(self.not_won.copy()?);
        }
        to(&mut self.any, &sets.legal)?;
        to(&mut self.lost, &sets.lost)?;
        to(&mut self.not_won, &sets.not_won)?;
        if let Some(not_cursed) = &mut self.not_cursed {
            let set = (sets.cursed.as_ref()).map_or(&sets.not_won, |cursed| &cursed.not_cursed);
            to(not_cursed, set)?;
        }
        if let Some(cursed) = &sets.cursed {
            to(&mut self.blessed, &cursed.blessed)?;
        }
        Ok(())
    }
}
