//! Writes tables as Syzygy files.
//!
//! Their values are those of this generator. What they may leave open is not stored: probers play all captures before
//! they look at a win-draw-loss file, and look for a zeroing move that keeps a win before they ask for its distance.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use syzygy_tables::cozy_chess;
use syzygy_tables::numbering::PositionRow;
use syzygy_tables::writer::{
    Control, Distances, DtzEntry, Interrupted, Source, WdlEntry, publish, write_dtz_with,
    write_wdl_with,
};
use syzygy_tables::{Class, Material as SyzygyMaterial, Wdl};
use tbindex::Color;
use tbindex::batch::Backend;
use tbindex::bitbase::Bitbase;

use crate::chess::pawn_moves::{Step, en_passant};
use crate::subtables::cache::Recent;
use crate::subtables::exits::Exits;
use crate::subtables::library::{Library, SolveError};
use crate::subtables::seeds::{CURSED, WON};
use crate::subtables::solved::Solved;
use crate::syzygy::entries::entries_of;
use crate::syzygy::places::{Places, color_of};
use crate::table::solved::Table;
use crate::table::value::{Metric, Outcome, Value};

/// The reason why a table can't be written as Syzygy files.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A table that captures or promotions lead to is missing, or there is no memory.
    #[error(transparent)]
    Values(#[from] SolveError),
    /// A file can't be written.
    #[error(transparent)]
    File(#[from] syzygy_tables::Error),
    /// The caller stopped the work.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// The table has more than five pieces, or more than 256 values of a side: its files would take too much memory.
    #[error("Syzygy files are written of at most 5 pieces and 256 values of a side: not of {0}")]
    TooLarge(tbindex::Material),
    /// There are no Syzygy files of such a material.
    #[error("there are no Syzygy files of {0}")]
    Material(tbindex::Material),
}

/// How tables are written as Syzygy files.
#[derive(Clone, Copy, Debug)]
pub struct ExportOptions<'a> {
    /// How distances are written.
    pub distances: Distances,
    /// The instructions to use.
    pub backend: Backend,
    /// How the caller watches and stops the work.
    pub control: Control<'a>,
}

/// The value of a position in a win-draw-loss file.
fn wdl(outcome: Outcome) -> Wdl {
    match outcome {
        Outcome::Loss => Wdl::Loss,
        Outcome::BlessedLoss => Wdl::BlessedLoss,
        Outcome::Draw => Wdl::Draw,
        Outcome::CursedWin => Wdl::CursedWin,
        Outcome::Win => Wdl::Win,
    }
}

fn dtz(value: Value) -> DtzEntry {
    let class = Class::of(wdl(value.outcome));
    class.map_or(DtzEntry::ANY, |class| DtzEntry::new(class, value.plies))
}

/// What a file has for all slots of a table, for each side to move: part after part.
struct Entries<T> {
    material: SyzygyMaterial,
    places: Places,
    sides: [Vec<T>; 2],
}

struct WdlSource(Entries<WdlEntry>);

impl Source for WdlSource {
    fn material(&self) -> SyzygyMaterial {
        self.0.material
    }

    fn wdl(&self, side: cozy_chess::Color, row: PositionRow<'_>, entries: &mut [WdlEntry]) {
        let all = &self.0.sides[color_of(side) as usize];
        let places = &self.0.places;
        places.look_up(all, row, entries, WdlEntry::ANY, |entry| entry);
    }

    fn dtz(&self, _: cozy_chess::Color, _: PositionRow<'_>, _: &mut [DtzEntry]) {
        unreachable!("a win-draw-loss file has no distances")
    }
}

/// Distances by codes of one byte, 0 for what is left open.
struct DtzSource {
    codes: Entries<u8>,
    values: [[DtzEntry; 256]; 2],
}

impl Source for DtzSource {
    fn material(&self) -> SyzygyMaterial {
        self.codes.material
    }

    fn wdl(&self, _: cozy_chess::Color, _: PositionRow<'_>, _: &mut [WdlEntry]) {
        unreachable!("a file of distances has no outcomes")
    }

    fn dtz(&self, side: cozy_chess::Color, row: PositionRow<'_>, entries: &mut [DtzEntry]) {
        let side = color_of(side) as usize;
        let (all, values) = (&self.codes.sides[side], &self.values[side]);
        let places = &self.codes.places;
        places.look_up(all, row, entries, DtzEntry::ANY, |code| {
            values[usize::from(code)]
        });
    }
}

/// Whether a pawn's move is a capture.
fn captures(step: &Step) -> bool {
    step.capture
}

/// Whether a prober sees the value of a pawn's move as it is kept: nothing can be captured en passant after it.
fn seen_by_probers(step: &Step, side: Color) -> bool {
    step.passed
        .is_none_or(|passed| en_passant(step.pawns, side, passed).is_empty())
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
    options: ExportOptions<'_>,
) -> Result<[PathBuf; 2], ExportError> {
    let ExportOptions {
        distances,
        backend,
        control,
    } = options;
    assert_eq!(table.metric(), Metric::Dtz, "distances to zeroing");
    let shape = &table.shape;
    if !shape.piece_set().is_chess() {
        return Err(ExportError::Material(shape.material()));
    }
    let sides = table.parts.iter().flat_map(|part| &part.sides);
    let values = sides.map(|side| side.values.len()).max().unwrap_or(0);
    let all_values = Color::ALL.map(|side| table.values(side));
    let most = all_values.iter().map(Vec::len).fold(values, usize::max);
    if shape.material().piece_count() > 5 || most > 256 {
        return Err(ExportError::TooLarge(shape.material()));
    }
    let name = shape.material().to_string();
    let material: SyzygyMaterial =
        (name.parse()).map_err(|_| ExportError::Material(shape.material()))?;
    let recent = Recent::new(64 << 20);
    let no_stalemates: Vec<[Option<Bitbase>; 2]> =
        table.parts.iter().map(|_| [None, None]).collect();
    let solved = Solved {
        shape,
        metric: Metric::Dtz,
        library,
        parts: &table.parts,
        stalemates: &no_stalemates,
        recent: &recent,
        backend,
    };
    // Of symmetric material there is white to move only.
    let has_side = |side: Color| !material.is_symmetric() || side == Color::White;
    let part_slots = (shape.slots() / shape.parts() as u64) as usize;

    let choices: Vec<WdlEntry> = (0..5 * 64).map(|k| choice(k / 64, k % 64)).collect();
    let of_side = |side: Color| -> Result<Vec<WdlEntry>, SolveError> {
        if !has_side(side) {
            return Ok(Vec::new());
        }
        let mut all = vec![WdlEntry::ANY; shape.slots() as usize];
        let parts = all.par_chunks_mut(part_slots).enumerate();
        parts.try_for_each(|(number, out)| {
            let part = &table.parts[number];
            let exits = solved.exits(number, side, None, &captures)?;
            let exits: Vec<&Exits> = exits.iter().collect();
            let mut classes = [0; 256];
            for (class, value) in classes
                .iter_mut()
                .zip(part.sides[side as usize].values.iter())
            {
                *class = usize::from(wdl(value.outcome).number());
            }
            entries_of(part, side, &exits, backend, out, |code, moves| {
                choices[classes[usize::from(code)] << 6 | usize::from(moves & 63)]
            })
        })?;
        Ok(all)
    };
    let [white, black] = Color::ALL.map(of_side);
    let source = WdlSource(Entries {
        material,
        places: Places::new(shape, material),
        sides: [white?, black?],
    });
    let bytes = write_wdl_with(&source, control)?;
    let first = publish(folder, material, syzygy_tables::Kind::Wdl, &bytes)?;
    tbindex::fail_point!("tbgen::wdl_written");
    let WdlSource(Entries { places, sides, .. }) = source;
    drop(sides);

    let of_side = |side: Color| -> Result<Vec<u8>, SolveError> {
        if !has_side(side) {
            return Ok(Vec::new());
        }
        let values = &all_values[side as usize];
        let numbers: HashMap<Value, u8> = values.iter().copied().zip(0..).collect();
        let mut all = vec![0; shape.slots() as usize];
        let parts = all.par_chunks_mut(part_slots).enumerate();
        parts.try_for_each(|(number, out)| {
            let part = &table.parts[number];
            let exits = solved.exits(number, side, None, &|step| seen_by_probers(step, side))?;
            let exits = [&exits[WON], &exits[CURSED]];
            let here = &part.sides[side as usize].values;
            // For each code the number of its value, and the moves that make it open.
            let mut codes = [(0, 4); 256];
            for (code, value) in codes.iter_mut().zip(here.iter()) {
                let keeps = match value.outcome {
                    Outcome::Win => 1,
                    Outcome::CursedWin => 2,
                    _ => 0,
                };
                *code = (numbers.get(value).copied().unwrap_or(0), 4 | keeps);
            }
            entries_of(part, side, &exits, backend, out, |code, moves| {
                let (number, open) = codes[usize::from(code)];
                if moves & open == 0 { number } else { 0 }
            })
        })?;
        Ok(all)
    };
    let [white, black] = Color::ALL.map(of_side);
    let source = DtzSource {
        codes: Entries {
            material,
            places,
            sides: [white?, black?],
        },
        values: all_values.map(|values| {
            let mut entries = [DtzEntry::ANY; 256];
            for (entry, value) in entries.iter_mut().zip(values) {
                *entry = dtz(value);
            }
            entries
        }),
    };
    let bytes = write_dtz_with(&source, distances, control)?;
    let second = publish(folder, material, syzygy_tables::Kind::Dtz, &bytes)?;
    tbindex::fail_point!("tbgen::dtz_written");
    Ok([first, second])
}

/// What may stand for a position of a number in a win-draw-loss file. Of its moves, bit k says that a capture is worth
/// number k, and bit 5 that it is no legal position.
fn choice(number: usize, moves: usize) -> WdlEntry {
    if moves & 32 != 0 {
        return WdlEntry::ANY;
    }
    let best = moves.checked_ilog2().map(|best| Wdl::ALL[best as usize]);
    WdlEntry::new(Wdl::ALL[number], best)
}
