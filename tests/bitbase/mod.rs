//! Sets of positions, against plain loops over squares.

mod convert;
mod domains;
#[cfg(all(feature = "store", target_os = "linux"))]
mod pages;
mod sets;
mod slices;
