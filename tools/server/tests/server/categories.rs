//! Categories tell what is known of an outcome.

use tbgen::{Evaluation, Metric, Outcome, Value};
use tbserve::Category;

fn category(outcome: Outcome, plies: [Option<u16>; 2], certain: bool) -> String {
    let value = |metric: Metric, plies| match outcome {
        Outcome::Draw => Value::DRAW,
        outcome if outcome > Outcome::Draw => metric.win(plies),
        _ => metric.loss(plies),
    };
    let dtz = plies[0].map(|plies| value(Metric::Dtz, plies));
    let evaluation = Evaluation {
        outcome,
        certain,
        at_zero: dtz.map_or(outcome, |value| value.outcome),
        dtz,
        exact: certain,
        dtm: plies[1].map(|plies| value(Metric::Dtm, plies)),
    };
    let category = Category::of(&evaluation);
    serde_json::to_value(category)
        .unwrap()
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn categories_say_what_is_known_about_the_fifty_move_rule() {
    use Outcome::{BlessedLoss, CursedWin, Draw, Loss, Win};
    for (outcome, plies, certain, expected) in [
        (Win, [Some(40), Some(60)], true, "win"),
        (Win, [Some(40), None], false, "syzygy-win"),
        (CursedWin, [Some(40), None], true, "cursed-win"),
        (CursedWin, [Some(101), Some(150)], true, "cursed-win"),
        (Draw, [Some(0), Some(0)], true, "draw"),
        (BlessedLoss, [Some(40), None], true, "blessed-loss"),
        (Loss, [Some(40), None], false, "syzygy-loss"),
        // Moves may leave open whether there is a draw.
        (BlessedLoss, [Some(40), None], false, "syzygy-loss"),
        (Loss, [Some(0), Some(0)], true, "loss"),
        // By the distance to mate alone.
        (Win, [None, Some(100)], true, "win"),
        (Win, [None, Some(100)], false, "maybe-win"),
        (Loss, [None, Some(100)], false, "maybe-loss"),
        (BlessedLoss, [None, Some(100)], false, "maybe-loss"),
        (Loss, [None, Some(40)], true, "loss"),
    ] {
        let found = category(outcome, plies, certain);
        assert_eq!(found, expected, "{outcome:?} {plies:?}");
    }
}
