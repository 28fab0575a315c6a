//! The objects of lichess's tablebase API.

use std::collections::HashSet;
use std::iter;

use serde::Serialize;
use tbgen::{Answer, Evaluation, GamePosition, Metric, MoveAnswer, Outcome, TablesError, Value};
use tbindex::Color;

/// The tables' answer for a position, or `None` because one is missing.
pub(crate) type Found = Result<Option<Answer>, TablesError>;

/// Answers for each of some positions.
pub(crate) type Lookup<'a> = &'a dyn Fn(&[GamePosition]) -> Vec<Found>;

/// An outcome for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the names are those of the interface")]
pub enum Category {
    Loss,
    Unknown,
    /// A rounded distance leaves open whether the fifty-move counter reaches 100.
    SyzygyLoss,
    /// Only the distance to mate, or the outcome with the counter at 0, is known.
    MaybeLoss,
    BlessedLoss,
    Draw,
    CursedWin,
    MaybeWin,
    SyzygyWin,
    Win,
}

/// The API's answer for a position. Distances are negative for the losing side.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Info {
    pub(crate) category: Category,
    pub(crate) dtz: Option<i32>,
    pub(crate) precise_dtz: Option<i32>,
    dtc: Option<i32>,
    pub(crate) dtm: Option<i32>,
    dtw: Option<i32>,
    pub(crate) checkmate: bool,
    pub(crate) stalemate: bool,
    variant_win: bool,
    variant_loss: bool,
    pub(crate) insufficient_material: bool,
}

/// The API's answer for a legal move: for the position after it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Move {
    pub(crate) uci: String,
    pub(crate) san: String,
    #[serde(flatten)]
    pub(crate) info: Info,
    zeroing: bool,
    conversion: bool,
    #[serde(skip)]
    pub(crate) after: GamePosition,
}

/// The answer of `/standard`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Reply {
    #[serde(flatten)]
    pub(crate) info: Info,
    pub(crate) moves: Vec<Move>,
}

/// A move of a main line.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Step {
    pub(crate) uci: String,
    pub(crate) san: String,
    dtz: Option<i32>,
    precise_dtz: Option<i32>,
    #[serde(skip)]
    pub(crate) after: GamePosition,
}

/// The answer of `/standard/mainline`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Mainline {
    dtz: Option<i32>,
    precise_dtz: Option<i32>,
    pub(crate) mainline: Vec<Step>,
    pub(crate) winner: Option<char>,
    /// Whether all is known of the positions on the way, so that the line never changes.
    #[serde(skip)]
    pub(crate) settled: bool,
}

/// Why there is no main line.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NoLine {
    /// A table is missing.
    Unknown,
    /// There are no exact distances, and best play goes round in circles.
    Rounded,
}

impl Category {
    /// The category of an evaluation.
    #[must_use]
    pub fn of(evaluation: &Evaluation) -> Category {
        let open = !evaluation.certain;
        match (evaluation.outcome, open, evaluation.dtz.is_some()) {
            (Outcome::Draw, ..) => Category::Draw,
            (Outcome::Win | Outcome::CursedWin, true, true) => Category::SyzygyWin,
            (Outcome::Loss | Outcome::BlessedLoss, true, true) => Category::SyzygyLoss,
            (Outcome::Win | Outcome::CursedWin, true, false) => Category::MaybeWin,
            (Outcome::Loss | Outcome::BlessedLoss, true, false) => Category::MaybeLoss,
            (Outcome::Win, ..) => Category::Win,
            (Outcome::CursedWin, ..) => Category::CursedWin,
            (Outcome::BlessedLoss, ..) => Category::BlessedLoss,
            (Outcome::Loss, ..) => Category::Loss,
        }
    }
}

impl Info {
    pub(crate) fn new(position: &GamePosition, answer: Option<Answer>) -> Info {
        let insufficient_material = position.is_insufficient();
        let mut info = Info {
            category: Category::Unknown,
            dtz: None,
            precise_dtz: None,
            dtc: None,
            dtm: None,
            dtw: None,
            checkmate: false,
            stalemate: false,
            variant_win: false,
            variant_loss: false,
            insufficient_material,
        };
        let Some(answer) = answer else {
            return info;
        };
        let evaluation = answer.evaluation;
        info.category = Category::of(&evaluation);
        let plies = |value: Value, metric| i32::from(value.signed(metric));
        info.dtz = evaluation.dtz.map(|value| plies(value, Metric::Dtz));
        info.precise_dtz = info.dtz.filter(|_| evaluation.exact);
        info.dtm = evaluation.dtm.map(|value| plies(value, Metric::Dtm));
        info.checkmate = answer.checkmate;
        info.stalemate = answer.stalemate;
        info
    }
}

impl Reply {
    /// Whether all is known of the position and its moves, so that the answer never changes.
    pub(crate) fn is_settled(&self) -> bool {
        let mut infos = iter::once(&self.info).chain(self.moves.iter().map(|step| &step.info));
        infos.all(|info| info.precise_dtz.is_some() && info.dtm.is_some())
    }

    /// # Errors
    /// If a table is damaged.
    pub(crate) fn new(position: &GamePosition, lookup: Lookup<'_>) -> Result<Reply, TablesError> {
        let steps = position.moves();
        let after = steps.iter().map(|step| step.after.clone());
        let positions: Vec<GamePosition> = iter::once(position.clone()).chain(after).collect();
        let found = lookup(&positions).into_iter();
        let found: Vec<Option<Answer>> = found.collect::<Result<_, TablesError>>()?;
        let mut after = found.into_iter();
        let root = after.next().flatten();
        let moves = MoveAnswer::list(position, &steps, after, root.as_ref()).into_iter();
        let moves = moves.map(|step| Move {
            uci: step.uci,
            san: step.san,
            info: Info::new(&step.position, step.after),
            zeroing: step.zeroing,
            conversion: step.capture || step.promotion.is_some(),
            after: step.position,
        });
        let (info, moves) = (Info::new(position, root), moves.collect());
        Ok(Reply { info, moves })
    }
}

impl Mainline {
    /// Best play to checkmate, or until a draw can be claimed by the fifty-move rule. That of a drawn position is empty.
    ///
    /// # Errors
    /// If a table is damaged.
    pub(crate) fn new(
        from: &GamePosition,
        lookup: Lookup<'_>,
    ) -> Result<Result<Mainline, NoLine>, TablesError> {
        let mut line = Mainline {
            dtz: None,
            precise_dtz: None,
            mainline: Vec::new(),
            winner: None,
            settled: true,
        };
        let mut seen = HashSet::new();
        let mut position = from.clone();
        loop {
            let reply = Reply::new(&position, lookup)?;
            line.settled &= reply.is_settled();
            let Reply { info, moves } = reply;
            if line.mainline.is_empty() {
                (line.dtz, line.precise_dtz) = (info.dtz, info.precise_dtz);
            }
            let best = match (info.category, moves.into_iter().next()) {
                (Category::Unknown, _) => return Ok(Err(NoLine::Unknown)),
                (Category::Draw, _) => return Ok(Ok(line)),
                (_, None) => {
                    let side = position.position().side;
                    line.winner = Some(if side == Color::White { 'b' } else { 'w' });
                    return Ok(Ok(line));
                }
                _ if position.counter() >= 100 => return Ok(Ok(line)),
                (_, Some(best)) => best,
            };
            position = best.after.clone();
            if !seen.insert((position.position(), position.castling())) {
                return Ok(Err(NoLine::Rounded));
            }
            line.mainline.push(Step {
                uci: best.uci,
                san: best.san,
                dtz: best.info.dtz,
                precise_dtz: best.info.precise_dtz,
                after: best.after,
            });
        }
    }
}
