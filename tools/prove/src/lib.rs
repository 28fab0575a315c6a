//! Proofs, for all inputs, of the formulas in tbindex.
//!
//! A [`Theorem`] has a name, a statement of one line, the method of its proof, and a function that proves it.
//! Each module adds its own to `theorems`.

mod bitbases;
mod case;
mod definition;
mod dense;
mod diagram;
mod indices;
mod instructions;
mod lanes;
mod machine;
mod mistakes;
pub mod mutants;
mod paths;
mod report;
mod smt;
mod symbols;
mod term;
mod theorem;
mod word;

pub use report::run;
pub use theorem::{Selection, Theorem};

/// All theorems.
fn theorems() -> Vec<Theorem> {
    let mut all = indices::theorems();
    all.extend(instructions::theorems());
    all.extend(bitbases::theorems());
    all.extend(dense::theorems());
    all
}
