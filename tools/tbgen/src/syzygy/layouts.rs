//! From a table's slots to the layouts that a Syzygy writer asks for.

use rayon::prelude::*;
use syzygy_tables::cozy_chess::{self, Piece as Kind};
use syzygy_tables::writer::Layout;
use tbindex::batch::Backend;
use tbindex::bitbase::Man;
use tbindex::order::{Digit, Leading, Order, OrderError, Reindexing, SetOrder};
use tbindex::{Bitboard, Color, Group, Piece, PieceType, Square};

use crate::chess::pawns::Pawns;
use crate::table::shape::Shape;

pub(crate) fn color_of(color: cozy_chess::Color) -> Color {
    match color {
        cozy_chess::Color::White => Color::White,
        cozy_chess::Color::Black => Color::Black,
    }
}

/// Writes the entries of a layout's slots: those of the table's slots, part after part, and in these slice after slice, or
/// `fill` for what has none. The layout's material must be the shape's.
///
/// # Errors
/// If the layout has too many slots.
pub(crate) fn lay_out(
    shape: &Shape,
    layout: &Layout,
    backend: Backend,
    all: &[u8],
    fill: u8,
    out: &mut [u8],
) -> Result<(), OrderError> {
    let pieces: Vec<Piece> = layout.material().pieces().map(piece_of).collect();
    let piece = |place: &u8| pieces[usize::from(*place)];
    let domain = shape.any_domain();
    let from = Order::of_domain(domain);
    let (leading, digits) = (layout.leading(), layout.digits());
    let pawns = digits
        .iter()
        .take_while(|place| piece(place).kind == PieceType::Pawn);
    let (pawns, digits) = digits.split_at(pawns.count());
    let of_digits: Vec<Digit> = digits.iter().map(|place| anywhere(piece(place))).collect();
    let places: Vec<usize> = (0..=digits.len()).collect();
    let square = |&square: &u8| Square::from_low_bits(square);
    if layout.leading_file().is_none() {
        let leading = Leading {
            men: leading.iter().map(|place| piece(place).into()).collect(),
            placements: layout
                .leads()
                .map(|lead| lead.iter().map(square).collect())
                .collect(),
            group: Group::D4,
        };
        let to = Order::try_new(&leading, &of_digits, &places, false)?;
        Reindexing::try_new(&from, &to)?.range_into(backend, all, fill, 0, out);
        return Ok(());
    }
    // Of each placement of pawns the other pieces' squares.
    let nobody = Leading {
        men: Vec::new(),
        placements: vec![Vec::new()],
        group: Group::Trivial,
    };
    let to = Order::try_new(&nobody, &of_digits, &places, false)?;
    let way = Reindexing::try_new(&from, &to)?;
    let leads: Vec<&[u8]> = layout.leads().collect();
    let of_part = (from.size() as usize, to.size() as usize);
    out.par_chunks_mut(of_part.1)
        .enumerate()
        .for_each(|(number, out)| {
            let lead = leads[number >> (6 * pawns.len())].iter().zip(leading);
            let others = pawns
                .iter()
                .rev()
                .enumerate()
                .map(|(k, place)| ((number >> (6 * k)) as u8 & 63, place));
            let mut placed = Pawns::default();
            for (on, place) in lead.map(|(&on, place)| (on, place)).chain(others) {
                let on = square(&on);
                if placed.occupied().contains(on) || !(8..56).contains(&on.index()) {
                    return out.fill(fill);
                }
                placed.add(piece(place).color, on);
            }
            let (part, mirrored) = shape.placements().find(placed);
            let all = &all[part * of_part.0..][..of_part.0];
            way.range_into(backend, all, fill, 0, out);
            if mirrored {
                mirror(out);
            }
        });
    Ok(())
}

/// Exchanges the entries of positions whose pieces stand on mirrored files.
fn mirror(entries: &mut [u8]) {
    // A row has all squares of the fastest piece, rank by rank. Of the others, the file is the lower half of a digit.
    let rows: &mut [[[u8; 8]; 8]] = bytemuck::cast_slice_mut(entries);
    let files = (0o0707_0707_0707_u64 & (rows.len() - 1) as u64) as usize;
    let mirrored = |row: [[u8; 8]; 8]| row.map(|rank| u64::from_le_bytes(rank).to_be_bytes());
    for at in 0..rows.len() {
        let image = at ^ files;
        if at <= image {
            (rows[at], rows[image]) = (mirrored(rows[image]), mirrored(rows[at]));
        }
    }
}

/// A piece that may stand on any square.
fn anywhere(piece: Piece) -> Digit {
    Digit {
        man: Man::from(piece),
        count: 1,
        squares: Bitboard::ALL,
        sets: SetOrder::Lexicographic,
    }
}

pub(crate) fn piece_of(piece: syzygy_tables::ColoredPiece) -> Piece {
    let kind = match piece.piece() {
        Kind::King => PieceType::King,
        Kind::Pawn => PieceType::Pawn,
        Kind::Queen => PieceType::Queen,
        Kind::Rook => PieceType::Rook,
        Kind::Bishop => PieceType::Bishop,
        Kind::Knight => PieceType::Knight,
    };
    Piece::new(color_of(piece.color()), kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use syzygy_tables::numbering::square_of;

    /// The slot of a position is the one that the table itself finds.
    #[test]
    fn entries_are_those_of_slots() {
        for name in ["KQvK", "KRRvK", "KBvKN", "KPvK", "KPPvK", "KPvKP", "KRPvK"] {
            let shape = Shape::new(name.parse().unwrap()).unwrap();
            let domain = shape.any_domain();
            let part_slots = (domain.slices() as u64 * domain.slice_slots()) as usize;
            // Of each slot a byte by which most others are told from it.
            let byte = |slot: u64| (slot.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8 | 1;
            let all: Vec<u8> = (0..shape.slots()).map(byte).collect();
            let mut found = 0;
            for layout in Layout::all(name.parse().unwrap()) {
                let pieces: Vec<Piece> = layout.material().pieces().map(piece_of).collect();
                let mut out = vec![1; layout.size() as usize];
                lay_out(&shape, &layout, Backend::detect(), &all, 0, &mut out).unwrap();
                for (number, &entry) in (0..).zip(&out).step_by(61) {
                    let position = layout.position(number);
                    assert_eq!(layout.slot(position), number);
                    let on: Vec<(Piece, Square)> = (pieces.iter().enumerate())
                        .map(|(k, &piece)| (piece, Square::new(square_of(position, k))))
                        .collect();
                    let taken: Bitboard = on.iter().map(|on| on.1).collect();
                    let fits = |on: &(Piece, Square)| {
                        on.0.kind != PieceType::Pawn || (8..56).contains(&on.1.index())
                    };
                    if taken.len() as usize != on.len() || !on.iter().all(fits) {
                        continue;
                    }
                    if let Ok(slot) = shape.slot_of(&on, Color::White, false) {
                        // Of like pieces either may be the first.
                        let slots = (0..on.len() - 1).map(|k| {
                            let mut on = on.clone();
                            if on[k].0 == on[k + 1].0 {
                                on.swap(k, k + 1);
                            }
                            shape.slot_of(&on, Color::White, false).unwrap()
                        });
                        let mut bytes = slots.chain([slot]).map(|slot| {
                            let in_part =
                                slot.at.slice as u64 * domain.slice_slots() + slot.at.offset;
                            byte((slot.part * part_slots) as u64 + in_part)
                        });
                        assert!(bytes.any(|byte| byte == entry), "{name} {on:?}");
                        found += 1;
                    } else if domain.king_pairs().is_some() {
                        assert_eq!(entry, 0, "{name} {on:?}");
                    }
                }
            }
            assert!(found > 1000, "{name}: {found}");
        }
    }
}
