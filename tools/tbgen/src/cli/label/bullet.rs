//! The records of `bulletformat`: a position of 32 bytes, seen from the side to move, with a score and a result.

use std::io::{self, BufRead, Read};

use tbindex::{Color, Piece, PieceType, Position};

use super::item::{Content, Format, Label, MOST_PIECES, content};

/// Records of training data. The result, from the view of the side to move, is corrected. They have neither castling rights
/// nor a square to capture en passant on, nor counters.
#[derive(Default)]
pub(super) struct Bullet {
    records: u64,
}

/// The bytes of a record: eight for the set of occupied squares, sixteen with the pieces on them, four bits each, two for the
/// score, one for the result, and others.
const SIZE: usize = 32;

/// Where a record has the pieces and the result.
const PIECES: usize = 8;
const RESULT: usize = 26;

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
    type Item = [u8; SIZE];

    const NOUN: &'static str = "record";

    fn read(&mut self, input: &mut dyn BufRead) -> io::Result<Option<(u64, [u8; SIZE])>> {
        self.records += 1;
        let (mut bytes, number) = (Vec::with_capacity(SIZE), self.records);
        input.take(SIZE as u64).read_to_end(&mut bytes)?;
        match bytes.as_slice().try_into() {
            Ok(record) => Ok(Some((number, record))),
            Err(_) if bytes.is_empty() => Ok(None),
            Err(_) => {
                let length = bytes.len();
                let message = format!("record {number} has {length} bytes: expected {SIZE}");
                Err(io::Error::new(io::ErrorKind::UnexpectedEof, message))
            }
        }
    }

    fn content(&self, record: &[u8; SIZE]) -> Option<Content> {
        let bad = |why: String| Some(Content::Bad(why));
        let result = record[RESULT];
        if result > 2 {
            return bad(format!("the result is {result}: expected 0, 1 or 2"));
        }
        let occupied = u64::from_le_bytes(*record.first_chunk().expect("eight bytes"));
        if occupied.count_ones() as usize > MOST_PIECES {
            return Some(Content::Beyond);
        }
        let squares = (0..64).filter(|square| occupied >> square & 1 != 0);
        let mut position = Position {
            board: [None; 64],
            side: Color::White,
        };
        for (number, square) in squares.enumerate() {
            let code = record[PIECES + number / 2] >> (4 * (number % 2)) & 15;
            let Some(&kind) = KINDS.get(usize::from(code & 7)) else {
                return bad(format!("there is no piece with the number {code}"));
            };
            let color = Color::ALL[usize::from(code >> 3)];
            position.board[square] = Some(Piece::new(color, kind));
        }
        let placement = position.placement();
        Some(content([&placement, "w", "-", "-"], 0))
    }

    fn write(&self, record: &[u8; SIZE], label: Option<Label>, out: &mut Vec<u8>) -> bool {
        let mut new = *record;
        if let Some(label) = label {
            // What the fifty-move rule saves is a draw.
            new[RESULT] = (label.wdl / 2 + 1) as u8;
        }
        out.extend_from_slice(&new);
        new != *record
    }
}
