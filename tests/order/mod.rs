//! Tables in other orders.

use proptest::prelude::*;
use tbindex::Material;
use tbindex::batch::Backend;
use tbindex::bitbase::{Domain, Man};
use tbindex::order::{Digit, Leading, Order, OrderError, Reindexing, Scheme, SetOrder};
use tbindex::{Bitboard, Color, Diagonal, Group, Piece, PieceType, Rules, Square};

use crate::laws::order::{
    orders_of, range_equals_the_loop, reindexing_equals_the_loop, slots_are_those_of_the_scheme,
    words_of,
};
use crate::support::parallel;
use crate::support::thorough::one_in;

fn materials(names: &str) -> Vec<Material> {
    names
        .split(' ')
        .map(|name| name.parse().expect("a material"))
        .collect()
}

const OF_THREE: &str = "KQvK KRvK KBvK KNvK KPvK";

/// One of each shape: different pieces on one side and on both, a pair, and pawns.
const OF_FOUR: &str = "KRRvK KQvKR KBNvK KRPvK KPvKP KPPvK KQRvK KQBvK KQNvK KRBvK KRNvK KBBvK KNNvK KQQvK \
                       KQPvK KBPvK KNPvK KQvKQ KQvKB KQvKN KQvKP KRvKR KRvKB KRvKN KRvKP KBvKB KBvKN KBvKP KNvKN KNvKP";

#[test]
fn every_pair_of_orders_of_three_pieces_equals_the_loop() {
    let materials = materials(OF_THREE);
    // By default one without pawns and one with: the others have the same digits.
    for &material in materials.iter().step_by(one_in(4)) {
        let orders = orders_of(material);
        let backends: Vec<Backend> = Backend::available().collect();
        let mut backends = backends.into_iter().cycle();
        for from in &orders {
            slots_are_those_of_the_scheme(from, one_in(61));
            for to in &orders {
                let backend = backends.next().expect("there is always one");
                reindexing_equals_the_loop(from, to, backend);
            }
        }
    }
}

/// By default every fifth order of one material is the source, and the one after it the target; in full all pairs, on all
/// processors.
#[test]
fn pairs_of_orders_of_four_pieces_equal_the_loop() {
    let thorough = one_in(2) == 1;
    let materials = materials(OF_FOUR);
    for material in &materials[..if thorough { materials.len() } else { 1 }] {
        let orders = orders_of(*material);
        parallel::for_each(&orders, |_, order| {
            slots_are_those_of_the_scheme(order, one_in(10_007));
        });
        let all = (0..orders.len()).flat_map(|from| (0..orders.len()).map(move |to| (from, to)));
        let taken = |(from, to): &(usize, usize)| {
            thorough || from % 5 == 0 && *to == (from + 1) % orders.len()
        };
        let pairs: Vec<(usize, usize)> = all.filter(taken).collect();
        parallel::for_each(&pairs, |_, &(from, to)| {
            reindexing_equals_the_loop(&orders[from], &orders[to], Backend::detect());
        });
        println!("{material}: {} orders", orders.len());
    }
}

/// Ranges of tables of five pieces and, in small orders, of six. They take gigabytes, so by default nothing does.
#[test]
fn ranges_of_larger_tables_equal_the_loop() {
    if one_in(2) != 1 {
        return;
    }
    for (name, from, to) in [
        ("KRBvKN", 1, 5),
        ("KRRvKN", 1, 5),
        ("KRPvKR", 1, 5),
        ("KNNNvK", 6, 4),
        ("KNNNNvK", 5, 4),
    ] {
        let orders = orders_of(name.parse().expect("a material"));
        let source = words_of(&orders[from]);
        let size = orders[to].order.size();
        for first in (0..size - 100_000).step_by(size as usize / 7) {
            let slots = first..first + 100_000;
            range_equals_the_loop(
                &orders[from],
                &orders[to],
                Backend::detect(),
                slots,
                &source,
            );
        }
    }
}

#[test]
fn orders_of_other_men_are_refused() {
    let order = |name: &str| {
        Order::of_scheme(name.parse().expect("a material"), Scheme::Kings).expect("few pieces")
    };
    let (from, to) = (order("KQvK"), order("KRvK"));
    let error = Reindexing::try_new(&from, &to).expect_err("other men");
    assert!(matches!(error, OrderError::OtherMen { .. }));
    assert!(
        error.to_string().contains("white queen") && error.to_string().contains("white rook"),
        "{error}"
    );
    let more = order("KQQvK");
    let error = Reindexing::try_new(&from, &more).expect_err("more men");
    assert!(matches!(error, OrderError::OtherMen { .. }));
}

#[test]
fn digits_that_are_no_order_are_refused() {
    let rook = Man::from(Piece::new(Color::White, PieceType::Rook));
    let pawn = Man::from(Piece::new(Color::White, PieceType::Pawn));
    let digit = |man, count, squares| Digit {
        man,
        count,
        squares,
        sets: SetOrder::Lexicographic,
    };
    let none = nobody();
    let pawns = digit(pawn, 1, Bitboard(0x00ff_ffff_ffff_ff00));
    let make = |digits: &[Digit], places: &[usize]| Order::try_new(&none, digits, places, true);
    let of_rooks = |count| digit(rook, count, !Bitboard::EMPTY);
    let rooks = of_rooks(1);
    let refused: [(&[Digit], &[usize], OrderError); 5] = [
        (&[rooks], &[0, 0], OrderError::Places(1)),
        (&[], &[0], OrderError::Pieces(0)),
        (&[of_rooks(9)], &[0, 1], OrderError::Pieces(9)),
        (&[of_rooks(0)], &[0, 1], OrderError::Digit(0)),
        // A pawn's digit does not tell how many of its squares a rook before it takes.
        (&[rooks, pawns], &[0, 1, 2], OrderError::Digit(1)),
    ];
    for (digits, places, error) in refused {
        assert_eq!(make(digits, places).unwrap_err(), error);
    }
    let order = make(&[pawns, rooks], &[0, 1, 2]).expect("pawns first");
    assert_eq!(order.size(), 48 * 63);
    let uneven = Leading {
        men: vec![rook],
        ..none.clone()
    };
    let error = Order::try_new(&uneven, &[], &[0], true).unwrap_err();
    let refused = OrderError::Placement {
        number: 0,
        found: 0,
        expected: 1,
    };
    assert_eq!(error, refused);
    let ten = "KQRBNvKQRBN".parse().expect("a material");
    let refused = Order::of_scheme(ten, Scheme::Compact(Rules::All, Diagonal::Exact));
    assert!(matches!(refused, Err(OrderError::Pieces(10))));
}

/// Fixed pieces are no digits: a domain with a pawn has the order of its other men.
#[test]
fn fixed_pieces_are_no_digits() {
    let pawn = (
        Piece::new(Color::White, PieceType::Pawn),
        "e6".parse().expect("a square"),
    );
    let domain = Domain::try_new("KRPvK".parse().expect("a material"), &[pawn]).expect("a domain");
    let order = Order::of_domain(&domain);
    assert_eq!(order.men().len(), 3);
    assert_eq!(order.size(), domain.slices() as u64 * domain.slice_slots());
}

/// Two like men and another one.
const MEN: [Piece; 3] = [
    Piece::new(Color::White, PieceType::Rook),
    Piece::new(Color::White, PieceType::Rook),
    Piece::new(Color::Black, PieceType::Bishop),
];

/// An order of these men. The first leads or not, on some squares or up to symmetry; others stand on any squares, like ones
/// together or each by himself; and digits have any places.
fn any_order() -> impl Strategy<Value = (Order, Option<Group>)> {
    let squares = prop_oneof![
        Just(!0u64),
        Just(0x00ff_ffff_ffff_ff00),
        Just(0x00ff_ffff_ffff_ffff),
        Just(0xff00_ffff_0000_ffff),
        any::<u64>().prop_map(|squares| squares | 0xf0),
    ];
    let men = Just(MEN.to_vec()).prop_shuffle();
    let squares = prop::collection::vec(squares, 3);
    let places = Just(vec![0, 1, 2, 3]).prop_shuffle();
    let leading = prop_oneof![
        Just(None),
        Just(Some(Group::Trivial)),
        Just(Some(Group::D4))
    ];
    let sets = prop_oneof![
        Just(SetOrder::Lexicographic),
        Just(SetOrder::Colexicographic)
    ];
    let flags = (any::<bool>(), any::<bool>());
    (men, squares, places, leading, sets, flags).prop_map(
        |(men, mut squares, mut places, group, sets, (leaves_out, together))| {
            // Like men stand on the same squares.
            let rooks: Vec<usize> = (0..3).filter(|&k| men[k] == MEN[0]).collect();
            squares[rooks[1]] = squares[rooks[0]];
            if leaves_out {
                // A man who leaves out squares may stand on them.
                let other = 3 - rooks[0] - rooks[1];
                match other {
                    0 => rooks.iter().for_each(|&k| squares[k] |= squares[0]),
                    1 => squares[other] = squares[rooks[0]],
                    _ => squares[other] |= squares[rooks[0]],
                }
            }
            if group == Some(Group::D4) {
                // A turned board has to fit.
                squares.fill(!0);
            }
            let digit = |(man, squares)| Digit {
                man: Man::from(man),
                count: 1,
                squares: Bitboard(squares),
                sets,
            };
            let mut digits: Vec<Digit> = men.into_iter().zip(squares).map(digit).collect();
            let mut leading = nobody();
            if let Some(group) = group {
                let first = digits.remove(0);
                let on = |square: &Square| group == Group::Trivial || in_triangle(*square);
                leading.group = group;
                leading.men = vec![first.man];
                let squares = first.squares.into_iter().filter(on);
                leading.placements = squares.map(|square| vec![square]).collect();
            }
            digits.dedup_by(|next, before| {
                let alike = together && next.man == before.man;
                if alike {
                    before.count = 2;
                    before.squares |= next.squares;
                }
                alike
            });
            places.retain(|&place| place <= digits.len());
            let order = Order::try_new(&leading, &digits, &places, leaves_out);
            (order.expect("an order"), group)
        },
    )
}

fn nobody() -> Leading {
    Leading {
        men: Vec::new(),
        placements: vec![Vec::new()],
        group: Group::Trivial,
    }
}

/// The same number for equivalent positions, and another one for others.
fn class(squares: &[Square; 3]) -> u32 {
    let images = Group::D4.members().iter().map(|symmetry| {
        let mut image = squares.map(|square| u32::from(symmetry.apply(square).number()));
        image[..2].sort_unstable();
        image[0] << 12 | image[1] << 6 | image[2]
    });
    images.min().expect("the identity is a symmetry")
}

/// Whether a square is in the triangle a1–d1–d4.
fn in_triangle(square: Square) -> bool {
    let (file, rank) = (square.file() as u8, square.rank() as u8);
    rank <= file && file < 4
}

/// The slots of an order, whose leading man is folded by a group, with squares that they stand for.
fn slots_of((order, group): &(Order, Option<Group>)) -> Vec<Option<[Square; 3]>> {
    let mut slots = vec![None; order.size() as usize];
    let leader = MEN
        .iter()
        .position(|&man| order.men()[0] == man.into())
        .expect("one of the men");
    let stands = |squares: &[Square; 3]| *group != Some(Group::D4) || in_triangle(squares[leader]);
    for squares in all_squares().filter(stands) {
        if let Some(slot) = slot_of(order, &squares) {
            slots[slot as usize].get_or_insert(squares);
        }
    }
    slots
}

fn all_squares() -> impl Iterator<Item = [Square; 3]> {
    (0..64u32.pow(3)).map(|code| [0, 6, 12].map(|shift| Square::new((code >> shift) as u8 & 63)))
}

/// The slot of the men on these squares.
fn slot_of(order: &Order, squares: &[Square; 3]) -> Option<u64> {
    let mut taken = [false; 3];
    let own = order.men().iter().map(|&man| {
        let free = (0..3)
            .find(|&k| man == MEN[k].into() && !taken[k])
            .expect("one of the men");
        taken[free] = true;
        squares[free]
    });
    order.slot(&own.collect::<Vec<Square>>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if one_in(2) == 1 { 2000 } else { 40 }))]

    /// Whatever squares the digits have, each position's entry comes to its slot.
    #[test]
    fn entries_of_any_orders_come_to_their_slots(from in any_order(), to in any_order()) {
        let source: Vec<u32> = slots_of(&from).iter().map(|squares| squares.as_ref().map_or(7, class)).collect();
        let mut target = vec![u32::MAX - 1; to.0.size() as usize];
        let way = Reindexing::try_new(&from.0, &to.0).unwrap();
        way.range_into(&source, u32::MAX, 0, &mut target, Backend::detect());
        for (slot, squares) in slots_of(&to).iter().enumerate() {
            if let Some(squares) = squares {
                let expected = slot_of(&from.0, squares).map_or(u32::MAX, |_| class(squares));
                prop_assert_eq!(target[slot], expected, "slot {} of {:?}, {:?}", slot, to.0.men(), squares);
            }
        }
    }
}
