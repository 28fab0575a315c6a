//! Outcomes with the fifty-move counter, against a brute force over pairs of a position and a counter.
//!
//! It knows the rules by the boards of `cozy-chess` alone. With a counter of 100 a position is lost if it is checkmated, and
//! else drawn. With any other, its outcome is the best that a move brings: one that zeroes leads to a position with a counter
//! of 0, of other pieces or with a pawn on another rank, and another one to a position with a counter of one more.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use rayon::prelude::*;
use tbgen::{Ending, GamePosition, Outcome, Tables};
use tbindex::batch::Backend;
use tbindex::{Material, PieceType, Position};

use crate::batch::{Kind, written};
use crate::mined::{class, positions};
use crate::solved::material;
use crate::thorough::one_in;

const COUNTERS: [u16; 4] = [0, 40, 80, 99];

/// The pieces of a position, and the rank of its pawn if it has one: what all moves that zero change, and no others.
type Part = (Material, Option<usize>);

fn part_of(position: &Position) -> Part {
    let mut men = position.occupied();
    let pawn = men.find(|(piece, _)| piece.kind == PieceType::Pawn);
    let rank = pawn.map(|(_, square)| square.index() / 8);
    (position.material().unwrap(), rank)
}

/// The parts of a material with one pawn at most. White's pawns move up, so those that are far come first.
fn parts(material: Material) -> Vec<Part> {
    let ranks = match material.has_pawns() {
        true => (1..7).rev().map(Some).collect(),
        false => vec![None],
    };
    ranks.into_iter().map(|rank| (material, rank)).collect()
}

/// The legal positions of a part up to symmetry, and their places in this list by their classes.
fn legal(part: Part) -> (Vec<GamePosition>, HashMap<u64, u32>) {
    let (mut games, mut places) = (Vec::new(), HashMap::new());
    positions(part.0, 1, |position| {
        if part_of(&position) == part
            && let Some(board) = GamePosition::new(&position, None)
        {
            let class = class(&position, part.0.group());
            places.entry(class).or_insert_with(|| {
                games.push(board);
                games.len() as u32 - 1
            });
        }
    });
    (games, places)
}

/// The results of the moves of a position.
struct State {
    /// The outcome if there is no move.
    stuck: Option<i8>,
    /// The best outcome that a zeroing move brings.
    zeroing: Option<i8>,
    /// The places, in a list of all, of the positions after the other moves.
    others: Range<usize>,
}

/// The knowledge about the legal positions of a part.
struct Solved {
    /// Their places by their classes.
    places: HashMap<u64, u32>,
    /// The outcomes for the side to move, 1 for a win and −1 for a loss, with each of [`COUNTERS`].
    outcomes: [Vec<i8>; COUNTERS.len()],
}

/// All parts that were asked for.
#[derive(Default)]
struct BruteForce(BTreeMap<Part, Solved>);

impl BruteForce {
    /// Works out a part of which black has no pawns and white one at most, and all that it leads to.
    fn solve(&mut self, part: Part) -> &Solved {
        if !self.0.contains_key(&part) {
            let solved = self.solve_new(part);
            self.0.insert(part, solved);
        }
        &self.0[&part]
    }

    fn solve_new(&mut self, part: Part) -> Solved {
        let group = part.0.group();
        let (games, places) = legal(part);
        let mut others: Vec<u32> = Vec::new();
        let mut states: Vec<State> = Vec::new();
        for game in &games {
            let (begin, moves) = (others.len(), game.moves());
            let mut zeroing = None;
            for step in &moves {
                let after = step.after.position();
                let there = part_of(&after);
                if there == part {
                    others.push(places[&class(&after, group)]);
                    continue;
                }
                let outcome = match there.0.piece_count() {
                    2 => 0,
                    _ => {
                        let solved = self.solve(there);
                        let place = solved.places[&class(&after, there.0.group())];
                        solved.outcomes[0][place as usize]
                    }
                };
                zeroing = zeroing.max(Some(-outcome));
            }
            states.push(State {
                stuck: moves.is_empty().then(|| -i8::from(game.in_check())),
                zeroing,
                others: begin..others.len(),
            });
        }
        let mut outcomes: [Vec<i8>; COUNTERS.len()] = Default::default();
        let stuck = states.iter().map(|state| state.stuck.unwrap_or(0));
        let mut after: Vec<i8> = stuck.collect();
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
            for (outcomes, wanted) in outcomes.iter_mut().zip(COUNTERS) {
                if counter == wanted || (last && counter >= wanted) {
                    outcomes.clone_from(&after);
                }
            }
            if last {
                break;
            }
        }
        Solved { places, outcomes }
    }
}

fn sign(outcome: Outcome) -> i8 {
    match outcome {
        Outcome::Win => 1,
        Outcome::Loss => -1,
        _ => 0,
    }
}

/// Compares one position in eleven of a material, or all if `TBINDEX_THOROUGH` is set, and returns how many there were. For one
/// in 990 it looks at the moves and the line.
fn compare(brute_force: &mut BruteForce, name: &str) -> usize {
    let (_folder, in_files) = written(&[name], Kind::Own);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    let solver = Tables::solver(Backend::detect());
    let on_demand = Tables::on_demand(1 << 30, pool.unwrap(), solver);
    let tables = [in_files, on_demand];
    let mut compared = 0;
    for part in parts(material(name)) {
        let outcomes = &brute_force.solve(part).outcomes;
        let (games, _) = legal(part);
        compared += games.len();
        let some = games.par_iter().enumerate();
        some.filter(|(k, _)| k % one_in(23) == 0)
            .for_each(|(k, game)| {
                for (counter, by_counter) in COUNTERS.into_iter().zip(outcomes) {
                    let position = game.clone().with_counter(counter);
                    let fen = position.fen();
                    let answers =
                        (tables.each_ref()).map(|tables| tables.answer(&position).unwrap());
                    assert_eq!(answers[0], answers[1], "{fen}");
                    let found = answers[0].evaluation;
                    assert_eq!(sign(found.outcome), by_counter[k], "{fen}");
                    assert_eq!(sign(found.at_zero), outcomes[0][k], "{fen}");
                    assert!(found.certain && found.exact);
                    if k % 990 == 0 {
                        look_on(&tables, &position, found.outcome);
                    }
                }
            });
    }
    compared
}

/// Looks at the moves of a position and at best play from it.
fn look_on(tables: &[Tables; 2], position: &GamePosition, outcome: Outcome) {
    let fen = position.fen();
    for tables in tables {
        let moves = tables.moves(position).unwrap();
        for step in &moves {
            let after = tables.answer(&step.position).unwrap();
            assert_eq!(step.after, Some(after), "{fen} {}", step.uci);
            let [here, there] =
                [step.evaluation.unwrap(), after.evaluation].map(|of| of.outcome as i8);
            assert_eq!(here, -there, "{fen} {}", step.uci);
        }
        let best = moves.first().map(|best| best.evaluation.unwrap().outcome);
        assert!(best.is_none_or(|best| best == outcome), "{fen}");
        let line = tables.line(position).unwrap();
        let mut expected = outcome;
        for step in &line.moves {
            let outcome = step.evaluation.unwrap().outcome;
            assert_eq!(outcome, expected, "{fen} {}", step.uci);
            expected = step.after.unwrap().evaluation.outcome;
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
    for name in ["KRvK", "KPvK", "KQvK"]
        .into_iter()
        .take(if one_in(2) == 1 { 3 } else { 2 })
    {
        let compared = compare(&mut brute_force, name);
        assert!(compared > 40_000, "{name}: {compared}");
    }
}

#[test]
#[ignore = "minutes, and 2 GB: cargo test --release -p tbgen --test tables -- --ignored counters_of_four"]
fn outcomes_with_counters_of_four_pieces_are_those_of_a_brute_force() {
    let mut brute_force = BruteForce::default();
    let compared = ["KQvKR", "KRPvK"].map(|name| compare(&mut brute_force, name));
    let enough = compared.iter().all(|&count| count > 2_000_000);
    assert!(enough, "{compared:?}");
}
