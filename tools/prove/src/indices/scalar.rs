//! The scalar code: one index at a time.

use tbindex::{Dense, Equivalence, Group, Layout, LikePieces, Numbering, Orbit, Symmetry, Word};

use super::{ByCases, GROUPS, for_word, of_groups, with_like, with_pairs};
use crate::case::{Case, Question};
use crate::definition::{self, Same};
use crate::symbols::{always, any_index, any_slot, scalar};
use crate::term::{Term, constant, equal, less};
use crate::word::{Symbolic32, Symbolic64, Symbolic128, SymbolicWord};

/// Cases of a generic function for these words, every number of pieces and both numberings.
macro_rules! cases {
    ($function:ident) => {
        cases!($function, Symbolic32 Symbolic64 Symbolic128)
    };
    ($function:ident, $($word:ident)*) => {{
        let mut cases = Vec::new();
        $(for_word(&mut cases, "", $function::<$word>);)*
        cases
    }};
}

pub(super) const THEOREMS: [ByCases; 9] = [
    ByCases {
        name: "flip-scalar",
        statement: "`Layout::flip` moves every piece as the symmetry does, in every word, for every number of pieces, both numberings and all eight symmetries.",
        quick: true,
        cases: || cases!(flips),
    },
    ByCases {
        name: "convert-scalar",
        statement: "`Layout::convert` keeps every piece's square.",
        quick: true,
        cases: || cases!(conversions),
    },
    ByCases {
        name: "canonical-scalar",
        statement: "`Equivalence::canonical` of distinct pieces is the smallest of all images, under every group.",
        quick: true,
        cases: || cases!(canonical),
    },
    ByCases {
        name: "canonical-symmetry-scalar",
        statement: "`canonical_with_symmetry` of distinct pieces gives the canonical index and the smallest code of a symmetry that leads there.",
        quick: true,
        cases: || cases!(with_symmetry),
    },
    ByCases {
        name: "orbit-size-scalar",
        statement: "`orbit_size` is the number of different images, and `is_canonical` says whether an index is the smallest of them.",
        quick: true,
        cases: || cases!(sizes),
    },
    ByCases {
        name: "like-pairs-scalar",
        statement: "`canonical` and `canonical_with_symmetry` with two like pieces, whichever they are, are the smallest of all images with the two in both orders, under every group.",
        quick: false,
        cases: pairs,
    },
    ByCases {
        name: "like-sets-scalar",
        statement: "This holds for three like pieces behind a fourth.",
        quick: false,
        cases: sets,
    },
    ByCases {
        name: "orbit-rank-scalar",
        statement: "`Orbit` gives equivalent indices one slot below its size, `unrank` gives each slot's canonical index, and the two are inverse to each other: each class has exactly one slot.",
        quick: true,
        cases: || cases!(orbit, Symbolic32 Symbolic64),
    },
    ByCases {
        name: "orbit-rank-scalar-128",
        statement: "This holds for words of 128 bits.",
        quick: false,
        cases: || cases!(orbit, Symbolic128),
    },
];

fn flips<S: SymbolicWord>(layout: Layout<S>) -> Question {
    let mut question = Question::default();
    let n = layout.pieces();
    let x = any_index(&mut question, n, S::BITS);
    for symmetry in Symmetry::ALL {
        let found = layout.flip(symmetry, S::of(x)).term();
        let expected = definition::flipped(x, n, layout.numbering(), symmetry);
        question.ask(always(), found, expected);
    }
    question
}

fn conversions<S: SymbolicWord>(layout: Layout<S>) -> Question {
    let mut question = Question::default();
    let n = layout.pieces();
    let x = any_index(&mut question, n, S::BITS);
    let own = layout.numbering();
    for other in Numbering::ALL {
        let to = layout.convert(other, S::of(x));
        let from = Layout::new(n, other).convert(own, S::of(x));
        let converted =
            |numbering: Numbering| definition::mapped(x, n, &definition::conversion(numbering));
        let (to_other, from_other) = match other == own {
            true => (x, x),
            false => (converted(own), converted(other)),
        };
        question.ask(always(), to.term(), to_other);
        question.ask(always(), from.term(), from_other);
    }
    question
}

fn canonical<S: SymbolicWord>(layout: Layout<S>) -> Question {
    of_groups(layout, |question, same, x| {
        let found = scalar(&[], || vec![same.canonical(S::of(x)).term()]);
        question.ask(always(), found[0], Same::of(same, &[]).canonical(x));
    })
}

fn with_symmetry<S: SymbolicWord>(layout: Layout<S>) -> Question {
    of_groups(layout, |question, same, x| {
        ask_with_symmetry(question, same, x, &[]);
    })
}

fn ask_with_symmetry<S: SymbolicWord>(
    question: &mut Question,
    same: &Equivalence<S>,
    x: Term,
    like: &[u32],
) {
    let found = scalar(&[], || {
        let (canonical, symmetry) = same.canonical_with_symmetry(S::of(x));
        vec![canonical.term(), constant((symmetry as u8).into(), 8)]
    });
    let expected = Same::of(same, like);
    question.ask(always(), found[0], expected.canonical(x));
    question.ask(always(), found[1], expected.canonical_symmetry(x));
}

fn sizes<S: SymbolicWord>(layout: Layout<S>) -> Question {
    of_groups(layout, |question, same, x| {
        let found = scalar(&[], || {
            let size = same.orbit_size(S::of(x));
            let is_canonical = same.canonical(S::of(x)) == S::of(x);
            vec![constant(size.into(), 8), constant(is_canonical.into(), 1)]
        });
        let expected = Same::of(same, &[]);
        question.ask(always(), found[0], expected.orbit_size(x));
        question.ask(always(), found[1], equal(x, expected.canonical(x)));
    })
}

fn pairs() -> Vec<Case> {
    let mut cases = Vec::new();
    with_pairs(&mut cases, "", &GROUPS, ask_with_symmetry::<Symbolic32>);
    with_pairs(&mut cases, "", &GROUPS, ask_with_symmetry::<Symbolic64>);
    // Without a symmetry the pair is put in order, which is the step of larger sets.
    let trivial = &GROUPS[2..];
    with_pairs(&mut cases, "", trivial, ask_with_symmetry::<Symbolic128>);
    cases
}

fn sets() -> Vec<Case> {
    let mut cases = Vec::new();
    // Where a piece is like the leading one there are too many paths.
    let (set, ask) = ((4, &[0b0111][..]), ask_with_symmetry::<Symbolic32>);
    with_like(&mut cases, "", set, &GROUPS, ask);
    cases
}

fn orbit<S: SymbolicWord>(layout: Layout<S>) -> Question {
    let mut question = Question::default();
    let x = any_index(&mut question, layout.pieces(), S::BITS);
    for (group, _) in GROUPS {
        let orbit = Orbit::new(layout, group);
        let size = constant(orbit.size().into(), S::BITS);
        let rank = |_: &mut Question, x| {
            let found = scalar(&[], || {
                let slot = orbit.rank(S::of(x)).expect("every index has a slot");
                vec![slot.term()]
            });
            found[0]
        };
        let unrank = |_: &mut Question, slot| {
            let is_slot = less(slot, size);
            let found = scalar(&[is_slot], || vec![orbit.unrank(S::of(slot)).term()]);
            found[0]
        };
        ask_orbit(&mut question, layout, group, x, rank, unrank);
    }
    question
}

/// Asks whether these are the maps of `Orbit`: every index has a slot, the same for equivalent ones, from which the canonical
/// index comes back; and every slot is that of its index.
pub(super) fn ask_orbit<W: Word>(
    question: &mut Question,
    layout: Layout<W>,
    group: Group,
    x: Term,
    rank: impl Fn(&mut Question, Term) -> Term,
    unrank: impl Fn(&mut Question, Term) -> Term,
) {
    let (n, numbering) = (layout.pieces(), layout.numbering());
    let size = constant(Orbit::new(layout, group).size().into(), W::BITS);
    let slot = rank(question, x);
    question.ask(always(), less(slot, size), always());
    for symmetry in definition::members(group) {
        let image = definition::flipped(x, n, numbering, symmetry);
        let slot_of_image = rank(question, image);
        question.ask(always(), slot_of_image, slot);
    }
    let own = Numbering::Alternate;
    let convert = |x, from| match numbering {
        Numbering::Alternate => x,
        Numbering::Natural => definition::mapped(x, n, &definition::conversion(from)),
    };
    let alternate = convert(x, Numbering::Natural);
    let same = Equivalence::new(Layout::<W>::new(n, own), group, LikePieces::default());
    let canonical = Same::of(&same, &[]).canonical(alternate);
    let back = unrank(question, slot);
    question.ask(always(), back, convert(canonical, own));
    let slot = match group {
        Group::D4 => any_slot(question, n, W::BITS),
        _ => any_index(question, n, W::BITS),
    };
    let index = unrank(question, slot);
    let slot_of_index = rank(question, index);
    question.ask(less(slot, size), slot_of_index, slot);
}
