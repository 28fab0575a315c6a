//! Rows: positions with values and moves, as text and in columns. New rows have one [writer]; the rows of a stream are read, and
//! written again with labels, by an [`item::Stream`], of which each format has one.

pub(crate) mod bullet;
pub(crate) mod csv;
pub(crate) mod epd;
pub(crate) mod format;
pub(crate) mod item;
pub(crate) mod jsonl;
pub mod parquet;
pub(crate) mod plain;
pub mod row;
pub(crate) mod writer;
