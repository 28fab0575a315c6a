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

/// A checkpoint of a table of which nothing is found yet, with such a header. Checksums prove only that it is as it was
/// written.
fn begun(name: &str, metric: Metric, revision: u16) -> Vec<u8> {
    let of = format!("a checkpoint with plies of {name} by {}", metric.name());
    let header = postcard::to_allocvec(&(of, 7u32, revision)).unwrap();
    let length = (header.len() as u32).to_le_bytes();
    with_checksum([&b"\x89TBL\r\n\x1a\n\x06\0"[..], &length, &[0; 4], &header].concat())
}

fn with_checksum(mut begun: Vec<u8>) -> Vec<u8> {
    let checksum = crc32fast::hash(&[&begun[10..14], &begun[18..]].concat());
    begun[14..18].copy_from_slice(&checksum.to_le_bytes());
    begun
}

#[test]
fn a_checkpoint_begins_with_its_header() {
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
    assert!(bytes.starts_with(&begun("KRvK", Metric::Dtz, 1)));
}

#[test]
fn a_header_of_another_table_version_or_revision_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    // The file of the first part of a table with pawns, and that of a table without.
    let files = [folder.path().join("checkpoint.part0"), path.clone()];
    let check = |of: &CheckpointOf, begun: &[u8]| {
        for file in &files {
            std::fs::write(file, begun).unwrap();
        }
        let error = of.check(&path).map_err(|error| error.to_string());
        error.err().unwrap_or_default()
    };
    let whole = begun("KPPvKP", Metric::Dtm, 1);
    let of = checkpoint_of("KPPvKP", Metric::Dtm);
    assert_eq!(check(&of, &whole), "");
    let mut other = of.clone();
    other.sources = Some(8);
    assert!(check(&other, &whole).contains("stale"));
    other.sources = None;
    assert_eq!(check(&other, &whole), "");
    let other = checkpoint_of("KPPvKP", Metric::Dtz);
    let says = "expected a checkpoint with plies of KPPvKP by dtz: remove the file";
    assert!(check(&other, &whole).contains(says));
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        let says = match at {
            0..8 => {
                "this is not a checkpoint with plies of KPPvKP by dtm, or it is of an earlier version"
            }
            8..10 => "the file is of another version of tbgen",
            _ => "the header of the file is damaged",
        };
        let found = check(&of, &bytes);
        assert!(found.contains(says), "{at}: {found}");
        let found = check(&of, &with_checksum(bytes));
        assert_eq!(found.is_empty(), (14..18).contains(&at), "{at}: {found}");
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
        let error = |metric| check(&checkpoint_of(name, metric), &begun(name, metric, 0));
        let by_mate = error(Metric::Dtm);
        let is_refused = by_mate.contains("revision 0 of the solver");
        assert_eq!(is_refused, is_wrong, "{name}: {by_mate}");
        // By the distance to zeroing it was right.
        assert_eq!(error(Metric::Dtz), "", "{name}");
    }
}
