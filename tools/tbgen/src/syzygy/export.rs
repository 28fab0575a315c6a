//! Writes tables as Syzygy files.
//!
//! Their values are those of this generator. What they may leave open is not stored: probers play all captures before
//! they look at a win-draw-loss file, and look for a zeroing move that keeps a win before they ask for its distance.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use syzygy_tables::cozy_chess;
use syzygy_tables::writer::{
    Control, Distances, DtzEntry, Interrupted, Layout, Source, WdlEntry, publish, write_dtz_with,
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
use crate::syzygy::layouts::{color_of, lay_out};
use crate::table::shape::Shape;
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

/// The numbers of the entries of all slots of a table, for each side to move: part after part.
struct TableSource<'a> {
    shape: &'a Shape,
    material: SyzygyMaterial,
    backend: Backend,
    sides: [Vec<u8>; 2],
    distances: [Vec<DtzEntry>; 2],
}

impl TableSource<'_> {
    fn lay_out(&self, side: cozy_chess::Color, layout: &Layout, numbers: &mut [u8]) {
        let all = &self.sides[color_of(side) as usize];
        lay_out(self.shape, layout, self.backend, all, 0, numbers).expect("a layout that fits");
    }
}

impl Source for TableSource<'_> {
    fn material(&self) -> SyzygyMaterial {
        self.material
    }

    fn wdl(&self, side: cozy_chess::Color, layout: &Layout, numbers: &mut [u8]) {
        self.lay_out(side, layout, numbers);
    }

    fn dtz(&self, side: cozy_chess::Color, layout: &Layout, numbers: &mut [u8]) {
        self.lay_out(side, layout, numbers);
    }

    fn outcomes(&self, _: cozy_chess::Color) -> Vec<WdlEntry> {
        outcomes()
    }

    fn distances(&self, side: cozy_chess::Color) -> Vec<DtzEntry> {
        self.distances[color_of(side) as usize].clone()
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

    let mut source = TableSource {
        shape,
        material,
        backend,
        sides: [Vec::new(), Vec::new()],
        distances: all_values
            .each_ref()
            .map(|values| values.iter().copied().map(dtz).collect()),
    };
    let choices: Vec<u8> = (0..5 * 64).map(|k| choice(k / 64, k % 64)).collect();
    for side in Color::ALL.into_iter().filter(|&side| has_side(side)) {
        let mut all = vec![0; shape.slots() as usize];
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
        source.sides[side as usize] = all;
    }
    let bytes = write_wdl_with(&source, control)?;
    let first = publish(folder, material, syzygy_tables::Kind::Wdl, &bytes)?;
    tbindex::fail_point!("tbgen::wdl_written");
    for side in Color::ALL.into_iter().filter(|&side| has_side(side)) {
        let values = &all_values[side as usize];
        // Number 0 is that of what is left open.
        let numbers: HashMap<Value, u8> = values.iter().copied().zip(0..).collect();
        let mut all = std::mem::take(&mut source.sides[side as usize]);
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
        source.sides[side as usize] = all;
    }
    let bytes = write_dtz_with(&source, distances, control)?;
    let second = publish(folder, material, syzygy_tables::Kind::Dtz, &bytes)?;
    tbindex::fail_point!("tbgen::dtz_written");
    Ok([first, second])
}

/// The entries of a WDL file: what is left open, the five outcomes, and the same with a capture that is as good.
fn outcomes() -> Vec<WdlEntry> {
    let with = |capture: fn(Wdl) -> Option<Wdl>| {
        Wdl::ALL.map(|value| WdlEntry::new(value, capture(value)))
    };
    let [alone, captures] = [with(|_| None), with(Some)];
    [&[WdlEntry::ANY][..], &alone, &captures].concat()
}

/// The number of the entry of a position with an outcome of a number. Of its moves, bit k says that a capture is worth
/// number k, and bit 5 that it is no legal position.
fn choice(number: usize, moves: usize) -> u8 {
    if moves & 32 != 0 {
        return 0;
    }
    let best = moves
        .checked_ilog2()
        .filter(|&best| best as usize >= number);
    (1 + number + if best.is_some() { 5 } else { 0 }) as u8
}
