//! The names of columns and metadata.

use tbindex::{Material, Piece};

pub(super) const INDEX: &str = "index";
pub(super) const FEN: &str = "fen";

// The keys are those of the tables that the Python package makes of index files.
pub(super) const MATERIAL: &str = "tbindex.material";
pub(super) const NUMBERING: &str = "tbindex.numbering";
pub(super) const SIDE: &str = "tbindex.side";
pub(super) const CANONICAL: &str = "tbindex.canonical";
pub(super) const SORTED: &str = "tbindex.sorted";
pub(super) const DISTINCT: &str = "tbindex.distinct";

/// The names of the columns of squares, in the order of the material's name: `white_king`, or
/// `white_rook_1` and `white_rook_2` for like pieces. Some engines do not tell capitals from small letters.
pub(super) fn squares(material: Material) -> Vec<String> {
    let pieces: Vec<Piece> = material.name_order().collect();
    let name = |(place, piece): (usize, &Piece)| {
        let name = format!("{}_{}", piece.color, piece.kind);
        match material.count(*piece) {
            1 => name,
            _ => {
                let before = pieces[..place].iter().filter(|&other| other == piece);
                format!("{name}_{}", before.count() + 1)
            }
        }
    };
    pieces.iter().enumerate().map(name).collect()
}
