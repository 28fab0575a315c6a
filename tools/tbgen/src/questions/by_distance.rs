//! Positions that are put into the order of their distances in a temporary file.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::Path;

use tbindex::{Color, Piece, Position};

use super::mine::Hit;
use crate::subtables::library::SolveError;
use crate::table::temp_file::TempFile;
use crate::table::value::{BEST_FIRST, Value};

/// The bytes of a position: outcome, side to move, and two for each piece.
const BYTES: usize = 16;

/// The bytes of a distance that are in memory, and are put into the file together.
const CHUNK: usize = 4096;

/// Positions in the order of their distances, the longest first, and of one distance as they came. They are in a temporary
/// file; 4 KiB for each distance are in memory.
#[derive(Debug)]
pub struct ByDistance {
    file: TempFile,
    most: u64,
    /// By plies.
    all: BTreeMap<u16, OneDistance>,
    /// Shorter distances are not wanted any more.
    least: u16,
}

#[derive(Debug, Default)]
struct OneDistance {
    count: u64,
    written: Vec<Range<u64>>,
    /// Those that are not yet written.
    last: Vec<u8>,
}

impl ByDistance {
    /// Takes the longest, so many at least, with a temporary file in a folder.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn new(folder: &Path, most: u64) -> io::Result<ByDistance> {
        Ok(ByDistance {
            file: TempFile::new(folder)?,
            most,
            all: BTreeMap::new(),
            least: 0,
        })
    }

    /// Adds a position.
    ///
    /// # Errors
    /// If the file can't be written.
    pub fn push(&mut self, hit: &Hit) -> io::Result<()> {
        if hit.value.plies < self.least {
            return Ok(());
        }
        let of = self.all.entry(hit.value.plies).or_default();
        if of.count >= self.most {
            return Ok(());
        }
        of.count += 1;
        of.last.extend(bytes_of(hit));
        if of.last.len() < CHUNK {
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
        let mut bytes = Vec::new();
        for (&plies, of) in self.all.iter().rev() {
            let mut some = |bytes: &[u8]| {
                let hits = bytes.as_chunks::<BYTES>().0.iter();
                hits.map(|bytes| hit_of(bytes, plies))
                    .try_for_each(&mut each)
            };
            for range in &of.written {
                bytes.resize((range.end - range.start) as usize, 0);
                self.file.read_at(&mut bytes, range.start)?;
                some(&bytes)?;
            }
            some(&of.last)?;
        }
        Ok(())
    }
}

fn bytes_of(hit: &Hit) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    // The place of the outcome in `BEST_FIRST`.
    bytes[0] = (2 - hit.value.outcome as i8) as u8;
    bytes[1] = hit.position.side as u8;
    let men = bytes[2..].as_chunks_mut::<2>().0.iter_mut();
    for (bytes, (piece, square)) in men.zip(hit.position.occupied()) {
        *bytes = [piece.code(), square.number()];
    }
    bytes
}

fn hit_of(bytes: &[u8; BYTES], plies: u16) -> Hit {
    let mut board = [None; 64];
    let men = bytes[2..].as_chunks::<2>().0.iter();
    for &[piece, square] in men.filter(|[piece, _]| *piece > 0) {
        board[usize::from(square)] = Piece::from_code(piece);
    }
    Hit {
        position: Position {
            board,
            side: Color::ALL[usize::from(bytes[1])],
        },
        value: Value {
            outcome: BEST_FIRST[usize::from(bytes[0])],
            plies,
        },
    }
}
