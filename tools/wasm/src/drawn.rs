//! Lines that hold a draw.

use tbgen::{GamePosition, MoveAnswer, Outcome, Tables, TablesError};

/// The most moves of a line.
const MOST_MOVES: usize = 20;

fn holds(step: &MoveAnswer) -> bool {
    (step.evaluation).is_some_and(|of| of.certain && of.outcome == Outcome::Draw)
}

/// Play that holds a draw, and why it ends, unless it could go on. Each side sets the other the hardest task: it leaves it the
/// smallest number of moves that hold the draw, and stalemates it if nothing else does.
pub(crate) fn drawn_line(
    tables: &Tables,
    from: &GamePosition,
) -> Result<(Vec<MoveAnswer>, Option<&'static str>), TablesError> {
    let mut position = from.clone();
    let (mut line, mut seen) = (Vec::new(), Vec::new());
    let ending = loop {
        let place = (position.position(), position.castling());
        if position.is_insufficient() {
            break Some("insufficient material");
        }
        if seen.contains(&place) {
            break Some("repetition");
        }
        seen.push(place);
        if line.len() == MOST_MOVES {
            break None;
        }
        let mut hardest: Option<(usize, MoveAnswer)> = None;
        for step in tables.moves(&position)?.into_iter().filter(holds) {
            let replies = tables.moves(&step.position)?;
            let ways = match replies.len() {
                0 => usize::MAX,
                _ => replies.iter().filter(|reply| holds(reply)).count(),
            };
            if hardest.as_ref().is_none_or(|(least, _)| ways < *least) {
                hardest = Some((ways, step));
            }
        }
        let Some((_, step)) = hardest else {
            break Some("stalemate");
        };
        position = step.position.clone();
        line.push(step);
    };
    Ok((line, ending))
}
