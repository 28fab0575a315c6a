//! Short helpmates without tables: a search through the moves of both sides.

use rustc_hash::FxHashMap;
use tbindex::{CastlingRights, Color};

use super::solutions::{Solutions, list};
use crate::chess::board::Board;
use crate::chess::game::GamePosition;
use crate::table::value::Value;

/// A search for the helpmates of a position in which one side, the victim, is checkmated. It counts the sequences of moves of a
/// given length, and keeps the count of each position that it meets.
///
/// ```
/// use tbgen::{GamePosition, HelpSearch, Letters};
/// use tbindex::{CastlingRights, Color};
///
/// let position = GamePosition::parse("8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1", &Letters::default())?;
/// let mut search = HelpSearch::new(Color::Black, 64 << 20);
/// let shortest = search.value(&position).expect("a helpmate in three moves");
/// assert_eq!((shortest.plies, shortest.is_unique()), (6, false));
/// let solutions = search.solutions(&position, 6, 1);
/// assert_eq!(solutions.count, Some(164));
/// assert_eq!(solutions.found[0].join(" "), "Rb4 Qd6+ Kb5 Kc2 Ka4 Qa6#");
/// # Ok::<(), tbgen::BoardError>(())
/// ```
#[derive(Debug)]
pub struct HelpSearch {
    victim: Color,
    /// The counts of positions and numbers of plies.
    counts: FxHashMap<(u128, u16), u64>,
    most_counts: usize,
}

/// The bytes of a count in a map that grows.
const BYTES_PER_COUNT: u64 = 144;

/// The men on their squares, the side to move, the file of a pawn that can be captured en passant, and castling rights.
fn key(board: &Board) -> u128 {
    let file = (board.en_passant()).map_or(8, |square| square.file() as u128);
    let mut key = (16 | file) << 1 | board.side() as u128;
    let CastlingRights {
        king_side,
        queen_side,
        ..
    } = board.castling();
    for right in king_side.into_iter().chain(queen_side) {
        key = key << 1 | u128::from(right);
    }
    for &(piece, square) in board.men() {
        key = key << 10 | (piece.color as u128) << 9 | (piece.kind as u128) << 6;
        key |= square.index() as u128;
    }
    key
}

impl HelpSearch {
    /// The most plies of the helpmates that are worth a search: three moves of each side.
    pub const MOST_PLIES: u16 = 6;

    /// A search for checkmates of `victim`, which takes about so many bytes of memory at most.
    #[must_use]
    pub fn new(victim: Color, memory: u64) -> HelpSearch {
        HelpSearch {
            victim,
            counts: FxHashMap::default(),
            most_counts: (memory / BYTES_PER_COUNT) as usize,
        }
    }

    /// How many sequences of exactly so many plies lead to a checkmate of the victim. It takes some seconds at most if there
    /// are [few plies](HelpSearch::MOST_PLIES).
    ///
    /// # Panics
    /// If the position has short-range pieces.
    pub fn count(&mut self, position: &GamePosition, plies: u16) -> u64 {
        assert!(
            !position.is_short_range(),
            "helpmates are of pieces of chess"
        );
        self.count_on(position.board(), plies)
    }

    fn count_on(&mut self, board: &Board, plies: u16) -> u64 {
        let is_victim = board.side() == self.victim;
        let helpers = board.men().iter().filter(|man| man.0.color != self.victim);
        // The victim is to move in the end, and no bare king checkmates.
        if is_victim != plies.is_multiple_of(2) || helpers.count() == 1 {
            return 0;
        }
        if plies == 0 {
            return u64::from(board.in_check() && !board.can_move());
        }
        let key = (key(board), plies);
        if let Some(&count) = self.counts.get(&key) {
            return count;
        }
        let after = board
            .moves()
            .map(|step| self.count_on(&step.after, plies - 1));
        let count = after.sum();
        if self.counts.len() < self.most_counts {
            self.counts.insert(key, count);
        }
        count
    }

    /// The shortest helpmate, if it has [few plies](HelpSearch::MOST_PLIES).
    ///
    /// # Panics
    /// If the position has short-range pieces.
    pub fn value(&mut self, position: &GamePosition) -> Option<Value> {
        (0..=HelpSearch::MOST_PLIES).find_map(|plies| {
            let count = self.count(position, plies);
            (count > 0).then_some(Value::help(plies, count == 1))
        })
    }

    /// The sequences of exactly so many plies to a checkmate of the victim, but no more than `most` of them, with the number
    /// of them all.
    ///
    /// # Panics
    /// If the position has short-range pieces.
    pub fn solutions(&mut self, position: &GamePosition, plies: u16, most: usize) -> Solutions {
        let count = Some(self.count(position, plies));
        let mut has = |position: &GamePosition, plies| Ok(self.count(position, plies) > 0);
        let found = list(&mut Vec::new(), position, plies, most, &mut has);
        let found = found.expect("a search asks no tables");
        Solutions { count, ..found }
    }
}
