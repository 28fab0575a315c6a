//! Dense numberings: bijective, of the published and counted sizes, exact where they say so: of four pieces every ninth slot,
//! of five ten slices, and random positions. `prove` tries every slot and index of up to three pieces in its test, of one
//! material of each shape of four pieces, and of some of five.

use tbindex::batch::{Backend, BatchWord};
use tbindex::{
    Compact, Dense, DenseBatch, Diagonal, Equivalence, Group, KingDistance, KingPairs, Kings,
    Layout, LikePieces, Material, Numbering, Orbit, Piece, PieceType, Rules, Sliced, Square,
    Triangle, Word,
};

use crate::laws::dense::{self as laws, Promise, RULES, room};
use crate::support::counts::KNOWN_COUNTS;
use crate::support::random::Random;
use crate::support::thorough::one_in;

fn material(name: &str) -> Material {
    name.parse().expect("a material")
}

/// All materials with so many pieces, one of each pair of colour twins.
fn materials(pieces: usize) -> Vec<Material> {
    let mut all = vec![material("KvK")];
    for _ in 2..pieces {
        let larger = all.iter().flat_map(|m| {
            let kinds = PieceType::ALL.into_iter().skip(1);
            let pieces = kinds.flat_map(|kind| tbindex::Color::ALL.map(|c| Piece::new(c, kind)));
            pieces.map(|piece| {
                let all = m.name_order().chain([piece]);
                Material::from_pieces(all).expect("few pieces").normal()
            })
        });
        let mut larger: Vec<Material> = larger.collect();
        larger.sort_unstable();
        larger.dedup();
        all = larger;
    }
    all
}

/// The compact numbering of a material, and its law.
fn compact<W: BatchWord>(
    material: Material,
    numbering: Numbering,
    rules: Rules,
    law: impl FnOnce(&Compact<W>, &Promise<'_, W>),
) {
    let scheme = Compact::try_new(material, numbering, rules).expect("at most ten pieces");
    let same = Equivalence::try_new(material, numbering).expect("at most ten pieces");
    let promise = Promise {
        same: &same,
        exact: rules.diagonal == Diagonal::Exact || material.has_pawns(),
        room: &room(material, rules),
    };
    law(&scheme, &promise);
}

/// All rules, with either policy for the diagonal.
fn all_rules() -> impl Iterator<Item = Rules> {
    let policies = [Diagonal::Exact, Diagonal::Both];
    let rules = RULES.into_iter();
    rules.flat_map(move |rules| policies.map(|diagonal| Rules { diagonal, ..rules }))
}

fn everything(_: &[Square]) -> bool {
    true
}

fn kings_apart(squares: &[Square]) -> bool {
    laws::kings_admitted(KingDistance::Apart, squares)
}

/// Materials of four pieces, one of each shape: two different pieces, twins, a piece before a pawn and
/// after it, twin pawns, pawns of both sides.
const SHAPES: [&str; 6] = ["KQvKR", "KRRvK", "KNPvK", "KPvKN", "KPPvK", "KPvKP"];

/// Every ninth slot of four pieces, or all if `TBINDEX_THOROUGH` is set, and random indices.
#[test]
fn schemes_hold_for_four_pieces() {
    for name in SHAPES {
        for rules in all_rules() {
            compact::<u32>(material(name), Numbering::Natural, rules, check_four);
        }
    }
}

fn check_four(scheme: &Compact<u32>, promise: &Promise<'_, u32>) {
    for slot in (0..scheme.size()).step_by(one_in(9)) {
        laws::slot_comes_back(scheme, slot);
        laws::twins_share_their_class(scheme, promise, slot);
    }
    check_random(scheme, promise, 1000);
}

/// What the laws know of a material: for each piece the first of its likes, and whether it is a pawn.
/// The kings lead in any case.
fn shape(material: Material) -> Vec<(usize, bool)> {
    let pieces: Vec<Piece> = material.index_order().collect();
    let first = |piece| pieces.iter().position(|&other| other == piece);
    pieces
        .iter()
        .map(|&piece| (first(piece).unwrap(), piece.kind == PieceType::Pawn))
        .collect()
}

/// Materials of four pieces of one shape have the same numbering, slot for slot and index for index, so
/// that what holds for one of them holds for all. Under the rule that most tables use every ninth slot and
/// index, or all if `TBINDEX_THOROUGH` is set; under the others, sizes and random indices and slots.
#[test]
fn materials_of_one_shape_have_one_numbering() {
    let all = materials(4).into_iter().flat_map(|m| [m, m.swap_colors()]);
    let mut others: Vec<Material> = all.collect();
    for name in SHAPES {
        let first = material(name);
        let same_shape = |m: &mut Material| shape(*m) == shape(first);
        let alike: Vec<Material> = others.extract_if(.., same_shape).collect();
        assert!(alike.contains(&first), "{name}");
        for rules in all_rules() {
            let of = |material| {
                let scheme = Compact::<u32>::try_new(material, Numbering::Natural, rules);
                scheme.expect("few pieces")
            };
            let expected = of(first);
            let mut random = Random::new(1);
            let mut numbers = |end: u32| -> Vec<u32> {
                match rules == Rules::KINGS_APART {
                    // An odd step, so that all digits vary.
                    true => (0..end).step_by(one_in(9)).collect(),
                    false => random_words(&mut random, end.into(), 20_000),
                }
            };
            let (slots, indices) = (numbers(expected.size()), numbers(1 << 24));
            let answers = |scheme: &Compact<u32>| {
                let (mut placed, mut ranked) = (vec![0; slots.len()], vec![0; indices.len()]);
                Backend::detect()
                    .unrank_into(scheme, &slots, &mut placed)
                    .unwrap();
                Backend::detect().rank_into(scheme, &indices, &mut ranked);
                (scheme.size(), placed, ranked)
            };
            let answer = answers(&expected);
            for other in &alike {
                let is_same = answers(&of(*other)) == answer;
                assert!(is_same, "{other} and {name} {rules:?}");
            }
        }
    }
    assert!(others.is_empty(), "no test looks at {others:?}");
}

/// Slots come in the documented order: by the number of the slice, then by the squares of the others, pawns first and then
/// from the highest piece number down, like pieces ascending. Every ninth slot, or all if `TBINDEX_THOROUGH` is set.
fn check_order<S: Sliced<u32>>(scheme: &S, material: Material) {
    let pieces: Vec<Piece> = material.index_order().collect();
    let others = pieces.len() - scheme.leading_squares(0).len();
    let mut others: Vec<usize> = (0..others).rev().collect();
    others.sort_by_key(|&k| pieces[k].kind != PieceType::Pawn);
    let key = |slot| {
        let squares: Vec<Square> = scheme.layout().decode(scheme.unrank(slot)).collect();
        let squares = others.iter().map(|&k| squares[k]);
        (scheme.slice_of(slot), squares.collect::<Vec<_>>())
    };
    let slots = (0..scheme.size()).step_by(one_in(9)).map(key);
    assert!(slots.is_sorted_by(|a, b| a < b), "{material}");
}

#[test]
fn slots_come_in_the_documented_order() {
    for name in ["KQvKR", "KRRvK", "KNPvK", "KPPvK"] {
        for rules in RULES.map(|rules| Rules {
            diagonal: Diagonal::Both,
            ..rules
        }) {
            let scheme = Compact::<u32>::try_new(material(name), Numbering::Natural, rules);
            check_order(&scheme.expect("few pieces"), material(name));
        }
    }
    let layout = Layout::new(4, Numbering::Natural);
    check_order(&Kings::<u32>::new(layout, Group::D4), material("KQvKR"));
    check_order(&Triangle::<u32>::new(layout, Group::D4), material("KQvKR"));
}

#[test]
fn sizes_are_the_published_ones() {
    let orbits =
        (1..=5).map(|n| Orbit::<u32>::new(Layout::new(n, Numbering::Alternate), Group::D4).size());
    assert!(orbits.eq([10, 528, 32_896, 2_098_176, 134_225_920]));
    for n in 1..=10u32 {
        let size =
            Orbit::<u64>::new(Layout::new(n as usize, Numbering::Alternate), Group::D4).size();
        assert_eq!(size, (1 << (6 * n - 3)) + (1 << (3 * n - 2)));
        let burnside = (64u128.pow(n) + 2 * 8u128.pow(n)) / 8;
        assert_eq!(u128::from(size), burnside);
        let mirror = Orbit::<u64>::new(
            Layout::new(n as usize, Numbering::Alternate),
            Group::FileMirror,
        )
        .size();
        assert_eq!(mirror, 1 << (6 * n - 1));
        let triangle =
            Triangle::<u64>::new(Layout::new(n as usize, Numbering::Natural), Group::D4).size();
        assert_eq!(triangle, 10 * 64u64.pow(n - 1));
    }
    for n in 2..=5u32 {
        let kings =
            |group| Kings::<u32>::new(Layout::new(n as usize, Numbering::Natural), group).size();
        assert_eq!(kings(Group::D4), 462 * 64u32.pow(n - 2));
        assert_eq!(kings(Group::FileMirror), 1806 * 64u32.pow(n - 2));
    }
    let both = Rules {
        diagonal: Diagonal::Both,
        ..Rules::KINGS_APART
    };
    let scheme = Compact::<u32>::try_new(material("KQvKR"), Numbering::Natural, both);
    assert_eq!(scheme.unwrap().size(), 462 * 62 * 61);
}

#[test]
fn exact_sizes_are_the_known_counts() {
    for (name, counts) in KNOWN_COUNTS {
        let rules = [Rules::ALL, Rules::DISTINCT, Rules::KINGS_APART];
        for (rules, count) in rules.into_iter().zip(counts) {
            let scheme = Compact::<u32>::try_new(material(name), Numbering::Natural, rules);
            assert_eq!(u64::from(scheme.unwrap().size()), count, "{name} {rules:?}");
        }
    }
}

/// Every slot of ten slices, those with both kings on the diagonal among them, and weights there.
fn check_ten_slices<S: Sliced<u32>>(scheme: &S, promise: &Promise<'_, u32>) {
    let last = scheme.slice_count() - 1;
    for step in 0..10 {
        let id = step * last / 9;
        let slots = scheme.slice(id);
        for slot in slots.clone() {
            laws::slot_comes_back(scheme, slot);
            assert_eq!(scheme.slice_of(slot), id);
        }
        let n = scheme.layout().pieces();
        for slot in slots.clone().step_by(97) {
            laws::twins_share_their_class(scheme, promise, slot);
            let index = scheme.unrank(slot);
            for (k, &square) in scheme.leading_squares(id).iter().enumerate() {
                assert_eq!(scheme.layout().square(index, n - 1 - k), square);
            }
        }
    }
}

/// So many random numbers below `end`.
fn random_words<W: Word>(random: &mut Random, end: u128, count: usize) -> Vec<W> {
    (0..count).map(|_| W::truncate(random.below(end))).collect()
}

/// Random positions and slots, and batches of them.
fn check_random<W: BatchWord>(scheme: &impl DenseBatch<W>, promise: &Promise<'_, W>, count: usize) {
    let layout = scheme.layout();
    let random = &mut Random::new(layout.pieces() as u64);
    let indices: Vec<W> = random_words(random, layout.index_count(), count);
    for &index in &indices {
        laws::position_comes_back(scheme, promise, index);
    }
    let slots: Vec<W> = random_words(random, scheme.size().into(), count);
    for &slot in &slots {
        laws::slot_comes_back(scheme, slot);
        laws::twins_share_their_class(scheme, promise, slot);
    }
    for len in (0..130).chain([count]) {
        laws::batches_agree_with_single_calls(scheme, &indices[count - len..]);
    }
    let mut placed = vec![W::ZERO; slots.len()];
    Backend::detect()
        .unrank_into(scheme, &slots, &mut placed)
        .unwrap();
    laws::batches_agree_with_single_calls(scheme, &placed);
}

#[test]
fn compact_holds_for_five_pieces_by_slices_and_samples() {
    for name in [
        "KQRvKB", "KRBvKR", "KRRvKB", "KNNNvK", "KBvKNN", "KQPvKR", "KPPvKP", "KPPPvK", "KRvKPP",
        "KRRvKP",
    ] {
        let material = material(name);
        for rules in all_rules() {
            compact::<u32>(material, Numbering::Natural, rules, |scheme, promise| {
                if rules == Rules::KINGS_APART {
                    check_ten_slices(scheme, promise);
                }
                check_random(scheme, promise, 3000);
            });
            // Indices of the other numbering are converted on the way, and that is all.
            if rules == Rules::KINGS_APART {
                compact::<u32>(material, Numbering::Alternate, rules, |scheme, promise| {
                    check_random(scheme, promise, 3000);
                });
            }
        }
    }
}

#[test]
fn classical_schemes_and_orbit_hold_for_five_pieces_by_slices_and_samples() {
    for group in Group::ALL {
        for numbering in Numbering::ALL {
            let layout = Layout::<u32>::new(5, numbering);
            // Indices of the other numbering are converted on the way, and that is all.
            let count = |own| if numbering == own { 20_000 } else { 3000 };
            let same = &Equivalence::new(layout, group, LikePieces::default());
            let promise = |exact, room| Promise { same, exact, room };
            let exact = group != Group::D4;
            let kings = Kings::new(layout, group);
            let apart = promise(exact, &kings_apart);
            check_ten_slices(&kings, &apart);
            check_random(&kings, &apart, count(Numbering::Natural));
            let triangle = Triangle::new(layout, group);
            let anywhere = promise(exact, &everything);
            check_random(&triangle, &anywhere, count(Numbering::Natural));
            let orbit = Orbit::new(layout, group);
            let anywhere = promise(true, &everything);
            check_random(&orbit, &anywhere, count(Numbering::Alternate));
        }
    }
}

/// Up to ten pieces, with several sets of like ones, in 64 bits.
#[test]
fn compact_and_orbit_hold_for_many_pieces_by_samples() {
    for name in [
        "KQRvKQR",
        "KRRvKBBN",
        "KNNNNvKNNN",
        "KPPPPvKPPPP",
        "KQRBNvKQRBN",
        "KNNNNNNNNvK",
        "KRRPPvKRRP",
        "KBBvKBBBBB",
    ] {
        let material = material(name);
        for rules in all_rules() {
            compact::<u64>(material, Numbering::Natural, rules, |scheme, promise| {
                check_random(scheme, promise, 1000);
                if material.has_pawns() {
                    return;
                }
                // Random slots seldom have the kings on the diagonal.
                let random = &mut Random::new(9);
                let pairs = KingPairs::new(material.group(), rules.kings);
                for id in pairs.diagonal_from()..scheme.slice_count() {
                    let slots = scheme.slice(id);
                    for _ in 0..100 {
                        let slot = random.below(u128::from(slots.end - slots.start));
                        let slot = slots.start + slot as u64;
                        laws::slot_comes_back(scheme, slot);
                        laws::twins_share_their_class(scheme, promise, slot);
                    }
                }
            });
            if rules == Rules::KINGS_APART {
                compact::<u64>(material, Numbering::Alternate, rules, |scheme, promise| {
                    check_random(scheme, promise, 1100);
                });
            }
        }
    }
    for pieces in 6..=10 {
        for group in Group::ALL {
            let same = Equivalence::new(
                Layout::<u64>::new(pieces, Numbering::Alternate),
                group,
                LikePieces::default(),
            );
            let promise = Promise {
                same: &same,
                exact: true,
                room: &everything,
            };
            let orbit = Orbit::new(Layout::new(pieces, Numbering::Alternate), group);
            check_random(&orbit, &promise, 1000);
            // Where all pieces are on the diagonal, and slots follow those of all others.
            let end = orbit.size();
            for slot in end - 500..end {
                laws::slot_comes_back(&orbit, slot);
                laws::twins_share_their_class(&orbit, &promise, slot);
            }
        }
    }
}

/// More pieces than there are compact slots for are refused, and counted nevertheless.
#[test]
fn materials_beyond_ten_pieces_are_refused_and_counted() {
    let large = material("KQRBNPvKQRBN");
    let error = Compact::<u128>::try_new(large, Numbering::Natural, Rules::ALL).unwrap_err();
    assert!(error.to_string().contains("up to 10"), "{error}");
    assert!(Compact::<u32>::try_new(material("KQRvKQR"), Numbering::Natural, Rules::ALL).is_err());
    // With pawns no position is its own mirror image.
    let positions = 64u128.pow(10) * 48;
    assert_eq!(Compact::<u128>::slots(large, Rules::ALL), positions / 2);
}
