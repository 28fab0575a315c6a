//! Dense numberings: bijective, of the published sizes, exact where they say so, for random positions and for slots of many
//! slices. `prove` tries every slot and index of up to three pieces in its test, of one material of each shape of four
//! pieces, and of some of five.

use tbindex::batch::{Backend, BatchWord, DenseBatch};
use tbindex::proofs::{Sliced, WideDivision};
use tbindex::{
    Compact, Dense, Diagonal, Equivalence, Group, KingDistance, Kings, Layout, LikePieces,
    Material, Numbering, Orbit, Piece, PieceType, Rules, Square, Triangle, Word,
};

use crate::laws::dense::{self as laws, Promise, RULES, room};
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

/// The laws of the compact numbering of a material.
fn compact_holds<W: BatchWord>(
    material: Material,
    numbering: Numbering,
    (rules, diagonal): (Rules, Diagonal),
    count: usize,
) {
    let scheme =
        Compact::<W>::try_new(material, numbering, rules, diagonal).expect("at most ten pieces");
    let same = Equivalence::try_new(material, numbering).expect("at most ten pieces");
    let promise = Promise {
        same: &same,
        exact: diagonal == Diagonal::Exact || material.has_pawns(),
        room: &room(material, rules),
    };
    let size: u128 = scheme.size().into();
    assert!(!promise.exact || size == Compact::<W>::slots(material, rules, diagonal));
    check_slices(&scheme, &promise, count);
    check_random(&scheme, &promise, count);
}

/// The rules that most tables use.
const USUAL: (Rules, Diagonal) = (Rules::KingsApart, Diagonal::Exact);

/// All rules, with either policy for the diagonal.
fn all_rules() -> impl Iterator<Item = (Rules, Diagonal)> {
    let policies = [Diagonal::Exact, Diagonal::Both];
    let rules = RULES.into_iter();
    rules.flat_map(move |rules| policies.map(|diagonal| (rules, diagonal)))
}

fn kings_apart(squares: &[Square]) -> bool {
    laws::kings_admitted(KingDistance::Apart, squares)
}

/// Materials of four pieces, one of each shape: two different pieces, twins, a piece before a pawn and
/// after it, twin pawns, pawns of both sides.
const SHAPES: [&str; 6] = ["KQvKR", "KRRvK", "KNPvK", "KPvKN", "KPPvK", "KPvKP"];

/// All that the laws know of a material: for each piece the first of its likes, and whether it is a pawn.
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
/// that what holds for one of them holds for all. Under the rule that most tables use one slot and index
/// in 35, or all if `TBINDEX_THOROUGH` is set; under the others, sizes and random indices and slots.
#[test]
fn materials_of_one_shape_have_one_numbering() {
    let all = materials(4).into_iter().flat_map(|m| [m, m.swap_colors()]);
    let mut others: Vec<Material> = all.collect();
    for name in SHAPES {
        let first = material(name);
        let same_shape = |m: &mut Material| shape(*m) == shape(first);
        let alike: Vec<Material> = others.extract_if(.., same_shape).collect();
        assert!(alike.contains(&first), "{name}");
        for (rules, diagonal) in all_rules() {
            let of = |material| {
                let scheme = Compact::<u32>::try_new(material, Numbering::Natural, rules, diagonal);
                scheme.expect("few pieces")
            };
            let expected = of(first);
            let mut random = Random::new(1);
            let mut numbers = |end: u32| -> Vec<u32> {
                match (rules, diagonal) == USUAL {
                    // An odd step, so that all digits vary.
                    true => (0..end).step_by(one_in(35)).collect(),
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
                assert!(is_same, "{other} and {name} {rules:?} {diagonal:?}");
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
        for rules in RULES {
            let (natural, both) = (Numbering::Natural, Diagonal::Both);
            let scheme = Compact::<u32>::try_new(material(name), natural, rules, both);
            check_order(&scheme.expect("few pieces"), material(name));
        }
    }
    let layout = Layout::new(4, Numbering::Natural);
    check_order(&Kings::<u32>::new(layout, Group::D4), material("KQvKR"));
    check_order(&Triangle::<u32>::new(layout, Group::D4), material("KQvKR"));
}

#[test]
fn sizes_are_the_published_ones() {
    for (n, published) in (1..).zip([10, 528, 32_896, 2_098_176, 134_225_920, 8_590_000_128u64]) {
        let alternate = Layout::<u64>::new(n, Numbering::Alternate);
        assert_eq!(Orbit::new(alternate, Group::D4).size(), published);
    }
    for n in 1..=10 {
        let alternate = Layout::<u64>::new(n as usize, Numbering::Alternate);
        let burnside = (64u128.pow(n) + 2 * 8u128.pow(n)) / 8;
        assert_eq!(
            u128::from(Orbit::new(alternate, Group::D4).size()),
            burnside
        );
        let mirror = Orbit::new(alternate, Group::FileMirror);
        assert_eq!(mirror.size(), 1 << (6 * n - 1));
        let natural = Layout::<u64>::new(n as usize, Numbering::Natural);
        assert_eq!(
            Triangle::new(natural, Group::D4).size(),
            10 * 64u64.pow(n - 1)
        );
        if n > 1 {
            let kings = |group| Kings::new(natural, group).size();
            assert_eq!(kings(Group::D4), 462 * 64u64.pow(n - 2));
            assert_eq!(kings(Group::FileMirror), 1806 * 64u64.pow(n - 2));
        }
    }
    let (natural, apart) = (Numbering::Natural, Rules::KingsApart);
    let scheme = Compact::<u32>::try_new(material("KQvKR"), natural, apart, Diagonal::Both);
    assert_eq!(scheme.unwrap().size(), 462 * 62 * 61);
}

/// Random slots of some slices and of those with both kings on the diagonal, where random slots seldom are.
fn check_slices<W: BatchWord, S: Sliced<W>>(scheme: &S, promise: &Promise<'_, W>, count: usize) {
    let (layout, random) = (scheme.layout(), &mut Random::new(9));
    let slices = scheme.slice_count();
    for id in (0..slices)
        .step_by(47)
        .chain(slices.saturating_sub(32)..slices)
    {
        let slots = scheme.slice(id);
        let (start, end): (u128, u128) = (slots.start.into(), slots.end.into());
        for _ in 0..count / 20 {
            let slot = W::truncate(start + random.below(end - start));
            laws::slot_comes_back(scheme, slot);
            laws::twins_share_their_class(scheme, promise, slot);
            assert_eq!(scheme.slice_of(slot), id);
            let index = scheme.unrank(slot);
            for (k, &square) in (1..).zip(scheme.leading_squares(id).iter()) {
                assert_eq!(layout.square(index, layout.pieces() - k), square);
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

/// Materials of four pieces of every shape, of five, and up to ten, with several sets of like ones, in 64 bits.
#[test]
fn compact_holds_by_slices_and_samples() {
    let narrow = [
        "KQRvKB", "KRBvKR", "KRRvKB", "KNNNvK", "KBvKNN", "KQPvKR", "KPPvKP", "KPPPvK", "KRvKPP",
        "KRRvKP",
    ];
    let wide = [
        "KQRvKQR",
        "KRRvKBBN",
        "KNNNNvKNNN",
        "KPPPPvKPPPP",
        "KQRBNvKQRBN",
        "KNNNNNNNNvK",
        "KRRPPvKRRP",
        "KBBvKBBBBB",
    ];
    let narrow = SHAPES.iter().chain(&narrow).map(|name| (name, 1500));
    for (name, count) in narrow.chain(wide.iter().map(|name| (name, 500))) {
        let material = material(name);
        let holds = match material.piece_count() {
            ..=5 => compact_holds::<u32>,
            _ => compact_holds::<u64>,
        };
        for rules in all_rules() {
            holds(material, Numbering::Natural, rules, count);
        }
        // Indices of the other numbering are converted on the way, and that is all.
        holds(material, Numbering::Alternate, USUAL, count);
    }
}

#[test]
fn classical_schemes_and_orbit_hold_by_slices_and_samples() {
    for (group, numbering) in Group::ALL
        .into_iter()
        .flat_map(|g| Numbering::ALL.map(|n| (g, n)))
    {
        let layout = Layout::<u32>::new(5, numbering);
        // Indices of the other numbering are converted on the way, and that is all.
        let count = |own| if numbering == own { 20_000 } else { 3000 };
        let same = &Equivalence::new(layout, group, LikePieces::default());
        let promise = |exact, room| Promise { same, exact, room };
        let exact = group != Group::D4;
        let (kings, apart) = (Kings::new(layout, group), promise(exact, &kings_apart));
        check_slices(&kings, &apart, 3000);
        check_random(&kings, &apart, count(Numbering::Natural));
        let (triangle, any) = (Triangle::new(layout, group), promise(exact, &|_| true));
        check_random(&triangle, &any, count(Numbering::Natural));
        let (orbit, any) = (Orbit::new(layout, group), promise(true, &|_| true));
        check_random(&orbit, &any, count(Numbering::Alternate));
        for pieces in 6..=10 {
            let layout = Layout::<u64>::new(pieces, numbering);
            let promise = Promise {
                same: &Equivalence::new(layout, group, LikePieces::default()),
                exact: true,
                room: &|_| true,
            };
            let orbit = Orbit::new(layout, group);
            check_random(&orbit, &promise, 1000);
            let classical = Promise { exact, ..promise };
            check_slices(&Triangle::new(layout, group), &classical, 200);
            let apart = Promise {
                room: &kings_apart,
                ..classical
            };
            check_slices(&Kings::new(layout, group), &apart, 200);
            // Where all pieces are on the diagonal, and slots follow those of all others.
            for slot in orbit.size() - 500..orbit.size() {
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
    let (all, exact, natural) = (Rules::All, Diagonal::Exact, Numbering::Natural);
    let error = Compact::<u128>::try_new(large, natural, all, exact).unwrap_err();
    assert!(error.to_string().contains("expected 1 to 10"), "{error}");
    assert!(Compact::<u32>::try_new(material("KQRvKQR"), natural, all, exact).is_err());
    // With pawns no position is its own mirror image.
    let positions = 64u128.pow(10) * 48;
    assert_eq!(Compact::<u128>::slots(large, all, exact), positions / 2);
}

/// A scheme is described by what it was made for, not by its tables.
#[test]
fn descriptions_are_short() {
    let (material, natural) = (material("KRRvK"), Numbering::Natural);
    let compact = Compact::<u32>::try_new(material, natural, USUAL.0, USUAL.1);
    let kings = Kings::<u32>::new(Layout::new(4, natural), Group::D4);
    for text in [format!("{:?}", compact.unwrap()), format!("{kings:?}")] {
        assert!(text.len() < 300 && text.contains("Natural"), "{text}");
    }
}

/// Where a number of subsets is reached, the greatest of several like pieces goes to the next square.
#[test]
fn slots_around_numbers_of_subsets_come_back() {
    for like in 2..=8 {
        let material = material(&format!("K{}vK", "R".repeat(like)));
        let scheme = Compact::<u64>::try_new(material, Numbering::Natural, USUAL.0, USUAL.1);
        let scheme = scheme.expect("at most ten pieces");
        let (start, end) = (scheme.slice(0).start, scheme.slice(0).end);
        let subsets = (like as u64..=62).scan(1, |subsets, n| {
            let before = *subsets;
            *subsets = *subsets * (n + 1) / (n + 1 - like as u64);
            Some(before)
        });
        let around = subsets.flat_map(|subsets| [subsets - 1, subsets]);
        let around = around.take_while(|number| *number < end - start);
        let slots = around.flat_map(|number| [start + number, end - 1 - number]);
        let slots: Vec<u64> = slots.collect();
        assert!(slots.len() > 100, "{material}");
        for &slot in &slots {
            laws::slot_comes_back(&scheme, slot);
        }
        let indices: Vec<u64> = slots.iter().map(|&slot| scheme.unrank(slot)).collect();
        laws::batches_agree_with_single_calls(&scheme, &indices);
    }
}

/// A product of floating-point numbers divides, under any direction of rounding.
#[test]
fn wide_divisions_are_exact() {
    let check = |number: u64, divisor: u64| {
        let expected = (number / divisor, number % divisor);
        // The reciprocal under other directions of rounding.
        let reciprocal = 1.0 / divisor as f64;
        for reciprocal in [reciprocal.next_down(), reciprocal, reciprocal.next_up()] {
            let found = WideDivision::divide(number, reciprocal, divisor);
            assert_eq!(found, expected, "{number} by {divisor}");
        }
    };
    let mut x = 1u64;
    for round in 0..200_000 {
        x = x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        let divisor = 1 + (x >> (20 + round % 40));
        let most = (u64::from(u32::MAX).saturating_mul(divisor)).min((1 << 52) - 1);
        let quotient = (x >> 7) % (most / divisor + 1);
        for number in [0, quotient * divisor, most] {
            check(number, divisor);
            check(number.saturating_sub(1), divisor);
            check((number + 1).min(most), divisor);
            check((number + divisor - 1).min(most), divisor);
        }
    }
}
