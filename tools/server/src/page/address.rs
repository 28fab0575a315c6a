//! Addresses of the page: their query says what is shown, and how.

use serde::Deserialize;
use tbindex::{Color, Piece, Square};

use crate::problem::Problem;

/// The query of an address.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Asked {
    /// The position.
    pub(super) fen: Option<String>,
    /// How many moves of its best line were made.
    ply: Option<String>,
    /// `black` where Black sits below.
    view: Option<String>,
    /// Whether pieces may be put anywhere, and which a click puts: a letter, or `x` to remove one.
    edit: Option<String>,
    /// The square from which a piece is taken, in place of the one that a click puts.
    from: Option<String>,
    /// The square to which it is put. Without one it is removed.
    to: Option<String>,
}

/// A position on the best line of another, which has this FEN, after so many moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'a> {
    pub(super) fen: &'a str,
    pub(super) ply: usize,
}

/// The effect of a click on a square while pieces may be put anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Brush {
    Nothing,
    Remove,
    Put(Piece),
}

/// How the page shows a position, which its links keep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    /// The side that sits below.
    pub(super) below: Color,
    /// The effect of a click, if pieces may be put anywhere.
    pub(super) edit: Option<Brush>,
}

impl Brush {
    /// The letter in an address.
    fn letter(self) -> char {
        match self {
            Brush::Nothing => '-',
            Brush::Remove => 'x',
            Brush::Put(piece) => char::from(piece),
        }
    }

    fn of(text: &str) -> Brush {
        let mut letters = text.chars();
        match (letters.next(), letters.next()) {
            (Some('x'), None) => Brush::Remove,
            (Some(letter), None) => Piece::try_from(letter).map_or(Brush::Nothing, Brush::Put),
            _ => Brush::Nothing,
        }
    }
}

impl Asked {
    pub(super) fn look(&self) -> Look {
        Look {
            below: match self.view.as_deref() {
                Some("black") => Color::Black,
                _ => Color::White,
            },
            edit: self.edit.as_deref().map(Brush::of),
        }
    }

    pub(super) fn ply(&self) -> Result<usize, Problem> {
        let Some(text) = &self.ply else { return Ok(0) };
        let bad = |_| Problem::Bad(format!("the ply is {text:?}: expected a number such as 3"));
        text.parse().map_err(bad)
    }

    /// The squares of a change, if there is one.
    pub(super) fn change(&self) -> Result<Option<[Option<Square>; 2]>, Problem> {
        let square = |text: &Option<String>| {
            let square = text.as_deref().map(str::parse::<Square>).transpose();
            square.map_err(|error| Problem::Bad(error.to_string()))
        };
        let squares = [square(&self.from)?, square(&self.to)?];
        Ok(Some(squares).filter(|squares| squares.iter().any(Option::is_some)))
    }
}

impl Look {
    /// White below, and no change but by moves.
    pub(super) const PLAIN: Look = Look {
        below: Color::White,
        edit: None,
    };

    /// The address of a position, relative to the page.
    pub(super) fn link(self, fen: &str) -> String {
        let mut link = format!("?fen={}", fen.replace(' ', "_"));
        if self.below == Color::Black {
            link += "&view=black";
        }
        if let Some(brush) = self.edit {
            link += "&edit=";
            link.push(brush.letter());
        }
        link
    }

    /// The address of a position on the best line of another.
    pub(super) fn step(self, at: At<'_>) -> String {
        match at.ply {
            0 => self.link(at.fen),
            ply => format!("{}&ply={ply}", self.link(at.fen)),
        }
    }

    pub(super) fn turned(self) -> Look {
        let below = !self.below;
        Look { below, ..self }
    }

    pub(super) fn with_edit(self, edit: Option<Brush>) -> Look {
        Look { edit, ..self }
    }
}
