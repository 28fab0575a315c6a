//! Tables as Syzygy files.

pub(crate) mod entries;
pub(crate) mod files;
pub(crate) mod orders;
pub(crate) mod pack;
pub(crate) mod places;
pub(crate) mod source;
