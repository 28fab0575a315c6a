//! Boards of a chess crate that shares no code with the generator: it reads Syzygy files by them, and `verify` checks tables.

use syzygy_tables::ColoredPiece;
use syzygy_tables::batch::PackedBoard;
use tbindex::{Color, Material, Piece, PieceType, Position, Square};

use crate::chess::board::MOST;

pub(crate) fn cozy_color(color: Color) -> cozy_chess::Color {
    cozy_chess::Color::ALL[color as usize]
}

fn cozy_square(square: Square) -> cozy_chess::Square {
    cozy_chess::Square::index(square.index())
}

pub(crate) fn square_of(square: cozy_chess::Square) -> Square {
    Square::new(square as u8)
}

pub(crate) fn color_of(color: cozy_chess::Color) -> Color {
    Color::ALL[color as usize]
}

/// The other crate has the kinds of pieces in the opposite order.
fn cozy_kind(kind: PieceType) -> cozy_chess::Piece {
    cozy_chess::Piece::ALL[PieceType::Pawn as usize - kind as usize]
}

fn kind_of(piece: cozy_chess::Piece) -> PieceType {
    PieceType::ALL[PieceType::Pawn as usize - piece as usize]
}

/// A position as batches take it, if it has at most seven men.
pub(crate) fn pack(
    men: impl Iterator<Item = (Piece, Square)>,
    side: Color,
    en_passant: Option<Square>,
) -> Option<PackedBoard> {
    let none = ColoredPiece::new(cozy_chess::Color::White, cozy_chess::Piece::King);
    let mut all = [(none, cozy_chess::Square::A1); MOST];
    let mut count = 0;
    for (slot, (piece, square)) in all.iter_mut().zip(men) {
        *slot = (colored(piece), cozy_square(square));
        count += 1;
    }
    let file = en_passant.map(|square| cozy_square(square).file());
    PackedBoard::new(&all[..count], cozy_color(side), file).ok()
}

fn colored(piece: Piece) -> ColoredPiece {
    ColoredPiece::new(cozy_color(piece.color), cozy_kind(piece.kind))
}

pub(crate) fn piece_of(piece: ColoredPiece) -> Piece {
    Piece::new(color_of(piece.color()), kind_of(piece.piece()))
}

/// The material of Syzygy files as own tables call it.
pub(crate) fn material_of(files: syzygy_tables::Material) -> Material {
    let material = Material::from_pieces(files.pieces().map(piece_of));
    material.expect("one king a side")
}

/// The material of Syzygy files, of which there are some of 3 to 7 pieces.
pub(crate) fn syzygy_material(material: Material) -> Option<syzygy_tables::Material> {
    let files = syzygy_tables::Material::of_pieces(material.name_order().map(colored));
    files.map(|(files, _)| files)
}

/// The position on the other crate's board, if it is legal. There are no rights.
pub(crate) fn to_cozy(position: &Position) -> Option<cozy_chess::Board> {
    let mut builder = cozy_chess::BoardBuilder::empty();
    builder.side_to_move = cozy_color(position.side);
    for (piece, square) in position.occupied() {
        let piece = (cozy_kind(piece.kind), cozy_color(piece.color));
        builder.board[square.index()] = Some(piece);
    }
    // The builder accepts kings that touch. That is a check by a king.
    builder.build().ok().filter(|board| {
        let near = cozy_chess::get_king_moves(board.king(cozy_chess::Color::White));
        !near.has(board.king(cozy_chess::Color::Black))
    })
}

/// The men on a board.
pub(crate) fn men_of(board: &cozy_chess::Board) -> impl Iterator<Item = (Piece, Square)> {
    board.occupied().into_iter().filter_map(|square| {
        let (color, kind) = (board.color_on(square)?, board.piece_on(square)?);
        Some((
            Piece::new(color_of(color), kind_of(kind)),
            square_of(square),
        ))
    })
}
