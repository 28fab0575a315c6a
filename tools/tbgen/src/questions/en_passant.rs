//! Captures en passant in a part. Positions of tables are without the right to them: so these are of positions that may have
//! it, as a pawn may just have made two steps to get there.

use rayon::prelude::*;
use tbindex::bitbase::{Bitbase, Row};
use tbindex::{Color, Conversion, Piece, PieceType};

use super::tally::results;
use crate::chess::pawn_moves::{en_passant, passed_squares};
use crate::subtables::library::SolveError;
use crate::subtables::seen::legal_in;
use crate::subtables::solved::Solved;
use crate::table::code_sets::CodeSets;
use crate::table::codes::BITS;
use crate::table::slices::{among, chosen};

impl Solved<'_> {
    /// For each pawn that `side` may be able to capture en passant the legal positions in which some capture of it wins, and
    /// those in which one draws; in some slices or, if none are chosen, in all.
    pub(super) fn en_passant(
        &self,
        number: usize,
        side: Color,
        slices: Option<&[usize]>,
    ) -> Result<Vec<[Bitbase; 2]>, SolveError> {
        let (domain, pawns) = (&self.parts[number].domain, self.shape.pawns(number));
        let captured = Piece::new(!side, PieceType::Pawn);
        let every = vec![true; domain.slices()];
        let slices = slices.map(|slices| chosen(domain, slices));
        let slices = slices.as_deref();
        let mut found = Vec::new();
        for [start, passed] in passed_squares(pawns, !side) {
            let after = en_passant(pawns, !side, passed);
            if after.is_empty() {
                continue;
            }
            let material = (self.shape.material()).after(Conversion::Capture { captured });
            let material = material.expect("a pawn is there");
            let mut legal = legal_in(domain, side, self.backend, slices)?;
            legal.remove_on(start);
            legal.remove_on(passed);
            let mut sets = CodeSets::for_slices(slices);
            sets.push(domain)?;
            sets.push(domain)?;
            let mut sets: [Bitbase; 2] = sets.into_sets().try_into().expect("two were pushed");
            for pawns in after {
                let from = domain.with_others_fixed(&pawns.pieces());
                let from = from.expect("pawns on squares of their own");
                let able = legal_in(&from, !side, self.backend, slices)?;
                let mut codes = CodeSets::for_slices(slices);
                let source = self.source(&material, pawns)?.expect("a pawn is left");
                self.see(&source, !side, &from, slices, &mut codes)?;
                let [wins, draws] = &mut sets;
                let rows = wins.slices_mut().zip(draws.slices_mut());
                among(rows, slices.unwrap_or(&every)).for_each(|(slice, (wins, draws))| {
                    for (at, &legal) in legal.slice(slice).iter().enumerate() {
                        let mut here = [Row::EMPTY; BITS];
                        for (row, plane) in here.iter_mut().zip(codes.planes()) {
                            *row = plane.slice(slice)[at];
                        }
                        let here = &here[..codes.planes().len()];
                        let able = able.slice(slice)[at];
                        let [win, draw, ..] = results(able, here, self.metric, side);
                        wins[at] |= win & legal;
                        draws[at] |= draw & legal;
                    }
                });
            }
            found.push(sets);
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use tbindex::batch::Backend;
    use tbindex::bitbase::Slice;
    use tbindex::{Position, Square};

    use super::*;
    use crate::chess::board::Board;
    use crate::chess::game::GamePosition;
    use crate::chess::piece_set::Letters;
    use crate::questions::mine::{MineOptions, mine};
    use crate::subtables::library::Library;
    use crate::table::planes::Planes;
    use crate::table::reachable::reachable;
    use crate::table::shape::Shape;
    use crate::table::solved::{Part, Side, Table};
    use crate::table::value::{Metric, Outcome, Value};

    /// A table whose positions all have one value with white to move, and one with black to move.
    fn made_up(shape: &Shape, values: [Value; 2]) -> Table {
        let parts = (0..shape.parts()).map(|number| {
            let domain = shape.domain(number);
            let sides = Color::ALL.map(|side| {
                let value = values[side as usize];
                let planes = (0..domain.slices()).map(|slice| {
                    let mut rows = vec![Row::EMPTY; domain.rows()];
                    Slice::new(&domain, slice).illegal_into(side, &mut rows, Backend::detect());
                    let mut planes = Planes::default();
                    let slabs = rows.as_chunks().0.iter().enumerate();
                    for (slab, illegal) in slabs.filter(|_| value != Value::DRAW) {
                        planes.add(slab, &illegal.map(|row| !row), rows.len(), 1);
                    }
                    planes
                });
                Side {
                    slices: planes.collect(),
                    values: Arc::new(vec![Value::DRAW, value]),
                }
            });
            Part { domain, sides }
        });
        Table {
            shape: shape.clone(),
            metric: Metric::Dtz,
            parts: parts.collect(),
        }
    }

    /// What each move is worth, and whether it captures en passant.
    fn moves(board: &Board, library: &Library) -> Vec<(Outcome, bool)> {
        let before = board.position();
        let worth = |step: crate::chess::notation::Move<Board>| {
            let value = step.after.value(Metric::Dtz, |after| library.value(after));
            let value = Metric::Dtz.after_move(value.unwrap(), step.zeroing);
            let onto_nothing = before.board[step.to.index()].is_none();
            let sideways = step.from.file() != step.to.file();
            let is_pawn = step.piece == PieceType::Pawn;
            (value.outcome, is_pawn && sideways && onto_nothing)
        };
        board.moves().into_iter().map(worth).collect()
    }

    fn is_only_move(board: &Board, library: &Library) -> bool {
        let moves = moves(board, library);
        let value = library.value(&board.position()).unwrap().outcome;
        let keeping = moves.iter().filter(|(outcome, _)| *outcome == value);
        let loses = moves.iter().any(|(outcome, _)| *outcome == Outcome::Loss);
        let is_kept = value == Outcome::Win || value == Outcome::Draw && loses;
        is_kept && keeping.count() == 1
    }

    fn is_only_en_passant(board: &Board, library: &Library) -> bool {
        let passed = Board::new(&board.position(), Some("g3".parse().unwrap()));
        passed.is_some_and(|board| {
            let moves = moves(&board, library);
            let best = moves.iter().map(|(outcome, _)| *outcome).max();
            let mut best_moves = moves.iter().filter(|(outcome, _)| Some(*outcome) == best);
            best >= Some(Outcome::Draw) && best_moves.all(|(_, en_passant)| *en_passant)
        })
    }

    /// Black has no move but a capture en passant, being checkmated or stalemated without it, in tables that say what makes
    /// the difference.
    #[test]
    fn captures_en_passant_may_be_the_only_moves() {
        type Law = fn(&Board, &Library) -> bool;
        let (win, draw, loss) = (Value::win(1), Value::DRAW, Value::loss(1));
        let laws: [(&str, Law, [Value; 2]); 3] = [
            ("only-en-passant", is_only_en_passant, [draw, draw]),
            ("only-en-passant", is_only_en_passant, [loss, win]),
            ("only-move", is_only_move, [win, draw]),
        ];
        let never = AtomicBool::new(false);
        // A pawn steps, or has just made two steps, to take the last squares from a king in a corner, or to check one.
        let placed = [
            "8/8/8/8/7p/7K/6P1/7k",
            "8/8/8/7k/7p/7K/6P1/8",
            "8/8/8/8/6Pp/7K/8/7k",
            "8/8/8/7k/6Pp/7K/8/8",
        ];
        // In how many positions each law holds, without a check and in one.
        let mut held = [[0; 2]; 3];
        // A queen also checkmates, which made-up tables do not tell from other moves.
        for (kind, laws) in [
            (PieceType::Knight, &laws[..]),
            (PieceType::Queen, &laws[..2]),
        ] {
            let mut boards = Vec::new();
            for fen in placed.map(|placed| format!("{placed} b - - 0 1")) {
                let game = GamePosition::parse(&fen, &Letters::default()).unwrap();
                let before = game.position();
                let free = Square::all().filter(|at| before.board[at.index()].is_none());
                for (at, side) in free.flat_map(|at| Color::ALL.map(|side| (at, side))) {
                    let mut position = Position { side, ..before };
                    position.board[at.index()] = Some(Piece::new(Color::White, kind));
                    boards.extend(Board::new(&position, None));
                }
            }
            let shapes = reachable(&GamePosition::from(boards[0].clone())).unwrap();
            for ((query, law, values), held) in laws.iter().zip(&mut held) {
                let mut library = Library::default();
                for shape in &shapes {
                    let is_large = shape.material().piece_count() > 4 && shape.slices() > 1;
                    let values = if is_large { [draw; 2] } else { *values };
                    library.insert(made_up(shape, values));
                }
                let table = library.get(&shapes[shapes.len() - 1].material()).unwrap();
                let options = MineOptions {
                    list: true,
                    ..MineOptions::new(Backend::detect(), &never)
                };
                let mut found = HashSet::new();
                let counts = mine(table, &library, &query.parse().unwrap(), options, |hit| {
                    found.insert(hit.position.to_string());
                    Ok(())
                });
                counts.unwrap();
                for board in &boards {
                    let (holds, position) = (law(board, &library), board.position().to_string());
                    assert_eq!(found.contains(&position), holds, "{query}: {position}");
                    held[usize::from(board.in_check())] += u32::from(holds);
                }
            }
        }
        println!("{held:?} positions");
        let [[a, b], [c, d], [e, _]] = held;
        assert!([a, b, c, d, e].iter().all(|&held| held > 0), "{held:?}");
    }
}
