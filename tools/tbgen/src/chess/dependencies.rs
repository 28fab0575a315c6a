//! The order in which tables are made.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use tbindex::{Color, Material, Piece, PieceType};

/// The materials of all tables that a material needs, its own last. Each comes after those that it needs
/// itself; those with fewer pieces come first and, of these, those with fewer pawns.
#[must_use]
pub fn needed_by(material: &Material) -> Vec<Material> {
    let mut all = material.below();
    all.retain(|smaller| smaller.piece_count() > 2);
    all.push(material.normal());
    in_order(&mut all);
    all
}

/// The materials of all tables of 3 to so many pieces. Each comes after those that it needs; those with fewer
/// pieces come first and, of these, those with fewer pawns.
#[must_use]
pub fn all_up_to(pieces: usize) -> Vec<Material> {
    let kings = Color::ALL.map(|color| Piece::new(color, PieceType::King));
    let kinds = (PieceType::ALL.into_iter()).filter(|&kind| kind != PieceType::King);
    let free = kinds.flat_map(|kind| Color::ALL.map(|color| Piece::new(color, kind)));
    let free: Vec<Piece> = free.collect();
    let mut larger: BTreeSet<Material> = Material::from_pieces(kings).into_iter().collect();
    let mut all = Vec::new();
    for _ in 2..pieces {
        let with = |smaller: &Material| {
            let (free, smaller) = (free.iter(), *smaller);
            free.filter_map(move |&piece| {
                Material::from_pieces(smaller.name_order().chain([piece])).ok()
            })
        };
        larger = (larger.iter().flat_map(with).map(Material::normal)).collect();
        all.extend(&larger);
    }
    in_order(&mut all);
    all
}

/// The materials of the tables that moves from a material lead to directly.
#[must_use]
pub fn led_to_by(material: &Material) -> Vec<Material> {
    let mut all: Vec<Material> = (material.conversions().into_iter())
        .map(|(_, after)| after.normal())
        .filter(|after| after.piece_count() > 2)
        .collect();
    all.sort_by_key(Material::to_string);
    all.dedup();
    all
}

/// The same materials, which are in such an order, in another one: those with most pawns come as early as they can, and what
/// they need just before. So fewer tables are wanted at a time than are wanted later.
#[must_use]
pub fn depth_first(all: &[Material]) -> Vec<Material> {
    fn add(material: &Material, all: &[Material], ordered: &mut Vec<Material>) {
        if !all.contains(material) || ordered.contains(material) {
            return;
        }
        for smaller in led_to_by(material) {
            add(&smaller, all, ordered);
        }
        ordered.push(*material);
    }
    let mut roots = all.to_vec();
    roots.sort_by_key(|material| (Reverse(pawns(material)), material.to_string()));
    let mut ordered = Vec::with_capacity(all.len());
    for material in &roots {
        add(material, all, &mut ordered);
    }
    ordered
}

/// The number of pawns of both sides.
pub(crate) fn pawns(material: &Material) -> usize {
    let pawns = Color::ALL.map(|color| material.count(Piece::new(color, PieceType::Pawn)));
    pawns[0] + pawns[1]
}

/// Puts materials into such an order: each after those that it needs.
pub fn in_order(all: &mut [Material]) {
    all.sort_by_key(|material| {
        let (pieces, name) = (material.piece_count(), material.to_string());
        (pieces, pawns(material), name)
    });
}
