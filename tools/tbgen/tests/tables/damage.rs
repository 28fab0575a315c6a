//! Table files: nothing damaged or foreign is believed, and nothing is replaced unasked.

use std::path::Path;

use tbgen::{FileError, Metric, Sample, TableFile, verify_moves};
use tbindex::store::Overwrite;

use crate::laws::damage::number;
use crate::laws::tables::with_right_checksums;
use crate::small::{file_of, small_tables, table};
use crate::thorough::one_in;

/// Everything that opening, verifying and loading look at.
fn read(path: &Path) -> Result<(), FileError> {
    let file = TableFile::open(path)?;
    file.check(None)?;
    file.load(None, &false.into()).map(|_| ())
}

/// Checks that a reader refuses a file in which a byte differs, or that is shorter, at the places that are looked at, or that
/// is longer.
pub(crate) fn damage_is_refused(
    whole: &[u8],
    is_looked_at: impl Fn(usize) -> bool,
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
            assert!(is_refused(&bytes), "byte {at}");
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
        // All of header and values, and samples of what is longer.
        let (begin, step) = (end_of_values.next_multiple_of(64), whole.len() / 60);
        let is_looked_at = |at| at < begin || at % step == 0 || at + 10 > whole.len();
        damage_is_refused(&whole, is_looked_at, read);
    }
}

/// The codes of each block, by the lengths in the index; what is not compressed is as it lies in the file.
fn blocks(bytes: &[u8]) -> Vec<Vec<u8>> {
    let [index, payload] = [48, 56].map(|at| number(bytes, at, 8));
    let mut at = payload;
    let entries = (index..payload).step_by(396);
    let entries = entries.flat_map(|page| (page + 12..payload.min(page + 396)).step_by(6));
    let blocks = entries.map(|entry| {
        let block = &bytes[at..at + number(bytes, entry, 2)];
        at += block.len();
        let codes = lz4_flex::block::decompress(block, 8192);
        codes.unwrap_or_else(|_| block.to_vec())
    });
    blocks.collect()
}

/// Every change of a byte, with all checksums made right again, is refused, or makes a value wrong; or it is in how LZ4 says
/// the codes of a block, which stay the same. Of the index and the blocks, some bytes are changed; of all these changes, one
/// in eleven is made, or each with `TBINDEX_THOROUGH`.
#[test]
fn every_byte_of_a_file_has_one_right_value() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken");
    let mut turn = (0..one_in(11)).cycle();
    for (name, metric, step) in [("KRvK", Metric::Dtz, 123), ("KPvK", Metric::Dtm, 2000)] {
        let (whole, library) = (file_of(name, metric), small_tables(metric));
        let codes = blocks(&whole);
        let [index, payload] = [48, 56].map(|at| number(&whole, at, 8));
        for at in (0..whole.len()).filter(|at| *at < index + 20 || at % step == 0) {
            for flipped in [0x01, 0x80] {
                if turn.next() != Some(0) {
                    continue;
                }
                let mut bytes = whole.clone();
                bytes[at] ^= flipped;
                let bytes = with_right_checksums(&bytes);
                std::fs::write(&path, &bytes).unwrap();
                // An earlier revision of the solver may have made the table.
                let earlier = (at, flipped) == (100, 1);
                if bytes == whole || earlier || read(&path).is_err() {
                    continue;
                }
                let table = TableFile::open(&path).unwrap().as_it_is();
                if verify_moves(&table, library, Sample::All).is_ok() {
                    let same = at >= payload && blocks(&bytes) == codes;
                    assert!(same, "{name}: byte {at} ^ {flipped:x}");
                }
            }
        }
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
        std::fs::write(&broken, with_right_checksums(&bytes)).unwrap();
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
