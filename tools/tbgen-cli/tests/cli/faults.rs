//! Faults that are not those of tables: names of what is no file, limits of the system, files of other processes.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use crate::killed::held_at;
use crate::{PROGRAM, command, damage, ended, folder, limited, names, succeed, text};

/// Ends a run that waits for ever.
fn fails_at_once(says: &str, call: &str) {
    let mut timeout = Command::new("timeout");
    let own = command(call);
    let output = timeout.arg("20").arg(PROGRAM).args(own.get_args());
    ended(&output.output().unwrap(), 1, &[says]);
}

fn make_pipe(path: &str) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.unwrap().success());
}

#[test]
fn what_is_no_regular_file_is_an_error_that_says_so() {
    let (folder, path) = folder();
    let nowhere = ": it is a symbolic link that leads nowhere: expected a regular file";
    let link = |name: &str| {
        let link = folder.path().join(name);
        symlink("/nonexistent/table", &link).unwrap();
        link
    };
    let own = link("KQvK.tbg");
    let says = format!("KQvK.tbg: can't use the file{nowhere}");
    for call in [
        "generate KQvK -o",
        "generate KQRvK --dry-run -o",
        "verify --tables",
    ] {
        fails_at_once(&says, &format!("{call} {path}"));
    }
    fs::remove_file(own).unwrap();
    let packed = link("KQvK.tbmp");
    let says = format!("KQvK.tbmp: can't use the file{nowhere}");
    fails_at_once(&says, &format!("generate KQvK --metric dtm -o {path}"));
    fs::remove_file(packed).unwrap();
    let help = link("KQvK.tbhw");
    let says = format!("KQvK.tbhw: can't use the file{nowhere}");
    fails_at_once(&says, &format!("generate KQvK --metric help -o {path}"));
    fs::remove_file(help).unwrap();
    fs::create_dir(folder.path().join("KQvK.tbg")).unwrap();
    let says = "KQvK.tbg: can't use the file: it is a folder";
    fails_at_once(says, &format!("generate KQvK -o {path}"));
    fs::remove_dir(folder.path().join("KQvK.tbg")).unwrap();

    // A checkpoint, where there is none, is no matter.
    make_pipe(&format!("{path}/KQvK.plies"));
    succeed!("generate KQvK -o {path}");
    assert_eq!(names(folder.path()), ["KQvK.plies", "KQvK.tbg"]);
    make_pipe(&format!("{path}/KNNNvK.plies"));
    let says = "KNNNvK.plies: can't read the file: it is a pipe";
    fails_at_once(says, &format!("generate KNNNvK --dry-run -o {path}"));
    make_pipe(&format!("{path}/log"));
    let says = "log: can't open the file: it is a pipe: expected a regular file";
    fails_at_once(says, &format!("mine KQvK --find win --resume {path}/log"));

    let syzygy = format!("{path}/syzygy");
    fs::create_dir(&syzygy).unwrap();
    symlink("/nonexistent/table", format!("{syzygy}/KQvK.rtbw")).unwrap();
    let says = format!("KQvK.rtbw{nowhere}");
    fails_at_once(&says, &format!("generate KQvK --format syzygy -o {syzygy}"));
    fails_at_once(
        "1 of 1 tables could not be checked",
        &format!("verify --tables {syzygy}"),
    );
    fails_at_once(
        &says,
        &format!("verify --tables {path} --table KQvK --syzygy {syzygy}"),
    );
}

/// The system's errors are never damage, and are named.
#[test]
fn too_few_descriptors_are_no_damage() {
    let (folder, path) = folder();
    succeed!("generate KQvKR -o {path}");
    let positions = format!("{path}/in.epd");
    let white = ["Q4", "R4", "Q3r"].map(|men| format!("8/8/2k5/8/8/8/8/2K{men}"));
    let lines = white.map(|board| format!("{board} w - -\n"));
    fs::write(&positions, lines.concat()).unwrap();
    let tables = format!("--tables {path}");
    for (call, says) in [
        (
            format!("verify {tables} --one-in 50"),
            "could not be checked: ",
        ),
        (
            format!("label {tables} {positions}"),
            "lack a label or a value: ",
        ),
    ] {
        let mut said = 0;
        for most in 3..12 {
            let output = limited(&format!("-n {most}"), &call);
            let errors = text(&output.stderr);
            assert!(!errors.contains("damaged"), "{most}: {errors}");
            if errors.contains(says) {
                assert_eq!(output.status.code(), Some(1), "{errors}");
                let named = errors.contains(".tbg: can't open the file: Too many open files");
                assert!(named, "{errors}");
                said += 1;
            }
        }
        assert!(said > 0, "{call}");
    }
    damage(folder.path().join("KQvK.tbg"), |length| length - 10);
    let verified = crate::tbgen(&format!("verify {tables} --table KQvK"));
    ended(&verified, 1, &["1 of 1 tables are damaged or wrong: KQvK"]);
}

#[test]
fn lists_of_checksums_beside_syzygy_files_are_used() {
    let (folder, path) = folder();
    succeed!("generate KQvK --format syzygy -o {path}");
    let list = folder.path().join("checksum.md5");
    let verify = format!("verify --tables {path} --no-moves");
    let Ok(sums) = Command::new("md5sum")
        .args(["KQvK.rtbw", "KQvK.rtbz"])
        .current_dir(&folder)
        .output()
    else {
        println!("SKIPPED: there is no md5sum");
        return;
    };
    assert!(!succeed(&verify).contains("MD5"));
    fs::write(
        &list,
        [b"0123  of something else\n", &sums.stdout[..]].concat(),
    )
    .unwrap();
    let printed = succeed(&verify);
    let says = format!(", MD5 as in {}", list.display());
    assert!(printed.contains(&says), "{printed}");
    let json = report!("{verify} --json");
    assert_eq!(json["tables"][0]["md5_lists"][0], list.to_str().unwrap());
    // Files that are whole, but not those of the list.
    let sums = text(&sums.stdout);
    let others = sums
        .replace("rtbw", "?")
        .replace("rtbz", "rtbw")
        .replace('?', "rtbz");
    fs::write(&list, others).unwrap();
    fail!(1, "KQvK.rtbw: the MD5 checksum is ", "{verify}");
    fail!(1, "1 of 1 tables are damaged or wrong: KQvK", "{verify}");
    fs::write(&list, "what  KQvK.rtbw\n").unwrap();
    let says = "checksum.md5: line 1: expected 32 hexadecimal digits before a name";
    fail!(1, says, "{verify}");
}

#[test]
fn a_search_goes_on_in_one_process_at_a_time() {
    let (_folder, path) = folder();
    let mine = format!("mine KQvK --find win --resume {path}/log");
    let held = held_at(("tbgen::slices_searched", 0), &mine);
    let printed = fail!(1, "is writing this file: wait for it, or stop it", "{mine}");
    // Which process it is, where the system says so.
    let holders = [
        format!("log: process {} is", held.child.id()),
        "log: another process is".to_owned(),
    ];
    assert!(
        holders.iter().any(|holder| printed.contains(holder)),
        "{printed}"
    );
    let (status, errors) = held.go_on();
    assert!(status.success(), "{errors}");
}

/// Between opening a file and locking it, others may remove it and make it anew.
#[test]
fn a_file_that_was_made_anew_is_opened_again() {
    let (_folder, path) = folder();
    let mine = format!("mine KQvK --find win --resume {path}/log");
    let first = held_at(("tbgen::records_opened", 0), &mine);
    fs::remove_file(format!("{path}/log")).unwrap();
    let second = held_at(("tbgen::slices_searched", 0), &mine);
    let (status, errors) = first.go_on();
    assert_eq!(status.code(), Some(1), "{errors}");
    assert!(errors.contains("is writing this file"), "{errors}");
    let (status, errors) = second.go_on();
    assert!(status.success(), "{errors}");
}

#[test]
fn too_few_addresses_are_an_error() {
    let (_folder, path) = folder();
    for (limit, threads) in [("-v 500000", 1), ("-v 2300000", 32)] {
        let call = format!("generate KRvK -o {path} --threads {threads}");
        let says = format!("{threads} threads need ");
        let output = limited(limit, &call);
        ended(
            &output,
            1,
            &[&says, " of address space: the system allows "],
        );
    }
    for limit in ["-v 60000", "-v 80000"] {
        let says = "MiB of address space are needed: the system allows ";
        ended(&limited(limit, "--version"), 1, &[says]);
    }
    let call = format!("generate KRvK -o {path} --threads 4");
    assert!(limited("-v 2000000", &call).status.success());
}

/// Also where both begin before there is a file.
#[test]
fn tables_of_two_kinds_have_folders_of_their_own() {
    let own = "generate KQvK -o";
    let syzygy = "generate KQvK --format syzygy -o";
    for (first, point, second, kind) in [
        (own, "tbgen::solved", syzygy, "tables of tbgen"),
        (syzygy, "tbgen::solved", own, "Syzygy files"),
    ] {
        let (_folder, path) = folder();
        let held = held_at((point, 0), &format!("{first} {path}"));
        let says = &format!("another process makes {kind} there");
        fail!(2, says, "{second} {path}");
        let (status, errors) = held.go_on();
        assert!(status.success(), "{errors}");
        fail!(2, "give each kind a folder of its own", "{second} {path}");
        succeed!("{first} {path}");
    }
}

/// Else what is damaged would seem right.
#[test]
fn a_check_whose_reader_is_gone_does_not_succeed() {
    let (_folder, path) = folder();
    succeed!("generate KQvK -o {path}");
    for more in ["", " --json"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut verify = command(&format!("verify --tables {path}{more}"));
        let output = verify.stdout(writer).output().unwrap();
        ended(&output, 1, &["can't print the results"]);
    }
}

#[test]
fn any_path_is_taken() {
    use std::os::unix::ffi::OsStrExt;

    let (folder, path) = folder();
    succeed!("generate KQvK -o {path}");
    let odd = folder
        .path()
        .join(std::ffi::OsStr::from_bytes(b"a\xff.tbg"));
    fs::rename(folder.path().join("KQvK.tbg"), &odd).unwrap();
    let output = command("stats").arg(odd).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
}
