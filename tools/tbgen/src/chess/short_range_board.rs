//! Positions with short-range pieces, and a move generator that looks at one square after the other. It shares no code
//! with the one that makes tables.

use tbindex::bitbase::Walk;
use tbindex::{Color, Fen, Piece, PieceType, Position, Square};

use crate::chess::board::{BoardError, IllegalReason, Men};
use crate::chess::notation::Move;
use crate::chess::piece_set::{Endgame, Letters, PieceSet};

/// The most pieces on a board here.
const MOST: usize = 5;

/// A legal position, perhaps with short-range pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortRangeBoard {
    /// In the order of their squares where the board comes from a position; a move keeps the places.
    men: Men,
    side: Color,
    piece_set: PieceSet,
}

const KING: [(i8, i8); 8] = [
    (-1, -1),
    (-1, 0),
    (-1, 1),
    (0, -1),
    (0, 1),
    (1, -1),
    (1, 0),
    (1, 1),
];
const KNIGHT: [(i8, i8); 8] = [
    (-2, -1),
    (-2, 1),
    (-1, -2),
    (-1, 2),
    (1, -2),
    (1, 2),
    (2, -1),
    (2, 1),
];

impl ShortRangeBoard {
    /// The position in letters of a piece_set, if it is legal and has at most 5 pieces.
    #[must_use]
    pub fn new(position: &Position, piece_set: PieceSet) -> Option<ShortRangeBoard> {
        if position.occupied().count() > MOST || position.material().is_err() {
            return None;
        }
        let (mut men, side) = (Men::NONE, position.side);
        position.occupied().for_each(|man| men.push(man));
        let board = ShortRangeBoard {
            men,
            side,
            piece_set,
        };
        board.is_legal().then_some(board)
    }

    pub(crate) fn side(&self) -> Color {
        self.side
    }

    pub(crate) fn men(&self) -> &[(Piece, Square)] {
        self.men.as_slice()
    }

    /// Whether the side that is not to move is not in check, by a king neither.
    fn is_legal(&self) -> bool {
        !self.is_check(!self.side)
    }

    /// Reads a FEN in which letters stand for short-range pieces.
    ///
    /// # Errors
    /// If it is no FEN of a legal position of 3 to 5 pieces without pawns.
    pub fn parse(fen: &str, letters: &Letters) -> Result<ShortRangeBoard, BoardError> {
        let (board, rest) = fen.trim().split_once(' ').unwrap_or((fen.trim(), ""));
        let color = |letter: char| match letter.is_uppercase() {
            true => Color::White,
            false => Color::Black,
        };
        let mut men = Vec::new();
        for letter in board.chars().filter(|c| c.is_alphabetic()) {
            let walk = letters.walk(letter).ok_or(BoardError::Letter(letter))?;
            men.push((color(letter), walk));
        }
        if let Some(letter) = letters.unused(board) {
            return Err(BoardError::Unused(letter));
        }
        let piece_set = Endgame::of(&men)?.piece_set;
        // The same FEN with the letters of the piece_set.
        let own = |letter: char| {
            let kind = letters.walk(letter).and_then(|walk| piece_set.kind(walk));
            kind.map_or(letter, |kind| Piece::new(color(letter), kind).letter())
        };
        let board: String = board.chars().map(own).collect();
        let fen: Fen = format!("{board} {rest}").parse()?;
        if !fen.castling.is_empty() || fen.en_passant.is_some() {
            return Err(BoardError::Rights);
        }
        ShortRangeBoard::new(&fen.position, piece_set)
            .ok_or_else(|| BoardError::Illegal(IllegalReason::of(&fen.position)))
    }

    /// The position, in the letters of its piece_set.
    #[must_use]
    pub fn position(&self) -> Position {
        self.men.position(self.side)
    }

    /// The pieces for which the letters stand.
    #[must_use]
    pub fn piece_set(&self) -> PieceSet {
        self.piece_set
    }

    /// The piece on a square.
    fn on(&self, square: Square) -> Option<Piece> {
        let man = self.men().iter().find(|man| man.1 == square);
        man.map(|man| man.0)
    }

    /// Calls a function for the squares that a piece attacks from a square, until it returns false.
    fn attacks(&self, (piece, from): (Piece, Square), mut each: impl FnMut(Square) -> bool) {
        let forwards = if piece.color == Color::White { 1 } else { -1 };
        let mut leaps = |steps: &mut dyn Iterator<Item = (i8, i8)>| {
            for (files, ranks) in steps {
                if from.offset(files, ranks).is_some_and(|to| !each(to)) {
                    return;
                }
            }
        };
        let (straight, diagonal) = match self.piece_set.walk(piece.kind) {
            Walk::Leaper(leaper) => {
                let steps = leaper.steps();
                return leaps(&mut steps.map(|step| (step.files, forwards * step.ranks)));
            }
            Walk::Chess(PieceType::King) => return leaps(&mut KING.into_iter()),
            Walk::Chess(PieceType::Knight) => return leaps(&mut KNIGHT.into_iter()),
            Walk::Chess(PieceType::Queen) => (true, true),
            Walk::Chess(PieceType::Rook) => (true, false),
            Walk::Chess(PieceType::Bishop) => (false, true),
            Walk::Chess(PieceType::Pawn) => return,
        };
        for (files, ranks) in KING {
            let is_straight = files * ranks == 0;
            if (is_straight && !straight) || (!is_straight && !diagonal) {
                continue;
            }
            let mut at = from;
            while let Some(next) = at.offset(files, ranks) {
                if !each(next) {
                    return;
                }
                if self.on(next).is_some() {
                    break;
                }
                at = next;
            }
        }
    }

    /// Whether the king of a side is attacked.
    #[must_use]
    pub fn is_check(&self, side: Color) -> bool {
        let king = Piece::new(side, PieceType::King);
        let king = self.men().iter().find(|man| man.0 == king);
        let Some(&(_, king)) = king else {
            return false;
        };
        let mut check = false;
        for &man in self.men().iter().filter(|man| man.0.color != side) {
            self.attacks(man, |to| {
                check |= to == king;
                !check
            });
        }
        check
    }

    /// Calls a function with each legal move.
    pub(crate) fn for_each_move(&self, mut each: impl FnMut(Move<ShortRangeBoard>)) {
        for (k, &(piece, from)) in self.men().iter().enumerate() {
            if piece.color != self.side {
                continue;
            }
            self.attacks((piece, from), |to| {
                let taken = self.men().iter().position(|other| other.1 == to);
                if taken.is_some_and(|taken| self.men()[taken].0.color == self.side) {
                    return true;
                }
                let mut after = *self;
                after.side = !self.side;
                after.men.all[k].1 = to;
                if let Some(taken) = taken {
                    after.men.remove(taken);
                }
                if after.is_legal() {
                    each(Move {
                        piece: piece.kind,
                        from,
                        to,
                        promotion: None,
                        capture: taken.is_some(),
                        zeroing: taken.is_some(),
                        after,
                    });
                }
                true
            });
        }
    }

    /// All legal moves.
    #[must_use]
    pub fn moves(&self) -> Vec<Move<ShortRangeBoard>> {
        let mut all = Vec::new();
        self.for_each_move(|step| all.push(step));
        all
    }
}
