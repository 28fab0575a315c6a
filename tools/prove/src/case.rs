//! Cases of theorems: equations between what the library computes and what it should.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::diagram::Diagrams;
use crate::lanes;
use crate::mistakes::{self, Mistake};
use crate::smt::{self, Answer};
use crate::term::{self, Equation, Term};
use crate::theorem::Outcome;

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
    pub(crate) label: String,
    /// Runs the library on symbols.
    pub(crate) question: Box<dyn Fn() -> Question + Send + Sync>,
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

    /// The equations, after a mistake or without one.
    pub(crate) fn asked(&self, mistake: Option<Mistake>) -> Question {
        term::forget();
        lanes::forget();
        mistakes::make(mistake);
        (self.question)()
    }
}

/// The nodes that the diagrams of one case may have.
pub(crate) const NODES: usize = 1 << 23;

/// Returns a counterexample to an equation, if there is one.
pub(crate) fn counterexample(diagrams: &mut Diagrams, question: &Question) -> Option<String> {
    diagrams.forget();
    diagrams.place(&question.order);
    question.equations.iter().find_map(|equation| {
        let values = diagrams.difference(equation.assumption, equation.found, equation.expected)?;
        let of = |term| term::evaluate(term, &values);
        let variables: Vec<String> = values.iter().map(|value| format!("{value:#o}")).collect();
        Some(format!(
            "where the variables are {}: {:#o} instead of {:#o}",
            variables.join(", "),
            of(equation.found),
            of(equation.expected)
        ))
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
    prove(&cases, |question| counterexample(&mut diagrams, question))
}

/// Proves all cases by an SMT solver.
pub(crate) fn by_solver(cases: &[Case]) -> Outcome {
    if let Some(why) = smt::missing() {
        return Outcome::Skipped(why);
    }
    let proved = prove(cases, |question| {
        match smt::ask(&smt::question(&question.equations)) {
            Ok(Answer::None) => None,
            answer => Some(format!("{answer:?}")),
        }
    });
    proved.into()
}

/// Proves all cases by a function that finds a counterexample, if there is one.
fn prove(
    cases: &[Case],
    mut counterexample: impl FnMut(&Question) -> Option<String>,
) -> Result<String, String> {
    let mut equations = 0;
    for case in cases {
        let question = case.asked(None);
        equations += question.equations.len();
        if let Some(counterexample) = counterexample(&question) {
            return Err(format!("{}, {counterexample}", case.label));
        }
    }
    Ok(format!("{} cases, {equations} equations", cases.len()))
}
