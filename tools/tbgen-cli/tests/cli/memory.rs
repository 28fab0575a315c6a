//! The memory that the programs say they take, against what they took.
//!
//! `tools/memory.sh` runs all of it, with tables of up to six pieces and with `tbindex reduce`, `union` and the like, and
//! prints each run.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use tbindex::batch::Backend;
use tbindex::store::{Contents, IndexWriter, Overwrite, StoredWord, Target};
use tbindex::{Material, Numbering};

use crate::random::Random;
use crate::{command, least_memory, text, words};

const MIB: f64 = 1024.0 * 1024.0;

/// The bytes before the words `of memory` in what a program says.
fn stated(said: &str) -> f64 {
    let mut words = said.split(" of memory").next().unwrap().rsplit(' ');
    let unit = match words.next() {
        Some("KiB") => 1024.0,
        Some("MiB") => MIB,
        Some("GiB") => 1024.0 * MIB,
        unit => panic!("{unit:?} in {said}"),
    };
    unit * words.next().unwrap().parse::<f64>().unwrap()
}

/// Runs tbgen, and returns the bytes that it stated and the most that it took. It waits at its end to be asked.
fn tbgen(call: &str) -> (f64, f64) {
    let child = command(call)
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
        assert!(read > 0, "{call}: {said}");
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success(), "{call}: {said}");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.and_then(|line| line.trim().strip_suffix("kB"));
    let kibibytes: f64 = peak.unwrap().trim().parse().unwrap();
    (stated(&said), kibibytes * 1024.0)
}

/// The memory of the program tbindex, which can say itself what it took.
fn tbindex(program: &str, call: &str) -> (f64, f64) {
    let mut command = Command::new(program);
    let output = command.args(words(call)).arg("--json").output().unwrap();
    let said = text(&output.stderr);
    assert!(output.status.success(), "{call}: {said}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    (stated(&said), report["peak_memory"].as_f64().unwrap())
}

/// The runs so far.
#[derive(Default)]
struct Runs {
    count: usize,
    /// The runs that took more than they stated.
    above: Vec<String>,
}

impl Runs {
    /// Runs a command, which is given without the name of its program.
    fn check(&mut self, call: &str, run: impl Fn(&str) -> (f64, f64)) {
        let (stated, taken) = run(call);
        let words = words(call).into_iter();
        let shown: Vec<&str> = words.filter_map(|word| word.rsplit('/').next()).collect();
        let line = format!(
            "{:8.0} {:8.0} {:6.2}  {}",
            stated / MIB,
            taken / MIB,
            stated / taken,
            shown.join(" ")
        );
        eprintln!("{line}");
        self.count += 1;
        if taken > stated {
            self.above.push(line);
        }
    }

    fn tbgen(&mut self, call: &str) {
        self.check(call, tbgen);
    }

    fn end(self) {
        assert!(self.count > 10, "{}", self.count);
        let above = self.above.len();
        eprintln!("{} runs, {above} above what was stated", self.count);
        assert!(self.above.is_empty(), "{:#?}", self.above);
    }
}

/// Makes the folder `new` with the files of `all` but those of one table.
fn without(all: &str, new: &str, name: &str) {
    let _ = std::fs::remove_dir_all(new);
    std::fs::create_dir(new).unwrap();
    for file in std::fs::read_dir(all).unwrap() {
        let file = file.unwrap();
        if file.path().file_stem().unwrap() != name {
            std::fs::hard_link(file.path(), Path::new(new).join(file.file_name())).unwrap();
        }
    }
}

/// Writes so many indices of a material that look random.
fn write_random<W: StoredWord + TryFrom<u64>>(path: &str, material: &str, count: usize) {
    let material: Material = material.parse().unwrap();
    let contents = Contents::new(material, Numbering::Natural);
    let target = Target::plain(path, Overwrite::Refuse);
    let mut writer = IndexWriter::<W>::create(&target, contents, Backend::detect()).unwrap();
    let bits = 6 * material.piece_count() as u32;
    let mut random = Random::new(1);
    for _ in 0..count.div_ceil(1 << 16) {
        writer.write(&random.numbers::<W>(1 << 16, bits)).unwrap();
    }
    writer.finish().unwrap();
}

#[test]
#[cfg(target_os = "linux")]
fn no_command_takes_more_memory_than_it_states() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [all, new, sizes, packed] = ["all", "new", "syzygy", "packed"].map(path);
    let thorough = std::env::var_os("TBINDEX_THOROUGH").is_some();
    let mut runs = Runs::default();
    eprintln!("  stated    taken  ratio  (MiB)");
    succeed!("generate KRvKP --metric dtz,dtm -o {all}");
    succeed!("generate KQvKR --metric dtm -o {all}");
    let few = "--table KQvK --table KRvK --table KQvKR";
    succeed!("export --tables {all} --packed {packed} --metric dtm {few}");
    runs.tbgen(&format!("verify --tables {packed} --one-in 500"));
    for threads in [1, 2, 8] {
        if threads == 2 && !thorough {
            continue;
        }
        for (name, metric) in [("KQvK", "dtz"), ("KQvKR", "dtm"), ("KRvKP", "dtm")] {
            without(&all, &new, name);
            let generate = format!("generate {name} -o {new} --metric {metric}");
            runs.tbgen(&format!("{generate} --threads {threads}"));
        }
        // Half of the commands on one thread and half on eight, or all on all if `TBINDEX_THOROUGH` is set.
        let commands = [
            "generate --all 3 --no-write".to_owned(),
            format!("verify --tables {all} --one-in 500"),
            format!("stats {all}/KRvKP.tbm"),
            format!("export --tables {all} --table KRvKP --syzygy {sizes}"),
            format!("export --tables {all} --table KRvKP --metric dtm --packed {packed}"),
            "stats KPvK".to_owned(),
            "mine KRvKP --find zugzwang".to_owned(),
            "mine KQvKR --find only-move --metric dtm".to_owned(),
            "mine KBvK --find dead".to_owned(),
            "stats K[WfF]NvK".to_owned(),
            "solve '4k3/8/8/8/8/8/P7/4K2R w K - 0 1'".to_owned(),
            "solve '4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1'".to_owned(),
        ];
        let first = usize::from(threads == 8 && !thorough);
        for command in commands
            .iter()
            .skip(first)
            .step_by(2 - usize::from(thorough))
        {
            runs.tbgen(&format!("{command} --threads {threads}"));
        }
    }
    if thorough {
        five_pieces(&mut runs, &all, &new, &sizes);
        six_pieces(&mut runs, &path("six"), &new);
        random_tables(&mut runs, &path("random"));
    }
    runs.end();
}

fn five_pieces(runs: &mut Runs, all: &str, new: &str, sizes: &str) {
    for (name, metric) in [
        ("KQRvKQ", "dtz"),
        ("KQRvKQ", "dtm"),
        ("KRRvKR", "dtz"),
        ("KBBvKN", "dtz"),
        ("KRPvKR", "dtz"),
        ("KRPvKR", "dtm"),
        ("KPPvKP", "dtz"),
    ] {
        succeed!("generate {name} --metric {metric} -o {all}");
        for threads in [1, 2, 8] {
            without(all, new, name);
            let generate = format!("generate {name} -o {new} --metric {metric}");
            let generate = format!("{generate} --threads {threads}");
            runs.tbgen(&generate);
            if !name.contains('P') {
                runs.tbgen(&format!("{generate} --memory 100M --force"));
            }
        }
    }
    let generate = format!("generate --all 4 --format syzygy -o {sizes} --force");
    runs.tbgen(&format!("{generate} --threads 2"));
    for threads in [1, 2, 8] {
        for command in [
            "generate --all 4 --no-write --metric dtm".to_owned(),
            format!("verify --tables {sizes} --table KRvKP --one-in 500"),
            format!("verify --tables {all} --table KRvKP --syzygy {sizes} --one-in 500"),
            format!("verify --tables {all} --table KRPvKR --one-in 50000"),
            format!("stats {all}/KRPvKR.tbg"),
            "mine KRPvKR --find zugzwang".to_owned(),
            "solve 'r3k3/8/8/8/8/8/3P4/4K2R w Kq - 0 1'".to_owned(),
            "mine KRPvKR --find only-move".to_owned(),
            "mine KQRvKR --find only-move --metric dtm".to_owned(),
            format!("export --tables {all} --table KQRvKQ --syzygy {sizes}"),
            format!("export --tables {all} --table KRPvKR --syzygy {sizes}"),
        ] {
            runs.tbgen(&format!("{command} --threads {threads}"));
        }
    }
}

/// These tables need few others.
fn six_pieces(runs: &mut Runs, all: &str, new: &str) {
    for (name, metric, needed, threads) in [
        ("KQQQQvK", "dtz", &["KQQQvK"][..], &[1, 2, 8][..]),
        ("KQQQQvK", "dtm", &["KQQQvK"], &[2]),
        ("KQQQvKQ", "dtz", &["KQQQvK", "KQQvKQ"], &[2]),
    ] {
        for needed in needed {
            succeed!("generate {needed} --metric {metric} -o {all}");
        }
        without(all, new, name);
        let generate = format!("generate {name} -o {new} --metric {metric} --force");
        for threads in threads {
            runs.tbgen(&format!("{generate} --memory 1G --threads {threads}"));
        }
        runs.tbgen(&format!("{generate} --threads 2"));
        for threads in threads {
            let verify = format!("verify --tables {new} --table {name} --one-in 1000000");
            runs.tbgen(&format!("{verify} --threads {threads}"));
        }
    }
}

/// Materials of three to five pieces, each on a number of threads from 1 to 16.
fn random_tables(runs: &mut Runs, folder: &str) {
    let mut random = Random::new(1);
    let mut one_of = |count: usize| random.below(count as u128) as usize;
    for number in 0..60 {
        let pieces = [3, 4, 4, 4, 5][one_of(5)];
        let white = 1 + one_of(pieces - 2);
        // Five pieces without pawns, which take seconds.
        let mut side = |count: usize| -> String {
            let all = if pieces == 5 { "QRBN" } else { "QRBNP" };
            (0..count)
                .map(|_| all.as_bytes()[one_of(all.len())] as char)
                .collect()
        };
        let name = format!("K{}vK{}", side(white), side(pieces - 2 - white));
        let threads = 1 + one_of(16);
        let metric = ["dtz", "dtm", "help"][one_of(3)];
        let generate = format!("generate {name} --metric {metric} --threads {threads} --force");
        let by_mate = format!("{name} --metric dtm --threads {threads}");
        match number % 8 {
            0 => runs.tbgen(&format!("{generate} -o {folder}-{metric}")),
            1 => {
                let call = format!("{generate} -o {folder}-{metric} --memory");
                runs.tbgen(&format!("{call} {}M", least_memory(&call)));
            }
            2 => runs.tbgen(&format!(
                "generate {by_mate} --packed --force -o {folder}-packed"
            )),
            3 => runs.tbgen(&format!(
                "generate {name} --format syzygy --threads {threads} --force -o {folder}-syzygy"
            )),
            4 => runs.tbgen(&format!("stats {by_mate}")),
            5 => runs.tbgen(&format!("mine {by_mate} --find zugzwang")),
            6 => {
                succeed!("generate {by_mate} -o {folder}-dtm");
                let tables = format!("--tables {folder}-dtm --table {by_mate}");
                runs.tbgen(&format!("export {tables} --packed {folder}-exported"));
            }
            _ => runs.tbgen(&format!(
                "sample {by_mate} --count 1000 -o {folder}.csv --force"
            )),
        }
    }
}

#[test]
fn no_operation_on_files_takes_more_memory_than_it_states() {
    let Ok(program) = std::env::var("TBINDEX_PROGRAM") else {
        eprintln!("SKIPPED: TBINDEX_PROGRAM names no program of tbindex; tools/memory.sh gives it");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [four, five, six, out] = ["four.tbi", "five.tbi", "six.tbi", "out.tbi"].map(path);
    write_random::<u32>(&four, "KQvKR", 10_000_000);
    write_random::<u32>(&five, "KQRvKR", 40_000_000);
    write_random::<u64>(&six, "KQRvKRB", 40_000_000);
    let mut runs = Runs::default();
    for input in [&four, &five, &six] {
        for threads in [1, 2, 8] {
            for memory in ["", "--memory 64M", "--memory 24M --method sort"] {
                let reduce =
                    format!("reduce {input} -o {out} --force {memory} --threads {threads}");
                runs.check(&reduce, |call| tbindex(&program, call));
            }
        }
    }
    let [half_of_five, half_of_six, a, b] = ["5.tbi", "6.tbi", "a.tbi", "b.tbi"].map(path);
    write_random::<u32>(&half_of_five, "KQRvKR", 20_000_000);
    write_random::<u64>(&half_of_six, "KQRvKRB", 20_000_000);
    for (all, half) in [(&five, &half_of_five), (&six, &half_of_six)] {
        for (raw, reduced) in [(all, &a), (half, &b)] {
            tbindex(&program, &format!("reduce {raw} -o {reduced} --force"));
        }
        for operation in ["union", "intersect", "difference"] {
            for (sets, memory) in [
                (format!("{a} {b}"), ""),
                (format!("{a} {b}"), "--memory 24M"),
                (format!("{a} {b} {b} {a} {b}"), "--memory 64M --compress"),
            ] {
                for threads in [1, 2, 8] {
                    let call = format!("{operation} {sets} -o {out} --force {memory}");
                    let call = format!("{call} --threads {threads}");
                    runs.check(&call, |call| tbindex(&program, call));
                }
            }
        }
    }
    runs.end();
}
