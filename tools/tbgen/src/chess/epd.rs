//! Lines of FEN and EPD in parts: four fields, then the counters of a FEN, then operations.

/// A line of FEN or EPD in parts.
#[derive(Clone, Copy, Debug)]
pub struct EpdLine<'a> {
    /// The placement, the side to move, castling rights, and the square of en passant.
    pub fields: [&'a str; 4],
    /// The end of all that comes before operations.
    pub head: &'a str,
    plies: Option<&'a str>,
    operations: &'a str,
}

/// The next word of a text, and the text after it.
fn word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

impl<'a> EpdLine<'a> {
    /// The parts of a line, unless it has fewer than four fields. Nothing in them is checked.
    #[must_use]
    pub fn new(line: &'a str) -> Option<EpdLine<'a>> {
        let mut rest = line;
        let mut fields = [""; 4];
        for field in &mut fields {
            (*field, rest) = word(rest)?;
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
        let head = &line[..line.len() - rest.len()];
        Some(EpdLine {
            fields,
            head: head.trim_end(),
            plies,
            operations: rest.trim(),
        })
    }

    /// The operations, each without its semicolon.
    pub fn operations(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let mut quoted = false;
        let pieces = self.operations.split(move |c| {
            quoted ^= c == '"';
            c == ';' && !quoted
        });
        pieces.map(str::trim).filter(|piece| !piece.is_empty())
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
