//! Orders of the library: that of a table's slots, and those of Syzygy's numberings.

use syzygy_tables::numbering::Numbering;
use tbindex::bitbase::Man;
use tbindex::order::{Digit, Leading, Order, OrderError, SetOrder};
use tbindex::{Bitboard, Color, Group, Piece, PieceType, Square};

use crate::chess::board::piece_of;
use crate::table::shape::Shape;

/// The order of the slots of some parts of a table with a side to move, one after the other and in these slice after slice, but
/// with the men of the domain in this order, of which the last one counts fastest.
pub(crate) fn order_of_slots(
    shape: &Shape,
    parts: &[usize],
    men: &[Man],
) -> Result<Order, OrderError> {
    let king = |color| Man::from(Piece::new(color, PieceType::King));
    let domain = shape.any_domain();
    let leading = match domain.king_pairs() {
        Some(pairs) => Leading {
            men: Color::ALL.map(king).to_vec(),
            placements: pairs.all().iter().map(|pair| pair.to_vec()).collect(),
            group: domain.group(),
        },
        None => {
            let placements = parts.iter().map(|&part| shape.pawns(part).pieces());
            let squares = |pawns: Vec<(Piece, Square)>| pawns.iter().map(|pawn| pawn.1).collect();
            let pawns = shape.pawns(0).pieces();
            Leading {
                men: pawns.into_iter().map(|pawn| pawn.0.into()).collect(),
                placements: placements.map(squares).collect(),
                group: Group::FileMirror,
            }
        }
    };
    let digits = men.iter().map(|&man| Digit {
        man,
        count: 1,
        squares: Bitboard::ALL,
        sets: SetOrder::Lexicographic,
    });
    let places: Vec<usize> = (0..=men.len()).collect();
    Order::try_new(&leading, &digits.collect::<Vec<_>>(), &places, false)
}

/// The order of a numbering's places.
pub(crate) fn order_of_numbering(numbering: &Numbering) -> Result<Order, OrderError> {
    let pieces: Vec<Man> = (numbering.pieces())
        .map(|piece| Man::from(piece_of(piece)))
        .collect();
    let squares = |squares: Vec<u8>| squares.into_iter().map(Square::new).collect();
    let mut groups = numbering.groups_of_pieces();
    let leading = Leading {
        men: pieces[groups.next().unwrap_or_default()].to_vec(),
        placements: numbering.leading_placements().map(squares).collect(),
        group: match numbering.leading_file() {
            Some(_) => Group::FileMirror,
            None => Group::D4,
        },
    };
    let digits: Vec<Digit> = groups
        .map(|group| {
            let man = pieces[group.start];
            let is_pawn = man
                .piece()
                .is_some_and(|piece| piece.kind == PieceType::Pawn);
            Digit {
                man,
                count: group.len(),
                squares: if is_pawn { PAWNS } else { Bitboard::ALL },
                sets: SetOrder::Colexicographic,
            }
        })
        .collect();
    let places: Vec<usize> = numbering.groups_by_weight().collect();
    Order::try_new(&leading, &digits, &places, true)
}

/// The squares of pawns.
const PAWNS: Bitboard = Bitboard(0x00ff_ffff_ffff_ff00);

#[cfg(test)]
mod tests {
    use rayon::prelude::*;
    use syzygy_tables::{ColoredPiece, Material};
    use tbindex::Symmetry;
    use tbindex::batch::Backend;
    use tbindex::bitbase::Domain;
    use tbindex::order::reindex;

    use super::*;
    use crate::testing::one_in;

    fn squares_of(numbering: &Numbering, place: u64) -> Vec<Square> {
        let squares = numbering.squares(place);
        let count = numbering.pieces().len();
        squares[..count]
            .iter()
            .map(|&square| Square::new(square))
            .collect()
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
                man: Man::from(piece_of(piece)),
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
                let to = order_of_numbering(numbering).unwrap();
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

    /// The slot of a position is the one that the table itself finds.
    #[test]
    fn slots_are_those_of_tables() {
        for name in ["KQvK", "KRRvK", "KBvKN", "KPvK", "KPPvK", "KPvKP", "KRPvK"] {
            let shape = Shape::new(name.parse().unwrap()).unwrap();
            let parts: Vec<usize> = (0..shape.parts()).collect();
            let order = order_of_slots(&shape, &parts, shape.any_domain().men()).unwrap();
            assert_eq!(order.size(), shape.slots());
            let pieces: Vec<Piece> = order.men().iter().map(|man| man.piece().unwrap()).collect();
            let domain = shape.any_domain();
            let mut found = 0;
            for number in (0..1u64 << (6 * pieces.len())).step_by(1009) {
                let squares: Vec<Square> = (0..pieces.len())
                    .map(|k| Square::new((number >> (6 * k) & 63) as u8))
                    .collect();
                let on: Vec<(Piece, Square)> = pieces
                    .iter()
                    .copied()
                    .zip(squares.iter().copied())
                    .collect();
                let taken: Bitboard = squares.iter().copied().collect();
                let fits = |&(piece, square): &(Piece, Square)| {
                    piece.kind != PieceType::Pawn || (8..56).contains(&square.index())
                };
                if taken.len() as usize != on.len() || !on.iter().all(fits) {
                    continue;
                }
                if let Ok(slot) = shape.slot_of(&on, Color::White, false) {
                    let block = (slot.part * domain.slices() + slot.at.slice) as u64;
                    let slot = block * domain.slice_slots() + slot.at.offset;
                    assert_eq!(order.slot(&squares), Some(slot), "{name} {on:?}");
                    found += 1;
                }
            }
            assert!(found > 100, "{name}: {found}");
        }
    }
}
