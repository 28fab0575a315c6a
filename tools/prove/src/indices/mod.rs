//! Theorems about indices.

mod batch;
mod like;
mod scalar;

use tbindex::{Group, Numbering};

use crate::case::{Case, Named, by_diagrams, by_solver};
use crate::{Outcome, Theorem};

/// All of them.
pub(crate) fn theorems() -> Vec<Theorem> {
    let mut all = vec![tables()];
    all.extend(scalar::theorems());
    all.extend(batch::theorems());
    all.extend(like::theorems());
    all
}

/// The cases of all theorems that are proved by decision diagrams, by the theorem's name.
pub(crate) fn cases() -> impl Iterator<Item = Named> {
    scalar::CASES
        .into_iter()
        .chain(batch::CASES)
        .chain(like::CASES)
}

/// A theorem with cases for each number of pieces, by decision diagrams.
fn theorem(name: &str, statement: &str, quick: bool, cases: fn() -> Vec<Case>) -> Theorem {
    Theorem {
        name: name.to_owned(),
        statement: statement.to_owned(),
        method: "decision diagrams",
        quick,
        run: Box::new(move || by_diagrams(cases())),
    }
}

/// The same theorem, by an SMT solver.
fn again(theorem: &Theorem, cases: fn() -> Vec<Case>) -> Theorem {
    Theorem {
        name: format!("{}-smt", theorem.name),
        statement: theorem.statement.clone(),
        method: "SMT solver",
        quick: false,
        run: Box::new(move || by_solver(&cases())),
    }
}

/// The tables from the pictures are those of `reference`, which tests compare with.
fn tables() -> Theorem {
    use crate::definition::{code_of_square, image_of_code};
    let run = || {
        for numbering in Numbering::ALL {
            let place = numbering as usize;
            if tbindex::reference::CODE_OF_SQUARE[place] != code_of_square(place) {
                return Outcome::Failed(format!("the codes of the {numbering} numbering"));
            }
            for symmetry in tbindex::Symmetry::ALL {
                let table = tbindex::reference::IMAGE[place][symmetry as usize];
                if table != image_of_code(place, symmetry) {
                    return Outcome::Failed(format!("{symmetry} of the {numbering} numbering"));
                }
            }
        }
        Outcome::Proved("18 tables".to_owned())
    };
    Theorem {
        name: "tables".to_owned(),
        statement: "The tables read from the pictures of the board here are those of `reference`."
            .to_owned(),
        method: "exhaustively",
        quick: true,
        run: Box::new(run),
    }
}

/// The groups with their names.
const GROUPS: [(Group, &str); 3] = [
    (Group::D4, "D4"),
    (Group::FileMirror, "file mirror"),
    (Group::Trivial, "trivial group"),
];
