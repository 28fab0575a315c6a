//! The text of messages.

use std::fmt::Display;

/// A text has all of these parts.
///
/// # Panics
/// Panics with the text, if a part is missing.
#[track_caller]
pub fn says(text: impl Display, parts: &[&str]) {
    let text = text.to_string();
    for part in parts {
        assert!(text.contains(part), "{part:?} is missing in\n{text}");
    }
}
