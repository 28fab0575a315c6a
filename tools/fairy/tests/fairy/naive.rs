//! King and piece against king, position by position: a move generator and a solver that know no bit, no table
//! and nothing of the library but how positions are written.

use tbindex::Color::{self, Black, White};
use tbindex::Leaper;
use tbindex_fairy::MatePosition;

use crate::board::Board;

/// A board, with the steps of the piece and of kings.
pub(crate) struct Game {
    squares: u8,
    piece: Board,
    king: Board,
}

/// Where a move leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    To(MatePosition),
    /// The black king has taken the piece.
    Taken,
}

impl Next {
    pub(crate) fn position(self) -> Option<MatePosition> {
        match self {
            Next::To(position) => Some(position),
            Next::Taken => None,
        }
    }
}

impl Game {
    pub(crate) fn new(width: i32, height: i32, piece: u32) -> Game {
        Game {
            squares: (width * height) as u8,
            piece: Board::new(width, height, piece),
            king: Board::new(width, height, Leaper::KING.bits()),
        }
    }

    fn touch(&self, a: u8, b: u8) -> bool {
        a == b || self.king.targets(a).any(|to| to == b)
    }

    fn check(&self, position: MatePosition) -> bool {
        let mut targets = self.piece.targets(position.piece);
        targets.any(|to| to == position.black_king)
    }

    fn is_legal(&self, at: MatePosition) -> bool {
        at.white_king != at.piece
            && at.piece != at.black_king
            && !self.touch(at.white_king, at.black_king)
            && (at.side == Black || !self.check(at))
    }

    pub(crate) fn moves(&self, from: MatePosition) -> Vec<Next> {
        let next = MatePosition {
            side: !from.side,
            ..from
        };
        let positions: Vec<MatePosition> = match from.side {
            White => {
                let moved = self.king.targets(from.white_king);
                let moved = moved.map(|white_king| MatePosition { white_king, ..next });
                let piece = self.piece.targets(from.piece);
                let piece = piece.map(|piece| MatePosition { piece, ..next });
                moved.chain(piece).collect()
            }
            Black => {
                let moved = self.king.targets(from.black_king);
                let moved = moved.map(|black_king| MatePosition { black_king, ..next });
                moved.collect()
            }
        };
        let moves = positions.into_iter().filter_map(|to| {
            if from.side == Black && to.black_king == to.piece {
                return (!self.touch(to.white_king, to.piece)).then_some(Next::Taken);
            }
            self.is_legal(to).then_some(Next::To(to))
        });
        moves.collect()
    }

    pub(crate) fn positions(&self, side: Color) -> impl Iterator<Item = MatePosition> {
        let all = u32::from(self.squares);
        let position = move |number: u32| MatePosition {
            side,
            white_king: (number / all / all) as u8,
            piece: (number / all % all) as u8,
            black_king: (number % all) as u8,
        };
        let positions = (0..all.pow(3)).map(position);
        positions.filter(|&position| self.is_legal(position))
    }

    fn place(&self, position: MatePosition) -> usize {
        let squares = [position.white_king, position.piece, position.black_king];
        squares
            .into_iter()
            .fold(position.side as usize, |place, square| {
                place * usize::from(self.squares) + usize::from(square)
            })
    }

    /// The plies to mate of all positions, by their places, from sweeps over all positions until nothing changes.
    pub(crate) fn solve(&self) -> Solution<'_> {
        let mut plies = vec![None; 2 * usize::from(self.squares).pow(3)];
        for now in 0u16.. {
            let side = if now % 2 == 0 { Black } else { White };
            let mut found = Vec::new();
            let undecided = |&position: &_| plies[self.place(position)].is_none();
            for position in self.positions(side).filter(undecided) {
                let moves = self.moves(position);
                let ends_in = |next: &Next| plies[self.place(next.position()?)];
                let decided = match side {
                    White => moves.iter().any(|next| ends_in(next).is_some()),
                    Black if moves.is_empty() => self.check(position),
                    Black => moves.iter().all(|next| ends_in(next).is_some()),
                };
                if decided {
                    found.push(self.place(position));
                }
            }
            if found.is_empty() && now > 0 {
                break;
            }
            for place in found {
                plies[place] = Some(now);
            }
        }
        Solution { game: self, plies }
    }
}

pub(crate) struct Solution<'a> {
    game: &'a Game,
    plies: Vec<Option<u16>>,
}

impl Solution<'_> {
    pub(crate) fn plies(&self, position: MatePosition) -> Option<u16> {
        self.plies[self.game.place(position)]
    }
}
