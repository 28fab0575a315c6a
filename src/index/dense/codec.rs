//! From positions of a material to slots and back.

use super::{Dense, DenseError, Word};
use crate::board::{Color, Material, Position};
use crate::index::{Equivalence, LikePieces, PlacementCodec, PlacementError};

/// Turns positions of one material into slots of a dense scheme and back, each in one call.
///
/// Equivalent positions have one slot: where the scheme has several for them, because it tells like
/// pieces apart or gives [twins](Dense::twin) a slot each, it is that of their canonical index under the
/// scheme's layout.
///
/// ```
/// use tbindex::{Compact, DenseCodec, Fen, Kings, Material, Numbering, Orbit, Rules};
/// let material: Material = "KQvKR".parse()?;
/// let fen: Fen = "8/8/2k5/1r6/8/8/8/2KQ4 b - -".parse()?;
///
/// let scheme = Compact::<u32>::try_new(material, Numbering::Natural, Rules::KINGS_APART)?;
/// let codec = DenseCodec::try_new(material, scheme)?;
/// let slot = codec.rank(&fen.position)?;
/// let back = codec.unrank(slot, fen.position.side)?;
/// assert_eq!(codec.rank(&back), Ok(slot));
///
/// // Any other scheme will do, under either numbering: the codec sees to it that they match.
/// let orbit = DenseCodec::try_new(material, Orbit::<u32>::try_new(material, Numbering::Natural)?)?;
/// assert_eq!(orbit.unrank(orbit.rank(&fen.position)?, fen.position.side)?.material()?, material);
///
/// // Not that of another material, though, nor its positions.
/// let other = Kings::<u32>::try_new("KPvK".parse()?, Numbering::Natural)?;
/// assert!(DenseCodec::try_new(material, other).is_err());
/// let fen: Fen = "8/8/2k5/1b6/8/8/8/2KQ4 b - -".parse()?;
/// assert!(codec.rank(&fen.position).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DenseCodec<W, S> {
    placements: PlacementCodec<W>,
    same: Equivalence<W>,
    scheme: S,
}

impl<W: Word, S: Dense<W>> DenseCodec<W, S> {
    /// The codec of a material's positions for a scheme.
    ///
    /// # Errors
    /// If the scheme's slots can't be those of the material's positions
    /// ([`Dense::check_material`]).
    pub fn try_new(material: Material, scheme: S) -> Result<DenseCodec<W, S>, DenseError> {
        scheme.check_material(material)?;
        let layout = scheme.layout();
        let placements = PlacementCodec::try_new(material, layout.numbering())?;
        let like = LikePieces::from(material);
        let same = Equivalence::new(layout, scheme.group(), like);
        Ok(DenseCodec {
            placements,
            same,
            scheme,
        })
    }

    /// The scheme.
    #[must_use]
    pub const fn scheme(&self) -> &S {
        &self.scheme
    }

    /// The codec between positions and the scheme's indices.
    #[must_use]
    pub const fn placements(&self) -> &PlacementCodec<W> {
        &self.placements
    }

    /// The slot of a position, whoever is to move.
    ///
    /// # Errors
    /// If the position is of other material, or the scheme has no room for it: its kings touch, say
    /// ([`Dense::rank`]).
    pub fn rank(&self, position: &Position) -> Result<W, PlacementError> {
        let index = self.placements.encode(position)?;
        self.scheme
            .rank(self.same.canonical(index))
            .ok_or_else(|| PlacementError::NoSlot {
                placement: position.placement(),
            })
    }

    /// The position of a slot, with this side to move.
    ///
    /// # Errors
    /// If the slot is not below the scheme's size, or two pieces share a square there.
    pub fn unrank(&self, slot: W, side: Color) -> Result<Position, PlacementError> {
        let size = self.scheme.size();
        if slot >= size {
            return Err(PlacementError::SlotOutOfRange {
                slot: slot.into(),
                size: size.into(),
            });
        }
        self.placements.decode(self.scheme.unrank(slot), side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Fen, Group};
    use crate::index::{Compact, Kings, Layout, Numbering, Orbit, Rules, Triangle};

    fn material(name: &str) -> Material {
        name.parse().unwrap()
    }

    fn position(fen: &str) -> Position {
        fen.parse::<Fen>().unwrap().position
    }

    /// All images of a position under the material's symmetries have the slot that it has, and so has
    /// the position of that slot; without like pieces it is the same under both numberings.
    fn slots_are_those_of_positions<S: Dense<u64>>(make: impl Fn(Material, Numbering) -> S) {
        for (name, fen) in [
            ("KRRvK", "8/8/8/1R6/2k5/8/R7/6K1 w - - 0 1"),
            ("KRBvK", "8/8/8/1R6/4k3/8/B7/K7 w - - 0 1"),
            ("KPvKN", "8/3n4/8/1P6/2k5/8/8/6K1 b - - 0 1"),
        ] {
            let (material, position) = (material(name), position(fen));
            let slots = Numbering::ALL.map(|numbering| {
                let codec = DenseCodec::try_new(material, make(material, numbering)).unwrap();
                let slot = codec.rank(&position).unwrap();
                for &symmetry in material.group().members() {
                    let mut board = [None; 64];
                    for (piece, square) in position.occupied() {
                        board[symmetry.apply(square).index()] = Some(piece);
                    }
                    let image = Position { board, ..position };
                    assert_eq!(codec.rank(&image), Ok(slot), "{symmetry}");
                }
                let back = codec.unrank(slot, position.side).unwrap();
                assert_eq!(back.side, position.side);
                assert_eq!(codec.rank(&back), Ok(slot));
                let size = codec.scheme().size();
                let beyond = PlacementError::SlotOutOfRange {
                    slot: size.into(),
                    size: size.into(),
                };
                assert_eq!(codec.unrank(size, Color::White), Err(beyond));
                slot
            });
            if material.like_sets().is_empty() {
                assert_eq!(slots[0], slots[1]);
            }
        }
    }

    #[test]
    fn slots_are_those_of_positions_in_every_scheme() {
        slots_are_those_of_positions(|m, n| Orbit::<u64>::try_new(m, n).unwrap());
        slots_are_those_of_positions(|m, n| Triangle::<u64>::try_new(m, n).unwrap());
        slots_are_those_of_positions(|m, n| Kings::<u64>::try_new(m, n).unwrap());
        slots_are_those_of_positions(|m, n| {
            Compact::<u64>::try_new(m, n, Rules::KINGS_APART).unwrap()
        });
    }

    #[test]
    fn schemes_of_other_materials_are_refused() {
        let pawn = material("KPvK");
        let refused = |scheme: &dyn Dense<u32>| scheme.check_material(pawn).unwrap_err();
        let group = Group::D4;
        assert_eq!(
            refused(&Kings::new(Layout::new(3, Numbering::Natural), group)),
            DenseError::Symmetries {
                material: pawn,
                group
            }
        );
        assert_eq!(
            refused(&Orbit::new(Layout::new(4, Numbering::Natural), group)),
            DenseError::PieceCount {
                material: pawn,
                pieces: 4
            }
        );
        let queen = material("KQvK");
        let compact = Compact::try_new(queen, Numbering::Natural, Rules::ALL).unwrap();
        assert_eq!(
            refused(&compact),
            DenseError::OtherMaterial {
                expected: queen,
                found: pawn
            }
        );
        // Symmetries that are not used do no harm.
        let apart = Kings::<u32>::new(Layout::new(3, Numbering::Natural), Group::Trivial);
        assert_eq!(apart.check_material(pawn), Ok(()));
    }

    #[test]
    fn positions_without_a_slot_are_errors() {
        let touching = position("8/8/8/8/8/1k6/K7/7Q w - - 0 1");
        let material = material("KQvK");
        let scheme = Kings::<u32>::try_new(material, Numbering::Alternate).unwrap();
        let codec = DenseCodec::try_new(material, scheme).unwrap();
        assert_eq!(
            codec.rank(&touching),
            Err(PlacementError::NoSlot {
                placement: touching.placement()
            })
        );
    }
}
