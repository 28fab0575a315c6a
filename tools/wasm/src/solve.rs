//! Endgame tables that are solved when they are asked for, and Syzygy files in memory.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use serde::Serialize;
use tbgen::{
    Counting, Ending, Evaluation, GamePosition, Letters, Library, Metric, Options, Outcome, Shape,
    SideStats, Stats, Table, Tables, Value, needed_by, solve_shape, table_of,
};
use tbindex::batch::Backend;
use tbindex::{Color, Material, Numbering, PlacementCodec};
use tsify::Tsify;

use crate::error;

/// What tables say for the side to move, or for the side that made a move.
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
    /// For the side that makes it; distances count the move.
    worth: Worth,
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
    /// Best play of both sides, with the worth of each move for the side that makes it.
    line: Vec<MoveWorth>,
    /// Why the line ends: `checkmate`, `draw`, `fifty moves`.
    ending: Option<String>,
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
const MEMORY: u64 = 1 << 30;

static NEVER: AtomicBool = AtomicBool::new(false);

thread_local! {
    static ON_DEMAND: Tables = Tables::on_demand(MEMORY, pool(), Tables::solver(Backend::detect()));
    static SYZYGY: RefCell<Tables> = RefCell::new(Tables::open(&[""; 0]).expect("no folder"));
    static WHOLE: RefCell<[Library; 2]> = RefCell::default();
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
///
/// # Errors
/// If it is no FEN of a legal position, or needs too much memory.
pub fn solve(fen: &str) -> Result<Solution, String> {
    ON_DEMAND.with(|tables| solution(tables, fen))
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
pub fn moves(fen: &str) -> Result<LegalMoves, String> {
    let position = parse(fen)?;
    let steps = position.moves();
    let moves = steps.iter().enumerate().map(|(number, step)| LegalMove {
        uci: step.uci(),
        san: position.san(&steps, number),
        fen: step.after.fen(),
    });
    Ok(LegalMoves {
        moves: moves.collect(),
    })
}

/// Takes a Syzygy file, `KQvK.rtbw` or `KQvK.rtbz`, by its name and its bytes, and returns its material.
///
/// # Errors
/// If it is damaged.
pub fn add_syzygy(name: &str, bytes: Vec<u8>) -> Result<String, String> {
    let file = syzygy_tables::TableFile::from_bytes(name, bytes).map_err(error)?;
    let material = file.material().to_string();
    SYZYGY.with_borrow_mut(|tables| tables.add_syzygy(file));
    Ok(material)
}

/// As [`solve`], by the Syzygy files that were [added](add_syzygy). They have no distance to mate.
///
/// # Errors
/// If it is no FEN of a legal position, or a file is missing.
pub fn solve_by_syzygy(fen: &str) -> Result<Solution, String> {
    SYZYGY.with_borrow(|tables| solution(tables, fen))
}

fn parse(fen: &str) -> Result<GamePosition, String> {
    GamePosition::parse(fen, &Letters::default()).map_err(error)
}

fn solution(tables: &Tables, fen: &str) -> Result<Solution, String> {
    let position = parse(fen)?;
    let answer = tables.answer(&position).map_err(error)?;
    let moves = tables.moves(&position).map_err(error)?;
    let outcome = |number: usize| moves[number].evaluation.map(|of| of.outcome);
    let only = moves.len() > 1 && outcome(0) > outcome(1);
    let move_worth = |step: tbgen::MoveAnswer, only| {
        Ok::<_, String>(MoveWorth {
            worth: worth(&step.evaluation.ok_or("a table is missing")?),
            only,
            checkmate: step.checkmates(),
            fen: step.position.fen(),
            uci: step.uci,
            san: step.san,
        })
    };
    // Rounded distances may lead nowhere.
    let line = tables.line(&position).ok();
    let (line, ending) = match line {
        Some(line) => (line.moves, Some(line.ending)),
        None => (Vec::new(), None),
    };
    let moves = moves.into_iter().enumerate();
    let line = line.into_iter();
    Ok(Solution {
        fen: position.fen(),
        material: position.endgame().to_string(),
        worth: worth(&answer.evaluation),
        check: answer.check,
        checkmate: answer.checkmate,
        stalemate: answer.stalemate,
        mutual_zugzwang: mutual_zugzwang(tables, &position, answer.evaluation.at_zero),
        moves: moves
            .map(|(number, step)| move_worth(step, only && number == 0))
            .collect::<Result<_, _>>()?,
        line: line
            .map(|step| move_worth(step, false))
            .collect::<Result<_, _>>()?,
        ending: ending.map(|ending: Ending| ending.name().to_owned()),
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

/// The counts of the whole table of a material, such as `KPvKP`, by a metric, `dtz` or `dtm`. It is solved if it was not yet,
/// after all that it needs, and kept.
///
/// # Errors
/// If there is no such material or metric, or it has too many pieces.
pub fn counts(material: &str, metric: &str) -> Result<Counts, String> {
    with_table(material, metric, |table| {
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
/// As [`counts`].
pub fn checksum(material: &str, metric: &str, stride: u32) -> Result<u32, String> {
    with_table(material, metric, |table| {
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
    ask: impl FnOnce(&Table) -> Result<T, String>,
) -> Result<T, String> {
    let (material, _) = table_of(&material.parse::<Material>().map_err(error)?);
    let metric = match metric {
        "dtz" => Metric::Dtz,
        "dtm" => Metric::Dtm,
        other => return Err(error(format!("{other}: expected dtz or dtm"))),
    };
    // The pool of on-demand tables is that of the thread.
    ON_DEMAND.with(|_| {});
    WHOLE.with_borrow_mut(|libraries| {
        let library = &mut libraries[metric as usize];
        for each in needed_by(&material) {
            if each.piece_count() > 2 && library.get(&each).is_none() {
                let shape = Shape::new(each).map_err(error)?;
                let options = Options::new(metric, Backend::detect(), &NEVER);
                let table = solve_shape(&shape, library, options).map_err(error)?;
                library.insert(table);
            }
        }
        ask(library
            .get(&material)
            .ok_or_else(|| error("expected three pieces or more"))?)
    })
}
