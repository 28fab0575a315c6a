//! The plain answers by definition, one piece after the other, without tables of any kind.
//!
//! This is the oracle of the [batch classifier](super::Classifier), and the code that its speed is compared
//! with. It shares no mask, table or trick with the rest of the module. Steps are counted off the 5×5
//! picture; the published masks are the rules that their names state; the lattice comes from Euclid's
//! algorithm on the moves; the half-plane test tries every move as the edge; and the board is flooded
//! forwards and backwards by shifting sets of squares.

use super::{PieceFacts, Tally};

/// A board as the oracle sees it: the number of its squares and, for each step, the squares where it may
/// start.
#[derive(Clone, Debug)]
pub struct Reference {
    squares: u32,
    /// Files, ranks, the squares it starts from, the squares it ends on, and the shift.
    steps: [(i32, i32, u64, u64, i32); 24],
    masks: [u32; 15],
}

impl Reference {
    /// The oracle for pieces on a board of `width` files and `height` ranks.
    ///
    /// # Panics
    /// If the board has no square or more than 64.
    #[must_use]
    pub fn new(width: u32, height: u32) -> Reference {
        let squares = width * height;
        assert!((1..=64).contains(&squares), "a board has 1 to 64 squares");
        let mut steps = [(0, 0, 0, 0, 0); 24];
        let around = (-2..=2)
            .rev()
            .flat_map(|ranks| (-2..=2).map(move |files| (files, ranks)))
            .filter(|&step| step != (0, 0));
        for (place, (files, ranks)) in steps.iter_mut().zip(around) {
            let (mut starts, mut ends) = (0, 0);
            for square in 0..squares as i32 {
                let (file, rank) = (square % width as i32 + files, square / width as i32 + ranks);
                if (0..width as i32).contains(&file) && (0..height as i32).contains(&rank) {
                    starts |= 1u64 << square;
                    ends |= 1u64 << (rank * width as i32 + file);
                }
            }
            *place = (files, ranks, starts, ends, ranks * width as i32 + files);
        }
        let rules: [fn(i32, i32) -> bool; 15] = [
            |f, r| (f + r) % 2 == 0,
            |_, r| r % 2 == 0,
            |f, _| f % 2 == 0,
            |_, r| r >= 0,
            |_, r| r <= 0,
            |f, _| f >= 0,
            |f, _| f <= 0,
            |f, r| r >= f,
            |f, r| r <= f,
            |f, r| f + r >= 0,
            |f, r| f + r <= 0,
            |f, r| (f + r) % 3 == 0,
            |f, r| (f - r) % 3 == 0,
            |f, r| (2 * f + r) % 5 == 0,
            |f, r| (f + 2 * r) % 5 == 0,
        ];
        let masks = rules.map(|rule| {
            let held = (0..24).filter(|&index| rule(steps[index].0, steps[index].1));
            held.fold(0, |mask, index| mask | 1 << index)
        });
        Reference {
            squares,
            steps,
            masks,
        }
    }

    /// The facts about one piece, given by its 24 bits.
    #[must_use]
    pub fn classify(&self, piece: u32) -> PieceFacts {
        let mut moves = [(0, 0, 0, 0, 0); 24];
        let mut count = 0;
        for (index, &step) in self.steps.iter().enumerate() {
            if piece >> index & 1 != 0 {
                moves[count] = step;
                count += 1;
            }
        }
        let moves = &moves[..count];
        let (lattice_rank, lattice_index) = lattice(moves);
        let half_plane = is_in_a_half_plane(moves);
        let masks = self.masks.iter().enumerate();
        PieceFacts {
            moves: count as u32,
            masks: masks.fold(0, |held, (index, mask)| {
                held | u16::from(piece | mask == *mask) << index
            }),
            lattice_rank,
            lattice_index,
            half_plane,
            free: lattice_index == Some(1) && !half_plane,
            board_connected: self.floods(moves),
        }
    }

    /// Counts these pieces.
    #[must_use]
    pub fn census(&self, pieces: impl IntoIterator<Item = u32>) -> Tally {
        let mut tally = Tally::default();
        for piece in pieces {
            tally.add(&self.classify(piece), 1);
        }
        tally
    }

    /// Whether a1 reaches every square, and every square reaches a1.
    fn floods(&self, moves: &[(i32, i32, u64, u64, i32)]) -> bool {
        let all = !0u64 >> (64 - self.squares);
        let shifted = |set: u64, shift: i32| {
            if shift >= 0 {
                set << shift
            } else {
                set >> -shift
            }
        };
        let flood = |forwards: bool| {
            let mut set = 1u64;
            loop {
                let before = set;
                for &(_, _, starts, ends, shift) in moves {
                    // A step that never fits the board may shift by any amount, or none.
                    if starts != 0 && forwards {
                        set |= shifted(set & starts, shift);
                    } else if starts != 0 {
                        set |= shifted(set & ends, -shift);
                    }
                }
                if set == before {
                    return set == all;
                }
            }
        };
        flood(true) && flood(false)
    }
}

/// Rank and index of the lattice that the moves generate.
fn lattice(moves: &[(i32, i32, u64, u64, i32)]) -> (u32, Option<u32>) {
    // (a, b) and (0, d) generate the lattice of the moves seen so far.
    let (mut a, mut b, mut d) = (0, 0, 0);
    for &(mut files, mut ranks, ..) in moves {
        while files != 0 {
            let quotient = a / files;
            (a, b, files, ranks) = (files, ranks, a - quotient * files, b - quotient * ranks);
        }
        while ranks != 0 {
            (d, ranks) = (ranks, d % ranks);
        }
        // With a = 0 there is nothing in b; with d ≠ 0 only its remainder counts.
        if d != 0 {
            b %= d;
        }
    }
    let rank = u32::from(a != 0) + u32::from(d != 0);
    (rank, (rank == 2).then_some((a * d).unsigned_abs()))
}

/// Whether a closed half-plane holds all moves. If one does, it can be turned until its edge runs
/// along a move.
fn is_in_a_half_plane(moves: &[(i32, i32, u64, u64, i32)]) -> bool {
    moves.is_empty()
        || moves.iter().any(|&(x, y, ..)| {
            moves.iter().all(|&(f, r, ..)| x * r - y * f >= 0)
                || moves.iter().all(|&(f, r, ..)| x * r - y * f <= 0)
        })
}
