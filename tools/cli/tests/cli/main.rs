//! The program, as its users meet it.

#![allow(clippy::missing_panics_doc, reason = "for tests alone")]

mod program;
#[path = "../../../../tests/support"]
pub mod support {
    //! Helpers that this program shares with the library's tests.

    pub mod checksums;
    pub mod contents;
    pub mod folder;
    pub mod held;
    pub mod opened;
    #[path = "../../tools/bench/src/random.rs"]
    pub mod random;
    pub mod reductions;
    pub mod says;
    pub mod signals;
    pub mod skipped;
    pub mod thorough;
}

mod bench;
mod fairy;
mod files;
#[cfg(unix)]
mod hostile;
#[cfg(unix)]
mod interruption;
mod progress;
#[cfg(unix)]
mod readme;
mod shell;
mod single;
