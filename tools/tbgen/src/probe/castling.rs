//! Values of positions with castling rights, which no table has.
//!
//! While a right stands, its king and its rook stand, and so does every pawn until it moves. So such positions fall into *parts*:
//! in a part these men stand on fixed squares, and the others anywhere. Moves of the others stay in the part. The moves that lead out of
//! it are castling, moves of a king or a rook whose right is lost, captures, and moves of pawns: each leads to a part with fewer
//! rights, fewer men, or pawns that are further, or to a table. So a part is solved by a retrograde pass whose seeds are the
//! worths of the moves out of it.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use tbindex::{
    Bitboard, CastlingRights, Color, File, Material, Piece, PieceType, Position, Rank, Square,
    attacks,
};

use crate::chess::board::Board;
use crate::chess::error::ProbeError;
use crate::chess::game::GamePosition;
use crate::chess::piece_set::PieceSet;
use crate::probe::answer::TablesError;
use crate::subtables::library::{Library, heed_stop};
use crate::table::en_passant::value_with_en_passant;
use crate::table::shape::table_of;
use crate::table::slots::Slot;
use crate::table::solved::Table;
use crate::table::value::{Metric, Value};

/// Men on fixed squares and free ones, and the rights that all positions of the part have.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Part {
    fixed: Vec<(Piece, Square)>,
    free: Vec<Piece>,
    castling: CastlingRights,
}

/// A flag that stops the work when it is set.
pub(crate) type Stop = Arc<dyn Deref<Target = AtomicBool> + Send + Sync>;

/// The parts that were solved, the flag that stops the work, and the lock of those who solve.
pub(crate) struct Castling {
    stop: Stop,
    turn: Arc<Mutex<()>>,
    solved: Mutex<HashMap<(Part, Metric), Values>>,
}

/// The values of all places of a part. A draw has none, and of positions that are not legal it means nothing.
type Values = Arc<Vec<Option<Value>>>;

/// The bytes of each place of a part in work: its value, what is noted of it, a part of the moves to the table, and lists of places,
/// which grow.
const BYTES_PER_PLACE: u64 = 52;

/// The most memory, in bytes, that the values of a position with castling rights take beside its tables: a part with all men
/// but a king and its rook free in work, and for each right such parts by both metrics, one for each way of promoting pawns, or of
/// leaving them; and a quarter more for the smaller ones that these lead to and that lead to them.
pub(crate) fn memory(position: &GamePosition) -> u64 {
    let castling = position.castling();
    let rights = castling.king_side.into_iter().chain(castling.queen_side);
    let rights = rights.filter(|&stands| stands).count() as u64;
    if rights == 0 {
        return 0;
    }
    let men: Vec<Piece> = position.position().occupied().map(|man| man.0).collect();
    let pawns = men.iter().filter(|man| man.kind == PieceType::Pawn).count() as u32;
    let Some(free) = men.len().checked_sub(2).filter(|&free| free <= 5) else {
        return u64::MAX;
    };
    let kept = 2 * rights * size_of::<Option<Value>>() as u64 * 5u64.pow(pawns);
    ((BYTES_PER_PLACE + kept) * 5 / 4) << (1 + 6 * free)
}

fn square(number: usize) -> Square {
    Square::new(number as u8 & 63)
}

impl Part {
    /// The part and the place of a board with castling rights.
    fn of(board: &Board) -> (Part, usize) {
        let castling = board.castling();
        let (mut fixed, mut free) = (Vec::new(), Vec::new());
        let mut place = board.side() as usize;
        for &(piece, square) in board.men() {
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
    fn board(&self, place: usize) -> Option<Board> {
        let side = Color::ALL[place & 1];
        let mut board = [None; 64];
        for &(piece, square) in &self.fixed {
            board[square.index()] = Some(piece);
        }
        for (&piece, square) in self.free.iter().zip(self.squares(place)) {
            if board[square].replace(piece).is_some() {
                return None;
            }
        }
        let position = Position { board, side };
        Board::new(&position, None, self.castling, PieceSet::CHESS)
    }

    /// The squares of the free men.
    fn squares(&self, place: usize) -> impl Iterator<Item = usize> + Clone + use<> {
        (0..self.free.len()).map(move |number| place >> (1 + 6 * number) & 63)
    }

    /// The places from which a free man's move leads to a place, of which some may not be legal.
    fn before(&self, place: usize) -> impl Iterator<Item = usize> {
        let fixed = self.fixed.iter().map(|man| man.1);
        let all = fixed.chain(self.squares(place).map(square));
        let occupied = all.fold(Bitboard::EMPTY, Bitboard::with);
        let mover = !Color::ALL[place & 1];
        let men = self.free.iter().zip(self.squares(place)).zip(0..);
        let men = men.filter(move |((man, _), _)| man.color == mover);
        men.flat_map(move |((&man, to), number)| {
            let shift = 1 + 6 * number;
            let others = place & !(63 << shift) ^ 1;
            let from = attacks(man, square(to), occupied) - occupied;
            from.into_iter()
                .map(move |from| others | from.index() << shift)
        })
    }
}

/// How many positions of the table of the same men are looked up together, if the part has twice as many places.
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
    best: &mut [Option<Value>],
) -> Result<(), TablesError> {
    let added = table.each_value(plain, |place, value| {
        let worth = table.metric().after_move(value, false);
        improve(&mut best[place as usize], worth);
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

    fn take(&mut self, lost: bool, plies: usize) -> impl Iterator<Item = usize> + use<> {
        let places = std::mem::take(&mut self.plies[plies][usize::from(lost)]);
        places.into_iter().map(|place| place as usize)
    }
}

impl Castling {
    pub(crate) fn new(stop: Stop, turn: Arc<Mutex<()>>) -> Castling {
        let solved = Mutex::default();
        Castling { stop, turn, solved }
    }

    /// Whether the value of a board by a metric takes no more work.
    pub(crate) fn is_solved(&self, metric: Metric, board: &Board) -> bool {
        let solved = self.solved.lock().unwrap_or_else(PoisonError::into_inner);
        let known = &mut |board: &Board| {
            let is_known =
                board.castling().is_empty() || solved.contains_key(&(Part::of(board).0, metric));
            is_known.then_some(Value::DRAW).ok_or(())
        };
        value_with_en_passant(metric, board, known).is_ok()
    }

    /// The value of a board by a metric, with castling rights or without. Parts are solved one at a time, with the lock, which the
    /// caller may have already.
    ///
    /// # Errors
    /// If a table that it needs is not in the library, or the work is stopped.
    pub(crate) fn value(
        &self,
        library: &Library,
        metric: Metric,
        board: &Board,
        has_turn: bool,
    ) -> Result<Value, TablesError> {
        value_with_en_passant(metric, board, &mut |board| {
            if board.castling().is_empty() {
                return Ok(library.value_by_name(metric, board.men(), board.side())?);
            }
            let (part, place) = Part::of(board);
            let key = (part, metric);
            let solved = || self.solved.lock().unwrap_or_else(PoisonError::into_inner);
            let find = || solved().get(&key).cloned();
            let value = |values: Values| Ok(values[place].unwrap_or(Value::DRAW));
            if let Some(values) = find() {
                return value(values);
            }
            let turn = (!has_turn).then(|| self.turn.lock());
            let _turn = turn.map(|turn| turn.unwrap_or_else(PoisonError::into_inner));
            // Another thread may have solved it meanwhile. Nobody waits for the parts that are known while one is solved.
            if let Some(values) = find() {
                return value(values);
            }
            let values = Arc::new(self.solve(library, metric, &key.0)?);
            solved().insert(key, Arc::clone(&values));
            value(values)
        })
    }

    /// The values of all places of a part.
    fn solve(
        &self,
        library: &Library,
        metric: Metric,
        part: &Part,
    ) -> Result<Vec<Option<Value>>, TablesError> {
        let places = part.places();
        // The best moves out of the part, and in the end the values.
        let mut best: Vec<Option<Value>> = vec![None; places];
        // How many moves within the part are left, of which no position has more than 218.
        let mut left = vec![0u8; places];
        // Places that are not legal are never looked at, as if they were known.
        let (mut known, mut reached) = (vec![true; places], vec![false; places]);
        let (mut due, mut plain) = (Due::default(), Vec::new());
        // Most moves out of the part lead to the table of the same men.
        let fixed = part.fixed.iter().map(|man| man.0);
        let men = fixed.chain(part.free.iter().copied());
        let material = Material::from_pieces(men).map_err(ProbeError::from)?;
        let (name, swapped) = table_of(&material);
        let table = library.get(&name).ok_or(ProbeError::Missing(name))?;
        for place in 0..places {
            heed_stop(&self.stop)?;
            let Some(board) = part.board(place) else {
                continue;
            };
            known[place] = false;
            let mut can_move = false;
            for step in board.moves() {
                can_move = true;
                let (after, zeroing) = (&step.after, step.zeroing());
                if !zeroing && after.castling() == part.castling {
                    left[place] += 1;
                } else if !zeroing && after.castling().is_empty() {
                    let slot = (table.shape).slot_of(after.men(), after.side(), swapped)?;
                    plain.push((slot, place as u32));
                } else {
                    let value = self.value(library, metric, after, true)?;
                    improve(&mut best[place], metric.after_move(value, zeroing));
                }
            }
            if !can_move && board.in_check() {
                due.push(true, 0, place);
            }
            if plain.len() + MOST_OF_PLACE > MOST_PLAIN.min(places / 2) {
                add_plain(table, &mut plain, &mut best)?;
            }
        }
        add_plain(table, &mut plain, &mut best)?;
        drop(plain);
        for (place, value) in best.iter().enumerate() {
            let Some(value) = value else { continue };
            if value.kind() == 1 || value.kind() == 2 && left[place] == 0 {
                due.push(value.kind() == 2, value.plies, place);
            }
        }
        let mut plies = 0;
        while plies < due.plies.len() {
            let next = plies as u16 + 1;
            for place in due.take(true, plies) {
                heed_stop(&self.stop)?;
                known[place] = true;
                best[place] = Some(metric.loss(plies as u16));
                for from in part.before(place).filter(|&from| !known[from]) {
                    // The first of these is the shortest.
                    if !std::mem::replace(&mut reached[from], true) {
                        due.push(false, next, from);
                    }
                }
            }
            for place in due.take(false, plies) {
                heed_stop(&self.stop)?;
                if std::mem::replace(&mut known[place], true) {
                    continue;
                }
                best[place] = Some(metric.win(plies as u16));
                for from in part.before(place).filter(|&from| !known[from]) {
                    left[from] -= 1;
                    // Lost if no move is left, as late as the moves allow.
                    let latest = best[from].map_or(next, |value| next.max(value.plies));
                    if left[from] == 0 && best[from].is_none_or(|value| value.kind() == 2) {
                        due.push(true, latest, from);
                    }
                }
            }
            plies += 1;
        }
        for (value, known) in best.iter_mut().zip(known) {
            *value = value.filter(|_| known);
        }
        Ok(best)
    }
}
