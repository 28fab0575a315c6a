//! Files as they answer: folders of them, and a prober of many positions.

mod folders;
mod own;
mod packed;
mod prober;

pub(crate) use folders::{Files, Own};
pub(super) use own::{FEW, FileProber};
pub(super) use prober::{Answers, Found};
