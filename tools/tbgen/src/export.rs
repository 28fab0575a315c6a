//! Writes tables as Syzygy files.
//!
//! Their values are those of this generator. What they may leave open is not stored: probers play all captures before
//! they look at a win-draw-loss file, and look for a zeroing move that keeps a win before they ask for its distance.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use syzygy_tables::cozy_chess::{self, Piece as Kind};
use syzygy_tables::numbering::{PackedSquares, square_of};
use syzygy_tables::writer::{
    Control, Distances, DtzEntry, Interrupted, Source, WdlEntry, publish, write_dtz_with,
    write_wdl_with,
};
use syzygy_tables::{Class, Material as SyzygyMaterial, Wdl};
use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Gathered, MOST_PIECES, Row, Slice};
use tbindex::{Color, Square, Symmetry};

use crate::doors::{Doors, Exits};
use crate::library::{Library, SolveError};
use crate::pawns::Pawns;
use crate::recent::Recent;
use crate::shape::Shape;
use crate::solved::Solved;
use crate::steps::{Step, en_passant};
use crate::table::{Part, Table};
use crate::value::{Outcome, Value};

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
    let class = match value.outcome {
        Outcome::Draw => return DtzEntry::ANY,
        Outcome::Loss => Class::Loss,
        Outcome::BlessedLoss => Class::BlessedLoss,
        Outcome::CursedWin => Class::CursedWin,
        Outcome::Win => Class::Win,
    };
    DtzEntry::new(class, value.plies)
}

/// What a file has for all slots of a table, for each side to move and part.
struct Entries<'a, T> {
    shape: &'a Shape,
    material: SyzygyMaterial,
    /// The pieces of a position in the order of its bytes.
    pieces: Vec<Piece>,
    sides: [Vec<Vec<T>>; 2],
    open: T,
}

/// A piece, as a table has it.
#[derive(Clone, Copy)]
enum Piece {
    King(usize),
    Pawn(Color),
    /// The place among the men that are not kings.
    Man(usize),
}

fn color_of(color: cozy_chess::Color) -> Color {
    match color {
        cozy_chess::Color::White => Color::White,
        cozy_chess::Color::Black => Color::Black,
    }
}

/// The pieces of a material in the order of its name. Like men take their places one after the other.
fn pieces_of(shape: &Shape, material: SyzygyMaterial) -> Vec<Piece> {
    let men = shape.any_domain().men().iter().filter(|man| !man.is_king());
    let mut free: Vec<_> = men.map(|man| man.piece()).collect();
    let pieces = material.pieces().map(|piece| {
        let color = color_of(piece.color());
        let kind = match piece.piece() {
            Kind::King => return Piece::King(color as usize),
            Kind::Pawn => return Piece::Pawn(color),
            Kind::Queen => tbindex::PieceType::Queen,
            Kind::Rook => tbindex::PieceType::Rook,
            Kind::Bishop => tbindex::PieceType::Bishop,
            Kind::Knight => tbindex::PieceType::Knight,
        };
        let wanted = Some(tbindex::Piece::new(color, kind));
        let at = free.iter().position(|&man| man == wanted);
        let at = at.expect("the same pieces");
        free[at] = None;
        Piece::Man(at)
    });
    pieces.collect()
}

impl<T: Copy> Entries<'_, T> {
    /// Writes the entries of positions with a side to move.
    fn look_up(&self, side: Color, positions: &[PackedSquares], entries: &mut [T]) {
        let of_side = &self.sides[side as usize];
        let domain = self.shape.any_domain();
        let pairs = domain.king_pairs();
        // Positions next to each other mostly have the same pawns.
        let mut last: Option<(Pawns, usize, bool)> = None;
        for (&position, entry) in positions.iter().zip(entries) {
            let mut kings = [Square::A1; 2];
            let mut men = [Square::A1; MOST_PIECES];
            let mut count = 0;
            let mut pawns = Pawns::default();
            for (k, piece) in self.pieces.iter().enumerate() {
                let square = Square::from_low_bits(square_of(position, k));
                match *piece {
                    Piece::King(color) => kings[color] = square,
                    Piece::Pawn(color) => pawns.add(color, square),
                    Piece::Man(at) => {
                        men[at] = square;
                        count += 1;
                    }
                }
            }
            let (part, mirrored) = match last {
                Some((same, part, mirrored)) if same == pawns => (part, mirrored),
                _ => {
                    let (part, mirrored) = self.shape.placements().find(pawns);
                    last = Some((pawns, part, mirrored));
                    (part, mirrored)
                }
            };
            let (slice, turn, mut offset) = match pairs {
                Some(pairs) => match pairs.find(kings[0], kings[1]) {
                    Some((slice, turn)) => (slice, turn, 0),
                    None => {
                        *entry = self.open;
                        continue;
                    }
                },
                None => {
                    let turn = if mirrored {
                        Symmetry::FlipHorizontal
                    } else {
                        Symmetry::Identity
                    };
                    let [white, black] = kings.map(|king| turn.apply(king).index());
                    (0, turn, white << 6 | black)
                }
            };
            for &man in &men[..count] {
                offset = offset << 6 | turn.apply(man).index();
            }
            let slots = domain.slice_slots() as usize;
            *entry = of_side[part][slice * slots + offset];
        }
    }
}

struct WdlSource<'a>(Entries<'a, WdlEntry>);

impl Source for WdlSource<'_> {
    fn material(&self) -> SyzygyMaterial {
        self.0.material
    }

    fn wdl(&self, side: cozy_chess::Color, positions: &[PackedSquares], entries: &mut [WdlEntry]) {
        self.0.look_up(color_of(side), positions, entries);
    }

    fn dtz(&self, _: cozy_chess::Color, _: &[PackedSquares], _: &mut [DtzEntry]) {
        unreachable!("a win-draw-loss file has no distances")
    }
}

/// Distances by codes of one byte, 0 for what is left open.
struct DtzSource<'a> {
    codes: Entries<'a, u8>,
    values: [Vec<DtzEntry>; 2],
}

impl Source for DtzSource<'_> {
    fn material(&self) -> SyzygyMaterial {
        self.codes.material
    }

    fn wdl(&self, _: cozy_chess::Color, _: &[PackedSquares], _: &mut [WdlEntry]) {
        unreachable!("a file of distances has no outcomes")
    }

    fn dtz(&self, side: cozy_chess::Color, positions: &[PackedSquares], entries: &mut [DtzEntry]) {
        let side = color_of(side);
        let mut codes = vec![0; positions.len()];
        self.codes.look_up(side, positions, &mut codes);
        for (entry, code) in entries.iter_mut().zip(codes) {
            *entry = self.values[side as usize][usize::from(code)];
        }
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

/// The positions of a part with moves that lead into certain others.
fn dense(part: &Part, exits: &Exits, backend: Backend) -> Result<Option<Bitbase>, SolveError> {
    if exits.is_empty() {
        return Ok(None);
    }
    let mut set = Bitbase::new(&part.domain)?;
    set.par_slices_mut().enumerate().for_each_init(
        || Gathered::new(&part.domain, backend),
        |gathered, (number, rows)| {
            exits.gather(&Slice::new(&part.domain, number), gathered);
            rows.copy_from_slice(gathered.rows());
            gathered.clear();
        },
    );
    Ok(Some(set))
}

/// The entries of a part with a side to move, slot by slot: `entry` makes each of a code and of the sets, in the order
/// in which they are given, that the position is in. Illegal positions are left open.
fn entries_of<T: Copy + Send + Sync>(
    part: &Part,
    side: Color,
    sets: &[Option<Bitbase>],
    open: T,
    backend: Backend,
    entry: impl Fn(usize, u8) -> T + Sync,
) -> Result<Vec<T>, SolveError> {
    let domain = &part.domain;
    let slots = domain.slice_slots() as usize;
    let mut all = vec![open; slots * domain.slices()];
    let slices = all.par_chunks_mut(slots).enumerate();
    slices.try_for_each(|(number, out)| {
        let planes = part.sides[side as usize].slices[number].open()?;
        let mut illegal = vec![Row::EMPTY; domain.rows()];
        Slice::new(domain, number).illegal_into(side, &mut illegal, backend);
        for (word, out) in out.chunks_mut(64).enumerate() {
            let (row, lane) = (word / 8, word % 8);
            let legal = !illegal[row].0[lane];
            if legal == 0 {
                continue;
            }
            let planes = planes.words(word);
            let words: Vec<u64> = (sets.iter())
                .map(|set| set.as_ref().map_or(0, |set| set.slice(number)[row].0[lane]))
                .collect();
            for (square, out) in out.iter_mut().enumerate() {
                if legal >> square & 1 == 0 {
                    continue;
                }
                let bits = |words: &[u64]| {
                    let words = words.iter().enumerate();
                    words.fold(0, |bits, (k, word)| {
                        bits | ((word >> square & 1) as u8) << k
                    })
                };
                *out = entry(usize::from(bits(&planes)), bits(&words));
            }
        }
        Ok::<(), SolveError>(())
    })?;
    Ok(all)
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
    assert_eq!(table.metric(), crate::Metric::Dtz, "distances to zeroing");
    let shape = &table.shape;
    let name = shape.material().to_string();
    let material: SyzygyMaterial =
        (name.parse()).map_err(|_| ExportError::Material(shape.material()))?;
    let (recent_sets, recent_planes) = (Recent::new(64 << 20), Recent::new(0));
    let no_stalemates: Vec<[Option<Bitbase>; 2]> =
        table.parts.iter().map(|_| [None, None]).collect();
    let solved = Solved {
        shape,
        library,
        parts: &table.parts,
        stalemates: &no_stalemates,
        recent_sets: &recent_sets,
        recent_planes: &recent_planes,
        backend,
    };
    let symmetric = material.is_symmetric();
    let pieces = pieces_of(shape, material);
    let each_part =
        |side: Color| (0..shape.parts()).filter(move |_| !symmetric || side == Color::White);

    let of_side = |side: Color| -> Result<Vec<Vec<WdlEntry>>, SolveError> {
        let parts = each_part(side).map(|number| {
            let part = &table.parts[number];
            let doors = solved.doors(number, side, captures)?;
            let Doors {
                any,
                lost,
                blessed,
                not_won,
                not_cursed,
            } = &doors;
            let exits = [
                any,
                not_won,
                not_cursed.as_ref().unwrap_or(not_won),
                blessed,
                lost,
            ];
            let sets = exits.map(|exits| dense(part, exits, backend));
            let sets: Vec<_> = sets.into_iter().collect::<Result<_, SolveError>>()?;
            let values = &part.sides[side as usize].values;
            entries_of(part, side, &sets, WdlEntry::ANY, backend, |code, moves| {
                // The sets are in the order of what their captures are worth.
                let best = (moves != 0).then(|| Wdl::ALL[7 - moves.leading_zeros() as usize]);
                WdlEntry::new(wdl(values[code].outcome), best)
            })
        });
        parts.collect()
    };
    let [white, black] = Color::ALL.map(of_side);
    let source = WdlSource(Entries {
        shape,
        material,
        pieces: pieces.clone(),
        sides: [white?, black?],
        open: WdlEntry::ANY,
    });
    let first = publish(
        folder,
        material,
        syzygy_tables::Kind::Wdl,
        &write_wdl_with(&source, control)?,
    )?;
    drop(source);

    let values = Color::ALL.map(|side| table.values(side));
    let of_side = |side: Color| -> Result<Vec<Vec<u8>>, SolveError> {
        let all = &values[side as usize];
        let parts = each_part(side).map(|number| {
            let part = &table.parts[number];
            let doors = solved.doors(number, side, |step| seen_by_probers(step, side))?;
            let sets = [&doors.lost, &doors.blessed].map(|exits| dense(part, exits, backend));
            let sets: Vec<_> = sets.into_iter().collect::<Result<_, SolveError>>()?;
            let here = &part.sides[side as usize].values;
            let codes: Vec<u8> = (here.iter())
                .map(|value| all.iter().position(|other| other == value).unwrap_or(0) as u8)
                .collect();
            entries_of(part, side, &sets, 0, backend, |code, moves| {
                let kept = match here[code].outcome {
                    Outcome::Win => moves & 1 != 0,
                    Outcome::CursedWin => moves & 2 != 0,
                    _ => false,
                };
                if kept { 0 } else { codes[code] }
            })
        });
        parts.collect()
    };
    let [white, black] = Color::ALL.map(of_side);
    let source = DtzSource {
        codes: Entries {
            shape,
            material,
            pieces,
            sides: [white?, black?],
            open: 0,
        },
        values: values.map(|values| values.into_iter().map(dtz).collect()),
    };
    let bytes = write_dtz_with(&source, distances, control)?;
    let second = publish(folder, material, syzygy_tables::Kind::Dtz, &bytes)?;
    Ok([first, second])
}
