//! The plain solver: one piece at a time, on any board, the squares of the bare king as the bits of a word.
//!
//! It is the reference of the [fast solver](super::MateSolver), for its results and for its speed, and it
//! fills the [table of distances](super::MateTable). Every ply looks at all pairs of squares of the white king
//! and the piece.

use tbindex::bits;
use tbindex::fairy::{Grid, GridMoves};
use tbindex::{Color, Leaper};

use super::MatingPower;

/// Returns the piece's mating power, and hands over all positions that White has won or Black has lost on the way, ply
/// by ply: the side to move, the plies to the mate, the pair of squares of the white king and the piece (the king's times
/// the number of squares, plus the piece's), and the squares of the black king.
pub(super) fn solve(
    grid: &Grid,
    piece: Leaper,
    mut found: impl FnMut(Color, u16, usize, u64),
) -> MatingPower {
    let squares = grid.square_count() as usize;
    let moves = GridMoves::new(grid);
    let king: Vec<u64> = (0..squares)
        .map(|square| moves.step(Leaper::KING, 1 << square))
        .collect();
    let leaps: Vec<u64> = (0..squares)
        .map(|square| moves.step(piece, 1 << square))
        .collect();
    let king_moves = king_moves(grid);
    let mut power = MatingPower::default();
    let empty = || vec![0u64; squares * squares];
    // For each pair, where the black king may stay, or take the piece: no win of White is known yet. With White to move,
    // these are all positions that are not won, and the piece's own square where the king may take it there.
    let mut all_refuges = empty();
    // The positions with Black to move that have a legal move and are not lost as far as is known.
    let mut open = empty();
    // The positions with Black to move that the last ply found to be lost.
    let mut last_lost = empty();

    for (white_king, &near) in king.iter().enumerate() {
        for (at, &check) in leaps.iter().enumerate() {
            if at == white_king {
                continue;
            }
            let pair = white_king * squares + at;
            let legal = moves.all & !(near | 1 << white_king | 1 << at);
            let refuges = legal & !check;
            power.legal_black += legal.count_ones();
            power.legal_white += refuges.count_ones();
            // The piece can be taken where its king does not guard it.
            let refuges = refuges | (1 << at & !near);
            let movable = king_moves(refuges);
            let mates = legal & check & !movable;
            power.mates += mates.count_ones();
            all_refuges[pair] = refuges;
            // A legal position without a move is mate or stalemate.
            open[pair] = legal & movable;
            last_lost[pair] = mates;
            if mates != 0 {
                found(Color::Black, 0, pair, mates);
            }
        }
    }
    power.losses_black = power.mates;

    let mut next = empty();
    let mut plies = 0;
    loop {
        let (mut any_won, mut any) = (false, 0);
        for (white_king, &king_moves_to) in king.iter().enumerate() {
            for (at, &piece_moves_to) in leaps.iter().enumerate() {
                let pair = white_king * squares + at;
                let by_king = bits(king_moves_to).map(|to| last_lost[to * squares + at]);
                let by_piece = bits(piece_moves_to).map(|to| last_lost[white_king * squares + to]);
                let reached = by_king.chain(by_piece).fold(0, |all, set| all | set);
                let won = reached & all_refuges[pair] & !(1 << at);
                next[pair] = 0;
                if won == 0 {
                    continue;
                }
                any_won = true;
                all_refuges[pair] &= !won;
                power.wins_white += won.count_ones();
                found(Color::White, plies + 1, pair, won);
                let lost = open[pair] & !king_moves(all_refuges[pair]);
                if lost == 0 {
                    continue;
                }
                open[pair] &= !lost;
                power.losses_black += lost.count_ones();
                found(Color::Black, plies + 2, pair, lost);
                next[pair] = lost;
                any |= lost;
            }
        }
        std::mem::swap(&mut last_lost, &mut next);
        if any == 0 {
            power.longest = plies + u16::from(any_won);
            return power;
        }
        plies += 2;
    }
}

/// The moves of kings from all squares of a set at once: first sideways, then up and down.
fn king_moves(grid: &Grid) -> impl Fn(u64) -> u64 {
    let (all, width) = (GridMoves::new(grid).all, u32::from(grid.width()));
    let ranks = 0..u32::from(grid.height());
    let first_file = ranks.fold(0u64, |file, rank| file | 1 << (rank * width));
    let last_file = first_file << (width - 1);
    move |set| {
        let sideways = (set & !last_file) << 1 | (set & !first_file) >> 1;
        let three = sideways | set;
        let up = three.checked_shl(width).unwrap_or(0);
        let down = three.checked_shr(width).unwrap_or(0);
        (sideways | up | down) & all
    }
}
