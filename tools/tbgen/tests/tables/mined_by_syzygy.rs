//! Zugzwangs and only moves of five pieces against python-chess on Syzygy files.

use std::collections::HashMap;
use std::io::Write;
use std::iter::repeat;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

use tbgen::{Endgame, GamePosition, InTurn, Job, MakeError, Metric, MineOptions, Shape, mine};
use tbindex::batch::Backend;
use tbindex::{Material, Position};

use crate::batch::random_positions;
use crate::mined::class;
use crate::solved::material;

/// A position in a sample, and which of the two queries have it.
struct Sampled {
    position: Position,
    found: [bool; 2],
}

/// Random legal positions, by their classes.
fn sample(material: Material, count: usize) -> HashMap<u64, Sampled> {
    let mut games = random_positions(repeat(material), 38);
    let mut all = HashMap::new();
    while all.len() < count {
        let (mut position, found) = (games.next().unwrap().position(), [false; 2]);
        if position.material() != Ok(material) {
            position = position.swap_colors();
        }
        let class = class(&position, material.group());
        all.insert(class, Sampled { position, found });
    }
    all
}

/// `TBINDEX_SYZYGY` has the folder of the files, with those of the smaller tables. Python has python-chess.
#[test]
fn zugzwangs_and_only_moves_of_five_pieces_are_those_of_syzygy_files() {
    let Some(folder) = std::env::var_os("TBINDEX_SYZYGY") else {
        println!("SKIPPED Syzygy files of five pieces: expected their folder in TBINDEX_SYZYGY");
        return;
    };
    let python = Command::new("python3")
        .args(["-c", "import chess.syzygy"])
        .output();
    if !python.is_ok_and(|output| output.status.success()) {
        println!("SKIPPED Syzygy files of five pieces: no python3 with python-chess");
        return;
    }
    let never = AtomicBool::new(false);
    let backend = Backend::detect();
    for name in ["KBNvKN", "KRPvKR", "KQNvKQ"] {
        let material = material(name);
        let mut sampled = sample(material, 4000);
        // Zugzwangs are rare: all that are found are asked for, or so many.
        let mut zugzwangs = 0;
        let shapes = Endgame::from(material).needed().into_iter();
        let shapes: Vec<Shape> = shapes.map(|e| Shape::of_endgame(e).unwrap()).collect();
        let job = Job::in_memory(backend, &never, &());
        let turn = InTurn::in_memory(&shapes, &[Metric::Dtz]);
        job.each(turn, |made| {
            let (table, library) = made.table.unwrap();
            if table.material() != material {
                return Ok(());
            }
            for (which, query) in ["zugzwang", "only-move"].into_iter().enumerate() {
                let options = MineOptions {
                    list: true,
                    ..MineOptions::new(backend, &never)
                };
                mine(table, library, &query.parse().unwrap(), options, |hit| {
                    let class = class(&hit.position, material.group());
                    if which == 0 && zugzwangs < 1000 {
                        zugzwangs += 1;
                        let position = hit.position;
                        let found = [false; 2];
                        sampled.entry(class).or_insert(Sampled { position, found });
                    }
                    if let Some(sampled) = sampled.get_mut(&class) {
                        sampled.found[which] = true;
                    }
                    Ok(())
                })?;
            }
            Ok::<_, MakeError>(())
        })
        .unwrap();
        compare(name, &folder, sampled.values());
    }
}

fn compare<'a>(name: &str, folder: &std::ffi::OsStr, all: impl Iterator<Item = &'a Sampled>) {
    let all: Vec<&Sampled> = all.collect();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables/syzygy_facts.py");
    let mut python = Command::new("python3")
        .arg(script)
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let fens: String = (all.iter())
        .map(|sampled| GamePosition::new(&sampled.position, None).unwrap())
        .map(|position| format!("{}\n", position.fen()))
        .collect();
    let mut input = python.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(fens.as_bytes()));
    let output = python.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());
    let lines = String::from_utf8(output.stdout).unwrap();
    assert_eq!(lines.lines().count(), all.len());
    let (mut counts, mut unknown) = ([0; 2], 0);
    for (line, sampled) in lines.lines().zip(&all) {
        for (k, word) in line.split(' ').enumerate() {
            match word {
                "?" => unknown += 1,
                word => assert_eq!(
                    sampled.found[k],
                    word != "-",
                    "{name} {line}: {}",
                    sampled.position
                ),
            }
            counts[k] += u64::from(sampled.found[k]);
        }
    }
    println!(
        "{name}: {} positions, {counts:?} zugzwangs and only moves, {unknown} not said",
        all.len()
    );
    assert!(counts[1] > 100 && unknown < all.len() / 10, "{name}");
}
