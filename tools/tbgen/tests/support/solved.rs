//! Tables that tests solve.

use std::sync::atomic::AtomicBool;

use tbgen::{Metric, Options};
use tbindex::Material;
use tbindex::batch::Backend;

pub(crate) fn material(name: &str) -> Material {
    name.parse().unwrap()
}

/// Options with which nothing is reported and nobody stops the work.
pub(crate) fn quietly(metric: Metric, backend: Backend) -> Options<'static> {
    static NEVER: AtomicBool = AtomicBool::new(false);
    Options::new(metric, backend, &NEVER)
}
