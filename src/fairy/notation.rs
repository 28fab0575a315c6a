//! The notations of pieces: numbers, lists of squares and diagrams.

use std::fmt;
use std::str::FromStr;

use super::betza;
use super::notation_error::{Found, NotationError, NotationProblem};
use crate::board::{Leaper, Step};

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
    /// - [Betza notation](super::betza).
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
        let start = text.len() - text.trim_start().len();
        let body = text.trim();
        let Some(first) = body.chars().next() else {
            return Err(NotationError::new(text, start, NotationProblem::Empty));
        };
        if body == "none" {
            return Ok(Leaper::EMPTY);
        }
        let prefix = body.get(..2).unwrap_or_default();
        match prefix {
            "0x" | "0X" => number(text, start + 2, 16),
            "0b" | "0B" => number(text, start + 2, 2),
            _ if body.contains(['\n', '/']) || is_diagram_cell(first) => diagram(text),
            _ if first.is_ascii_digit() => list(text),
            _ if first.is_alphabetic() || "([{<".contains(first) => betza::read(text),
            _ => Err(NotationError::new(
                text,
                start,
                NotationProblem::Unknown(first),
            )),
        }
    }
}

/// Reads digits from byte `start` of the text on.
fn number(text: &str, start: usize, radix: u32) -> Result<Leaper, NotationError> {
    let error = |at, problem| Err(NotationError::new(text, at, problem));
    let mut value = None;
    for (at, digit) in text.trim_end().char_indices() {
        if at < start || digit == '_' {
            continue;
        }
        let Some(digit) = digit.to_digit(radix) else {
            let found = Found::Text(digit.to_string());
            return error(at, NotationProblem::Digit { radix, found });
        };
        let piece = Leaper::from_bits(value.unwrap_or(0) * radix + digit);
        let Some(piece) = piece else {
            return error(at, NotationProblem::TooLarge);
        };
        value = Some(piece.bits());
    }
    let found = Found::End;
    match value.and_then(Leaper::from_bits) {
        Some(piece) => Ok(piece),
        None => error(
            text.trim_end().len(),
            NotationProblem::Digit { radix, found },
        ),
    }
}

/// Reads squares with commas or blanks between them.
fn list(text: &str) -> Result<Leaper, NotationError> {
    let error = |at, problem| Err(NotationError::new(text, at, problem));
    let mut piece = Leaper::EMPTY;
    let mut rest = text.trim_end();
    loop {
        rest = rest.trim_start();
        let at = text.trim_end().len() - rest.len();
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        let (digits, after) = rest.split_at(end);
        match digits.parse().ok().and_then(Step::from_number) {
            Some(step) => piece = piece.with(step),
            None if end == 0 => {
                return error(at, NotationProblem::Square(Found::first_of(rest)));
            }
            None => {
                let found = Found::Text(digits.to_owned());
                return error(at, NotationProblem::Square(found));
            }
        }
        let next = after.trim_start();
        rest = match next.chars().next() {
            None => return Ok(piece),
            Some(',') => &next[1..],
            // Between numbers a blank is enough.
            Some(c) if c.is_ascii_digit() => next,
            Some(c) => {
                let at = text.trim_end().len() - next.len();
                return error(at, NotationProblem::Separator(c));
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
    let error = |at, problem| Err(NotationError::new(text, at, problem));
    // The rows with their offsets in the text. Blank lines are no rows.
    let offset = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    let rows: Vec<&str> = text
        .split(['\n', '/'])
        .map(str::trim)
        .filter(|row| !row.is_empty())
        .collect();
    if rows.len() != 5 {
        let at = rows.get(5).map_or(text.trim_end().len(), |row| offset(row));
        return error(at, NotationProblem::Rows(rows.len()));
    }
    let mut piece = Leaper::EMPTY;
    for (row, line) in rows.into_iter().enumerate() {
        let cells = cells_of(line);
        if cells.len() != 5 {
            let at = cells
                .get(5)
                .map_or(offset(line) + line.len(), |cell| offset(cell));
            let problem = NotationProblem::Cells {
                row: row + 1,
                cells: cells.len(),
            };
            return error(at, problem);
        }
        for (column, cell) in cells.into_iter().enumerate() {
            let step = Step::from_offset(column as i8 - 2, 2 - row as i8);
            let is_move = matches!(cell, "X" | "x" | "*" | "#" | "XX" | "xx" | "**" | "##");
            let is_number = cell.bytes().all(|c| c.is_ascii_digit());
            let Some(step) = step else {
                if is_move || is_number {
                    return error(offset(cell), NotationProblem::Middle(cell.to_owned()));
                }
                continue;
            };
            if is_move || (is_number && cell.parse() == Ok(step.number())) {
                piece = piece.with(step);
            } else if !cell.bytes().all(|c| matches!(c, b'.' | b'-' | b'_')) {
                let problem = NotationProblem::Cell {
                    cell: cell.to_owned(),
                    number: step.number(),
                };
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

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of(text: &str) -> (usize, NotationProblem) {
        match text.parse::<Leaper>() {
            Ok(piece) => panic!("{text:?} is read as {piece}"),
            Err(error) => (error.at(), error.problem),
        }
    }

    #[test]
    fn numbers_lists_and_diagrams_read_back() {
        let mut bits = 1u32;
        for _ in 0..2000 {
            // A full-period generator (Hull and Dobell: c odd, a − 1 divisible by 4).
            bits = (bits.wrapping_mul(0x9e_3779) ^ 0x3c_6ef3).wrapping_add(bits >> 7) & 0xff_ffff;
            let piece = Leaper::new(bits);
            let texts = [
                format!("{piece}"),
                format!("{piece:#x}"),
                format!("{piece:#b}"),
                piece.list().to_string(),
                piece.diagram().to_string(),
                piece.diagram().to_string().replace('\n', "/"),
                piece.diagram().to_string().replace(' ', ""),
            ];
            for text in texts {
                assert_eq!(text.parse(), Ok(piece), "{text}");
            }
        }
        assert_eq!("none".parse(), Ok(Leaper::EMPTY));
        assert_eq!("0x0".parse(), Ok(Leaper::EMPTY));
        assert_eq!(" 23 , 2,4 ".parse(), "02,04,23".parse::<Leaper>());
    }

    #[test]
    fn drawings_are_read_with_crosses_too() {
        let knight = ".X.X.\nX...X\n..N..\nX...X\n.X.X.\n";
        assert_eq!(knight.parse(), Ok(Leaper::KNIGHT));
        let wazir = "- - - - - / - - x - - / - x o x - / - - x - - / - - - - -";
        assert_eq!(wazir.parse(), Ok(Leaper::WAZIR));
    }

    #[test]
    fn errors_point_at_the_character() {
        use NotationProblem as P;
        assert_eq!(error_of(" "), (1, P::Empty));
        assert_eq!(error_of("?"), (0, P::Unknown('?')));
        let digit = |radix, text: &str| P::Digit {
            radix,
            found: Found::Text(text.to_owned()),
        };
        assert_eq!(error_of("0x12g4"), (4, digit(16, "g")));
        assert_eq!(error_of(" 0b012"), (5, digit(2, "2")));
        assert_eq!(error_of("0x1000000"), (8, P::TooLarge));
        assert_eq!(error_of("0xffffffffffff"), (8, P::TooLarge));
        let (radix, found) = (16, Found::End);
        assert_eq!(error_of("0x"), (2, P::Digit { radix, found }));
        let square = |text: &str| P::Square(Found::Text(text.to_owned()));
        assert_eq!(error_of("02,25,04"), (3, square("25")));
        assert_eq!(error_of("02,00"), (3, square("00")));
        assert_eq!(error_of("02,N"), (3, square("N")));
        assert_eq!(error_of("02,,04"), (3, square(",")));
        assert_eq!(error_of("02,"), (3, P::Square(Found::End)));
        assert_eq!(error_of("02;04"), (2, P::Separator(';')));
        assert_eq!(error_of("...../....."), (11, P::Rows(2)));
        let (row, cells) = (2, 4);
        let short = "...../..../...../...../.....";
        assert_eq!(error_of(short), (10, P::Cells { row, cells }));
        let wrong = ".. .. .. .. ..\n.. 08 .. .. ..\n..........\n..........\n..........";
        let (cell, number) = ("08".to_owned(), 7);
        assert_eq!(error_of(wrong), (18, P::Cell { cell, number }));
        let middle = "...../...../..X../...../.....";
        assert_eq!(error_of(middle), (14, P::Middle("X".to_owned())));
    }

    #[test]
    fn the_caret_stands_under_the_character_of_its_line() {
        let text = ". . . . .\n. . ? . .\n. . o . .\n. . . . .\n. . . . .";
        let error = text.parse::<Leaper>().unwrap_err().to_string();
        assert!(error.ends_with("\n  . . ? . .\n      ^"), "{error}");
    }
}
