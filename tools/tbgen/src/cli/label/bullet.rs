//! The records of `bulletformat`: a position of 32 bytes, seen from the side to move, with a score and a result.

use std::io::{self, BufRead, Read};

use bulletformat::{BulletFormat, ChessBoard};
use tbindex::{Color, Piece, PieceType, Position};

use super::item::{Content, Format, Label, MOST_PIECES, content};

/// Records of training data. The result, from the view of the side to move, is corrected. They have neither castling rights
/// nor a square to capture en passant on, nor counters.
#[derive(Default)]
pub(super) struct Bullet {
    records: u64,
}

/// The bytes of a record.
const SIZE: usize = size_of::<ChessBoard>();

/// By their numbers in the format.
const KINDS: [PieceType; 6] = [
    PieceType::Pawn,
    PieceType::Knight,
    PieceType::Bishop,
    PieceType::Rook,
    PieceType::Queen,
    PieceType::King,
];

impl Format for Bullet {
    type Item = ChessBoard;

    const NOUN: &'static str = "record";

    fn read(&mut self, input: &mut dyn BufRead) -> io::Result<Option<(u64, ChessBoard)>> {
        self.records += 1;
        let (mut bytes, number) = (Vec::with_capacity(SIZE), self.records);
        input.take(SIZE as u64).read_to_end(&mut bytes)?;
        match bytes.as_slice().try_into() {
            Ok(bytes) => Ok(Some((number, board(bytes)))),
            Err(_) if bytes.is_empty() => Ok(None),
            Err(_) => {
                let length = bytes.len();
                let message = format!("record {number} has {length} bytes: expected {SIZE}");
                Err(io::Error::new(io::ErrorKind::UnexpectedEof, message))
            }
        }
    }

    fn content(&self, board: &ChessBoard) -> Option<Content> {
        let bad = |why: String| Some(Content::Bad(why));
        if board.result > 2 {
            return bad(format!(
                "the result is {}: expected 0, 1 or 2",
                board.result
            ));
        }
        if board.occ.count_ones() as usize > MOST_PIECES {
            return Some(Content::Beyond);
        }
        let mut position = Position {
            board: [None; 64],
            side: Color::White,
        };
        for (code, square) in *board {
            let Some(&kind) = KINDS.get(usize::from(code & 7)) else {
                return bad(format!("there is no piece with the number {code}"));
            };
            let color = Color::ALL[usize::from(code >> 3)];
            position.board[usize::from(square)] = Some(Piece::new(color, kind));
        }
        let fen = position.to_string();
        let placement = fen.split(' ').next().unwrap_or_default();
        Some(content([placement, "w", "-", "-"], 0))
    }

    fn write(&self, board: &ChessBoard, label: Option<Label>, out: &mut Vec<u8>) -> bool {
        let mut new = *board;
        if let Some(label) = label {
            // What the fifty-move rule saves is a draw.
            new.result = (label.wdl / 2 + 1) as u8;
        }
        out.extend_from_slice(ChessBoard::as_bytes_slice(&[new]));
        new.result != board.result
    }
}

/// The record of some bytes, in the order of [`as_bytes_slice`](BulletFormat::as_bytes_slice).
fn board(bytes: &[u8; SIZE]) -> ChessBoard {
    let (mut board, mut rest) = (ChessBoard::default(), &bytes[..]);
    let (mut occ, mut score, mut others) = ([0; 8], [0; 2], [0; 3]);
    let fields: [&mut [u8]; 5] = [
        &mut occ,
        &mut board.pcs,
        &mut score,
        &mut others,
        &mut board.extra,
    ];
    for field in fields {
        rest.read_exact(field).expect("as many bytes");
    }
    board.occ = u64::from_ne_bytes(occ);
    board.score = i16::from_ne_bytes(score);
    [board.result, board.ksq, board.opp_ksq] = others;
    board
}
