//! Batches beside the loops over single probes, ours and that of shakmaty-syzygy, on one thread, by processor time:
//! `SYZYGY_TABLES=FOLDER cargo bench -p syzygy-tables --bench batch -- [POSITIONS [MATERIAL]]`. Random positions are of all
//! materials of the folder, mixed and packed as boards, or of one, as squares. The loops probe the first million of
//! them, and all answers are compared.

#[path = "../tests/support/mod.rs"]
mod support;

use std::path::Path;
use std::time::Duration;

use cozy_chess::{Board, Color};
use shakmaty::{CastlingMode, Chess, fen::Fen};
use shakmaty_syzygy::{MaybeRounded, SyzygyError, Tablebase};
use syzygy_tables::batch::{Answer, BatchProber, Failure, PackedBoard, Positions};
use syzygy_tables::{Dtz, Error, Kind, Material, Tables, Wdl};

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

/// Positions as both probers have them, and the tables of the other one.
struct Loops {
    others: Tablebase<Chess>,
    boards: Vec<Board>,
    chess: Vec<Chess>,
}

impl Loops {
    fn new(folder: &Path) -> Loops {
        Loops {
            others: support::other_prober(folder),
            boards: Vec::new(),
            chess: Vec::new(),
        }
    }

    fn set(&mut self, boards: Vec<Board>) {
        let chess = boards.iter().map(|board| {
            let fen: Fen = board.to_string().parse().expect("it is a FEN");
            let chess = fen.into_position(CastlingMode::Standard);
            let chess = chess.or_else(shakmaty::PositionError::ignore_impossible_check);
            chess.expect("it is legal")
        });
        self.chess = chess.collect();
        self.boards = boards;
    }

    /// Measures a batch and the loops, and compares what they answer.
    fn compare<A, B: PartialEq + std::fmt::Debug, O: std::fmt::Debug>(
        &self,
        name: &str,
        (count, batch): (usize, impl FnOnce() -> Vec<Result<A, Failure>>),
        as_single: impl Fn(A) -> B,
        single: impl Fn(&Board) -> Result<B, Error>,
        (other, agree): (
            impl Fn(&Tablebase<Chess>, &Chess) -> Result<O, SyzygyError>,
            impl Fn(&B, &O) -> bool,
        ),
    ) {
        let (fast, answers) = rate(count, batch);
        let (slow, expected) = rate(self.boards.len(), || {
            self.boards.iter().map(single).collect::<Vec<_>>()
        });
        let (others, theirs) = rate(self.chess.len(), || {
            let answers = self.chess.iter().map(|chess| other(&self.others, chess));
            answers.collect::<Vec<_>>()
        });
        let (mut same, mut same_as_theirs) = (0, 0);
        let all = self
            .boards
            .iter()
            .zip(answers)
            .zip(expected.into_iter().zip(theirs));
        for ((board, answer), (expected, theirs)) in all {
            let answer = answer.ok().map(&as_single);
            if let (Ok(theirs), Some(answer)) = (theirs, &answer) {
                assert!(
                    agree(answer, &theirs),
                    "{board}: {answer:?}, shakmaty-syzygy {theirs:?}"
                );
                same_as_theirs += 1;
            }
            assert_eq!(answer, expected.ok(), "{board}");
            same += usize::from(answer.is_some());
        }
        println!(
            "{name}: {fast:.2} million a second, the loop {slow:.2}, {:.1} times, shakmaty-syzygy {others:.2}, {:.1} times",
            fast / slow,
            fast / others
        );
        println!(
            "  {same} answers are those of the loop, {same_as_theirs} those of shakmaty-syzygy"
        );
    }
}

fn other_wdl(tables: &Tablebase<Chess>, chess: &Chess) -> Result<Wdl, SyzygyError> {
    let wdl = tables.probe_wdl_after_zeroing(chess)? as i32;
    Ok(Wdl::ALL[(wdl + 2) as usize])
}

type Both = (Wdl, MaybeRounded<i32>);

fn other_both(tables: &Tablebase<Chess>, chess: &Chess) -> Result<Both, SyzygyError> {
    let dtz = tables.probe_dtz(chess)?.map(i32::from);
    Ok((other_wdl(tables, chess)?, dtz))
}

/// Where en passant was possible our prober looks at the moves, so its distance may be exact where a rounded one is not.
fn agree(&(wdl, dtz): &(Wdl, Dtz), &(other, plies): &Both) -> bool {
    let (least, most) = match plies {
        MaybeRounded::Precise(plies) => (plies, plies),
        MaybeRounded::Rounded(plies) => (plies, plies + plies.signum()),
    };
    wdl == other && (dtz.plies == least || dtz.plies == most)
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
    let mut loops = Loops::new(&folder);
    let tables = Tables::open(&folder).expect("the folder is there");
    let looped = count.min(LOOPED);
    let prober = || BatchProber::new(&tables, MEMORY);
    let (wdl, all) = (prober(), prober());
    let single = |board: &Board| tables.probe_wdl(board);
    let by_wdl = (other_wdl, Wdl::eq);
    let both = |answer: Answer| (answer.wdl, answer.dtz);
    let single_both = |board: &Board| tables.probe(board);
    let by_both = (other_both, agree);
    if let Some(material) = only {
        let random = support::random_squares(&tables, material, count);
        let boards = random[..looped].iter().map(|&position| {
            support::board(material, Color::White, position).expect("it is legal")
        });
        loops.set(boards.collect());
        println!("{count} positions of {material}, white to move");
        let batch =
            || pool.install(|| wdl.probe_wdl(Positions::Squares(material, Color::White, &random)));
        loops.compare("wdl", (count, batch), |wdl| wdl, single, by_wdl);
        let batch =
            || pool.install(|| all.probe(Positions::Squares(material, Color::White, &random)));
        loops.compare("wdl and dtz", (count, batch), both, single_both, by_both);
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
    loops.set(boards);
    println!("{count} positions of {} materials", materials.len());
    let batch = || pool.install(|| wdl.probe_wdl(&packed));
    loops.compare("wdl", (count, batch), |wdl| wdl, single, by_wdl);
    let batch = || pool.install(|| all.probe(&packed));
    loops.compare("wdl and dtz", (count, batch), both, single_both, by_both);
}
