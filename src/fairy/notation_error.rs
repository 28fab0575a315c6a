//! The error of a text that is no piece.

/// The error that a text is no short-range piece in any notation, or no condition on pieces, with the place of the
/// fault.
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
    problem: String,
}

impl NotationError {
    /// The error of a text with this problem at this byte.
    #[must_use]
    pub fn new(text: &str, at: usize, problem: impl Into<String>) -> NotationError {
        NotationError {
            text: text.to_owned(),
            at,
            problem: problem.into(),
        }
    }

    /// The offset in bytes of the character at fault, or the text's length where something is missing at
    /// its end.
    #[doc(hidden)]
    #[must_use]
    pub const fn at(&self) -> usize {
        self.at
    }
}

/// The first character of the text in quotation marks, or its end.
pub(super) fn first_of(text: &str) -> String {
    let first = text.chars().next();
    first.map_or("the end".to_owned(), |c| format!("{:?}", c.to_string()))
}

/// The line around byte `at` of the text, and below it a caret under the character.
fn pointed_at(text: &str, at: usize) -> String {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[start..].lines().next().unwrap_or("");
    let column = text[start..at].chars().count();
    format!("  {line}\n  {:column$}^", "")
}
