//! Access for the tests in `tests/`, which are built against the library that everybody uses. It is no part of the
//! public interface: anything in it may change in any version.

pub use crate::plan::allocations::one_table_memory;
pub use crate::solve::options::Limits;
pub use crate::solve::schedule::{Step, visits};
pub use crate::storage::table_file::stored_slots::StoredSlots;
pub use crate::subtables::cache::CacheSize;
pub use crate::subtables::table_size::TableSize;
pub use crate::syzygy::orders::{order_of_numbering, order_of_slots};
pub use crate::table::code_sets::CodeSets;
pub use crate::table::codes::{MOST_CODES, MOST_MATE_PLIES, are_coded, code_of, mate_of_code};
pub use crate::table::mate_codes::{exchange_winners, improved, to_moves};
pub use crate::table::planes::Planes;
pub use crate::table::slots::Slot;
pub use crate::table::solved::{Part, Side};
pub use crate::table::sparse::{BadEntry, decode, encode};
pub use crate::table::transpose::{bytes_of, transpose_words, words_of};
