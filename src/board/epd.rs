//! Lines of FEN and EPD in parts: four fields, then the counters of a FEN, then operations.

use super::FenError;

/// A line of FEN or EPD in parts. The fields are not checked.
///
/// ```
/// use tbindex::EpdLine;
/// let line = EpdLine::from("8/8/2k5/1r6/8/8/8/2KQ4 b - - hmvc 7; c0 \"a; b\";\r\n");
/// assert_eq!(line.fields[1..], ["b", "-", "-"]);
/// assert_eq!(line.counters(), Ok((7, 1)));
/// assert!(line.operations().eq(["hmvc 7", "c0 \"a; b\""]));
/// assert_eq!(line.end, "\r\n");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct EpdLine<'a> {
    /// The placement, the side to move, castling rights, and the square of en passant. Of those that the line ends before, the
    /// first two are empty, and the others are `-`.
    pub fields: [&'a str; 4],
    /// How many of the fields the line has.
    pub field_count: usize,
    /// All that comes before operations.
    pub head: &'a str,
    /// The end of the line: `\n`, `\r\n`, `\r` or nothing.
    pub end: &'a str,
    plies: Option<&'a str>,
    number: Option<&'a str>,
    operations: &'a str,
}

/// The next word of a text, which a semicolon ends, too, and the text after it.
fn word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find(|c: char| c.is_whitespace() || c == ';');
    let end = end.unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// Follows a text letter by letter, and tells which are within quotes. In them a backslash takes the next letter as it is.
fn quotes() -> impl FnMut(char) -> bool {
    let (mut quoted, mut escaped) = (false, false);
    move |letter| {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ => {}
        }
        quoted
    }
}

/// A number of digits alone.
fn number(text: &str) -> Option<u32> {
    text.parse().ok().filter(|_| !text.starts_with('+'))
}

impl<'a> From<&'a str> for EpdLine<'a> {
    /// The parts of a line, with its end or without.
    fn from(line: &'a str) -> EpdLine<'a> {
        let text = line.trim_end_matches(['\r', '\n']);
        let (mut rest, mut field_count) = (text, 0);
        let mut fields = ["", "", "-", "-"];
        for field in &mut fields {
            let Some((found, after)) = word(rest) else {
                break;
            };
            (*field, rest) = (found, after);
            field_count += 1;
        }
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let (mut plies, mut number) = (None, None);
        if let Some((first, after)) =
            word(rest).filter(|(first, _)| !first.contains(|c: char| c.is_ascii_alphabetic()))
        {
            (plies, rest) = (Some(first), after);
            if let Some((second, after)) = word(rest).filter(|(second, _)| is_number(second)) {
                (number, rest) = (Some(second), after);
            }
        }
        let head = &text[..text.len() - rest.len()];
        EpdLine {
            fields,
            field_count,
            head: head.trim_end(),
            end: &line[text.len()..],
            plies,
            number,
            operations: rest.trim(),
        }
    }
}

impl<'a> EpdLine<'a> {
    /// The most plies of a fifty-move counter: then the game is drawn, whether anybody claims it or not.
    pub const MOST_PLIES: u16 = 150;

    /// The operations, each without its semicolon.
    pub fn operations(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let mut is_quoted = quotes();
        let pieces = self.operations.split(move |c| !is_quoted(c) && c == ';');
        pieces.map(str::trim).filter(|piece| !piece.is_empty())
    }

    /// The operand of the first operation of this name.
    fn operand(&self, code: &str) -> Option<&'a str> {
        let mut operands = self.operations().map(|operation| {
            let split = operation.split_once(char::is_whitespace);
            split.unwrap_or((operation, ""))
        });
        let found = operands.find(|(found, _)| *found == code);
        found.map(|(_, operand)| operand.trim_start())
    }

    /// The fifty-move counter in plies, and the number of the move: behind the fields, or as the operations hmvc and fmvn. If
    /// the line ends before them, they are 0 and 1.
    ///
    /// # Errors
    /// If one is no such number, or an operation does not end with a semicolon or has an open quote.
    pub fn counters(&self) -> Result<(u16, u32), FenError> {
        let mut is_quoted = quotes();
        if (self.operations.chars()).fold(false, |_, letter| is_quoted(letter)) {
            return Err(FenError::Quote);
        }
        if !self.operations.is_empty() && !self.operations.ends_with(';') {
            let found = self.operations.split_whitespace().next();
            let found = found.unwrap_or_default().to_owned();
            return Err(match (self.plies, self.number) {
                (None, _) => FenError::Counter { found },
                (Some(_), None) => FenError::MoveNumber { found },
                (Some(_), Some(_)) => FenError::Rest { found },
            });
        }
        let plies = self.plies.or_else(|| self.operand("hmvc")).unwrap_or("0");
        let counter = number(plies).filter(|&plies| plies <= u32::from(EpdLine::MOST_PLIES));
        let moves = self.number.or_else(|| self.operand("fmvn")).unwrap_or("1");
        match (counter, number(moves)) {
            (Some(counter), Some(moves)) => Ok((counter as u16, moves)),
            (None, _) => Err(FenError::Counter {
                found: plies.to_owned(),
            }),
            (_, None) => Err(FenError::MoveNumber {
                found: moves.to_owned(),
            }),
        }
    }
}
