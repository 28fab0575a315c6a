//! Proofs by a solver in a process of its own, which reads SMT-LIB.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::term::{Equation, Node, Term};

/// The question whether for some values of the variables one of the equations does not hold, in SMT-LIB.
pub(crate) fn question(equations: &[Equation]) -> String {
    let mut text = String::from("(set-logic QF_BV)\n");
    let mut written = HashSet::new();
    let mut differences = String::new();
    for equation in equations {
        let terms = [equation.assumption, equation.found, equation.expected];
        for term in terms {
            define(term, &mut written, &mut text);
        }
        let [assumption, a, b] = terms.map(|term| term.0);
        let _ = write!(
            differences,
            " (and (= t{assumption} #b1) (distinct t{a} t{b}))"
        );
    }
    let _ = writeln!(text, "(assert (or{differences} false))\n(check-sat)");
    text
}

fn define(term: Term, written: &mut HashSet<Term>, text: &mut String) {
    if !written.insert(term) {
        return;
    }
    let (number, width) = (term.0, term.width());
    // The name of an operand, which is defined first.
    let mut name = |operand: Term| {
        define(operand, written, text);
        format!("t{}", operand.0)
    };
    let mut two = |operation: &str, a, b| format!("{operation} {} {}", name(a), name(b));
    let body = match term.node() {
        Node::Variable(_) => {
            let _ = writeln!(text, "(declare-const t{number} (_ BitVec {width}))");
            return;
        }
        Node::Constant(value) => format!("_ bv{value} {width}"),
        Node::Not(a) => format!("bvnot {}", name(a)),
        Node::And(a, b) => two("bvand", a, b),
        Node::Or(a, b) => two("bvor", a, b),
        Node::Xor(a, b) => two("bvxor", a, b),
        Node::Left(a, by) => format!("bvshl {} (_ bv{by} {width})", name(a)),
        Node::Right(a, by) => format!("bvlshr {} (_ bv{by} {width})", name(a)),
        Node::Add(a, b) => two("bvadd", a, b),
        Node::Subtract(a, b) => two("bvsub", a, b),
        Node::Multiply(a, b) => two("bvmul", a, b),
        Node::Choose(c, a, b) => format!("ite (= {} #b1) {} {}", name(c), name(a), name(b)),
        Node::Equal(a, b) => format!("ite ({}) #b1 #b0", two("=", a, b)),
        Node::Less(a, b) => format!("ite ({}) #b1 #b0", two("bvult", a, b)),
        Node::Part(a, from) => format!("(_ extract {} {from}) {}", from + width - 1, name(a)),
        Node::Join(a, b) => two("concat", a, b),
        Node::SignExtend(a) => format!("(_ sign_extend {}) {}", width - a.width(), name(a)),
    };
    let _ = writeln!(
        text,
        "(define-fun t{number} () (_ BitVec {width}) ({body}))"
    );
}

/// A solver's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// There are no such values: the equations hold.
    None,
    /// There are.
    Some,
    /// The solver gave up, or said something else.
    Unknown(String),
}

/// The command that runs the solver: the words of `PROVE_SMT`, or `z3 -in`.
fn command() -> Vec<String> {
    let words = std::env::var("PROVE_SMT").unwrap_or_else(|_| "z3 -in".to_owned());
    words.split_whitespace().map(str::to_owned).collect()
}

/// Returns why there is no solver, if there is none.
pub(crate) fn missing() -> Option<String> {
    match ask("(set-logic QF_BV)\n(assert false)\n(check-sat)\n") {
        Ok(Answer::None) => None,
        Ok(answer) => Some(format!("{} answers {answer:?}", command().join(" "))),
        Err(error) => Some(format!("{}: {error}", command().join(" "))),
    }
}

/// Asks the solver.
pub(crate) fn ask(question: &str) -> std::io::Result<Answer> {
    let words = command();
    let (program, arguments) = words
        .split_first()
        .ok_or_else(|| std::io::Error::other("PROVE_SMT is empty"))?;
    let mut process = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = process.stdin.take() {
        stdin.write_all(question.as_bytes())?;
    }
    let output = process.wait_with_output()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok(match text.as_str() {
        "unsat" => Answer::None,
        "sat" => Answer::Some,
        _ => Answer::Unknown(text),
    })
}
