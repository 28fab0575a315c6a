//! Small index files.

use std::path::Path;

use tbindex::store::{Contents, Header, IndexWriter, Overwrite, StoreError};
use tbindex::{Numbering, Word};

/// Any indices of a material.
pub(crate) fn contents(material: &str) -> Contents {
    Contents::new(material.parse().unwrap(), Numbering::Natural)
}

/// Writes a whole plain file.
pub(crate) fn write<W: Word>(
    path: &Path,
    contents: Contents,
    indices: &[W],
) -> Result<Header, StoreError> {
    let mut writer = IndexWriter::create(path, contents, Overwrite::Refuse)?;
    writer.write(indices)?;
    writer.finish()
}
