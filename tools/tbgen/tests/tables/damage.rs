//! Table files: nothing damaged or foreign is believed, and nothing is replaced unasked.

use std::path::{Path, PathBuf};

use tbgen::{FileError, Metric, Table, TableFile};
use tbindex::store::Overwrite;

use crate::small::table;
use crate::solved::material;

/// A table's file in a folder.
fn written(name: &str, metric: Metric, folder: &Path) -> PathBuf {
    let path = Table::path(folder, material(name), metric);
    table(name, metric).write(&path, Overwrite::Refuse).unwrap();
    path
}

/// The bytes with a header's checksum made right.
fn with_right_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = crc32fast::hash(&bytes[..252]);
    bytes[252..256].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// Everything that opening, verifying and loading look at.
fn read(path: &Path) -> Result<(), FileError> {
    let file = TableFile::open(path)?;
    file.check()?;
    file.load().map(|_| ())
}

#[test]
fn every_damaged_byte_and_every_shorter_file_is_refused() {
    for (name, metric) in [("KNvK", Metric::Dtz), ("KPvK", Metric::Dtm)] {
        let folder = tempfile::tempdir().unwrap();
        let path = written(name, metric, folder.path());
        let whole = std::fs::read(&path).unwrap();
        let broken = folder.path().join("broken");
        let values: usize = [28, 30].map(|at| usize::from(whole[at])).iter().sum();
        let end_of_values = 256 + 4 * values;
        // Padding after the list of values is the one place where nothing is.
        let padding = end_of_values..end_of_values.next_multiple_of(64);
        // All of header and values, and samples of what is longer.
        let step = whole.len() / 60;
        let looked_at =
            |at: usize| at < padding.end || at.is_multiple_of(step) || at + 10 > whole.len();
        for at in (0..whole.len()).filter(|&at| looked_at(at)) {
            for flipped in [0x10, 0x01] {
                let mut bytes = whole.clone();
                bytes[at] ^= flipped;
                std::fs::write(&broken, &bytes).unwrap();
                match read(&broken) {
                    Ok(()) => assert!(padding.contains(&at), "{name}, byte {at}"),
                    Err(error) => {
                        let error = error.to_string();
                        assert!(error.contains("broken"), "{name}, byte {at}: {error}");
                    }
                }
            }
        }
        for length in (0..whole.len()).filter(|&length| looked_at(length)) {
            std::fs::write(&broken, &whole[..length]).unwrap();
            assert!(read(&broken).is_err(), "{name}, length {length}");
        }
        std::fs::write(&broken, [&whole[..], b"x"].concat()).unwrap();
        assert!(read(&broken).is_err(), "{name}");
    }
}

/// A checksum proves only that a header is as it was written. So each byte is changed with a checksum that is right
/// for it, too.
#[test]
fn a_header_that_disagrees_with_itself_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = written("KPvK", Metric::Dtz, folder.path());
    let whole = std::fs::read(&path).unwrap();
    let broken = folder.path().join("broken");
    // Of the revision, any number may come.
    for at in (0..252).filter(|at| !(100..102).contains(at)) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x02;
        std::fs::write(&broken, with_right_checksum(bytes)).unwrap();
        let error = read(&broken).expect_err("a change has to be noticed");
        assert!(error.to_string().contains("broken"), "byte {at}: {error}");
    }
}

#[test]
fn a_file_of_another_kind_or_version_is_refused_in_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let path = written("KNvK", Metric::Dtz, folder.path());
    let whole = std::fs::read(&path).unwrap();
    let broken = folder.path().join("broken");
    std::fs::write(&broken, b"RIFF, and not a table").unwrap();
    let error = read(&broken).unwrap_err();
    assert!(matches!(error, FileError::Foreign { .. }), "{error}");
    for version in [3u16, 5] {
        let mut bytes = whole.clone();
        bytes[8..10].copy_from_slice(&version.to_le_bytes());
        std::fs::write(&broken, with_right_checksum(bytes)).unwrap();
        let error = read(&broken).unwrap_err().to_string();
        let says = format!(
            "the format's version is {version}: expected 4; make the table again with this tbgen"
        );
        assert!(error.ends_with(&says), "{error}");
    }
}

#[test]
fn an_existing_file_is_not_replaced_unless_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = written("KNvK", Metric::Dtz, folder.path());
    let table = table("KNvK", Metric::Dtz);
    assert!(table.write(&path, Overwrite::Refuse).is_err());
    table.write(&path, Overwrite::Replace).unwrap();
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(names.len(), 1, "no partial file is left behind");
}
