//! Values of positions with castling rights, which no table has.
//!
//! While a right stands, its king and its rook stand, and so does every pawn until it moves. So such positions fall into *parts*:
//! in a part these men stand on fixed squares, and the others anywhere. Moves of the others stay in the part. What leads out of
//! it are castling, moves of a king or a rook whose right is lost, captures, and moves of pawns: each leads to a part with fewer
//! rights, fewer men, or pawns that are further, or to a table. So a part is solved by a retrograde pass whose seeds are the
//! worths of the moves out of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tbindex::board::{File, Rank};
use tbindex::{CastlingRights, Color, Material, Piece, PieceType, Position, Square};

use crate::chess::board::{castling_of, kind_of, men_of, position_of, side_of, to_cozy};
use crate::chess::error::ProbeError;
use crate::chess::game::GamePosition;
use crate::probe::answer::TablesError;
use crate::probe::verify::value_with_en_passant;
use crate::subtables::library::Library;
use crate::table::shape::{Slot, table_of};
use crate::table::solved::Table;
use crate::table::value::{Metric, Value};

/// Men on fixed squares and free ones, and the rights that all positions of the part have.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Part {
    fixed: Vec<(Piece, Square)>,
    free: Vec<Piece>,
    castling: CastlingRights,
}

/// The parts that were solved. Each has a value for every place: of positions that are not legal, it means nothing.
#[derive(Debug, Default)]
pub(crate) struct Castling {
    solved: Mutex<HashMap<(Part, Metric), Values>>,
}

/// The values of all places of a part.
type Values = Arc<Vec<Value>>;

/// The bytes of each place of a part in work: its value, the best move out of it, how many moves are left, and lists of places.
const BYTES_PER_PLACE: u64 = 32;
/// The bytes of a move within a part, in a list that grows.
const BYTES_PER_MOVE: u64 = 24;

/// The most moves of a man on the board; a pawn may become a queen.
fn most_moves(man: Piece) -> u64 {
    match man.kind {
        PieceType::King | PieceType::Knight => 8,
        PieceType::Queen | PieceType::Pawn => 27,
        PieceType::Rook => 14,
        PieceType::Bishop => 13,
    }
}

/// The most memory, in bytes, that the values of a position with castling rights take beside its tables: a part with all men
/// but a king and its rook free in work, a quarter more for the smaller ones that it leads to and that lead to it, and the values
/// of such parts by both metrics, one for each way of promoting pawns.
pub(crate) fn memory(position: &GamePosition) -> u64 {
    let castling = position.castling();
    if castling.is_empty() {
        return 0;
    }
    let men: Vec<Piece> = position.position().occupied().map(|man| man.0).collect();
    let pawns = men.iter().filter(|man| man.kind == PieceType::Pawn).count() as u32;
    let Some(free) = (men.len() as u32).checked_sub(2).filter(|&free| free <= 5) else {
        return u64::MAX;
    };
    let of_color = |color: Color| {
        if !castling.king_side[color as usize] && !castling.queen_side[color as usize] {
            return 0;
        }
        let mut fixed = [PieceType::King, PieceType::Rook]
            .map(|kind| Piece::new(color, kind))
            .to_vec();
        let moves = men.iter().map(|man| {
            let place = fixed.iter().position(|fixed| fixed == man);
            match place {
                Some(place) => {
                    fixed.remove(place);
                    0
                }
                None => most_moves(*man),
            }
        });
        let moves: u64 = moves.sum();
        let work = (2 * BYTES_PER_PLACE + BYTES_PER_MOVE * moves) * 5 / 4;
        let kept = 4 * size_of::<Value>() as u64 * 4u64.pow(pawns);
        (work + kept) << (6 * free)
    };
    let each = Color::ALL.map(of_color);
    each.into_iter().max().unwrap_or(0)
}

impl Part {
    /// The part and the place of a board with castling rights.
    fn of(board: &cozy_chess::Board) -> (Part, usize) {
        let castling = castling_of(board);
        let (mut fixed, mut free) = (Vec::new(), Vec::new());
        let mut place = board.side_to_move() as usize;
        for &(piece, square) in men_of(board).as_slice() {
            if piece.kind == PieceType::Pawn || has_right(castling, piece, square) {
                fixed.push((piece, square));
            } else {
                place |= square.index() << (1 + 6 * free.len());
                free.push(piece);
            }
        }
        let part = Part {
            fixed,
            free,
            castling,
        };
        (part, place)
    }

    /// Twice 64 to the number of free men.
    fn places(&self) -> usize {
        2 << (6 * self.free.len())
    }

    /// The board of a place, if it is a legal position.
    fn board(&self, place: usize) -> Option<cozy_chess::Board> {
        let side = Color::ALL[place & 1];
        let mut board = [None; 64];
        for &(piece, square) in &self.fixed {
            board[square.index()] = Some(piece);
        }
        for (number, &piece) in self.free.iter().enumerate() {
            let square = place >> (1 + 6 * number) & 63;
            if board[square].replace(piece).is_some() {
                return None;
            }
        }
        to_cozy(&Position { board, side }, None, self.castling)
    }

    /// The place after a free man's move.
    fn after(&self, place: usize, from: usize, to: usize) -> usize {
        let number = (0..self.free.len()).find(|number| place >> (1 + 6 * number) & 63 == from);
        let shift = 1 + 6 * number.expect("a free man stands there");
        (place & !(63 << shift) | to << shift) ^ 1
    }
}

/// How many positions of the table of the same men are looked up together.
const MOST_PLAIN: usize = 1 << 18;
/// No position has as many moves.
const MOST_OF_PLACE: usize = 256;

fn improve(best: &mut Option<Value>, worth: Value) {
    *best = Some(best.map_or(worth, |best| best.better(worth)));
}

/// Takes moves to a table into the best moves of their places.
fn add_plain(
    table: &Table,
    plain: &mut Vec<(Slot, u32)>,
    best_out: &mut [Option<Value>],
) -> Result<(), TablesError> {
    let metric = table.metric();
    let added = table.each_value(plain, |place, value| {
        improve(
            &mut best_out[place as usize],
            metric.after_move(value, false),
        );
    });
    plain.clear();
    Ok(added.map_err(ProbeError::from)?)
}

/// Whether a piece stands where it has to for one of the rights.
fn has_right(castling: CastlingRights, piece: Piece, square: Square) -> bool {
    let king_side = castling.king_side[piece.color as usize];
    let queen_side = castling.queen_side[piece.color as usize];
    match piece.kind {
        PieceType::King => king_side || queen_side,
        PieceType::Rook => {
            let rank = match piece.color {
                Color::White => Rank::First,
                Color::Black => Rank::Eighth,
            };
            let corner = |file| square == Square::at(file, rank);
            queen_side && corner(File::A) || king_side && corner(File::H)
        }
        _ => false,
    }
}

/// Places by the plies of their values, won ones and lost ones.
#[derive(Default)]
struct Due {
    plies: Vec<[Vec<u32>; 2]>,
}

impl Due {
    fn push(&mut self, lost: bool, plies: u16, place: usize) {
        let plies = usize::from(plies);
        if self.plies.len() <= plies {
            self.plies.resize_with(plies + 1, Default::default);
        }
        self.plies[plies][usize::from(lost)].push(place as u32);
    }

    fn take(&mut self, lost: bool, plies: usize) -> Vec<u32> {
        std::mem::take(&mut self.plies[plies][usize::from(lost)])
    }
}

impl Castling {
    /// The value of a board by a metric, with castling rights or without.
    ///
    /// # Errors
    /// If a table that it needs is not in the library.
    pub(crate) fn value(
        &self,
        library: &Library,
        metric: Metric,
        board: &cozy_chess::Board,
    ) -> Result<Value, TablesError> {
        value_with_en_passant(metric, board, &mut |board| {
            if castling_of(board).is_empty() {
                return Ok(library.value(&position_of(board))?);
            }
            let (part, place) = Part::of(board);
            let key = (part, metric);
            let solved = || self.solved.lock().unwrap_or_else(PoisonError::into_inner);
            let known = solved().get(&key).cloned();
            let values = match known {
                Some(values) => values,
                None => {
                    // Nobody waits for the lock while a part is solved.
                    let values = Arc::new(self.solve(library, metric, &key.0)?);
                    solved().insert(key, Arc::clone(&values));
                    values
                }
            };
            Ok(values[place])
        })
    }

    /// The values of all places of a part.
    fn solve(
        &self,
        library: &Library,
        metric: Metric,
        part: &Part,
    ) -> Result<Vec<Value>, TablesError> {
        let places = part.places();
        let mut values = vec![Value::DRAW; places];
        // The moves within the part, by the places after and before them.
        let mut moves: Vec<(u32, u32)> = Vec::new();
        let mut left = vec![0u16; places];
        let mut best_out: Vec<Option<Value>> = vec![None; places];
        let (mut due, mut plain) = (Due::default(), Vec::with_capacity(MOST_PLAIN));
        // Most moves out of the part lead to the table of the same men.
        let men = part
            .fixed
            .iter()
            .map(|man| man.0)
            .chain(part.free.iter().copied());
        let material = Material::from_pieces(men).map_err(ProbeError::from)?;
        let (name, swapped) = table_of(&material);
        let table = library.get(&name).ok_or(ProbeError::Missing(name))?;
        for place in 0..places {
            let Some(board) = part.board(place) else {
                continue;
            };
            let men = board.occupied().len();
            let (mut failed, mut can_move) = (None, false);
            board.generate_moves(|of_piece| {
                can_move = true;
                for step in of_piece {
                    let mut after = board.clone();
                    after.play_unchecked(step);
                    let captures = after.occupied().len() < men;
                    let is_pawn = kind_of(of_piece.piece) == PieceType::Pawn;
                    if !captures && !is_pawn && castling_of(&after) == part.castling {
                        let to = part.after(place, step.from as usize, step.to as usize);
                        moves.push((to as u32, place as u32));
                        left[place] += 1;
                        continue;
                    }
                    if !captures && !is_pawn && castling_of(&after).is_empty() {
                        let men = men_of(&after);
                        match table
                            .shape
                            .slot_of(men.as_slice(), side_of(&after), swapped)
                        {
                            Ok(slot) => plain.push((slot, place as u32)),
                            Err(error) => failed = Some(error.into()),
                        }
                        continue;
                    }
                    match self.value(library, metric, &after) {
                        Ok(value) => {
                            let worth = metric.after_move(value, captures || is_pawn);
                            improve(&mut best_out[place], worth);
                        }
                        Err(error) => failed = Some(error),
                    }
                }
                failed.is_some()
            });
            if let Some(error) = failed {
                return Err(error);
            }
            if !can_move && !board.checkers().is_empty() {
                due.push(true, 0, place);
            }
            if plain.len() + MOST_OF_PLACE > MOST_PLAIN {
                add_plain(table, &mut plain, &mut best_out)?;
            }
        }
        add_plain(table, &mut plain, &mut best_out)?;
        drop(plain);
        for (place, best) in best_out.iter().enumerate() {
            match best {
                Some(value) if value.kind() == 1 => due.push(false, value.plies, place),
                Some(value) if value.kind() == 2 && left[place] == 0 => {
                    due.push(true, value.plies, place);
                }
                _ => {}
            }
        }
        moves.sort_unstable();
        let (mut known, mut reached) = (vec![false; places], vec![false; places]);
        let before = |place: u32| {
            let begin = moves.partition_point(|step| step.0 < place);
            let of_place = moves[begin..]
                .iter()
                .take_while(move |step| step.0 == place);
            of_place.map(|step| step.1)
        };
        let mut plies = 0;
        while plies < due.plies.len() {
            let next = plies as u16 + 1;
            for place in due.take(true, plies) {
                if std::mem::replace(&mut known[place as usize], true) {
                    continue;
                }
                values[place as usize] = metric.loss(plies as u16);
                for from in before(place).map(|from| from as usize) {
                    // The first of these is the shortest.
                    if !std::mem::replace(&mut reached[from], true) && !known[from] {
                        due.push(false, next, from);
                    }
                }
            }
            for place in due.take(false, plies) {
                if std::mem::replace(&mut known[place as usize], true) {
                    continue;
                }
                values[place as usize] = metric.win(plies as u16);
                for from in before(place).map(|from| from as usize) {
                    left[from] -= 1;
                    // Lost if no move is left, as late as the moves allow.
                    match best_out[from] {
                        _ if left[from] > 0 => {}
                        None => due.push(true, next, from),
                        Some(value) if value.kind() == 2 => {
                            due.push(true, next.max(value.plies), from);
                        }
                        Some(_) => {}
                    }
                }
            }
            plies += 1;
        }
        Ok(values)
    }
}
