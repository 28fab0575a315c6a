//! Sets of positions, against plain loops over squares.

mod domains;
mod parallel;
mod convert;
mod sets;
mod slices;
