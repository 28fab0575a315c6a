//! Positions as rows of squares, in whatever order their owner has the pieces.

use cozy_chess::{Color, Piece};

use crate::error::Error;
use crate::material::{ColoredPiece, MOST_PIECES, Material};
use crate::numbering::{PackedSquares, slots};

/// An order of pieces, in which positions have their squares, beside the order of their material's name.
///
/// ```
/// use syzygy_tables::batch::PieceOrder;
/// use syzygy_tables::cozy_chess::Color;
///
/// // A black rook, a white queen, and the kings.
/// let order = PieceOrder::of_letters("rQkK")?;
/// assert_eq!(order.material().to_string(), "KQvKR");
/// let mut packed = [0];
/// order.pack(&[63, 18, 3, 0], &mut packed);
/// assert_eq!(packed[0].to_le_bytes(), [0, 18, 3, 63, 0, 0, 0, 0]);
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
            let turned = pieces.iter().map(|piece| piece.turned(exchanged));
            let slots = slots(&material, &turned.collect::<Vec<_>>());
            let mut places: Vec<usize> = (0..pieces.len()).collect();
            places.sort_by_key(|&place| slots[place]);
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

    /// Writes rows of squares, one after the other, as [`Positions::Squares`](super::Positions::Squares) has them. Numbers past 63
    /// stay numbers past 63.
    ///
    /// # Panics
    /// If there is not one row of squares for each result.
    pub fn pack(&self, rows: &[u8], out: &mut [PackedSquares]) {
        match self.places.len() {
            3 => self.pack_rows::<3>(rows, out),
            4 => self.pack_rows::<4>(rows, out),
            5 => self.pack_rows::<5>(rows, out),
            6 => self.pack_rows::<6>(rows, out),
            _ => self.pack_rows::<MOST_PIECES>(rows, out),
        }
    }

    /// The order of so many pieces.
    fn pack_rows<const PIECES: usize>(&self, rows: &[u8], out: &mut [PackedSquares]) {
        let (rows, rest) = rows.as_chunks::<PIECES>();
        assert!(rest.is_empty() && rows.len() == out.len(), "a row for each");
        let places: [usize; PIECES] = self.places[..].try_into().expect("one for each piece");
        let mirror = if self.exchanged { 56 } else { 0 };
        for (row, out) in rows.iter().zip(out) {
            let square = |piece: usize| u64::from(row[places[piece]] ^ mirror) << (8 * piece);
            *out = (0..PIECES).fold(0, |squares, piece| squares | square(piece));
        }
    }
}
