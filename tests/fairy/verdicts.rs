//! The reasons that bind pieces: lattices, directions and masks; and many pieces at once.

use std::collections::BTreeSet;

use tbindex::Step;
use tbindex::fairy::{
    Census, Classifier, FREE_ATOMS, Grid, HalfImages, Lattice, MASKS, PieceFacts, UNLISTED_MASKS,
    Verdict, free_atoms_of, masks_of, unlisted_masks_of,
};
use tbindex::{Group, Leaper, Symmetry};

use super::{canonical, piece};

/// The lattice of a piece's moves.
fn generated_by(piece: Leaper) -> Lattice {
    Verdict::of(piece).lattice
}

/// All lattices that short-range pieces generate, each once: those of up to three steps.
fn lattices() -> BTreeSet<Lattice> {
    let steps = |bits: [u32; 3]| bits.into_iter().fold(0, |all, bit| all | 1 << bit);
    let pieces = (0..24).flat_map(|a| (0..24).flat_map(move |b| (0..24).map(move |c| [a, b, c])));
    let all = pieces.map(|bits| generated_by(Leaper::new(steps(bits))));
    all.chain([generated_by(Leaper::EMPTY)]).collect()
}

fn mask_named(name: &str) -> Leaper {
    let found = MASKS.iter().find(|(own, _)| *own == name);
    found.unwrap_or_else(|| panic!("no mask {name}")).1
}

#[test]
fn named_colourings_are_those_of_their_masks() {
    for (name, mask) in [
        ("checker", "checker colour"),
        ("rows", "every other row"),
        ("files", "every other file"),
        ("staircase A", "three-way A"),
        ("staircase B", "three-way B"),
        ("pinwheel 1", "pinwheel 1"),
        ("pinwheel 2", "pinwheel 2"),
    ] {
        let mask = mask_named(mask);
        let lattice = generated_by(mask);
        assert_eq!(lattice.name(), Some(name), "{lattice}");
        // The mask has all steps that are in the lattice, and no others.
        for step in (!Leaper::EMPTY).steps() {
            let inside = lattice.reduce(step.files.into(), step.ranks.into()) == (0, 0);
            assert_eq!(
                inside,
                mask.steps().any(|other| other == step),
                "{name}, {step}"
            );
        }
    }
}

#[test]
fn congruences_say_exactly_what_is_in_the_lattice() {
    /// Evaluates words like `2f - r is divisible by 5`.
    fn holds(words: &str, f: i32, r: i32) -> bool {
        let (sum, modulus) = words.split_once(" is divisible by ").unwrap();
        let mut value = 0;
        let mut sign = 1;
        for word in sum.split(' ') {
            match word {
                "+" => sign = 1,
                "-" => sign = -1,
                term => {
                    let (factor, name) = term.split_at(term.len() - 1);
                    let factor: i32 = factor.parse().unwrap_or(1);
                    value += sign * factor * if name == "f" { f } else { r };
                }
            }
        }
        value % modulus.parse::<i32>().unwrap() == 0
    }
    assert_eq!(lattices().len(), 31);
    for lattice in lattices() {
        let congruences = lattice.congruences();
        if lattice.rank() < 2 {
            assert!(congruences.is_empty());
            continue;
        }
        for (f, r) in (-9..9).flat_map(|f| (-9..9).map(move |r| (f, r))) {
            let all = congruences.iter().all(|words| holds(words, f, r));
            let inside = lattice.reduce(f, r) == (0, 0);
            assert_eq!(all, inside, "{lattice} {congruences:?} ({f},{r})");
        }
    }
    let alfil = generated_by(piece("A"));
    let both = ["f is divisible by 2", "f + r is divisible by 4"];
    assert_eq!(alfil.congruences(), both);
    let pinwheel = generated_by(mask_named("pinwheel 1"));
    assert_eq!(pinwheel.congruences(), ["2f + r is divisible by 5"]);
}

/// The names of the sixteen directions and their shortest steps, clockwise from north.
const DIRECTIONS: [(&str, (i8, i8)); 16] = [
    ("north", (0, 1)),
    ("north-north-east", (1, 2)),
    ("north-east", (1, 1)),
    ("east-north-east", (2, 1)),
    ("east", (1, 0)),
    ("east-south-east", (2, -1)),
    ("south-east", (1, -1)),
    ("south-south-east", (1, -2)),
    ("south", (0, -1)),
    ("south-south-west", (-1, -2)),
    ("south-west", (-1, -1)),
    ("west-south-west", (-2, -1)),
    ("west", (-1, 0)),
    ("west-north-west", (-2, 1)),
    ("north-west", (-1, 1)),
    ("north-north-west", (-1, 2)),
];

/// The places of the directions in which a piece can never get.
fn missing(piece: Leaper) -> Vec<usize> {
    let place = |name| DIRECTIONS.iter().position(|&(own, _)| own == name);
    let verdict = Verdict::of(piece);
    verdict
        .missing()
        .map(|name| place(name).expect("a direction"))
        .collect()
}

/// The claim of the documentation: the published masks and eight half-planes hold all bound pieces and no
/// free one; every piece that contains a free atom is free.
#[test]
fn a_piece_is_bound_exactly_if_one_of_23_masks_holds_it() {
    let classifier = Classifier::new(Grid::new(1, 1));
    let atoms = ["W", "ffbsN", "07,09,17"].map(piece);
    assert_eq!(FREE_ATOMS.map(|(_, atom)| atom), atoms);
    const RUN: u32 = 1 << 12;
    for start in (0..Leaper::COUNT).step_by(RUN as usize) {
        let pieces: Vec<Leaper> = (start..start + RUN).map(Leaper::new).collect();
        let mut facts = vec![PieceFacts::default(); RUN as usize];
        classifier.classify_into(&pieces, &mut facts);
        for (piece, facts) in pieces.into_iter().zip(facts) {
            let is_held = facts.masks != 0 || unlisted_masks_of(piece).next().is_some();
            assert_eq!(facts.free, !is_held, "{piece}");
            assert_eq!(
                facts.masks != 0,
                masks_of(piece).next().is_some(),
                "{piece}"
            );
            let has_atom = free_atoms_of(piece).next().is_some();
            assert!(!has_atom || facts.free, "{piece}");
        }
    }
}

#[test]
fn unlisted_masks_are_the_half_planes_along_the_knights_moves() {
    for (name, mask) in UNLISTED_MASKS {
        let verdict = Verdict::of(mask);
        let place = |name| DIRECTIONS.iter().position(|&(own, _)| own == name);
        let missing: Vec<usize> = verdict.missing().filter_map(place).collect();
        assert_eq!(missing.len(), 7, "{name}");
        let is_missing = |k: usize| missing.contains(&(k % 16));
        let middle = (0..16).find(|&k| (k + 13..k + 20).all(is_missing)).unwrap();
        assert_eq!(format!("no {}", DIRECTIONS[middle].0), name);
        // All moves but the missing ones, and the edge among them.
        let is_held = |step: &Step| {
            let (x, y) = (step.files, step.ranks);
            let along = |&(_, (u, v)): &(&str, (i8, i8))| x * v == y * u && x * u + y * v > 0;
            !is_missing(DIRECTIONS.iter().position(along).unwrap())
        };
        let held = (!Leaper::EMPTY).steps().filter(is_held);
        assert_eq!(mask, held.collect(), "{name}");
        let is_listed = MASKS.iter().any(|&(_, listed)| mask & listed == mask);
        assert!(!is_listed, "{name}");
    }
}

/// No small sum with positive weights points in a missing direction.
#[test]
fn missing_directions_are_reached_by_no_sum() {
    for bits in (0..=u16::MAX).step_by(37) {
        let set: Vec<(i8, i8)> = (0..16)
            .filter(|k| bits >> k & 1 == 1)
            .map(|k| DIRECTIONS[k].1)
            .collect();
        let steps = set.iter().map(|&(x, y)| Step::new(x, y));
        // The cone of a set in the plane is the union of those of its pairs.
        let mut reached = bits;
        for (a, b) in set.iter().flat_map(|a| set.iter().map(move |b| (a, b))) {
            for (m, n) in (1..=8).flat_map(|m| (1..=8).map(move |n| (m, n))) {
                let sum = (m * a.0 + n * b.0, m * a.1 + n * b.1);
                for (k, &(_, (x, y))) in DIRECTIONS.iter().enumerate() {
                    if sum.0 * y == sum.1 * x && sum.0 * x + sum.1 * y > 0 {
                        reached |= 1 << k;
                    }
                }
            }
        }
        let missing = missing(steps.collect());
        let missing = missing.iter().fold(0u16, |all, place| all | 1 << place);
        assert_eq!(!missing, reached, "{bits:#018b}");
    }
}

#[test]
fn every_way_to_be_bound_has_its_sentence() {
    for (text, rank, index, confined, words) in [
        ("0x0", 0, None, true, "no move at all"),
        ("fW", 1, None, true, "that of (0,1), one way only"),
        ("sD", 1, None, true, "that of (2,0), to and fro"),
        ("fF", 2, Some(2), true, "to west-north-west. Besides"),
        ("fK", 2, Some(1), true, "lie in one half-plane, so"),
        ("A", 2, Some(8), false, "of 8, as f is divisible by 2 and"),
        ("hlN", 2, Some(5), false, "5 (pinwheel 1), as 2f + r is"),
        ("D", 2, Some(4), false, "by 2 and r is divisible by 2"),
    ] {
        let verdict = Verdict::of(text.parse().expect(text));
        assert_eq!(verdict.lattice.rank(), rank, "{text}");
        assert_eq!(verdict.lattice.index(), index, "{text}");
        assert_eq!(verdict.is_confined(), confined, "{text}");
        assert!(!verdict.is_free());
        assert!(verdict.to_string().contains(words), "{text}: {verdict}");
    }
}

#[test]
fn slices_of_any_length_are_classified_piece_by_piece() {
    let classifier = Classifier::new(Grid::new(4, 5));
    let pieces: Vec<Leaper> = (0..Leaper::COUNT)
        .map(Leaper::new)
        .step_by(100_003)
        .collect();
    let classified = |pieces: &[Leaper]| {
        let mut facts = vec![PieceFacts::default(); pieces.len()];
        classifier.classify_into(pieces, &mut facts);
        facts
    };
    let alone: Vec<_> = pieces.chunks(1).flat_map(classified).collect();
    for length in 0..pieces.len() {
        assert_eq!(classified(&pieces[..length]), alone[..length]);
    }
}

#[test]
#[should_panic(expected = "facts for each of the pieces")]
fn slices_of_different_lengths_are_a_mistake() {
    Classifier::new(Grid::new(1, 1)).classify_into(&[Leaper::EMPTY], &mut []);
}

#[test]
fn the_first_of_a_class_is_its_canonical_piece_and_counts_its_images() {
    let images = HalfImages::new(Group::D4.members());
    for high in [0, 1, 0x404, 0x4ff, 0x99, 0xfff] {
        for piece in (0..1 << 12).map(|low| Leaper::new(high << 12 | low)) {
            let distinct = Symmetry::ALL.map(|by| piece.image(by));
            let distinct: BTreeSet<_> = distinct.into();
            let first = (canonical(piece), distinct.len() as u8);
            assert_eq!(images.first(piece), first);
        }
    }
}

#[test]
fn classes_are_as_many_as_burnside_says() {
    // Fixed pieces: 2²⁴ under the identity, 2¹² under the half turn, 2¹⁴ under each reflection.
    let oblong = Census::new(&Classifier::new(Grid::new(2, 3)), &|_| {});
    let expected = ((1 << 24) + (1 << 12) + 2 * (1 << 14)) / 4;
    assert_eq!(oblong.classes.pieces, expected);
}
