//! Tables of endgames: the values of many positions.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};
use std::sync::Arc;

use syzygy_tables::batch::{PackedBoard, PieceOrder};
use tbgen::{
    BatchProber, BoardError, Evaluation, Failure as Lost, GamePosition, Letters, Metric, Sides,
    Tables, TablesError, Wanted, index_order, pack_indices,
};
use tbindex::batch::Backend;
use tbindex::{Color, Layout, MaterialError};

use super::file::tbi_side;
use super::layout::{numbering, tbi_numbering};
use super::material::material;
use super::memory::{
    Range, apart, give, path, put_text, reference, slice, slice_mut, take_back, text, two,
    write_if_asked,
};
use super::moves::side_to_move;
use super::status::{
    Failure, Outcome, TBI_ERROR_IO, TBI_ERROR_NAME, guard, guard_value, tbi_status,
};
use super::words::with_word;

/// The tables in a folder, each of which is opened when it is first needed. The files must not change meanwhile.
#[derive(Debug)]
pub struct tbi_tables {
    pub(super) prober: BatchProber<Arc<Tables>>,
}

/// Any of the `TBI_VALUE_...`, added.
pub type tbi_value_flags = u8;

/// There is a value; without this, all else is 0.
pub const TBI_VALUE_KNOWN: tbi_value_flags = 1;
/// The outcome is certain. It is not where a rounded distance leaves open whether the fifty-move counter
/// reaches 100; then it is that by the shorter one. Nor is it where no distance to zeroing is found, and the counter may
/// reach 100 before a mate; then it is that without a counter.
pub const TBI_VALUE_CERTAIN: tbi_value_flags = 2;
/// The distance to zeroing is known.
pub const TBI_VALUE_DTZ: tbi_value_flags = 4;
/// The distance to zeroing is exact; if it is not, there may be one ply more.
pub const TBI_VALUE_EXACT: tbi_value_flags = 8;
/// The distance to mate is known.
pub const TBI_VALUE_DTM: tbi_value_flags = 16;

/// The value of a position for the side to move. Distances are negative for a loss, and 0 for a draw. A checkmated side has
/// -1 to zeroing and 0 to mate.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct tbi_value {
    /// The outcome: 2 win, 1 cursed win, 0 draw, -1 blessed loss, -2 loss, under the fifty-move rule; without
    /// that rule where only the distance to mate is known.
    pub wdl: i8,
    /// Any of the `TBI_VALUE_...`, added.
    pub flags: tbi_value_flags,
    /// The plies to the next capture, pawn move or mate.
    pub dtz: i16,
    /// The plies to mate, without the fifty-move rule.
    pub dtm: i16,
}

/// The most positions that are looked up together.
const ROUND: usize = 1 << 22;

impl tbi_tables {
    /// The values of positions of a material. `pack` writes their squares, from a number on.
    fn probe(
        &self,
        (order, wanted): (&PieceOrder, Wanted),
        sides: Sides<'_>,
        out: &mut [tbi_value],
        pack: impl Fn(usize, &mut [u64]),
    ) {
        let mut packed = vec![0; out.len().min(ROUND)];
        for (number, out) in out.chunks_mut(ROUND).enumerate() {
            let (first, packed) = (number * ROUND, &mut packed[..out.len()]);
            pack(first, packed);
            let sides = match sides {
                Sides::Same(side) => Sides::Same(side),
                Sides::Black(black) => Sides::Black(&black[first..first + out.len()]),
            };
            put(&self.prober.labels_of(wanted, order, sides, packed), out);
        }
    }
}

fn put(labels: &[Result<Evaluation, Lost>], out: &mut [tbi_value]) {
    for (label, out) in labels.iter().zip(out) {
        *out = label.map_or_else(|_| tbi_value::default(), value);
    }
}

fn value(label: Evaluation) -> tbi_value {
    let flags = [
        (label.certain, TBI_VALUE_CERTAIN),
        (label.dtz.is_some(), TBI_VALUE_DTZ),
        (label.dtz.is_some() && label.exact, TBI_VALUE_EXACT),
        (label.dtm.is_some(), TBI_VALUE_DTM),
    ];
    let flags = flags.into_iter().filter(|&(is, _)| is);
    tbi_value {
        wdl: label.outcome as i8,
        flags: flags.fold(TBI_VALUE_KNOWN, |all, (_, flag)| all | flag),
        dtz: label.signed(Metric::Dtz).unwrap_or(0),
        dtm: label.signed(Metric::Dtm).unwrap_or(0),
    }
}

/// The values that are wanted: outcomes, and distances.
fn wanted(distances: tbi_value_flags) -> Outcome<Wanted> {
    match distances & !(TBI_VALUE_DTZ | TBI_VALUE_DTM) {
        0 => Ok(Wanted {
            outcome: true,
            dtz: distances & TBI_VALUE_DTZ != 0,
            dtm: distances & TBI_VALUE_DTM != 0,
        }),
        _ => Err(Failure::argument(format!(
            "distances: {distances}: expected TBI_VALUE_DTZ, TBI_VALUE_DTM, both added, or 0"
        ))),
    }
}

/// Where black is to move, if there are any sides.
///
/// # Safety
/// As for [`slice`].
unsafe fn black(sides: *const tbi_side, count: usize) -> Outcome<Option<Vec<bool>>> {
    if sides.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    let sides = unsafe { slice(sides, count, "sides") }?;
    let black = sides.iter().enumerate().map(|(number, &side)| {
        let side = side_to_move(side).map_err(|Failure { status, message }| {
            Failure::new(status, format!("sides: position {number}: {message}"))
        });
        side.map(|side| side == Color::Black)
    });
    black.collect::<Outcome<_>>().map(Some)
}

/// The order of a material's pieces in an index and in rows, and their number.
///
/// # Safety
/// As for [`text`].
unsafe fn order(name: *const c_char) -> Outcome<(PieceOrder, usize)> {
    // SAFETY: the caller's promise.
    let material = unsafe { material(name) }?;
    let order = index_order(material);
    let order = order.map_err(|error| Failure::argument(format!("{material}: {error}")))?;
    Ok((order, material.piece_count()))
}

/// Opens the tables of a folder: those of `tbgen` by distance to zeroing and to mate, packed or not, and Syzygy
/// files, in any mixture. `memory` is how many bytes may be taken for what is kept of them, 64 MiB at least; 0 is
/// 512 MiB. `TBI_ERROR_IO` if the system refuses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_tables_open(
    folder: *const c_char,
    memory: usize,
    tables: *mut *mut tbi_tables,
) -> tbi_status {
    guard(|| {
        let open = || {
            // SAFETY: the caller's promise.
            let folder = unsafe { path(folder, "folder") }?;
            let found =
                Tables::open(&[folder]).map_err(|error| Failure::new(TBI_ERROR_IO, error))?;
            let memory = if memory == 0 { 512 << 20 } else { memory };
            Ok(tbi_tables {
                prober: BatchProber::new(Arc::new(found), memory),
            })
        };
        // SAFETY: the caller's promise.
        unsafe { give(tables, "tables", open) }
    })
}

/// Closes tables; NULL is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_tables_close(tables: *mut tbi_tables) {
    // SAFETY: the caller's promise.
    guard_value((), || unsafe { take_back(tables, "tables") });
}

/// Writes the values of `count` indices of a material of 3 to 7 pieces: outcomes, and the `distances` that are
/// wanted, which take longer: `TBI_VALUE_DTZ`, `TBI_VALUE_DTM` (which Syzygy files do not have), both added, or 0.
/// `side` is to move, or if `sides` is not NULL, in each position its own. All processors share the work.
///
/// An index whose position is not legal, or whose table is missing or found to be damaged, has no value, and is no error;
/// `tbi_tables_failure` tells how many of these there were. A position whose outcome is known, perhaps by its captures
/// alone, has a value, though a distance may not be known, which its flags tell; if a file is damaged,
/// `tbi_tables_failure` counts it, too. Probes do not read the checksums of Syzygy files, so damage there may give a
/// wrong value: `tbgen verify` checks them. `TBI_ERROR_INDEX` if an index has bits above those of its pieces.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_tables_probe(
    tables: *const tbi_tables,
    material: *const c_char,
    numbering: tbi_numbering,
    side: tbi_side,
    sides: *const tbi_side,
    distances: tbi_value_flags,
    r#in: *const c_void,
    out: *mut tbi_value,
    word_bytes: usize,
    count: usize,
) -> tbi_status {
    guard(|| {
        with_word!(word_bytes, W => {
            // SAFETY: the caller's promise.
            let tables = unsafe { reference(tables, "tables") }?;
            // SAFETY: the caller's promise.
            let (order, pieces) = unsafe { order(material) }?;
            let layout = Layout::<W>::try_new(pieces, self::numbering(numbering)?)?;
            // SAFETY: the caller's promise.
            let black = unsafe { black(sides, count) }?;
            // SAFETY: the caller's promise.
            let (from, out) = unsafe { two((r#in.cast(), count, "in"), (out, count, "out")) }?;
            Backend::detect().check_indices(&layout, from)?;
            let sides = match &black {
                Some(black) => Sides::Black(black),
                None => Sides::Same(side_to_move(side)?),
            };
            tables.probe((&order, wanted(distances)?), sides, out, |first, to| {
                pack_indices(&order, &layout, &from[first..first + to.len()], to);
            });
            Ok(())
        })
    })
}

/// Does this for positions as rows of squares, a byte each, in the order of the pieces in an index.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_tables_probe_rows(
    tables: *const tbi_tables,
    material: *const c_char,
    side: tbi_side,
    sides: *const tbi_side,
    distances: tbi_value_flags,
    rows: *const u8,
    out: *mut tbi_value,
    count: usize,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let tables = unsafe { reference(tables, "tables") }?;
        // SAFETY: the caller's promise.
        let (order, pieces) = unsafe { order(material) }?;
        // SAFETY: the caller's promise.
        let black = unsafe { black(sides, count) }?;
        let bytes = count.saturating_mul(pieces);
        // SAFETY: the caller's promise.
        let (rows, out) = unsafe { two((rows, bytes, "rows"), (out, count, "out")) }?;
        let sides = match &black {
            Some(black) => Sides::Black(black),
            None => Sides::Same(side_to_move(side)?),
        };
        tables.probe((&order, wanted(distances)?), sides, out, |first, to| {
            order.pack(&rows[first * pieces..][..to.len() * pieces], to);
        });
        Ok(())
    })
}

/// The board of a FEN or EPD, and its fifty-move counter.
fn board(fen: &str) -> Outcome<(PackedBoard, u16)> {
    let too_many = || Failure::argument("more than 7 pieces");
    let position = GamePosition::parse(fen, &Letters::default()).map_err(|error| match error {
        BoardError::Count(_) | BoardError::Material(MaterialError::TooManyPieces { .. }) => {
            too_many()
        }
        BoardError::Chess960 => Failure::argument(error),
        _ => Failure::new(TBI_ERROR_NAME, error),
    })?;
    if !position.castling().is_empty() {
        return Err(Failure::argument(TablesError::Castling));
    }
    let packed = position.packed().ok_or_else(too_many)?;
    Ok((packed, position.counter()))
}

/// Does this for positions of any materials as FEN or EPD, whose en-passant square and fifty-move counter count.
/// `TBI_ERROR_NAME` if a text is no FEN of a legal position, `TBI_ERROR_ARGUMENT` if it has castling rights or more
/// than 7 pieces; the message has its number, and no value is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_tables_probe_fens(
    tables: *const tbi_tables,
    distances: tbi_value_flags,
    fens: *const *const c_char,
    out: *mut tbi_value,
    count: usize,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let tables = unsafe { reference(tables, "tables") }?;
        let wanted = wanted(distances)?;
        // SAFETY: the caller's promise.
        let fens = unsafe { slice(fens, count, "fens") }?;
        apart(&[
            Range::new(fens.as_ptr(), count, "fens"),
            Range::new(out, count, "out"),
        ])?;
        // SAFETY: it does not overlap the list of texts; the rest is the caller's promise.
        let out = unsafe { slice_mut(out, count, "out") }?;
        let (mut boards, mut counters) = (Vec::new(), Vec::new());
        for (number, &fen) in fens.iter().enumerate() {
            let of_number = |Failure { status, message }| {
                Failure::new(status, format!("fen {number}: {message}"))
            };
            // SAFETY: the caller's promise.
            let fen = unsafe { text(fen, "fen") }.map_err(of_number)?;
            let (board, counter) = board(fen).map_err(|Failure { status, message }| {
                of_number(Failure::new(status, format!("{fen:?}: {message}")))
            })?;
            boards.push(board);
            counters.push(counter);
        }
        put(&tables.prober.labels(wanted, &boards, &counters), out);
        Ok(())
    })
}

/// Writes a reason why positions had no value since the tables were opened, and a zero byte, into a buffer of `size`
/// bytes, else `TBI_ERROR_BUFFER`; the bytes that this takes to `needed`, and the number of positions to `count`, if
/// these are not NULL. The reason is the name of a missing table, such as `KQvK`, or a sentence. Reasons are
/// numbered from 0; past the last one there is `TBI_ERROR_ARGUMENT`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_tables_failure(
    tables: *const tbi_tables,
    number: usize,
    buffer: *mut c_char,
    size: usize,
    needed: *mut usize,
    count: *mut u64,
) -> tbi_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let tables = unsafe { reference(tables, "tables") }?;
        let mut failures = BTreeMap::<String, u64>::new();
        for (reason, count) in tables.prober.failures() {
            *failures.entry(reason.brief()).or_default() += count;
        }
        let (reason, &of) = failures.iter().nth(number).ok_or_else(|| {
            let last = failures.len();
            Failure::argument(format!("reason {number}: expected a number below {last}"))
        })?;
        // SAFETY: the caller's promise.
        unsafe {
            write_if_asked(count, "count", of)?;
            put_text(reason, buffer, size, needed)
        }
    })
}
