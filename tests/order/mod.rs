//! Tables in other orders.

use proptest::prelude::*;
use tbindex::Material;
use tbindex::batch::Backend;
use tbindex::bitbase::{Domain, Man};
use tbindex::order::{Digit, Leading, Order, OrderError, Scheme, SetOrder, reindex};
use tbindex::{Bitboard, Color, Group, Piece, PieceType, Rules, Square};

use crate::laws::order::{
    orders_of, range_equals_the_loop, reindexing_equals_the_loop, slots_are_those_of_the_scheme,
    words_of,
};
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

/// By default each order of one material is the source once and the target once.
#[test]
fn pairs_of_orders_of_four_pieces_equal_the_loop() {
    let thorough = one_in(2) == 1;
    let materials = materials(OF_FOUR);
    for material in &materials[..if thorough { materials.len() } else { 1 }] {
        let orders = orders_of(*material);
        for (k, from) in orders.iter().enumerate() {
            slots_are_those_of_the_scheme(from, one_in(10_007));
            let next = (k + 1) % orders.len();
            for (_, to) in orders
                .iter()
                .enumerate()
                .filter(|&(at, _)| thorough || at == next)
            {
                reindexing_equals_the_loop(from, to, Backend::detect());
            }
        }
    }
}

/// Ranges of tables of five pieces and, in small orders, of six. They take gigabytes, so by default nothing does.
#[test]
fn ranges_of_larger_tables_equal_the_loop() {
    if one_in(2) != 1 {
        let material = "KRRvK".parse().expect("a material");
        let orders = orders_of(material);
        let source = words_of(&orders[1]);
        range_equals_the_loop(
            &orders[1],
            &orders[5],
            Backend::detect(),
            700_000..710_000,
            &source,
        );
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
    let source = vec![0u8; from.size() as usize];
    let mut target = vec![0u8; to.size() as usize];
    let error =
        reindex(&from, &to, Backend::detect(), &source, 0, &mut target).expect_err("other men");
    assert!(matches!(error, OrderError::OtherMen { .. }));
    assert!(
        error.to_string().contains("white queen") && error.to_string().contains("white rook"),
        "{error}"
    );
    let more = order("KQQvK");
    let error =
        reindex(&from, &more, Backend::detect(), &source, 0, &mut target).expect_err("more men");
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
    let none = Leading {
        men: Vec::new(),
        placements: vec![Vec::new()],
        group: Group::Trivial,
    };
    let rooks = digit(rook, 1, Bitboard::ALL);
    let pawns = digit(pawn, 1, Bitboard(0x00ff_ffff_ffff_ff00));
    let make = |digits: &[Digit], places: &[usize]| Order::try_new(&none, digits, places, true);
    assert_eq!(make(&[rooks], &[0, 0]).unwrap_err(), OrderError::Places(1));
    assert_eq!(make(&[], &[0]).unwrap_err(), OrderError::Pieces(0));
    assert_eq!(
        make(&[digit(rook, 9, Bitboard::ALL)], &[0, 1]).unwrap_err(),
        OrderError::Pieces(9)
    );
    assert_eq!(
        make(&[digit(rook, 0, Bitboard::ALL)], &[0, 1]).unwrap_err(),
        OrderError::Digit(0)
    );
    // A pawn's digit does not tell how many of its squares a rook before it takes.
    assert_eq!(
        make(&[rooks, pawns], &[0, 1, 2]).unwrap_err(),
        OrderError::Digit(1)
    );
    assert_eq!(
        make(&[pawns, rooks], &[0, 1, 2])
            .expect("pawns first")
            .size(),
        48 * 63
    );
    let uneven = Leading {
        men: vec![rook],
        ..none.clone()
    };
    let error = Order::try_new(&uneven, &[], &[0], true).unwrap_err();
    assert_eq!(
        error,
        OrderError::Placement {
            number: 0,
            found: 0,
            expected: 1
        }
    );
    assert!(matches!(
        Order::of_scheme(
            "KQRBNvKQRBN".parse().expect("a material"),
            Scheme::Compact(Rules::ALL)
        ),
        Err(OrderError::Pieces(10))
    ));
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

/// An order of three men: the first leads or not, men stand on any squares, and digits have any places.
fn any_order() -> impl Strategy<Value = Order> {
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
    (men, squares, places, any::<bool>(), any::<bool>()).prop_map(
        |(men, mut squares, mut places, leads, leaves_out)| {
            if leaves_out {
                // Who leaves out squares may stand on them.
                squares[1] |= squares[0];
                squares[2] |= squares[1];
            }
            let men = men.into_iter().map(Man::from);
            let mut digits: Vec<Digit> = men
                .zip(&squares)
                .map(|(man, &squares)| Digit {
                    man,
                    count: 1,
                    squares: Bitboard(squares),
                    sets: SetOrder::Lexicographic,
                })
                .collect();
            let mut leading = nobody();
            if leads {
                let first = digits.remove(0);
                leading.men = vec![first.man];
                leading.placements = first
                    .squares
                    .into_iter()
                    .map(|square| vec![square])
                    .collect();
                places.retain(|&place| place < 3);
            }
            Order::try_new(&leading, &digits, &places, leaves_out).expect("an order")
        },
    )
}

const MEN: [Piece; 3] = [
    Piece::new(Color::White, PieceType::Rook),
    Piece::new(Color::Black, PieceType::Bishop),
    Piece::new(Color::White, PieceType::Knight),
];

fn nobody() -> Leading {
    Leading {
        men: Vec::new(),
        placements: vec![Vec::new()],
        group: Group::Trivial,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if one_in(2) == 1 { 2000 } else { 48 }))]

    /// Whatever squares the digits have, each position's entry comes to its slot, and slots are filled by positions alone.
    #[test]
    fn entries_of_any_orders_come_to_their_slots(from in any_order(), to in any_order()) {
        let source: Vec<u32> = (0..from.size() as u32).collect();
        let mut target = vec![u32::MAX - 1; to.size() as usize];
        reindex(&from, &to, Backend::detect(), &source, u32::MAX, &mut target).unwrap();
        let mut expected = vec![u32::MAX - 1; target.len()];
        let place = |order: &Order, piece: Piece| {
            order.men().iter().position(|&man| man == piece.into()).expect("one of the men")
        };
        let places = [&from, &to].map(|order| MEN.map(|piece| place(order, piece)));
        for code in 0..64u32.pow(3) {
            let squares = [0, 1, 2].map(|k| Square::from_low_bits((code >> (6 * k)) as u8 & 63));
            let mut own = [[Square::A1; 3]; 2];
            for (own, places) in own.iter_mut().zip(&places) {
                for (&place, &square) in places.iter().zip(&squares) {
                    own[place] = square;
                }
            }
            if let Some(slot) = to.slot(&own[1]) {
                expected[slot as usize] = from.slot(&own[0]).map_or(u32::MAX, |slot| slot as u32);
            }
        }
        prop_assert!(target == expected);
    }
}
