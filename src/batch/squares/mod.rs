//! Squares, one byte each, that become indices, and the other way round: in rows, position by position, and in columns,
//! piece by piece. Rows have two ways: [vectors](rows), whose words hold a row, and [look-ups](look_up), where vectors are
//! of no help.

pub(crate) mod columns;
mod long;
mod look_up;
pub(crate) mod rows;
mod short;
