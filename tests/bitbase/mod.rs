//! Sets of positions, against plain loops over squares.

mod domains;
mod parallel;
mod seen;
mod sets;
mod slices;
