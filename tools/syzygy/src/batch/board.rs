//! Positions in sixteen bytes.

use cozy_chess::{Board, BoardBuilder, Color, File, Piece, Rank, Square};

use super::placed::Placed;
use crate::error::Error;
use crate::material::{ColoredPiece, MOST_PIECES, Material};

/// A legal position of up to seven pieces in sixteen bytes, with the right to capture en passant and without a fifty-move
/// counter.
///
/// ```
/// use syzygy_tables::batch::PackedBoard;
/// use syzygy_tables::ColoredPiece;
/// use syzygy_tables::cozy_chess::{Board, Color};
///
/// let board: Board = "8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1".parse()?;
/// let packed = PackedBoard::try_from(&board)?;
/// assert_eq!(packed.len(), 4);
/// assert_eq!(Board::from(&packed), board);
/// let men: Vec<_> = ["Kc1", "Qd1", "kc6", "rb5"]
///     .into_iter()
///     .map(|man| {
///         let (piece, square) = man.split_at(1);
///         let color = if piece < "a" { Color::White } else { Color::Black };
///         let piece = piece.to_lowercase().parse().unwrap();
///         (ColoredPiece::new(color, piece), square.parse().unwrap())
///     })
///     .collect();
/// assert_eq!(PackedBoard::new(&men, Color::Black, None)?, packed);
/// assert!(PackedBoard::try_from(&Board::default()).is_err(), "32 pieces and castling rights");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PackedBoard {
    material: Material,
    /// A [`Placed`], and in its highest bit whether the colours are exchanged.
    word: u64,
}

const EXCHANGED: u64 = 1 << 63;

impl TryFrom<&Board> for PackedBoard {
    type Error = Error;

    /// # Errors
    /// If the position has castling rights or more than seven pieces, or the kings touch.
    fn try_from(board: &Board) -> Result<PackedBoard, Error> {
        let pieces = board.occupied().len();
        if pieces as usize > MOST_PIECES {
            return Err(Error::TooManyPieces(pieces));
        }
        let rights = [Color::White, Color::Black].map(|color| *board.castle_rights(color));
        if (rights.iter()).any(|rights| rights.short.is_some() || rights.long.is_some()) {
            return Err(Error::Castling);
        }
        let kings = [Color::White, Color::Black].map(|color| board.king(color));
        if cozy_chess::get_king_moves(kings[0]).has(kings[1]) {
            return Err(Error::KingsTouch);
        }
        let mut men = [(ColoredPiece::new(Color::White, Piece::King), Square::A1); MOST_PIECES];
        let all = board.occupied().into_iter().filter_map(|square| {
            let (color, piece) = (board.color_on(square)?, board.piece_on(square)?);
            Some((ColoredPiece::new(color, piece), square))
        });
        for (slot, man) in men.iter_mut().zip(all) {
            *slot = man;
        }
        let men = &men[..pieces as usize];
        PackedBoard::new(men, board.side_to_move(), board.en_passant())
    }
}

fn turned(color: Color, exchanged: bool) -> Color {
    if exchanged { !color } else { color }
}

fn mirrored(square: u8, exchanged: bool) -> u8 {
    if exchanged { square ^ 56 } else { square }
}

/// # Panics
/// If it is no legal position.
impl From<&PackedBoard> for Board {
    fn from(packed: &PackedBoard) -> Board {
        let (placed, exchanged) = (packed.placed(), packed.word & EXCHANGED != 0);
        let mut builder = BoardBuilder::empty();
        builder.side_to_move = turned(placed.side(), exchanged);
        for (piece, square) in packed.material.pieces().zip(placed.squares()) {
            let square = Square::index(mirrored(square, exchanged).into());
            let piece = piece.turned(exchanged);
            *builder.square_mut(square) = Some((piece.piece(), piece.color()));
        }
        let rank = Rank::Sixth.relative_to(builder.side_to_move);
        let passing = placed.en_passant().map(|file| File::index(file.into()));
        builder.en_passant = passing.map(|file| Square::new(file, rank));
        builder.build().expect("a legal position")
    }
}

impl PackedBoard {
    /// The position of these men, with the file on which a pawn can be captured en passant. This does not check that it is legal:
    /// if it is not, its answers mean nothing, and no [`Board`] can be made of it.
    ///
    /// # Errors
    /// If there are more than seven men.
    pub fn new(
        men: &[(ColoredPiece, Square)],
        side: Color,
        en_passant: Option<File>,
    ) -> Result<PackedBoard, Error> {
        if men.len() > MOST_PIECES {
            return Err(Error::TooManyPieces(men.len() as u32));
        }
        let of = |piece| men.iter().filter(move |man| man.0 == piece);
        let (material, exchanged) =
            Material::of_counts(|color, kind| of(ColoredPiece::new(color, kind)).count() as u32);
        let exchanged = exchanged || material.is_symmetric() && side == Color::Black;
        let (mut squares, mut slot) = (0, 0);
        let mut before = None;
        for piece in material.pieces() {
            // Like pieces stand together.
            if before.replace(piece) == Some(piece) {
                continue;
            }
            for man in of(piece.turned(exchanged)) {
                squares |= u64::from(mirrored(man.1 as u8, exchanged)) << (8 * slot);
                slot += 1;
            }
        }
        let placed = Placed::new(squares, turned(side, exchanged));
        let passing = placed.passing(en_passant.map(|file| file as u8));
        Ok(PackedBoard {
            material,
            word: passing.0 | if exchanged { EXCHANGED } else { 0 },
        })
    }

    /// A position of a material as its table sees it.
    pub(super) const fn of(material: Material, placed: Placed) -> PackedBoard {
        PackedBoard {
            material,
            word: placed.0,
        }
    }

    /// The number of pieces, 2 to 7.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there are always kings")]
    pub const fn len(&self) -> usize {
        self.material.len()
    }

    /// The material, which may be two kings alone.
    #[must_use]
    pub const fn material(&self) -> Material {
        self.material
    }

    /// The position as its table sees it.
    #[must_use]
    pub const fn placed(&self) -> Placed {
        Placed(self.word & !EXCHANGED)
    }
}
