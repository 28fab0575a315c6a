//! Positions as people set them up, legal or not, and changes of them.

use tbgen::{BoardError, GamePosition};
use tbindex::{CastlingRights, Color, EpdLine, Fen, Piece, PieceType, Square, Symmetry};

use super::address::Brush;
use crate::parse;

/// A board with its rights, its fifty-move counter and the number of the move.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    pub(super) fen: Fen,
    counters: (u16, u32),
}

impl Setup {
    pub(super) fn of(position: &GamePosition) -> Setup {
        let counters = (position.counter(), position.move_number());
        // It can read its own text.
        let fen = position.fen().parse().unwrap_or(Fen {
            position: position.position(),
            castling: CastlingRights::default(),
            en_passant: None,
        });
        Setup { fen, counters }
    }

    /// Reads a FEN, of a position that need not be legal.
    ///
    /// # Errors
    /// If its board or its rights can't be read.
    pub(super) fn read(text: &str) -> Result<Setup, BoardError> {
        let text = text.replace('_', " ");
        Ok(Setup {
            fen: text.parse()?,
            counters: EpdLine::from(&*text).counters().unwrap_or((0, 1)),
        })
    }

    pub(super) fn text(&self) -> String {
        let Fen {
            position,
            castling,
            en_passant,
        } = &self.fen;
        let passed = en_passant.map_or_else(|| "-".to_owned(), |square| square.to_string());
        let (counter, number) = self.counters;
        let rights = format!(" {castling} {passed} {counter} {number}");
        position.to_string().replace(" - - 0 1", &rights)
    }

    pub(super) fn is_legal(&self) -> bool {
        parse(&self.text()).is_ok()
    }

    /// The other side to move.
    pub(super) fn other_side(mut self) -> Setup {
        self.fen.position.side = !self.fen.position.side;
        self.fen.en_passant = None;
        self
    }

    /// The colours exchanged, on the board seen from the other side.
    pub(super) fn other_colors(mut self) -> Setup {
        let Fen {
            position,
            castling,
            en_passant,
        } = &mut self.fen;
        *position = position.swap_colors();
        castling.king_side.reverse();
        castling.queen_side.reverse();
        *en_passant = en_passant.map(|square| Symmetry::FlipVertical.apply(square));
        self
    }

    /// The kings alone, where they are if that is legal.
    pub(super) fn cleared(mut self) -> Setup {
        let kings = Color::ALL.map(|color| Some(Piece::new(color, PieceType::King)));
        for man in &mut self.fen.position.board {
            *man = man.filter(|_| kings.contains(man));
        }
        self.fen.castling = CastlingRights::default();
        self.fen.en_passant = None;
        self.counters = (0, 1);
        if !self.is_legal() {
            let board = &mut self.fen.position.board;
            *board = [None; 64];
            [board[E1], board[E8]] = kings;
        }
        self
    }

    /// A piece put from one square to another, or the brush's. Without a square to put it to, it is removed.
    ///
    /// # Errors
    /// If a pawn would stand on the first or the last rank.
    pub(super) fn changed(
        mut self,
        brush: Option<Brush>,
        [from, to]: [Option<Square>; 2],
    ) -> Result<Setup, BoardError> {
        let board = &mut self.fen.position.board;
        let taken = from.map(|from| board[from.index()].take());
        if let Some(to) = to {
            board[to.index()] = match (taken, brush) {
                (Some(Some(piece)), _) | (None, Some(Brush::Put(piece))) => Some(piece),
                (None, Some(Brush::Remove)) => None,
                (Some(None), _) | (None, Some(Brush::Nothing) | None) => board[to.index()],
            };
        }
        self.fen.en_passant = None;
        Setup::read(&self.text())
    }
}

const E1: usize = 4;
const E8: usize = 60;
