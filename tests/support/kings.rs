//! How far apart kings are.

use tbindex::Square;

/// The moves that a king takes from one square to another on an empty board.
pub fn king_distance(a: Square, b: Square) -> u8 {
    let files = (a.file() as u8).abs_diff(b.file() as u8);
    let ranks = (a.rank() as u8).abs_diff(b.rank() as u8);
    files.max(ranks)
}
