//! Positions that are put into the order of their distances in a temporary file.

use std::collections::BTreeMap;
use std::path::Path;

use tbindex::{Color, Piece, Position};

use super::mine::Hit;
use crate::storage::record_file::{RecordError, RecordFile, Span};
use crate::subtables::library::SolveError;
use crate::table::value::{BEST_FIRST, Value};

/// The positions of a distance that are in memory, and are put into the file together.
const TOGETHER: usize = 256;

/// Positions in the order of their distances, the longest first, and of one distance as they came. They are in a temporary
/// file; 5 KiB for each distance are in memory, and 1 MiB for all.
#[derive(Debug)]
pub struct ByDistance {
    file: RecordFile,
    most: u64,
    /// By plies.
    all: BTreeMap<u16, OneDistance>,
    /// Shorter distances are not wanted any more.
    least: u16,
}

/// A position of a distance: the outcome, whether black is to move, and the codes and the squares of the pieces.
type Waiting = (i8, bool, [(u8, u8); 8]);

#[derive(Debug, Default)]
struct OneDistance {
    count: u64,
    written: Vec<Span>,
    /// The positions that are not yet written.
    last: Vec<Waiting>,
}

impl ByDistance {
    /// Takes the longest, so many at least, with a temporary file in a folder.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn new(folder: &Path, most: u64) -> Result<ByDistance, RecordError> {
        Ok(ByDistance {
            file: RecordFile::temporary(folder)?,
            most,
            all: BTreeMap::new(),
            least: 0,
        })
    }

    /// Adds a position.
    ///
    /// # Errors
    /// If the file can't be written.
    pub fn push(&mut self, hit: &Hit) -> Result<(), RecordError> {
        if hit.value.plies < self.least {
            return Ok(());
        }
        let of = self.all.entry(hit.value.plies).or_default();
        if of.count >= self.most {
            return Ok(());
        }
        of.count += 1;
        of.last.push(waiting(hit));
        if of.last.len() < TOGETHER {
            return Ok(());
        }
        of.written.push(self.file.append(&of.last)?);
        of.last.clear();
        let mut longer = 0;
        let enough = self.all.iter().rev().find(|(_, of)| {
            longer += of.count;
            longer >= self.most
        });
        if let Some((&plies, _)) = enough {
            self.least = plies;
            self.all = self.all.split_off(&plies);
        }
        Ok(())
    }

    /// Hands over the positions.
    ///
    /// # Errors
    /// If the file can't be read, and what the function returns.
    pub fn each(
        self,
        mut each: impl FnMut(Hit) -> Result<(), SolveError>,
    ) -> Result<(), SolveError> {
        for (&plies, of) in self.all.iter().rev() {
            let mut hand_over = |some: &[Waiting]| {
                some.iter()
                    .try_for_each(|position| each(hit_of(position, plies)))
            };
            for &span in &of.written {
                let read = postcard::from_bytes::<Vec<Waiting>>(&self.file.read(span)?);
                let damaged = |_| self.file.reader.damaged(span, "it has no positions");
                hand_over(&read.map_err(damaged)?)?;
            }
            hand_over(&of.last)?;
        }
        Ok(())
    }
}

fn waiting(hit: &Hit) -> Waiting {
    let mut men = [(0, 0); 8];
    for (man, (piece, square)) in men.iter_mut().zip(hit.position.occupied()) {
        *man = (piece.code(), square.number());
    }
    let black = hit.position.side == Color::Black;
    (hit.value.outcome as i8, black, men)
}

fn hit_of(&(outcome, black, men): &Waiting, plies: u16) -> Hit {
    let mut board = [None; 64];
    for (piece, square) in men.into_iter().filter(|(piece, _)| *piece > 0) {
        board[usize::from(square)] = Piece::from_code(piece);
    }
    let side = Color::ALL[usize::from(black)];
    let outcome = BEST_FIRST[(2 - outcome) as usize];
    Hit {
        position: Position { board, side },
        value: Value { outcome, plies },
    }
}
