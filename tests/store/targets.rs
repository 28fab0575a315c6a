//! Things that lie where a file is to be read or written: pipes, links, other people's files, no room.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use tbindex::store::{Overwrite, StoreError, StoreErrorKind, check_space};

use crate::support::contents::{contents, create, write};
use crate::support::folder::{Folder, names};
use crate::support::opened::{WAYS, read};
use crate::support::says::says;
use crate::support::skipped::skipped;

fn make_pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

fn replace(path: &Path) -> Result<(), StoreError> {
    write::<u32>(path, contents("KvK"), &[5]).map(drop)
}

#[test]
fn what_is_no_file_is_neither_waited_for_nor_replaced_and_errors_say_what_it_is() {
    let folder = Folder::new();
    make_pipe(&folder.path("pipe"));
    let _listener = UnixListener::bind(folder.path("socket")).unwrap();
    fs::create_dir(folder.path("folder")).unwrap();
    symlink("pipe", folder.path("link")).unwrap();
    symlink("nowhere", folder.path("dangling")).unwrap();
    let before = folder.names();
    for (name, kind) in [
        ("pipe", "a pipe"),
        ("link", "a pipe"),
        ("socket", "a socket"),
        ("folder", "a folder"),
    ] {
        let path = folder.path(name);
        let opened = WAYS.map(|open| open(&path).unwrap_err());
        for error in opened.into_iter().chain([replace(&path).unwrap_err()]) {
            let expected = format!("{name}: it is {kind}: expected a regular file");
            assert!(error.to_string().ends_with(&expected), "{error}");
        }
    }
    let error = replace(&folder.path("dangling")).unwrap_err();
    says(error, &["symbolic link"]);
    assert_eq!(folder.names(), before);
    let pipe = fs::symlink_metadata(folder.path("pipe")).unwrap();
    assert!(pipe.file_type().is_fifo());

    // One that appears while the writer is at work.
    let writer = create(&folder.path("late"), Overwrite::Replace).unwrap();
    make_pipe(&folder.path("late"));
    let error = writer.finish().unwrap_err();
    assert_eq!(error.kind, StoreErrorKind::NotAFile);

    write::<u32>(&folder.path("file"), contents("KvK"), &[5]).unwrap();
    symlink("file", folder.path("good")).unwrap();
    assert_eq!(read(&folder.path("good")).unwrap().header().count, 1);
}

#[test]
fn of_a_symbolic_link_the_file_it_leads_to_is_replaced() {
    let folder = Folder::new();
    fs::create_dir(folder.path("there")).unwrap();
    folder.write("there/file", "old");
    symlink("there/file", folder.path("link")).unwrap();
    let writer = create(&folder.path("link"), Overwrite::Replace).unwrap();
    assert_eq!(names(&folder.path("there")), [".file.partial", "file"]);
    writer.finish().unwrap();
    assert!(folder.path("link").is_symlink());
    assert_eq!(read(&folder.path("there/file")).unwrap().header().count, 0);
    assert_eq!(names(&folder.path("there")), ["file"]);
    // Without leave to replace, the link itself is in the way.
    let refused = create(&folder.path("link"), Overwrite::Refuse);
    assert_eq!(refused.unwrap_err().kind, StoreErrorKind::Exists);
}

#[test]
fn what_no_writer_of_ours_left_is_not_taken_for_a_partial_file() {
    let folder = Folder::new();
    let partial = folder.path(".out.partial");
    let refused = |kind: &str| {
        let error = replace(&folder.path("out")).unwrap_err();
        assert_eq!(error.kind, StoreErrorKind::ForeignPartial, "{error}");
        let partial = ".out.partial, which is ";
        says(error, &["out: can't be written", partial, kind]);
        assert!(!folder.path("out").exists());
    };
    folder.write("victim", "precious");

    let others: [(&dyn Fn(), &str); 4] = [
        (&|| symlink("victim", &partial).unwrap(), "a symbolic link"),
        (&|| symlink("nowhere", &partial).unwrap(), "a symbolic link"),
        (
            &|| fs::hard_link(folder.path("victim"), &partial).unwrap(),
            "other names",
        ),
        (&|| make_pipe(&partial), "a pipe"),
    ];
    for (make, kind) in others {
        make();
        refused(kind);
        fs::remove_file(&partial).unwrap();
    }
    assert!(!folder.path("nowhere").exists());

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

    assert_eq!(folder.read("victim"), b"precious");
    replace(&folder.path("out")).unwrap();
    assert_eq!(folder.names(), ["out", "victim"]);
}

#[test]
fn too_little_space_is_said_before_anything_is_written() {
    let folder = Folder::new();
    check_space(&folder.path(""), 1, "a file").unwrap();
    let error = check_space(&folder.path(""), 1 << 62, "a file").unwrap_err();
    match error.kind {
        StoreErrorKind::TooLittleSpace { needed, .. } => {
            assert_eq!(
                (error.path.as_deref(), needed),
                (Some(&*folder.path("")), 1 << 62)
            );
        }
        _ => panic!("{error}"),
    }
    let writer = create(&folder.path("y"), Overwrite::Refuse).unwrap();
    writer.check_space(1000).unwrap();
    for absurd in [1 << 62, u128::MAX] {
        let error = writer.check_space(absurd).unwrap_err();
        assert!(
            matches!(error.kind, StoreErrorKind::TooLittleSpace { .. }),
            "{error}"
        );
    }
}
