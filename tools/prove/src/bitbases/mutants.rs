//! Mistakes in the kernels, which the theorems must find. The list has those that no theorem notices.

use tbindex::Color;
use tbindex::bitbase::Direction;

use super::board::Board;
use super::pictures::KINDS;
use super::sides::board_of;
use super::{confined, men, sides};
use crate::Theorem;
use crate::mistakes::{self, Mistake};

/// Runs a kernel in a slice, and compares what it does.
type Check = fn(&Board, usize) -> Result<usize, String>;

/// Kernels with their names.
fn kernels() -> Vec<(String, Board, Check)> {
    const WAY: Direction = Direction::Backward;
    let in_words: Check = |board, slice| men::check(board, slice, 1, WAY, None);
    let in_slabs: Check = |board, slice| men::check(board, slice, 0, WAY, None);
    let kings: Check = |board, slice| {
        let inputs = sides::all_inputs(board)?;
        sides::check(board, &inputs, slice, Color::White, WAY)
    };
    let confined: Check = |board, slice| {
        let set = board.complements(0, board.slices());
        confined::check(board, &set, slice, Color::White)
    };
    let mut all = Vec::new();
    for kind in KINDS {
        for (place, check) in [("words", in_words), ("slabs", in_slabs)] {
            let name = format!("{} in {place}", kind().name);
            all.push((name, men::men_of(&kind(), 2, &[]), check));
        }
    }
    all.push(("kings".to_owned(), board_of("nn"), kings));
    for men in ["Rb", "bR"] {
        all.push((format!("confined, K{men}vK"), board_of(men), confined));
    }
    all
}

/// Mistakes for each kernel and each kind of mistake.
const MISTAKES: u64 = 8;
/// The most mistakes that an operation allows.
const CHOICES: usize = 3;
/// Slices in which a mistake is looked for.
const SLICES: usize = 6;

/// Makes mistakes in all kernels. Returns how many were found, and those that were not, with their kernels.
fn run() -> Result<String, String> {
    let (mut found, mut unnoticed) = (0, Vec::new());
    for (kernel, board, check) in kernels() {
        let slice = |k: usize| (k * 101 + 29) % board.slices();
        mistakes::make(None);
        check(&board, slice(0))?;
        let operations = mistakes::operations();
        for at in 0..MISTAKES {
            // Spread over the run, so that each kind of operation comes by.
            let operation = (operations * at / MISTAKES + 7 * at) % operations;
            for choice in 0..CHOICES {
                let mut was_made = None;
                let is_found = (0..SLICES).any(|k| {
                    mistakes::make(Some(Mistake { operation, choice }));
                    let failed = check(&board, slice(k)).is_err();
                    was_made = was_made.or(mistakes::made());
                    failed
                });
                mistakes::make(None);
                match was_made {
                    Some(_) if is_found => found += 1,
                    Some(name) => unnoticed.push(format!("{kernel} ({name})")),
                    None => {}
                }
            }
        }
    }
    let all = found + unnoticed.len();
    if found < 50 {
        return Err(format!(
            "only {found} of {all} were found; not {unnoticed:?}"
        ));
    }
    // No difference in these slices is no proof that there is none in others.
    Ok(format!(
        "{found} of {all} found; {} change no position that callers keep in {SLICES} slices: {}",
        unnoticed.len(),
        unnoticed.join(", ")
    ))
}

pub(super) fn theorem() -> Theorem {
    Theorem::new(
        "bitbases-mutants",
        "At least 50 mistakes in the kernels of bitbases (masks, shifts, blockers, lanes) are found by the theorems.",
        "seeded mistakes, each in a symbolic run",
        false,
        run,
    )
}
