//! A list of the partial files of this process, for when it must end at once.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static ALL: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn all() -> MutexGuard<'static, Vec<PathBuf>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A partial file that is in the list until this is dropped.
#[derive(Debug)]
pub(super) struct Listed(PathBuf);

impl Listed {
    pub(super) fn new(path: &Path) -> Listed {
        all().push(path.to_owned());
        Listed(path.to_owned())
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        let mut all = all();
        if let Some(at) = all.iter().position(|path| *path == self.0) {
            all.swap_remove(at);
        }
    }
}

/// Removes all partial files of this process. Data being written to them are lost.
#[cfg(target_os = "linux")]
pub(in crate::store) fn remove_all() {
    for path in all().drain(..) {
        // The process ends in any case.
        let _ = std::fs::remove_file(path);
    }
}
