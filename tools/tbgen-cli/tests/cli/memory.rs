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
use crate::thorough::one_in;
use crate::{command, folder, least_memory, text, words};

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

/// Runs tbgen, and returns the bytes that it stated and the most that it took. It waits at its end to be asked. The statement of
/// `label` is the bound that it is given.
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
    let stated = match call.split_once(" --memory ") {
        Some((label, bound)) if label.starts_with("label") => {
            bound.strip_suffix('M').unwrap().parse::<f64>().unwrap() * MIB
        }
        _ => stated(&said),
    };
    (stated, kibibytes * 1024.0)
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
        assert!(self.count > 4, "{}", self.count);
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
    let thorough = one_in(2) == 1;
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
        // A third of the commands on one thread and another on eight, or all on all if `TBINDEX_THOROUGH` is set.
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
            .step_by(if thorough { 1 } else { 3 })
        {
            runs.tbgen(&format!("{command} --threads {threads}"));
        }
    }
    // Each part is solved by any of the threads.
    without(&all, &new, "KPvK");
    let generate = format!("generate KPvK -o {new} --threads 16 --memory");
    runs.tbgen(&format!("{generate} {}M", least_memory(&generate)));
    if thorough {
        five_pieces(&mut runs, &all, &new, &sizes);
        six_pieces(&mut runs, &path("six"), &new);
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
            "solve '8/8/8/3k4/8/2n5/8/K1RB4 w - - 0 1'".to_owned(),
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

/// A material of so many pieces, without pawns if these are five, so that its table takes seconds.
pub(crate) fn random_material(pieces: usize, mut below: impl FnMut(usize) -> usize) -> String {
    let kinds = if pieces == 5 { 4 } else { 5 };
    let white = 1 + below(pieces - 2);
    let [white, black] = [white, pieces - 2 - white].map(|count| {
        let mut men: Vec<usize> = (0..count).map(|_| below(kinds)).collect();
        // In the order of a material's name.
        men.sort_unstable();
        let men = men.iter().map(|&man| char::from(b"QRBNP"[man]));
        men.collect::<String>()
    });
    format!("K{white}vK{black}")
}

/// Each command that works on tables in turn, for random materials, on 1 to 16 threads, with the least memory that it takes or
/// with no such bound: one in three with three pieces, or 20 times with up to five if `TBINDEX_THOROUGH` is set.
#[test]
#[cfg(target_os = "linux")]
fn no_command_over_random_tables_takes_more_memory_than_it_states() {
    const COMMANDS: usize = 15;
    let (_folder, folder) = folder();
    let (pieces, numbers) = match one_in(3) {
        1 => (&[3, 4, 4, 4, 5][..], (0..20 * COMMANDS).step_by(1)),
        few => (&[3][..], (0..COMMANDS).step_by(few)),
    };
    let [own, packed, syzygy, out, positions] =
        ["own", "packed", "syzygy", "out", "positions.epd"].map(|name| format!("{folder}/{name}"));
    let mut random = Random::new(1);
    let mut below = |count: usize| random.below(count as u128) as usize;
    let mut runs = Runs::default();
    for number in numbers {
        let name = random_material(pieces[below(pieces.len())], &mut below);
        let metric = ["dtz", "dtm", "help"][below(3)];
        let make_own = || succeed!("generate {name} --metric dtz,dtm -o {own}");
        let make_packed = || succeed!("generate {name} --metric dtm --packed -o {packed}");
        let make_syzygy = || succeed!("generate {name} --format syzygy -o {syzygy}");
        // Of tables in memory, in files, and in packed ones that are solved again.
        let mut whole = |command: &str| {
            let tables = match below(3) {
                0 => String::new(),
                1 => {
                    make_own();
                    format!("--tables {own}")
                }
                _ => {
                    make_packed();
                    format!("--metric dtm --tables {packed}")
                }
            };
            format!("{command} {name} {tables}")
        };
        let sample = || succeed!("sample {name} --metric dtm --count 100");
        let label = |tables: &str| {
            // Bare kings have a label, whatever the memory is.
            let lines = sample() + "8/8/8/3k4/8/8/8/3K4 w - -\n";
            std::fs::write(&positions, lines).unwrap();
            format!("label {positions} --values wdl,dtz,dtm {tables}")
        };
        let call = match number % COMMANDS {
            0 => label(""),
            1 => format!("generate {name} --metric {metric} --force -o {own}"),
            2 => format!("generate {name} --metric dtm --packed --force -o {packed}"),
            3 => whole("mine --find zugzwang"),
            4 => format!("generate {name} --format syzygy --force -o {syzygy}"),
            5 => format!("stats {name}"),
            6 => whole("sample --count 1000"),
            7 => {
                make_own();
                format!("export --tables {own} --table {name} --metric dtm --packed {out}")
            }
            8 => {
                let sample = sample();
                let first: Vec<&str> = sample.split(' ').take(4).collect();
                format!("solve '{} 0 1'", first.join(" "))
            }
            9 => {
                make_packed();
                format!("verify --tables {packed} --table {name} --one-in 50")
            }
            10 => {
                make_own();
                format!("verify --tables {own} --table {name} --one-in 50")
            }
            11 => {
                make_syzygy();
                format!("verify --tables {syzygy} --table {name} --one-in 50")
            }
            12 => {
                make_own();
                format!("export --tables {own} --table {name} --syzygy {out}-syzygy")
            }
            13 => {
                make_own();
                label(&format!("--tables {own} --solve 64M"))
            }
            _ => {
                make_syzygy();
                label(&format!("--tables {syzygy}"))
            }
        };
        let call = format!("{call} --threads {}", 1 + below(16));
        let bounded = format!("{call} --memory");
        runs.tbgen(&match (call.starts_with("label"), below(2)) {
            (false, 0) => call,
            (is_label, more) => {
                // Where there is more memory, `label` takes it.
                let more = if is_label { 400 * more as u64 } else { 0 };
                format!("{bounded} {}M", least_memory(&bounded) + more)
            }
        });
    }
    runs.end();
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
