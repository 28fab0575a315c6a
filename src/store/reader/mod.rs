//! Reading a file: opened in constant time, its words used where they lie.

mod blocks;
mod file;

pub use self::blocks::BlockBuffer;
pub use self::file::IndexFile;
