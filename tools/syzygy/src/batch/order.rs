//! Positions as rows of squares, in whatever order their owner has the pieces.

use cozy_chess::{Color, Piece};

use crate::error::Error;
use crate::material::{ColoredPiece, MOST_PIECES, Material};
use crate::numbering::PackedSquares;

/// An order of pieces, in which positions have their squares, beside the order of their material's name.
///
/// ```
/// use syzygy_tables::batch::PieceOrder;
/// use syzygy_tables::cozy_chess::Color;
///
/// // A black rook, a white queen, and the kings.
/// let order = PieceOrder::of_letters("rQkK")?;
/// assert_eq!(order.material().to_string(), "KQvKR");
/// assert_eq!(order.pack(&[63, 18, 3, 0]), u64::from_le_bytes([0, 18, 3, 63, 0, 0, 0, 0]));
///
/// // The table's white is black here, and the ranks are mirrored.
/// let order = PieceOrder::of_letters("KkqR")?;
/// assert_eq!(order.side(Color::Black), Color::White);
/// # Ok::<(), syzygy_tables::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PieceOrder {
    material: Material,
    exchanged: bool,
    /// For each piece in the order of the name its place in a row.
    places: Vec<usize>,
}

impl PieceOrder {
    /// The order of these pieces, as letters of FEN: capitals are white.
    ///
    /// # Errors
    /// If these are not one king of each side and one to five other pieces.
    pub fn of_letters(letters: &str) -> Result<PieceOrder, Error> {
        let all = letters.chars().map(|letter| {
            let piece = Piece::try_from(letter.to_ascii_lowercase()).ok()?;
            let color = match letter.is_ascii_uppercase() {
                true => Color::White,
                false => Color::Black,
            };
            Some(ColoredPiece::new(color, piece))
        });
        let pieces: Option<Vec<ColoredPiece>> = all.collect();
        let found = pieces.and_then(|pieces| {
            let (material, exchanged) = Material::of_pieces(pieces.iter().copied())?;
            let mut rest: Vec<_> = pieces.into_iter().map(Some).collect();
            let places = material.pieces().map(|piece| {
                let color = piece.color();
                let own = ColoredPiece::new(if exchanged { !color } else { color }, piece.piece());
                let place = rest.iter().position(|&other| other == Some(own))?;
                rest[place] = None;
                Some(place)
            });
            let places = places.collect::<Option<_>>()?;
            Some(PieceOrder {
                material,
                exchanged,
                places,
            })
        });
        found.ok_or(Error::Pieces)
    }

    /// The material, whose white may be the black of these pieces.
    #[must_use]
    pub const fn material(&self) -> Material {
        self.material
    }

    /// A side as the material has it.
    #[must_use]
    pub fn side(&self, side: Color) -> Color {
        if self.exchanged { !side } else { side }
    }

    /// A row of squares as [`Positions::Squares`](super::Positions::Squares) has it. Numbers past 63 stay numbers past 63.
    ///
    /// # Panics
    /// If the row is shorter than the pieces are many.
    #[inline]
    #[must_use]
    pub fn pack(&self, row: &[u8]) -> PackedSquares {
        let mut squares = [0; MOST_PIECES + 1];
        let mirror = if self.exchanged { 56 } else { 0 };
        for (square, &place) in squares.iter_mut().zip(&self.places) {
            *square = row[place] ^ mirror;
        }
        PackedSquares::from_le_bytes(squares)
    }
}
