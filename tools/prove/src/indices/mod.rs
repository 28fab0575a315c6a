//! Theorems about indices.

mod batch;
mod like;
mod scalar;

use tbindex::{Equivalence, Group, Layout, LikePieces, Numbering, Word};

use crate::Theorem;
use crate::case::{Case, Question, by_diagrams, by_solver};
use crate::symbols::{any_index, any_index_with_like, word_name};
use crate::term::Term;

/// A theorem that is proved case by case, by decision diagrams.
pub(crate) struct ByCases {
    pub(crate) name: &'static str,
    statement: &'static str,
    quick: bool,
    pub(crate) cases: fn() -> Vec<Case>,
}

impl ByCases {
    fn theorem(&self) -> Theorem {
        let (method, cases) = ("decision diagrams", self.cases);
        let prove = move || by_diagrams(cases());
        Theorem::new(self.name, self.statement, method, self.quick, prove)
    }

    /// The same theorem, by an SMT solver.
    fn again(&self) -> Theorem {
        let (name, cases) = (format!("{}-smt", self.name), self.cases);
        let prove = move || by_solver(&cases());
        Theorem::new(name, self.statement, "SMT solver", false, prove)
    }
}

/// All of them.
pub(crate) fn theorems() -> Vec<Theorem> {
    let mut all = vec![tables()];
    for theorems in [&scalar::THEOREMS[..], &batch::THEOREMS] {
        // Flips, conversions and canonical forms are proved in two ways.
        all.extend(theorems[..3].iter().map(ByCases::again));
        all.extend(theorems.iter().map(ByCases::theorem));
    }
    all.push(like::theorem_of_networks());
    all.extend(like::THEOREMS.iter().map(ByCases::theorem));
    all
}

/// All that are proved by decision diagrams.
pub(crate) fn by_cases() -> impl Iterator<Item = &'static ByCases> {
    let (scalar, batch, like) = (&scalar::THEOREMS, &batch::THEOREMS, &like::THEOREMS);
    scalar.iter().chain(batch).chain(like)
}

/// Adds cases for every number of pieces in a word and both numberings. Their labels begin with `kind`.
fn for_word<W: Word>(
    cases: &mut Vec<Case>,
    kind: &str,
    question: impl Fn(Layout<W>) -> Question + Copy + Send + Sync + 'static,
) {
    for pieces in 1..=W::MAX_PIECES {
        for numbering in Numbering::ALL {
            let label = format!("{kind}{}, {pieces} pieces, {numbering}", word_name::<W>());
            let question = move || question(Layout::new(pieces, numbering));
            cases.push(Case::new(label, question));
        }
    }
}

/// Asks about any index of different pieces under every group.
fn of_groups<W: Word>(
    layout: Layout<W>,
    ask: impl Fn(&mut Question, &Equivalence<W>, Term),
) -> Question {
    let mut question = Question::default();
    let x = any_index(&mut question, layout.pieces(), W::BITS);
    for (group, _) in GROUPS {
        let same = Equivalence::new(layout, group, LikePieces::default());
        ask(&mut question, &same, x);
    }
    question
}

/// Adds cases with these sets of like pieces for both numberings and these groups.
fn with_like<W: Word>(
    cases: &mut Vec<Case>,
    kind: &str,
    (pieces, sets): (usize, &[u32]),
    groups: &'static [(Group, &str)],
    ask: impl Fn(&mut Question, &Equivalence<W>, Term, &[u32]) + Copy + Send + Sync + 'static,
) {
    let masks: Vec<String> = sets.iter().map(|set| format!("{set:#b}")).collect();
    let (word, masks) = (word_name::<W>(), masks.join(" "));
    for numbering in Numbering::ALL {
        for &(group, name) in groups {
            let label = format!("{kind}{word}, {pieces} pieces, {numbering}, like {masks}, {name}");
            let sets = sets.to_vec();
            cases.push(Case::new(label, move || {
                let mut question = Question::default();
                let x = any_index_with_like(&mut question, pieces, &sets, W::BITS);
                let like = LikePieces::try_new(&sets, pieces).expect("sets of pieces");
                let same = Equivalence::new(Layout::new(pieces, numbering), group, like);
                ask(&mut question, &same, x, &sets);
                question
            }));
        }
    }
}

/// Adds cases for every pair of like pieces in a word.
fn with_pairs<W: Word>(
    cases: &mut Vec<Case>,
    kind: &str,
    groups: &'static [(Group, &str)],
    ask: impl Fn(&mut Question, &Equivalence<W>, Term, &[u32]) + Copy + Send + Sync + 'static,
) {
    for pieces in 2..=W::MAX_PIECES {
        for pair in (1..pieces).flat_map(|b| (0..b).map(move |a| 1 << a | 1 << b)) {
            with_like(cases, kind, (pieces, &[pair]), groups, ask);
        }
    }
}

/// The tables from the pictures are those of `reference`, which tests compare with.
fn tables() -> Theorem {
    use crate::definition::{code_of_square, image_of_code};
    let run = || {
        for numbering in Numbering::ALL {
            let place = numbering as usize;
            if tbindex::reference::CODE_OF_SQUARE[place] != code_of_square(numbering) {
                return Err(format!("the codes of the {numbering} numbering"));
            }
            for symmetry in tbindex::Symmetry::ALL {
                let table = tbindex::reference::IMAGE[place][symmetry as usize];
                if table != image_of_code(numbering, symmetry) {
                    return Err(format!("{symmetry} of the {numbering} numbering"));
                }
            }
        }
        Ok("18 tables".to_owned())
    };
    let statement = "The tables read from the pictures of the board here are those of `reference`.";
    Theorem::new("tables", statement, "exhaustively", true, run)
}

/// The groups with their names.
const GROUPS: [(Group, &str); 3] = [
    (Group::D4, "D4"),
    (Group::FileMirror, "file mirror"),
    (Group::Trivial, "trivial group"),
];
