//! What lies where a file is to be read or written: pipes, links, other people's files, no room.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use tbindex::store::{Overwrite, StoreError, StoreErrorKind, check_space};

use super::opened::{WAYS, read};
use crate::support::contents::{contents, create, write};
use crate::support::names::names;
use crate::support::skipped::skipped;

fn make_pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

fn replace(path: &Path) -> Result<(), StoreError> {
    write::<u32>(path, contents("KvK"), &[5]).map(drop)
}

#[test]
fn opening_what_is_no_file_does_not_wait_and_says_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    make_pipe(&path("pipe"));
    symlink("pipe", path("link")).unwrap();
    let _listener = UnixListener::bind(path("socket")).unwrap();
    for (name, kind) in [
        ("pipe", "a pipe"),
        ("link", "a pipe"),
        ("socket", "a socket"),
        (".", "a folder"),
    ] {
        for open in WAYS {
            let error = open(&path(name)).unwrap_err();
            let expected = format!("{name}: it is {kind}: expected a regular file");
            assert!(error.to_string().ends_with(&expected), "{error}");
        }
    }
    write::<u32>(&path("file"), contents("KvK"), &[5]).unwrap();
    symlink("file", path("good")).unwrap();
    assert_eq!(read(&path("good")).unwrap().header().count, 1);
}

#[test]
fn only_regular_files_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    make_pipe(&path("pipe"));
    let _listener = UnixListener::bind(path("socket")).unwrap();
    fs::create_dir(path("folder")).unwrap();
    symlink("pipe", path("link")).unwrap();
    symlink("nowhere", path("dangling")).unwrap();
    let before = names(folder.path());
    for (name, kind) in [
        ("pipe", "a pipe"),
        ("link", "a pipe"),
        ("socket", "a socket"),
        ("folder", "a folder"),
    ] {
        let error = replace(&path(name)).unwrap_err();
        let expected = format!("{name}: it is {kind}: expected a regular file");
        assert!(error.to_string().ends_with(&expected), "{error}");
    }
    let error = replace(&path("dangling")).unwrap_err();
    assert!(error.to_string().contains("symbolic link"), "{error}");
    assert_eq!(names(folder.path()), before);
    let pipe = fs::symlink_metadata(path("pipe")).unwrap();
    assert!(pipe.file_type().is_fifo());

    // One that appears while the writer is at work.
    let writer = create(&path("late"), Overwrite::Replace).unwrap();
    make_pipe(&path("late"));
    let error = writer.finish().unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::NotAFile);
}

#[test]
fn of_a_symbolic_link_the_file_it_leads_to_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("there")).unwrap();
    fs::write(path("there/file"), "old").unwrap();
    symlink("there/file", path("link")).unwrap();
    let writer = create(&path("link"), Overwrite::Replace).unwrap();
    assert_eq!(names(&path("there")), [".file.partial", "file"]);
    writer.finish().unwrap();
    assert!(fs::symlink_metadata(path("link")).unwrap().is_symlink());
    assert_eq!(read(&path("there/file")).unwrap().header().count, 0);
    assert_eq!(names(&path("there")), ["file"]);
    // Without leave to replace, the link itself is in the way.
    let refused = create(&path("link"), Overwrite::Refuse);
    assert_eq!(refused.unwrap_err().kind(), StoreErrorKind::Exists);
}

#[test]
fn what_no_writer_of_ours_left_is_not_taken_for_a_partial_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let partial = path(".out.partial");
    let refused = |kind: &str| {
        let error = replace(&path("out")).unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::ForeignPartial, "{error}");
        let text = error.to_string();
        assert!(
            text.contains("out: can't be written")
                && text.contains(".out.partial, which is ")
                && text.contains(kind),
            "{text}"
        );
        assert!(!path("out").exists());
    };
    fs::write(path("victim"), "precious").unwrap();

    symlink("victim", &partial).unwrap();
    refused("a symbolic link");
    fs::remove_file(&partial).unwrap();
    symlink("nowhere", &partial).unwrap();
    refused("a symbolic link");
    assert!(!path("nowhere").exists());
    fs::remove_file(&partial).unwrap();

    fs::hard_link(path("victim"), &partial).unwrap();
    refused("other names");
    fs::remove_file(&partial).unwrap();

    make_pipe(&partial);
    refused("a pipe");
    fs::remove_file(&partial).unwrap();

    fs::write(&partial, "another user's").unwrap();
    let own = fs::metadata(&partial).unwrap().uid();
    match std::os::unix::fs::chown(&partial, Some(own + 4321), None) {
        Ok(()) => {
            refused("another user's file");
            assert_eq!(fs::read(&partial).unwrap(), b"another user's");
        }
        Err(error) => skipped("another user's partial file", &error.to_string()),
    }
    fs::remove_file(&partial).unwrap();

    assert_eq!(fs::read(path("victim")).unwrap(), b"precious");
    replace(&path("out")).unwrap();
    assert_eq!(names(folder.path()), ["out", "victim"]);
}

#[test]
fn too_little_space_is_said_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    check_space(folder.path(), 1, "a file").unwrap();
    let error = check_space(folder.path(), 1 << 62, "a file").unwrap_err();
    match error.kind() {
        StoreErrorKind::TooLittleSpace { needed, .. } => {
            assert_eq!((error.path(), needed), (Some(folder.path()), 1 << 62));
        }
        _ => panic!("{error}"),
    }
    let writer = create(&folder.path().join("y"), Overwrite::Refuse).unwrap();
    writer.check_space(1000).unwrap();
    for absurd in [1 << 62, u128::MAX] {
        let error = writer.check_space(absurd).unwrap_err();
        assert!(
            matches!(error.kind(), StoreErrorKind::TooLittleSpace { .. }),
            "{error}"
        );
    }
}
