//! What is solved already, and what moves out of a part of a table lead to in it.

use std::sync::{Arc, Mutex, PoisonError};

use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Captured, Domain};
use tbindex::{Color, Conversion, KingMoves, Material, Piece, PieceType, Square, Symmetry};

use crate::chess::pawn_moves::{Step, en_passant};
use crate::chess::pawns::Pawns;
use crate::subtables::cache::{Key, Recent};
use crate::subtables::library::{Library, SolveError};
use crate::subtables::outcome_sets::{Seeing, Sets, slices_at_once};
use crate::subtables::promotions::{
    Promoted, Promotions, copy_into, copy_of, on_each_file, promoted_in,
};
use crate::table::code_sets::CodeSets;
use crate::table::mate_codes::{to_mates, to_moves};
use crate::table::planes::Planes;
use crate::table::shape::{Shape, table_of};
use crate::table::solved::Part;
use crate::table::value::Value;

/// What is solved already.
pub(crate) struct Solved<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) library: &'a Library,
    /// The parts of this table that are solved.
    pub(crate) parts: &'a [Part],
    /// For each of these parts and each side to move the stalemates, where a pawn of the other side may have made
    /// two steps to get there.
    pub(crate) stalemates: &'a [[Option<Bitbase>; 2]],
    pub(crate) recent_sets: &'a Recent<Key, Sets>,
    pub(crate) recent_planes: &'a Recent<Key, CodeSets>,
    /// What promotions lead to, by outcomes and by the planes of codes.
    pub(crate) promoted_sets: &'a Promoted<Sets>,
    pub(crate) promoted_planes: &'a Promoted<CodeSets>,
    /// Held by the thread that sees more than [`LARGE_PLANES`] from another part. Whoever holds it must not run anything on
    /// other threads, as this one might take up another part's work meanwhile, and wait for itself.
    pub(crate) large_planes: &'a Mutex<()>,
    /// What positions promise to the side that moves there, by the distance to mate.
    pub(crate) recent_promises: &'a Recent<Key, CodeSets>,
    pub(crate) backend: Backend,
}

/// A part of a table that is solved.
pub(crate) struct Source<'a> {
    material: Material,
    number: usize,
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

    /// The values with a side to move in the table.
    pub(crate) fn values(&self, mover: Color) -> &[Value] {
        &self.part.sides[mover as usize].values
    }

    /// Of a large part, the positions with a side to move in which the piece that a pawn has just become in a domain, `from`,
    /// is where it is there, if these can be had alone.
    fn narrowed(&self, mover: Color, from: &Domain) -> Result<Option<Part>, SolveError> {
        if self.part.domain.bytes() < LARGE_PART || self.part.domain.king_pairs().is_some() {
            return Ok(None);
        }
        let Some((piece, square)) = promoted_in(from) else {
            return Ok(None);
        };
        let piece = match self.swapped {
            true => piece.swap_color(),
            false => piece,
        };
        let square = self.square(square);
        let mut men = self.part.domain.men().iter();
        let Some(man) = men.position(|man| man.piece() == Some(piece)) else {
            return Ok(None);
        };
        Ok(self.part.with_fixed(mover, man, square)?)
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

    /// The promotions that lead to the part from a domain, if it is worth while to look at all of them at once: if the part has
    /// pawns, as otherwise they don't lead to others, and has to be read or decompressed.
    fn promotions(&self, mover: Color, from: &Domain) -> Option<Promotions> {
        let (piece, _) = promoted_in(from)?;
        let source = (self.material, self.number, mover, self.swapped);
        let part = self.part;
        let at_hand = part.sides[mover as usize]
            .slices
            .iter()
            .all(Planes::is_at_hand);
        (!at_hand && !part.domain.fixed().is_empty()).then_some(Promotions {
            source,
            mirrored: self.mirrored,
            piece,
        })
    }

    fn key(&self, mover: Color) -> Key {
        (self.material, self.number, mover, false)
    }
}

/// The slices of a domain in which captures of `side` from some slices end. A king that captures goes to another slice.
pub(crate) fn slices_after(domain: &Domain, side: Color, slices: &[usize]) -> Vec<bool> {
    let moves = KingMoves::new(domain.king_pairs().expect("slices of kings"));
    let mut after = vec![false; domain.slices()];
    for &slice in slices {
        after[slice] = true;
        for &there in moves.neighbours(slice, side) {
            after[there] = true;
        }
    }
    after
}

/// The bytes of a set of a part that is read piece by piece, or only as far as it is wanted.
pub(crate) const LARGE_PART: u64 = 16 << 20;

/// The bytes of planes of which one thread alone has some at a time, where what is seen in them is small.
pub(crate) const LARGE_PLANES: u64 = 64 << 20;

/// Makes sets what is seen of the planes of codes.
fn see(
    planes: &[Bitbase],
    from: Seeing<'_>,
    sets: &mut CodeSets,
    backend: Backend,
) -> Result<(), SolveError> {
    sets.clear();
    add_seen(planes, from, sets, |_| true, backend)
}

/// Adds to sets what is seen of the planes of codes in some of their slices.
fn add_seen(
    planes: &[Bitbase],
    from: Seeing<'_>,
    sets: &mut CodeSets,
    wanted: impl Fn(usize) -> bool + Sync,
    backend: Backend,
) -> Result<(), SolveError> {
    while sets.planes().len() < planes.len() {
        sets.push(from.domain)?;
    }
    let mut all: Vec<&mut Bitbase> = sets.planes_mut()[..planes.len()].iter_mut().collect();
    let planes: Vec<&Bitbase> = planes.iter().collect();
    from.unite(&mut all, &planes, wanted, backend)
}

/// The bytes of the planes of a part with a side to move, of as many as most parts have.
fn bytes_of_planes(part: &Part) -> u64 {
    8 * part.domain.bytes()
}

impl Solved<'_> {
    /// The positions of a material with the pawns on these squares and `side` to move, by their outcomes, as seen
    /// from a domain, in the slices that are chosen there or, if none are, in all.
    pub(crate) fn sets(
        &self,
        material: &Material,
        pawns: Pawns,
        side: Color,
        domain: &Domain,
        chosen: Option<&[bool]>,
    ) -> Result<Sets, SolveError> {
        let Some(source) = self.source(material, pawns)? else {
            return Sets::drawn(domain, side, self.backend, chosen);
        };
        let mover = source.mover(side);
        let part = source.part;
        let from = Seeing {
            domain,
            chosen,
            swapped: source.swapped,
        };
        let sets = match source.narrowed(mover, domain)? {
            Some(part) => Arc::new(Sets::of(&part, mover, self.backend)?),
            None if part.domain.bytes() >= LARGE_PART && part.domain.slices() > 1 => {
                let there = chosen.map(|chosen| source.slices_there(domain, chosen));
                return Sets::seen_by_slices(part, mover, self.backend, from, there.as_deref());
            }
            None => {
                // What is kept for all files has up to five sets.
                let bytes = 8 * 5 * domain.bytes();
                if let Some(key) = source.promotions(mover, domain)
                    && self.promoted_sets.keeps(bytes)
                {
                    let (_, square) = promoted_in(domain).expect("there is a key");
                    let all = self.promoted_sets.get(key, bytes, || {
                        let sets = self.sets_of(&source, mover)?;
                        on_each_file(domain, |domain| {
                            sets.convert(Seeing { domain, ..from }, self.backend)
                        })
                    })?;
                    return copy_of(&all[square.index() % 8]);
                }
                self.sets_of(&source, mover)?
            }
        };
        sets.convert(from, self.backend)
    }

    /// The positions of a part with a side to move, by their outcomes.
    pub(crate) fn sets_of(
        &self,
        source: &Source<'_>,
        mover: Color,
    ) -> Result<Arc<Sets>, SolveError> {
        let part = source.part;
        self.recent_sets
            .get(source.key(mover), 5 * part.domain.bytes(), || {
                Sets::of(part, mover, self.backend)
            })
    }

    /// The planes of the codes of a part with a side to move, as sets.
    fn planes_of(&self, source: &Source<'_>, mover: Color) -> Result<Arc<CodeSets>, SolveError> {
        let part = source.part;
        self.recent_planes
            .get(source.key(mover), bytes_of_planes(part), || {
                Ok(part.planes(mover)?)
            })
    }

    /// Makes sets those of the planes of the codes of a part with a side to move, as they are seen from a domain, in the
    /// slices that are chosen there or, if none are, in all.
    pub(crate) fn codes_seen(
        &self,
        source: &Source<'_>,
        mover: Color,
        domain: &Domain,
        chosen: Option<&[bool]>,
        sets: &mut CodeSets,
    ) -> Result<(), SolveError> {
        let (part, swapped) = (source.part, source.swapped);
        let from = Seeing {
            domain,
            chosen,
            swapped,
        };
        if let Some(chosen) = chosen
            && part.domain.slices() > 1
        {
            sets.clear();
            let there = source.slices_there(domain, chosen);
            let there: Vec<usize> = (0..there.len()).filter(|&slice| there[slice]).collect();
            for slices in there.chunks(slices_at_once(&part.domain)) {
                let mut planes = CodeSets::with_few_slices();
                let wanted = |slice: usize| slices.binary_search(&slice).is_ok();
                part.planes_into(mover, &mut planes, wanted)?;
                add_seen(planes.planes(), from, sets, wanted, self.backend)?;
            }
            return Ok(());
        }
        let bytes = bytes_of_planes(part);
        let _one_at_a_time = (bytes > LARGE_PLANES).then(|| {
            self.large_planes
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        });
        if let Some(part) = source.narrowed(mover, domain)? {
            return see(part.planes(mover)?.planes(), from, sets, self.backend);
        }
        if bytes > LARGE_PLANES {
            // All of them together would be much more than what is seen in them.
            sets.clear();
            return part.for_each_plane(mover, |plane| {
                let seen = sets.push(domain)?;
                from.unite(&mut [seen], &[plane], |_| true, self.backend)
            });
        }
        let bytes_of_views = 8 * 8 * domain.bytes();
        if let Some(key) = source.promotions(mover, domain)
            && self.promoted_planes.keeps(bytes_of_views)
        {
            let (_, square) = promoted_in(domain).expect("there is a key");
            let all = self.promoted_planes.get(key, bytes_of_views, || {
                let planes = self.planes_of(source, mover)?;
                on_each_file(domain, |domain| {
                    let mut sets = CodeSets::default();
                    see(
                        planes.planes(),
                        Seeing { domain, ..from },
                        &mut sets,
                        self.backend,
                    )?;
                    Ok(sets)
                })
            })?;
            return copy_into(&all[square.index() % 8], sets);
        }
        if !swapped && part.domain == *domain && !self.recent_planes.keeps(bytes) {
            return Ok(part.planes_into(mover, sets, |_| true)?);
        }
        see(
            self.planes_of(source, mover)?.planes(),
            from,
            sets,
            self.backend,
        )
    }

    /// What the positions of a part with a side to move promise to the other side, which moves there: the planes of codes
    /// that say the distance to mate. If captures lead to some slices alone, those [after](slices_after) them, the others
    /// need not be there.
    pub(crate) fn promised_by(
        &self,
        source: &Source<'_>,
        mover: Color,
        after: Option<&[bool]>,
    ) -> Result<Arc<CodeSets>, SolveError> {
        let part = source.part;
        let bytes = bytes_of_planes(part);
        let after = after.filter(|_| !self.recent_promises.keeps(bytes));
        let there = after.map(|after| source.slices_there(self.shape.any_domain(), after));
        let wanted = |slice: usize| there.as_ref().is_none_or(|there| there[slice]);
        // The side to move here.
        let side = source.mover(mover);
        let key = (source.material, source.number, mover, source.swapped);
        self.recent_promises.get(key, bytes, || {
            let mut sets = match there {
                Some(_) => CodeSets::with_few_slices(),
                None => CodeSets::default(),
            };
            part.planes_into(mover, &mut sets, wanted)?;
            let there = to_mates(&mut sets, source.values(mover), side, wanted)?;
            match (there
                .map(|()| to_moves(&mut sets, side, wanted))
                .transpose()?)
            .flatten()
            {
                Some(()) => Ok(sets),
                None => Err(self.too_many()),
            }
        })
    }

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
            (self.shape, self.parts)
        } else {
            let table = self.library.get(&name).ok_or(SolveError::Missing(name))?;
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
    pub(crate) fn domain_after(&self, domain: &Domain, step: &Step, side: Color) -> Domain {
        let mut fixed = step.pawns.pieces();
        fixed.extend(step.promoted.map(|piece| (piece, step.to)));
        let from = match step.captured {
            Some(_) => {
                let man = self.captured_men(domain, step, side).next();
                let captured = Captured::Man(man.expect("a man of the kind"));
                domain.after(captured).expect("no fixed piece is captured")
            }
            None => domain.clone(),
        };
        let from = from.with_others_fixed(&fixed);
        from.expect("pieces on squares of their own")
    }

    /// The captures by men and kings of a side: of what, the material, and the pawns that are left.
    pub(crate) fn captures(&self, part: usize, side: Color) -> Vec<(Captured, Material, Pawns)> {
        let domain = self.shape.domain(part);
        let all = domain.captured_by(side).map(|captured| {
            let mut left = self.shape.pawns(part);
            let piece = match captured {
                Captured::Man(man) => self.shape.piece_of(domain.men()[man]),
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

    /// The materials and pawns after captures en passant of a pawn's two steps.
    pub(crate) fn en_passant_sources(&self, step: &Step, side: Color) -> Vec<(Material, Pawns)> {
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

    /// The stalemates with `side` to move in a part of this table, as seen from a domain of the same pieces.
    pub(crate) fn stalemates(
        &self,
        pawns: Pawns,
        side: Color,
        from: &Domain,
    ) -> Result<Option<Bitbase>, SolveError> {
        // In a table of the same pieces on both sides colours may be exchanged, but there is no need to.
        let (part, _) = self.shape.placements().find(pawns);
        match &self.stalemates[part][side as usize] {
            Some(set) => Ok(Some(set.convert(from, false, self.backend)?)),
            None => Ok(None),
        }
    }

    /// The men that a pawn's move may capture: those of the kind.
    pub(crate) fn captured_men(
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
}
