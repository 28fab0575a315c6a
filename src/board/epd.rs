//! Lines of FEN and EPD in parts: four fields, then the counters of a FEN, then operations.

/// A line of FEN or EPD in parts, which are not checked.
///
/// ```
/// use tbindex::EpdLine;
/// let line = EpdLine::new("8/8/2k5/1r6/8/8/8/2KQ4 b - - hmvc 7; c0 \"a; b\";\r\n");
/// assert_eq!(line.fields[1..], ["b", "-", "-"]);
/// assert_eq!(line.counter(), Some("7"));
/// assert!(line.operations().eq(["hmvc 7", "c0 \"a; b\""]));
/// assert_eq!((line.end, line.has_open_quote()), ("\r\n", false));
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

impl<'a> EpdLine<'a> {
    /// The parts of a line, with its end or without.
    #[must_use]
    pub fn new(line: &'a str) -> EpdLine<'a> {
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
        let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let mut plies = None;
        if let Some((first, after)) =
            word(rest).filter(|(first, _)| !first.contains(|c: char| c.is_ascii_alphabetic()))
        {
            (plies, rest) = (Some(first), after);
            if let Some((_, after)) = word(rest).filter(|(second, _)| number(second)) {
                rest = after;
            }
        }
        let head = &text[..text.len() - rest.len()];
        EpdLine {
            fields,
            field_count,
            head: head.trim_end(),
            end: &line[text.len()..],
            plies,
            operations: rest.trim(),
        }
    }

    /// The operations, each without its semicolon.
    pub fn operations(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let mut is_quoted = quotes();
        let pieces = self.operations.split(move |c| !is_quoted(c) && c == ';');
        pieces.map(str::trim).filter(|piece| !piece.is_empty())
    }

    /// Whether a quote of the operations is not closed: nobody can tell what belongs to it.
    #[must_use]
    pub fn has_open_quote(&self) -> bool {
        let mut is_quoted = quotes();
        let letters = self.operations.chars();
        letters.fold(false, |_, letter| is_quoted(letter))
    }

    /// The fifty-move counter as it is written, behind the fields or as the operation hmvc.
    #[must_use]
    pub fn counter(&self) -> Option<&'a str> {
        let by_operation = || {
            let mut operations = self.operations();
            operations.find_map(|operation| {
                let (code, operand) = operation.split_once(char::is_whitespace)?;
                (code == "hmvc").then(|| operand.trim_start())
            })
        };
        self.plies.or_else(by_operation)
    }
}
