//! Writes tables as Syzygy files: the values that these have of a table, or may have.
//!
//! Values that files may leave open are not stored: probers play all captures before they look at a win-draw-loss file, and look for
//! a zeroing move that keeps a win before they ask for its distance.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use syzygy_tables::cozy_chess;
use syzygy_tables::numbering::Numbering;
use syzygy_tables::writer::{
    Control, Distances, DtzEntry, Interrupted, Source, WdlEntry, publish, write_dtz, write_wdl,
};
use syzygy_tables::{Kind, Material, Wdl};
use tbindex::Color;
use tbindex::batch::Backend;

use crate::chess::cozy::{color_of, syzygy_material};
use crate::chess::pawns::{PawnStep, en_passant};
use crate::chess::piece_set::Endgame;
use crate::storage::table_file::FileError;
use crate::subtables::library::{Library, SolveError};
use crate::subtables::seeds::{CURSED, WON};
use crate::subtables::solved::Solved;
use crate::syzygy::entries::{Exported, entries_of};
use crate::table::solved::Table;
use crate::table::value::{Metric, Outcome, Value};

/// The reason why a table can't be written as Syzygy files or packed, or is not what a packed file has.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A table that captures or promotions lead to is missing, or there is no memory.
    #[error(transparent)]
    Values(#[from] SolveError),
    /// A packed file can't be read or written.
    #[error(transparent)]
    File(Box<FileError>),
    /// A Syzygy file can't be written.
    #[error(transparent)]
    Syzygy(#[from] syzygy_tables::Error),
    /// The caller stopped the work.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// The table has more than five pieces, or more than 256 values of a side: its files would take too much memory.
    #[error("Syzygy files are written of at most 5 pieces and 256 values of a side: not of {0}")]
    TooLarge(tbindex::Material),
    /// There are no Syzygy files of such a material.
    #[error("there are no Syzygy files of {0}")]
    Material(tbindex::Material),
    /// The table has more than five pieces, or short-range ones.
    #[error("tables of chess of at most 5 pieces are packed: not that of {0}")]
    Unpacked(Endgame),
    /// By the distance to zeroing there are no packed files.
    #[error("{0} by dtz: by the distance to zeroing there are Syzygy files, and no packed ones")]
    Zeroing(Endgame),
    /// A packed file has another value than its table.
    #[error("{}: the file is wrong: it has a {found} at place {place} of sub-table {sub_table}, expected {expected}: remove the file and pack the table again", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The sub-table, from 0.
        sub_table: usize,
        /// The place in the sub-table.
        place: u64,
        /// The file's value.
        found: Value,
        /// The value that it should have.
        expected: String,
    },
}

impl ExportError {
    /// Whether a file is damaged or wrong, as [`FileError::is_damage`] has it.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            ExportError::Values(error) => error.is_damage(),
            ExportError::File(error) => error.is_damage(),
            ExportError::Wrong { .. } => true,
            _ => false,
        }
    }
}

impl From<FileError> for ExportError {
    fn from(error: FileError) -> ExportError {
        ExportError::File(Box::new(error))
    }
}

/// The numbers of the entries of all slots of a table in one kind of file, for each side to move: part after part.
pub(crate) struct TableSource<'a> {
    of: Exported<'a>,
    kind: Kind,
    sides: [Vec<u8>; 2],
    values: [Vec<Value>; 2],
}

impl<'a> TableSource<'a> {
    /// The source of a table's entries for a kind of file. The library has the tables that the table's captures and promotions
    /// lead to.
    ///
    /// # Panics
    /// If the table has distances to mate.
    pub(crate) fn new(
        table: &'a Table,
        library: &'a Library,
        backend: Backend,
        kind: Kind,
    ) -> Result<TableSource<'a>, ExportError> {
        assert_eq!(table.metric(), Metric::Dtz, "distances to zeroing");
        let shape = &table.shape;
        if !shape.piece_set().is_chess() {
            return Err(ExportError::Material(shape.material()));
        }
        let sides = table.parts.iter().flat_map(|part| &part.sides);
        let of_parts = sides.map(|side| side.values.len()).max().unwrap_or(0);
        let values = Color::ALL.map(|side| table.values(side));
        let most = values.iter().map(Vec::len).fold(of_parts, usize::max);
        if shape.material().piece_count() > 5 || most > 256 {
            return Err(ExportError::TooLarge(shape.material()));
        }
        let material = syzygy_material(shape.material());
        let material = material.ok_or_else(|| ExportError::Material(shape.material()))?;
        let mut source = TableSource {
            of: Exported::new(table, library, material, backend),
            kind,
            sides: [Vec::new(), Vec::new()],
            values,
        };
        for side in Color::ALL {
            // Symmetric material has white to move only.
            if material.is_symmetric() && side == Color::Black {
                continue;
            }
            source.sides[side as usize] = match kind {
                Kind::Wdl => source.gather_wdl(side),
                Kind::Dtz => source.gather_dtz(side),
            }?;
        }
        Ok(source)
    }

    fn gather_wdl(&self, side: Color) -> Result<Vec<u8>, SolveError> {
        let choices: Vec<u8> = (0..5 * 64).map(|k| choice(k / 64, k % 64)).collect();
        let write = |solved: &Solved<'_>, number: usize, out: &mut [u8]| {
            let part = &solved.parts[number];
            let exits = solved.exits(number, side, None, &|step| step.capture)?;
            let mut classes = [0; 256];
            let values = part.sides[side as usize].values.iter();
            for (class, value) in classes.iter_mut().zip(values) {
                *class = usize::from(value.outcome.number());
            }
            let exits = exits.each_ref();
            entries_of(part, side, &exits, solved.backend, out, |code, moves| {
                choices[classes[usize::from(code & 255)] << 6 | usize::from(moves & 63)]
            })
        };
        self.of.entries(0, write)
    }

    fn gather_dtz(&self, side: Color) -> Result<Vec<u8>, SolveError> {
        let values = &self.values[side as usize];
        // Number 0 is that of what is left open.
        let numbers: HashMap<Value, u8> = values.iter().copied().zip(0..=255).collect();
        // A prober sees the value of a pawn's move as it is kept if nothing can be captured en passant after it.
        let is_seen = |step: &PawnStep| {
            let captures = |passed| en_passant(step.pawns, side, passed);
            step.passed.is_none_or(|passed| captures(passed).is_empty())
        };
        let write = |solved: &Solved<'_>, number: usize, out: &mut [u8]| {
            let part = &solved.parts[number];
            let exits = solved.exits(number, side, None, &is_seen)?;
            let exits = [&exits[WON], &exits[CURSED]];
            // For each code the number of its value, and the moves that make it open.
            let mut codes = [(0, 4); 256];
            let values = part.sides[side as usize].values.iter();
            for (code, value) in codes.iter_mut().zip(values) {
                let keeps = match value.outcome {
                    Outcome::Win => 1,
                    Outcome::CursedWin => 2,
                    _ => 0,
                };
                *code = (numbers.get(value).copied().unwrap_or(0), 4 | keeps);
            }
            entries_of(part, side, &exits, solved.backend, out, |code, moves| {
                let (number, open) = codes[usize::from(code & 255)];
                if moves & open == 0 { number } else { 0 }
            })
        };
        self.of.entries(0, write)
    }
}

impl Source for TableSource<'_> {
    fn material(&self) -> Material {
        self.of.material
    }

    fn read(
        &self,
        kind: Kind,
        side: cozy_chess::Color,
        numbering: &Numbering,
        start: u64,
        numbers: &mut [u8],
    ) {
        assert_eq!(kind, self.kind, "the kind of file");
        let all = &self.sides[color_of(side) as usize];
        let open = if kind == Kind::Wdl { OPEN } else { 0 };
        self.of.places.read(all, numbering, start, open, numbers);
    }

    fn counts(&self, _: Kind, side: cozy_chess::Color, file: Option<u8>) -> [u64; 256] {
        let all = &self.sides[color_of(side) as usize];
        let slots = all.len() / self.of.table.shape.parts();
        let parts = self.of.places.parts_on(file).into_par_iter();
        let chunks = parts.flat_map(|part| all[part * slots..][..slots].par_chunks(1 << 16));
        let add = |mut a: [u64; 256], b: [u64; 256]| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
            a
        };
        chunks.map(count).reduce(|| [0; 256], add)
    }

    /// The five outcomes, and the same with a capture that is as good but for a loss, which has to be one. The last one is open
    /// to any value.
    fn outcomes(&self, _: cozy_chess::Color) -> Vec<WdlEntry> {
        let alone = Wdl::ALL.map(|value| WdlEntry::new(value, None));
        let with_captures = Wdl::ALL[1..].iter();
        let with_captures = with_captures.map(|&value| WdlEntry::new(value, Some(value)));
        alone.into_iter().chain(with_captures).collect()
    }

    fn distances(&self, side: cozy_chess::Color) -> Vec<DtzEntry> {
        let values = self.values[color_of(side) as usize].iter();
        let entries = values.map(|value| DtzEntry::new(value.outcome, value.plies));
        entries.collect()
    }
}

/// Writes the two files of a table into a folder, and returns their paths. The library has the tables that the table's
/// captures and promotions lead to.
///
/// # Errors
/// If a table is missing in the library, there is no memory, the caller stops the work, or the system refuses.
///
/// # Panics
/// If the table has distances to mate.
pub fn export(
    table: &Table,
    library: &Library,
    folder: &Path,
    distances: Distances,
    backend: Backend,
    control: Control<'_>,
) -> Result<[PathBuf; 2], ExportError> {
    let source_of = |kind| TableSource::new(table, library, backend, kind);
    let source = source_of(Kind::Wdl)?;
    let material = source.material();
    let bytes = write_wdl(&source, control)?;
    let first = publish(folder, material, Kind::Wdl, &bytes)?;
    tbindex::fail_point!("tbgen::wdl_written");
    drop(source);
    let source = source_of(Kind::Dtz)?;
    let bytes = write_dtz(&source, distances, control)?;
    let second = publish(folder, material, Kind::Dtz, &bytes)?;
    tbindex::fail_point!("tbgen::dtz_written");
    Ok([first, second])
}

/// How many entries have each number.
fn count(entries: &[u8]) -> [u64; 256] {
    let mut counts = [0; 256];
    for entries in entries.chunks(8) {
        // Mostly eight are alike.
        if entries.iter().all(|&entry| entry == entries[0]) {
            counts[usize::from(entries[0])] += entries.len() as u64;
        } else {
            (entries.iter()).for_each(|&entry| counts[usize::from(entry)] += 1);
        }
    }
    counts
}

/// The number of the entry that says nothing: any value up to a win.
const OPEN: u8 = 8;

/// The number of the entry of a position with an outcome of a number. Of its moves, bit k says that a capture is worth
/// number k, and bit 5 that it is no legal position.
fn choice(number: usize, moves: usize) -> u8 {
    if moves & 32 != 0 {
        return OPEN;
    }
    let best = moves
        .checked_ilog2()
        .filter(|&best| best as usize >= number);
    // A loss is open to nothing.
    let open = number > 0 && best.is_some();
    (number + if open { 4 } else { 0 }) as u8
}
