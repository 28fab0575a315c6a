//! Headers of checkpoints, and folders without any.

use std::sync::atomic::{AtomicBool, Ordering};

use tbgen::{CheckpointOf, Library, Metric, Options, remove_checkpoint, solve};
use tbindex::batch::Backend;

use crate::solved::{checkpoint_of, material};

#[test]
fn a_folder_that_is_not_there_has_no_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing").join("KQvK.plies");
    remove_checkpoint(&missing).unwrap();
}

/// The header of a checkpoint of a table that is not solved yet.
fn header() -> [u8; 64] {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = folder.path().join("checkpoint");
    let of = checkpoint_of("KRvK", Metric::Dtz);
    let stop = AtomicBool::new(false);
    let options = Options {
        progress: &|_| stop.store(true, Ordering::Relaxed),
        checkpoint: Some((&checkpoint, &of)),
        ..Options::new(Metric::Dtz, Backend::detect(), &stop)
    };
    solve(&material("KRvK"), &Library::default(), options).unwrap_err();
    let bytes = std::fs::read(&checkpoint).unwrap();
    *bytes.first_chunk().unwrap()
}

/// The header with its checksum made right. Checksums prove only that a header is as it was written.
fn with_checksum(mut header: [u8; 64]) -> [u8; 64] {
    let checksum = crc32fast::hash(&header[..60]);
    header[60..].copy_from_slice(&checksum.to_le_bytes());
    header
}

/// The header of a table of pawns by the distance to mate, which revision 0 of the solver had wrong.
fn header_of(name: &str) -> [u8; 64] {
    let mut header = header();
    header[10] = Metric::Dtm as u8;
    header[16..56].fill(0);
    header[16..16 + name.len()].copy_from_slice(name.as_bytes());
    with_checksum(header)
}

#[test]
fn a_header_of_another_table_version_or_revision_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    // The file of the first part of a table with pawns, and that of a table without.
    let files = [folder.path().join("checkpoint.part0"), path.clone()];
    let check = |of: &CheckpointOf, known: bool, header: &[u8]| {
        for file in &files {
            std::fs::write(file, header).unwrap();
        }
        let error = of.check(&path, known).map_err(|error| error.to_string());
        error.err().unwrap_or_default()
    };
    let (of, whole) = (checkpoint_of("KPPvKP", Metric::Dtm), header_of("KPPvKP"));
    assert_eq!(check(&of, true, &whole), "");
    let mut other = of.clone();
    other.sources = 8;
    assert!(check(&other, true, &whole).contains("stale"));
    assert_eq!(check(&other, false, &whole), "");
    let other = checkpoint_of("KPPvKP", Metric::Dtz);
    assert!(check(&other, true, &whole).contains("expected one of KPPvKP by dtz"));
    for at in 0..64 {
        let mut bytes = whole;
        bytes[at] ^= 1;
        assert_ne!(check(&of, true, &bytes), "", "{at}");
        let bytes = with_checksum(bytes);
        assert_eq!(check(&of, true, &bytes).is_empty(), at >= 60, "{at}");
    }
    // A table of a wrong revision is distrusted, and what is built upon it.
    for (name, is_wrong) in [
        ("KPPvKP", true),
        ("KPPPvKP", true),
        ("KPPvKPP", true),
        ("KPvKP", false),
        ("KRPvKP", false),
        ("KRBvKR", false),
    ] {
        let mut bytes = header_of(name);
        bytes[56..58].fill(0);
        let error = check(
            &checkpoint_of(name, Metric::Dtm),
            true,
            &with_checksum(bytes),
        );
        assert_eq!(
            error.contains("revision 0 of the solver"),
            is_wrong,
            "{name}: {error}"
        );
        // By the distance to zeroing it was right.
        bytes[10] = Metric::Dtz as u8;
        let error = check(
            &checkpoint_of(name, Metric::Dtz),
            true,
            &with_checksum(bytes),
        );
        assert_eq!(error, "", "{name}");
    }
}
