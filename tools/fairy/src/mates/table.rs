//! All distances to mate of one piece, and lines of play.

use tbindex::bits;
use tbindex::fairy::{Grid, GridMoves};
use tbindex::{Color, Leaper};

use super::MatingPower;
use super::plain;
use crate::Board;

/// A position of king and piece against king. White has the piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MatePosition {
    /// The side to move.
    pub side: Color,
    /// The square of the white king.
    pub white_king: u8,
    /// The square of the piece.
    pub piece: u8,
    /// The square of the black king.
    pub black_king: u8,
}

/// The distances to mate of all positions of king and piece against king.
///
/// The piece leaps, so nothing blocks it, but it may not land on its own king's square. The black king may
/// take it unless the white king guards it; that is a draw, as stalemate is. The table comes from the plain
/// solver, takes a few milliseconds and 1 MB on the chessboard, and knows boards of up to 64 squares.
///
/// ```
/// use tbindex::fairy::Grid;
/// use tbindex_fairy::MateTable;
/// let gold = MateTable::new(&Grid::CHESS, "WfF".parse()?);
/// assert_eq!(gold.power().longest, 74);
/// let start = gold.longest().expect("a gold general can give mate");
/// let line = gold.line(start);
/// assert_eq!(line.len(), 75); // 74 plies from the start to the mate
/// assert_eq!(gold.plies(line[74]), Some(0));
/// # Ok::<(), tbindex::fairy::NotationError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MateTable {
    pub(crate) grid: Grid,
    board: GridMoves,
    pub(crate) piece: Leaper,
    power: MatingPower,
    /// The plies to mate with White to move, and with Black to move; see [`MateTable::place`].
    plies: [Vec<u16>; 2],
}

/// The entry of positions without a mate.
const NONE: u16 = u16::MAX;

impl MateTable {
    /// The table of a piece on a board.
    ///
    /// # Panics
    /// If the board has more than 64 squares.
    #[must_use]
    pub fn new(grid: &Grid, piece: Leaper) -> MateTable {
        let squares = grid.square_count() as usize;
        let mut plies = [vec![NONE; squares.pow(3)], vec![NONE; squares.pow(3)]];
        let power = plain::solve(grid, piece, |side, after, pair, kings| {
            for king in bits(kings) {
                plies[side as usize][pair * squares + king] = after;
            }
        });
        MateTable {
            grid: *grid,
            board: GridMoves::new(grid),
            piece,
            power,
            plies,
        }
    }

    /// How many positions are won and lost.
    #[must_use]
    pub const fn power(&self) -> &MatingPower {
        &self.power
    }

    /// The plies to the mate with best play of both sides, or `None` if White can't force one or the position
    /// is not legal.
    ///
    /// # Panics
    /// If a square is not one of the board's.
    #[must_use]
    pub fn plies(&self, position: MatePosition) -> Option<u16> {
        let plies = self.plies[position.side as usize][self.place(position)];
        (plies != NONE).then_some(plies)
    }

    fn place(&self, position: MatePosition) -> usize {
        let squares = [position.white_king, position.piece, position.black_king];
        let count = self.grid.square_count();
        assert!(
            squares.iter().all(|&square| u32::from(square) < count),
            "the squares of a position are on the board"
        );
        squares.iter().fold(0, |place, &square| {
            place * count as usize + usize::from(square)
        })
    }

    /// Whether the position is legal: no two pieces share a square, the kings don't touch, and the side that
    /// is not to move is not in check.
    ///
    /// # Panics
    /// If a square is not one of the board's.
    #[must_use]
    pub fn is_legal(&self, position: MatePosition) -> bool {
        let _ = self.place(position);
        position.white_king != position.piece
            && position.piece != position.black_king
            && self.near(position.white_king) >> position.black_king & 1 == 0
            && (position.side == Color::Black || !self.is_check(position))
    }

    /// Whether the piece attacks the black king.
    fn is_check(&self, position: MatePosition) -> bool {
        let _ = self.place(position);
        self.board.step(self.piece, 1 << position.piece) >> position.black_king & 1 != 0
    }

    /// The square and the squares that a king on it attacks.
    fn near(&self, square: u8) -> u64 {
        self.board.step(Leaper::KING, 1 << square) | 1 << square
    }

    /// Whether the black king can take the piece: it stands beside it, and the white king does not guard it.
    fn takes(&self, position: MatePosition) -> bool {
        let _ = self.place(position);
        let beside = |king: u8| self.board.step(Leaper::KING, 1 << king) >> position.piece & 1 != 0;
        beside(position.black_king) && !beside(position.white_king)
    }

    /// The positions that legal moves lead to, except where the black king takes the piece. Moves of the king
    /// come first, and moves to squares with lower numbers before others.
    ///
    /// # Panics
    /// If a square is not one of the board's.
    #[must_use]
    pub fn moves(&self, position: MatePosition) -> Vec<MatePosition> {
        let _ = self.place(position);
        let mover = match position.side {
            Color::White => position.white_king,
            Color::Black => position.black_king,
        };
        let after = MatePosition {
            side: !position.side,
            ..position
        };
        let mut moves = Vec::new();
        for to in bits(self.board.step(Leaper::KING, 1 << mover)) {
            let mut next = after;
            match position.side {
                Color::White => next.white_king = to as u8,
                Color::Black => next.black_king = to as u8,
            }
            moves.push(next);
        }
        if position.side == Color::White {
            let leaps = self.board.step(self.piece, 1 << position.piece);
            moves.extend(bits(leaps).map(|to| MatePosition {
                piece: to as u8,
                ..after
            }));
        }
        moves.retain(|&position| self.is_legal(position));
        moves
    }

    /// The number of positions with White to move in which there are moves, and each loses the piece at once or gives
    /// stalemate.
    #[must_use]
    pub fn lost_at_once(&self) -> u32 {
        let mut count = 0;
        for white_king in self.grid.squares() {
            for piece in self.grid.squares() {
                for black_king in self.grid.squares() {
                    let position = MatePosition {
                        side: Color::White,
                        white_king,
                        piece,
                        black_king,
                    };
                    if self.plies(position).is_some() || !self.is_legal(position) {
                        continue;
                    }
                    let ends =
                        |next: &MatePosition| self.takes(*next) || self.moves(*next).is_empty();
                    let moves = self.moves(position);
                    count += u32::from(!moves.is_empty() && moves.iter().all(ends));
                }
            }
        }
        count
    }

    /// The position that takes the most plies to the mate, or `None` if Black is never checkmated. Of several it is the first
    /// in the order of the squares of white king, piece and black king.
    #[must_use]
    pub fn longest(&self) -> Option<MatePosition> {
        let longest = self.power.longest;
        let side = match longest % 2 {
            0 => Color::Black,
            _ => Color::White,
        };
        let of_side = &self.plies[side as usize];
        let place = of_side.iter().position(|&plies| plies == longest)?;
        let squares = self.grid.square_count() as usize;
        Some(MatePosition {
            side,
            white_king: (place / (squares * squares)) as u8,
            piece: (place / squares % squares) as u8,
            black_king: (place % squares) as u8,
        })
    }

    /// The positions from this one to the mate, both included, with best play of both sides: White mates as
    /// soon as possible, Black holds out as long as possible. Among equally good moves it is the first of
    /// [`moves`](MateTable::moves). Where White can't force a mate, there is no position.
    ///
    /// # Panics
    /// If a square is not one of the board's.
    #[must_use]
    pub fn line(&self, from: MatePosition) -> Vec<MatePosition> {
        let mut line = Vec::new();
        let mut next = self.plies(from).map(|plies| (from, plies));
        while let Some((position, plies)) = next {
            line.push(position);
            // With best play each move brings the mate nearer by one ply.
            next = self.moves(position).into_iter().find_map(|position| {
                Some((position, self.plies(position)?)).filter(|next| next.1 + 1 == plies)
            });
        }
        line
    }

    /// The move from one position to the next, as players write it: `Kc3` for a king, the given letter and the
    /// square for the piece, `+` after a check, and `#` after mate.
    ///
    /// # Panics
    /// If a square is not one of the board's.
    #[must_use]
    pub fn move_name(&self, from: MatePosition, to: MatePosition, letter: char) -> String {
        let (letter, square) = if from.piece != to.piece {
            (letter, to.piece)
        } else if from.white_king != to.white_king {
            ('K', to.white_king)
        } else {
            ('K', to.black_king)
        };
        let sign = if self.plies(to) == Some(0) {
            "#"
        } else if to.side == Color::Black && self.is_check(to) {
            "+"
        } else {
            ""
        };
        format!("{letter}{}{sign}", self.grid.square_name(square))
    }

    /// The position as a picture: `K` and `k` for the kings, and the given letter for the piece.
    #[must_use]
    pub fn picture(&self, position: MatePosition, letter: char) -> String {
        self.grid.draw(|square| {
            let letter = if square == position.white_king {
                'K'
            } else if square == position.black_king {
                'k'
            } else if square == position.piece {
                letter
            } else {
                '.'
            };
            letter.to_string()
        })
    }
}
