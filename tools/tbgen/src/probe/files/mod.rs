//! Files as they answer: folders of them, and a prober of many positions of a material.

mod failures;
mod folders;
mod own;
mod packed;
mod prober;
mod wanted;

pub use failures::Failure;
pub(super) use failures::{Cause, Failures};
pub(super) use folders::{Files, Syzygy};
pub(super) use own::FEW;
pub(super) use prober::{Answers, FileProber, Found, value_of};
pub use wanted::Wanted;
