//! Folders that go away with their tests.

use std::fs;
use std::path::{Path, PathBuf};

/// All names in a folder, in order.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// A folder that goes away with the test.
#[derive(Debug)]
pub struct Folder(tempfile::TempDir);

impl Folder {
    /// An empty folder.
    #[expect(clippy::new_without_default, reason = "for tests alone")]
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    /// The path of a name in the folder, or of the folder itself, which has none.
    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    /// All names in the folder, in order.
    pub fn names(&self) -> Vec<String> {
        names(self.0.path())
    }

    /// The bytes of a file.
    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// Makes or replaces a file.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }
}
