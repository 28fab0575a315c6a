//! The moves of chess on indices, forward and back, and which positions are legal, in check, or at an end.

use std::ffi::{c_char, c_void};

use tbindex::Move;
use tbindex::batch::{Backend, BatchWord};
use tbindex::{Color, Layout, Material, Moves, Piece, Square};

use super::conversion::{TBI_NO_PIECE, of_c, tbi_conversion};
use super::file::tbi_side;
use super::layout::{numbering, tbi_numbering};
use super::material::{material, tbi_material};
use super::memory::{copy_out, give, reference, take_back, two};
use super::status::{Failure, Outcome, TBI_ERROR_SQUARE, guard, guard_value, tbi_status};
use super::words::{ByWord, with_word};
use super::writer::side;

/// In place of a square: no square.
pub const TBI_NO_SQUARE: u8 = 255;
/// The most legal moves that a position of up to 10 pieces can have, rounded up.
pub const TBI_MOST_MOVES: usize = 256;

/// The moves of the positions of one material. Castling is not among them; en passant is.
#[derive(Debug)]
pub struct tbi_moves {
    by_word: ByWord<Moves<u32>, Moves<u64>>,
    /// The material itself, and those that moves lead to.
    materials: Vec<Material>,
}

/// A legal move.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct tbi_move {
    /// The index that the move leads to, in the material of number `material`. It need not be canonical.
    pub index: u64,
    /// The number of the material that the move leads to, for `tbi_moves_materials`; 0 unless something is
    /// captured or promotes.
    pub material: u8,
    /// The side to move then: `TBI_SIDE_WHITE` or `TBI_SIDE_BLACK`. It is the mover's own side where the
    /// material is kept with its colours exchanged.
    pub side: u8,
    /// The number of the piece that moves.
    pub piece: u8,
    /// The square that it leaves.
    pub from: u8,
    /// The square that it goes to.
    pub to: u8,
    /// The number of the piece that it takes, or `TBI_NO_PIECE`.
    pub captured: u8,
    /// The code of the piece that a pawn becomes (`tbi_material`), or 0.
    pub promotion: u8,
    /// After a double step, the square that was passed, if a pawn may be able to take en passant there;
    /// else `TBI_NO_SQUARE`.
    pub en_passant: u8,
}

impl tbi_moves {
    /// The moves of this position, which must be legal.
    fn of_legal(&self, index: u64, side: Color) -> Outcome<&Moves<u64>> {
        let moves = &self.by_word.wide;
        Backend::detect().check_indices(&moves.layout(), &[index])?;
        match moves.is_legal(index, side) {
            true => Ok(moves),
            false => Err(Failure::argument(format!(
                "index {index:#o} with {side} to move: expected a legal position"
            ))),
        }
    }

    fn in_c(&self, made: &Move<u64>) -> tbi_move {
        let own = self.materials[0];
        let number =
            match made.after.material == own && made.captured.is_none() && made.promotion.is_none()
            {
                true => Some(0),
                false => self.materials[1..]
                    .iter()
                    .position(|&material| material == made.after.material)
                    .map(|place| place + 1),
            };
        let mut pieces = self.by_word.wide.material().index_order();
        let color = pieces
            .nth(made.piece)
            .map_or(Color::White, |piece| piece.color);
        tbi_move {
            index: made.after.index,
            material: number.unwrap_or_default() as u8,
            side: made.after.side as u8,
            piece: made.piece as u8,
            from: made.from.number(),
            to: made.to.number(),
            captured: made
                .captured
                .map_or(TBI_NO_PIECE, |captured| captured as u8),
            promotion: made
                .promotion
                .map_or(0, |kind| Piece::new(color, kind).code()),
            en_passant: made.en_passant.map_or(TBI_NO_SQUARE, Square::number),
        }
    }
}

/// The side of a number; here it has to be one of the two.
pub(crate) fn side_to_move(number: tbi_side) -> Outcome<Color> {
    side(number)?.ok_or_else(|| {
        Failure::argument("no side to move: expected TBI_SIDE_WHITE or TBI_SIDE_BLACK")
    })
}

/// Makes the moves of a material's positions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_moves_new(
    material: *const c_char,
    numbering: tbi_numbering,
    moves: *mut *mut tbi_moves,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        give(moves, "moves", || {
            let material = self::material(material)?;
            let numbering = self::numbering(numbering)?;
            let mut materials = vec![material];
            for (_, after) in material.conversions() {
                let after = after.normal();
                if !materials[1..].contains(&after) {
                    materials.push(after);
                }
            }
            Ok(tbi_moves {
                by_word: ByWord {
                    narrow: Moves::try_new(material, numbering).ok(),
                    wide: Moves::try_new(material, numbering)?,
                },
                materials,
            })
        })
    })
}

/// Frees moves; NULL is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_moves_free(moves: *mut tbi_moves) {
    // SAFETY: the caller's promise.
    guard_value((), || unsafe { take_back(moves, "moves") });
}

/// Lists the materials that the moves lead to, at most 64, by their numbers in `tbi_move`: number 0 is the
/// moves' own; captures and promotions lead to the others, in which white is the stronger side.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_moves_materials(
    moves: *const tbi_moves,
    out: *mut tbi_material,
    capacity: usize,
    count: *mut usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let materials = reference(moves, "moves")?.materials.iter();
        let all: Vec<_> = materials.map(|&each| tbi_material::from(each)).collect();
        copy_out(&all, out, capacity, count, "materials")
    })
}

/// Lists the legal moves of `side` in a legal position, at most `TBI_MOST_MOVES`. `passed` is the square that
/// a pawn of the other side has just passed by a double step, or `TBI_NO_SQUARE`.
///
/// `TBI_ERROR_INDEX` if the index has bits above its digits, `TBI_ERROR_ARGUMENT` if the position is not legal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_moves_from(
    moves: *const tbi_moves,
    index: u64,
    side: tbi_side,
    passed: u8,
    out: *mut tbi_move,
    capacity: usize,
    count: *mut usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let passed = match passed {
            TBI_NO_SQUARE => None,
            number => Some(
                Square::try_from(number).map_err(|error| Failure::new(TBI_ERROR_SQUARE, error))?,
            ),
        };
        let side = side_to_move(side)?;
        let handle = reference(moves, "moves")?;
        let moves = handle.of_legal(index, side)?;
        let mut list = [tbi_move::default(); TBI_MOST_MOVES];
        let mut found = 0;
        for made in moves.moves(index, side, passed) {
            list[found] = handle.in_c(&made);
            found += 1;
        }
        copy_out(&list[..found], out, capacity, count, "moves")
    })
}

/// Lists the indices of the legal positions, with the other side to move, from which a move without capture or
/// promotion leads to this legal position with `side` to move, at most `TBI_MOST_MOVES`.
///
/// The errors are as for `tbi_moves_from`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_moves_back(
    moves: *const tbi_moves,
    index: u64,
    side: tbi_side,
    out: *mut u64,
    capacity: usize,
    count: *mut usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let side = side_to_move(side)?;
        let before = reference(moves, "moves")?.of_legal(index, side)?;
        let before: Vec<u64> = before.unmoves(index, side).collect();
        copy_out(&before, out, capacity, count, "indices")
    })
}

/// Lists the indices of the legal positions of the moves' material, with the mover of a conversion to move,
/// from which that capture or promotion leads to this index of the normal material that is left, up to the
/// exchange of like pieces; none if the conversion is not possible. Captures en passant are not taken back.
///
/// `TBI_ERROR_INDEX` if the index has bits above its digits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_moves_back_conversion(
    moves: *const tbi_moves,
    conversion: tbi_conversion,
    index: u64,
    out: *mut u64,
    capacity: usize,
    count: *mut usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let moves = &reference(moves, "moves")?.by_word.wide;
        let conversion = of_c(conversion)?;
        let before: Vec<u64> = match moves.material().after(conversion) {
            None => Vec::new(),
            Some(after) => {
                let layout =
                    Layout::<u64>::try_new(after.piece_count(), moves.layout().numbering())?;
                Backend::detect().check_indices(&layout, &[index])?;
                moves.unconversions(conversion, index).collect()
            }
        };
        copy_out(&before, out, capacity, count, "indices")
    })
}

/// A question about positions.
#[derive(Clone, Copy)]
enum Question {
    Legal,
    Check,
    Mate,
    Stalemate,
}

impl Question {
    /// Writes the answers as a bitmap.
    fn answer<W: BatchWord>(self, moves: &Moves<W>, side: Color, from: &[W], bitmap: &mut [u64]) {
        let backend = Backend::detect();
        let checked = match self {
            Question::Legal => return backend.is_legal_into(moves, side, from, bitmap),
            Question::Check => return backend.is_check_into(moves, side, from, bitmap),
            Question::Mate => true,
            Question::Stalemate => false,
        };
        let holds = |index| {
            moves.is_check(index, side) == checked
                && moves.moves(index, side, None).next().is_none()
        };
        backend.is_legal_into(moves, side, from, bitmap);
        for (bits, block) in bitmap.iter_mut().zip(from.chunks(64)) {
            for (k, &index) in block.iter().enumerate() {
                let bit = 1 << k;
                if *bits & bit != 0 && !holds(index) {
                    *bits ^= bit;
                }
            }
        }
    }

    /// Reads indices and writes the answers.
    ///
    /// # Safety
    /// As for [`reference`] and [`two`].
    unsafe fn ask(
        self,
        moves: *const tbi_moves,
        side: tbi_side,
        (from, word_bytes, count): (*const c_void, usize, usize),
        bitmap: *mut u64,
    ) -> Outcome {
        let side = side_to_move(side)?;
        // SAFETY: the caller's promise.
        let handle = unsafe { reference(moves, "moves") }?;
        let bits = (bitmap, count.div_ceil(64), "bitmap");
        with_word!(word_bytes, moves in handle.by_word => {
            // SAFETY: the caller's promise.
            let (from, bits) = unsafe { two((from.cast(), count, "in"), bits) }?;
            self.answer(moves, side, from, bits);
            Ok(())
        })
    }
}

/// Writes whether each position is legal with `side` to move, as a bitmap: no two pieces share a square, pawns
/// stand on ranks 2 to 7, and the king of the side that is not to move is not attacked. An index with bits above
/// its digits is not legal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_is_legal(
    moves: *const tbi_moves,
    side: tbi_side,
    r#in: *const c_void,
    bitmap: *mut u64,
    word_bytes: usize,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { Question::Legal.ask(moves, side, (r#in, word_bytes, count), bitmap) })
}

/// Writes whether the king of `side` is attacked in each position, as a bitmap. The answer for an index with
/// pieces that share a square is unspecified.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_is_check(
    moves: *const tbi_moves,
    side: tbi_side,
    r#in: *const c_void,
    bitmap: *mut u64,
    word_bytes: usize,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { Question::Check.ask(moves, side, (r#in, word_bytes, count), bitmap) })
}

/// Writes whether each position is legal and `side`, to move, is checkmated, as a bitmap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_is_mate(
    moves: *const tbi_moves,
    side: tbi_side,
    r#in: *const c_void,
    bitmap: *mut u64,
    word_bytes: usize,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { Question::Mate.ask(moves, side, (r#in, word_bytes, count), bitmap) })
}

/// Writes whether each position is legal and `side`, to move, is stalemated, as a bitmap. Captures en passant
/// are ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_is_stalemate(
    moves: *const tbi_moves,
    side: tbi_side,
    r#in: *const c_void,
    bitmap: *mut u64,
    word_bytes: usize,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe { Question::Stalemate.ask(moves, side, (r#in, word_bytes, count), bitmap) })
}
