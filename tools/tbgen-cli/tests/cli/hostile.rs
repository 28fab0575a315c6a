//! The program where others are against it: files that shrink or lie, limits of the system, wrong positions.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use tbindex::store::{Overwrite, PartialFile};

use crate::held::Held;
use crate::killed::held_at;
use crate::signals::{noticed, send};
use crate::thorough::one_in;
use crate::{PROGRAM, command, ended, folder, least_memory, limited, names, succeed};
use crate::{tables, tbgen, text};

#[test]
#[cfg(target_os = "linux")]
fn a_table_that_is_shortened_while_it_is_read_is_an_error_with_its_name() {
    let (folder, path) = folder();
    succeed!("generate KRvKN -o {path}");
    let table = folder.path().join("KRvKN.tbg");
    let probe = format!("probe --tables {path} '8/8/2k5/8/8/5n2/8/K6R w - - 0 1'");
    let held = held_at(("tbgen::table_opened", 0), &probe);
    let file = File::options().write(true).open(&table).unwrap();
    file.set_len(4096).unwrap();
    let (status, errors) = held.go_on();
    assert_eq!(status.code(), Some(1), "{errors}");
    let says = "KRvKN.tbg: can't read the file";
    assert!(errors.contains(says), "{errors}");
}

/// Holds a run at a point until a second one waits for it, and returns the messages of the second.
fn second_waits(point: &str, [call, second]: [&str; 2]) -> String {
    let first = held_at((point, 0), call);
    let second = command(second)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let mut second = second.unwrap();
    let mut messages = BufReader::new(second.stderr.take().unwrap());
    let mut all = String::new();
    while !all.contains("another process makes it: waiting") {
        assert!(messages.read_line(&mut all).unwrap() > 0, "{all}");
    }
    let (status, errors) = first.go_on();
    assert!(status.success(), "{errors}");
    messages.read_to_string(&mut all).unwrap();
    assert!(second.wait().unwrap().success(), "{all}");
    all
}

/// Helpmates and packed tables are made once, too, and what others have put into a folder of ours stays.
#[test]
fn two_runs_make_helpmates_and_packed_tables_once() {
    let (folder, path) = folder();
    let help = format!("generate KNvK --metric help -o {path}");
    second_waits("tbgen::solved", [&help; 2]);
    assert_eq!(names(folder.path()), ["KNvK.tbhb", "KNvK.tbhw"]);
    let packed = format!("generate KQvK --packed --metric dtm -o {path}/packed");
    let of_others = folder.path().join("packed/unpacked-dtm/notes.txt");
    fs::create_dir_all(of_others.parent().unwrap()).unwrap();
    fs::write(&of_others, "keep").unwrap();
    second_waits("tbgen::solved", [&packed; 2]);
    assert_eq!(fs::read(&of_others).unwrap(), b"keep");
    assert_eq!(names(of_others.parent().unwrap()), ["notes.txt"]);
    let names_of_packed = names(folder.path().join("packed"));
    assert_eq!(names_of_packed, ["KQvK.tbmp", "unpacked-dtm"]);
    // Temporary files of helpmates are where they are wanted.
    let temp = folder.path().join("temp");
    let help = format!("{help} --force --temp {}", temp.display());
    succeed(&help);
    assert_eq!(names(&temp), [""; 0]);
}

/// Both write all files, one run after the other.
#[test]
fn two_runs_export_packed_tables_in_turn() {
    let [(_tables, tables_path), (folder, path)] = [(); 2].map(|()| folder());
    succeed!("generate KRvK --metric dtm -o {tables_path}");
    succeed!("generate KRvK --metric help -o {tables_path}");
    let export = format!("export --tables {tables_path} --packed");
    succeed!("{export} {path}/alone");
    let both = format!("{export} {path}/both");
    second_waits("tbgen::packed_before_rename", [&both; 2]);
    let [alone, both] = ["alone", "both"].map(|name| tables(&folder.path().join(name)));
    assert_eq!(alone.len(), 3);
    assert!(alone == both);
    assert_eq!(names(folder.path().join("both")).len(), 3);
}

/// Several materials at once, and forms of one.
#[test]
fn runs_at_once_have_one_folder_of_temporary_files() {
    let (temp, temp_path) = folder();
    // The least memory that will do is that with sets on disk.
    let in_files = |call: &str| {
        let call = format!("{call} --threads 1");
        let least = least_memory(&format!("{call} -o {temp_path} --memory"));
        format!("{call} --memory {least}M")
    };
    let calls = [
        (
            ("tbgen::ply_recorded", 3),
            in_files("generate KRvK --metric dtm"),
        ),
        (("tbgen::ply_recorded", 3), in_files("generate KQvK")),
        (
            ("tbgen::ply_recorded", 3),
            in_files("generate KQvK --metric help"),
        ),
        (
            ("tbgen::packed_before_rename", 0),
            "generate KRvK --packed --metric dtm".to_owned(),
        ),
    ];
    let alone = folder();
    let folders = calls.each_ref().map(|_| folder());
    let held = calls
        .iter()
        .zip(&folders)
        .map(|((point, call), (_, path))| {
            held_at(*point, &format!("{call} -o {path} --temp {temp_path}"))
        });
    let held: Vec<Held> = held.collect();
    let checkpoints = ["KQvK.help-black", "KQvK.plies", "KRvK.mates"];
    assert_eq!(names(temp.path()), checkpoints);
    // The same table for another folder has the same checkpoint.
    let says = [
        "KRvK.mates: ",
        " is writing this file: wait for it, or stop it",
    ];
    let other = folder();
    let same = tbgen(&format!("{} -o {} --temp {temp_path}", calls[0].1, other.1));
    ended(&same, 1, &says);
    // The last one ends first.
    for held in held.into_iter().rev() {
        let (status, errors) = held.go_on();
        assert!(status.success(), "{errors}");
    }
    assert_eq!(names(temp.path()), [""; 0]);
    for (number, ((_, call), (folder, _))) in calls.iter().zip(&folders).enumerate() {
        let path = format!("{}/{number}", alone.1);
        succeed!("{call} -o {path}");
        assert!(tables(folder.path()) == tables(path.as_ref()), "{call}");
        assert_eq!(names(folder.path()), names(&path), "{call}");
    }
}

/// A folder in which no file can be made is named once, whatever is to be there.
#[test]
#[cfg(target_os = "linux")]
fn a_folder_that_takes_no_temporary_files_is_named_once() {
    let (_folder, path) = folder();
    let generate = format!("generate KRvK -o {path} --temp /proc");
    for more in ["", "--metric dtm", "--metric help", "--memory 40M"] {
        let says = fail!(1, "tbgen: ", "{generate} {more}");
        let (_, says) = says.split_once("tbgen: ").unwrap();
        let begins = says.starts_with("can't make a temporary file in /proc: ");
        let once = ["/proc", "temporary", "os error"].map(|part| says.matches(part).count() == 1);
        assert!(begins && once == [true; 3], "{says}");
    }
}

/// Of exact distances and rounded ones, those stay that were there first.
#[test]
fn two_runs_make_syzygy_files_once() {
    let (folder, path) = folder();
    let exact = format!("generate KRvK --format syzygy -o {path}");
    let rounded = format!("{exact} --rounded");
    second_waits("tbgen::wdl_written", [&exact, &rounded]);
    let files = tables(folder.path());
    assert_eq!(names(folder.path()), ["KRvK.rtbw", "KRvK.rtbz"]);
    succeed!("{exact} --force");
    assert!(tables(folder.path()) == files);
    let (_own, own) = crate::folder();
    succeed!("generate KRvK -o {own}");
    let export = format!("export --tables {own} --syzygy {path}");
    second_waits(
        "tbgen::dtz_written",
        [&rounded.replace("-o", "--force -o"), &export],
    );
    assert!(tables(folder.path()) == files);
}

/// The second takes the table that the first has finished.
#[test]
fn two_runs_make_a_table_once() {
    let (folder, path) = folder();
    let generate = format!("generate KRvK -o {path}");
    let all = second_waits("tbgen::solved", [&generate; 2]);
    assert!(all.contains("KRvK: there already"), "{all}");
    assert_eq!(names(folder.path()), ["KRvK.tbg"]);
    // One that is killed leaves its table to the other.
    fs::remove_file(folder.path().join("KRvK.tbg")).unwrap();
    let mut first = held_at(("tbgen::solved", 0), &generate);
    first.child.kill().unwrap();
    first.go_on();
    succeed(&generate);
    assert_eq!(names(folder.path()), ["KRvK.tbg"]);
}

#[test]
fn what_is_no_checkpoint_of_the_table_is_noticed_before_anything_is_made() {
    let (folder, path) = folder();
    let checkpoint = folder.path().join("KNNvKN.plies");
    fs::write(&checkpoint, [7; 100]).unwrap();
    let says = "KNNvKN.plies: this is not a checkpoint with plies of KNNvKN by dtz";
    fail!(1, says, "generate KNNvKN -o {path}");
    assert_eq!(names(folder.path()), ["KNNvKN.plies"]);
}

#[test]
fn limits_of_the_system_leave_nothing_half_written() {
    let (folder, path) = folder();
    let generate = format!("generate KRvK -o {path}");
    let output = limited("-f 8", &generate);
    ended(&output, 1, &["File too large"]);
    assert_eq!(names(folder.path()), [""; 0]);
    for most in 3..16 {
        let output = limited(&format!("-n {most}"), &format!("{generate} --force"));
        let left = names(folder.path());
        let partial = left.iter().any(|name| name.ends_with(".partial"));
        assert!(!partial, "{most}: {left:?} {output:?}");
    }
}

/// Changes the list of values of a table, and its checksums.
fn change_values(table: &Path, change: impl Fn(&mut [u8])) {
    let mut bytes = fs::read(table).unwrap();
    let count = |at: usize| usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
    let end = 256 + 4 * (count(28) + count(30));
    bytes[256..end].chunks_exact_mut(4).for_each(change);
    let sum = crc32fast::hash(&bytes[256..end]);
    bytes[72..76].copy_from_slice(&sum.to_le_bytes());
    let sum = crc32fast::hash(&bytes[..252]);
    bytes[252..256].copy_from_slice(&sum.to_le_bytes());
    fs::write(table, bytes).unwrap();
}

#[test]
fn a_line_by_tables_that_lie_comes_to_an_end() {
    let (folder, path) = folder();
    succeed!("generate KQvK -o {path}");
    let table = folder.path().join("KQvK.tbg");
    let fen = "8/8/8/3k4/8/8/8/KQ6 w - - 0 1";
    // First all distances become longer, then some become too long.
    let lies = [(2, 0, "the tables are wrong"), (1, 32_750, "at most 32767")];
    for (times, more, says) in lies {
        change_values(&table, |value| {
            if value[0] > 0 {
                let plies = times * u16::from_le_bytes([value[2], value[3]]) + more;
                value[2..4].copy_from_slice(&plies.to_le_bytes());
            }
        });
        fail!(1, says, "line --tables {path} '{fen}'");
    }
}

#[test]
fn values_that_cannot_be_are_refused() {
    let (folder, path) = folder();
    succeed!("generate KQvK --metric dtm -o {path}");
    let table = folder.path().join("KQvK.tbm");
    let intact = fs::read(&table).unwrap();
    let again = |value: &mut [u8]| {
        if value[0] == 1 {
            value[2] = 1;
        }
    };
    type Change = dyn Fn(&mut [u8]);
    let changes: [(&Change, &str); 4] = [
        (&|value| value[2] += 1, "expected a draw"),
        (&again, "in more plies than the one before"),
        (&|value| value.fill(0), "in more plies than the one before"),
        (
            &|value| value[2] += u8::from(value[0] == 1),
            "an odd number",
        ),
    ];
    for (change, says) in changes {
        fs::write(&table, &intact).unwrap();
        change_values(&table, change);
        fail!(1, says, "stats {path}/KQvK.tbm");
    }
}

/// A file says that a queen loses to a bare king, who can't win here either.
#[test]
fn a_bare_king_that_mates_does_no_harm() {
    let (folder, path) = folder();
    succeed!("generate KQvK --metric dtm -o {path}");
    change_values(&folder.path().join("KQvK.tbm"), |value| {
        if value[0] == 1 && value[2] == 19 {
            value.copy_from_slice(&[2, 0, 100, 0]);
        }
    });
    succeed!("generate KQQvK --metric dtm -o {path}");
    let stats = succeed!("stats {path}/KQQvK.tbm");
    assert!(!stats.contains("101"), "{stats}");
}

#[test]
fn a_table_under_another_name_is_not_taken_for_it() {
    let (folder, path) = folder();
    succeed!("generate KRvK -o {path}");
    let of = |name: &str| folder.path().join(name);
    fs::copy(of("KRvK.tbg"), of("KQvK.tbg")).unwrap();
    fs::copy(of("KRvK.tbg"), of("KRvK.tbm")).unwrap();
    let fen = "8/8/8/3k4/8/8/8/KQ6 w - - 0 1";
    let says = "KQvK.tbg: this is the table of KRvK";
    fail!(1, says, "generate KQvK -o {path}");
    fail!(1, says, "generate KQRvK -o {path}");
    fail!(1, says, "probe --tables {path} '{fen}'");
    fail!(1, says, "verify --tables {path} --table KQvK");
    let says = "KRvK.tbm: this is a table by dtz";
    fail!(1, says, "generate KRvK --metric dtm -o {path}");
    fail!(1, says, "stats {path}/KRvK.tbm");
    succeed!("generate KQvK -o {path} --force");
    succeed!("probe --tables {path} '{fen}'");
}

#[test]
fn one_bad_position_does_not_keep_the_others_from_their_answers() {
    let (_folder, path) = folder();
    succeed!("generate KQvK -o {path}");
    let good = "8/8/8/3k4/8/8/8/KQ6 w - - 37 90";
    let output = tbgen(&format!("probe --tables {path} nonsense '{good}'"));
    let says = ["\"nonsense\": ", "1 of 2 positions have no answer"];
    ended(&output, 2, &says);
    // The answer is to the question, counters included.
    assert!(text(&output.stdout).starts_with(good), "{output:?}");
    let missing = "8/8/8/3k4/8/8/8/KR6 w - - 0 1";
    let output = tbgen(&format!(
        "probe --tables {path} '{good}' '{missing}' --json"
    ));
    assert_eq!(output.status.code(), Some(1));
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let answers = answer["positions"].as_array().unwrap();
    let first = &answers[0];
    assert!(first["fen"] == good && first["counter"] == 37, "{answer}");
    assert!(answers[1]["error"].as_str().unwrap().contains("KRvK"));
    let line = report!("line --tables {path} '{good}' --json");
    assert!(line["fen"] == good && line["counter"] == 37, "{line}");
}

#[test]
fn sizes_and_threads_are_those_of_tbindex() {
    for (option, value, says) in [
        ("--memory", "15M", "allows 15 MiB"),
        ("--memory", "1KiB", "allows 1 KiB"),
        ("--memory", "2mb", "allows 2.0 MiB"),
        ("--memory", "1X", "--memory"),
        ("--memory", "99999999T", "--memory"),
        (
            "--threads",
            "1000000",
            "expected a number of threads from 0 to ",
        ),
    ] {
        fail!(2, says, "generate KRBvKR --no-write {option} {value}");
    }
    succeed!("generate KRvK --no-write --threads 0 --memory 1T");
}

#[test]
fn what_killed_runs_have_left_is_removed() {
    let (folder, path) = folder();
    let of = |name: &str| folder.path().join(name);
    fs::write(of(".KQvKR.tbg.partial"), "left").unwrap();
    let at_work = PartialFile::create(of("KRvKB.tbg"), Overwrite::Refuse).unwrap();
    succeed!("generate KRvK -o {path}");
    let has = |name: &str| names(folder.path()).iter().any(|found| found == name);
    assert!(!has(".KQvKR.tbg.partial"));
    assert!(has(".KRvKB.tbg.partial"), "another process is writing it");
    drop(at_work);
    // The checkpoint of a table that was written just before the kill; and, if the table is to be made again, any checkpoint.
    for (metric, checkpoint) in [("dtz", of("KNNNvK.plies")), ("dtm", of("KNNNvK.mates"))] {
        let generate = format!("generate KNNNvK --metric {metric} -o {path}");
        let cases = [("", &b"\x89TBL\r\n\x1a\n"[..]), ("--force", b"")];
        // One case by each metric, or both if `TBINDEX_THOROUGH` is set.
        let first = usize::from(metric == "dtm") % one_in(2);
        if first == 0 {
            succeed(&generate);
        }
        for (force, begin) in cases.into_iter().skip(first).step_by(one_in(2)) {
            fs::write(&checkpoint, [begin, &[0; 1000]].concat()).unwrap();
            succeed!("{generate} {force}");
            assert!(!checkpoint.exists(), "{metric} {force:?}");
        }
        // A file that is no checkpoint stays where none is written.
        let other = of("KNvK").with_extension(checkpoint.extension().unwrap());
        fs::write(&other, "my knights").unwrap();
        succeed!("generate KNvK --metric {metric} -o {path}");
        assert!(other.exists(), "{metric}");
    }
    let (_syzygy, path) = crate::folder();
    fs::write(format!("{path}/.syzygy-left"), "left").unwrap();
    succeed!("generate KRvK --format syzygy -o {path}");
    assert!(!names(path).contains(&".syzygy-left".to_owned()));
}

/// Sends a signal to a run, which has to end by it.
fn interrupt((name, number): (&str, i32), run: Held) {
    send(&run.child, name);
    let (status, rest) = run.go_on();
    assert_eq!(status.signal(), Some(number), "{rest}");
    assert!(rest.contains("interrupted"), "{rest}");
}

#[test]
fn an_interrupted_run_ends_by_the_signal_and_leaves_no_partial_file() {
    for signal in noticed([("-INT", 2), ("-TERM", 15)]) {
        let (folder, path) = folder();
        // In the one table with five pieces, as smaller ones have no checkpoint.
        let generate = format!("generate KRRvKB -o {path}");
        interrupt(signal, held_at(("tbgen::ply_recorded", 2), &generate));
        let left = names(folder.path());
        assert!(left.iter().all(|name| !name.ends_with(".partial")));
    }
}

/// While a table is written, and while one is loaded that others need.
#[test]
fn an_interrupted_run_ends_within_a_block_of_its_files() {
    for signal in noticed([("-INT", 2)]) {
        for (point, table) in [
            (("tbgen::blocks_written", 0), "KQvKR"),
            (("tbgen::slice_to_load", 5), "KQQvK"),
        ] {
            let (folder, path) = folder();
            succeed!("generate KQvK -o {path}");
            succeed!("generate KRvK -o {path}");
            let generate = format!("generate {table} -o {path} --threads 1");
            interrupt(signal, held_at(point, &generate));
            assert_eq!(names(folder.path()).len(), 2, "{point:?}");
        }
    }
}

/// While values are compared with moves, and helpmates, and those of Syzygy files.
#[test]
fn an_interrupted_check_ends_by_the_signal() {
    for signal in noticed([("-INT", 2)]) {
        let (_folder, path) = folder();
        let (_syzygy, syzygy) = crate::folder();
        succeed!("generate KRvK -o {path}");
        succeed!("generate KRvK --metric help -o {path}/help");
        succeed!("generate KRvK --format syzygy -o {syzygy}");
        for (point, of) in [
            (("tbgen::table_opened", 1), path.clone()),
            (("tbgen::table_opened", 1), format!("{path}/help")),
            (("tbgen::solved", 0), syzygy),
        ] {
            interrupt(signal, held_at(point, &format!("verify --tables {of}")));
        }
    }
}

/// The messages of checks to a terminal.
#[test]
fn a_check_shows_how_far_it_is() {
    let version = Command::new("script").arg("--version").output();
    if !version.is_ok_and(|output| text(&output.stdout).contains("util-linux")) {
        eprintln!("SKIPPED a_check_shows_how_far_it_is: it needs the script command of util-linux");
        return;
    }
    let (_folder, path) = folder();
    succeed!("generate KRvKN -o {path}");
    let verify = format!("{PROGRAM} verify --tables {path} --table KRvKN --one-in 12");
    let output = Command::new("script")
        .args(["-qec", &verify, "/dev/null"])
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let written = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{written}");
    assert!(written.contains("% checked"), "{written}");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    for line in [
        "mine KRvK --find win --format csv",
        "sample KRvK --count 50000",
    ] {
        let mut child = command(line)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        ended(&child.wait_with_output().unwrap(), 0, &[]);
    }
}

#[test]
fn messages_that_nobody_reads_stop_nothing() {
    let (folder, path) = folder();
    let full = File::options().write(true).open("/dev/full");
    let Ok(full) = full else {
        println!("SKIPPED: there is no /dev/full");
        return;
    };
    let mut generate = command(&format!("generate KRvK -o {path} --log /dev/full"));
    assert!(generate.stderr(full).status().unwrap().success());
    assert!(folder.path().join("KRvK.tbg").exists());
    // A failure to write to the journal is reported once.
    let output = tbgen(&format!("generate KQvK -o {path} --log /dev/full"));
    assert!(output.status.success());
    assert_eq!(text(&output.stderr).matches("/dev/full").count(), 1);
}

#[test]
fn what_was_not_asked_for_is_refused() {
    let (folder, path) = folder();
    succeed!("generate KPvK -o {path} --metric dtm");
    let file = format!("{path}/KPvK.tbm");
    let says = "this file are by dtm, and not by dtz";
    fail!(2, says, "stats {file} --metric dtz");
    assert_eq!(report!("stats {file} --json")["metric"], "dtm");
    let says = "has tables of tbgen";
    fail!(2, says, "generate KQvK --format syzygy -o {path}");
    let syzygy = format!("{path}/syzygy");
    succeed!("generate KQvK --format syzygy -o {syzygy}");
    let says = "has Syzygy files";
    fail!(2, says, "generate KRvK -o {syzygy}");
    fail!(2, says, "generate KRvK --metric help -o {syzygy}");
    let file = format!("{syzygy}/KQvK.rtbz");
    let says = "this file are by dtz, and not by dtm";
    fail!(2, says, "stats {file} --metric dtm");
    // Placements of five pawns are too many to be listed.
    fail!(2, "KPPPvKPP has 17123040 placements", "estimate KPPPvKPP");
    // The folder for temporary files is made.
    succeed!("generate KQvK -o {path} --temp {path}/temp");
    assert!(folder.path().join("temp").is_dir());
}
