//! Answers of tables, as text and as JSON: `probe`, `solve` and `line` print them in one shape.

use anyhow::Result;
use serde_json::{Value as Json, json};
use tbgen::{
    Answer, Evaluation, GamePosition, HelpTables, Letters, Line, MoveAnswer, Outcome, Value,
};

use super::refuse;
use tbindex::Rights;

pub(crate) fn letters(texts: &[String]) -> Result<Letters> {
    Letters::parse(texts).or_else(|error| refuse(format!("--piece: {error}")))
}

/// Reads a FEN of a legal position. A wrong one is a wrong call.
pub(crate) fn parse_position(fen: &str, letters: &Letters, rights: Rights) -> Result<GamePosition> {
    GamePosition::parse_with(fen, letters, rights)
        .or_else(|error| refuse(format!("{fen:?}: {error}")))
}

/// Says that the counter of a FEN is not counted, where by the distance to mate alone a mate is later than it allows.
pub(crate) fn note_counter(fen: &str, position: &GamePosition, answer: &Answer) {
    let counter = position.counter();
    let evaluation = answer.evaluation;
    let is_late = |mate: Value| counter > 0 && counter + mate.plies > 100;
    if evaluation.certain && evaluation.dtz.is_none() && evaluation.dtm.is_some_and(is_late) {
        note!(
            "tbgen: {fen}: the fifty-move counter {counter} is not counted: there are distances to mate alone"
        );
    }
}

/// An evaluation as a person reads it, with what its distances count to. A distance that is not exact is one of two.
fn describe(evaluation: &Evaluation) -> String {
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

/// A move as a person reads it, and as engines do: `Rc5+ (b5c5)`.
pub(crate) fn describe_move(step: &MoveAnswer) -> String {
    format!("{} ({})", step.san, step.uci)
}

/// What a move brings, as a person reads it.
pub(crate) fn describe_worth(step: &MoveAnswer) -> String {
    match &step.evaluation {
        _ if step.checkmates() => "checkmate".to_owned(),
        Some(evaluation) => describe(evaluation),
        None => "unknown".to_owned(),
    }
}

fn evaluation_json(evaluation: &Evaluation) -> Json {
    let plies = |value: Option<Value>| {
        value
            .filter(|value| value.outcome != Outcome::Draw)
            .map(|value| value.plies)
    };
    json!({
        "wdl": evaluation.outcome as i8,
        "certain": evaluation.certain,
        "wdl_at_zero": evaluation.at_zero as i8,
        "dtz": plies(evaluation.dtz),
        "exact": evaluation.exact,
        "dtm": plies(evaluation.dtm),
    })
}

/// Which sides can still checkmate the other, white first, by tables of helpmates or where the pieces alone say it; `None` if
/// neither does.
pub(crate) fn can_mate(position: &GamePosition, tables: &HelpTables) -> Option<[bool; 2]> {
    if !position.endgame().piece_set.is_chess() {
        return None;
    }
    let by_pieces = position.is_insufficient().then_some([false; 2]);
    tables.can_mate(position).ok().or(by_pieces)
}

/// Who can still checkmate, as an arbiter reads it, where not both can.
pub(crate) fn describe_mates(can_mate: Option<[bool; 2]>) -> &'static str {
    match can_mate {
        None | Some([true, true]) => "",
        Some([true, false]) => "; only White can still checkmate",
        Some([false, true]) => "; only Black can still checkmate",
        Some([false, false]) => "; dead: neither side can be checkmated",
    }
}

/// Adds who can still checkmate to a position's object; `null` where it is not known.
pub(crate) fn add_mates(json: &mut Json, can_mate: Option<[bool; 2]>) {
    json["dead"] = can_mate.map(|[white, black]| !white && !black).into();
    json["white_can_mate"] = can_mate.map(|[white, _]| white).into();
    json["black_can_mate"] = can_mate.map(|[_, black]| black).into();
}

fn answer_json(answer: &Answer, position: &GamePosition) -> Json {
    let mut json = evaluation_json(&answer.evaluation);
    json["check"] = answer.check.into();
    json["checkmate"] = answer.checkmate.into();
    json["stalemate"] = answer.stalemate.into();
    json["insufficient_material"] = position.is_insufficient().into();
    json
}

fn move_json(step: &MoveAnswer) -> Json {
    let mut json = json!({
        "move": step.uci,
        "san": step.san,
        "capture": step.capture,
        "zeroing": step.zeroing,
    });
    let evaluation = step.evaluation.as_ref().map(evaluation_json);
    if let (Some(all), Some(Json::Object(more))) = (json.as_object_mut(), evaluation) {
        all.extend(more);
    }
    json["text"] = describe_worth(step).into();
    json["after"] = match &step.after {
        Some(after) => answer_json(after, &step.position),
        None => Json::Null,
    };
    json
}

/// A position, which was given by this FEN, and what is said about it.
pub(crate) fn to_json(
    (fen, position): (&str, &GamePosition),
    answer: &Answer,
    moves: Option<&[MoveAnswer]>,
    line: Option<&Line>,
) -> Json {
    let mut json = json!({
        "fen": fen,
        "counter": position.counter(),
        "value": answer_json(answer, position),
    });
    json["value"]["text"] = describe_answer(answer).into();
    if let Some(moves) = moves {
        let best = MoveAnswer::best(moves).map(|step| step.uci.as_str());
        json["best"] = best.collect::<Vec<_>>().into();
        json["moves"] = moves.iter().map(move_json).collect::<Vec<_>>().into();
    }
    if let Some(line) = line {
        json["line"] = line.moves.iter().map(move_json).collect::<Vec<_>>().into();
        json["end"] = line.end.fen().into();
        json["ending"] = line.ending.name().into();
    }
    json
}
