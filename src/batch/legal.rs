//! The legal positions of a slice, and the positions in which a king is in check.
//!
//! Indices are decoded into columns, one byte for each square. The rest is arithmetic on bytes, for 64
//! positions at a time, in plain loops that the compiler turns into vectors. There are no tables, and no
//! branch depends on a position.
//!
//! A piece attacks the king if one of its moves goes as many files and ranks as lie between them. Two pieces
//! on a line are connected unless a third one's distances from them add up to the distance between them.
//!
//! Other representations have rules of their own: [`Moves`] has one index's pieces on a board, an
//! [`Enumeration`](crate::Enumeration) all squares of the last piece, a bitbase all squares of all men.

use bytemuck::Zeroable;

use super::backend::Backend;
use super::operations::BatchWord;
use crate::board::{Color, Piece, PieceType};
use crate::checks::check_length;
use crate::dispatch;
use crate::index::{Moves, Word, king_number};

/// The most pieces of an index in a batch.
const MAX_PIECES: usize = <u64 as Word>::MAX_PIECES;
/// The number of positions that are looked at side by side. Each is a bit of one word of the bitmap.
const BLOCK: usize = 64;
/// The number of positions that are decoded at a time.
const PART: usize = 8 * BLOCK;

/// A byte for each position of a block.
type Block = [u8; BLOCK];

/// # Legality
///
/// Every method applies the method of [`Moves`] of the same name to each index of a slice, and writes the
/// answers as a bitmap: bit `k % 64` of word `k / 64` is the answer for index `k`. Bits past the last index are
/// zero. Nothing is allocated.
///
/// # Panics
/// If the bitmap is not as long as ⌈number of indices / 64⌉.
impl Backend {
    /// Writes whether each position is legal with `side` to move ([`Moves::is_legal`]). As there, indices
    /// with bits above their digits are not legal.
    ///
    /// ```
    /// use tbindex::batch::Backend;
    /// use tbindex::{Color, Moves, Numbering};
    /// let moves = Moves::<u32>::try_new("KRvK".parse()?, Numbering::Natural)?;
    /// let all: Vec<u32> = (0..1 << 18).collect();
    /// let mut legal = vec![0; all.len() / 64];
    /// Backend::detect().is_legal_into(&moves, Color::White, &all, &mut legal);
    /// let count: u32 = legal.iter().map(|bits| bits.count_ones()).sum();
    /// assert_eq!(count, 175_168);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the bitmap is not as long as ⌈number of indices / 64⌉.
    #[track_caller]
    pub fn is_legal_into<W: BatchWord>(
        self,
        moves: &Moves<W>,
        side: Color,
        from: &[W],
        bitmap: &mut [u64],
    ) {
        check_length("is_legal_into", bitmap.len(), from.len().div_ceil(64));
        by_parts(self, moves, Question::IsLegal, !side, from, bitmap);
    }

    /// Writes whether the king of `side` is attacked in each position ([`Moves::is_check`]). Indices must be
    /// valid, and no two pieces of a position may share a square. The answer for others is unspecified.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::{Color, Moves, Numbering};
    /// let moves = Moves::<u32>::try_new("KRvK".parse()?, Numbering::Natural)?;
    /// let mut bitmap = [0];
    /// // K on a1, k on h8, and R on b1, b8, h1.
    /// let indices = [0o070_071, 0o077_071, 0o070_077];
    /// Backend::detect().is_check_into(&moves, Color::Black, &indices, &mut bitmap);
    /// assert_eq!(bitmap, [0b110]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the bitmap is not as long as ⌈number of indices / 64⌉.
    #[track_caller]
    pub fn is_check_into<W: BatchWord>(
        self,
        moves: &Moves<W>,
        side: Color,
        from: &[W],
        bitmap: &mut [u64],
    ) {
        check_length("is_check_into", bitmap.len(), from.len().div_ceil(64));
        by_parts(self, moves, Question::IsCheck, side, from, bitmap);
    }
}

/// A question about a position and one of its kings.
#[derive(Clone, Copy)]
enum Question {
    /// Whether the king is attacked.
    IsCheck,
    /// Whether the position is legal if the king is that of the side that is not to move.
    IsLegal,
}

/// Has the squares of each part decoded and looked at, with the king of `side` as the one in question.
fn by_parts<W: BatchWord>(
    backend: Backend,
    moves: &Moves<W>,
    question: Question,
    side: Color,
    from: &[W],
    bitmap: &mut [u64],
) {
    let (layout, all) = (moves.layout(), moves.pieces());
    let king = king_number(all, side);
    let pieces = &Pieces { all, king };
    let mut room = Room::zeroed();
    for (from, bits) in from.chunks(PART).zip(bitmap.chunks_mut(PART / BLOCK)) {
        let mut columns = room.squares.each_mut().map(|all| &mut all[..from.len()]);
        backend.decode_columns(&layout, from, &mut columns[..layout.pieces()]);
        answer(backend, question, pieces, &mut room, bits);
        if !layout.is_valid(from.iter().fold(W::ZERO, |all, &index| all | index)) {
            for (k, &index) in from.iter().enumerate() {
                bits[k / BLOCK] &= !(u64::from(!layout.is_valid(index)) << (k % BLOCK));
            }
        }
    }
    if let (Some(last), past @ 1..) = (bitmap.last_mut(), from.len() % BLOCK) {
        *last &= u64::MAX >> (BLOCK - past);
    }
}

/// The pieces, and which of them is the king in question.
struct Pieces<'a> {
    all: &'a [Piece],
    king: usize,
}

/// The facts known of the pieces of some positions.
#[derive(Zeroable)]
struct Room {
    /// The square of each piece in the positions of a part.
    squares: [[u8; PART]; MAX_PIECES],
    /// The file and rank of each piece in the positions of a block.
    at: FilesAndRanks,
    /// The distances of each piece from the king in the positions of a block.
    from_king: FilesAndRanks,
}

#[derive(Zeroable)]
struct FilesAndRanks {
    files: [Block; MAX_PIECES],
    ranks: [Block; MAX_PIECES],
}

impl Room {
    /// The squares of piece `k` in a block.
    #[inline(always)]
    fn squares(&self, block: usize, k: usize) -> &Block {
        &self.squares[k].as_chunks::<BLOCK>().0[block]
    }

    /// Finds files, ranks and distances in a block.
    #[inline(always)]
    fn measure(&mut self, pieces: &Pieces, block: usize) {
        let Room {
            squares,
            at,
            from_king,
        } = self;
        // Copies, so that the compiler knows that nothing is written to them.
        let king = squares[pieces.king].as_chunks::<BLOCK>().0[block];
        for k in 0..pieces.all.len() {
            let squares = squares[k].as_chunks::<BLOCK>().0[block];
            for i in 0..BLOCK {
                let (file, rank) = (squares[i] & 7, squares[i] >> 3);
                (at.files[k][i], at.ranks[k][i]) = (file, rank);
                from_king.files[k][i] = distance(file, king[i] & 7);
                from_king.ranks[k][i] = distance(rank, king[i] >> 3);
            }
        }
    }
}

/// Sets the bits of the positions to which the answer is yes. It has no type parameter, so callers in other crates compile no kernel.
fn answer(
    backend: Backend,
    question: Question,
    pieces: &Pieces,
    room: &mut Room,
    bits: &mut [u64],
) {
    match question {
        Question::IsCheck => look_at::<false>(backend, pieces, room, bits),
        Question::IsLegal => look_at::<true>(backend, pieces, room, bits),
    }
}

/// Sets the bits of the positions in which the king in question is attacked or, if `LEGAL`, of the positions that are
/// legal if it is the king of the side that is not to move.
fn look_at<const LEGAL: bool>(
    backend: Backend,
    pieces: &Pieces,
    room: &mut Room,
    bits: &mut [u64],
) {
    dispatch!(backend, move _ => {
        for (block, bits) in bits.iter_mut().enumerate() {
            let mut marks = [0; BLOCK];
            room.measure(pieces, block);
            if LEGAL {
                mark_misplaced(pieces, room, block, &mut marks);
            }
            mark_checks(pieces, room, block, &mut marks);
            *bits = if LEGAL { !bits_of(&marks) } else { bits_of(&marks) };
        }
    });
}

/// Marks the positions of a block in which pieces share a square, or a pawn stands on the first or the last
/// rank.
#[inline(always)]
fn mark_misplaced(pieces: &Pieces, room: &Room, block: usize, marks: &mut Block) {
    for (k, piece) in pieces.all.iter().enumerate() {
        let square = room.squares(block, k);
        for other in 0..k {
            let other = room.squares(block, other);
            mark(marks, |i| square[i] == other[i]);
        }
        if piece.kind == PieceType::Pawn {
            mark(marks, |i| square[i].wrapping_sub(8) >= 48);
        }
    }
}

/// Marks the positions of a block in which the king is attacked.
#[inline(always)]
fn mark_checks(pieces: &Pieces, room: &Room, block: usize, marks: &mut Block) {
    let side = pieces.all[pieces.king].color;
    for (k, piece) in pieces.all.iter().enumerate() {
        if piece.color == side {
            continue;
        }
        let (files, ranks) = (&room.from_king.files[k], &room.from_king.ranks[k]);
        match piece.kind {
            PieceType::King => mark(marks, |i| files[i].max(ranks[i]) == 1),
            PieceType::Knight => mark(marks, |i| {
                (files[i].max(ranks[i]) == 2) & (files[i].min(ranks[i]) == 1)
            }),
            PieceType::Pawn => {
                // One rank away, the greater number is above.
                let (pawn, king) = (room.squares(block, k), room.squares(block, pieces.king));
                let (below, above) = match piece.color {
                    Color::White => (pawn, king),
                    Color::Black => (king, pawn),
                };
                mark(marks, |i| {
                    (files[i] == 1) & (ranks[i] == 1) & (below[i] < above[i])
                });
            }
            PieceType::Bishop => mark_lines::<false, true>(pieces, room, k, marks),
            PieceType::Rook => mark_lines::<true, false>(pieces, room, k, marks),
            PieceType::Queen => mark_lines::<true, true>(pieces, room, k, marks),
        }
    }
}

/// Marks the positions in which piece `k` attacks the king along files and ranks or along diagonals.
#[inline(always)]
fn mark_lines<const STRAIGHT: bool, const DIAGONAL: bool>(
    pieces: &Pieces,
    room: &Room,
    k: usize,
    marks: &mut Block,
) {
    let Room { at, from_king, .. } = room;
    let (own_files, own_ranks) = (&at.files[k], &at.ranks[k]);
    let (files, ranks) = (&from_king.files[k], &from_king.ranks[k]);
    let (mut on_straight, mut on_diagonal) = ([0; BLOCK], [0; BLOCK]);
    for other in (0..pieces.all.len()).filter(|&other| other != k && other != pieces.king) {
        let (other_files, other_ranks) = (&at.files[other], &at.ranks[other]);
        let (rest_files, rest_ranks) = (&from_king.files[other], &from_king.ranks[other]);
        for i in 0..BLOCK {
            let file = distance(own_files[i], other_files[i]);
            let rank = distance(own_ranks[i], other_ranks[i]);
            // In the rectangle of which the two are corners. On a file or a rank, this is the line itself.
            let within = (file + rest_files[i] == files[i]) & (rank + rest_ranks[i] == ranks[i]);
            on_straight[i] |= u8::from(STRAIGHT & within);
            on_diagonal[i] |= u8::from(DIAGONAL & within & (file == rank));
        }
    }
    mark(marks, |i| {
        let straight = ((files[i] == 0) ^ (ranks[i] == 0)) & (on_straight[i] == 0);
        let diagonal = (files[i] == ranks[i]) & (files[i] != 0) & (on_diagonal[i] == 0);
        STRAIGHT & straight | DIAGONAL & diagonal
    });
}

/// Marks the positions of a block that meet a condition.
#[inline(always)]
fn mark(marks: &mut Block, is_met: impl Fn(usize) -> bool) {
    for (i, mark) in marks.iter_mut().enumerate() {
        *mark |= u8::from(is_met(i));
    }
}

/// The distance between two files or ranks. (`abs_diff` of bytes is compiled to arithmetic of 32 bits, a
/// quarter as fast.)
#[inline(always)]
fn distance(a: u8, b: u8) -> u8 {
    a.max(b) - a.min(b)
}

/// The word whose bits are the marks, which are 0 or 1.
#[inline(always)]
fn bits_of(marks: &Block) -> u64 {
    let mut bits = 0;
    for (k, &eight) in marks.as_chunks::<8>().0.iter().enumerate() {
        // The product moves byte i's bit to bit 56 + i, without any carry.
        let gathered = u64::from_le_bytes(eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits |= gathered << (8 * k);
    }
    bits
}
