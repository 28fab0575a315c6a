//! Checks tables by published Syzygy files.
//!
//! Their distances follow the same convention, with two differences in form. A checkmated side has −1
//! there. And files may store distances in moves, which the prober reports as rounded: the true distance is
//! the number given or one more. Where a file has only the other side to move, the prober looks at what the moves
//! lead to, and one of these may be rounded although the answer is not reported as such.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use shakmaty::{CastlingMode, Chess, FromSetup, Position as _, Setup};
use shakmaty_syzygy::filesystem::{Filesystem, OsFilesystem, RandomAccessFile, ReadHint};
use shakmaty_syzygy::{Dtz, MaybeRounded, SyzygyError, Tablebase, Wdl};
use tbindex::{Color, PieceType, Position};

use crate::table::Table;
use crate::value::{Outcome, Value};
use crate::verify::{Sample, VerifyError, for_each_position};

/// Files that are read whole. A probe takes many small reads, and as system calls these would take nearly
/// all the time.
struct InMemory(OsFilesystem);

struct Bytes(Vec<u8>);

impl Filesystem for InMemory {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        self.0.regular_file_size(path)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        self.0.read_dir(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        Ok(Box::new(Bytes(std::fs::read(path)?)))
    }
}

impl RandomAccessFile for Bytes {
    fn read_at(&self, buf: &mut [u8], offset: u64, _: ReadHint) -> io::Result<usize> {
        let rest = usize::try_from(offset)
            .ok()
            .and_then(|offset| self.0.get(offset..))
            .unwrap_or(&[]);
        let count = rest.len().min(buf.len());
        buf[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}

/// Published tables.
#[derive(Debug)]
pub struct Published {
    tables: Tablebase<Chess>,
}

fn to_chess(position: &Position) -> Option<Chess> {
    let mut setup = Setup::empty();
    setup.turn = match position.side {
        Color::White => shakmaty::Color::White,
        Color::Black => shakmaty::Color::Black,
    };
    for (piece, square) in position.occupied() {
        let role = match piece.kind {
            PieceType::King => shakmaty::Role::King,
            PieceType::Queen => shakmaty::Role::Queen,
            PieceType::Rook => shakmaty::Role::Rook,
            PieceType::Bishop => shakmaty::Role::Bishop,
            PieceType::Knight => shakmaty::Role::Knight,
            PieceType::Pawn => shakmaty::Role::Pawn,
        };
        let piece = shakmaty::Piece {
            color: match piece.color {
                Color::White => shakmaty::Color::White,
                Color::Black => shakmaty::Color::Black,
            },
            role,
        };
        setup
            .board
            .set_piece_at(shakmaty::Square::new(u32::from(square.number())), piece);
    }
    // In a table, a check to which no game could lead is legal.
    Chess::from_setup(setup, CastlingMode::Standard)
        .or_else(shakmaty::PositionError::ignore_impossible_check)
        .ok()
}

fn fits(found: Value, wdl: Wdl, dtz: MaybeRounded<Dtz>) -> bool {
    let outcome = match wdl {
        Wdl::Loss => Outcome::Loss,
        Wdl::BlessedLoss => Outcome::BlessedLoss,
        Wdl::Draw => Outcome::Draw,
        Wdl::CursedWin => Outcome::CursedWin,
        Wdl::Win => Outcome::Win,
    };
    let plies = i32::from(found.plies);
    let signed = match found.outcome {
        Outcome::Draw => 0,
        Outcome::Win | Outcome::CursedWin => plies,
        Outcome::Loss | Outcome::BlessedLoss => -plies.max(1),
    };
    let close = match dtz {
        MaybeRounded::Precise(Dtz(n)) => signed == n,
        MaybeRounded::Rounded(Dtz(n)) => signed == n || signed == n + n.signum(),
    };
    outcome == found.outcome && close
}

impl Published {
    /// Opens all tables in a folder, and returns them with the number of files.
    ///
    /// # Errors
    /// If the folder can't be read.
    pub fn open(folder: &Path) -> std::io::Result<(Published, usize)> {
        let mut tables = Tablebase::with_filesystem(Arc::new(InMemory(OsFilesystem::new())));
        let count = tables.add_directory(folder)?;
        Ok((Published { tables }, count))
    }

    /// Whether both files of this table's material are there.
    #[must_use]
    pub fn has(&self, table: &Table, folder: &Path) -> bool {
        ["rtbw", "rtbz"].iter().all(|kind| {
            folder
                .join(format!("{}.{kind}", table.material()))
                .is_file()
        })
    }

    /// Whether a loss is one ply longer than the prober says because a move that holds as long, by its rounded
    /// distance, holds a ply longer. The prober keeps the first of equal moves, be it rounded or not.
    fn fits_a_rounded_move(
        &self,
        chess: &Chess,
        found: Value,
        wdl: Wdl,
        dtz: MaybeRounded<Dtz>,
    ) -> bool {
        let MaybeRounded::Precise(Dtz(n)) = dtz else {
            return false;
        };
        if n >= 0 || !fits(found, wdl, MaybeRounded::Rounded(Dtz(n))) {
            return false;
        }
        let mut moves = chess.legal_moves().into_iter();
        moves.any(|step| {
            let mut after = chess.clone();
            after.play_unchecked(step);
            let after = self.tables.probe_dtz(&after);
            !step.is_zeroing()
                && matches!(after, Ok(MaybeRounded::Rounded(Dtz(plies))) if plies == -n - 1)
        })
    }

    /// Compares the values of a table's legal positions with the published ones, and returns the number of
    /// positions compared. Positions whose moves lead to a published table that is not there are left out.
    ///
    /// # Errors
    /// If a value differs (the error has one such position), or if the published tables can't be probed.
    pub fn verify(&self, table: &Table, sample: Sample) -> Result<u64, VerifyError> {
        for_each_position(table, sample, |slot, position| {
            let Some(chess) = to_chess(position) else {
                return Ok(false);
            };
            let found = (table.value_at(slot)).map_err(crate::error::ProbeError::from)?;
            let probes = (self.tables.probe_wdl_after_zeroing(&chess))
                .and_then(|wdl| Ok((wdl, self.tables.probe_dtz(&chess)?)));
            let (wdl, dtz) = match probes {
                Ok(probes) => probes,
                // A promotion or a capture leads to a table that is not in the folder.
                Err(SyzygyError::MissingTable { .. }) => return Ok(false),
                Err(error) => {
                    return Err(VerifyError::Other {
                        position: position.to_string(),
                        message: error.to_string(),
                    });
                }
            };
            if fits(found, wdl, dtz) || self.fits_a_rounded_move(&chess, found, wdl, dtz) {
                Ok(true)
            } else {
                Err(VerifyError::Value {
                    position: position.to_string(),
                    found,
                    expected: format!("{wdl:?}, {dtz:?}"),
                    source_name: "the Syzygy table",
                })
            }
        })
    }
}
