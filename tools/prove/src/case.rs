//! Cases of theorems: equations between what the library computes and what it should.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::diagram::Diagrams;
use crate::lanes;
use crate::term::{self, Equation, Term};

/// Equations, and bits of variables in the order in which diagrams ask for them.
#[derive(Debug, Default)]
pub(crate) struct Question {
    pub(crate) order: Vec<(Term, u32)>,
    pub(crate) equations: Vec<Equation>,
}

impl Question {
    /// Adds an equation, unless it is there.
    pub(crate) fn ask(&mut self, assumption: Term, found: Term, expected: Term) {
        let equation = Equation {
            assumption,
            found,
            expected,
        };
        if !self.equations.contains(&equation) {
            self.equations.push(equation);
        }
    }
}

/// One case of a theorem.
pub(crate) struct Case {
    /// The subject, as in `u64, 3 pieces, natural`.
    label: String,
    /// Runs the library on symbols.
    question: Box<dyn Fn() -> Question + Send + Sync>,
}

impl Case {
    pub(crate) fn new(
        label: String,
        question: impl Fn() -> Question + Send + Sync + 'static,
    ) -> Case {
        Case {
            label,
            question: Box::new(question),
        }
    }
}

/// The nodes that the diagrams of one case may have.
const NODES: usize = 1 << 23;

/// Returns a counterexample to an equation, if there is one.
fn counterexample(diagrams: &mut Diagrams, question: &Question) -> Option<String> {
    diagrams.forget();
    diagrams.place(&question.order);
    question.equations.iter().find_map(|equation| {
        let values = diagrams.difference(equation.assumption, equation.found, equation.expected)?;
        let variables: Vec<String> = values.iter().map(|value| format!("{value:#o}")).collect();
        Some(format!("where the variables are {}", variables.join(", ")))
    })
}

/// Whether cases of words of 128 bits are left out.
static QUICK: AtomicBool = AtomicBool::new(false);

/// Leaves out cases of words of 128 bits, or takes them in again.
pub(crate) fn be_quick(quick: bool) {
    QUICK.store(quick, Ordering::Relaxed);
}

/// Proves all cases by decision diagrams.
pub(crate) fn by_diagrams(mut cases: Vec<Case>) -> Result<String, String> {
    if QUICK.load(Ordering::Relaxed) {
        cases.retain(|case| !case.label.starts_with("u128"));
    }
    let mut diagrams = Diagrams::new(NODES);
    let mut equations = 0;
    for case in &cases {
        term::forget();
        lanes::forget();
        let question = (case.question)();
        equations += question.equations.len();
        if let Some(counterexample) = counterexample(&mut diagrams, &question) {
            return Err(format!("{}, {counterexample}", case.label));
        }
    }
    Ok(format!("{} cases, {equations} equations", cases.len()))
}
