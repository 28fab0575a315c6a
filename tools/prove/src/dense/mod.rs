//! Theorems about dense numbers: rank and unrank are inverse, and sizes are exact.
//!
//! Up to five pieces every slot and every index is tried. Beyond, [`beyond`] says which parts a number is made of,
//! and why the ends of each part suffice.

mod beyond;
mod exhaustive;
mod mutants;
mod promise;

use tbindex::{
    Compact, Dense, Diagonal, Group, KingDistance, Kings, Layout, Numbering, Orbit, Rules, Triangle,
};

use self::promise::{Promise, Room};
use crate::{Outcome, Theorem};

/// All of them.
pub(crate) fn theorems() -> Vec<Theorem> {
    let mut all = exhaustive::theorems();
    all.extend(beyond::theorems());
    all.push(mutants::theorem_of_mistakes());
    all
}

/// A theorem. The function returns how much was shown, or a counterexample.
fn theorem(
    name: &str,
    statement: &str,
    method: &'static str,
    quick: bool,
    run: impl Fn() -> Result<String, String> + Send + Sync + 'static,
) -> Theorem {
    Theorem {
        name: name.to_owned(),
        statement: statement.to_owned(),
        method,
        quick,
        run: Box::new(move || match run() {
            Ok(shown) => Outcome::Proved(shown),
            Err(counterexample) => Outcome::Failed(counterexample),
        }),
    }
}

/// The rules of compact numberings.
const RULES: [Rules; 4] = [
    Rules::ALL,
    Rules::DISTINCT,
    Rules::KINGS_APART,
    Rules::KINGS_APART_SHARED,
];

const DIAGONALS: [Diagonal; 2] = [Diagonal::Exact, Diagonal::Both];

/// The compact numbering of a material, and its promise.
fn compact(material: &str, numbering: Numbering, rules: Rules) -> (Compact<u32>, Promise) {
    let material = material.parse().expect("a material");
    let scheme = Compact::try_new(material, numbering, rules).expect("a numbering");
    let room = Room {
        kings: rules.kings,
        shared: rules.shared,
        pawns: true,
    };
    let is_exact = rules.diagonal == Diagonal::Exact;
    (
        scheme,
        Promise::of_material(material, numbering, room, is_exact),
    )
}

/// The numbering by orbits of so many pieces, and its promise.
fn orbit(pieces: usize, numbering: Numbering, group: Group) -> (Orbit<u32>, Promise) {
    let layout = Layout::new(pieces, numbering);
    let scheme = Orbit::new(layout, group);
    (
        scheme,
        Promise::of_layout(layout, group, KingDistance::Any, true),
    )
}

/// The classical numbering with a leading piece in a triangle, and its promise.
fn triangle(pieces: usize, numbering: Numbering, group: Group) -> (Triangle<u32>, Promise) {
    let layout = Layout::new(pieces, numbering);
    let scheme = Triangle::new(layout, group);
    let is_exact = group != Group::D4;
    (
        scheme,
        Promise::of_layout(layout, group, KingDistance::Any, is_exact),
    )
}

/// The classical numbering by pairs of kings, and its promise.
fn kings(pieces: usize, numbering: Numbering, group: Group) -> (Kings<u32>, Promise) {
    let layout = Layout::new(pieces, numbering);
    let scheme = Kings::new(layout, group);
    let is_exact = group != Group::D4;
    (
        scheme,
        Promise::of_layout(layout, group, KingDistance::Apart, is_exact),
    )
}

/// The number of slots as a word of 64 bits.
fn size(scheme: &dyn Dense<u32>) -> u64 {
    scheme.size().into()
}
