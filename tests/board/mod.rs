//! Squares, sets of squares, symmetries, pieces, leapers, materials, positions.

mod attacks;
mod leaper;
mod material;
mod position;
mod symmetry;
