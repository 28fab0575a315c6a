//! From positions of a material to indices and back.

use super::{Equivalence, LayoutError, Numbering, Word};
use crate::board::{Color, Material, Piece, PieceType, Position, Square};

const MAX: usize = Material::MAX_PIECES;

/// Turns positions of one material into indices and back.
///
/// A position does not tell like pieces apart. Encoding gives them the order that a canonical index
/// has, so that decoding and encoding again changes nothing.
///
/// ```
/// use tbindex::{Fen, Numbering, PlacementCodec};
/// let codec = PlacementCodec::<u32>::try_new("KQvKR".parse()?, Numbering::Natural)?;
/// let fen: Fen = "8/8/2k5/1r6/8/8/8/2KQ4 b - -".parse()?;
/// let index = codec.encode(&fen.position)?;
/// assert_eq!(index, 0o0504_2231);
/// assert_eq!(codec.decode(index, fen.position.side)?, fen.position);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PlacementCodec<W> {
    material: Material,
    same: Equivalence<W>,
    /// The pieces in the order of the material's name, each with its number in an index.
    by_name: Vec<(Piece, u8)>,
}

/// Why a position has no index, or an index no position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlacementError {
    /// The position has other pieces than the material.
    #[error("the position's material is {found}: expected {expected}")]
    OtherMaterial {
        /// The material on the board, as a name, or why it has none.
        found: String,
        /// The codec's material.
        expected: Material,
    },
    /// Two pieces of an index share a square; a board can't show that.
    #[error("two pieces stand on {square}: no board shows that")]
    SharedSquare {
        /// The square.
        square: Square,
    },
    /// The index has bits above its digits.
    #[error("index {index:#o} is out of range: {pieces} pieces have indices below {end:#o}")]
    OutOfRange {
        /// The index.
        index: u128,
        /// The number of pieces that the material has.
        pieces: usize,
        /// The number of indices: 64 to the power of the number of pieces.
        end: u128,
    },
    /// The number of squares differs from the number of pieces.
    #[error("{found} squares for the {expected} pieces of {material}")]
    SquareCount {
        /// The number of squares.
        found: usize,
        /// The number of pieces.
        expected: usize,
        /// The codec's material.
        material: Material,
    },
}

impl<W: Word> PlacementCodec<W> {
    /// The codec of a material under a numbering.
    ///
    /// ```
    /// # use tbindex::{Numbering, PlacementCodec};
    /// assert!(PlacementCodec::<u32>::try_new("KRBNvK".parse()?, Numbering::Natural).is_ok());
    /// assert!(PlacementCodec::<u32>::try_new("KRBNvKQ".parse()?, Numbering::Natural).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the material has more pieces than the word holds.
    pub fn try_new(
        material: Material,
        numbering: Numbering,
    ) -> Result<PlacementCodec<W>, LayoutError> {
        let mut by_name: Vec<(Piece, u8)> = material.name_order().map(|piece| (piece, 0)).collect();
        for (place, number) in material.name_of_index().into_iter().zip(0..) {
            by_name[place].1 = number;
        }
        Ok(PlacementCodec {
            material,
            same: Equivalence::try_new(material, numbering)?,
            by_name,
        })
    }

    /// The material.
    ///
    /// ```
    /// # use tbindex::{Numbering, PlacementCodec};
    /// let codec = PlacementCodec::<u32>::try_new("KQvKR".parse()?, Numbering::Natural)?;
    /// assert_eq!(codec.material().to_string(), "KQvKR");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn material(&self) -> Material {
        self.material
    }

    /// The equivalence of the material's positions.
    ///
    /// ```
    /// # use tbindex::{Fen, Numbering, PlacementCodec};
    /// let codec = PlacementCodec::<u32>::try_new("KRvK".parse()?, Numbering::Natural)?;
    /// let index = codec.encode(&"7k/8/8/8/8/8/8/K6R b - -".parse::<Fen>()?.position)?;
    /// // All eight images are different positions.
    /// assert_eq!(codec.equivalence().orbit_size(index), 8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn equivalence(&self) -> &Equivalence<W> {
        &self.same
    }

    /// The index of the pieces on these squares, in the order of the material's name; like pieces
    /// keep the order they have here. Squares may coincide.
    ///
    /// ```
    /// # use tbindex::{Numbering, PlacementCodec, Square};
    /// let codec = PlacementCodec::<u32>::try_new("KRvK".parse()?, Numbering::Natural)?;
    /// // K, R and k, though the index has k before R.
    /// let squares = ["a1", "h1", "h8"].map(|name| name.parse::<Square>().unwrap());
    /// assert_eq!(codec.encode_squares(&squares)?, 0o070_077);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there are not exactly as many squares as pieces.
    pub fn encode_squares(&self, by_name: &[Square]) -> Result<W, PlacementError> {
        let pieces = self.by_name.len();
        if by_name.len() != pieces {
            return Err(PlacementError::SquareCount {
                found: by_name.len(),
                expected: pieces,
                material: self.material,
            });
        }
        let mut squares = [Square::A1; MAX];
        for (&square, &(_, number)) in by_name.iter().zip(&self.by_name) {
            squares[usize::from(number)] = square;
        }
        Ok(self.same.layout().encode(&squares[..pieces]))
    }

    /// The squares of an index in the order of the material's name.
    ///
    /// ```
    /// # use tbindex::{Numbering, PlacementCodec};
    /// let codec = PlacementCodec::<u32>::try_new("KRvK".parse()?, Numbering::Natural)?;
    /// let squares = codec.decode_squares(0o070_077)?.map(|square| square.to_string());
    /// assert_eq!(squares.collect::<Vec<_>>(), ["a1", "h1", "h8"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the index has bits above its digits.
    pub fn decode_squares(
        &self,
        index: W,
    ) -> Result<impl ExactSizeIterator<Item = Square> + use<'_, W>, PlacementError> {
        let layout = self.same.layout();
        if !layout.is_valid(index) {
            return Err(PlacementError::OutOfRange {
                index: index.into(),
                pieces: layout.pieces(),
                end: layout.index_count(),
            });
        }
        let natural = layout.natural();
        let index = layout.convert(Numbering::Natural, index);
        let numbers = self.by_name.iter();
        Ok(numbers.map(move |&(_, number)| natural.square(index, number.into())))
    }

    /// The index of a position, like pieces in their smallest order.
    ///
    /// ```
    /// # use tbindex::{Fen, Numbering, PlacementCodec};
    /// let codec = PlacementCodec::<u32>::try_new("KRvK".parse()?, Numbering::Natural)?;
    /// let rook: Fen = "7k/8/8/8/8/8/8/K6R b - -".parse()?;
    /// assert_eq!(codec.encode(&rook.position)?, 0o070_077);
    /// let queen: Fen = "7k/8/8/8/8/8/8/K6Q b - -".parse()?;
    /// let error = codec.encode(&queen.position).unwrap_err();
    /// assert_eq!(error.to_string(), "the position's material is KQvK: expected KRvK");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the position is of other material.
    pub fn encode(&self, position: &Position) -> Result<W, PlacementError> {
        let found = position.material();
        if found != Ok(self.material) {
            return Err(PlacementError::OtherMaterial {
                found: found.map_or_else(|e| format!("none ({e})"), |m| m.to_string()),
                expected: self.material,
            });
        }
        let mut pieces = [(Piece::new(Color::White, PieceType::King), Square::A1); MAX];
        let pieces = &mut pieces[..self.by_name.len()];
        for (place, piece) in pieces.iter_mut().zip(position.occupied()) {
            *place = piece;
        }
        // The order of `Piece` is that of a material's name.
        pieces.sort_unstable();
        let mut squares = [Square::A1; MAX];
        for (square, &(_, of_piece)) in squares.iter_mut().zip(&*pieces) {
            *square = of_piece;
        }
        let index = self.encode_squares(&squares[..pieces.len()])?;
        Ok(self.same.sort_like(index))
    }

    /// The position of an index with this side to move.
    ///
    /// ```
    /// # use tbindex::{Color, Numbering, PlacementCodec};
    /// let codec = PlacementCodec::<u32>::try_new("KRvK".parse()?, Numbering::Natural)?;
    /// let position = codec.decode(0o070_077, Color::Black)?;
    /// assert_eq!(position.placement(), "7k/8/8/8/8/8/8/K6R");
    /// let error = codec.decode(0o077_077, Color::Black).unwrap_err();
    /// assert_eq!(error.to_string(), "two pieces stand on h8: no board shows that");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If two pieces share a square, or the index has bits above its digits.
    pub fn decode(&self, index: W, side: Color) -> Result<Position, PlacementError> {
        let mut board = [None; 64];
        for (&(piece, _), square) in self.by_name.iter().zip(self.decode_squares(index)?) {
            if board[square.index()].replace(piece).is_some() {
                return Err(PlacementError::SharedSquare { square });
            }
        }
        Ok(Position { board, side })
    }
}
