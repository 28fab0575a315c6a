//! The orders of Syzygy files as orders of the library, against their numbering one position at a time.

use rayon::prelude::*;
use syzygy_tables::cozy_chess::{self, Piece as Kind};
use syzygy_tables::numbering::Numbering;
use syzygy_tables::{ColoredPiece, Material};
use tbindex::batch::Backend;
use tbindex::bitbase::{Domain, Man};
use tbindex::order::{Digit, Leading, Order, SetOrder, reindex};
use tbindex::{Bitboard, Color, Group, Piece, PieceType, Square, Symmetry};

use crate::thorough::one_in;

fn man_of(piece: ColoredPiece) -> Man {
    let kind = match piece.piece() {
        Kind::King => PieceType::King,
        Kind::Pawn => PieceType::Pawn,
        Kind::Queen => PieceType::Queen,
        Kind::Rook => PieceType::Rook,
        Kind::Bishop => PieceType::Bishop,
        Kind::Knight => PieceType::Knight,
    };
    let color = match piece.color() {
        cozy_chess::Color::White => Color::White,
        cozy_chess::Color::Black => Color::Black,
    };
    Man::from(Piece::new(color, kind))
}

fn squares_of(numbering: &Numbering, place: u64) -> Vec<Square> {
    let squares = numbering.squares(place);
    let count = numbering.pieces().len();
    squares[..count]
        .iter()
        .map(|&square| Square::new(square))
        .collect()
}

/// The order of the library that a numbering is.
fn order_of(numbering: &Numbering) -> Order {
    let pieces: Vec<ColoredPiece> = numbering.pieces().collect();
    let material = numbering.material();
    let pawns = material
        .leading_color()
        .map(|color| [color, !color].map(|color| material.count(color, Kind::Pawn)));
    let first = match pawns {
        Some([leading, _]) => leading,
        None => {
            let unique = material
                .pieces()
                .filter(|piece| material.count(piece.color(), piece.piece()) == 1);
            if unique.count() >= 3 { 3 } else { 2 }
        }
    };
    let mut digits = Vec::new();
    for group in pieces[first..].chunk_by(|a, b| a == b) {
        let behind = pawns.is_some_and(|pawns| digits.is_empty() && pawns[1] > 0);
        digits.push(Digit {
            man: man_of(group[0]),
            count: group.len(),
            squares: Bitboard(if behind { 0x00ff_ffff_ffff_ff00 } else { !0 }),
            sets: SetOrder::Colexicographic,
        });
    }
    // The places from the fastest to the slowest: that of the leading group, that of the other pawns, and the rest in turn.
    let (leading, second) = numbering.orders();
    let fixed = if second < 15 { 2 } else { 1 };
    let mut rest = fixed..digits.len() + 1;
    let mut places: Vec<usize> = (0..=digits.len() as u8)
        .map(|place| match place {
            _ if place == leading => 0,
            _ if place == second => 1,
            _ => rest.next().unwrap(),
        })
        .collect();
    let (mut weight, mut free) = (
        1,
        64 - pawns.map_or(first, |pawns| pawns[0] + pawns[1]) as u64,
    );
    let choose = |n: u64, k: u64| (0..k).fold(1, |all, j| all * (n - j) / (j + 1));
    let mut of_leading = 1;
    for &place in &places {
        match place {
            0 => of_leading = weight,
            1 if fixed == 2 => weight *= choose(48 - first as u64, digits[0].count as u64),
            k => {
                weight *= choose(free, digits[k - 1].count as u64);
                free -= digits[k - 1].count as u64;
            }
        }
        if place == 0 {
            // What the leading group counts is what is left of all.
            weight *= leading_numbers(numbering, first);
        }
    }
    assert_eq!(weight, numbering.len());
    places.reverse();
    let numbers = 0..leading_numbers(numbering, first);
    let placements = numbers.map(|k| squares_of(numbering, k * of_leading)[..first].to_vec());
    let leading = Leading {
        men: pieces[..first].iter().map(|&piece| man_of(piece)).collect(),
        placements: placements.collect(),
        group: match pawns {
            Some(_) => Group::FileMirror,
            None => Group::D4,
        },
    };
    Order::try_new(&leading, &digits, &places, true).unwrap()
}

fn leading_numbers(numbering: &Numbering, first: usize) -> u64 {
    let pawns = numbering.leading_file().map(|file| {
        // The foremost pawn on each rank, and the others among the squares that come after its own.
        let after = |rank: u64| 47 - (u64::from(file) * 12 + (rank - 1) * 2);
        let choose = |n: u64, k: u64| (0..k).fold(1, |all, j| all * (n - j) / (j + 1));
        (1..=6)
            .map(|rank| choose(after(rank), first as u64 - 1))
            .sum()
    });
    pawns.unwrap_or(if first == 3 { 31332 } else { 462 })
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
            for (first, second) in
                (0..4).flat_map(|first| (0..4).map(move |second| (first, second)))
            {
                let numbering = Numbering::try_new(pieces, first, second, file);
                // Where the second place means nothing, it is taken once.
                all.extend(
                    numbering
                        .ok()
                        .filter(|own| own.orders().1 < 15 || second == 0),
                );
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
    let digits: Vec<Digit> = (numbering.material().pieces())
        .map(|piece| Digit {
            man: man_of(piece),
            count: 1,
            squares: Bitboard::ALL,
            sets: SetOrder::Lexicographic,
        })
        .collect();
    let nobody = Leading {
        men: Vec::new(),
        placements: vec![Vec::new()],
        group: Group::Trivial,
    };
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
        let some = all.iter().step_by(if all.len() > 12 {
            one_in(all.len() / 12)
        } else {
            1
        });
        let mut compared = 0;
        for numbering in some {
            let to = order_of(numbering);
            assert_eq!(to.size(), numbering.len(), "{name}");
            // A table in which men may share squares.
            let from = source_order(numbering);
            let places: Vec<usize> = places(from.men(), to.men());
            let source: Vec<u16> = (0..from.size())
                .map(|slot| (slot.wrapping_mul(0x9e37_79b9) >> 16) as u16)
                .collect();
            let mut target = vec![0; to.size() as usize];
            reindex(
                &from,
                &to,
                Backend::detect(),
                &source,
                u16::MAX,
                &mut target,
            )
            .unwrap();
            for place in (0..numbering.len()).step_by(7) {
                let squares = squares_of(numbering, place);
                // Some positions on the diagonal have two places.
                let number = numbering.index(
                    &squares
                        .iter()
                        .map(|square| square.number())
                        .collect::<Vec<u8>>(),
                );
                let slot = to.slot(&squares);
                assert!(slot == Some(place) || number != place, "{name} {squares:?}");
                let turned: Vec<Square> = places.iter().map(|&k| squares[k]).collect();
                let expected = from
                    .slot(&turned)
                    .map_or(u16::MAX, |slot| source[slot as usize]);
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
            let image: Vec<Square> = squares
                .iter()
                .map(|&square| symmetry.apply(square))
                .collect();
            order.slot(&image)
        })
    })
}
