//! Files and folders on the disk, whatever their content: regular files are told from others, the free space is found, and
//! new files are written beside their target and published in one step.

mod folder;
mod listed;
mod lock;
mod partial;
mod regular;

pub use self::folder::check_space;
pub use self::partial::{Overwrite, PartialFile};
pub use self::regular::is_file;

pub(super) use self::folder::folder_of;
#[cfg(target_os = "linux")]
pub(super) use self::listed::remove_all;
pub(super) use self::partial::{WRITE, unfinished};
pub(super) use self::regular::{check_is_file, open_at_once};
