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
    order_of_men(&leading, men)
}

/// The order in which the leading men are followed by others, each on any square, of which the last one counts fastest.
fn order_of_men(leading: &Leading, men: &[Man]) -> Result<Order, OrderError> {
    let digits = men.iter().map(|&man| Digit {
        man,
        count: 1,
        squares: Bitboard::ALL,
        sets: SetOrder::Lexicographic,
    });
    let places: Vec<usize> = (0..=men.len()).collect();
    Order::try_new(leading, &digits.collect::<Vec<_>>(), &places, false)
}

/// These pieces as men.
pub(crate) fn men_of(pieces: impl Iterator<Item = syzygy_tables::ColoredPiece>) -> Vec<Man> {
    pieces.map(|piece| piece_of(piece).into()).collect()
}

/// The order of a numbering's places.
pub(crate) fn order_of_numbering(numbering: &Numbering) -> Result<Order, OrderError> {
    let pieces = men_of(numbering.pieces());
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
            Digit {
                man,
                count: group.len(),
                squares: if is_pawn(man) { PAWNS } else { Bitboard::ALL },
                sets: SetOrder::Colexicographic,
            }
        })
        .collect();
    let places: Vec<usize> = numbering.groups_by_weight().collect();
    Order::try_new(&leading, &digits, &places, true)
}

pub(crate) fn is_pawn(man: Man) -> bool {
    (man.piece()).is_some_and(|piece| piece.kind == PieceType::Pawn)
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
    use crate::testing::{number_of_slot, one_in, possible};

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
        order_of_men(&nobody, &men_of(numbering.material().pieces())).unwrap()
    }

    #[test]
    fn numberings_are_orders() {
        let names = [
            "KQvK", "KPvK", "KQQvK", "KQvKR", "KRBvK", "KQPvK", "KPPvK", "KRvKP", "KPvKP",
        ];
        names.into_par_iter().for_each(|name| {
            let all = numberings(name.parse().unwrap());
            let each = match all.len() / 12 {
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
                reindex(&from, &to, backend, &source, fill, &mut target).unwrap();
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
            let order = order_of_slots(&shape, &parts, shape.any_domain().men()).unwrap();
            assert_eq!(order.size(), shape.slots());
            let pieces: Vec<Piece> = order.men().iter().map(|man| man.piece().unwrap()).collect();
            let mut found = 0;
            for number in (0..1u64 << (6 * pieces.len())).step_by(1009) {
                let squares: Vec<Square> = (0..pieces.len())
                    .map(|k| Square::new((number >> (6 * k) & 63) as u8))
                    .collect();
                if let Some(on) = possible(&pieces, squares.iter().copied())
                    && let Some(slot) = number_of_slot(&shape, &on)
                {
                    assert_eq!(order.slot(&squares), Some(slot), "{name} {on:?}");
                    found += 1;
                }
            }
            assert!(found > 100, "{name}: {found}");
        }
    }
}
