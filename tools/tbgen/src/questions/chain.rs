//! Chains of only moves.

use std::sync::atomic::{AtomicU8, Ordering};

use tbindex::Position;

use crate::chess::error::ProbeError;
use crate::chess::game::{GamePosition, Move};
use crate::subtables::library::Library;
use crate::table::shape::Shape;
use crate::table::slots::Slot;
use crate::table::solved::Table;
use crate::table::value::Outcome;

/// The chains of only moves of a table: how many only moves a winner has in a row.
///
/// A chain is empty if not exactly one move wins. Otherwise it is one move longer than after every reply that resists
/// longest, whichever of these replies leaves fewest only moves. It ends with a capture or promotion into another table.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use tbgen::{Chains, GamePosition, Library, Metric, Options, needed_by, solve};
/// use tbindex::batch::Backend;
/// let never = AtomicBool::new(false);
/// let mut library = Library::default();
/// for material in needed_by(&"KPvK".parse()?) {
///     let options = Options::new(Metric::Dtm, Backend::detect(), &never);
///     library.insert(solve(&material, &library, options)?);
/// }
/// let chains = Chains::new(library.get(&"KPvK".parse()?).unwrap(), &library);
/// let position = GamePosition::parse("8/8/k7/8/8/K4P2/8/8 w - - 0 1", &Default::default())?;
/// assert_eq!(chains.length(&position.position())?, 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Chains<'a> {
    table: &'a Table,
    library: &'a Library,
    /// By side to move and slot: one more than the length, or 0 where it is not known yet.
    known: Vec<AtomicU8>,
}

impl<'a> Chains<'a> {
    /// The chains of a table. The library has the tables that the table leads to.
    #[must_use]
    pub fn new(table: &'a Table, library: &'a Library) -> Chains<'a> {
        let slots = Chains::memory(table.shape());
        Chains {
            table,
            library,
            known: (0..slots).map(|_| AtomicU8::new(0)).collect(),
        }
    }

    /// The bytes that the lengths of a table's chains take.
    #[must_use]
    pub fn memory(shape: &Shape) -> u64 {
        2 * shape.slots()
    }

    /// The number of only moves in the chain that begins in a position. The numbers of the positions on the way are kept.
    ///
    /// # Errors
    /// If the position does not have the table's pieces, a table is missing, or one can't be read.
    pub fn length(&self, position: &Position) -> Result<u16, ProbeError> {
        match self.board(position)? {
            Some(board) => self.length_on(&board),
            None => Ok(0),
        }
    }

    /// The moves of the chain, with the replies that leave fewest only moves.
    ///
    /// # Errors
    /// As of [`length`](Chains::length).
    pub fn line(&self, position: &Position) -> Result<Vec<String>, ProbeError> {
        let (mut line, mut board) = (Vec::new(), self.board(position)?);
        while let Some(before) = board.take() {
            let Some(step) = self.only_move(&before)? else {
                break;
            };
            line.push(san(&before, &step));
            if let Some((1.., reply)) = self.reply(&step)? {
                line.push(san(&step.after, &reply));
                board = Some(reply.after);
            }
        }
        Ok(line)
    }

    /// A position of the table, if it is legal.
    fn board(&self, position: &Position) -> Result<Option<GamePosition>, ProbeError> {
        let (expected, found) = (self.table.material(), position.material()?);
        match expected == found {
            true => Ok(GamePosition::new(position, None)),
            false => Err(ProbeError::Material { expected, found }),
        }
    }

    fn length_on(&self, board: &GamePosition) -> Result<u16, ProbeError> {
        let known = self.known(board)?;
        if let Some(more @ 1..) = known.map(|known| known.load(Ordering::Relaxed)) {
            return Ok(u16::from(more) - 1);
        }
        let length = match self.only_move(board)? {
            Some(step) => 1 + self.reply(&step)?.map_or(0, |(length, _)| length),
            None => 0,
        };
        if let (Some(known), Ok(more)) = (known, u8::try_from(length + 1)) {
            known.store(more, Ordering::Relaxed);
        }
        Ok(length)
    }

    /// Where the length of a position is kept, if it has no right to capture en passant.
    fn known(&self, board: &GamePosition) -> Result<Option<&AtomicU8>, ProbeError> {
        let (shape, board) = (&self.table.shape, board.board());
        if board.en_passant().is_some() {
            return Ok(None);
        }
        let Slot { side, part, at } = shape.slot_of(board.men(), board.side(), false)?;
        let slice = (side as usize * shape.parts() + part) * shape.slices() + at.slice;
        let slot = slice as u64 * shape.any_domain().slice_slots() + at.offset;
        Ok(Some(&self.known[slot as usize]))
    }

    /// The one move that wins, if there is exactly one.
    fn only_move(&self, board: &GamePosition) -> Result<Option<Move>, ProbeError> {
        let mut winning = None;
        for step in board.moves() {
            let worth = self.library.worth(&step, self.table)?;
            if worth.outcome == Outcome::Win && winning.replace(step).is_some() {
                return Ok(None);
            }
        }
        Ok(winning)
    }

    /// Of the replies to an only move that resist longest, one that leaves fewest only moves, and how many. There is none if
    /// the move mates or leads out of the table.
    fn reply(&self, step: &Move) -> Result<Option<(u16, Move)>, ProbeError> {
        let mut least: Option<(u16, Move)> = None;
        if leaves(step) {
            return Ok(None);
        }
        let value = self.library.value_on(step.after.board(), self.table)?;
        for reply in step.after.moves() {
            if self.library.worth(&reply, self.table)? != value {
                continue;
            }
            let length = match leaves(&reply) {
                true => 0,
                false => self.length_on(&reply.after)?,
            };
            if least.as_ref().is_none_or(|(least, _)| length < *least) {
                least = Some((length, reply));
            }
            if length == 0 {
                break;
            }
        }
        Ok(least)
    }
}

/// Whether a move leads out of the table.
fn leaves(step: &Move) -> bool {
    step.capture || step.promotion.is_some()
}

/// A move as people write it.
fn san(before: &GamePosition, step: &Move) -> String {
    let moves = before.moves();
    let number = moves.iter().position(|other| other.uci() == step.uci());
    number.map_or_else(|| step.uci(), |number| before.san(&moves, number))
}
