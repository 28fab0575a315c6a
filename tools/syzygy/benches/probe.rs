//! Probes per second on random positions, beside another prober, in turns: `cargo bench -p syzygy-tables`.

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::{Duration, Instant};

use cozy_chess::Board;
use shakmaty::{CastlingMode, Chess, fen::Fen};
use syzygy_tables::{Kind, TableFile, Tables};

const POSITIONS: usize = 100_000;
const ROUNDS: usize = 7;

/// Random positions of all tables, for both libraries, where both can answer.
fn positions(tables: &Tables, other: &shakmaty_syzygy::Tablebase<Chess>) -> Vec<(Board, Chess)> {
    let folder = support::published().expect("they were opened");
    let mut files: Vec<TableFile> = support::files(&folder)
        .iter()
        .map(|path| TableFile::open(path).expect("published files are intact"))
        .collect();
    files.retain(|file| file.kind() == Kind::Wdl);
    let mut state = 1u64;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut positions = Vec::new();
    while positions.len() < POSITIONS {
        let file = &files[random(files.len() as u64) as usize];
        let sub_table = &file.sub_tables()[random(file.sub_tables().len() as u64) as usize];
        let place = random(sub_table.numbering().len());
        let packed = sub_table
            .numbering()
            .positions(place)
            .next()
            .expect("there is such a place");
        let Some(board) = support::board(file.material(), sub_table.side(), packed) else {
            continue;
        };
        let fen: Fen = board.to_string().parse().expect("it is a position");
        let Ok(chess) = fen.into_position::<Chess>(CastlingMode::Standard) else {
            continue;
        };
        if tables.probe_dtz(&board).is_ok() && other.probe_dtz(&chess).is_ok() {
            positions.push((board, chess));
        }
    }
    positions
}

fn time(mut work: impl FnMut() -> i64) -> (Duration, i64) {
    let start = Instant::now();
    let sum = work();
    (start.elapsed(), sum)
}

fn main() {
    let Some(folder) = support::published() else {
        return;
    };
    let ours = Tables::open(&folder).expect("the folder is there");
    let other = support::other_prober(&folder);
    let positions = positions(&ours, &other);
    let rate = |times: &mut Vec<Duration>| {
        times.sort();
        POSITIONS as f64 / times[ROUNDS / 2].as_secs_f64() / 1e6
    };
    let (mut wdl, mut wdl_other, mut dtz, mut dtz_other) = (vec![], vec![], vec![], vec![]);
    for _ in 0..ROUNDS {
        let (time_ours, sum) = time(|| {
            positions
                .iter()
                .map(|(board, _)| ours.probe_wdl(board).expect("it was") as i64)
                .sum()
        });
        let (time_other, sum_other) = time(|| {
            let probe = |(_, chess): &(Board, Chess)| {
                i64::from(other.probe_wdl_after_zeroing(chess).expect("it was") as i32)
            };
            positions.iter().map(probe).sum()
        });
        assert_eq!(sum, sum_other);
        wdl.push(time_ours);
        wdl_other.push(time_other);
        let (time_ours, sum) = time(|| {
            positions
                .iter()
                .map(|(board, _)| i64::from(ours.probe_dtz(board).expect("it was").plies))
                .sum()
        });
        let (time_other, sum_other) = time(|| {
            let probe = |(_, chess): &(Board, Chess)| {
                i64::from(i32::from(
                    other.probe_dtz(chess).expect("it was").ignore_rounding(),
                ))
            };
            positions.iter().map(probe).sum()
        });
        assert_eq!(sum, sum_other);
        dtz.push(time_ours);
        dtz_other.push(time_other);
    }
    println!(
        "million probes a second, one thread, medians of {ROUNDS}: this crate / shakmaty-syzygy in memory"
    );
    println!("wdl {:.2} / {:.2}", rate(&mut wdl), rate(&mut wdl_other));
    println!("dtz {:.2} / {:.2}", rate(&mut dtz), rate(&mut dtz_other));
}
