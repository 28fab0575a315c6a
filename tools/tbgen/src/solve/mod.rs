//! Retrograde analysis: level after level of parts, ply after ply.

pub(crate) mod levels;
pub(crate) mod options;
pub(crate) mod part;
pub(crate) mod schedule;
pub(crate) mod working_set;
