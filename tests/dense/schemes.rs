//! Dense numberings: bijective, of the published and counted sizes, exact where they say so.
//! Exhaustive for up to three pieces, and for four under the usual rule; under the others of four pieces every
//! run, and a sixteenth of the slots, indices, twins and weights, or all if `TBINDEX_THOROUGH` is set. Five pieces
//! by ten slices and random positions.

use tbindex::batch::BatchWord;
use tbindex::{
    Compact, Dense, DenseBatch, Diagonal, Equivalence, Group, KingDistance, Kings, Layout,
    Material, Numbering, Orbit, Piece, PieceType, Rules, Sliced, Square, Symmetry, Triangle, Word,
    batch,
};

use crate::laws::{self, Promise, RULES, room};
use crate::skipped::skipped;
use crate::thorough::one_in;

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

/// Everything, for every slot and every index.
fn exhaust<W: Word>(scheme: &impl Dense<W>, promise: &Promise<'_, W>) {
    let layout = scheme.layout();
    let size: u128 = scheme.size().into();
    let mut classes: u128 = 0;
    for slot in (0..size).map(W::truncate) {
        laws::slot_comes_back(scheme, slot);
        laws::twins_share_their_class(scheme, promise, slot);
        let index = scheme.unrank(slot);
        classes +=
            u128::from(scheme.weight(slot)) * laws::orders_of_like_pieces(promise.same, index);
    }
    let mut positions: u128 = 0;
    for number in 0..layout.index_count() {
        let index = W::truncate(number);
        laws::position_comes_back(scheme, promise, index);
        positions += u128::from(scheme.rank(index).is_some());
    }
    assert_eq!(classes, positions, "weights count all positions");
    laws::odometer_visits_every_slot(scheme, W::ZERO, size as usize + 1);
    let mut seen = vec![false; size as usize];
    for run in scheme.runs() {
        laws::run_holds_what_it_says(scheme, &run, |slot| {
            let slot: u128 = slot.into();
            assert!(!std::mem::replace(&mut seen[slot as usize], true));
        });
    }
    assert!(seen.into_iter().all(|seen| seen), "runs visit every slot");
}

fn everything(_: &[Square]) -> bool {
    true
}

fn kings_apart(squares: &[Square]) -> bool {
    laws::kings_admitted(KingDistance::Apart, squares)
}

fn exhaust_classical(layout: Layout<u32>) {
    for group in Group::ALL {
        let same = &Equivalence::distinct(layout, group);
        let promise = |exact, room| Promise { same, exact, room };
        exhaust(&Orbit::new(layout, group), &promise(true, &everything));
        let exact = group != Group::D4;
        exhaust(&Triangle::new(layout, group), &promise(exact, &everything));
        if layout.pieces() >= 2 {
            exhaust(&Kings::new(layout, group), &promise(exact, &kings_apart));
        }
    }
}

#[test]
fn classical_schemes_and_orbit_hold_everywhere_up_to_three_pieces() {
    for pieces in 1..=3 {
        for numbering in Numbering::ALL {
            exhaust_classical(Layout::new(pieces, numbering));
        }
    }
}

fn exhaust_compact(material: Material, numbering: Numbering, rules: Rules) {
    let scheme = Compact::<u32>::of_material(material, numbering, rules).expect("few pieces");
    let same = Equivalence::of_material(material, numbering).expect("few pieces");
    let promise = Promise {
        same: &same,
        exact: rules.diagonal() == Diagonal::Exact || material.has_pawns(),
        room: &room(material, rules),
    };
    exhaust(&scheme, &promise);
    assert_eq!(
        u128::from(scheme.size()),
        Compact::<u32>::slots(material, rules)
    );
}

#[test]
fn compact_holds_everywhere_up_to_three_pieces() {
    for material in [2, 3].into_iter().flat_map(materials) {
        for rules in RULES {
            exhaust_compact(material, Numbering::Natural, rules);
            exhaust_compact(
                material,
                Numbering::Natural,
                rules.with_diagonal(Diagonal::Both),
            );
        }
        exhaust_compact(material, Numbering::Alternate, Rules::KINGS_APART);
    }
}

/// Which part is looked at: of every `one_in` chunks of indices the one of this number, and as many slots for
/// what is said of each slot alone.
#[derive(Clone, Copy)]
struct Share {
    one_in: usize,
    number: usize,
}

impl Share {
    const ALL: Share = Share {
        one_in: 1,
        number: 0,
    };

    /// One chunk in sixteen, or all if `TBINDEX_THOROUGH` is set. Other numbers give other chunks.
    fn sixteenth(number: usize) -> Share {
        let one_in = one_in(16);
        Share {
            one_in,
            number: number % one_in,
        }
    }
}

/// Every run, and a share of the slots, there and back, and of the indices; for more than a few million of them, so each
/// thing once.
///
/// Equivalents share a slot because all indices of a slot have the same canonical index, and no
/// other slot but its twin has that one.
fn exhaust_four(scheme: &impl DenseBatch<u32>, promise: &Promise<'_, u32>, share: Share) {
    let layout = scheme.layout();
    let same = promise.same;
    let slots: Vec<u32> = (0..scheme.size()).collect();
    let mut indices = vec![0; slots.len()];
    batch::unrank_into(scheme, &slots, &mut indices);
    let some = slots
        .iter()
        .zip(&indices)
        .skip(share.number)
        .step_by(share.one_in);
    for (&slot, &index) in some {
        assert_eq!(scheme.unrank(slot), index);
        assert_eq!(scheme.rank(index), Some(slot), "{index:#o}");
    }
    let mut canonical_of = indices;
    batch::canonical_in_place(same, &mut canonical_of);
    let mut by_class: Vec<(u32, u32)> = canonical_of.iter().copied().zip(slots).collect();
    by_class.sort_unstable();
    for class in by_class.chunk_by(|a, b| a.0 == b.0) {
        let twin = scheme.twin(class[0].1);
        assert_eq!(class.len(), 1 + usize::from(twin.is_some()), "{class:?}");
    }
    drop(by_class);

    const CHUNK: usize = 1 << 12;
    let [mut chunk, mut canonical, mut ranked] = [const { [0; CHUNK] }; 3];
    let mut positions = 0u128;
    let chunks = (0..layout.index_count() as u32).step_by(CHUNK);
    for start in chunks.skip(share.number).step_by(share.one_in) {
        for (index, number) in chunk.iter_mut().zip(start..) {
            *index = number;
        }
        batch::canonical_into(same, &chunk, &mut canonical);
        batch::rank_into(scheme, &chunk, &mut ranked);
        for ((&index, &canonical), &batched) in chunk.iter().zip(&canonical).zip(&ranked) {
            let slot = scheme.rank(index);
            assert_eq!(batched, slot.unwrap_or(u32::NO_SLOT), "{index:#o}");
            let squares: [Square; 4] = std::array::from_fn(|k| layout.square(index, k));
            assert_eq!(slot.is_some(), (promise.room)(&squares), "{squares:?}");
            let Some(slot) = slot else { continue };
            assert_eq!(canonical_of[slot as usize], canonical, "{index:#o}");
            positions += 1;
        }
    }
    let mut counted = 0;
    let mut seen = vec![false; canonical_of.len()];
    for run in scheme.runs() {
        laws::run_holds_what_it_says(scheme, &run, |slot| {
            assert!(!std::mem::replace(&mut seen[slot as usize], true));
            if slot as usize % share.one_in == share.number {
                laws::twins_share_their_class(scheme, promise, slot);
                let orders = laws::orders_of_like_pieces(same, scheme.unrank(slot));
                counted += u128::from(scheme.weight(slot)) * orders;
            }
        });
    }
    assert!(seen.into_iter().all(|seen| seen), "runs visit every slot");
    if share.one_in == 1 {
        assert_eq!(counted, positions, "weights count all positions");
    }
    let part = canonical_of.len().div_ceil(share.one_in);
    laws::odometer_visits_every_slot(scheme, (part * share.number) as u32, part + 1);
}

fn exhaust_four_classical(group: Group) {
    let exact = group != Group::D4;
    let alternate = Equivalence::distinct(Layout::<u32>::alternate(4), group);
    let natural = Equivalence::distinct(Layout::<u32>::natural(4), group);
    let promise = |same, exact, room| Promise { same, exact, room };
    let orbit = promise(&alternate, true, &everything);
    exhaust_four(
        &Orbit::new(Layout::alternate(4), group),
        &orbit,
        Share::sixteenth(0),
    );
    let triangle = promise(&natural, exact, &everything);
    exhaust_four(
        &Triangle::new(Layout::natural(4), group),
        &triangle,
        Share::sixteenth(1),
    );
    let kings = promise(&natural, exact, &kings_apart);
    exhaust_four(&Kings::new(Layout::natural(4), group), &kings, Share::ALL);
}

#[test]
fn classical_schemes_and_orbit_hold_everywhere_for_four_pieces_under_eight_symmetries() {
    exhaust_four_classical(Group::D4);
}

#[test]
fn classical_schemes_and_orbit_hold_everywhere_for_four_pieces_under_the_file_mirror() {
    exhaust_four_classical(Group::FileMirror);
}

fn exhaust_four_compact(material: Material, rules: Rules, share: Share) {
    let scheme =
        Compact::<u32>::of_material(material, Numbering::Natural, rules).expect("few pieces");
    let same = Equivalence::of_material(material, Numbering::Natural).expect("few pieces");
    let promise = Promise {
        same: &same,
        exact: rules.diagonal() == Diagonal::Exact || material.has_pawns(),
        room: &room(material, rules),
    };
    exhaust_four(&scheme, &promise, share);
}

/// Every rule there is for a material.
fn every_rule(material: Material) -> Vec<Rules> {
    // With pawns the policy for the diagonal makes no difference.
    let policies: &[Diagonal] = if material.has_pawns() {
        &[Diagonal::Exact]
    } else {
        &[Diagonal::Exact, Diagonal::Both]
    };
    let rules = RULES.into_iter();
    rules
        .flat_map(|rules| policies.iter().map(move |&d| rules.with_diagonal(d)))
        .collect()
}

/// Materials of four pieces, one of each shape: two different pieces, twins, a piece before a pawn and
/// after it, twin pawns, pawns of both sides. Each has a test of its own, so that they run in parallel.
const SHAPES: [&str; 6] = ["KQvKR", "KRRvK", "KNPvK", "KPvKN", "KPPvK", "KPvKP"];

fn exhaust_shape(name: &str) {
    let material = material(name);
    // All of the usual rule, for one shape without and one with pawns.
    let in_full = [SHAPES[0], SHAPES[5]].contains(&name);
    for (number, rules) in every_rule(material).into_iter().enumerate() {
        let share = if in_full && rules == Rules::KINGS_APART {
            Share::ALL
        } else {
            Share::sixteenth(number)
        };
        exhaust_four_compact(material, rules, share);
    }
}

#[test]
fn compact_holds_everywhere_for_two_different_pieces() {
    exhaust_shape(SHAPES[0]);
}

#[test]
fn compact_holds_everywhere_for_twins() {
    exhaust_shape(SHAPES[1]);
}

#[test]
fn compact_holds_everywhere_for_a_piece_before_a_pawn() {
    exhaust_shape(SHAPES[2]);
}

#[test]
fn compact_holds_everywhere_for_a_piece_after_a_pawn() {
    exhaust_shape(SHAPES[3]);
}

#[test]
fn compact_holds_everywhere_for_twin_pawns() {
    exhaust_shape(SHAPES[4]);
}

#[test]
fn compact_holds_everywhere_for_pawns_of_both_sides() {
    exhaust_shape(SHAPES[5]);
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
        let alike: Vec<Material> = others
            .extract_if(.., |m| shape(*m) == shape(first))
            .collect();
        assert!(alike.contains(&first), "{name}");
        for rules in every_rule(first) {
            let of = |material| {
                Compact::<u32>::of_material(material, Numbering::Natural, rules)
                    .expect("few pieces")
            };
            let expected = of(first);
            let (slots, indices): (Vec<u32>, Vec<u32>) = if rules == Rules::KINGS_APART {
                {
                    // An odd step, so that all digits vary.
                    let step = one_in(9);
                    let every = |end: u32| (0..end).step_by(step).collect();
                    (every(expected.size()), every(1 << 24))
                }
            } else {
                let random = |seed, end| laws::numbers_below(seed, end, 20_000).map(|x| x as u32);
                let size = u128::from(expected.size());
                (random(1, size).collect(), random(2, 1 << 24).collect())
            };
            let answers = |scheme: &Compact<u32>| {
                let (mut placed, mut ranked) = (vec![0; slots.len()], vec![0; indices.len()]);
                batch::unrank_into(scheme, &slots, &mut placed);
                batch::rank_into(scheme, &indices, &mut ranked);
                (scheme.size(), placed, ranked)
            };
            let answer = answers(&expected);
            for other in &alike {
                assert!(
                    answers(&of(*other)) == answer,
                    "{other} and {name} {rules:?}"
                );
            }
        }
    }
    assert!(others.is_empty(), "no test looks at {others:?}");
}

#[test]
#[ignore = "minutes, for what follows from one material of each shape: \
            cargo test --release --test dense -- --ignored"]
fn compact_holds_everywhere_for_every_material_of_four_pieces() {
    for material in materials(4) {
        for rules in every_rule(material) {
            exhaust_four_compact(material, rules, Share::ALL);
        }
    }
}

#[test]
fn sizes_are_the_published_ones() {
    let orbits = (1..=5).map(|n| Orbit::<u32>::new(Layout::alternate(n), Group::D4).size());
    assert!(orbits.eq([10, 528, 32_896, 2_098_176, 134_225_920]));
    for n in 1..=10u32 {
        let size = Orbit::<u64>::new(Layout::alternate(n as usize), Group::D4).size();
        assert_eq!(size, (1 << (6 * n - 3)) + (1 << (3 * n - 2)));
        let burnside = (64u128.pow(n) + 2 * 8u128.pow(n)) / 8;
        assert_eq!(u128::from(size), burnside);
        let mirror = Orbit::<u64>::new(Layout::alternate(n as usize), Group::FileMirror).size();
        assert_eq!(mirror, 1 << (6 * n - 1));
        let triangle = Triangle::<u64>::new(Layout::natural(n as usize), Group::D4).size();
        assert_eq!(triangle, 10 * 64u64.pow(n - 1));
    }
    for n in 2..=5u32 {
        let kings = |group| Kings::<u32>::new(Layout::natural(n as usize), group).size();
        assert_eq!(kings(Group::D4), 462 * 64u32.pow(n - 2));
        assert_eq!(kings(Group::FileMirror), 1806 * 64u32.pow(n - 2));
    }
    let compact = |name, rules| {
        Compact::<u32>::of_material(material(name), Numbering::Natural, rules)
            .unwrap()
            .size()
    };
    assert_eq!(compact("KvK", Rules::KINGS_APART), 462);
    assert_eq!(compact("KQvK", Rules::DISTINCT), 31_332);
    assert_eq!(compact("KQvK", Rules::KINGS_APART), 28_056);
    assert_eq!(compact("KRRvK", Rules::KINGS_APART), 854_238);
    let both = Rules::KINGS_APART.with_diagonal(Diagonal::Both);
    assert_eq!(compact("KQvKR", both), 462 * 62 * 61);
}

#[test]
fn exact_sizes_are_the_known_counts() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/counts.json");
    let Ok(text) = std::fs::read_to_string(path) else {
        skipped("exact_sizes_are_the_known_counts", &format!("no {path}"));
        return;
    };
    let known: serde_json::Value = serde_json::from_str(&text).unwrap();
    let rows = known["counts"].as_object().unwrap();
    assert!(rows.len() >= 12);
    for (name, row) in rows {
        for (key, rules) in [
            ("all", Rules::ALL),
            ("distinct", Rules::DISTINCT),
            ("kings_apart", Rules::KINGS_APART),
        ] {
            let size = Compact::<u32>::of_material(material(name), Numbering::Natural, rules)
                .unwrap()
                .size();
            assert_eq!(u64::from(size), row[key].as_u64().unwrap(), "{name} {key}");
        }
    }
}

/// Every slot of ten slices, those with both kings on the diagonal among them; runs, weights and the
/// odometer there.
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
        laws::odometer_visits_every_slot(scheme, slots.start, slots.len());
        let mut next = slots.start;
        for run in scheme.slice_runs(id) {
            laws::run_holds_what_it_says(scheme, &run, |slot| {
                assert_eq!(slot, next, "runs follow each other");
                next += 1;
            });
        }
        assert_eq!(next, slots.end);
    }
}

/// Random positions and slots, batches of them, and moves.
fn check_random<W: tbindex::batch::BatchWord>(
    scheme: &impl DenseBatch<W>,
    promise: &Promise<'_, W>,
    count: usize,
) {
    let layout = scheme.layout();
    let n = layout.pieces();
    let indices: Vec<W> = laws::numbers_below(n as u64, layout.index_count(), count)
        .map(W::truncate)
        .collect();
    for &index in &indices {
        laws::position_comes_back(scheme, promise, index);
    }
    let size: u128 = scheme.size().into();
    let slots: Vec<W> = laws::numbers_below(7, size, count)
        .map(W::truncate)
        .collect();
    for (k, &slot) in slots.iter().enumerate() {
        laws::slot_comes_back(scheme, slot);
        laws::twins_share_their_class(scheme, promise, slot);
        let to = Square::from_low_bits((k / n) as u8);
        laws::move_ranks_as_its_position(scheme, slot, k % n, to);
    }
    for len in (0..130).chain([count]) {
        laws::batches_agree_with_single_calls(scheme, &indices[count - len..]);
    }
    let mut placed = vec![W::ZERO; slots.len()];
    batch::unrank_into(scheme, &slots, &mut placed);
    laws::batches_agree_with_single_calls(scheme, &placed);
}

/// The same for indices of the numbering that compact slots are not computed in.
fn check_alternate<W: BatchWord>(material: Material, rules: Rules, count: usize) {
    let scheme = Compact::<W>::of_material(material, Numbering::Alternate, rules).unwrap();
    let same = Equivalence::of_material(material, Numbering::Alternate).unwrap();
    let promise = Promise {
        same: &same,
        exact: rules.diagonal() == Diagonal::Exact || material.has_pawns(),
        room: &room(material, rules),
    };
    check_random(&scheme, &promise, count);
}

#[test]
fn compact_holds_for_five_pieces_by_slices_and_samples() {
    for name in [
        "KQRvKB", "KRBvKR", "KRRvKB", "KNNNvK", "KBvKNN", "KQPvKR", "KPPvKP", "KPPPvK", "KRvKPP",
        "KRRvKP",
    ] {
        let material = material(name);
        let same = Equivalence::of_material(material, Numbering::Natural).unwrap();
        for rules in RULES {
            for diagonal in [Diagonal::Exact, Diagonal::Both] {
                let rules = rules.with_diagonal(diagonal);
                let scheme =
                    Compact::<u32>::of_material(material, Numbering::Natural, rules).unwrap();
                let promise = Promise {
                    same: &same,
                    exact: diagonal == Diagonal::Exact || material.has_pawns(),
                    room: &room(material, rules),
                };
                if rules == Rules::KINGS_APART {
                    check_ten_slices(&scheme, &promise);
                    check_alternate::<u32>(material, rules, 3000);
                }
                check_random(&scheme, &promise, 3000);
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
            let same = &Equivalence::distinct(layout, group);
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
        let same = Equivalence::of_material(material, Numbering::Natural).unwrap();
        for rules in RULES {
            for diagonal in [Diagonal::Exact, Diagonal::Both] {
                let rules = rules.with_diagonal(diagonal);
                let scheme =
                    Compact::<u64>::of_material(material, Numbering::Natural, rules).unwrap();
                let promise = Promise {
                    same: &same,
                    exact: diagonal == Diagonal::Exact || material.has_pawns(),
                    room: &room(material, rules),
                };
                if rules == Rules::KINGS_APART {
                    check_alternate::<u64>(material, rules, 1100);
                }
                check_random(&scheme, &promise, 1000);
                // Random slots seldom have the kings on the diagonal.
                if !material.has_pawns() {
                    for id in scheme.pairs().diagonal_from()..scheme.slice_count() {
                        let slots = scheme.slice(id);
                        for number in
                            laws::numbers_below(9, u128::from(slots.end - slots.start), 100)
                        {
                            let slot = slots.start + number as u64;
                            laws::slot_comes_back(&scheme, slot);
                            laws::twins_share_their_class(&scheme, &promise, slot);
                        }
                    }
                }
            }
        }
    }
    for pieces in 6..=10 {
        for group in Group::ALL {
            let same = Equivalence::distinct(Layout::<u64>::alternate(pieces), group);
            let promise = Promise {
                same: &same,
                exact: true,
                room: &everything,
            };
            let orbit = Orbit::new(Layout::alternate(pieces), group);
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
    let error = Compact::<u128>::of_material(large, Numbering::Natural, Rules::ALL).unwrap_err();
    assert!(error.to_string().contains("up to 10"), "{error}");
    assert!(
        Compact::<u32>::of_material(material("KQRvKQR"), Numbering::Natural, Rules::ALL).is_err()
    );
    // With pawns no position is its own mirror image.
    let positions = 64u128.pow(10) * 48;
    assert_eq!(Compact::<u128>::slots(large, Rules::ALL), positions / 2);
}

/// Slots of words and, where most are not, of arrangements with all pieces on the diagonal.
#[test]
fn orbit_batches_agree_with_single_calls_for_every_length_and_piece_count() {
    fn check<W: BatchWord>(pieces: std::ops::RangeInclusive<usize>) {
        for n in pieces {
            let orbit = Orbit::<W>::new(Layout::alternate(n), Group::D4);
            let (size, layout) = (orbit.size().into(), orbit.layout());
            let words: u128 = 1 << (6 * n - 3);
            for lanes in 0..=2 * 64 / size_of::<W>() + 1 {
                for past_words in [0, 2, 5] {
                    let anywhere = laws::numbers_below(n as u64, size, lanes);
                    let at_end = laws::numbers_below(7, size - words, lanes);
                    let indices: Vec<W> = anywhere
                        .zip(at_end)
                        .enumerate()
                        .map(|(k, (slot, end))| {
                            let at_end = past_words > 0 && k % past_words == 0;
                            let slot = if at_end { words + end } else { slot };
                            let index = orbit.unrank(W::truncate(slot));
                            layout.flip(Symmetry::from_code((k % 8) as u8), index)
                        })
                        .collect();
                    laws::batches_agree_with_single_calls(&orbit, &indices);
                }
            }
        }
    }
    check::<u32>(1..=5);
    check::<u64>(1..=10);
}
