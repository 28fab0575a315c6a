//! Moves as engines and as people write them.

use tbindex::{PieceType, Square};

use crate::chess::game::{GamePosition, Move};

impl Move {
    /// The move as UCI engines write it: `a1b2`, `a7a8q`.
    #[must_use]
    pub fn uci(&self) -> String {
        let promotion = self.promotion.map(char::from);
        let promotion = String::from_iter(promotion).to_lowercase();
        format!("{}{}{promotion}", self.from, self.to)
    }
}

impl GamePosition {
    /// One of all [moves](GamePosition::moves) in standard algebraic notation: `Kd3`, `Raxb1+`, `exd8=Q#`.
    ///
    /// # Panics
    /// If there is no move of that number.
    #[must_use]
    pub fn san(&self, moves: &[Move], number: usize) -> String {
        let Move { piece, after, .. } = &moves[number];
        let sign = match (after.in_check(), after.can_move()) {
            (true, false) => "#",
            (true, true) => "+",
            (false, _) => "",
        };
        san(moves, number, self.letter(*piece)) + sign
    }
}

/// One of all legal moves of a position in standard algebraic notation, without the sign of check or mate: `Kd3`,
/// `Raxb1`, `exd8=Q`, `O-O`. The piece has this letter.
fn san(moves: &[Move], number: usize, letter: char) -> String {
    let step = &moves[number];
    let files = step.to.file() as i8 - step.from.file() as i8;
    if step.piece == PieceType::King && files.abs() == 2 {
        return if files > 0 { "O-O" } else { "O-O-O" }.to_owned();
    }
    let from = step.from.to_string();
    let (file, rank) = from.split_at(1);
    let mut text = String::new();
    if step.piece == PieceType::Pawn {
        if step.capture {
            text += file;
        }
    } else {
        text.push(letter);
        let like = moves.iter().filter(|other| {
            (other.piece, other.to) == (step.piece, step.to) && other.from != step.from
        });
        let like: Vec<Square> = like.map(|other| other.from).collect();
        let on_file = like.iter().any(|other| other.file() == step.from.file());
        let on_rank = like.iter().any(|other| other.rank() == step.from.rank());
        if !like.is_empty() && (!on_file || on_rank) {
            text += file;
        }
        if on_file {
            text += rank;
        }
    }
    if step.capture {
        text.push('x');
    }
    text += &step.to.to_string();
    if let Some(kind) = step.promotion {
        text.push('=');
        text.push(char::from(kind));
    }
    text
}
