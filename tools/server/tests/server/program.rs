//! The program's start: what it says, and what it refuses.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use super::positions;

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tbserve"));
    command
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// A server that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server with its address, and what it says: three sentences.
fn start(arguments: &[&str]) -> (Running, String, Vec<String>) {
    let mut child = program(arguments).spawn().unwrap();
    let (output, errors) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let running = Running(child);
    let mut address = String::new();
    BufReader::new(output).read_line(&mut address).unwrap();
    let told = BufReader::new(errors)
        .lines()
        .take(3)
        .map(Result::unwrap)
        .collect();
    (running, address.trim().to_owned(), told)
}

fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address.strip_prefix("http://").unwrap()).unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// The status and the words of a run that ends by itself.
fn refused(arguments: &[&str]) -> (Option<i32>, String) {
    let output = program(arguments).output().unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[test]
fn the_start_says_what_is_there() {
    let (_running, address, told) = start(&["--listen", "localhost:0"]);
    let expected = [
        "tbserve: no folder of tables is given",
        "tbserve: solved when asked for, within 256 MiB: all positions of up to 4 pieces",
        "tbserve: a board is at /",
    ];
    assert_eq!(told, expected);
    let answer = get(&address, "/");
    assert!(
        answer.starts_with("HTTP/1.1 200 OK") && answer.contains("<svg"),
        "{answer}"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn an_address_that_nobody_reads_stops_nothing() {
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let mut child = program(&["--listen", "localhost:0"]);
    let mut running = Running(child.stdout(full).spawn().unwrap());
    let told = BufReader::new(running.0.stderr.take().unwrap()).lines();
    let told: Vec<String> = told.take(3).map(Result::unwrap).collect();
    assert_eq!(told.last().unwrap(), "tbserve: a board is at /");
}

#[test]
fn tables_are_counted_by_their_kinds() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [first, second] = folders.each_ref().map(tempfile::TempDir::path);
    // Files are opened when they are first needed. Twice the same table is one, packed or not, and a Syzygy table has two files.
    let names = [
        "KQvK.tbg",
        "KRvK.tbg",
        "KQvK.tbmp",
        "K[WD]vK.tbm",
        "KQvK.rtbw",
        "KQvK.rtbz",
        "notes.tbg",
        "KRvK.txt",
    ];
    for name in names {
        fs::write(first.join(name), "").unwrap();
    }
    fs::write(second.join("KQvK.tbm"), "").unwrap();
    fs::write(second.join("KRvK.tbg"), "").unwrap();
    fs::write(second.join("index.html"), "").unwrap();
    let [first, second] = [first, second].map(|path| path.to_str().unwrap());
    let (_running, _, told) = start(&[
        "--tables",
        first,
        "--tables",
        second,
        "--page",
        second,
        "--memory",
        "1M",
        "--listen",
        "127.0.0.1:0",
    ]);
    let expected = [
        "tbserve: tables found: 2 by DTZ, 2 by DTM, 1 of Syzygy".to_owned(),
        "tbserve: nothing is solved, as 1.0 MiB of memory are too little".to_owned(),
        format!("tbserve: the page of {second} is at /"),
    ];
    assert_eq!(told, expected);
}

#[test]
fn what_can_not_serve_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().to_str().unwrap();
    for (arguments, words) in [
        (
            &["--tables", empty][..],
            "has no tables: expected files of tbgen",
        ),
        (&["--tables", "/nonexistent"], "can't read /nonexistent"),
        (
            &["--page", "/nonexistent"],
            "/nonexistent is no folder with an index.html",
        ),
        (
            &["--memory", "10"],
            "too little to solve anything, and no folder of tables is given: expected at least ",
        ),
        (&["--listen", "nowhere"], "can't listen on nowhere"),
    ] {
        let (status, told) = refused(arguments);
        assert_eq!(status, Some(1), "{arguments:?}: {told}");
        assert!(told.contains(words), "{arguments:?}: {told}");
    }
}

/// Positions that need more memory have no answer.
#[test]
#[cfg(target_os = "linux")]
fn no_server_takes_more_memory_than_it_is_given() {
    let all = std::env::var_os("TBINDEX_THOROUGH").is_some();
    let cases = [
        ("KRvK", 64),
        ("KRvKP", 128),
        ("KRvKP", 40),
        ("KPPvK", 256),
        ("KRPvK", 256),
        ("KRBvKN", 1024),
        ("KRPvKR", 1152),
    ];
    for (material, memory) in cases.into_iter().take(if all { cases.len() } else { 3 }) {
        let bound = format!("{memory}M");
        let local = ["--listen", "localhost:0", "--timeout", "600"];
        let (running, address, _) = start(&[&local[..], &["--memory", &bound]].concat());
        for position in positions(material, 3) {
            let path = format!("/standard?fen={}", position.fen().replace(' ', "_"));
            let answer = get(&address, &path);
            assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
        }
        let status = fs::read_to_string(format!("/proc/{}/status", running.0.id())).unwrap();
        let kibibytes = |name: &str| -> u64 {
            let value = status
                .lines()
                .find_map(|line| line.strip_prefix(name))
                .unwrap();
            value.trim().strip_suffix(" kB").unwrap().parse().unwrap()
        };
        let taken = kibibytes("VmHWM:") - kibibytes("RssFile:");
        eprintln!("{material}: {taken} KiB of {memory} MiB");
        assert!(
            taken <= memory << 10,
            "{material}: {taken} KiB of {memory} MiB"
        );
    }
}
