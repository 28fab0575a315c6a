//! Mistakes in the kernels, which the theorems must find. Those that no theorem notices are listed.

use tbindex::Color;
use tbindex::bitbase::Direction;

use super::board::Board;
use super::mistakes::{self, CHOICES, Mistake};
use super::pictures::KINDS;
use super::sides::board_of;
use super::{confined, men, sides};
use crate::Theorem;

/// A kernel, which is run and compared in a slice.
struct Kernel {
    name: String,
    check: Box<dyn Fn(usize) -> Result<usize, String>>,
    slices: usize,
}

fn kernels() -> Vec<Kernel> {
    let mut all = Vec::new();
    let mut add =
        |name: String, board: Board, check: fn(&Board, usize) -> Result<usize, String>| {
            let slices = board.slices();
            all.push(Kernel {
                name,
                check: Box::new(move |slice| check(&board, slice)),
                slices,
            });
        };
    for kind in KINDS {
        let name = kind().name;
        add(
            format!("{name} in words"),
            men::men_of(&kind(), 2, &[]),
            |board, slice| men::check(board, slice, 1, Direction::Backward, None),
        );
        add(
            format!("{name} in slabs"),
            men::men_of(&kind(), 2, &[]),
            |board, slice| men::check(board, slice, 0, Direction::Backward, None),
        );
    }
    add("kings".to_owned(), board_of("nn"), |board, slice| {
        sides::check(
            board,
            &sides::all_inputs(board)?,
            slice,
            Color::White,
            Direction::Backward,
        )
    });
    for men in ["Rb", "bR"] {
        add(
            format!("confined, K{men}vK"),
            board_of(men),
            |board, slice| {
                let set = board.complements(0, board.slices());
                confined::check(board, &set, slice, Color::White)
            },
        );
    }
    all
}

/// Mistakes for each kernel and each kind of mistake.
const MISTAKES: u32 = 8;
/// Slices in which a mistake is looked for.
const SLICES: usize = 6;

/// Makes mistakes in all kernels. Returns how many were found, and those that were not, with their kernels.
fn run() -> Result<String, String> {
    let (mut found, mut unnoticed) = (0, Vec::new());
    for kernel in kernels() {
        let slice = |k: usize| (k * 101 + 29) % kernel.slices;
        mistakes::make(None);
        (kernel.check)(slice(0))?;
        let operations = mistakes::operations();
        for at in 0..MISTAKES {
            // Spread over the run, so that each kind of operation comes by.
            let operation = (operations * at / MISTAKES + 7 * at) % operations;
            for choice in 0..CHOICES {
                let mut was_made = None;
                let is_found = (0..SLICES).any(|k| {
                    mistakes::make(Some(Mistake { operation, choice }));
                    let failed = (kernel.check)(slice(k)).is_err();
                    was_made = was_made.or(mistakes::made());
                    failed
                });
                mistakes::make(None);
                match was_made {
                    Some(_) if is_found => found += 1,
                    Some(name) => unnoticed.push(format!("{} ({name})", kernel.name)),
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
