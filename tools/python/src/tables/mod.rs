//! Tables of endgames, from files or solved on demand.

mod answers;
mod arguments;
mod batch;
mod columns;
mod interrupt;
mod make;
mod many;
mod positions;
mod prober;
mod refusals;

pub(crate) use make::generate;
pub(crate) use prober::PyTables;
pub(crate) use refusals::MissingTableError;
