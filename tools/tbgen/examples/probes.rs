//! Measures random probes on one thread: `probes FOLDER MATERIAL METRIC [POSITIONS]`.
//!
//! Legal positions with either side to move are looked up once, so that the files are in the system's cache, and then ten
//! times more. Rates are by processor time where the system tells it (Linux), else by the clock.

use std::time::Instant;

use tbgen::{GamePosition, Letters, Metric, Tables};
use tbindex::{Color, Material, Position, Square};

/// The processor time of this process in seconds.
fn seconds(begin: Instant) -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks: Vec<f64> = (fields.split_whitespace().skip(11).take(2))
        .filter_map(|field| field.parse().ok())
        .collect();
    match ticks[..] {
        [user, system] => (user + system) / 100.0,
        _ => begin.elapsed().as_secs_f64(),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [folder, material, metric, ..] = &args[..] else {
        return Err("expected a folder, a material and a metric, dtz or dtm".into());
    };
    let material: Material = material.parse()?;
    let metrics = [Metric::Dtz, Metric::Dtm];
    let metric = metrics.into_iter().find(|known| known.name() == metric);
    let metric = metric.ok_or("the metric is dtz or dtm")?;
    let count = args.get(3).map_or(Ok(50_000), |count| count.parse())?;
    let tables = Tables::open(&[folder])?;

    let mut state = 1u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 58) as u8
    };
    let mut asked = Vec::new();
    while asked.len() < count {
        let side = Color::ALL[asked.len() % 2];
        let mut board = [None; 64];
        for piece in material.name_order() {
            board[Square::new(random()).index()] = Some(piece);
        }
        let position = Position { board, side };
        let found = position.occupied().map(|(piece, _)| piece);
        let is_whole = Material::from_pieces(found).is_ok_and(|found| found == material);
        if let Some(board) = GamePosition::new(&position, None).filter(|_| is_whole) {
            asked.push(GamePosition::parse(&board.fen(), &Letters::default())?);
        }
    }
    let fens: Vec<String> = asked.iter().map(GamePosition::fen).collect();
    let mut value = |k: usize| -> Result<u64, Box<dyn std::error::Error>> {
        Ok(tables.value(metric, &asked[k])?.0.plies.into())
    };
    measure(
        &format!("{material} by {}", metric.name()),
        count,
        &mut value,
    )?;
    let mut answer = |k: usize| -> Result<u64, Box<dyn std::error::Error>> {
        let position = GamePosition::parse(&fens[k], &Letters::default())?;
        Ok(tables.answer(&position)?.evaluation.outcome as i8 as u64)
    };
    measure(&format!("{material}, answers by FEN"), count, &mut answer)
}

/// Measures probes: of all numbers once, and then ten times more.
fn measure(
    what: &str,
    count: usize,
    probe: &mut dyn FnMut(usize) -> Result<u64, Box<dyn std::error::Error>>,
) -> Result<(), Box<dyn std::error::Error>> {
    for k in 0..count {
        probe(k)?;
    }
    let clock = Instant::now();
    let begin = seconds(clock);
    let mut sum = 0u64;
    for _ in 0..10 {
        for k in 0..count {
            sum = sum.wrapping_add(probe(k)?);
        }
    }
    let time = seconds(clock) - begin;
    let rate = (10 * count) as f64 / time.max(1e-9);
    println!("{what}: {rate:.0} probes a second, {sum} in all");
    Ok(())
}
