//! Batches beside the loop over single probes, one thread, in seconds of processor time:
//! `SYZYGY_TABLES=FOLDER cargo bench -p syzygy-tables --bench batch -- [POSITIONS [MATERIAL]]`. Without a material the
//! positions are of all materials of the folder, mixed. Every answer is compared with the single prober's.

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::Duration;

use cozy_chess::Board;
use syzygy_tables::batch::{BatchProber, PackedBoard};
use syzygy_tables::{Kind, Material, Tables};

/// The processor time of this process in user mode.
fn user_time() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").expect("Linux has it");
    let fields = text.rsplit(')').next().expect("the name ends there");
    let ticks = fields.split_whitespace().nth(11).expect("it is the twelfth");
    Duration::from_millis(10 * ticks.parse::<u64>().expect("it is a number"))
}

fn time<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = user_time();
    let result = work();
    ((user_time() - start).as_secs_f64(), result)
}

fn main() {
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    let count = args.next().map_or(1_000_000, |arg| arg.parse().expect("a number of positions"));
    let only: Option<Material> = args.next().map(|name| name.parse().expect("a material"));
    let Some(folder) = support::published() else {
        return;
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.expect("one thread can be started");
    let tables = Tables::open(&folder).expect("the folder is there");
    let mut materials: Vec<Material> = match only {
        Some(material) => vec![material],
        None => tables.materials().collect(),
    };
    materials.sort();
    materials.retain(|&material| tables.file(material, Kind::Dtz).is_ok());
    let boards = support::random_boards(&tables, &materials, count);
    let packed: Vec<PackedBoard> = (boards.iter())
        .map(|board| PackedBoard::try_from(board).expect("it is legal"))
        .collect();
    println!("{} positions of {} materials", boards.len(), materials.len());
    let million = boards.len() as f64 / 1e6;
    let prober = BatchProber::new(&tables, 512 << 20);
    let (batch, answers) = time(|| pool.install(|| prober.probe_wdl(&packed)));
    let single = |boards: &[Board]| -> Vec<_> {
        boards.iter().map(|board| tables.probe_wdl(board)).collect()
    };
    let (looped, expected) = time(|| single(&boards));
    for ((board, answer), expected) in boards.iter().zip(answers).zip(expected) {
        assert_eq!(answer.ok(), expected.ok(), "{board}");
    }
    println!("wdl: {:.2} and {:.2} million a second, {:.1} times", million / batch, million / looped, looped / batch);
    drop(prober);
    let prober = BatchProber::new(&tables, 512 << 20);
    let (batch, answers) = time(|| pool.install(|| prober.probe(&packed)));
    let single = |boards: &[Board]| -> Vec<_> {
        boards.iter().map(|board| tables.probe(board)).collect()
    };
    let (looped, expected) = time(|| single(&boards));
    for ((board, answer), expected) in boards.iter().zip(answers).zip(expected) {
        let answer = answer.ok().map(|answer| (answer.wdl, answer.dtz));
        assert_eq!(answer, expected.ok(), "{board}");
    }
    println!("wdl and dtz: {:.2} and {:.2} million a second, {:.1} times", million / batch, million / looped, looped / batch);
}
