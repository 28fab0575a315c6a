//! The parts that are solved already, as conversions of a part in work lead to them.

use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Captured, Domain};
use tbindex::{Color, Conversion, Material, Piece, PieceType, Square, Symmetry};

use crate::chess::pawns::Pawns;
use crate::chess::pawns::{PawnStep, en_passant};
use crate::subtables::cache::{Key, Promotions, Recent};
use crate::subtables::library::{Library, SolveError};
use crate::table::planes::Planes;
use crate::table::shape::{Shape, table_of};
use crate::table::solved::Part;
use crate::table::value::{Metric, Value};

/// The smaller tables, and the parts of this one that are solved.
pub(crate) struct Solved<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) metric: Metric,
    pub(crate) library: &'a Library,
    /// The parts of this table that are solved.
    pub(crate) parts: &'a [Part],
    /// For each of these parts and each side to move the stalemates, where a pawn of the other side may have made
    /// two steps to get there.
    pub(crate) stalemates: &'a [[Option<Bitbase>; 2]],
    /// The codes that conversions lead to, as far as they were wanted not long ago.
    pub(crate) recent: &'a Recent,
    pub(crate) backend: Backend,
}

/// A part of a table that is solved.
pub(crate) struct Source<'a> {
    pub(crate) material: Material,
    pub(crate) number: usize,
    pub(crate) part: &'a Part,
    /// Whether the table has the colours exchanged.
    pub(crate) swapped: bool,
    /// Whether the part has the mirror image, left to right.
    mirrored: bool,
}

impl Source<'_> {
    /// The side that is to move in the table when `side` is here.
    pub(crate) fn mover(&self, side: Color) -> Color {
        if self.swapped { !side } else { side }
    }

    /// The values with a side to move here.
    pub(crate) fn values(&self, side: Color) -> &[Value] {
        &self.part.sides[self.mover(side) as usize].values
    }

    /// The slices of the part that have the kings of these slices of a domain.
    pub(crate) fn slices_there(&self, domain: &Domain, slices: &[bool]) -> Vec<bool> {
        let pairs = domain.king_pairs().expect("slices of kings");
        let Some(own) = self.part.domain.king_pairs() else {
            return vec![true];
        };
        let mut there = vec![false; own.all().len()];
        for slice in (0..slices.len()).filter(|&slice| slices[slice]) {
            let [white, black] = pairs.all()[slice].map(|king| self.square(king));
            let [white, black] = match self.swapped {
                true => [black, white],
                false => [white, black],
            };
            let (slice, _) = own.find(white, black).expect("kings that are apart");
            there[slice] = true;
        }
        there
    }

    /// A square as the part has it.
    fn square(&self, mut square: Square) -> Square {
        if self.swapped {
            square = Symmetry::FlipVertical.apply(square);
        }
        if self.mirrored {
            square = Symmetry::FlipHorizontal.apply(square);
        }
        square
    }

    /// The promotions that lead to the part from a domain with `side` to move there, if it is worth while to look at all of
    /// them at once: if the part has pawns, as otherwise they don't lead to others, and has to be read or decompressed.
    pub(crate) fn promotions(&self, side: Color, from: &Domain) -> Option<Key> {
        let (piece, _) = promoted_in(from)?;
        let planes = &self.part.sides[self.mover(side) as usize].slices;
        let at_hand = planes.iter().all(Planes::is_at_hand);
        (!at_hand && !self.part.domain.fixed().is_empty()).then_some(Key {
            promotions: Some(Promotions {
                mirrored: self.mirrored,
                piece,
            }),
            ..self.key(side, false)
        })
    }

    /// The key of the codes with a side to move, of the positions or of moves to them.
    pub(crate) fn key(&self, side: Color, moved: bool) -> Key {
        Key {
            material: self.material,
            part: self.number,
            side,
            swapped: self.swapped,
            moved,
            promotions: None,
        }
    }
}

/// The piece that a pawn has just become in a domain, and its square.
pub(crate) fn promoted_in(from: &Domain) -> Option<(Piece, Square)> {
    let mut fixed = from.fixed().iter().copied();
    fixed.find(|(piece, _)| piece.kind != PieceType::Pawn)
}

/// The slices of a domain in which captures of `side` from some slices end. A king that captures goes to another slice.
///
/// # Panics
/// If the kings are free.
pub(crate) fn slices_after(domain: &Domain, side: Color, slices: &[usize]) -> Vec<bool> {
    let pairs = domain.king_pairs().expect("slices of kings");
    let mut after = vec![false; domain.slices()];
    for &slice in slices {
        after[slice] = true;
        for &there in pairs.neighbours(slice, side) {
            after[there] = true;
        }
    }
    after
}

/// The captures by men and kings of a side: of what, the material, and the pawns that are left.
pub(crate) fn captures(
    shape: &Shape,
    part: usize,
    side: Color,
) -> Vec<(Captured, Material, Pawns)> {
    let domain = shape.domain(part);
    let all = domain.captured_by(side).map(|captured| {
        let mut left = shape.pawns(part);
        let piece = match captured {
            Captured::Man(man) => shape.piece_of(domain.men()[man]),
            Captured::Fixed(fixed) => {
                let (piece, square) = domain.fixed()[fixed];
                left.remove(piece.color, square);
                piece
            }
        };
        let smaller = (shape.material()).after(Conversion::Capture { captured: piece });
        (captured, smaller.expect("the piece is there"), left)
    });
    all.collect()
}

/// The material and the pawns after each capture en passant of a pawn of `side` that has passed a square.
pub(crate) fn after_en_passant(
    material: &Material,
    pawns: Pawns,
    passed: Square,
    side: Color,
) -> Vec<(Material, Pawns)> {
    let captured = Piece::new(side, PieceType::Pawn);
    let material = material.after(Conversion::Capture { captured });
    let material = material.expect("a pawn was there");
    let after = en_passant(pawns, side, passed).into_iter();
    after.map(|pawns| (material, pawns)).collect()
}

impl Solved<'_> {
    /// The error if values of this table have no codes.
    pub(crate) fn too_many(&self) -> SolveError {
        SolveError::TooManyValues(self.shape.material())
    }

    /// The part of a table that has a material with the pawns on these squares, or their mirror images, or `None`
    /// if there are only the kings.
    pub(crate) fn source(
        &self,
        material: &Material,
        pawns: Pawns,
    ) -> Result<Option<Source<'_>>, SolveError> {
        let (name, swapped) = table_of(material);
        if name.piece_count() == 2 {
            return Ok(None);
        }
        let (shape, parts) = if name == self.shape.material() {
            // No move to the same pieces exchanges the colours.
            (self.shape, self.parts)
        } else {
            let metric = match swapped {
                true => self.metric.exchanged(),
                false => self.metric,
            };
            let table = self.library.of(&name, metric.victim());
            let table = table.ok_or(SolveError::Missing(name))?;
            (&table.shape, &table.parts[..])
        };
        let pawns = if swapped { pawns.turned() } else { pawns };
        let (number, mirrored) = shape.placements().find(pawns);
        Ok(Some(Source {
            mirrored,
            material: name,
            number,
            part: &parts[number],
            swapped,
        }))
    }

    /// The domain after a pawn's move: the same slots but for a captured man.
    pub(crate) fn domain_after(&self, domain: &Domain, step: &PawnStep, side: Color) -> Domain {
        let mut fixed = step.pawns.pieces();
        fixed.extend(step.promoted.map(|piece| (piece, step.to)));
        let from = match step.captured {
            Some(_) => {
                let men = self.captured_men(domain, step, side);
                let captured = Captured::Man(*men.first().expect("a man of the kind"));
                domain.after(captured).expect("no fixed piece is captured")
            }
            None => domain.clone(),
        };
        let from = from.with_others_fixed(&fixed);
        from.expect("pieces on squares of their own")
    }

    /// The stalemates with `side` to move in a part of this table, as seen from a domain of the same pieces.
    pub(crate) fn stalemates(
        &self,
        pawns: Pawns,
        side: Color,
        from: &Domain,
    ) -> Result<Option<Bitbase>, SolveError> {
        // In a table of the same pieces on both sides colours may be exchanged, but there is no need to.
        let (part, _) = self.shape.placements().find(pawns);
        match (self.stalemates.get(part)).and_then(|sides| sides[side as usize].as_ref()) {
            Some(set) => Ok(Some(set.convert(from, false, self.backend)?)),
            None => Ok(None),
        }
    }

    /// The men that a pawn's move may capture: those of the kind.
    pub(crate) fn captured_men(&self, domain: &Domain, step: &PawnStep, side: Color) -> Vec<usize> {
        (0..domain.men().len())
            .filter(|&k| {
                let piece = domain.men()[k].piece();
                piece.is_some_and(|piece| piece.color != side && Some(piece.kind) == step.captured)
            })
            .collect()
    }
}
