//! The fast solver: eight squares of the white king side by side in a register.
//!
//! The squares of the black king are the bits of a word, as in the [plain solver](super::plain). The words of a
//! [`Row`] are the squares of the white king on one rank, and eight rows, a [`Block`], are all his squares with
//! the piece on one square. So
//!
//! - the black king moves by shifts within words,
//! - the white king moves from lane to lane and from row to row within the registers that hold a block, and
//! - the piece moves from block to block: each of its moves is an OR of a block in memory, so a piece pays for
//!   the moves that it has on the board, and for no other.
//!
//! A position set has 64 blocks of 512 bytes. The four sets that a piece needs take 128 KiB and stay in the
//! second-level cache. A ply goes over the blocks once: White's wins with the piece on a square depend on the
//! positions that the ply before found to be lost, and Black's new losses depend on that same block alone.
//! The ply notes which blocks have newly lost positions. The next one skips the squares of the piece from which White
//! reaches none of these blocks, and never reads a block that has nothing new. A piece without a checkmate is done as
//! soon as its sets are filled, which takes some 4 µs of the 80 µs that a piece takes on the average.
//!
//! One could also put eight pieces side by side, one in each lane. That was not tried, because it does more work: all
//! 24 steps would be made and masked, where a piece has twelve on the average; eight pieces would be solved for as many
//! plies as the one with the longest mate; and their sets would take 1 MiB. Notes for single ranks of a block were
//! tried. They save loads, but their branches made it take more than twice the time.

use tbindex::batch::Backend;
use tbindex::bitbase::Row;
use tbindex::bits;
use tbindex::fairy::Grid;
use tbindex::proofs::bitbases::{EightBoards, HasBoards};
use tbindex::{Leaper, Square};

use super::MatingPower;

/// The positions with the piece on one square: a row for each rank of the white king.
type Block = [Row; 8];

/// A set of positions: a block for each square of the piece.
type Set = [Block; 64];

/// The data that all pieces on a board share.
pub(super) struct Tables {
    /// The squares of the board, among the squares of the chessboard.
    board: u64,
    /// The legal positions with Black to move.
    legal: Box<Set>,
    /// The piece's own square, where the black king may take the piece because the white king does not guard it.
    takes: Box<Set>,
    /// The number of squares of the white king, for each square of the piece and each of the black king, in
    /// legal positions with Black to move.
    white_kings: Box<[[u32; 64]; 64]>,
    /// The number of legal positions with Black to move.
    legal_black: u32,
    /// The number of positions in `takes`.
    takes_count: u32,
}

/// A set without positions.
fn empty() -> Box<Set> {
    vec![[Row::EMPTY; 8]; 64]
        .into_boxed_slice()
        .try_into()
        .expect("64 blocks")
}

impl Tables {
    /// The tables of a board, or `None` if it has more than eight files or ranks.
    pub(super) fn new(grid: &Grid) -> Option<Tables> {
        if grid.width() > 8 || grid.height() > 8 {
            return None;
        }
        let on_board = |square: &Square| {
            (square.file() as u8) < grid.width() && (square.rank() as u8) < grid.height()
        };
        let squares: Vec<Square> = Square::all().filter(on_board).collect();
        let board = squares
            .iter()
            .fold(0, |set, square| set | 1 << square.number());
        let (mut legal, mut takes) = (empty(), empty());
        let mut white_kings = Box::new([[0; 64]; 64]);
        for &at in &squares {
            for &king in squares.iter().filter(|&&king| king != at) {
                let near = Leaper::KING.attacks(king).0;
                let at = at.number();
                let (rank, file) = (king.rank() as usize, king.file() as usize);
                let places = board & !(near | 1 << king.number() | 1 << at);
                legal[usize::from(at)][rank].0[file] = places;
                takes[usize::from(at)][rank].0[file] = 1 << at & !near;
                for black_king in bits(places) {
                    white_kings[usize::from(at)][black_king] += 1;
                }
            }
        }
        let size = |set: &Set| set.iter().flatten().map(Row::len).sum();
        let (legal_black, takes_count) = (size(&legal), size(&takes));
        Some(Tables {
            board,
            legal,
            takes,
            white_kings,
            legal_black,
            takes_count,
        })
    }
}

/// The sets of one piece that is being solved: see the [plain solver](super::plain).
pub(super) struct Work {
    refuges: Box<Set>,
    open: Box<Set>,
    /// The positions that the last ply found to be lost, and the ones that this ply finds. A block is good only if
    /// its bit is set in the note of blocks that are not empty.
    lost: [Box<Set>; 2],
}

impl Work {
    pub(super) fn new() -> Work {
        Work {
            refuges: empty(),
            open: empty(),
            lost: [empty(), empty()],
        }
    }
}

/// Returns the mating powers of the pieces.
pub(super) fn solve_all(
    backend: Backend,
    tables: &Tables,
    pieces: &[Leaper],
    powers: &mut [MatingPower],
) {
    let mut work = Work::new();
    tbindex::dispatch!(backend, token => {
        for (power, &piece) in powers.iter_mut().zip(pieces) {
            *power = solve(token, tables, piece, &mut work);
        }
    });
}

/// The moves of kings from all squares of the sets at once: first sideways, then up and down.
#[inline(always)]
fn king_moves<L: EightBoards>(isa: L::Isa, set: L) -> L {
    let (not_a, not_h) = (
        L::splat(isa, !0x0101_0101_0101_0101),
        L::splat(isa, !0x8080_8080_8080_8080),
    );
    let sideways = (set & not_h).shift(isa, 1) | (set & not_a).shift(isa, -1);
    let three = sideways | set;
    sideways | three.shift(isa, 8) | three.shift(isa, -8)
}

#[inline(always)]
fn solve<T: HasBoards>(isa: T, tables: &Tables, piece: Leaper, work: &mut Work) -> MatingPower {
    let mut leaps = [0; 64];
    for at in bits(tables.board) {
        leaps[at] = piece.attacks(Square::new(at as u8)).0 & tables.board;
    }
    let checks = checks(tables, &leaps);
    let mut power = MatingPower {
        legal_white: tables.legal_black - checks,
        legal_black: tables.legal_black,
        ..MatingPower::default()
    };
    let (mut live, without_moves) = begin::<T::Boards>(isa, tables, &leaps, work);
    if live == 0 {
        return power;
    }
    let [lost, next] = &mut work.lost;
    for at in bits(live) {
        power.mates += count(&lost[at]);
    }
    loop {
        let any_won;
        (any_won, live) = ply::<T::Boards>(
            isa,
            tables.board,
            &leaps,
            live,
            [&mut work.refuges, &mut work.open],
            lost,
            next,
        );
        if live == 0 {
            power.longest += u16::from(any_won);
            break;
        }
        power.longest += 2;
        std::mem::swap(lost, next);
    }
    let (mut refuges, mut open) = (0, 0);
    for at in bits(tables.board) {
        refuges += count(&work.refuges[at]);
        open += count(&work.open[at]);
    }
    power.wins_white = power.legal_white + tables.takes_count - refuges;
    power.losses_black = power.mates + tables.legal_black - without_moves - open;
    power
}

/// The number of legal positions with Black to move and in check.
#[inline(always)]
fn checks(tables: &Tables, leaps: &[u64; 64]) -> u32 {
    let mut checks = 0;
    for at in bits(tables.board) {
        for king in bits(leaps[at]) {
            checks += tables.white_kings[at][king];
        }
    }
    checks
}

/// The number of positions in a block.
#[inline(always)]
fn count(block: &Block) -> u32 {
    let mut count = 0;
    for row in block {
        count += row.len();
    }
    count
}

/// Sets up the positions before the first ply. Returns the blocks with checkmates, and the number of positions
/// without a legal move, which are checkmates and stalemates.
#[inline(always)]
fn begin<L: EightBoards>(
    isa: L::Isa,
    tables: &Tables,
    leaps: &[u64; 64],
    work: &mut Work,
) -> (u64, u32) {
    let (mut live, mut without_moves) = (0, 0);
    for at in bits(tables.board) {
        let attacked = L::splat(isa, leaps[at]);
        let mut any = L::zero(isa);
        let mut any_mate = L::zero(isa);
        let mut stuck = [Row::EMPTY; 8];
        for (rank, stuck) in stuck.iter_mut().enumerate() {
            let legal = L::load(isa, &tables.legal[at][rank]);
            let refuges = legal.without(attacked) | L::load(isa, &tables.takes[at][rank]);
            let movable = king_moves(isa, refuges);
            refuges.store(&mut work.refuges[at][rank]);
            (legal & movable).store(&mut work.open[at][rank]);
            let none = legal.without(movable);
            none.store(stuck);
            let mates = none & attacked;
            mates.store(&mut work.lost[0][at][rank]);
            any = any | none;
            any_mate = any_mate | mates;
        }
        if !any.is_zero() {
            without_moves += count(&stuck);
        }
        live |= u64::from(!any_mate.is_zero()) << at;
    }
    (live, without_moves)
}

/// Finds the positions that are won because they reach a position in `lost`, and then the lost ones, which go to `next`.
/// Returns whether any is won, and the blocks of `next` that have positions; the others are not written.
#[inline(always)]
fn ply<L: EightBoards>(
    isa: L::Isa,
    board: u64,
    leaps: &[u64; 64],
    live: u64,
    [refuges, open]: [&mut Set; 2],
    lost: &Set,
    next: &mut Set,
) -> (bool, u64) {
    let (mut any_won, mut live_next) = (false, 0);
    for at in bits(board) {
        let by_piece = live & leaps[at];
        let by_king = live >> at & 1 != 0;
        if by_piece == 0 && !by_king {
            continue;
        }
        let mut reached = [L::zero(isa); 8];
        if by_king {
            // Each rank with the ranks beside it, and then each file with the files beside it.
            let here: [L; 8] = std::array::from_fn(|rank| L::load(isa, &lost[at][rank]));
            for rank in 0..8 {
                let mut beside = L::zero(isa);
                if rank > 0 {
                    beside = beside | here[rank - 1];
                }
                if rank < 7 {
                    beside = beside | here[rank + 1];
                }
                let three = beside | here[rank];
                reached[rank] = beside | three.lanes_up::<1>() | three.lanes_down::<1>();
            }
        }
        for to in bits(by_piece) {
            for rank in 0..8 {
                reached[rank] = reached[rank] | L::load(isa, &lost[to][rank]);
            }
        }
        let not_taken = L::splat(isa, !(1 << at));
        let mut any = L::zero(isa);
        let mut left = [L::zero(isa); 8];
        for rank in 0..8 {
            let before = L::load(isa, &refuges[at][rank]);
            let won = reached[rank] & before & not_taken;
            any = any | won;
            left[rank] = before.without(won);
        }
        if any.is_zero() {
            continue;
        }
        any_won = true;
        let mut any = L::zero(isa);
        for rank in 0..8 {
            left[rank].store(&mut refuges[at][rank]);
            let movable = king_moves(isa, left[rank]);
            let before = L::load(isa, &open[at][rank]);
            let lost = before.without(movable);
            any = any | lost;
            (before & movable).store(&mut open[at][rank]);
            lost.store(&mut next[at][rank]);
        }
        live_next |= u64::from(!any.is_zero()) << at;
    }
    (any_won, live_next)
}
