//! Short-range pieces on small boards.

mod boards;
mod laws;
mod naive;
mod notations;
mod verdicts;

use tbindex::{Leaper, Symmetry};

/// The image with the smallest number.
fn canonical(piece: Leaper) -> Leaper {
    let images = Symmetry::ALL.map(|symmetry| piece.image(symmetry));
    images.into_iter().fold(piece, Leaper::min)
}

fn piece(text: &str) -> Leaper {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}
