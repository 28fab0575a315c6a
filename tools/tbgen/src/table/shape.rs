//! The materials that can be solved, and the parts and slices of their tables.

use std::sync::Arc;

use tbindex::bitbase::{Domain, DomainError, Man};
use tbindex::{Color, Group, Material, Piece, PieceType};

use crate::chess::pawns::{Pawns, Placements};
use crate::chess::piece_set::{Endgame, PieceSet};
use crate::table::value::Metric;

const MOST_PIECES: usize = 7;

/// The most placements of pawns, mirror images included.
const MOST_PLACEMENTS: u64 = 4_000_000;

/// The men from which the parts of a table with pawns have slices by the kings, as its sets are large enough then.
pub(crate) const SLICED_MEN: usize = 3;

/// A material that can be solved, and the order of its positions in memory.
#[derive(Clone, Debug)]
pub struct Shape {
    endgame: Endgame,
    /// The positions, with the first placement of the pawns.
    first: Domain,
    placements: Arc<Placements>,
}

/// The reason why a material can't be solved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// There are too few or too many pieces.
    #[error("{0} has {1} pieces: tables are generated for 3 to {MOST_PIECES} pieces")]
    Count(Material, usize),
    /// There are too many placements of the pawns, each of which is a part of the table.
    #[error(
        "{0} has {1} placements of its pawns: tables are generated for at most {MOST_PLACEMENTS}"
    )]
    Placements(Material, u64),
    /// There are no sets of its positions.
    #[error(transparent)]
    Domain(#[from] DomainError),
}

/// The material under which a table is kept, and whether the colours had to be exchanged for it. White has
/// more or stronger pieces in it: for KQvKR and KRvKQ it is KQvKR.
#[must_use]
pub fn table_of(material: &Material) -> (Material, bool) {
    (material.normal(), material.normal() != *material)
}

impl Shape {
    /// The shape of the table of a material. Its colours must be those of [`table_of`].
    ///
    /// # Errors
    /// If there are not 3 to 7 pieces, or too many placements of the pawns.
    ///
    /// # Panics
    /// If the material is one whose colours `table_of` exchanges.
    pub fn new(material: Material) -> Result<Shape, ShapeError> {
        assert!(!table_of(&material).1, "the table's own colours");
        let count = material.piece_count();
        if !(3..=MOST_PIECES).contains(&count) {
            return Err(ShapeError::Count(material, count));
        }
        let placements = Placements::count(&material);
        if placements > MOST_PLACEMENTS {
            return Err(ShapeError::Placements(material, placements));
        }
        Shape::of(material, Placements::new(&material))
    }

    /// The shape of the table of an endgame, perhaps with short-range pieces. Its colours must be
    /// [normal](Endgame::normal).
    ///
    /// # Errors
    /// If there are not 3 to 5 pieces, or pawns and short-range pieces.
    ///
    /// # Panics
    /// If the colours are not normal.
    pub fn of_endgame(endgame: Endgame) -> Result<Shape, ShapeError> {
        let mut shape = Shape::new(endgame.material)?;
        if endgame.piece_set.is_chess() {
            return Ok(shape);
        }
        // The men in the order of those that stand for them.
        let men: Vec<Man> = (shape.first.men().iter())
            .map(|man| {
                endgame
                    .piece_set
                    .man(man.piece().expect("a piece of chess"))
            })
            .collect();
        shape.first = Domain::of_men(&men, &[])?;
        shape.endgame = endgame;
        Ok(shape)
    }

    /// The shapes of all tables that an endgame needs, its own last. Each comes after those that it needs itself.
    ///
    /// # Errors
    /// As of [`of_endgame`](Shape::of_endgame). Two kings need no table.
    pub fn needed_by(endgame: Endgame) -> Result<Vec<Shape>, ShapeError> {
        let needed = endgame.needed().into_iter();
        let needed = needed.filter(|endgame| endgame.material.piece_count() > 2);
        needed.map(Shape::of_endgame).collect()
    }

    /// The same shape with letters of another piece_set, for an endgame whose pieces are in the same order.
    pub(crate) fn in_letters(&self, endgame: Endgame) -> Shape {
        Shape {
            endgame,
            ..self.clone()
        }
    }

    /// The pieces for which the letters of the material stand.
    #[must_use]
    pub fn piece_set(&self) -> PieceSet {
        self.endgame.piece_set
    }

    /// The material and what its letters stand for.
    #[must_use]
    pub fn endgame(&self) -> Endgame {
        self.endgame
    }

    /// The piece that stands for a man.
    pub(crate) fn piece_of(&self, man: Man) -> Piece {
        self.endgame.piece_set.piece(man)
    }

    /// The pieces whose squares the numbers of slots have: the kings and the other men.
    pub(crate) fn free_pieces(&self) -> impl Iterator<Item = Piece> {
        let kings = Color::ALL.map(|color| Piece::new(color, PieceType::King));
        let others = self.first.men().iter().filter(|man| !man.is_king());
        let others = others.map(|&man| self.piece_of(man));
        kings.into_iter().chain(others)
    }

    /// The shape of a table that has only some placements of the pawns, and perhaps more than 5 pieces.
    pub(crate) fn of(material: Material, placements: Placements) -> Result<Shape, ShapeError> {
        let mut first = Domain::try_new(material, &placements.all[0].pieces())?;
        if material.has_pawns() {
            first = match first.men().len() < SLICED_MEN {
                true => first.with_free_kings(),
                // Placements of pawns may be mirror images of themselves, but parts are alike.
                false => first.in_group(Group::Trivial)?,
            };
        }
        Ok(Shape {
            endgame: material.into(),
            first,
            placements: Arc::new(placements),
        })
    }

    /// The same shape with slices by the kings, however few other men there are.
    #[doc(hidden)]
    #[must_use]
    pub fn in_slices(&self) -> Shape {
        let first = Domain::try_new(self.material(), self.first.fixed());
        let first = first.and_then(|first| first.in_group(Group::Trivial));
        Shape {
            first: first.expect("the same pieces"),
            ..self.clone()
        }
    }

    /// Whether all positions of another shape are among those of this one.
    pub(crate) fn has_all_of(&self, other: &Shape) -> bool {
        let has = |part| self.placements.look_for(other.pawns(part)).is_some();
        self.endgame() == other.endgame() && (0..other.parts()).all(has)
    }

    /// The material.
    #[must_use]
    pub fn material(&self) -> Material {
        self.endgame.material
    }

    /// The number of parts of a table: of the placements of its pawns, of which mirror images count as one.
    /// Without pawns there is one part.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.placements.all.len()
    }

    /// The number of slices of each part.
    #[must_use]
    pub fn slices(&self) -> usize {
        self.first.slices()
    }

    pub(crate) fn placements(&self) -> &Placements {
        &self.placements
    }

    pub(crate) fn pawns(&self, part: usize) -> Pawns {
        self.placements.all[part]
    }

    /// How many positions with pieces told apart there are for each slot of a part and its mirror image,
    /// as a fraction: like pawns change places; and where a placement is its own mirror image, every position is
    /// there twice.
    pub(crate) fn pawn_weight(&self, part: usize, apart: bool) -> (u64, u64) {
        let pawns = self.pawns(part);
        let orders = |color| (1..=u64::from(pawns.of(color).len())).product::<u64>();
        let times = if apart {
            orders(Color::White) * orders(Color::Black)
        } else {
            1
        };
        let twice = self.material().has_pawns() && pawns == pawns.mirrored();
        (times, if twice { 2 } else { 1 })
    }

    /// The positions of a part: without pawns under D4, with pawns without symmetries, with free kings unless there are
    /// enough other men for slices.
    ///
    /// # Panics
    /// If there is no such part.
    #[must_use]
    pub fn domain(&self, part: usize) -> Domain {
        if !self.material().has_pawns() {
            return self.first.clone();
        }
        let pawns = self.pawns(part).pieces();
        let domain = self.first.with_others_fixed(&pawns);
        domain.expect("pawns on squares of their own")
    }

    /// A domain that has what is the same in all parts: slices, rows, and men.
    pub(crate) fn any_domain(&self) -> &Domain {
        &self.first
    }

    /// The number of slots in a table of one side to move, illegal positions and mirror twins included: 462
    /// · 64ⁿ⁻² without pawns, and 64ᵐ for each part with m pieces besides the pawns, or 3612 · 64ᵐ⁻² if its kings have
    /// slices.
    #[must_use]
    pub fn slots(&self) -> u64 {
        (self.parts() * self.first.slices()) as u64 * self.first.slice_slots()
    }

    /// The most parts that are solved at the same time: none of them leads to another, and each has one slice.
    pub(crate) fn parts_at_once(&self) -> usize {
        if self.first.slices() > 1 {
            return 1;
        }
        let levels = self.placements.levels.iter();
        levels.map(ExactSizeIterator::len).max().unwrap_or(1)
    }

    /// Whether there may be mates by a metric. There are no helpmates if the side that checkmates has a king alone.
    pub(crate) fn has_mates(&self, metric: Metric) -> bool {
        (metric.victim()).is_none_or(|victim| self.can_win(!victim))
    }

    /// Whether a side has a piece besides its king. Without one it can't win.
    pub(crate) fn can_win(&self, side: Color) -> bool {
        self.first.captured_by(!side).next().is_some()
    }

    /// The group by which positions are counted once.
    #[must_use]
    pub fn group(&self) -> Group {
        match self.piece_set().is_chess() {
            true => self.material().group(),
            false => self.first.group(),
        }
    }
}
