//! The settings of a reduction.

use std::path::PathBuf;

use super::super::method::Method;
use crate::batch::Backend;

/// The settings of a reduction: memory, threads, method, folder and instructions.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The bytes that the whole process may have resident, at least [`Reduction::LEAST_MEMORY`]. Twelve mebibytes of them
    /// are for the program and its buffers; what the caller holds besides, such as the indices that he hands over, is not
    /// counted.
    pub memory: u64,
    /// The number of threads that work; 0 is taken for 1.
    pub threads: usize,
    /// The method.
    pub method: Method,
    /// The folder for temporary files. By default that of the new file; if there is none, the system's.
    pub temp: Option<PathBuf>,
    /// The instructions that the threads use.
    pub backend: Backend,
}

/// One gibibyte, all processors, the method that fits, the fastest instructions.
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
    /// The least memory that a reduction can be told to work in: 24 MiB.
    pub const LEAST_MEMORY: u64 = 24 << 20;
}
