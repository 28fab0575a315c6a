//! What must hold for any bytes, for tests and fuzz targets.

pub mod damage;
pub mod logs;
pub mod tables;
