//! Tables of endgames: the values of many positions.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_void};
use std::sync::{Arc, Mutex, PoisonError};

use syzygy_tables::batch::{Answer, BatchProber, Failure as Missing, PackedBoard, PieceOrder};
use syzygy_tables::cozy_chess::{self, Board};
use syzygy_tables::{Error, Tables, Wdl};
use tbindex::batch::{Backend, BatchWord};
use tbindex::{Color, Layout, Piece};

use super::file::tbi_side;
use super::layout::{numbering, tbi_numbering};
use super::material::material;
use super::memory::{
    Range, apart, give, path, put_text, reference, slice, slice_mut, take_back, text, two,
    write_if_asked,
};
use super::moves::side_to_move;
use super::status::{
    Failure, Outcome, TBI_ERROR_ARGUMENT, TBI_ERROR_IO, TBI_ERROR_NAME, guard, guard_value,
    tbi_status,
};
use super::words::with_word;

/// Syzygy files in a folder, each of which is opened when it is first needed. They must not change meanwhile.
#[derive(Debug)]
pub struct tbi_tables {
    prober: BatchProber<'static>,
    /// The reasons why positions have no value, and of how many.
    failures: Mutex<BTreeMap<String, u64>>,
}

/// Any of the `TBI_VALUE_...`, added.
pub type tbi_value_flags = u8;

/// There is a value; without this, all else is 0.
pub const TBI_VALUE_KNOWN: tbi_value_flags = 1;
/// The outcome is certain. It is not where a rounded distance leaves open whether the fifty-move counter
/// reaches 100; then it is that by the shorter one.
pub const TBI_VALUE_CERTAIN: tbi_value_flags = 2;
/// The distance is known.
pub const TBI_VALUE_DTZ: tbi_value_flags = 4;
/// The distance is exact; if it is not, there may be one ply more.
pub const TBI_VALUE_EXACT: tbi_value_flags = 8;

/// The value of a position for the side to move, under the fifty-move rule.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct tbi_value {
    /// The outcome: 2 win, 1 cursed win, 0 draw, -1 blessed loss, -2 loss.
    pub wdl: i8,
    /// Any of the `TBI_VALUE_...`, added.
    pub flags: tbi_value_flags,
    /// The plies to the next capture, pawn move or mate, negative for a loss, 0 for a draw or a checkmate.
    pub dtz: i16,
}

/// The most positions that are looked up together.
const ROUND: usize = 1 << 24;
/// The positions whose squares are turned at a time.
const PART: usize = 1 << 10;

impl tbi_tables {
    fn value(
        &self,
        found: Result<tbi_value, Missing>,
        lost: &mut BTreeMap<String, u64>,
    ) -> tbi_value {
        found.unwrap_or_else(|missing| {
            let reason = match self.prober.reason(missing) {
                Error::Missing { material, kind } => format!("{material}.{}", kind.extension()),
                other => other.to_string(),
            };
            *lost.entry(reason).or_default() += 1;
            tbi_value::default()
        })
    }

    fn put(&self, found: impl Iterator<Item = Result<tbi_value, Missing>>, out: &mut [tbi_value]) {
        let mut lost = BTreeMap::new();
        for (found, out) in found.zip(out) {
            *out = self.value(found, &mut lost);
        }
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        for (reason, count) in lost {
            *failures.entry(reason).or_default() += count;
        }
    }

    /// The values of positions of a material. `pack` writes their squares, from a number on.
    fn probe(
        &self,
        (order, side, with_dtz): (&PieceOrder, Color, bool),
        out: &mut [tbi_value],
        pack: impl Fn(usize, &mut [u64]),
    ) {
        let (material, side) = (order.material(), order.side(of_cozy(side)));
        let mut packed = vec![0; out.len().min(ROUND)];
        for (number, out) in out.chunks_mut(ROUND).enumerate() {
            let packed = &mut packed[..out.len()];
            pack(number * ROUND, packed);
            if with_dtz {
                let found = self.prober.probe_of(material, side, packed).into_iter();
                self.put(found.map(|answer| Ok(of_answer(answer?, 0))), out);
            } else {
                let found = self.prober.probe_wdl_of(material, side, packed).into_iter();
                self.put(found.map(|wdl| wdl.map(of_outcome)), out);
            }
        }
    }
}

fn of_cozy(side: Color) -> cozy_chess::Color {
    match side {
        Color::White => cozy_chess::Color::White,
        Color::Black => cozy_chess::Color::Black,
    }
}

fn of_outcome(wdl: Wdl) -> tbi_value {
    tbi_value {
        wdl: wdl as i8,
        flags: TBI_VALUE_KNOWN | TBI_VALUE_CERTAIN,
        dtz: 0,
    }
}

fn of_answer(answer: Answer, counter: u32) -> tbi_value {
    let (wdl, certain) = answer.with_counter(counter);
    let flags = [
        (certain, TBI_VALUE_CERTAIN),
        (answer.dtz.exact, TBI_VALUE_EXACT),
    ];
    let flags = flags
        .into_iter()
        .filter(|&(is, _)| is)
        .map(|(_, flag)| flag);
    tbi_value {
        wdl: wdl as i8,
        flags: flags.fold(TBI_VALUE_KNOWN | TBI_VALUE_DTZ, |all, flag| all | flag),
        dtz: if answer.checkmate {
            0
        } else {
            answer.dtz.plies as i16
        },
    }
}

/// The order of a material's pieces in an index and in rows, and their number.
///
/// # Safety
/// As for [`text`].
unsafe fn order(name: *const c_char) -> Outcome<(PieceOrder, usize)> {
    // SAFETY: the caller's promise.
    let material = unsafe { material(name) }?;
    let letters: String = material.index_order().map(Piece::letter).collect();
    let order = PieceOrder::of_letters(&letters);
    let order = order.map_err(|error| Failure::argument(format!("{material}: {error}")))?;
    Ok((order, material.piece_count()))
}

fn pack_words<W: BatchWord>(order: &PieceOrder, layout: &Layout<W>, from: &[W], to: &mut [u64]) {
    let pieces = layout.pieces();
    let mut rows = vec![0; PART * pieces];
    for (from, to) in from.chunks(PART).zip(to.chunks_mut(PART)) {
        let rows = &mut rows[..from.len() * pieces];
        Backend::detect().decode_rows(layout, from, rows);
        pack_rows(order, rows, pieces, to);
    }
}

fn pack_rows(order: &PieceOrder, rows: &[u8], pieces: usize, to: &mut [u64]) {
    for (row, to) in rows.chunks_exact(pieces).zip(to) {
        *to = order.pack(row);
    }
}

/// Opens the Syzygy files of a folder. `memory` is how many bytes may be taken for what is kept of them, 64 MiB at
/// least; 0 is 512 MiB. `TBI_ERROR_IO` if the system refuses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_tables_open(
    folder: *const c_char,
    memory: usize,
    tables: *mut *mut tbi_tables,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        give(tables, "tables", || {
            let folder = path(folder, "folder")?;
            let found = Tables::open(folder).map_err(|error| {
                Failure::new(TBI_ERROR_IO, format!("{}: {error}", folder.display()))
            })?;
            let memory = if memory == 0 { 512 << 20 } else { memory };
            Ok(tbi_tables {
                prober: BatchProber::shared(Arc::new(found), memory),
                failures: Mutex::default(),
            })
        })
    })
}

/// Closes tables; NULL is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_tables_close(tables: *mut tbi_tables) {
    // SAFETY: the caller's promise.
    guard_value((), || unsafe { take_back(tables, "tables") });
}

/// Writes the values of `count` indices of a material of 3 to 7 pieces, with `side` to move: outcomes, and
/// distances if `with_dtz`, which takes longer. All processors share the work.
///
/// An index whose position is not legal, or whose table is missing or damaged, has no value, and is no error;
/// `tbi_tables_failure` tells how many of these there were.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_tables_probe(
    tables: *const tbi_tables,
    material: *const c_char,
    numbering: tbi_numbering,
    side: tbi_side,
    with_dtz: bool,
    r#in: *const c_void,
    out: *mut tbi_value,
    word_bytes: usize,
    count: usize,
) -> tbi_status {
    guard(|| {
        with_word!(word_bytes, W => {
            // SAFETY: the caller's promise.
            let tables = unsafe { reference(tables, "tables") }?;
            // SAFETY: as above.
            let (order, pieces) = unsafe { order(material) }?;
            let layout = Layout::<W>::try_new(pieces, self::numbering(numbering)?)?;
            // SAFETY: as above.
            let (from, out) = unsafe { two((r#in.cast(), count, "in"), (out, count, "out")) }?;
            Backend::detect().check_indices(&layout, from)?;
            let how = (&order, side_to_move(side)?, with_dtz);
            tables.probe(how, out, |first, to| {
                pack_words(&order, &layout, &from[first..first + to.len()], to);
            });
            Ok(())
        })
    })
}

/// The same of positions as rows of squares, a byte each, in the order of the pieces in an index.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_tables_probe_rows(
    tables: *const tbi_tables,
    material: *const c_char,
    side: tbi_side,
    with_dtz: bool,
    rows: *const u8,
    out: *mut tbi_value,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let tables = reference(tables, "tables")?;
        let (order, pieces) = order(material)?;
        let bytes = count.saturating_mul(pieces);
        let (rows, out) = two((rows, bytes, "rows"), (out, count, "out"))?;
        let how = (&order, side_to_move(side)?, with_dtz);
        tables.probe(how, out, |first, to| {
            pack_rows(&order, &rows[first * pieces..], pieces, to);
        });
        Ok(())
    })
}

/// The board of a FEN or EPD, and its fifty-move counter.
fn board(fen: &str) -> Result<(Board, u32), String> {
    let fields: Vec<&str> = fen.split_whitespace().collect();
    if fields.len() < 4 {
        return Err("expected a board, a side, castling rights and an en-passant square".into());
    }
    let counter = fields
        .get(4)
        .and_then(|text| text.parse().ok())
        .unwrap_or(0);
    let whole = format!("{} 0 1", fields[..4].join(" "));
    let board = Board::from_fen(&whole, false).map_err(|error| error.to_string())?;
    Ok((board, counter))
}

/// The same of positions of any materials as FEN or EPD, whose en-passant square and fifty-move counter count.
/// `TBI_ERROR_NAME` if a text is no FEN of a legal position, `TBI_ERROR_ARGUMENT` if it has castling rights or more
/// than 7 pieces; the message has its number, and no value is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_tables_probe_fens(
    tables: *const tbi_tables,
    fens: *const *const c_char,
    out: *mut tbi_value,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let tables = reference(tables, "tables")?;
        let fens = slice(fens, count, "fens")?;
        apart(&[
            Range::new(fens.as_ptr(), count, "fens"),
            Range::new(out, count, "out"),
        ])?;
        let out = slice_mut(out, count, "out")?;
        let (mut boards, mut counters) = (Vec::new(), Vec::new());
        for (number, &fen) in fens.iter().enumerate() {
            let fen = text(fen, "fen")?;
            let wrong = |status, error: &dyn std::fmt::Display| {
                Failure::new(status, format!("fen {number}: {fen:?}: {error}"))
            };
            let (board, counter) = board(fen).map_err(|error| wrong(TBI_ERROR_NAME, &error))?;
            let packed = PackedBoard::try_from(&board);
            boards.push(packed.map_err(|error| wrong(TBI_ERROR_ARGUMENT, &error))?);
            counters.push(counter);
        }
        let found = tables.prober.probe(&boards).into_iter().zip(counters);
        tables.put(
            found.map(|(answer, counter)| Ok(of_answer(answer?, counter))),
            out,
        );
        Ok(())
    })
}

/// Writes a reason why positions had no value since the tables were opened, and a zero byte, into a buffer of `size`
/// bytes, else `TBI_ERROR_BUFFER`; the bytes that this takes to `needed`, and the number of positions to `count`, if
/// these are not NULL. The reason is the name of a missing file, such as `KQvK.rtbw`, or a sentence. Reasons are
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
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let tables = reference(tables, "tables")?;
        let failures = tables
            .failures
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let (reason, &of) = failures.iter().nth(number).ok_or_else(|| {
            let last = failures.len();
            Failure::argument(format!("reason {number}: expected a number below {last}"))
        })?;
        write_if_asked(count, "count", of)?;
        put_text(reason, buffer, size, needed)
    })
}
