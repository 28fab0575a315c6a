//! The order in which tables are made.

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
    let kinds = PieceType::ALL
        .into_iter()
        .filter(|&kind| kind != PieceType::King);
    let kinds: Vec<PieceType> = kinds.collect();
    let free = kinds
        .iter()
        .flat_map(|&kind| Color::ALL.map(|color| Piece::new(color, kind)));
    let free: Vec<Piece> = free.collect();
    // Each list of pieces once: in the order of `free`.
    let mut lists: Vec<(usize, Vec<Piece>)> = vec![(0, kings.to_vec())];
    let mut all = Vec::new();
    for _ in 2..pieces {
        lists = (lists.iter())
            .flat_map(|(first, list)| {
                (*first..free.len()).map(|k| {
                    let mut list = list.clone();
                    list.push(free[k]);
                    (k, list)
                })
            })
            .collect();
        let materials = lists.iter().filter_map(|(_, list)| {
            let material = Material::from_pieces(list.iter().copied()).ok()?;
            material.is_normal().then_some(material)
        });
        all.extend(materials);
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

/// Puts materials into such an order: each after those that it needs.
pub fn in_order(all: &mut [Material]) {
    let pawns = |material: &Material| {
        let pawns = Color::ALL.map(|color| material.count(Piece::new(color, PieceType::Pawn)));
        pawns[0] + pawns[1]
    };
    all.sort_by_key(|material| {
        (
            material.piece_count(),
            pawns(material),
            material.to_string(),
        )
    });
}
