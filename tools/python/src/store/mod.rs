//! Index files.

mod file;
mod table;
mod work;

pub(crate) use file::{PathArg, PyIndexFile};
pub(crate) use work::{
    change_numbering, difference, intersection, reduce, target, transform, union, write,
};
