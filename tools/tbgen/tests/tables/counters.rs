//! Outcomes with the fifty-move counter, against a brute force over pairs of a position and a counter.
//!
//! It knows the rules by `cozy-chess` alone. With a counter of 100 a position is lost if it is checkmate, and else drawn.
//! With any other, its outcome is the best that a move brings: one that zeroes leads to a position with a counter of 0,
//! perhaps of other pieces, and another one to a position of the same pieces with a counter of one more.

use std::collections::HashMap;
use std::path::Path;

use cozy_chess as chess;
use rayon::prelude::*;
use tbgen::{Board, Ending, GamePosition, Outcome, Tables, needed_by};
use tbindex::PieceType;
use tbindex::batch::Backend;
use tbindex::store::Overwrite;

use crate::rules::{Man, board_of, kind, moves, position_of};
use crate::small::{METRICS, small_tables};
use crate::solved::material;

const COUNTERS: [u8; 4] = [0, 40, 80, 99];

/// The place of a piece among those of its side.
fn order(piece: chess::Piece) -> usize {
    chess::Piece::King as usize - piece as usize
}

/// The men of a board in an order of their own, on the board turned and mirrored so that the white king is on a1–d1–d4, or,
/// if there are pawns, the first of them on the files a to d. Where this leaves a choice, any is taken.
fn men_of(board: &chess::Board) -> Vec<Man> {
    let mut men: Vec<Man> = Vec::new();
    for color in chess::Color::ALL {
        for piece in chess::Piece::ALL {
            let squares = board.colored_pieces(color, piece).into_iter();
            men.extend(squares.map(|square| (color, piece, square as usize)));
        }
    }
    let pawn = men.iter().find(|man| man.1 == chess::Piece::Pawn);
    let pawn = pawn.map(|man| man.2);
    let king = board.king(chess::Color::White) as usize;
    let (file, rank) = (king % 8, king / 8);
    let turn: Box<dyn Fn(usize) -> usize> = match pawn {
        Some(pawn) if pawn % 8 > 3 => Box::new(|square| square ^ 7),
        Some(_) => Box::new(|square| square),
        None => {
            let flips = if file > 3 { 7 } else { 0 } | if rank > 3 { 56 } else { 0 };
            let folded = king ^ flips;
            let turned = folded / 8 > folded % 8;
            Box::new(move |square| {
                let square = square ^ flips;
                if turned {
                    square % 8 * 8 + square / 8
                } else {
                    square
                }
            })
        }
    };
    for man in &mut men {
        man.2 = turn(man.2);
    }
    men.sort_by_key(|&(color, piece, square)| (color as usize, order(piece), square));
    men
}

/// The material of men in order, and the number of their position among all placements of these pieces.
fn name_and_number(men: &[Man], side: chess::Color) -> (String, usize) {
    let mut name = String::new();
    let mut number = side as usize;
    for (k, &(color, piece, square)) in men.iter().enumerate() {
        if k > 0 && piece == chess::Piece::King {
            assert_eq!(color, chess::Color::Black);
            name.push('v');
        }
        name.push(kind(piece).letter().to_ascii_uppercase());
        number = number << 6 | square;
    }
    (name, number)
}

/// A legal position, and what its moves lead to.
struct State {
    number: usize,
    /// The outcome if there is no move.
    stuck: Option<i8>,
    /// The best outcome that a zeroing move brings.
    zeroing: Option<i8>,
    /// The places, in a list of all, of the positions after the other moves.
    others: std::ops::Range<usize>,
}

/// The outcomes of all positions of a material for the side to move, 1 for a win and −1 for a loss, with each of
/// [`COUNTERS`], by their numbers; those of illegal positions and of images are 2.
type Outcomes = [Vec<i8>; COUNTERS.len()];

/// The outcomes of all materials that were asked for.
#[derive(Default)]
struct BruteForce(HashMap<String, Outcomes>);

impl BruteForce {
    /// Works out a material such as `KRPvK`, of which black has no pawns and white one at most, and all that it leads to.
    fn solve(&mut self, name: &str) {
        if self.0.contains_key(name) {
            return;
        }
        let mut men = men(name);
        let size = 2 << (6 * men.len());
        self.0
            .insert(name.to_owned(), std::array::from_fn(|_| vec![2; size]));
        let pawn = men.iter().position(|man| man.1 == chess::Piece::Pawn);
        let mut places = vec![u32::MAX; size];
        match pawn {
            None => self.solve_part(name, &mut men, None, &mut places),
            // Pawns move up, so those that are far come first.
            Some(pawn) => {
                for square in (8..56).rev().filter(|square| square % 8 < 4) {
                    men[pawn].2 = square;
                    self.solve_part(name, &mut men, Some(pawn), &mut places);
                }
            }
        }
    }

    /// Works out the positions with a man where he is, or all if none is fixed.
    fn solve_part(
        &mut self,
        name: &str,
        men: &mut Vec<Man>,
        fixed: Option<usize>,
        places: &mut [u32],
    ) {
        let mut states: Vec<State> = Vec::new();
        place(men, 0, fixed, &mut |men| {
            for side in [chess::Color::White, chess::Color::Black] {
                // Images of a position that was there, or will be, are left out.
                if board_of(men, side).is_some_and(|board| men_of(&board) == men) {
                    let number = name_and_number(men, side).1;
                    places[number] = states.len() as u32;
                    states.push(State {
                        number,
                        stuck: None,
                        zeroing: None,
                        others: 0..0,
                    });
                }
            }
        });
        let mut others: Vec<u32> = Vec::new();
        for state in &mut states {
            let side = put(men, state.number);
            let board = board_of(men, side).unwrap();
            let begin = others.len();
            let steps = moves(&board);
            if steps.is_empty() {
                state.stuck = Some(if board.checkers().is_empty() { 0 } else { -1 });
            }
            for step in steps {
                let mut after = board.clone();
                after.play_unchecked(step);
                let (found, number) = name_and_number(&men_of(&after), after.side_to_move());
                let pawn = board.piece_on(step.from) == Some(chess::Piece::Pawn);
                if found == name && !pawn {
                    others.push(places[number]);
                    continue;
                }
                let outcome = match found.as_str() {
                    "KvK" => 0,
                    found => {
                        self.solve(found);
                        self.0[found][0][number]
                    }
                };
                assert!(outcome < 2, "{after}");
                state.zeroing = state.zeroing.max(Some(-outcome));
            }
            state.others = begin..others.len();
        }
        let mut after: Vec<i8> = states
            .iter()
            .map(|state| state.stuck.unwrap_or(0))
            .collect();
        for counter in (0..100).rev() {
            let now: Vec<i8> = (states.par_iter())
                .map(|state| {
                    let others = others[state.others.clone()].iter();
                    let best = others.map(|&place| -after[place as usize]).max();
                    state.stuck.or(best.max(state.zeroing)).unwrap_or(0)
                })
                .collect();
            // If another ply brings nothing, no more plies do.
            let last = now == after;
            after = now;
            let outcomes = self.0.get_mut(name).unwrap();
            for (outcomes, wanted) in outcomes.iter_mut().zip(COUNTERS) {
                if counter == wanted || (last && counter >= wanted) {
                    for (state, &outcome) in states.iter().zip(&after) {
                        outcomes[state.number] = outcome;
                    }
                }
            }
            if last {
                break;
            }
        }
    }
}

/// Puts men on all squares, but for one that is fixed. Without one the first stays on a1–d1–d4.
fn place(men: &mut Vec<Man>, next: usize, fixed: Option<usize>, each: &mut impl FnMut(&[Man])) {
    if next == men.len() {
        return each(men);
    }
    if Some(next) == fixed {
        return place(men, next + 1, fixed, each);
    }
    for square in 0..64 {
        let outside = square % 8 > 3 || square / 8 > square % 8;
        if (fixed.is_none() && next == 0 && outside)
            || men[..next].iter().any(|man| man.2 == square)
        {
            continue;
        }
        men[next].2 = square;
        place(men, next + 1, fixed, each);
    }
}

/// Puts men where they are in a position of this number, and returns the side to move.
fn put(men: &mut [Man], number: usize) -> chess::Color {
    let mut number = number;
    for man in men.iter_mut().rev() {
        man.2 = number & 63;
        number >>= 6;
    }
    [chess::Color::White, chess::Color::Black][number]
}

/// The men of a material, anywhere.
fn men(name: &str) -> Vec<Man> {
    let (white, black) = name.split_once('v').unwrap();
    let sides = [(chess::Color::White, white), (chess::Color::Black, black)];
    let men = sides.into_iter().flat_map(|(color, letters)| {
        letters.chars().map(move |letter| {
            let of_letter =
                |&piece: &chess::Piece| PieceType::from_letter(letter) == Some(kind(piece));
            (
                color,
                chess::Piece::ALL.into_iter().find(of_letter).unwrap(),
                0,
            )
        })
    });
    men.collect()
}

fn sign(outcome: Outcome) -> i8 {
    match outcome {
        Outcome::Win => 1,
        Outcome::Loss => -1,
        _ => 0,
    }
}

/// Tables in files, and tables that are solved on demand.
fn tables(name: &str, folder: &Path) -> [Tables; 2] {
    for metric in METRICS {
        for needed in needed_by(&material(name)) {
            let path = tbgen::Table::path(folder, needed, metric);
            let table = small_tables(metric).get(&needed).unwrap();
            table.write(&path, Overwrite::Replace).unwrap();
        }
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .build()
        .unwrap();
    let solver = Tables::solver(Backend::detect());
    [
        Tables::open(&[folder]).unwrap(),
        Tables::on_demand(1 << 30, pool, solver),
    ]
}

/// Compares all positions of a material, and returns how many there were. Of one in 997 it looks at the moves and the line.
fn compare(brute_force: &mut BruteForce, name: &str) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let tables = tables(name, folder.path());
    brute_force.solve(name);
    let outcomes = &brute_force.0[name];
    let numbers = (0..outcomes[0].len()).into_par_iter();
    let numbers = numbers.filter(|&number| outcomes[0][number] < 2);
    numbers
        .map(|number| {
            let mut men = men(name);
            let side = put(&mut men, number);
            let board = board_of(&men, side).unwrap();
            let position: GamePosition = Board::new(&position_of(&board), None).unwrap().into();
            for (counter, by_counter) in COUNTERS.into_iter().zip(outcomes) {
                let position = position.clone().with_counter(counter.into());
                let answers = tables
                    .each_ref()
                    .map(|tables| tables.answer(&position).unwrap());
                assert_eq!(answers[0], answers[1], "{}", position.fen());
                let found = answers[0].evaluation;
                assert_eq!(
                    sign(found.outcome),
                    by_counter[number],
                    "{}",
                    position.fen()
                );
                assert_eq!(
                    sign(found.at_zero),
                    outcomes[0][number],
                    "{}",
                    position.fen()
                );
                assert!(found.certain && found.exact);
                if number % 997 == 0 {
                    look_on(&tables, &position, found.outcome);
                }
            }
        })
        .count()
}

/// Looks at the moves of a position and at best play from it.
fn look_on(tables: &[Tables; 2], position: &GamePosition, outcome: Outcome) {
    let fen = position.fen();
    for tables in tables {
        let moves = tables.moves(position).unwrap();
        for step in &moves {
            assert_eq!(
                step.after,
                tables.answer(&step.position).unwrap(),
                "{fen} {}",
                step.uci
            );
            let after = step.after.evaluation.outcome;
            assert_eq!(
                step.evaluation.outcome as i8,
                -(after as i8),
                "{fen} {}",
                step.uci
            );
        }
        assert!(
            moves
                .first()
                .is_none_or(|best| best.evaluation.outcome == outcome),
            "{fen}"
        );
        let line = tables.line(position).unwrap();
        let mut expected = outcome;
        for step in &line.moves {
            assert_eq!(step.evaluation.outcome, expected, "{fen} {}", step.uci);
            expected = step.after.evaluation.outcome;
        }
        let ending = match outcome {
            Outcome::Draw => Ending::Draw,
            Outcome::CursedWin | Outcome::BlessedLoss => Ending::FiftyMoves,
            Outcome::Win | Outcome::Loss => Ending::Checkmate,
        };
        assert_eq!(line.ending, ending, "{fen}");
    }
}

#[test]
fn outcomes_with_counters_of_three_pieces_are_those_of_a_brute_force() {
    let mut brute_force = BruteForce::default();
    let compared = ["KQvK", "KRvK", "KPvK"].map(|name| compare(&mut brute_force, name));
    assert!(compared.iter().all(|&count| count > 40_000), "{compared:?}");
}

#[test]
#[ignore = "minutes, and 2 GB: cargo test --release -p tbgen --test tables -- --ignored counters_of_four"]
fn outcomes_with_counters_of_four_pieces_are_those_of_a_brute_force() {
    let mut brute_force = BruteForce::default();
    let compared = ["KQvKR", "KRPvK"].map(|name| compare(&mut brute_force, name));
    assert!(
        compared.iter().all(|&count| count > 2_000_000),
        "{compared:?}"
    );
}
