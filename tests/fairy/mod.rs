//! Short-range pieces on small boards.

mod laws;
mod naive;

use tbindex::Leaper;

fn piece(text: &str) -> Leaper {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}
