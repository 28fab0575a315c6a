//! The legal moves of the positions of a slice, and the positions before them.
//!
//! All positions have the same pieces, so a vector holds one piece of several positions, each as a board with one square.
//! Lines are filled, and checks and pins found, for all of them at once. The result is a board for each piece, with
//! the squares that it can go to or come from. The indices are then written position by position.

use bytemuck::{Pod, Zeroable};

use super::backend::{Backend, Token, same_length};
use super::operations::BatchWord;
use super::reach::{MAX_PIECES, PART, Part, find};
use crate::board::{Bitboard, Color, PROMOTIONS, Piece, PieceType, Square, bits};
use crate::dispatch;
use crate::index::{Layout, MaterialMap, Moves, Reached, Word, numbers};

/// A legal move of a position in a slice; see [`Backend::moves_into`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct PackedMove {
    piece: u8,
    to: u8,
    /// One more than the number of the piece, or 0.
    captured: u8,
    /// One more than the place in `PROMOTIONS`, or 0.
    promotion: u8,
}

impl PackedMove {
    #[inline(always)]
    fn new(piece: usize, to: u8, captured: Option<usize>) -> PackedMove {
        PackedMove {
            piece: piece as u8,
            to,
            captured: captured.map_or(0, |captured| captured as u8 + 1),
            promotion: 0,
        }
    }

    /// Returns the number of the piece that moves.
    #[must_use]
    pub const fn piece(self) -> usize {
        self.piece as usize
    }

    /// Returns the square that it goes to.
    #[must_use]
    pub const fn to(self) -> Square {
        Square::from_low_bits(self.to)
    }

    /// Returns the number of the piece that it takes, if it takes one.
    #[must_use]
    pub fn captured(self) -> Option<usize> {
        usize::from(self.captured).checked_sub(1)
    }

    /// Returns the type that the pawn becomes, if it promotes.
    #[must_use]
    pub fn promotion(self) -> Option<PieceType> {
        let place = usize::from(self.promotion).checked_sub(1)?;
        PROMOTIONS.get(place).copied()
    }

    /// Returns the position that the move of `side` leads to, given its index as [`Backend::moves_into`] wrote it.
    ///
    /// # Panics
    /// If the move is not one of this material.
    #[must_use]
    pub fn reached<W: Word>(self, moves: &Moves<W>, side: Color, index: W) -> Reached<W> {
        let map = self.map(moves);
        Reached {
            material: map.map_or(moves.material(), MaterialMap::target),
            index,
            side: map.map_or(!side, |map| map.color(!side)),
        }
    }

    /// The map of a capture or a promotion.
    fn map<W: Word>(self, moves: &Moves<W>) -> Option<&MaterialMap<W>> {
        moves.map_of(self.piece(), self.captured(), self.promotion())
    }

    /// The index after this capture or promotion, given that with the piece on its new square.
    fn convert<W: Word>(self, moves: &Moves<W>, index: W) -> W {
        self.map(moves).map_or(index, |map| map.map(index))
    }
}

/// # Moves
///
/// The moves of a slice of positions. The moves of position `k` lie from `offsets[k]` to `offsets[k + 1]`. If there is no
/// room for all moves of all positions, the first positions are done, as many as there is room for, and the later offsets
/// keep their values. Nothing is allocated.
///
/// All positions must be legal with `side` to move ([`Backend::is_legal_into`]). The moves of others are unspecified.
impl Backend {
    /// Writes the legal moves of `side` in each position, in the order of [`Moves::moves`], and the indices that they lead
    /// to; [`PackedMove::reached`] tells their material after captures and promotions. Captures en passant are left out.
    /// Returns the number of positions done.
    ///
    /// A piece has at most 27 moves.
    ///
    /// ```
    /// use tbindex::batch::{Backend, PackedMove};
    /// use tbindex::{Color, Moves, Numbering};
    /// let moves = Moves::<u32>::try_new("KRvK".parse()?, Numbering::Natural)?;
    /// let positions: Vec<u32> = (0..1 << 18).filter(|&x| moves.is_legal(x, Color::White)).collect();
    /// let (mut packed, mut after) = ([PackedMove::default(); 1024], [0; 1024]);
    /// let mut offsets = vec![0; positions.len() + 1];
    /// let (backend, mut count, mut done) = (Backend::detect(), 0, 0);
    /// while done < positions.len() {
    ///     let (rest, offsets) = (&positions[done..], &mut offsets[done..]);
    ///     let now = backend.moves_into(&moves, Color::White, rest, offsets, &mut packed, &mut after);
    ///     count += offsets[now];
    ///     done += now;
    /// }
    /// assert_eq!(count, 3_383_416);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If there is not one offset more than there are positions, or the other two slices differ in length.
    pub fn moves_into<W: BatchWord>(
        self,
        moves: &Moves<W>,
        side: Color,
        from: &[W],
        offsets: &mut [usize],
        packed: &mut [PackedMove],
        to: &mut [W],
    ) -> usize {
        same_length(packed.len(), to.len());
        if let Token::Portable(_) = self.token() {
            return one_by_one(from, offsets, |index, at| {
                let mut end = at;
                for m in moves.moves(index, side) {
                    let packed = packed.get_mut(end)?;
                    *packed = PackedMove::new(m.piece, m.to.number(), m.captured);
                    let place = PROMOTIONS
                        .iter()
                        .position(|&kind| Some(kind) == m.promotion);
                    packed.promotion = place.map_or(0, |place| place as u8 + 1);
                    to[end] = m.after.index;
                    end += 1;
                }
                Some(end)
            });
        }
        let pieces = moves.pieces();
        let digits = Digits::new(&moves.layout(), pieces, side);
        let is_pawn = |k: usize| pieces[k].kind == PieceType::Pawn;
        let last_rank = Bitboard::from_rank(side.last_rank()).0;
        by_parts(
            self,
            moves,
            (from, offsets),
            find::<false>,
            side,
            #[inline(always)]
            |position, at| {
                let (mut end, mut enemies) = (at, 0);
                for (k, piece) in pieces.iter().enumerate() {
                    if piece.color != side {
                        enemies |= 1 << position.square(k);
                        continue;
                    }
                    let board = position.board(k);
                    end += board.count_ones() as usize;
                    if is_pawn(k) {
                        // On its last rank it becomes one of four pieces.
                        end += 3 * (board & last_rank).count_ones() as usize;
                    }
                }
                let (mut packed, mut to) = (packed.get_mut(at..end)?, to.get_mut(at..end)?);
                for k in numbers(pieces, side).rev() {
                    let board = position.board(k);
                    let without = digits.without(position, k);
                    let promotes = is_pawn(k) && board & last_rank != 0;
                    let kinds = if promotes { PROMOTIONS.len() } else { 1 };
                    let count = kinds * board.count_ones() as usize;
                    let (now, after);
                    (now, packed) = packed.split_at_mut(count);
                    (after, to) = to.split_at_mut(count);
                    if !promotes {
                        let mut rest = board;
                        for (packed, to) in now.iter_mut().zip(&mut *after) {
                            let square = rest.trailing_zeros() as u8 & 63;
                            rest &= rest.wrapping_sub(1);
                            *packed = PackedMove::new(k, square, None);
                            *to = without ^ digits.0[k][usize::from(square)];
                        }
                    }
                    let conversions = if promotes { board } else { board & enemies };
                    for square in bits(conversions) {
                        let place = kinds * (board & ((1 << square) - 1)).count_ones() as usize;
                        let index = without ^ digits.0[k][square];
                        let captured = position.number(pieces, !side, square as u8);
                        for kind in 0..kinds {
                            let packed = &mut now[place + kind];
                            *packed = PackedMove::new(k, square as u8, captured);
                            packed.promotion = if promotes { kind as u8 + 1 } else { 0 };
                            after[place + kind] = packed.convert(moves, index);
                        }
                    }
                }
                Some(end)
            },
        )
    }

    /// Writes the legal positions, with the other side to move, from which a move without capture or promotion leads to each
    /// position, in the order of [`Moves::unmoves`]. Returns the number of positions done.
    ///
    /// # Panics
    /// If there is not one offset more than there are positions.
    pub fn unmoves_into<W: BatchWord>(
        self,
        moves: &Moves<W>,
        side: Color,
        from: &[W],
        offsets: &mut [usize],
        to: &mut [W],
    ) -> usize {
        if let Token::Portable(_) = self.token() {
            return one_by_one(from, offsets, |index, at| {
                let mut end = at;
                for before in moves.unmoves(index, side) {
                    *to.get_mut(end)? = before;
                    end += 1;
                }
                Some(end)
            });
        }
        let pieces = moves.pieces();
        let digits = Digits::new(&moves.layout(), pieces, !side);
        by_parts(
            self,
            moves,
            (from, offsets),
            find::<true>,
            !side,
            #[inline(always)]
            |position, at| {
                let mut end = at;
                for k in numbers(pieces, !side) {
                    end += position.board(k).count_ones() as usize;
                }
                let mut to = to.get_mut(at..end)?.iter_mut();
                for k in numbers(pieces, !side) {
                    let without = digits.without(position, k);
                    for (square, to) in bits(position.board(k)).zip(&mut to) {
                        *to = without ^ digits.0[k][square];
                    }
                }
                Some(end)
            },
        )
    }
}

/// The part of an index that tells of one piece, for each piece of a side and each square.
struct Digits<W>([[W; 64]; MAX_PIECES]);

impl<W: Word> Digits<W> {
    fn new(layout: &Layout<W>, pieces: &[Piece], side: Color) -> Digits<W> {
        let mut digits = [[W::ZERO; 64]; MAX_PIECES];
        for (k, piece) in pieces.iter().enumerate() {
            if piece.color == side {
                digits[k] = std::array::from_fn(|square| {
                    let code = layout.numbering().code(Square::from_low_bits(square as u8));
                    layout.place(code, k as u32)
                });
            }
        }
        Digits(digits)
    }

    /// The index of a position with zeros for piece `k`.
    #[inline(always)]
    fn without(&self, position: Position<'_, W>, k: usize) -> W {
        position.index ^ self.0[k][usize::from(position.square(k))]
    }
}

/// One position, and where its pieces can go to or come from.
#[derive(Clone, Copy)]
struct Position<'a, W> {
    index: W,
    number: usize,
    part: &'a Part,
}

impl<W: Copy> Position<'_, W> {
    #[inline(always)]
    fn square(self, k: usize) -> u8 {
        self.part.squares[k][self.number] & 63
    }

    #[inline(always)]
    fn board(self, k: usize) -> u64 {
        self.part.boards[k][self.number]
    }

    /// The number of the piece of a side on a square.
    #[inline(always)]
    fn number(self, pieces: &[Piece], side: Color, square: u8) -> Option<usize> {
        numbers(pieces, side).find(|&k| self.square(k) == square)
    }
}

/// Calls a function with each index and the place where its moves begin, until the function has no room for them. It
/// returns where they end. Returns the number of positions done.
///
/// So the portable backend works: its vectors hold too few boards.
fn one_by_one<W: Word>(
    from: &[W],
    offsets: &mut [usize],
    mut write: impl FnMut(W, usize) -> Option<usize>,
) -> usize {
    same_length(from.len() + 1, offsets.len());
    offsets[0] = 0;
    for (done, &index) in from.iter().enumerate() {
        let Some(end) = write(index, offsets[done]) else {
            return done;
        };
        offsets[done + 1] = end;
    }
    from.len()
}

/// Does the same with whole parts, whose pieces' boards are found first by vectors.
fn by_parts<W: BatchWord>(
    backend: Backend,
    moves: &Moves<W>,
    (from, offsets): (&[W], &mut [usize]),
    find: fn(Backend, &[Piece], Color, &mut Part, usize),
    side: Color,
    mut write: impl FnMut(Position<'_, W>, usize) -> Option<usize>,
) -> usize {
    same_length(from.len() + 1, offsets.len());
    offsets[0] = 0;
    let mut part = Part::zeroed();
    let (pieces, mut done, mut last) = (moves.pieces(), 0, 0);
    for from in from.chunks(PART) {
        last += from.len();
        let mut columns = part.squares.each_mut().map(|all| &mut all[..from.len()]);
        backend.decode_columns(&moves.layout(), from, &mut columns[..pieces.len()]);
        find(backend, pieces, side, &mut part, from.len());
        let part = &part;
        dispatch!(backend, _ => {
            for (number, &index) in from.iter().enumerate() {
                let position = Position { index, number, part };
                let Some(end) = write(position, offsets[done]) else {
                    break;
                };
                done += 1;
                offsets[done] = end;
            }
        });
        if done < last {
            break;
        }
    }
    done
}
