//! The orders of the library that are those of Syzygy's numberings, and of a table's slots.

use rayon::prelude::*;
use syzygy_tables::numbering::Numbering;
use syzygy_tables::{ColoredPiece, Material};
use tbgen::Shape;
use tbgen::internals::{order_of_numbering, order_of_slots};
use tbindex::batch::Backend;
use tbindex::bitbase::{Domain, Man};
use tbindex::order::{Digit, Leading, Order, Reindexing, SetOrder};
use tbindex::{Bitboard, Color, Group, Piece, PieceType, Position, Square, Symmetry};

use crate::solved::material;
use crate::thorough::one_in;

/// Pieces on squares, if all have squares of their own, and pawns are not on the first and last ranks.
fn possible(pieces: &[Piece], squares: &[Square]) -> Option<Position> {
    let mut board = [None; 64];
    for (&piece, square) in pieces.iter().zip(squares) {
        let fits = piece.kind != PieceType::Pawn || (8..56).contains(&square.index());
        if !fits || board[square.index()].replace(piece).is_some() {
            return None;
        }
    }
    let side = Color::White;
    Some(Position { board, side })
}

/// The number of the slot of a position, counted through all slices of all parts, if it has one.
fn number_of_slot(shape: &Shape, position: &Position) -> Option<u64> {
    let slot = shape.slot(position).ok()?;
    let domain = shape.domain(slot.part);
    let block = slot.part * domain.slices() + slot.at.slice;
    Some(block as u64 * domain.slice_slots() + slot.at.offset)
}

/// All orders of a material's pieces that are numberings, but of each sequence of pieces some.
fn numberings(material: Material) -> Vec<Numbering> {
    let mut orders = vec![Vec::new()];
    for piece in material.pieces() {
        orders = (orders.into_iter())
            .flat_map(|order: Vec<ColoredPiece>| {
                (0..=order.len()).map(move |at| {
                    let mut longer = order.clone();
                    longer.insert(at, piece);
                    longer
                })
            })
            .collect();
    }
    orders.sort();
    orders.dedup();
    let files = match material.has_pawns() {
        true => (0..4).map(Some).collect(),
        false => vec![None],
    };
    let mut all = Vec::new();
    for pieces in &orders {
        for &file in &files {
            for (first, second) in (0..16).map(|both| (both / 4, both % 4)) {
                let numbering = Numbering::try_new(pieces, first, second, file).ok();
                // Where the second place means nothing, it is taken once.
                all.extend(numbering.filter(|own| own.orders().1 < 15 || second == 0));
            }
        }
    }
    all
}

/// An order in which men may share squares: that of a domain, or with pawns all squares of all men.
fn source_order(numbering: &Numbering) -> Order {
    let name = numbering.material().to_string();
    if let Ok(domain) = Domain::try_new(name.parse().unwrap(), &[]) {
        return Order::of_domain(&domain);
    }
    let nobody = Leading {
        men: Vec::new(),
        placements: vec![Vec::new()],
        group: Group::Trivial,
    };
    let digits: Vec<Digit> = (material(&name).name_order())
        .map(|piece| Digit {
            man: piece.into(),
            count: 1,
            squares: !Bitboard::EMPTY,
            sets: SetOrder::Lexicographic,
        })
        .collect();
    let places: Vec<usize> = (0..=digits.len()).collect();
    Order::try_new(&nobody, &digits, &places, false).unwrap()
}

#[test]
fn numberings_are_orders() {
    let names = [
        "KQvK", "KPvK", "KQQvK", "KQvKR", "KRBvK", "KQPvK", "KPPvK", "KRvKP", "KPvKP",
    ];
    names.into_par_iter().for_each(|name| {
        let all = numberings(name.parse().unwrap());
        let each = match all.len() / 5 {
            0 => 1,
            many => one_in(many),
        };
        let mut compared = 0;
        for numbering in all.iter().step_by(each) {
            let to = order_of_numbering(numbering).unwrap();
            assert_eq!(to.size(), numbering.len(), "{name}");
            // A table in which men may share squares.
            let from = source_order(numbering);
            let places: Vec<usize> = places(from.men(), to.men());
            let source: Vec<u16> = (0..from.size())
                .map(|slot| (slot.wrapping_mul(0x9e37_79b9) >> 16) as u16)
                .collect();
            let mut target = vec![0; to.size() as usize];
            let (fill, backend) = (u16::MAX, Backend::detect());
            let way = Reindexing::try_new(&from, &to).unwrap();
            way.range_into(&source, fill, 0, &mut target, backend);
            for place in (0..numbering.len()).step_by(7) {
                let squares = &numbering.squares(place)[..to.men().len()];
                // Some positions on the diagonal have two places.
                let number = numbering.index(squares);
                let squares: Vec<Square> = squares.iter().copied().map(Square::new).collect();
                let slot = to.slot(&squares);
                assert!(slot == Some(place) || number != place, "{name} {squares:?}");
                let turned: Vec<Square> = places.iter().map(|&k| squares[k]).collect();
                let expected = from.slot(&turned);
                let expected = expected.map_or(fill, |slot| source[slot as usize]);
                let found = target[place as usize];
                let exchanged =
                    || exchanged(&from, &turned).any(|slot| source[slot as usize] == found);
                assert!(found == expected || exchanged(), "{name} {squares:?}");
                compared += 1;
            }
        }
        assert!(compared > 10_000, "{name}: {compared}");
    });
}

/// For each man the place of one like him among others.
fn places(men: &[Man], among: &[Man]) -> Vec<usize> {
    let mut taken = vec![false; among.len()];
    let place = |man: &Man| {
        let free = (0..among.len()).find(|&k| among[k] == *man && !taken[k]);
        taken[free.unwrap()] = true;
        free.unwrap()
    };
    men.iter().map(place).collect()
}

/// The slots of a position with two like men exchanged, and those of its image where the leading men are on the diagonal.
fn exchanged<'a>(order: &'a Order, squares: &'a [Square]) -> impl Iterator<Item = u64> + 'a {
    let pairs = (1..squares.len()).flat_map(move |k| (0..k).map(move |j| (j, k)));
    let alike = pairs.filter(|&(j, k)| order.men()[j] == order.men()[k]);
    let swapped = alike.map(move |(j, k)| {
        let mut squares = squares.to_vec();
        squares.swap(j, k);
        squares
    });
    let all = swapped.chain([squares.to_vec()]);
    let symmetries = match order.size() == 64u64.pow(squares.len() as u32) {
        true => &Symmetry::ALL[..1],
        false => &Symmetry::ALL[..],
    };
    all.flat_map(move |squares| {
        symmetries.iter().filter_map(move |symmetry| {
            let image = squares.iter().map(|&square| symmetry.apply(square));
            order.slot(&image.collect::<Vec<_>>())
        })
    })
}

/// The slot of a position is the one that the table itself finds.
#[test]
fn slots_are_those_of_tables() {
    for name in ["KQvK", "KRRvK", "KBvKN", "KPvK", "KPPvK", "KPvKP", "KRPvK"] {
        let shape = Shape::new(name.parse().unwrap()).unwrap();
        let parts: Vec<usize> = (0..shape.parts()).collect();
        let order = order_of_slots(&shape, &parts, shape.domain(0).men()).unwrap();
        assert_eq!(order.size(), shape.slots());
        let pieces: Vec<Piece> = order.men().iter().map(|man| man.piece().unwrap()).collect();
        let mut found = 0;
        for number in (0..1u64 << (6 * pieces.len())).step_by(1009) {
            let squares: Vec<Square> = (0..pieces.len())
                .map(|k| Square::new((number >> (6 * k) & 63) as u8))
                .collect();
            // A board does not tell which of two like men is which.
            let in_order = (1..pieces.len())
                .all(|k| (0..k).all(|j| pieces[j] != pieces[k] || squares[j] < squares[k]));
            if in_order
                && let Some(position) = possible(&pieces, &squares)
                && let Some(slot) = number_of_slot(&shape, &position)
            {
                assert_eq!(order.slot(&squares), Some(slot), "{name} {position}");
                found += 1;
            }
        }
        assert!(found > 100, "{name}: {found}");
    }
}
