//! Laws of any bytes, for tests and fuzz targets.

pub mod checkpoints;
pub mod damage;
pub mod packed;
pub mod tables;
