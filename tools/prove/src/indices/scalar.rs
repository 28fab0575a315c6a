//! The scalar code: one index at a time.

use tbindex::{Dense, Equivalence, Group, Layout, LikePieces, Numbering, Orbit, Symmetry};

use super::{GROUPS, again, theorem};
use crate::Theorem;
use crate::case::{Case, Named, Question};
use crate::definition;
use crate::symbols::{always, any_index, any_index_with_like, any_slot, place, scalar, word_name};
use crate::term::{Term, constant, less};
use crate::word::{Symbolic32, Symbolic64, Symbolic128, SymbolicWord};

pub(super) fn theorems() -> Vec<Theorem> {
    let flips = theorem(
        "flip-scalar",
        "`Layout::flip` moves every piece as the symmetry does, in every word, for every number of pieces, both numberings and all eight symmetries.",
        true,
        flips,
    );
    let conversions = theorem(
        "convert-scalar",
        "`Layout::convert` keeps every piece's square.",
        true,
        conversions,
    );
    let canonical = theorem(
        "canonical-scalar",
        "`Equivalence::canonical` of distinct pieces is the smallest of all images, under every group.",
        true,
        canonical_distinct,
    );
    vec![
        again(&flips, self::flips),
        again(&conversions, self::conversions),
        again(&canonical, canonical_distinct),
        flips,
        conversions,
        canonical,
        theorem(
            "canonical-symmetry-scalar",
            "`canonical_with_symmetry` of distinct pieces gives the canonical index and the smallest code of a symmetry that leads there.",
            true,
            with_symmetry_distinct,
        ),
        theorem(
            "orbit-size-scalar",
            "`orbit_size` is the number of different images, and `is_canonical` says whether an index is the smallest of them.",
            true,
            sizes,
        ),
        theorem(
            "like-pairs-scalar",
            "`canonical` and `canonical_with_symmetry` with two like pieces, whichever they are, are the smallest of all images with the two in both orders, under every group.",
            false,
            pairs,
        ),
        theorem(
            "like-sets-scalar",
            "The same for three like pieces behind a fourth.",
            false,
            sets,
        ),
        theorem(
            "orbit-rank-scalar",
            "`Orbit` gives equivalent indices one slot below its size, `unrank` gives each slot's canonical index, and the two are inverse to each other: each class has exactly one slot.",
            true,
            orbit,
        ),
        theorem(
            "orbit-rank-scalar-128",
            "The same for words of 128 bits.",
            false,
            orbit_of_128_bits,
        ),
    ]
}

/// The theorems' cases by name.
pub(super) const CASES: [Named; 7] = [
    ("flip-scalar", flips),
    ("convert-scalar", conversions),
    ("canonical-scalar", canonical_distinct),
    ("canonical-symmetry-scalar", with_symmetry_distinct),
    ("orbit-size-scalar", sizes),
    ("like-pairs-scalar", pairs),
    ("orbit-rank-scalar", orbit),
];

/// Cases for every number of pieces in a word, and both numberings.
fn for_word<S: SymbolicWord>(
    cases: &mut Vec<Case>,
    question: impl Fn(Layout<S>) -> Question + Copy + Send + Sync + 'static,
) {
    for pieces in 1..=S::MAX_PIECES {
        for numbering in Numbering::ALL {
            let label = format!("{}, {pieces} pieces, {numbering}", word_name::<S>());
            cases.push(Case::new(label, move || {
                question(Layout::new(pieces, numbering))
            }));
        }
    }
}

/// Cases of a generic function for every word, number of pieces and numbering.
macro_rules! cases {
    ($function:ident) => {{
        let mut cases = Vec::new();
        for_word::<Symbolic32>(&mut cases, $function::<Symbolic32>);
        for_word::<Symbolic64>(&mut cases, $function::<Symbolic64>);
        for_word::<Symbolic128>(&mut cases, $function::<Symbolic128>);
        cases
    }};
}

fn flips() -> Vec<Case> {
    fn question<S: SymbolicWord>(layout: Layout<S>) -> Question {
        let mut question = Question::default();
        let n = layout.pieces();
        let x = any_index(&mut question, n, S::BITS);
        for symmetry in Symmetry::ALL {
            let found = layout.flip(symmetry, S::of(x)).term();
            let expected = definition::flipped(x, n, place(layout.numbering()), symmetry);
            question.ask(always(), found, expected);
        }
        question
    }
    cases!(question)
}

fn conversions() -> Vec<Case> {
    fn question<S: SymbolicWord>(layout: Layout<S>) -> Question {
        let mut question = Question::default();
        let n = layout.pieces();
        let x = any_index(&mut question, n, S::BITS);
        let own = layout.numbering();
        for other in Numbering::ALL {
            let to = layout.convert(other, S::of(x));
            let from = Layout::new(n, other).convert(own, S::of(x));
            let converted = |numbering: Numbering| {
                definition::mapped(x, n, &definition::conversion(place(numbering)))
            };
            let (to_other, from_other) = match other == own {
                true => (x, x),
                false => (converted(own), converted(other)),
            };
            question.ask(always(), to.term(), to_other);
            question.ask(always(), from.term(), from_other);
        }
        question
    }
    cases!(question)
}

fn canonical_distinct() -> Vec<Case> {
    fn question<S: SymbolicWord>(layout: Layout<S>) -> Question {
        let mut question = Question::default();
        let n = layout.pieces();
        let x = any_index(&mut question, n, S::BITS);
        for (group, _) in GROUPS {
            let same = Equivalence::new(layout, group, LikePieces::default());
            let found = scalar(&[], || vec![same.canonical(S::of(x)).term()]);
            let expected = definition::canonical(x, n, place(layout.numbering()), group, &[]);
            question.ask(always(), found[0], expected);
        }
        question
    }
    cases!(question)
}

fn with_symmetry_distinct() -> Vec<Case> {
    fn question<S: SymbolicWord>(layout: Layout<S>) -> Question {
        let mut question = Question::default();
        let x = any_index(&mut question, layout.pieces(), S::BITS);
        for (group, _) in GROUPS {
            let same = Equivalence::new(layout, group, LikePieces::default());
            ask_with_symmetry(&mut question, &same, x, &[]);
        }
        question
    }
    cases!(question)
}

fn ask_with_symmetry<S: SymbolicWord>(
    question: &mut Question,
    same: &Equivalence<S>,
    x: Term,
    like: &[u32],
) {
    let (layout, group) = (same.layout(), same.group());
    let (n, numbering) = (layout.pieces(), place(layout.numbering()));
    let found = scalar(&[], || {
        let (canonical, symmetry) = same.canonical_with_symmetry(S::of(x));
        vec![canonical.term(), constant((symmetry as u8).into(), 8)]
    });
    let canonical = definition::canonical(x, n, numbering, group, like);
    let symmetry = definition::canonical_symmetry(x, n, numbering, group, like);
    question.ask(always(), found[0], canonical);
    question.ask(always(), found[1], symmetry);
}

fn sizes() -> Vec<Case> {
    fn question<S: SymbolicWord>(layout: Layout<S>) -> Question {
        let mut question = Question::default();
        let (n, numbering) = (layout.pieces(), place(layout.numbering()));
        let x = any_index(&mut question, n, S::BITS);
        for (group, _) in GROUPS {
            let same = Equivalence::new(layout, group, LikePieces::default());
            let found = scalar(&[], || {
                let size = same.orbit_size(S::of(x));
                let is_canonical = same.is_canonical(S::of(x));
                vec![
                    constant(size.into(), 8),
                    constant(u128::from(is_canonical), 1),
                ]
            });
            let size = definition::orbit_size(x, n, numbering, group);
            let canonical = definition::canonical(x, n, numbering, group, &[]);
            question.ask(always(), found[0], size);
            question.ask(always(), found[1], crate::term::equal(x, canonical));
        }
        question
    }
    cases!(question)
}

/// All pairs of pieces, as masks.
pub(super) fn all_pairs(pieces: usize) -> Vec<u32> {
    (1..pieces)
        .flat_map(|b| (0..b).map(move |a| 1 << a | 1 << b))
        .collect()
}

fn pairs() -> Vec<Case> {
    fn add<S: SymbolicWord>(cases: &mut Vec<Case>, groups: &'static [(Group, &str)]) {
        for pieces in 2..=S::MAX_PIECES {
            for numbering in Numbering::ALL {
                for set in all_pairs(pieces) {
                    for &(group, name) in groups {
                        let label = format!(
                            "{}, {pieces} pieces, {numbering}, like {set:#b}, {name}",
                            word_name::<S>()
                        );
                        cases.push(Case::new(label, move || {
                            let mut question = Question::default();
                            let x = any_index_with_like(&mut question, pieces, &[set], S::BITS);
                            let like = LikePieces::try_new(&[set], pieces).expect("a pair");
                            let layout = Layout::<S>::new(pieces, numbering);
                            let same = Equivalence::new(layout, group, like);
                            ask_with_symmetry(&mut question, &same, x, &[set]);
                            question
                        }));
                    }
                }
            }
        }
    }
    let mut cases = Vec::new();
    add::<Symbolic32>(&mut cases, &GROUPS);
    add::<Symbolic64>(&mut cases, &GROUPS);
    // Without a symmetry the pair is put in order, which is the step of larger sets.
    add::<Symbolic128>(&mut cases, &GROUPS[2..]);
    cases
}

fn sets() -> Vec<Case> {
    let mut cases = Vec::new();
    // Where a piece is like the leading one there are too many paths.
    for (pieces, sets) in [(4, [0b0111])] {
        for numbering in Numbering::ALL {
            for (group, name) in GROUPS {
                let label = format!("u32, {pieces} pieces, {numbering}, like {sets:?}, {name}");
                cases.push(Case::new(label, move || {
                    let mut question = Question::default();
                    let x = any_index_with_like(&mut question, pieces, &sets, 32);
                    let like = LikePieces::try_new(&sets, pieces).expect("sets of pieces");
                    let layout = Layout::<Symbolic32>::new(pieces, numbering);
                    let same = Equivalence::new(layout, group, like);
                    ask_with_symmetry(&mut question, &same, x, &sets);
                    question
                }));
            }
        }
    }
    cases
}

fn orbit() -> Vec<Case> {
    let mut cases = Vec::new();
    for_word::<Symbolic32>(&mut cases, ask_orbit::<Symbolic32>);
    for_word::<Symbolic64>(&mut cases, ask_orbit::<Symbolic64>);
    cases
}

fn orbit_of_128_bits() -> Vec<Case> {
    let mut cases = Vec::new();
    for_word::<Symbolic128>(&mut cases, ask_orbit::<Symbolic128>);
    cases
}

fn ask_orbit<S: SymbolicWord>(layout: Layout<S>) -> Question {
    let mut question = Question::default();
    let (n, numbering) = (layout.pieces(), layout.numbering());
    let x = any_index(&mut question, n, S::BITS);
    for (group, _) in GROUPS {
        let orbit = Orbit::new(layout, group);
        let size = orbit.size().into();
        let rank = |x| {
            let found = scalar(&[], || {
                let slot = orbit.rank(S::of(x)).expect("every index has a slot");
                vec![slot.term()]
            });
            found[0]
        };
        let unrank = |slot| {
            let is_slot = less(slot, constant(size, S::BITS));
            let found = scalar(&[is_slot], || vec![orbit.unrank(S::of(slot)).term()]);
            found[0]
        };
        // Every index has a slot, the same for equivalent ones, and from it comes back the canonical index.
        let slot = rank(x);
        question.ask(always(), less(slot, constant(size, S::BITS)), always());
        for symmetry in definition::members(group) {
            let image = definition::flipped(x, n, place(numbering), symmetry);
            question.ask(always(), rank(image), slot);
        }
        let own = Numbering::Alternate;
        let convert = |x, from| match numbering {
            Numbering::Alternate => x,
            Numbering::Natural => definition::mapped(x, n, &definition::conversion(place(from))),
        };
        let alternate = convert(x, Numbering::Natural);
        let canonical = definition::canonical(alternate, n, place(own), group, &[]);
        question.ask(always(), unrank(slot), convert(canonical, own));
        // Every slot is that of its index.
        let slot = match group {
            Group::D4 => any_slot(&mut question, n, S::BITS),
            _ => any_index(&mut question, n, S::BITS),
        };
        let is_slot = less(slot, constant(size, S::BITS));
        question.ask(is_slot, rank(unrank(slot)), slot);
    }
    question
}
