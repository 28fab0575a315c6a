//! Chains of only moves against their definition, by the boards of `cozy-chess`.

use tbgen::{Chains, GamePosition, Library, Metric, Move, Outcome, Value, all_up_to};
use tbindex::{Color, Material, Piece, PieceType, Position};

use crate::mined::positions;
use crate::small::{METRICS, small_tables};
use crate::thorough::one_in;

/// The moves of a board, with what they are worth.
pub(crate) fn worths(
    board: &GamePosition,
    library: &Library,
    metric: Metric,
) -> Vec<(Value, Move)> {
    let worth = |step: Move| {
        let after = library.probe(metric, &step.after).unwrap();
        (metric.after_move(after, step.zeroing), step)
    };
    board.moves().into_iter().map(worth).collect()
}

/// The only moves in a row, by the definition.
fn only_moves(board: &GamePosition, metric: Metric) -> u16 {
    let pieces = |board: &GamePosition| board.position().material().unwrap();
    let mut winning = worths(board, small_tables(metric), metric);
    winning.retain(|(value, _)| value.outcome == Outcome::Win);
    let [(_, only)] = &winning[..] else {
        return 0;
    };
    let replies = worths(&only.after, small_tables(metric), metric);
    let longest = replies.iter().map(|(value, _)| value.preference()).max();
    let longest = replies
        .iter()
        .filter(|(value, _)| Some(value.preference()) == longest);
    let after = longest.map(|(_, reply)| match pieces(&reply.after) == pieces(board) {
        true => only_moves(&reply.after, metric),
        false => 0,
    });
    1 + after.min().unwrap_or(0)
}

/// Of three pieces one position in so many, and of four in some tables; of two pawns those, too, that may be captured en passant
/// after two steps. All tables, and many more positions, if `TBINDEX_THOROUGH` is set.
#[test]
fn chains_have_the_only_moves_that_moves_say() {
    let pawns = |position: &Position, color: Color, rank: usize| {
        let pawn = Piece::new(color, PieceType::Pawn);
        let mut all = position.occupied();
        all.any(|(piece, square)| piece == pawn && square.index() / 8 == rank)
    };
    let mut found = [0u32; 16];
    for metric in METRICS {
        let mut of = |material: Material, some: u64, test: &dyn Fn(&Position) -> bool| {
            let library = small_tables(metric);
            let chains = Chains::new(library.get(&material).unwrap(), library);
            positions(material, some, |position| {
                let Some(board) = GamePosition::new(&position, None).filter(|_| test(&position))
                else {
                    return;
                };
                let expected = match library.probe(metric, &board).unwrap().outcome {
                    Outcome::Win => only_moves(&board, metric),
                    _ => 0,
                };
                assert_eq!(chains.length(&position).unwrap(), expected, "{position}");
                if expected > 0 {
                    let line = chains.line(&position).unwrap();
                    let moves = line.len().div_ceil(2);
                    assert_eq!(moves, usize::from(expected), "{position}: {line:?}");
                }
                found[usize::from(expected)] += 1;
            });
        };
        for (k, material) in all_up_to(4).into_iter().enumerate() {
            match material.piece_count() {
                3 => of(material, one_in(101) as u64, &|_| true),
                _ if k % one_in(6) == 0 => of(material, 1009 * one_in(60) as u64, &|_| true),
                _ => {}
            }
        }
        of(
            "KPvKP".parse().unwrap(),
            11 * one_in(30) as u64,
            &|position| {
                let [white, black] = Color::ALL;
                pawns(position, white, 1) && pawns(position, black, 3)
                    || pawns(position, white, 4) && pawns(position, black, 6)
            },
        );
    }
    println!("chains by length: {found:?}");
    assert!(found[..4].iter().all(|count| *count > 10), "{found:?}");
}
