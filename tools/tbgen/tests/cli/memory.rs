//! The memory that the program says it takes, against what it took.
//!
//! `TBINDEX_THOROUGH=1` adds tables of five pieces; `tools/memory.sh` prints all of it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::{PROGRAM, succeed};

/// Runs the program, and returns the bytes that it stated and the most that it took. It waits at its end to be asked.
fn stated_and_taken(arguments: &[&str]) -> (f64, f64) {
    let child = Command::new(PROGRAM)
        .args(arguments)
        .env("FAILPOINTS", "tbgen::end=return(wait)")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.unwrap();
    let mut said = String::new();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    while !said.ends_with("waiting at tbgen::end\n") {
        let read = errors.read_line(&mut said).unwrap();
        assert!(read > 0, "{arguments:?}: {said}");
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    drop(child.stdin.take());
    let status_of_end = child.wait().unwrap();
    assert!(status_of_end.success(), "{arguments:?}: {said}");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak
        .and_then(|line| line.trim().strip_suffix("kB"))
        .unwrap();
    let stated = said.split(" of memory").next().unwrap();
    let mut words = stated.rsplit(' ');
    let unit = match words.next() {
        Some("KiB") => 1024.0,
        Some("MiB") => 1024.0 * 1024.0,
        unit => panic!("{arguments:?}: {unit:?} in {said}"),
    };
    let stated: f64 = words.next().unwrap().parse().unwrap();
    (stated * unit, peak.trim().parse::<f64>().unwrap() * 1024.0)
}

#[test]
#[cfg(target_os = "linux")]
fn no_command_takes_more_memory_than_it_states() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let all = path("all");
    let thorough = std::env::var_os("TBINDEX_THOROUGH").is_some();
    succeed(&["generate", "KRvKP", "--metric", "dtz,dtm", "-o", &all]);
    let copied = |name: &str| {
        let new = path("new");
        let _ = std::fs::remove_dir_all(&new);
        std::fs::create_dir(&new).unwrap();
        for file in std::fs::read_dir(&all).unwrap() {
            let file = file.unwrap();
            let is_own = file.path().file_stem().unwrap() == name;
            if !is_own {
                std::fs::hard_link(file.path(), Path::new(&new).join(file.file_name())).unwrap();
            }
        }
        new
    };
    let (mut above, mut runs) = (Vec::new(), 0);
    let mut check = |arguments: &str| {
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let (stated, taken) = stated_and_taken(&arguments);
        let shown: Vec<&str> = (arguments.iter().copied())
            .filter(|word| !word.starts_with('/'))
            .collect();
        let line = format!(
            "{:5.0} MiB of {:5.0}: {}",
            taken / f64::from(1 << 20),
            stated / f64::from(1 << 20),
            shown.join(" ")
        );
        eprintln!("{line}");
        runs += 1;
        if taken > stated {
            above.push(line);
        }
    };
    let quick = [("KQvK", "dtz"), ("KQvKR", "dtm"), ("KRvKP", "dtm")];
    let five = [
        ("KQRvKQ", "dtz"),
        ("KQRvKQ", "dtm"),
        ("KRRvKR", "dtz"),
        ("KBBvKN", "dtz"),
        ("KRPvKR", "dtz"),
    ];
    for threads in [1, 2, 8] {
        if threads == 2 && !thorough {
            continue;
        }
        for (name, metric) in quick {
            let new = copied(name);
            check(&format!(
                "generate {name} -o {new} --metric {metric} --threads {threads}"
            ));
        }
        let sizes = path("syzygy");
        check(&format!("generate --all 3 --no-write --threads {threads}"));
        check(&format!("verify {all} --one-in 500 --threads {threads}"));
        check(&format!("stats {all}/KRvKP.tbm --threads {threads}"));
        check(&format!(
            "export {all} --table KRvKP --syzygy {sizes} --threads {threads}"
        ));
        check(&format!("stats KPvK --threads {threads}"));
        if !thorough {
            continue;
        }
        check(&format!(
            "generate --all 4 --no-write --metric dtm --threads {threads}"
        ));
        for (name, metric) in five {
            succeed(&["generate", name, "--metric", metric, "-o", &all]);
            let new = copied(name);
            check(&format!(
                "generate {name} -o {new} --metric {metric} --threads {threads}"
            ));
            if !name.contains('P') {
                check(&format!(
                    "generate {name} -o {new} --metric {metric} --threads {threads} --memory 100M --force"
                ));
            }
        }
        check(&format!(
            "verify {all} --table KRPvKR --one-in 50000 --threads {threads}"
        ));
        check(&format!(
            "export {all} --table KQRvKQ --syzygy {sizes} --threads {threads}"
        ));
    }
    assert!(runs > 10, "{runs}");
    assert!(above.is_empty(), "{above:#?}");
}
