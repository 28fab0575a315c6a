//! The error of a text that is no piece in any notation.

/// The reason why a text is no short-range piece, and the place of the fault.
///
/// It prints with the line at fault and a caret under the character:
///
/// ```
/// use tbindex::Leaper;
/// let error = "WxN".parse::<Leaper>().unwrap_err();
/// assert_eq!(error.at(), 1);
/// assert_eq!(
///     error.to_string(),
///     "'x' is not a direction: expected f, b, l, r, v, s or h before an atom\n  WxN\n   ^"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}\n{}", pointed_at(text, *at))]
pub struct NotationError {
    text: String,
    at: usize,
    /// What is wrong there.
    #[source]
    pub(super) problem: NotationProblem,
}

impl NotationError {
    pub(super) fn new(text: &str, at: usize, problem: NotationProblem) -> NotationError {
        NotationError {
            text: text.to_owned(),
            at,
            problem,
        }
    }

    /// The offset in bytes of the character at fault, or the text's length where something is missing at
    /// its end.
    #[must_use]
    pub const fn at(&self) -> usize {
        self.at
    }
}

/// What can be wrong with a piece's notation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum NotationProblem {
    /// There is no text at all.
    #[error(
        "no piece: expected a number such as 0x54422a, squares such as 02,04,06, a 5x5 diagram, \
         or Betza notation such as N"
    )]
    Empty,
    /// No notation starts like this.
    #[error(
        "{0:?} starts no piece: expected a number such as 0x54422a, squares such as 02,04,06, \
         a 5x5 diagram, or Betza notation such as N"
    )]
    Unknown(char),
    /// A number without digits, or with a wrong one.
    #[error("expected a digit of base {radix}, found {found}")]
    Digit {
        /// 16 or 2.
        radix: u32,
        /// The character found, or "the end".
        found: Found,
    },
    /// A number of more than 24 bits.
    #[error("the number is too large: a piece has 24 bits, at most 0xffffff")]
    TooLarge,
    /// A list with something that is not a square.
    #[error("expected the number of a square, 01 to 24, found {0}")]
    Square(Found),
    /// A list whose squares are not separated.
    #[error("expected a comma between squares, found {0:?}")]
    Separator(char),
    /// A diagram with too few or too many rows.
    #[error("a diagram has 5 rows, this one has {0}")]
    Rows(usize),
    /// A diagram's row with too few or too many cells.
    #[error("row {row} of the diagram has {cells} cells instead of 5")]
    Cells {
        /// The row, 1 on top.
        row: usize,
        /// How many cells it has.
        cells: usize,
    },
    /// A diagram's cell that is neither a move nor empty.
    #[error("{cell:?} is not a cell: expected {number:02} or X for a move, or a dot")]
    Cell {
        /// The cell.
        cell: String,
        /// The number of the square there.
        number: u8,
    },
    /// A diagram with a move in the middle.
    #[error("{0:?} in the middle of the diagram: the piece itself stands there, expected --")]
    Middle(String),
    /// Betza: a letter before an atom that is not a direction.
    #[error("{0:?} is not a direction: expected f, b, l, r, v, s or h before an atom")]
    Modifier(char),
    /// Betza: a modifier for the manner of the move.
    #[error("{0:?} says how a piece moves, not where to: a short-range piece has directions only")]
    Manner(char),
    /// Betza: directions without an atom after them.
    #[error("expected an atom, W, F, D, A, N or K, after the directions, found {0}")]
    Atom(Found),
    /// Betza: an atom that leaves the 5×5 grid.
    #[error("{0} goes beyond the 5x5 range: {1}")]
    BeyondRange(String, &'static str),
    /// Betza: brackets.
    #[error("{0:?}: brackets describe moves of several legs, beyond the 5x5 range of single leaps")]
    Bracket(char),
    /// Betza: not a letter of the notation.
    #[error("{0:?} is not an atom: expected W, F, D, A, N or K")]
    NotAnAtom(char),
    /// Betza: a combination of directions that the atom does not have.
    #[error("{directions:?} is not a direction of {atom}: {hint}")]
    Direction {
        /// The letters.
        directions: String,
        /// The atom.
        atom: char,
        /// What the atom has.
        hint: &'static str,
    },
}

/// What was found where something else was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// The end of the text.
    End,
    /// This text.
    Text(String),
}

impl Found {
    /// The text's first character, or its end.
    pub(super) fn first_of(text: &str) -> Found {
        text.chars()
            .next()
            .map_or(Found::End, |c| Found::Text(c.to_string()))
    }
}

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Found::End => f.write_str("the end"),
            Found::Text(text) => write!(f, "{text:?}"),
        }
    }
}

/// The line around byte `at` of the text, and below it a caret under the character.
fn pointed_at(text: &str, at: usize) -> String {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[start..].lines().next().unwrap_or("");
    let column = text[start..at].chars().count();
    format!("  {line}\n  {:column$}^", "")
}
