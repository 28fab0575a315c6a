//! Answers for positions, as text and as rows: JSON objects of one shape, which the README describes.

use anyhow::Result;
use serde_json::json;
use tbgen::{
    Answer, Evaluation, GamePosition, Letters, Line, Metric, MoveAnswer, Outcome, ProbeError,
    Tables, TablesError, Value,
};
use tbindex::Rights;

use super::refuse;
use super::rows::row::{NUMBERS, Row};

pub(crate) fn letters(texts: &[String]) -> Result<Letters> {
    Letters::parse(texts).or_else(|error| refuse(format!("--piece: {error}")))
}

/// Reads a FEN of a legal position. A wrong one is a wrong call.
pub(crate) fn parse_position(fen: &str, letters: &Letters, rights: Rights) -> Result<GamePosition> {
    GamePosition::parse_with(fen, letters, rights)
        .or_else(|error| refuse(format!("{fen:?}: {error}")))
}

/// Says that the counter of a FEN is not counted, where by tables of this metric alone a mate is later than it allows.
pub(crate) fn note_counter(
    metric: Option<Metric>,
    fen: &str,
    position: &GamePosition,
    answer: &Answer,
) {
    let counter = position.counter();
    let is_late = |mate: Value| counter > 0 && counter + mate.plies > 100;
    if metric == Some(Metric::Dtm) && answer.evaluation.dtm.is_some_and(is_late) {
        note!(
            "tbgen: {fen}: the fifty-move counter {counter} is not counted: there are distances to mate alone"
        );
    }
}

/// An evaluation as a person reads it, with what its distances count to. A distance that is not exact is one of two.
pub(crate) fn describe(evaluation: &Evaluation) -> String {
    let plies = |plies: u16, exact: bool| match (plies, exact) {
        (1, true) => "1 ply".to_owned(),
        (plies, true) => format!("{plies} plies"),
        (plies, false) => format!("{plies} or {} plies", plies + 1),
    };
    let is_decided = |value: &Value| value.outcome != Outcome::Draw;
    let [dtz, dtm] = [evaluation.dtz, evaluation.dtm].map(|value| value.filter(is_decided));
    let ways = [
        dtz.map(|value| plies(value.plies, evaluation.exact) + " to zeroing"),
        dtm.map(|value| plies(value.plies, true) + " to mate"),
    ];
    let ways: Vec<String> = ways.into_iter().flatten().collect();
    let mut text = evaluation.at_zero.to_string();
    if !ways.is_empty() {
        text += &format!(" in {}", ways.join(", "));
    }
    match (evaluation.outcome == evaluation.at_zero, evaluation.certain) {
        (true, true) => text,
        (_, false) => format!("{text}, or a draw by the fifty-move counter"),
        (false, true) => format!("draw by the fifty-move counter (with 0: {text})"),
    }
}

/// An answer as a person reads it.
pub(crate) fn describe_answer(answer: &Answer) -> String {
    match (answer.checkmate, answer.stalemate) {
        (true, _) => "checkmate".to_owned(),
        (_, true) => "stalemate".to_owned(),
        _ => describe(&answer.evaluation),
    }
}

/// The outcome of a move, as a person reads it.
pub(crate) fn describe_worth(step: &MoveAnswer) -> String {
    match &step.evaluation {
        _ if step.checkmates() => "checkmate".to_owned(),
        Some(evaluation) => describe(evaluation),
        None => "unknown".to_owned(),
    }
}

/// Which sides can still checkmate the other, white first, by tables of helpmates or where the pieces alone say it; `None` if
/// neither does.
pub(crate) fn can_mate(
    position: &GamePosition,
    tables: &Tables,
) -> Result<Option<[bool; 2]>, TablesError> {
    if !position.endgame().piece_set.is_chess() {
        return Ok(None);
    }
    match tables.can_mate(position) {
        Err(error @ (TablesError::File(_) | TablesError::Probe(ProbeError::File(_)))) => Err(error),
        found => Ok(found
            .ok()
            .or(position.is_insufficient().then_some([false; 2]))),
    }
}

/// The side that can still checkmate, as an arbiter reads it, where not both can.
pub(crate) fn describe_mates(can_mate: Option<[bool; 2]>) -> &'static str {
    match can_mate {
        None | Some([true, true]) => "",
        Some([true, false]) => "; only White can still checkmate",
        Some([false, true]) => "; only Black can still checkmate",
        Some([false, false]) => "; dead: neither side can be checkmated",
    }
}

/// Adds what tables say of a position, or of a move for the side that makes it. Distances have the sign of labels.
fn add_evaluation(row: &mut Row, evaluation: Option<&Evaluation>) {
    for (name, of) in NUMBERS {
        row[name] = evaluation.copied().and_then(of).into();
    }
    row["exact"] = evaluation.and_then(|of| of.dtz.map(|_| of.exact)).into();
    row["wdl_at_zero"] = evaluation.map(|of| of.at_zero as i8).into();
}

fn add_answer(row: &mut Row, answer: &Answer, position: &GamePosition) {
    add_evaluation(row, Some(&answer.evaluation));
    row["check"] = answer.check.into();
    row["checkmate"] = answer.checkmate.into();
    row["stalemate"] = answer.stalemate.into();
    row["insufficient_material"] = position.is_insufficient().into();
}

fn row_of_move(step: &MoveAnswer) -> Row {
    let mut row = json!({
        "move": step.uci,
        "san": step.san,
        "capture": step.capture,
        "zeroing": step.zeroing,
    });
    add_evaluation(&mut row, step.evaluation.as_ref());
    row["text"] = describe_worth(step).into();
    let after = &mut row["after"];
    if let Some(answer) = &step.after {
        add_answer(after, answer, &step.position);
    }
    row
}

/// The answer for a position, which was given by this FEN: what tables say of it, which sides can still checkmate, its moves and
/// its line, if they are known.
pub(crate) fn row_of(
    (fen, position): (&str, &GamePosition),
    answer: &Answer,
    can_mate: Option<[bool; 2]>,
    moves: Option<&[MoveAnswer]>,
    line: Option<&Line>,
) -> Row {
    let mut row = json!({ "fen": fen, "counter": position.counter() });
    add_answer(&mut row, answer, position);
    row["text"] = describe_answer(answer).into();
    row["dead"] = can_mate.map(|[white, black]| !white && !black).into();
    row["white_can_mate"] = can_mate.map(|[white, _]| white).into();
    row["black_can_mate"] = can_mate.map(|[_, black]| black).into();
    if let Some(moves) = moves {
        let best = MoveAnswer::best(moves).map(|step| step.san.as_str());
        row["best"] = best.collect::<Vec<_>>().into();
        row["moves"] = moves.iter().map(row_of_move).collect();
    }
    if let Some(line) = line {
        row["line"] = line.moves.iter().map(row_of_move).collect();
        row["end"] = line.end.fen().into();
        row["ending"] = line.ending.name().into();
    }
    row
}
