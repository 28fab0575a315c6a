//! Classification of many pieces at once.
//!
//! Three things make it fast. None of them takes a branch that a census would mispredict:
//!
//! - Directions, masks and the lattice of a piece follow from the same facts about its two halves of twelve
//!   bits. Two tables of 4096 entries hold them. The union of two sets is an OR, and a third table holds
//!   the join of every two of the [31 lattices](Lattice). A half-plane holds all moves if seven neighbours
//!   among the sixteen directions are missing.
//! - More moves never hurt: a piece that contains a connected one is connected on the board. The 24 squares
//!   are dealt into four quarters. Any two quarters make a *window* of twelve squares, and a table for each
//!   of the six windows tells whether the piece's moves in the window already connect the board. That
//!   settles more than 98 of 100 connected pieces. A piece that is bound on the plane is not connected on a
//!   board with at least two files and ranks.
//! - The few pieces that are left are flooded eight at a time, one lane per piece. The loop over the lanes
//!   is the innermost one, has no branch, and compiles to vector instructions. Half a turn of the board
//!   makes a flood backwards into a flood forwards: a square reaches the middle exactly if the square
//!   opposite the middle reaches the square opposite the first. So both floods of a piece go forwards, one
//!   from the middle and one from its opposite, through the same steps.

use std::sync::LazyLock;

use super::grid_moves::GridMoves;
use super::{Directions, Grid, Lattice, MASKS};
use crate::board::{Leaper, Step};
use crate::debug::debug_by;

/// The number of pieces that are flooded side by side.
const LANES: usize = 8;

/// The number of halves of twelve moves.
const HALVES: usize = 1 << 12;

/// The features of all halves of twelve moves, and the joins of lattices.
struct Features {
    low: [u64; HALVES],
    high: [u64; HALVES],
    lattices: Vec<Lattice>,
    /// The number of the join of lattices `i` and `j` at `64 i + j`.
    joins: [u8; 64 * 64],
}

/// The places of the features in a feature word. The directions are the low sixteen bits. The words of two
/// halves are joined by OR, except for the lattice.
mod place {
    /// The published masks that the half is *not* within.
    pub(super) const UNFIT: u32 = 16;
    /// The lattice's number.
    pub(super) const LATTICE: u32 = 32;
    /// The half's moves, dealt into quarters.
    pub(super) const QUARTERS: u32 = 40;
}

static FEATURES: LazyLock<Features> = LazyLock::new(|| {
    let lattices = Lattice::all();
    let number = |lattice: Lattice| {
        let found = lattices.iter().position(|&known| known == lattice);
        found.expect("all lattices of moves are known") as u8
    };
    let mut joins = [0; 64 * 64];
    for (i, a) in lattices.iter().enumerate() {
        for (j, b) in lattices.iter().enumerate() {
            joins[64 * i + j] = number(a.join(*b));
        }
    }
    let half = |bits: u32| {
        let piece = Leaper::new(bits);
        let mut word = u64::from(Directions::of(piece).0);
        for (index, (_, mask)) in MASKS.into_iter().enumerate() {
            word |= u64::from(!piece.is_within(mask)) << (place::UNFIT + index as u32);
        }
        word |= u64::from(number(Lattice::generated_by(piece))) << place::LATTICE;
        word | u64::from(dealt(bits)) << place::QUARTERS
    };
    Features {
        low: std::array::from_fn(|bits| half(bits as u32)),
        high: std::array::from_fn(|bits| half((bits as u32) << 12)),
        joins,
        lattices,
    }
});

/// The moves dealt like cards into four quarters of six bits, every fourth move to the same quarter. Each
/// quarter then has moves in all directions, and a window of two quarters is likely to be connected.
const fn dealt(bits: u32) -> u32 {
    let mut quarters = 0;
    let mut index = 0;
    while index < 24 {
        quarters |= (bits >> index & 1) << (index % 4 * 6 + index / 4);
        index += 1;
    }
    quarters
}

/// The six pairs of quarters.
const WINDOWS: [(u32, u32); 6] = [(0, 1), (1, 2), (2, 3), (0, 3), (0, 2), (1, 3)];

/// The moves in two quarters, as twelve bits.
#[inline]
const fn window(quarters: u32, (a, b): (u32, u32)) -> u32 {
    (quarters >> (6 * a) & 63) | (quarters >> (6 * b) & 63) << 6
}

/// The facts about one piece that a census counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PieceFacts {
    /// The number of moves that the piece has.
    pub moves: u32,
    /// The published masks that hold it: bit `i` stands for the `i`-th of [`MASKS`](super::MASKS).
    pub masks: u16,
    /// The rank of its lattice, 0 to 2.
    pub lattice_rank: u32,
    /// The index of its lattice, or `None` below rank 2.
    pub lattice_index: Option<u32>,
    /// Whether a closed half-plane holds all its moves.
    pub half_plane: bool,
    /// Whether it is free on the plane.
    pub free: bool,
    /// Whether it is connected on the board.
    pub board_connected: bool,
}

/// Classifies slices of pieces on one board.
///
/// ```
/// use tbindex::Leaper;
/// use tbindex::fairy::{Classifier, Grid, PieceFacts};
/// let pieces = [Leaper::KNIGHT, "F".parse()?, Leaper::EMPTY];
/// let mut facts = [PieceFacts::default(); 3];
/// Classifier::new(Grid::CHESS).classify_into(&pieces, &mut facts);
/// assert!(facts[0].free && facts[0].board_connected);
/// assert_eq!(facts[1].lattice_index, Some(2));
/// assert!(facts[2].half_plane);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Classifier {
    pub(super) grid: Grid,
    moves: GridMoves,
    /// For each window 4096 bits, one for each set of its moves: set if these moves alone connect the
    /// board.
    windows: Vec<[u64; 64]>,
}

impl Classifier {
    /// The classifier for a board. It takes some milliseconds to make, as long as to classify a hundred
    /// thousand pieces.
    ///
    /// # Panics
    /// If the board has more than 64 squares.
    #[must_use]
    pub fn new(grid: Grid) -> Classifier {
        let moves = GridMoves::new(&grid);
        Classifier {
            windows: WINDOWS
                .map(|quarters| connected_subsets(&moves, quarters))
                .to_vec(),
            grid,
            moves,
        }
    }

    /// Writes the facts about the pieces.
    ///
    /// # Panics
    /// If the slices are of different lengths.
    pub fn classify_into(&self, pieces: &[Leaper], facts: &mut [PieceFacts]) {
        assert_eq!(pieces.len(), facts.len(), "facts for each of the pieces");
        let features = &*FEATURES;
        let is_thin = self.grid.width() < 2 || self.grid.height() < 2;
        // The places of the pieces that must be flooded.
        let mut waiting = Vec::new();
        for (at, &piece) in pieces.iter().enumerate() {
            let (found, quarters) = features.of(piece);
            let may_connect = found.free || is_thin;
            let board_connected = may_connect && self.has_connected_window(quarters);
            facts[at] = PieceFacts {
                board_connected,
                ..found
            };
            if may_connect && !board_connected {
                waiting.push(at);
            }
        }
        for places in waiting.chunks(LANES) {
            // Lanes that are not needed have the empty piece, whose flood takes no time.
            let mut lanes = [Leaper::EMPTY; LANES];
            for (lane, &at) in lanes.iter_mut().zip(places) {
                *lane = pieces[at];
            }
            for (&at, connected) in places.iter().zip(flood_lanes(&self.moves, &lanes)) {
                facts[at].board_connected = connected;
            }
        }
    }

    #[inline]
    fn has_connected_window(&self, quarters: u32) -> bool {
        WINDOWS.iter().zip(&self.windows).any(|(&pair, answers)| {
            let moves = window(quarters, pair);
            answers[(moves >> 6) as usize] >> (moves & 63) & 1 != 0
        })
    }
}

impl Features {
    /// The facts without the board's part, and the moves in quarters.
    #[inline]
    fn of(&self, piece: Leaper) -> (PieceFacts, u32) {
        let low = self.low[piece.bits() as usize % HALVES];
        let high = self.high[piece.bits() as usize / HALVES % HALVES];
        let number = |word: u64| (word >> place::LATTICE & 63) as usize;
        let lattice = self.lattices[usize::from(self.joins[64 * number(low) + number(high)])];
        let both = low | high;
        let half_plane = has_gap_of_seven(both as u16);
        let facts = PieceFacts {
            moves: piece.len(),
            masks: !(both >> place::UNFIT) as u16 & 0x7fff,
            lattice_rank: lattice.rank(),
            lattice_index: lattice.index(),
            half_plane,
            free: lattice == Lattice::PLANE && !half_plane,
            board_connected: false,
        };
        (facts, (both >> place::QUARTERS) as u32)
    }
}

/// Whether seven neighbours among the sixteen directions are missing; the first direction is a neighbour of
/// the last.
#[inline]
const fn has_gap_of_seven(directions: u16) -> bool {
    let missing = !directions;
    let two = missing & missing.rotate_right(1);
    let four = two & two.rotate_right(2);
    let seven = four & four.rotate_right(3);
    seven != 0
}

/// The subsets of the moves of two quarters that connect the board. Subset `m` is bit `m & 63` of word
/// `m >> 6`.
fn connected_subsets(grid: &GridMoves, quarters: (u32, u32)) -> [u64; 64] {
    let mut answers = [0u64; 64];
    let has = |answers: &[u64; 64], moves: usize| answers[moves >> 6] >> (moves & 63) & 1 != 0;
    // The moves of the window, one by one.
    let steps: Vec<Step> = (0..12)
        .filter_map(|bit| {
            let in_window = |index: &u32| window(dealt(1 << index), quarters) == 1 << bit;
            let index = (0..24).find(in_window)?;
            Some(Step::ALL[index as usize])
        })
        .collect();
    for moves in 0..HALVES {
        let bits = (0..12).filter(|bit| moves >> bit & 1 != 0);
        // Subsets come before their supersets, and more moves never hurt.
        let connected = bits.clone().any(|bit| has(&answers, moves & !(1 << bit)))
            || grid.is_connected(bits.map(|bit| steps[bit]).collect());
        answers[moves >> 6] |= u64::from(connected) << (moves & 63);
    }
    answers
}

/// Whether each of the pieces is connected on the board.
fn flood_lanes(grid: &GridMoves, pieces: &[Leaper; LANES]) -> [bool; LANES] {
    // All ones in the lanes whose piece has the move.
    let has: [[u64; LANES]; 24] = std::array::from_fn(|index| {
        pieces.map(|piece| u64::from(piece.bits() >> index & 1).wrapping_neg())
    });
    let opposite = grid.all.count_ones() - 1 - u32::from(grid.middle);
    let mut from_middle = [1u64 << grid.middle; LANES];
    let mut from_opposite = [1u64 << opposite; LANES];
    loop {
        let before = (from_middle, from_opposite);
        for (step, has) in grid.moves.iter().zip(&has) {
            let (source, places) = (step.source, step.shift.unsigned_abs());
            if step.shift >= 0 {
                for lane in 0..LANES {
                    let may = source & has[lane];
                    from_middle[lane] |= (from_middle[lane] & may) << places;
                    from_opposite[lane] |= (from_opposite[lane] & may) << places;
                }
            } else {
                for lane in 0..LANES {
                    let may = source & has[lane];
                    from_middle[lane] |= (from_middle[lane] & may) >> places;
                    from_opposite[lane] |= (from_opposite[lane] & may) >> places;
                }
            }
        }
        if (from_middle, from_opposite) == before {
            break;
        }
    }
    // The middle reaches all squares, and all squares reach the middle.
    std::array::from_fn(|lane| from_middle[lane] & from_opposite[lane] == grid.all)
}

debug_by!([] Classifier: grid);
