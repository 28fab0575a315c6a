//! The settings of a reduction.

use std::path::PathBuf;

use super::super::method::Method;
use crate::batch::Backend;

/// How to reduce: with how much memory, on how many threads, by what method.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The bytes that the whole process may have resident, at least [`Reduction::LEAST_MEMORY`].
    pub memory: u64,
    /// How many threads work.
    pub threads: usize,
    /// The method.
    pub method: Method,
    /// The folder for temporary files. By default that of the new file; if there is none, the system's.
    pub temp: Option<PathBuf>,
    /// The instructions by which they work.
    pub backend: Backend,
}

/// One gibibyte, all processors, the method chosen by what fits, the fastest instructions.
impl Default for Reduction {
    fn default() -> Reduction {
        Reduction {
            memory: 1 << 30,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            method: Method::Auto,
            temp: None,
            backend: Backend::detect(),
        }
    }
}

impl Reduction {
    /// The least memory that a reduction can be told to work in.
    pub const LEAST_MEMORY: u64 = 24 << 20;
}
