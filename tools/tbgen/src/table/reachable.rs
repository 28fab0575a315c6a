//! The tables that one position needs, with those placements of pawns alone that can still be reached.

use std::collections::{BTreeMap, BTreeSet};

use tbindex::{Color, Conversion, Material, Piece, PieceType};

use crate::chess::dependencies::in_order;
use crate::chess::game::GamePosition;
use crate::chess::pawns::{Pawns, Placements};
use crate::chess::pawns::{steps, steps_en_passant};
use crate::table::shape::{Shape, ShapeError, table_of};

/// The shapes of the tables that a position needs, its own last. Each comes after those that it needs itself.
///
/// # Errors
/// If the pieces are too many.
///
/// # Panics
/// Never.
pub fn reachable(position: &GamePosition) -> Result<Vec<Shape>, ShapeError> {
    let endgame = position.endgame();
    if !endgame.piece_set.is_chess() {
        return Shape::needed_by(endgame);
    }
    let material = endgame.material;
    let mut found: BTreeMap<Material, BTreeSet<Pawns>> = BTreeMap::new();
    let mut next = vec![(material, Pawns::among(&position.position()))];
    while let Some((material, pawns)) = next.pop() {
        if material.piece_count() == 2 {
            continue;
        }
        let (name, swapped) = table_of(&material);
        let pawns = if swapped { pawns.turned() } else { pawns };
        let pawns = pawns.canonical();
        if !found.entry(name).or_default().insert(pawns) {
            continue;
        }
        for side in Color::ALL {
            let of_steps = steps(&name, pawns, side).into_iter();
            next.extend(of_steps.map(|step| (step.material, step.pawns)));
            for kind in PieceType::ALL {
                let captured = Piece::new(!side, kind);
                let Some(after) = name.after(Conversion::Capture { captured }) else {
                    continue;
                };
                if kind != PieceType::Pawn {
                    next.push((after, pawns));
                    continue;
                }
                for square in pawns.of(!side) {
                    let mut left = pawns;
                    left.remove(!side, square);
                    next.push((after, left));
                }
                let en_passant = steps_en_passant(pawns, !side).into_iter();
                next.extend(en_passant.map(|left| (after, left)));
            }
        }
    }
    let mut order: Vec<Material> = found.keys().copied().collect();
    in_order(&mut order);
    let placements = |material| Placements::of(found[material].iter().copied().collect());
    let shapes = order.iter().map(|own| Shape::of(*own, placements(own)));
    shapes.collect()
}
