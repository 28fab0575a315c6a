//! Index files.

mod file;
mod threads;
mod watch;
mod work;

pub(crate) use file::{Map, PyIndexFile};
pub(crate) use work::{change_numbering, combine, reduce, transform, write};
