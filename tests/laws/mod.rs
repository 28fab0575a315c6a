//! Laws, written once for tests and fuzz targets. Where a law does not hold, it panics.

pub mod batch;
pub mod bitbase;
pub mod dense;
#[cfg(feature = "store")]
pub mod files;
pub mod index;
pub mod notations;
pub mod order;
#[cfg(feature = "store")]
pub mod reduction;
#[cfg(feature = "store")]
pub mod sets;
pub mod text;
