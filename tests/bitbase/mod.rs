//! Sets of positions, against plain loops over squares.

mod convert;
mod domains;
mod parallel;
mod sets;
mod slices;
