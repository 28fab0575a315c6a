//! Batches beside the loop over single probes, on one thread, by processor time:
//! `SYZYGY_TABLES=FOLDER cargo bench -p syzygy-tables --bench batch -- [POSITIONS [MATERIAL]]`. Random positions are of all
//! materials of the folder, mixed and packed as boards, or of one, as squares. The loop probes the first million of
//! them, with which the answers of the batch are compared.

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::Duration;

use cozy_chess::{Board, Color};
use syzygy_tables::batch::{Answer, BatchProber, Failure, PackedBoard};
use syzygy_tables::{Error, Kind, Material, Tables, Wdl};

const LOOPED: usize = 1_000_000;
const MEMORY: usize = 512 << 20;

/// The processor time of this process in user mode.
fn user_time() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").expect("Linux has it");
    let fields = text.rsplit(')').next().expect("the name ends there");
    let ticks = fields.split_whitespace().nth(11);
    let ticks: u64 = ticks
        .and_then(|ticks| ticks.parse().ok())
        .expect("it is a number");
    Duration::from_millis(10 * ticks)
}

/// Millions of positions a second, and the result.
fn rate<T>(count: usize, work: impl FnOnce() -> T) -> (f64, T) {
    let start = user_time();
    let result = work();
    (
        count as f64 / 1e6 / (user_time() - start).as_secs_f64(),
        result,
    )
}

/// Measures a batch and the loop, and compares what they answer.
fn compare<A, B: PartialEq + std::fmt::Debug>(
    name: &str,
    boards: &[Board],
    (count, batch): (usize, impl FnOnce() -> Vec<Result<A, Failure>>),
    as_single: impl Fn(A) -> B,
    single: impl Fn(&Board) -> Result<B, Error>,
) {
    let (fast, answers) = rate(count, batch);
    let (slow, expected) = rate(boards.len(), || {
        boards.iter().map(single).collect::<Vec<_>>()
    });
    for ((board, answer), expected) in boards.iter().zip(answers).zip(expected) {
        // The loop may stop at a missing table where another capture decides.
        if let Ok(expected) = expected {
            assert_eq!(answer.map(&as_single), Ok(expected), "{board}");
        }
    }
    println!(
        "{name}: {fast:.2} million a second, the loop {slow:.2}, {:.1} times",
        fast / slow
    );
}

fn main() {
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    let count: usize = args
        .next()
        .map_or(LOOPED, |arg| arg.parse().expect("a number"));
    let only: Option<Material> = args.next().map(|name| name.parse().expect("a material"));
    let Some(folder) = support::published() else {
        return;
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.expect("one thread can be started");
    let tables = Tables::open(&folder).expect("the folder is there");
    let looped = count.min(LOOPED);
    let both = |answer: Answer| (answer.wdl, answer.dtz);
    if let Some(material) = only {
        let random = support::random_squares(&tables, material, count);
        let boards = random[..looped].iter().map(|&position| {
            support::board(material, Color::White, position).expect("it is legal")
        });
        let boards: Vec<Board> = boards.collect();
        println!("{count} positions of {material}, white to move");
        let prober = BatchProber::new(&tables, MEMORY);
        let wdl = || pool.install(|| prober.probe_wdl_of(material, Color::White, &random));
        compare(
            "wdl",
            &boards,
            (count, wdl),
            |wdl: Wdl| wdl,
            |board| tables.probe_wdl(board),
        );
        let prober = BatchProber::new(&tables, MEMORY);
        let all = || pool.install(|| prober.probe_of(material, Color::White, &random));
        compare("wdl and dtz", &boards, (count, all), both, |board| {
            tables.probe(board)
        });
        return;
    }
    let mut materials: Vec<Material> = tables.materials().collect();
    materials.sort();
    materials.retain(|&material| tables.file(material, Kind::Dtz).is_ok());
    let (mut boards, mut packed) = (Vec::new(), Vec::with_capacity(count));
    support::random_boards(&tables, &materials, count, |board| {
        packed.push(PackedBoard::try_from(&board).expect("it is legal"));
        if boards.len() < looped {
            boards.push(board);
        }
    });
    println!("{count} positions of {} materials", materials.len());
    let prober = BatchProber::new(&tables, MEMORY);
    let wdl = || pool.install(|| prober.probe_wdl(&packed));
    compare(
        "wdl",
        &boards,
        (count, wdl),
        |wdl: Wdl| wdl,
        |board| tables.probe_wdl(board),
    );
    let prober = BatchProber::new(&tables, MEMORY);
    let all = || pool.install(|| prober.probe(&packed));
    compare("wdl and dtz", &boards, (count, all), both, |board| {
        tables.probe(board)
    });
}
