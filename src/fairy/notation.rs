//! The notations of pieces: numbers, lists of squares, diagrams and names.

use std::fmt;
use std::str::FromStr;

use super::betza;
use super::notation_error::{NotationError, first_of};
use crate::board::{Leaper, Step};

/// Names of short-range pieces, each with its [Betza notation](Leaper::betza). A [`Leaper`] is read from
/// a name, too.
///
/// ```
/// use tbindex::Leaper;
/// use tbindex::fairy::NAMED;
/// assert!(NAMED.contains(&("gold", "WfF")));
/// assert_eq!("Knight".parse(), Ok(Leaper::KNIGHT));
/// for (name, betza) in NAMED {
///     assert_eq!(name.parse::<Leaper>(), betza.parse::<Leaper>());
///     assert!(betza.parse::<Leaper>().is_ok(), "{name}");
/// }
/// ```
pub const NAMED: [(&str, &str); 22] = [
    ("wazir", "W"),
    ("ferz", "F"),
    ("dabbaba", "D"),
    ("alfil", "A"),
    ("knight", "N"),
    ("commoner", "K"),
    ("gold", "WfF"),
    ("silver", "FfW"),
    ("shogi-knight", "ffN"),
    ("elephant", "FA"),
    ("war-machine", "WD"),
    ("phoenix", "WA"),
    ("kirin", "FD"),
    ("alibaba", "DA"),
    ("champion", "WDA"),
    ("marquis", "WN"),
    ("priest", "FN"),
    ("centaur", "KN"),
    ("squirrel", "DAN"),
    ("fibnif", "FfbN"),
    ("crab", "ffbsN"),
    ("charging-knight", "fhNrlbK"),
];

impl Leaper {
    /// The squares of the moves with commas between them, `02,04,06`, or `none` for the empty piece.
    #[must_use]
    pub fn list(self) -> impl fmt::Display {
        if self.is_empty() {
            return "none".to_owned();
        }
        let mut text = String::with_capacity(3 * self.len() as usize);
        for step in self.steps() {
            let number = step.number();
            text.extend([b'0' + number / 10, b'0' + number % 10].map(char::from));
            text.push(',');
        }
        text.pop();
        text
    }

    /// The 5×5 diagram: the numbers of the moves' squares, dots elsewhere, the piece as `--`.
    #[must_use]
    pub fn diagram(self) -> impl fmt::Display {
        let mut text = String::new();
        for ranks in (-2..=2).rev() {
            let row: Vec<_> = (-2..=2)
                .map(|files| match Step::from_offset(files, ranks) {
                    None => "--".to_owned(),
                    Some(step) if self.contains(step) => format!("{:02}", step.number()),
                    Some(_) => "..".to_owned(),
                })
                .collect();
            text += &row.join(" ");
            text.push('\n');
        }
        text
    }
}

impl FromStr for Leaper {
    type Err = NotationError;

    /// Reads a piece in any notation:
    ///
    /// - a number, `0x54422a` or `0b0101…`, with or without `_` between digits;
    /// - a list of squares, `02,04,06`, in any order, or `none`;
    /// - a 5×5 diagram, five rows on lines of their own or separated by `/`. A cell is a move if it holds
    ///   its square's number or one of `X x * #`, and empty if it holds dots, dashes or underscores. The
    ///   middle cell may hold anything but a move. Blanks between cells may be left out if all cells are
    ///   one character wide, or all are two;
    /// - [Betza notation](Leaper::betza);
    /// - a [name](NAMED), `knight`.
    ///
    /// ```
    /// use tbindex::Leaper;
    /// let knight = Leaper::KNIGHT;
    /// assert_eq!("0x54422a".parse(), Ok(knight));
    /// assert_eq!("02,04,06,10,15,19,21,23".parse(), Ok(knight));
    /// assert_eq!("N".parse(), Ok(knight));
    /// assert_eq!(knight.to_string(), "0x54422a");
    /// assert_eq!(knight.list().to_string(), "02,04,06,10,15,19,21,23");
    /// assert_eq!(knight.betza().as_deref(), Some("N"));
    /// assert_eq!(
    ///     knight.diagram().to_string(),
    ///     ".. 02 .. 04 ..\n\
    ///      06 .. .. .. 10\n\
    ///      .. .. -- .. ..\n\
    ///      15 .. .. .. 19\n\
    ///      .. 21 .. 23 ..\n"
    /// );
    /// assert_eq!(knight.diagram().to_string().parse(), Ok(knight));
    /// ```
    ///
    /// # Errors
    /// If the text is no piece; the error points at the character at fault.
    fn from_str(text: &str) -> Result<Leaper, NotationError> {
        const EXPECTED: &str = "expected a name such as knight, Betza notation such as N, squares such \
             as 02,04,06, a number such as 0x54422a, or a 5x5 diagram";
        let start = text.len() - text.trim_start().len();
        let body = text.trim();
        let error = |problem: String| {
            Err(NotationError::new(
                text,
                start,
                format!("{problem}: {EXPECTED}"),
            ))
        };
        let Some(first) = body.chars().next() else {
            return error("no piece".to_owned());
        };
        if body == "none" {
            return Ok(Leaper::EMPTY);
        }
        if let Some(betza) = betza_of(body) {
            return betza::read(betza);
        }
        let prefix = body.get(..2).unwrap_or_default();
        match prefix {
            "0x" | "0X" => number(text, start + 2, 16),
            "0b" | "0B" => number(text, start + 2, 2),
            _ if body.contains(['\n', '/']) || is_diagram_cell(first) => diagram(text),
            _ if first.is_ascii_digit() => list(text),
            _ if is_word(body) => error(format!("{body:?} is not a name of a short-range piece")),
            _ if first.is_alphabetic() || "([{<".contains(first) => betza::read(text),
            _ => error(format!("{first:?} starts no piece")),
        }
    }
}

/// Whether a text is a word, capitalised or not, and none of Betza's, which has directions alone before an atom.
fn is_word(text: &str) -> bool {
    let mut rest = text.chars().skip(1);
    let letters = |c: char| c.is_lowercase() || c == '-' || c == ' ';
    text.starts_with(char::is_alphabetic)
        && rest.clone().all(letters)
        && rest.any(|c| !"fblrvsh".contains(c))
}

/// Reads digits from byte `start` of the text on.
fn number(text: &str, start: usize, radix: u32) -> Result<Leaper, NotationError> {
    let body = text.trim_end();
    let no_digit = |at: usize| {
        let found = first_of(&body[at..]);
        NotationError::new(
            text,
            at,
            format!("expected a digit of base {radix}, found {found}"),
        )
    };
    let mut piece = None;
    for (at, digit) in body.char_indices() {
        if at < start || digit == '_' {
            continue;
        }
        let digit = digit.to_digit(radix).ok_or_else(|| no_digit(at))?;
        let longer = piece.map_or(0, Leaper::bits) * radix + digit;
        piece = Leaper::try_from(longer).ok();
        if piece.is_none() {
            let problem = "the number is too large: a piece has 24 bits, at most 0xffffff";
            return Err(NotationError::new(text, at, problem));
        }
    }
    piece.ok_or_else(|| no_digit(body.len()))
}

/// Reads squares with commas or blanks between them.
fn list(text: &str) -> Result<Leaper, NotationError> {
    let mut piece = Leaper::EMPTY;
    let body = text.trim_end();
    let mut rest = body;
    loop {
        rest = rest.trim_start();
        let digits = rest.chars().take_while(char::is_ascii_digit).count();
        let (digits, after) = rest.split_at(digits);
        let Some(step) = digits.parse().ok().and_then(Step::from_number) else {
            let found = match digits {
                "" => first_of(rest),
                _ => format!("{digits:?}"),
            };
            let problem = format!("expected the number of a square, 01 to 24, found {found}");
            return Err(NotationError::new(text, body.len() - rest.len(), problem));
        };
        piece = piece.with(step);
        let next = after.trim_start();
        rest = match next.chars().next() {
            None => return Ok(piece),
            Some(',') => &next[1..],
            // Between numbers a blank is enough.
            Some(c) if c.is_ascii_digit() => next,
            Some(c) => {
                let problem = format!("expected a comma between squares, found {c:?}");
                return Err(NotationError::new(text, body.len() - next.len(), problem));
            }
        };
    }
}

/// Whether a character may start a diagram and nothing else.
const fn is_diagram_cell(c: char) -> bool {
    matches!(c, '.' | '-' | '_' | '*' | '#' | 'X' | 'x')
}

/// Reads five rows of five cells.
fn diagram(text: &str) -> Result<Leaper, NotationError> {
    let error = |at, problem: String| Err(NotationError::new(text, at, problem));
    // The rows with their offsets in the text. Blank lines are no rows.
    let offset = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    let rows: Vec<&str> = text
        .split(['\n', '/'])
        .map(str::trim)
        .filter(|row| !row.is_empty())
        .collect();
    if rows.len() != 5 {
        let at = rows.get(5).map_or(text.trim_end().len(), |row| offset(row));
        let problem = format!("a diagram has 5 rows, this one has {}", rows.len());
        return error(at, problem);
    }
    let mut piece = Leaper::EMPTY;
    for (row, line) in rows.into_iter().enumerate() {
        let cells = cells_of(line);
        if cells.len() != 5 {
            let at = cells
                .get(5)
                .map_or(offset(line) + line.len(), |cell| offset(cell));
            let (row, cells) = (row + 1, cells.len());
            let problem = format!("row {row} of the diagram has {cells} cells instead of 5");
            return error(at, problem);
        }
        for (column, cell) in cells.into_iter().enumerate() {
            let step = Step::from_offset(column as i8 - 2, 2 - row as i8);
            let is_move = matches!(cell, "X" | "x" | "*" | "#" | "XX" | "xx" | "**" | "##");
            let is_number = cell.bytes().all(|c| c.is_ascii_digit());
            let Some(step) = step else {
                if is_move || is_number {
                    let problem = format!(
                        "{cell:?} in the middle of the diagram: the piece itself stands there, expected --"
                    );
                    return error(offset(cell), problem);
                }
                continue;
            };
            if is_move || (is_number && cell.parse() == Ok(step.number())) {
                piece = piece.with(step);
            } else if !cell.bytes().all(|c| matches!(c, b'.' | b'-' | b'_')) {
                let number = step.number();
                let problem = format!(
                    "{cell:?} is not a cell: expected {number:02} or X for a move, or a dot"
                );
                return error(offset(cell), problem);
            }
        }
    }
    Ok(piece)
}

/// The cells of a diagram's row: its words, or pieces of one or two characters.
fn cells_of(line: &str) -> Vec<&str> {
    let words: Vec<&str> = line.split_whitespace().collect();
    if words.len() > 1 {
        return words;
    }
    let width = if line.chars().count() >= 10 { 2 } else { 1 };
    let mut bounds: Vec<usize> = line
        .char_indices()
        .map(|(at, _)| at)
        .step_by(width)
        .collect();
    bounds.push(line.len());
    bounds
        .windows(2)
        .map(|bound| &line[bound[0]..bound[1]])
        .collect()
}

/// The Betza notation of a name, in letters of either case.
fn betza_of(name: &str) -> Option<&'static str> {
    let named = NAMED.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
    named.map(|(_, betza)| *betza)
}
