//! Positions with short-range pieces, and a move generator that looks at one piece after the other. It shares no code
//! with the one that makes tables.

use cozy_chess::BitBoard;
use tbindex::bitbase::Walk;
use tbindex::{Color, Fen, Piece, PieceType, Position, Square};

use crate::chess::board::{BoardError, IllegalReason, Men, attacks, cozy_square, square_of};
use crate::chess::piece_set::{Endgame, Letters, PieceSet};

/// The most pieces on a board here.
const MOST: usize = 5;

/// A legal position, perhaps with short-range pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShortRangeBoard {
    /// In the order of their squares where the board comes from a position; a move keeps the places.
    men: Men,
    pub(crate) side: Color,
    pub(crate) piece_set: PieceSet,
}

impl ShortRangeBoard {
    /// The position in letters of a piece_set, if it is legal and has at most 5 pieces.
    pub(crate) fn new(position: &Position, piece_set: PieceSet) -> Option<ShortRangeBoard> {
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
    pub(crate) fn parse(fen: &str, letters: &Letters) -> Result<ShortRangeBoard, BoardError> {
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
    pub(crate) fn position(&self) -> Position {
        self.men.position(self.side)
    }

    /// The squares of the men of a side, or of both.
    fn squares(&self, side: Option<Color>) -> BitBoard {
        let men = self.men().iter();
        let men = men.filter(|man| side.is_none_or(|side| man.0.color == side));
        men.map(|man| cozy_square(man.1)).collect()
    }

    /// The squares that a piece attacks from a square, with these squares occupied.
    fn attacks(&self, (piece, from): (Piece, Square), occupied: BitBoard) -> BitBoard {
        match self.piece_set.walk(piece.kind) {
            Walk::Chess(kind) => attacks(kind, cozy_square(from), occupied),
            Walk::Leaper(leaper) => {
                let forwards = if piece.color == Color::White { 1 } else { -1 };
                let steps = leaper.steps();
                let to = steps.filter_map(|step| from.offset(step.files, forwards * step.ranks));
                to.map(cozy_square).collect()
            }
        }
    }

    /// Whether the king of a side is attacked.
    pub(crate) fn is_check(&self, side: Color) -> bool {
        let king = Piece::new(side, PieceType::King);
        let king = self.men().iter().find(|man| man.0 == king);
        let Some(&(_, king)) = king else {
            return false;
        };
        let occupied = self.squares(None);
        let mut others = self.men().iter().filter(|man| man.0.color != side);
        others.any(|&man| self.attacks(man, occupied).has(cozy_square(king)))
    }

    /// Calls a function with each legal move: the piece, the squares that it leaves and goes to, and the board after it.
    pub(crate) fn for_each_move(
        &self,
        mut each: impl FnMut(PieceType, [Square; 2], ShortRangeBoard),
    ) {
        let (own, occupied) = (self.squares(Some(self.side)), self.squares(None));
        for (k, &(piece, from)) in self.men().iter().enumerate() {
            if piece.color != self.side {
                continue;
            }
            for to in (self.attacks((piece, from), occupied) - own)
                .into_iter()
                .map(square_of)
            {
                let mut after = *self;
                after.side = !self.side;
                after.men.all[k].1 = to;
                if let Some(taken) = self.men().iter().position(|other| other.1 == to) {
                    after.men.remove(taken);
                }
                if after.is_legal() {
                    each(piece.kind, [from, to], after);
                }
            }
        }
    }
}
