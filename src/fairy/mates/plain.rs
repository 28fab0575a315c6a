//! The plain solver: one piece at a time, on any board, the squares of the bare king as the bits of a word.
//!
//! It is the reference of the [fast solver](super::MateSolver), for its results and for its speed, and it
//! fills the [table of distances](super::MateTable). Every ply looks at all pairs of squares of the white king
//! and the piece.

use super::MatingPower;
use crate::board::{Color, Leaper, bits};
use crate::fairy::Grid;

/// The squares that a ply found for one pair of squares of the white king and the piece.
pub(super) struct Found {
    /// The side to move: White has won, Black has lost.
    pub(super) side: Color,
    /// The plies to the mate.
    pub(super) plies: u16,
    /// The pair: the square of the white king times the number of squares, plus that of the piece.
    pub(super) pair: usize,
    /// The squares of the black king.
    pub(super) squares: u64,
}

/// The white king and the piece against the black king, as sets of squares of the black king.
struct Pairs {
    /// Where the black king may stay, or take the piece: no win of White is known yet. With White to move,
    /// these are all positions that are not won, and the piece's own square where the king may take it there.
    refuges: Vec<u64>,
    /// The positions with Black to move that have a legal move and are not lost as far as is known.
    open: Vec<u64>,
    /// The positions with Black to move that the last ply found to be lost.
    lost: Vec<u64>,
}

/// Returns the piece's mating power, and hands over all won and lost positions on the way, ply by ply.
pub(super) fn solve(grid: &Grid, piece: Leaper, mut found: impl FnMut(Found)) -> MatingPower {
    let squares = grid.square_count() as usize;
    let king: Vec<u64> = (0..squares)
        .map(|square| grid.step(Leaper::KING, 1 << square))
        .collect();
    let leaps: Vec<u64> = (0..squares)
        .map(|square| grid.step(piece, 1 << square))
        .collect();
    let king_moves = KingMoves::new(grid);
    let mut power = MatingPower::default();
    let empty = || vec![0u64; squares * squares];
    let mut pairs = Pairs {
        refuges: empty(),
        open: empty(),
        lost: empty(),
    };

    for (white_king, &near) in king.iter().enumerate() {
        for (at, &check) in leaps.iter().enumerate() {
            if at == white_king {
                continue;
            }
            let pair = white_king * squares + at;
            let legal = grid.all() & !(near | 1 << white_king | 1 << at);
            let refuges = legal & !check;
            power.legal_black += legal.count_ones();
            power.legal_white += refuges.count_ones();
            // The piece can be taken where its king does not guard it.
            let refuges = refuges | (1 << at & !near);
            let movable = king_moves.of(refuges);
            let mates = legal & check & !movable;
            power.mates += mates.count_ones();
            pairs.refuges[pair] = refuges;
            // A legal position without a move is mate or stalemate.
            pairs.open[pair] = legal & movable;
            pairs.lost[pair] = mates;
            if mates != 0 {
                found(Found {
                    side: Color::Black,
                    plies: 0,
                    pair,
                    squares: mates,
                });
            }
        }
    }
    power.losses_black = power.mates;

    let mut next = empty();
    let mut plies = 0;
    loop {
        let mut any = 0;
        for (white_king, &king_moves_to) in king.iter().enumerate() {
            for (at, &piece_moves_to) in leaps.iter().enumerate() {
                let pair = white_king * squares + at;
                let by_king = bits(king_moves_to).map(|to| pairs.lost[to * squares + at]);
                let by_piece = bits(piece_moves_to).map(|to| pairs.lost[white_king * squares + to]);
                let reached = by_king.chain(by_piece).fold(0, |all, set| all | set);
                let won = reached & pairs.refuges[pair] & !(1 << at);
                next[pair] = 0;
                if won == 0 {
                    continue;
                }
                pairs.refuges[pair] &= !won;
                power.wins_white += won.count_ones();
                found(Found {
                    side: Color::White,
                    plies: plies + 1,
                    pair,
                    squares: won,
                });
                let lost = pairs.open[pair] & !king_moves.of(pairs.refuges[pair]);
                if lost == 0 {
                    continue;
                }
                pairs.open[pair] &= !lost;
                power.losses_black += lost.count_ones();
                found(Found {
                    side: Color::Black,
                    plies: plies + 2,
                    pair,
                    squares: lost,
                });
                next[pair] = lost;
                any |= lost;
            }
        }
        std::mem::swap(&mut pairs.lost, &mut next);
        if any == 0 {
            power.longest = plies;
            return power;
        }
        plies += 2;
    }
}

/// The moves of kings from all squares of a set at once: first sideways, then up and down.
struct KingMoves {
    all: u64,
    not_first_file: u64,
    not_last_file: u64,
    width: u32,
}

impl KingMoves {
    fn new(grid: &Grid) -> KingMoves {
        let width = u32::from(grid.width());
        let first_file =
            (0..u32::from(grid.height())).fold(0u64, |file, rank| file | 1 << (rank * width));
        KingMoves {
            all: grid.all(),
            not_first_file: !first_file,
            not_last_file: !(first_file << (width - 1)),
            width,
        }
    }

    fn of(&self, set: u64) -> u64 {
        let sideways = (set & self.not_last_file) << 1 | (set & self.not_first_file) >> 1;
        let three = sideways | set;
        let up = three.checked_shl(self.width).unwrap_or(0);
        let down = three.checked_shr(self.width).unwrap_or(0);
        (sideways | up | down) & self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kings_move_from_all_squares_at_once() {
        for (width, height) in [(8, 8), (64, 1), (1, 64), (1, 1), (10, 6), (2, 32), (9, 7)] {
            let grid = Grid::new(width, height);
            let moves = KingMoves::new(&grid);
            for set in [
                0,
                1,
                grid.all(),
                0x8040_2010_0804_0201,
                0x1234_5678_9abc_def0,
            ] {
                let set = set & grid.all();
                assert_eq!(moves.of(set), grid.step(Leaper::KING, set), "{grid}");
            }
        }
    }
}
