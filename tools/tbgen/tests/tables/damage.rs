//! Table files: nothing damaged or foreign is believed, and nothing is replaced unasked.

use std::ops::Range;
use std::path::Path;

use tbgen::{FileError, Metric, TableFile};
use tbindex::store::Overwrite;

use crate::small::{file_of, table};

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

/// Checks that a reader refuses a file in which a byte differs, or that is shorter, at the places that are looked at, or that
/// is longer. A byte that is not used may differ.
pub(crate) fn damage_is_refused(
    whole: &[u8],
    is_looked_at: impl Fn(usize) -> bool,
    unused: Range<usize>,
    read: impl Fn(&Path) -> Result<(), FileError>,
) {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken");
    let is_refused = |bytes: &[u8]| {
        std::fs::write(&broken, bytes).unwrap();
        let error = read(&broken).err().map(|error| error.to_string());
        let is_named = error.iter().all(|error| error.contains("broken"));
        assert!(is_named, "{error:?}");
        error.is_some()
    };
    for at in (0..whole.len()).filter(|&at| is_looked_at(at)) {
        for flipped in [0x10, 0x01] {
            let mut bytes = whole.to_vec();
            bytes[at] ^= flipped;
            assert!(is_refused(&bytes) || unused.contains(&at), "byte {at}");
        }
        assert!(is_refused(&whole[..at]), "length {at}");
    }
    assert!(is_refused(&[whole, b"x"].concat()), "one byte more");
    assert!(!is_refused(whole));
}

#[test]
fn every_damaged_byte_and_every_shorter_file_is_refused() {
    for (name, metric) in [("KNvK", Metric::Dtz), ("KPvK", Metric::Dtm)] {
        let whole = file_of(name, metric);
        let values: usize = [28, 30].map(|at| usize::from(whole[at])).iter().sum();
        let end_of_values = 256 + 4 * values;
        // Padding after the list of values is the one place where nothing is.
        let padding = end_of_values..end_of_values.next_multiple_of(64);
        // All of header and values, and samples of what is longer.
        let (begin, step) = (padding.end, whole.len() / 60);
        let is_looked_at = |at| at < begin || at % step == 0 || at + 10 > whole.len();
        damage_is_refused(&whole, is_looked_at, padding, read);
    }
}

/// A checksum proves only that a header is as it was written. So each byte is changed with a checksum that is right
/// for it, too.
#[test]
fn a_header_that_disagrees_with_itself_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let whole = file_of("KPvK", Metric::Dtz);
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
    let whole = file_of("KNvK", Metric::Dtz);
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
    let path = folder.path().join("table");
    let table = table("KNvK", Metric::Dtz);
    table.write(&path, Overwrite::Refuse).unwrap();
    assert!(table.write(&path, Overwrite::Refuse).is_err());
    table.write(&path, Overwrite::Replace).unwrap();
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(names.len(), 1, "no partial file is left behind");
}
