//! Theorems about dense numbers: rank and unrank are inverse, and sizes are exact.
//!
//! Up to five pieces every slot and every index is tried. Beyond, [`beyond`] says which parts a number is made of,
//! and why the ends of each part suffice.

mod beyond;
mod exhaustive;
mod mutants;
mod promise;

use tbindex::{Compact, Dense, Diagonal, Group, Kings, Layout, Numbering, Orbit, Rules, Triangle};

use self::promise::Promise;
use crate::Theorem;

/// All of them.
pub(crate) fn theorems() -> Vec<Theorem> {
    let mut all = exhaustive::theorems();
    all.extend(beyond::theorems());
    all.push(mutants::theorem_of_mistakes());
    all
}

/// The rules of compact numberings.
const RULES: [Rules; 4] = [
    Rules::All,
    Rules::Distinct,
    Rules::KingsApart,
    Rules::KingsApartShared,
];

const DIAGONALS: [Diagonal; 2] = [Diagonal::Exact, Diagonal::Both];

/// The compact numbering of a material, and its promise.
fn compact(
    material: &str,
    numbering: Numbering,
    (rules, diagonal): (Rules, Diagonal),
) -> (Compact<u32>, Promise) {
    let material = material.parse().expect("a material");
    let scheme = Compact::try_new(material, numbering, rules, diagonal).expect("a numbering");
    let promise = Promise::of_material(material, numbering, (rules, diagonal));
    (scheme, promise)
}

/// The numbering by orbits, and its promise.
fn orbit(layout: Layout<u32>, group: Group) -> (Orbit<u32>, Promise) {
    let promise = Promise::of_layout(layout, group, (Rules::All, Diagonal::Exact));
    (Orbit::new(layout, group), promise)
}

/// The rules of a classical numbering: both images of a position on the diagonal have slots.
fn classical(group: Group, rules: Rules) -> (Rules, Diagonal) {
    let diagonal = match group {
        Group::D4 => Diagonal::Both,
        _ => Diagonal::Exact,
    };
    (rules, diagonal)
}

/// The classical numbering with a leading piece in a triangle, and its promise.
fn triangle(layout: Layout<u32>, group: Group) -> (Triangle<u32>, Promise) {
    let promise = Promise::of_layout(layout, group, classical(group, Rules::All));
    (Triangle::new(layout, group), promise)
}

/// The classical numbering by pairs of kings, and its promise.
fn kings(layout: Layout<u32>, group: Group) -> (Kings<u32>, Promise) {
    let rules = classical(group, Rules::KingsApartShared);
    let promise = Promise::of_layout(layout, group, rules);
    (Kings::new(layout, group), promise)
}

/// The number of slots as a word of 64 bits.
fn size(scheme: &dyn Dense<u32>) -> u64 {
    scheme.size().into()
}
