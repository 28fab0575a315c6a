//! Single positions: what can still be reached from them is enough to answer, and the answer is that of whole tables.

use std::collections::BTreeMap;

use tbgen::{Board, Library, Table, reachable, solve_shape};
use tbindex::Fen;
use tbindex::batch::Backend;

use crate::published::lines;
use crate::small::{METRICS, small_tables};
use crate::solved::quietly;
use crate::thorough::one_in;

/// Of the published positions with pawns one in nine, or all if `TBINDEX_THOROUGH` is set.
#[test]
fn what_a_position_can_reach_is_enough_to_answer() {
    let (Some(mut all), Some(more)) = (lines("epd/endgame-dm-4.epd"), lines("epd/endgame.epd"))
    else {
        return;
    };
    all.extend(more);
    let fens = all.iter().map(|line| line.parse::<Fen>().unwrap());
    let fens = fens.filter(|fen| {
        let material = fen.position.material().unwrap();
        material.piece_count() <= 4 && material.has_pawns()
    });
    let (mut seen, mut fewer) = (0, 0);
    for fen in fens.step_by(one_in(9)) {
        let board = Board::new(&fen.position, fen.en_passant).unwrap();
        let shapes = reachable(&board.clone().into()).unwrap();
        for metric in METRICS {
            let whole = small_tables(metric);
            let mut library = Library::default();
            let mut parts = BTreeMap::new();
            for shape in &shapes {
                let material = shape.material();
                let there: &Table = whole.get(&material).unwrap();
                parts.insert(material.to_string(), (shape.parts(), there.shape().parts()));
                if material.has_pawns() {
                    let options = quietly(metric, Backend::detect());
                    library.insert(solve_shape(shape, &library, options).unwrap());
                } else {
                    library.insert(there.clone());
                }
            }
            fewer += usize::from(parts.values().any(|(here, all)| here < all));
            assert!(parts.values().all(|(here, all)| here <= all), "{parts:?}");
            // The position, and all to which its moves lead.
            let moves = board.moves().into_iter().map(|step| step.after);
            for board in moves.chain([board.clone()]) {
                let [here, there] = [&library, whole].map(|library| {
                    let value = board.value(metric, |position| library.value(position));
                    value.unwrap_or_else(|error| panic!("{}: {error}", board.fen()))
                });
                assert_eq!(here, there, "{}, {}", board.fen(), metric.name());
                seen += 1;
            }
        }
    }
    assert!(
        seen > 100 && fewer > 5,
        "{seen} positions, {fewer} with fewer parts"
    );
}
