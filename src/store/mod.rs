//! Index files.
//!
//! A file holds indices of one material under one numbering. [`IndexWriter`] is fed slices and
//! publishes a finished file in one step; [`IndexFile`] maps it and hands its words out as a slice,
//! without copying. The bytes are described in `store/format.rs`, completely enough to write a reader
//! from.
//!
//! How far a reader trusts a file: opening reads 256 bytes and checks everything they claim against
//! each other and against the file's real length, whatever the file's size. What is in the payload is
//! believed until [`IndexFile::verify`] is asked, which reads every byte.
//!
//! **A file must not change while it is mapped.** Nothing here ever changes a published file: a new
//! version is written beside it and renamed over it, and readers of the old one keep the old bytes.
//! But if some other program shortens a file that is mapped, touching what is gone kills the process
//! (`SIGBUS`), and if it overwrites bytes, readers see them change.

mod block_check;
mod change;
mod compact;
mod contents;
mod enumerate;
mod error;
mod filled;
mod format;
mod header;
mod in_order;
mod iterate;
mod partial;
mod reader;
mod reduce;
mod search;
mod sets;
mod statistics;
mod storage;
mod verify;
mod writer;

pub use change::Change;
pub use contents::Contents;
pub use error::{Part, Place, StoreError};
pub use format::Block;
pub use header::Header;
pub use iterate::Indices;
pub use partial::{Overwrite, PartialFile, check_space};
pub use reader::{BlockBuffer, IndexFile};
pub use reduce::{Method, MethodError, Plan, Progress, Reducer, Reduction, Summary};
pub use sets::SetOperation;
pub use statistics::Statistics;
pub use storage::{Access, AnyStorage, FileReads, Storage};
pub use verify::Report;
pub use writer::IndexWriter;

/// An expression for the word of a file: `u32` where [`Header::word_bits`] says 32, else `u64`.
///
/// ```
/// use tbindex::store::Contents;
/// use tbindex::{Numbering, with_word};
/// let contents = Contents::new("KQRvKRN".parse()?, Numbering::Natural);
/// assert_eq!(with_word!(contents.word_bits(), W => size_of::<W>()), 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[macro_export]
macro_rules! with_word {
    ($bits:expr, $word:ident => $run:expr) => {
        match $bits {
            32 => {
                type $word = u32;
                $run
            }
            _ => {
                type $word = u64;
                $run
            }
        }
    };
}
