//! The records of `bulletformat`: a position of 32 bytes, seen from the side to move, with a score and a result.

use bulletformat::{BulletFormat, ChessBoard};
use bytemuck::pod_read_unaligned as read;
use tbgen::Evaluation;
use tbindex::{Color, Piece, PieceType, Position, Rights};

use super::item::{Content, Input, MOST_PIECES, Next, Stream, content};

/// Records of training data. The result, from the view of the side to move, is corrected. They have neither castling rights
/// nor a square to capture en passant on, nor counters.
pub(crate) struct Bullet;

const SIZE: usize = size_of::<ChessBoard>();

impl Stream for Bullet {
    type Item = ChessBoard;

    const NOUN: &'static str = "record";

    fn read(&self, input: &mut Input) -> Next<ChessBoard> {
        let record = input.record(SIZE)?;
        Ok(record.map(|(number, bytes)| (number, bytes.map(|bytes| board(&bytes)))))
    }

    fn content(&self, board: &ChessBoard, rights: Rights) -> Option<Content> {
        if board.result > 2 {
            let result = board.result;
            return Some(Err(format!("the result is {result}: expected 0, 1 or 2")));
        }
        if board.occ.count_ones() as usize > MOST_PIECES {
            return Some(Ok(None));
        }
        let mut position = Position {
            board: [None; 64],
            side: Color::White,
        };
        for (code, square) in *board {
            // The format counts from the pawn to the king.
            let mut kinds = PieceType::ALL.into_iter().rev();
            let Some(kind) = kinds.nth(usize::from(code & 7)) else {
                return Some(Err(format!("there is no piece with the number {code}")));
            };
            let color = Color::ALL[usize::from(code >> 3)];
            position.board[usize::from(square)] = Some(Piece::new(color, kind));
        }
        Some(content(&position.to_string(), rights))
    }

    fn write(&self, board: &ChessBoard, label: Option<Evaluation>, out: &mut Vec<u8>) -> bool {
        let mut new = *board;
        if let Some(label) = label.filter(|label| label.certain) {
            // A loss that the fifty-move rule saves is a draw.
            new.result = (label.outcome as i8 / 2 + 1) as u8;
        }
        out.extend_from_slice(ChessBoard::as_bytes_slice(&[new]));
        new.result != board.result
    }
}

/// The record of some bytes, in the order of [`as_bytes_slice`](BulletFormat::as_bytes_slice).
fn board(bytes: &[u8]) -> ChessBoard {
    ChessBoard {
        occ: read(&bytes[..8]),
        pcs: read(&bytes[8..24]),
        score: read(&bytes[24..26]),
        result: bytes[26],
        ksq: bytes[27],
        opp_ksq: bytes[28],
        extra: read(&bytes[29..]),
    }
}
