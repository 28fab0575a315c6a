//! Endgame tables that are solved when they are asked for, and Syzygy files in memory.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use js_sys::Function;
use serde::Serialize;
use tbgen::{
    Counting, Evaluation, GamePosition, Letters, Library, Metric, MoveAnswer, Options, Outcome,
    Progress, Shape, SideStats, SolveError, Solver, Stats, Table, Tables, Value, reachable,
    reachable_memory, solve_shape, table_of,
};
use tbindex::batch::Backend;
use tbindex::{Color, Material, Numbering, PlacementCodec};
use tsify::{Ts, Tsify};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsError, JsValue};

use crate::drawn::drawn_line;

/// The answer of tables for the side to move, or for the side that made a move.
#[derive(Serialize, Tsify)]
pub struct Worth {
    /// `win`, `cursed win`, `draw`, `blessed loss` or `loss`, with the fifty-move counter.
    #[tsify(type = "'win' | 'cursed win' | 'draw' | 'blessed loss' | 'loss'")]
    outcome: &'static str,
    /// Whether the outcome is certain; a rounded distance of a Syzygy file may leave it open.
    certain: bool,
    /// The plies to the next zeroing move or mate, 0 for a draw.
    dtz: Option<u16>,
    /// The plies to mate, 0 for a draw.
    dtm: Option<u16>,
}

/// A move.
#[derive(Serialize, Tsify)]
pub struct MoveWorth {
    uci: String,
    san: String,
    /// For the side that makes it; distances count the move. None if a table is missing.
    worth: Option<Worth>,
    /// Whether no other move keeps the outcome.
    only: bool,
    checkmate: bool,
    /// The position after it.
    fen: String,
}

/// All that is known of a position.
#[derive(Serialize, Tsify)]
pub struct Solution {
    fen: String,
    material: String,
    worth: Worth,
    check: bool,
    checkmate: bool,
    stalemate: bool,
    /// Whether either side would do better if the other one had to move; none if the other one could take the king.
    mutual_zugzwang: Option<bool>,
    /// The best first.
    moves: Vec<MoveWorth>,
    /// Best play of both sides, with the worth of each move for the side that makes it. In a drawn position it holds the
    /// draw, and sets the other side the hardest tasks.
    line: Vec<MoveWorth>,
    /// Why the line ends: `checkmate`, `fifty moves`, `stalemate`, `insufficient material`, `repetition`. None if it could go on.
    ending: Option<String>,
}

/// A table that is being solved while a call waits.
#[derive(Serialize, Tsify)]
pub struct Work {
    material: String,
    /// `dtz` or `dtm`.
    metric: String,
    /// The ply just finished, 0 at the beginning.
    plies: u16,
    /// The number of the table, from 1, among those that may have to be solved, and the number of these.
    table: usize,
    tables: usize,
    /// The most memory, in bytes, that all of them take.
    memory: f64,
}

/// A function that is told how the work goes on.
pub type Report = Box<dyn Fn(Work)>;

/// A report that calls a function of JavaScript. An exception of that function is dropped.
fn report(function: Option<Function>) -> Option<Report> {
    let function = function?;
    Some(Box::new(move |work: Work| {
        if let Ok(work) = work.into_js() {
            let _ = function.call1(&JsValue::NULL, &work.into());
        }
    }))
}

/// The message of an error.
fn error(message: impl ToString) -> String {
    message.to_string()
}

fn thrown(message: String) -> JsError {
    JsError::new(&message)
}

/// Whoever waits for tables.
struct Waiting {
    report: Report,
    table: usize,
    tables: usize,
    memory: u64,
}

/// How many positions have a value, up to symmetry.
#[derive(Serialize, Tsify)]
pub struct SideCounts {
    /// Wins, cursed wins, draws, blessed losses, losses.
    outcomes: Vec<f64>,
    /// Pairs of plies and the number of wins.
    wins: Vec<(u16, f64)>,
    /// Pairs of plies and the number of losses.
    losses: Vec<(u16, f64)>,
    /// A position with the longest win, and one with the longest loss.
    longest: Vec<Option<String>>,
}

/// The counts of a table.
#[derive(Serialize, Tsify)]
pub struct Counts {
    material: String,
    white: SideCounts,
    black: SideCounts,
}

/// The most memory of what is solved on demand, in bytes. WebAssembly has 4 GiB.
const MEMORY: u64 = 2 << 30;

static NEVER: AtomicBool = AtomicBool::new(false);

thread_local! {
    static ON_DEMAND: Tables = {
        let solver = Solver::new(&NEVER, Backend::detect(), solve_table);
        Tables::on_demand(MEMORY, pool(), solver)
    };
    static SYZYGY: RefCell<Tables> = RefCell::new(Tables::open(&[""; 0]).expect("no folder"));
    static WAITING: RefCell<Option<Waiting>> = const { RefCell::new(None) };
}

/// The calling thread alone, where there are no others; else threads of their own, for which the calling one waits.
fn pool() -> rayon::ThreadPool {
    let pool = rayon::ThreadPoolBuilder::new();
    let pool = match cfg!(target_family = "wasm") {
        true => pool.num_threads(1).use_current_thread(),
        false => pool,
    };
    pool.build().expect("the first pool of the thread")
}

/// Solves a table, and tells whoever waits on the same thread.
fn solve_table(
    shape: &Shape,
    library: &Library,
    options: Options<'_>,
) -> Result<Table, SolveError> {
    let material = shape.material().to_string();
    WAITING.with_borrow_mut(|waiting| {
        if let Some(waiting) = waiting {
            waiting.table += 1;
        }
    });
    let tell = |plies| {
        WAITING.with_borrow(|waiting| {
            if let Some(waiting) = waiting {
                (waiting.report)(Work {
                    material: material.clone(),
                    metric: options.metric.name().to_owned(),
                    plies,
                    table: waiting.table,
                    tables: waiting.tables,
                    memory: waiting.memory as f64,
                });
            }
        });
    };
    tell(0);
    let progress = &|progress: Progress| tell(progress.plies);
    solve_shape(
        shape,
        library,
        Options {
            progress,
            ..options
        },
    )
}

/// Does work for which tables may have to be solved, so many of them in so many bytes.
fn waiting<T>(report: Option<Report>, tables: usize, memory: u64, work: impl FnOnce() -> T) -> T {
    WAITING.set(report.map(|report| Waiting {
        report,
        table: 0,
        tables,
        memory,
    }));
    let done = work();
    WAITING.set(None);
    done
}

fn name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win => "win",
        Outcome::CursedWin => "cursed win",
        Outcome::Draw => "draw",
        Outcome::BlessedLoss => "blessed loss",
        Outcome::Loss => "loss",
    }
}

fn worth(evaluation: &Evaluation) -> Worth {
    Worth {
        outcome: name(evaluation.outcome),
        certain: evaluation.certain,
        dtz: evaluation.dtz.map(|value| value.plies),
        dtm: evaluation.dtm.map(|value| value.plies),
    }
}

/// The values of a position of up to 8 pieces and of its moves, by tables that are solved for it if they are not there yet.
/// Meanwhile the report is called on each ply.
///
/// # Errors
/// If it is no FEN of a legal position, or needs more than 2 GiB of memory.
#[wasm_bindgen]
pub fn solve(
    fen: &str,
    #[wasm_bindgen(unchecked_optional_param_type = "(work: Work) => void")] progress: Option<
        Function,
    >,
) -> Result<Ts<Solution>, JsError> {
    let found = solved(fen, report(progress));
    Ok(found.map_err(thrown)?.into_ts()?)
}

/// Does this for native code.
///
/// # Errors
/// As of [`solve`].
pub fn solved(fen: &str, report: Option<Report>) -> Result<Solution, String> {
    let position = parse(fen)?;
    ON_DEMAND.with(|tables| {
        let to_solve = report.is_some() && tables.answer_at_once(&position).is_err();
        let shapes = to_solve.then(|| reachable(&position).ok()).flatten();
        let shapes = shapes.unwrap_or_default();
        let memory = reachable_memory(&position, &shapes);
        waiting(report, 2 * shapes.len(), memory, || {
            solution(tables, &position)
        })
    })
}

/// A legal move.
#[derive(Serialize, Tsify)]
pub struct LegalMove {
    uci: String,
    san: String,
    /// The position after it.
    fen: String,
}

/// The moves of a position.
#[derive(Serialize, Tsify)]
pub struct LegalMoves {
    moves: Vec<LegalMove>,
}

/// The legal moves of a position of up to 8 pieces.
///
/// # Errors
/// If it is no FEN of a legal position.
#[wasm_bindgen]
pub fn moves(fen: &str) -> Result<Ts<LegalMoves>, JsError> {
    let position = parse(fen).map_err(thrown)?;
    let steps = position.moves();
    let moves = steps.iter().enumerate().map(|(number, step)| LegalMove {
        uci: step.uci(),
        san: position.san(&steps, number),
        fen: step.after.fen(),
    });
    let moves = moves.collect();
    Ok(LegalMoves { moves }.into_ts()?)
}

/// Takes a Syzygy file, `KQvK.rtbw` or `KQvK.rtbz`, by its name and its bytes, and returns its material.
///
/// # Errors
/// If it is damaged.
#[wasm_bindgen(js_name = addSyzygy)]
pub fn add_syzygy(name: &str, bytes: Vec<u8>) -> Result<String, JsError> {
    let file = syzygy_tables::TableFile::from_bytes(name, bytes)?;
    let material = file.material().to_string();
    SYZYGY.with_borrow_mut(|tables| tables.add_syzygy(file));
    Ok(material)
}

/// As `solve`, by the Syzygy files that were added. They have no distance to mate.
///
/// # Errors
/// If it is no FEN of a legal position, or a file is missing.
#[wasm_bindgen(js_name = solveBySyzygy)]
pub fn solve_by_syzygy(fen: &str) -> Result<Ts<Solution>, JsError> {
    let found = SYZYGY.with_borrow(|tables| solution(tables, &parse(fen)?));
    Ok(found.map_err(thrown)?.into_ts()?)
}

fn parse(fen: &str) -> Result<GamePosition, String> {
    GamePosition::parse(fen, &Letters::default()).map_err(error)
}

fn solution(tables: &Tables, position: &GamePosition) -> Result<Solution, String> {
    let answer = tables.answer(position).map_err(error)?;
    let moves = tables.moves(position).map_err(error)?;
    let outcome = |number: usize| moves[number].evaluation.map(|of| of.outcome);
    let all_known = moves.iter().all(|step| step.evaluation.is_some());
    let only = all_known && moves.len() > 1 && outcome(0) > outcome(1);
    let move_worth = |step: MoveAnswer, only| MoveWorth {
        worth: step.evaluation.as_ref().map(worth),
        only,
        checkmate: step.checkmates(),
        fen: step.position.fen(),
        uci: step.uci,
        san: step.san,
    };
    // Rounded distances may lead nowhere, and what holds a draw is not known if a table is missing.
    let line = match answer.evaluation.outcome {
        Outcome::Draw => drawn_line(tables, position).ok(),
        _ => (tables.line(position).ok()).map(|line| (line.moves, Some(line.ending.name()))),
    };
    let (line, ending) = line.unwrap_or_default();
    let moves = moves.into_iter().enumerate();
    let line = line.into_iter();
    Ok(Solution {
        fen: position.fen(),
        material: position.endgame().to_string(),
        worth: worth(&answer.evaluation),
        check: answer.check,
        checkmate: answer.checkmate,
        stalemate: answer.stalemate,
        mutual_zugzwang: mutual_zugzwang(tables, position, answer.evaluation.at_zero),
        moves: moves
            .map(|(number, step)| move_worth(step, only && number == 0))
            .collect(),
        line: line.map(|step| move_worth(step, false)).collect(),
        ending: ending.map(str::to_owned),
    })
}

fn mutual_zugzwang(tables: &Tables, position: &GamePosition, outcome: Outcome) -> Option<bool> {
    let fen = position.fen();
    let mut fields: Vec<&str> = fen.split(' ').collect();
    fields[1] = if fields[1] == "w" { "b" } else { "w" };
    fields[3] = "-";
    let other = GamePosition::parse(&fields.join(" "), &Letters::default()).ok()?;
    let other = tables.answer(&other).ok()?.evaluation.at_zero;
    Some((outcome as i8) < -(other as i8))
}

/// The counts of the whole table of a material, such as `KPvKP`, by a metric, `dtz` or `dtm`. It is solved if it is not kept,
/// after all that it needs, and kept for a while. Meanwhile the report is called on each ply.
///
/// # Errors
/// If there is no such material or metric, or it needs more than 2 GiB of memory.
#[wasm_bindgen]
pub fn counts(
    material: &str,
    metric: &str,
    #[wasm_bindgen(unchecked_optional_param_type = "(work: Work) => void")] progress: Option<
        Function,
    >,
) -> Result<Ts<Counts>, JsError> {
    let found = counted(material, metric, report(progress));
    Ok(found.map_err(thrown)?.into_ts()?)
}

/// Does this for native code.
///
/// # Errors
/// As of [`counts`].
pub fn counted(material: &str, metric: &str, report: Option<Report>) -> Result<Counts, String> {
    with_table(material, metric, report, |table| {
        let stats = Stats::of(table, Counting::Unordered).map_err(error)?;
        let [white, black] = stats.sides.map(|side| side_counts(&side));
        let material = table.material().to_string();
        Ok(Counts {
            material,
            white,
            black,
        })
    })
}

fn side_counts(side: &SideStats) -> SideCounts {
    let pairs = |counts: &BTreeMap<u16, u64>| {
        counts
            .iter()
            .map(|(&plies, &count)| (plies, count as f64))
            .collect()
    };
    let position =
        |longest: &Option<(u16, tbindex::Position)>| longest.as_ref().map(|(_, at)| at.to_string());
    SideCounts {
        outcomes: side.outcomes.map(|count| count as f64).into(),
        wins: pairs(&side.win_in),
        losses: pairs(&side.loss_in),
        longest: side.longest.iter().map(position).collect(),
    }
}

/// A number that stands for the values of every `stride`th placement of a table's pieces, with both sides to move.
///
/// # Errors
/// As `counts`.
#[wasm_bindgen]
pub fn checksum(material: &str, metric: &str, stride: u32) -> Result<u32, JsError> {
    sum_of(material, metric, stride).map_err(thrown)
}

/// Does this for native code.
///
/// # Errors
/// As of [`counts`].
pub fn sum_of(material: &str, metric: &str, stride: u32) -> Result<u32, String> {
    with_table(material, metric, None, |table| {
        let material = table.material();
        let codec = PlacementCodec::<u64>::try_new(material, Numbering::Natural).map_err(error)?;
        let (mut sum, last) = (0x811c_9dc5_u32, 1 << (6 * material.piece_count()));
        for index in (0..last).step_by(stride as usize) {
            for side in Color::ALL {
                let Ok(position) = codec.decode(index, side) else {
                    continue;
                };
                let Ok(Value { outcome, plies }) = table.value(&position) else {
                    continue;
                };
                for word in [outcome as u32, plies.into()] {
                    sum = (sum ^ word).wrapping_mul(0x0100_0193);
                }
            }
        }
        Ok(sum)
    })
}

fn with_table<T>(
    material: &str,
    metric: &str,
    report: Option<Report>,
    ask: impl FnOnce(&Table) -> Result<T, String>,
) -> Result<T, String> {
    let (material, _) = table_of(&material.parse::<Material>().map_err(error)?);
    let metric = match metric {
        "dtz" => Metric::Dtz,
        "dtm" => Metric::Dtm,
        other => return Err(error(format!("{other}: expected dtz or dtm"))),
    };
    let shapes = Shape::needed_by(material.into()).map_err(error)?;
    ON_DEMAND.with(|tables| {
        // By the threads of the pool that these tables have made.
        let memory = tables.memory(&shapes, metric);
        let solve = || tables.solved(&shapes, metric).map_err(error);
        let library = waiting(report, shapes.len(), memory, solve)?;
        let table = library.get(&material);
        ask(table.ok_or_else(|| error("expected three pieces or more"))?)
    })
}
