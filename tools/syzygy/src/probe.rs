//! Answers about positions.
//!
//! A file alone doesn't answer. The number in a WDL file is only a lower bound where a capture is as good, and tables
//! know nothing of en passant; so captures are always played and probed. Of distances a file has one side to move, so
//! that the other side's moves have to be played, and none where a capture or pawn move keeps a win.

use cozy_chess::{BitBoard, Board, Color, Move, Piece, Square};

use crate::error::Error;
use crate::file::{Class, SubTable, TableFile};
use crate::kind::Kind;
use crate::material::{MOST_PIECES, Material};
use crate::numbering::leading_file;
use crate::tables::Tables;
use crate::value::{Dtz, Wdl};

/// A position as its table sees it.
struct View {
    material: Material,
    /// Whether the position's black is the table's white. Ranks are mirrored then.
    exchanged: bool,
    side: Color,
}

impl View {
    #[inline]
    fn of(board: &Board) -> View {
        let (material, exchanged) = Material::of(board);
        let side = board.side_to_move();
        let exchanged = exchanged || material.is_symmetric() && side == Color::Black;
        View {
            material,
            exchanged,
            side: if exchanged { !side } else { side },
        }
    }

    #[inline]
    fn pieces(&self, board: &Board, color: Color, piece: Piece) -> BitBoard {
        let color = if self.exchanged { !color } else { color };
        let pieces = board.colored_pieces(color, piece);
        if self.exchanged {
            BitBoard(pieces.0.swap_bytes())
        } else {
            pieces
        }
    }

    /// The file of the leading pawn, or 0 without pawns.
    #[inline]
    fn file(&self, board: &Board) -> u8 {
        let Some(color) = self.material.leading_color() else {
            return 0;
        };
        let mut squares = [0; MOST_PIECES];
        let mut count = 0;
        for square in self.pieces(board, color, Piece::Pawn) {
            squares[count] = square as u8;
            count += 1;
        }
        leading_file(&squares[..count])
    }

    #[inline]
    fn place(&self, board: &Board, sub_table: &SubTable) -> u64 {
        let mut squares = [0; MOST_PIECES];
        let mut filled = 0;
        let mut before = None;
        for own in sub_table.numbering.pieces() {
            if before.replace(own) == Some(own) {
                continue;
            }
            for square in self.pieces(board, own.color(), own.piece()) {
                squares[filled] = square as u8;
                filled += 1;
            }
        }
        sub_table.numbering.index_of(squares)
    }
}

/// The result of a search.
#[derive(Clone, Copy)]
struct Found {
    value: Wdl,
    /// Whether a capture has this value.
    by_capture: bool,
}

/// A distance that is not known better than to be between two.
#[derive(Clone, Copy)]
struct Between {
    least: u32,
    most: u32,
}

impl Between {
    const fn exactly(plies: u32) -> Between {
        Between {
            least: plies,
            most: plies,
        }
    }
}

impl Tables {
    /// The outcome for the side to move, with the fifty-move counter at zero whatever the position has.
    ///
    /// # Errors
    /// If a table is missing or damaged, or there can be none for the position.
    pub fn probe_wdl(&self, board: &Board) -> Result<Wdl, Error> {
        check(board)?;
        Ok(self.search(board, Wdl::Loss, Wdl::Win)?.value)
    }

    /// The distance to the next capture, pawn move or mate, with the fifty-move counter at zero.
    ///
    /// # Errors
    /// If a table is missing or damaged, or there can be none for the position.
    pub fn probe_dtz(&self, board: &Board) -> Result<Dtz, Error> {
        self.probe(board).map(|(_, dtz)| dtz)
    }

    /// The answers of [`probe_wdl`](Tables::probe_wdl) and [`probe_dtz`](Tables::probe_dtz), for less than the work of
    /// both.
    ///
    /// # Errors
    /// As for these.
    pub fn probe(&self, board: &Board) -> Result<(Wdl, Dtz), Error> {
        check(board)?;
        let found = self.search(board, Wdl::Loss, Wdl::Win)?;
        if found.value == Wdl::Draw {
            let none = Dtz {
                plies: 0,
                exact: true,
            };
            return Ok((found.value, none));
        }
        let distance = self.distance(board, found)?;
        let sign = if found.value > Wdl::Draw { 1 } else { -1 };
        let dtz = Dtz {
            plies: sign * distance.least as i32,
            exact: distance.least == distance.most,
        };
        Ok((found.value, dtz))
    }

    /// The value if it is between the bounds; a bound that it is not within otherwise.
    fn search(&self, board: &Board, alpha: Wdl, beta: Wdl) -> Result<Found, Error> {
        let theirs = board.colors(!board.side_to_move());
        let passing = passing_square(board);
        let mut best: Option<Wdl> = None;
        let mut failure = None;
        // Moves of promoting pawns are generated as one.
        board.generate_moves(|moves| {
            let mut targets = moves.to & theirs;
            if moves.piece == Piece::Pawn
                && let Some(passing) = passing
            {
                targets |= moves.to & passing.bitboard();
            }
            for to in targets {
                for promotion in promotions(moves.piece, to) {
                    let child = played(board, moves.from, to, *promotion);
                    let floor = best.map_or(alpha, |best| best.max(alpha));
                    match self.search(&child, -beta, -floor) {
                        Ok(found) => {
                            best = Some(best.map_or(-found.value, |best| best.max(-found.value)));
                        }
                        Err(error) => failure = Some(error),
                    }
                    if failure.is_some() || best >= Some(beta) {
                        return true;
                    }
                }
            }
            false
        });
        if let Some(error) = failure {
            return Err(error);
        }
        if let Some(value) = best
            && (value >= beta || passing.is_some() && only_en_passant(board))
        {
            return Ok(Found {
                value,
                by_capture: true,
            });
        }
        let stored = self.stored_wdl(board)?;
        Ok(match best {
            Some(value) if value >= stored => Found {
                value,
                by_capture: true,
            },
            _ => Found {
                value: stored,
                by_capture: false,
            },
        })
    }

    #[inline]
    fn stored_wdl(&self, board: &Board) -> Result<Wdl, Error> {
        if board.occupied().len() == 2 {
            return Ok(Wdl::Draw);
        }
        let view = View::of(board);
        let file = self.file(view.material, Kind::Wdl)?;
        let sub_table =
            sub_table(file, view.side, view.file(board)).ok_or_else(|| no_side(file))?;
        let value = look_up(file, sub_table, view.place(board, sub_table))?;
        Ok(Wdl::ALL[usize::from(value)])
    }

    /// The distance of a position that isn't drawn.
    fn distance(&self, board: &Board, found: Found) -> Result<Between, Error> {
        let value = found.value;
        if value > Wdl::Draw && (found.by_capture || self.pawn_move_keeps(board, value)?) {
            return Ok(Between::exactly(before_zeroing(value)));
        }
        let class = Class::of(value).unwrap_or(Class::Loss);
        // A table's value of a lost position leaves its captures en passant out.
        if value > Wdl::Draw || passing_square(board).is_none() {
            let view = View::of(board);
            let file = self.file(view.material, Kind::Dtz)?;
            if let Some(sub_table) = sub_table(file, view.side, view.file(board)) {
                let stored = look_up(file, sub_table, view.place(board, sub_table))?;
                let least = file.distance(sub_table, class, stored)?;
                let most = if sub_table.is_exact(class) {
                    least
                } else {
                    least + 1
                };
                return Ok(Between { least, most });
            }
        }
        self.distance_by_moves(board, value)
    }

    /// Whether a pawn move that is no capture leads to this value.
    fn pawn_move_keeps(&self, board: &Board, value: Wdl) -> Result<bool, Error> {
        let pawns = board.colored_pieces(board.side_to_move(), Piece::Pawn);
        if pawns.is_empty() {
            return Ok(false);
        }
        let mut failure = None;
        let kept = board.generate_moves_for(pawns, |moves| {
            for to in moves.to {
                if to.file() != moves.from.file() {
                    continue;
                }
                for promotion in promotions(Piece::Pawn, to) {
                    let child = played(board, moves.from, to, *promotion);
                    match self.search(&child, Wdl::Loss, Wdl::Win) {
                        Ok(found) if -found.value == value => return true,
                        Ok(_) => {}
                        Err(error) => {
                            failure = Some(error);
                            return true;
                        }
                    }
                }
            }
            false
        });
        failure.map_or(Ok(kept), Err)
    }

    /// The distance by the moves of the side that the table doesn't have.
    fn distance_by_moves(&self, board: &Board, value: Wdl) -> Result<Between, Error> {
        let theirs = board.colors(!board.side_to_move());
        let won = value > Wdl::Draw;
        let mut best: Option<Between> = None;
        let mut failure = None;
        board.generate_moves(|moves| {
            for to in moves.to {
                let zeroing = moves.piece == Piece::Pawn || theirs.has(to);
                for promotion in promotions(moves.piece, to) {
                    let child = played(board, moves.from, to, *promotion);
                    match self.distance_after(&child, won, zeroing) {
                        Ok(None) => {}
                        Ok(Some(new)) => {
                            best = Some(match best {
                                None => new,
                                Some(old) if won => Between {
                                    least: old.least.min(new.least),
                                    most: old.most.min(new.most),
                                },
                                Some(old) => Between {
                                    least: old.least.max(new.least),
                                    most: old.most.max(new.most),
                                },
                            });
                        }
                        Err(error) => {
                            failure = Some(error);
                            return true;
                        }
                    }
                }
            }
            false
        });
        if let Some(error) = failure {
            return Err(error);
        }
        // Without a move the side is checkmated.
        Ok(best.unwrap_or(Between::exactly(before_zeroing(value))))
    }

    /// The distance before a move to this position, if the move doesn't give away the win, or can't avoid the loss.
    fn distance_after(
        &self,
        child: &Board,
        won: bool,
        zeroing: bool,
    ) -> Result<Option<Between>, Error> {
        let found = self.search(child, Wdl::Loss, Wdl::Win)?;
        let keeps = if won {
            found.value < Wdl::Draw
        } else {
            found.value > Wdl::Draw
        };
        if !keeps {
            return Ok(None);
        }
        if zeroing {
            return Ok(Some(Between::exactly(before_zeroing(-found.value))));
        }
        if won && !child.checkers().is_empty() && !child.generate_moves(|_| true) {
            return Ok(Some(Between::exactly(1)));
        }
        let after = self.distance(child, found)?;
        Ok(Some(Between {
            least: after.least + 1,
            most: after.most + 1,
        }))
    }
}

/// The sub-table, or `None` if the file doesn't have the side.
#[inline]
fn sub_table(file: &TableFile, side: Color, pawn_file: u8) -> Option<&SubTable> {
    file.sub_table(side, pawn_file)
}

pub(crate) fn no_side(file: &TableFile) -> Error {
    crate::file::bytes::damaged(
        &file.name().into(),
        4,
        "the file doesn't have the side to move",
    )
}

#[inline]
fn look_up(file: &TableFile, sub_table: &SubTable, place: u64) -> Result<u16, Error> {
    // Touching kings have no place where kings lead.
    if place >= sub_table.numbering.len() {
        return Err(Error::KingsTouch);
    }
    file.value(sub_table, place)
}

/// The distance of a position from which a capture or pawn move keeps the value.
pub(crate) const fn before_zeroing(value: Wdl) -> u32 {
    match value {
        Wdl::CursedWin | Wdl::BlessedLoss => 101,
        _ => 1,
    }
}

pub(crate) fn check(board: &Board) -> Result<(), Error> {
    let pieces = board.occupied().len();
    if pieces as usize > MOST_PIECES {
        return Err(Error::TooManyPieces(pieces));
    }
    for color in [Color::White, Color::Black] {
        let rights = board.castle_rights(color);
        if rights.short.is_some() || rights.long.is_some() {
            return Err(Error::Castling);
        }
    }
    let kings = [Color::White, Color::Black].map(|color| board.king(color));
    if cozy_chess::get_king_moves(kings[0]).has(kings[1]) {
        return Err(Error::KingsTouch);
    }
    Ok(())
}

/// The square behind a pawn that may be captured en passant.
#[inline]
fn passing_square(board: &Board) -> Option<Square> {
    let file = board.en_passant()?;
    Some(Square::new(
        file,
        cozy_chess::Rank::Third.relative_to(!board.side_to_move()),
    ))
}

/// Whether there is no legal move but captures en passant.
fn only_en_passant(board: &Board) -> bool {
    let passing = passing_square(board).map_or(BitBoard::EMPTY, Square::bitboard);
    !board.generate_moves(|moves| match moves.piece {
        Piece::Pawn => !(moves.to & !passing).is_empty(),
        _ => true,
    })
}

/// The pieces that a move may promote to; `None` is no promotion.
fn promotions(piece: Piece, to: Square) -> &'static [Option<Piece>] {
    const LAST_RANKS: u64 = 0xff00_0000_0000_00ff;
    if piece == Piece::Pawn && LAST_RANKS >> to as u8 & 1 == 1 {
        &[
            Some(Piece::Queen),
            Some(Piece::Knight),
            Some(Piece::Rook),
            Some(Piece::Bishop),
        ]
    } else {
        &[None]
    }
}

#[inline]
fn played(board: &Board, from: Square, to: Square, promotion: Option<Piece>) -> Board {
    let mut child = board.clone();
    child.play_unchecked(Move {
        from,
        to,
        promotion,
    });
    child
}
