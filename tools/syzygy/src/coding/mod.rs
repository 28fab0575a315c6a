//! The coding of a sub-table by itself: numbers at the places of a [`Numbering`](crate::numbering::Numbering), for files
//! that have others than outcomes or distances.
//!
//! An [`Encoder`] looks for the order of pieces that compresses best, and makes the [`Parts`] of a sub-table as
//! [the format's page](crate::format) has them: a head with the code and the symbols, a sparse index, lengths of blocks, and
//! blocks. A [`Decoder`] reads them. The bytes around them are the file's own.

mod decode;
mod encode;

pub use crate::file::bytes::MappedFile;
pub use crate::writer::sub_table::Parts;
pub use decode::{BlockDecoder, Decoder};
pub use encode::{AT_MOST, Encoder, Entries, MOST_NUMBERS, OPEN, Order};
