//! Short-range pieces on small boards.

mod boards;
mod laws;
mod naive;
mod notations;
mod verdicts;

use tbindex::Leaper;

fn piece(text: &str) -> Leaper {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}
