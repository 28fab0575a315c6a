//! Branches on symbols.
//!
//! Where code asks whether a condition on symbols holds, the answer is both. The code is run once for each way in
//! which all such questions can be answered, and its results are joined: each holds under the answers that led
//! to it.

use std::cell::RefCell;

use crate::term::{Term, and, choose, constant, not};

#[derive(Default)]
struct Path {
    /// Whether a function is being explored.
    explores: bool,
    /// The answers to be given, in order; after these, `false`.
    script: Vec<bool>,
    /// The questions so far, with their answers.
    answers: Vec<(Term, bool)>,
    /// Facts that hold without a question.
    assumed: Vec<Term>,
}

thread_local! {
    static PATH: RefCell<Path> = RefCell::default();
}

/// Whether the condition, one bit, holds on the present path.
pub(crate) fn holds(condition: Term) -> bool {
    if let Some(value) = condition.value() {
        return value == 1;
    }
    PATH.with_borrow_mut(|path| {
        assert!(path.explores, "a branch on symbols where none is explored");
        let opposite = not(condition);
        let assumed = path.assumed.iter().map(|&assumed| (assumed, true));
        for (known, answer) in assumed.chain(path.answers.iter().copied()) {
            if known == condition {
                return answer;
            }
            if known == opposite {
                return !answer;
            }
        }
        let scripted = path.script.get(path.answers.len());
        let answer = scripted.copied().unwrap_or(false);
        path.answers.push((condition, answer));
        answer
    })
}

/// The most paths that are explored. A proof that needs more fails.
const MOST_PATHS: usize = 1 << 14;

/// Runs a function on every path, under assumptions, and returns its results with the conditions of their paths.
/// The conditions exclude each other, and one of them always holds where the assumptions do.
pub(crate) fn explore<R>(assumed: &[Term], mut run: impl FnMut() -> R) -> Vec<(Term, R)> {
    let mut results = Vec::new();
    let mut script = Vec::new();
    loop {
        PATH.with_borrow_mut(|path| {
            *path = Path {
                explores: true,
                script: script.clone(),
                answers: Vec::new(),
                assumed: assumed.to_vec(),
            };
        });
        let result = run();
        let answers = PATH.with_borrow_mut(|path| {
            path.explores = false;
            std::mem::take(&mut path.answers)
        });
        let condition = answers
            .iter()
            .fold(constant(1, 1), |all, &(asked, answer)| {
                and(all, if answer { asked } else { not(asked) })
            });
        results.push((condition, result));
        assert!(results.len() <= MOST_PATHS, "too many paths");
        // The next path: the last question that was answered `false` is answered `true`.
        script = answers.into_iter().map(|(_, answer)| answer).collect();
        loop {
            match script.pop() {
                None => return results,
                Some(true) => {}
                Some(false) => {
                    script.push(true);
                    break;
                }
            }
        }
    }
}

/// Joins the results of all paths to one term.
pub(crate) fn joined(results: Vec<(Term, Term)>) -> Term {
    results
        .into_iter()
        .reduce(|(all, rest), (condition, result)| (all, choose(condition, result, rest)))
        .expect("there is a path")
        .1
}
