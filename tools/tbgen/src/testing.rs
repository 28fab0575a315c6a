//! What several unit tests solve tables with.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tbindex::batch::Backend;
use tbindex::store::Overwrite;
use tbindex::{Bitboard, Color, Material, Piece, PieceType, Square};

use crate::chess::dependencies::needed_by;
use crate::chess::game::GamePosition;
use crate::chess::piece_set::Letters;
use crate::solve::levels::solve;
use crate::solve::options::Options;
use crate::storage::checkpoint::CheckpointOf;
use crate::subtables::library::Library;
use crate::table::reachable::reachable;
use crate::table::shape::Shape;
use crate::table::solved::{Part, Table};
use crate::table::value::{Metric, Outcome, Value};

#[allow(unreachable_pub, reason = "all tests share it")]
#[path = "../../../tests/support/thorough.rs"]
mod thorough;
pub(crate) use thorough::one_in;

/// Options for solving a table by the distance to zeroing in memory, until a flag is set.
pub(crate) fn quietly(stop: &AtomicBool) -> Options<'_> {
    Options::new(Metric::Dtz, Backend::detect(), stop)
}

/// The shapes that a position can reach, each with one whose parts have slices by the kings if there are pawns.
pub(crate) fn whole_and_sliced(fen: &str) -> Vec<[Shape; 2]> {
    let position = GamePosition::parse(fen, &Letters::default()).unwrap();
    let both = |shape: Shape| match shape.material().has_pawns() {
        true => [shape.clone(), shape.in_slices()],
        false => [shape.clone(), shape],
    };
    reachable(&position)
        .unwrap()
        .into_iter()
        .map(both)
        .collect()
}

/// The table that a checkpoint is of.
pub(crate) fn checkpoint_of(material: Material, metric: Metric) -> CheckpointOf {
    CheckpointOf {
        material,
        metric,
        sources: 7,
    }
}

/// The tables that a material needs, without its own.
pub(crate) fn needed_tables(material: Material, options: Options<'_>) -> Library {
    let mut library = Library::default();
    for needed in needed_by(&material) {
        if needed != material {
            library.insert(solve(&needed, &library, options).unwrap());
        }
    }
    library
}

/// Pieces on squares, if all have squares of their own, and pawns are not on the first and last ranks.
pub(crate) fn possible(
    pieces: &[Piece],
    squares: impl Iterator<Item = Square>,
) -> Option<Vec<(Piece, Square)>> {
    let on: Vec<(Piece, Square)> = pieces.iter().copied().zip(squares).collect();
    let taken: Bitboard = on.iter().map(|&(_, square)| square).collect();
    let fits = |&(piece, square): &(Piece, Square)| {
        piece.kind != PieceType::Pawn || (8..56).contains(&square.index())
    };
    (taken.len() as usize == on.len() && on.iter().all(fits)).then_some(on)
}

/// The number of the slot of these pieces with white to move, counted through all slices of all parts, if they have one.
pub(crate) fn number_of_slot(shape: &Shape, on: &[(Piece, Square)]) -> Option<u64> {
    let slot = shape.slot_of(on, Color::White, false).ok()?;
    let domain = shape.any_domain();
    let block = slot.part * domain.slices() + slot.at.slice;
    Some(block as u64 * domain.slice_slots() + slot.at.offset)
}

/// The bytes of a table's file.
pub(crate) fn bytes_of(table: &Table) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table");
    table.write(&path, Overwrite::Refuse).unwrap();
    std::fs::read(&path).unwrap()
}

/// Makes distances of more than nine plies so much longer that the fifty-move rule makes a difference, which it does
/// in no table of fewer than five pieces.
pub(crate) fn curse(part: &mut Part) {
    for side in &mut part.sides {
        let values = side.values.iter().map(|&value| match value.outcome {
            Outcome::Win if value.plies > 9 => Value::win(value.plies + 100),
            Outcome::Loss if value.plies > 9 => Value::loss(value.plies + 100),
            _ => value,
        });
        side.values = Arc::new(values.collect());
    }
}

/// Does work with so many threads.
pub(crate) fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.unwrap().install(work)
}
