//! Small index files.

#![allow(
    clippy::missing_errors_doc,
    clippy::missing_panics_doc,
    reason = "for tests alone"
)]

use std::path::Path;

use tbindex::Numbering;
use tbindex::batch::Backend;
use tbindex::store::{Contents, Header, IndexWriter, Overwrite, StoreError, StoredWord, Target};

/// A function that writes a whole file.
pub type Write<W> = fn(&Path, Contents, &[W]) -> Result<Header, StoreError>;

/// Any indices of a material.
pub fn contents(material: &str) -> Contents {
    Contents::new(material.parse().unwrap(), Numbering::Natural)
}

/// Sorted indices of a material.
pub fn sorted(material: &str) -> Contents {
    Contents {
        sorted: true,
        ..contents(material)
    }
}

/// Sorted indices of a material, each once.
pub fn distinct(material: &str) -> Contents {
    Contents {
        distinct: true,
        ..sorted(material)
    }
}

/// Begins a plain file of any indices of two kings.
pub fn create(path: &Path, overwrite: Overwrite) -> Result<IndexWriter<u32>, StoreError> {
    let target = Target::plain(path, overwrite);
    IndexWriter::create(&target, contents("KvK"), Backend::detect())
}

/// Writes a whole plain file, which may replace another.
pub fn write<W: StoredWord>(
    path: &Path,
    contents: Contents,
    indices: &[W],
) -> Result<Header, StoreError> {
    write_to(&Target::plain(path, Overwrite::Replace), contents, indices)
}

/// Writes a whole compressed file, which may replace another.
pub fn write_compact<W: StoredWord>(
    path: &Path,
    contents: Contents,
    indices: &[W],
) -> Result<Header, StoreError> {
    let target = Target {
        compact: true,
        ..Target::plain(path, Overwrite::Replace)
    };
    write_to(&target, contents, indices)
}

/// Writes indices in slices that end within blocks.
fn write_to<W: StoredWord>(
    target: &Target,
    contents: Contents,
    indices: &[W],
) -> Result<Header, StoreError> {
    let mut writer = IndexWriter::create(target, contents, Backend::detect())?;
    for part in indices.chunks(100_001) {
        writer.write(part)?;
    }
    writer.finish()
}

/// The bytes of a file that is written.
pub fn bytes_of<W: StoredWord>(write: Write<W>, contents: Contents, indices: &[W]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tbi");
    write(&path, contents, indices).unwrap();
    std::fs::read(path).unwrap()
}
