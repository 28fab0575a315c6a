//! Union, intersection and difference of sorted files, of any size and any number.
//!
//! The space of indices is cut into ranges, at places that the files' block tables name. Ranges are
//! independent: several threads work on some of them at once, and what comes out is handed over in
//! order. Within a range a plain file in memory is used where it lies.

mod checked;
mod combine;
mod files;
mod operation;
mod source;

pub use self::operation::SetOperation;
