//! Many pieces at once: verdicts as 32-bit words.
//!
//! Three things make it fast. None of them takes a branch that a census would mispredict:
//!
//! - Rays, masks, atoms and the lattice of a piece follow from those of its two halves of twelve
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

use std::fmt;
use std::sync::LazyLock;

use super::{Directions, FreeAtom, Grid, Lattice, Mask, PieceFacts};
use crate::board::{Leaper, Step};

/// How many pieces are flooded side by side.
const LANES: usize = 8;

/// How many halves of twelve moves there are.
const HALVES: usize = 1 << 12;

/// The verdict on one piece, on the plane and on a board, in 32 bits.
///
/// Bits 0–5 are the number of the lattice. Bits 6–20 stand for the published masks that the piece is
/// within, and bits 21–23 for the published free atoms that it contains. Bit 24 is set if a half-plane
/// holds all its moves, bit 25 if it is free, and bit 26 if it is connected on the board. The others are 0.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct VerdictWord(u32);

impl VerdictWord {
    const MASKS: u32 = 6;
    const ATOMS: u32 = 21;
    const CONFINED: u32 = 24;
    const FREE: u32 = 25;
    const CONNECTED: u32 = 26;

    const fn has(self, bit: u32) -> bool {
        self.0 >> bit & 1 != 0
    }

    /// The lattice that the piece's moves generate.
    #[must_use]
    pub(crate) fn lattice(self) -> Lattice {
        FEATURES.lattices[(self.0 & 63) as usize]
    }

    /// Whether the piece is free on the plane: [`Verdict::is_free`](super::Verdict::is_free).
    #[must_use]
    #[inline]
    pub(crate) const fn is_free(self) -> bool {
        self.has(VerdictWord::FREE)
    }

    /// Whether a half-plane holds all its moves:
    /// [`Verdict::is_confined`](super::Verdict::is_confined).
    #[must_use]
    #[inline]
    pub(crate) const fn is_confined(self) -> bool {
        self.has(VerdictWord::CONFINED)
    }

    /// Whether the piece reaches every square of the board from every other:
    /// [`Grid::is_connected`].
    #[must_use]
    #[inline]
    pub(crate) const fn is_connected(self) -> bool {
        self.has(VerdictWord::CONNECTED)
    }

    /// Whether the piece is within a published mask.
    #[must_use]
    #[inline]
    pub(crate) const fn is_masked(self) -> bool {
        self.mask_bits() != 0
    }

    /// The published masks that hold the piece, bit `i` for the `i`-th of [`Mask::ALL`].
    #[must_use]
    #[inline]
    pub(crate) const fn mask_bits(self) -> u16 {
        (self.0 >> VerdictWord::MASKS & 0x7fff) as u16
    }

    /// Whether the published mask holds the piece.
    #[must_use]
    #[inline]
    pub(crate) const fn is_within(self, mask: Mask) -> bool {
        self.has(VerdictWord::MASKS + mask as u32)
    }

    /// Whether the piece contains the published free atom.
    #[must_use]
    #[inline]
    pub(crate) const fn contains(self, atom: FreeAtom) -> bool {
        self.has(VerdictWord::ATOMS + atom as u32)
    }

    /// The facts that a census counts. `piece` must be the piece that the word is about.
    #[must_use]
    pub fn facts(self, piece: Leaper) -> PieceFacts {
        let lattice = self.lattice();
        PieceFacts {
            moves: piece.len(),
            masks: self.mask_bits(),
            lattice_rank: lattice.rank(),
            lattice_index: lattice.index(),
            half_plane: self.is_confined(),
            free: self.is_free(),
            board_connected: self.is_connected(),
        }
    }
}

impl fmt::Debug for VerdictWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VerdictWord({:#09x})", self.0)
    }
}

/// The features of all halves of twelve moves, and the joins of lattices.
struct Features {
    low: [u64; HALVES],
    high: [u64; HALVES],
    lattices: Vec<Lattice>,
    /// The number of the join of lattices `i` and `j` at `64 i + j`.
    joins: [u8; 64 * 64],
    /// The number of the whole plane.
    plane: u32,
}

/// The places of the features in a feature word. The directions are the low sixteen bits. The words of two
/// halves are joined by OR, except for the lattice.
mod place {
    /// The published masks that the half is *not* within.
    pub(super) const UNFIT: u32 = 16;
    /// The published free atoms that have a move which the half lacks.
    pub(super) const LACKING: u32 = 31;
    /// The lattice's number.
    pub(super) const LATTICE: u32 = 34;
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
    let half = |bits: u32, of: u32| {
        let piece = Leaper::new(bits);
        let mut word = u64::from(Directions::of(piece).bits());
        for (index, mask) in Mask::ALL.into_iter().enumerate() {
            word |= u64::from(!mask.holds(piece)) << (place::UNFIT + index as u32);
        }
        for (index, atom) in FreeAtom::ALL.into_iter().enumerate() {
            let lacking = atom.piece().bits() & of & !bits != 0;
            word |= u64::from(lacking) << (place::LACKING + index as u32);
        }
        word |= u64::from(number(Lattice::generated_by(piece))) << place::LATTICE;
        word | u64::from(dealt(bits)) << place::QUARTERS
    };
    Features {
        low: std::array::from_fn(|bits| half(bits as u32, 0x00_0fff)),
        high: std::array::from_fn(|bits| half((bits as u32) << 12, 0xff_f000)),
        plane: number(Lattice::PLANE).into(),
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

/// Classifies slices of pieces on one board.
///
/// ```
/// use tbindex::Leaper;
/// use tbindex::fairy::{Classifier, Grid, VerdictWord};
/// let pieces = [Leaper::KNIGHT, "F".parse()?, Leaper::EMPTY];
/// let mut verdicts = [VerdictWord::default(); 3];
/// Classifier::new(Grid::CHESS).classify_into(&pieces, &mut verdicts);
/// let facts: Vec<_> = pieces.into_iter().zip(verdicts).map(|(piece, it)| it.facts(piece)).collect();
/// assert!(facts[0].free && facts[0].board_connected);
/// assert_eq!(facts[1].lattice_index, Some(2));
/// assert!(facts[2].half_plane);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Classifier {
    grid: Grid,
    /// For each window 4096 bits, one for each set of its moves: set if these moves alone connect the
    /// board.
    windows: Vec<[u64; 64]>,
}

impl Classifier {
    /// The classifier for a board. It takes some milliseconds to make, as long as to classify a hundred
    /// thousand pieces.
    #[must_use]
    pub fn new(grid: Grid) -> Classifier {
        let mut classifier = Classifier {
            grid,
            windows: vec![[0; 64]; 6],
        };
        for (answers, quarters) in classifier.windows.iter_mut().zip(WINDOWS) {
            *answers = connected_subsets(&grid, quarters);
        }
        classifier
    }

    /// The board.
    #[must_use]
    pub(crate) const fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The verdict on one piece.
    #[must_use]
    pub fn classify(&self, piece: Leaper) -> VerdictWord {
        let mut verdict = [VerdictWord::default()];
        self.classify_into(&[piece], &mut verdict);
        verdict[0]
    }

    /// Writes the verdicts on the pieces.
    ///
    /// # Panics
    /// If the slices are of different lengths.
    pub fn classify_into(&self, pieces: &[Leaper], verdicts: &mut [VerdictWord]) {
        assert_eq!(
            pieces.len(),
            verdicts.len(),
            "there must be as many verdicts as pieces"
        );
        let features = &*FEATURES;
        let is_thin = self.grid.width() < 2 || self.grid.height() < 2;
        let mut waiting = Waiting::default();
        for (at, &piece) in pieces.iter().enumerate() {
            let (word, quarters) = features.of(piece);
            let may_connect = word.is_free() || is_thin;
            let connected = may_connect && self.has_connected_window(quarters);
            verdicts[at] = VerdictWord(word.0 | u32::from(connected) << VerdictWord::CONNECTED);
            if may_connect && !connected {
                waiting.push(at, piece);
                if waiting.count == LANES {
                    self.settle(&mut waiting, verdicts);
                }
            }
        }
        self.settle(&mut waiting, verdicts);
    }

    #[inline]
    fn has_connected_window(&self, quarters: u32) -> bool {
        WINDOWS.iter().zip(&self.windows).any(|(&pair, answers)| {
            let moves = window(quarters, pair);
            answers[(moves >> 6) as usize] >> (moves & 63) & 1 != 0
        })
    }

    /// Floods the pieces that wait, and sets the bit of those that are connected.
    fn settle(&self, waiting: &mut Waiting, verdicts: &mut [VerdictWord]) {
        if waiting.count == 0 {
            return;
        }
        // Lanes that are not needed have the empty piece, whose flood takes no time.
        let connected = flood_lanes(&self.grid, &waiting.pieces);
        for lane in 0..waiting.count {
            let bit = u32::from(connected[lane]) << VerdictWord::CONNECTED;
            verdicts[waiting.places[lane]].0 |= bit;
        }
        *waiting = Waiting::default();
    }
}

impl Features {
    /// The verdict without the board's part, and the moves in quarters.
    #[inline]
    fn of(&self, piece: Leaper) -> (VerdictWord, u32) {
        let low = self.low[piece.bits() as usize % HALVES];
        let high = self.high[piece.bits() as usize / HALVES % HALVES];
        let number = |word: u64| (word >> place::LATTICE & 63) as usize;
        let lattice = u32::from(self.joins[64 * number(low) + number(high)]);
        let both = low | high;
        let confined = has_gap_of_seven(both as u16);
        let free = lattice == self.plane && !confined;
        let word = lattice
            | (!(both >> place::UNFIT) as u32 & 0x7fff) << VerdictWord::MASKS
            | (!(both >> place::LACKING) as u32 & 7) << VerdictWord::ATOMS
            | u32::from(confined) << VerdictWord::CONFINED
            | u32::from(free) << VerdictWord::FREE;
        (VerdictWord(word), (both >> place::QUARTERS) as u32)
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
fn connected_subsets(grid: &Grid, quarters: (u32, u32)) -> [u64; 64] {
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

/// Pieces that must be flooded, and the places of their verdicts.
#[derive(Default)]
struct Waiting {
    count: usize,
    pieces: [Leaper; LANES],
    places: [usize; LANES],
}

impl Waiting {
    fn push(&mut self, place: usize, piece: Leaper) {
        self.pieces[self.count] = piece;
        self.places[self.count] = place;
        self.count += 1;
    }
}

/// Whether each of the pieces is connected on the board.
fn flood_lanes(grid: &Grid, pieces: &[Leaper; LANES]) -> [bool; LANES] {
    // All ones in the lanes whose piece has the move.
    let has: [[u64; LANES]; 24] = std::array::from_fn(|index| {
        pieces.map(|piece| u64::from(piece.bits() >> index & 1).wrapping_neg())
    });
    let middle = u32::from(grid.middle());
    let opposite = grid.square_count() - 1 - middle;
    let mut from_middle = [1u64 << middle; LANES];
    let mut from_opposite = [1u64 << opposite; LANES];
    loop {
        let before = (from_middle, from_opposite);
        for (step, has) in grid.moves().iter().zip(&has) {
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
    std::array::from_fn(|lane| from_middle[lane] & from_opposite[lane] == grid.all())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sample of pieces: every `step`-th, and those with the smallest and the greatest numbers.
    fn some_pieces(step: usize) -> Vec<Leaper> {
        Leaper::all().step_by(step).collect()
    }

    /// All else is compared with the reference, which knows neither the lattices themselves nor the atoms.
    #[test]
    fn words_have_the_lattices_and_the_atoms() {
        let classifier = Classifier::new(Grid::CHESS);
        for piece in some_pieces(509) {
            let word = classifier.classify(piece);
            assert_eq!(word.lattice(), Lattice::generated_by(piece), "{piece}");
            for atom in FreeAtom::ALL {
                let contained = atom.piece().is_within(piece);
                assert_eq!(word.contains(atom), contained, "{piece}, {atom}");
            }
        }
    }

    #[test]
    fn slices_of_any_length_are_classified_piece_by_piece() {
        let classifier = Classifier::new(Grid::new(4, 5));
        let pieces = some_pieces(100_003);
        let alone: Vec<_> = pieces.iter().map(|&p| classifier.classify(p)).collect();
        for length in 0..pieces.len() {
            let mut together = vec![VerdictWord::default(); length];
            classifier.classify_into(&pieces[..length], &mut together);
            assert_eq!(together, alone[..length]);
        }
    }

    #[test]
    fn quarters_are_a_permutation_of_the_moves() {
        let dealt_ones = (0..24).fold(0, |all, index| all | dealt(1 << index));
        assert_eq!(dealt_ones, Leaper::ALL.bits());
        assert_eq!(dealt(Leaper::ALL.bits()), Leaper::ALL.bits());
    }

    #[test]
    #[should_panic(expected = "as many verdicts as pieces")]
    fn slices_of_different_lengths_are_a_mistake() {
        Classifier::new(Grid::new(1, 1)).classify_into(&[Leaper::EMPTY], &mut []);
    }
}
