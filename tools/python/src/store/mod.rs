//! Index files.

mod file;
mod table;
mod threads;
mod watch;
mod work;

pub(crate) use file::{Blocks, Map, PathArg, PyIndexFile};
pub(crate) use threads::thread_count;
pub(crate) use watch::watched;
pub(crate) use work::{
    change_numbering, difference, intersection, reduce, target, transform, union, write,
};
