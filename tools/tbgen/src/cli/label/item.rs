//! Items of a stream: what is read and written together, such as a line with a position.

use std::io::{self, BufRead};

use syzygy_tables::batch::PackedBoard;
use syzygy_tables::cozy_chess::Board;
use tbgen::{GamePosition, Letters, Metric, Outcome, Value};

/// What tables say about a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Label {
    /// From −2 to 2, with the fifty-move counter.
    pub(super) wdl: i8,
    /// Negative for the loser, −1 for a checkmated side.
    pub(super) dtz: Option<i32>,
    /// Likewise, but 0 for a checkmated side.
    pub(super) dtm: Option<i32>,
}

impl Label {
    /// The label of a value, as if the fifty-move counter were 0.
    pub(crate) fn new(metric: Metric, value: Value) -> Label {
        let distance = Some(distance(metric, value));
        let (dtz, dtm) = match metric {
            Metric::Dtz => (distance, None),
            _ => (None, distance),
        };
        Label {
            wdl: value.outcome as i8,
            dtz,
            dtm,
        }
    }
}

/// A distance as labels have it.
pub(crate) fn distance(metric: Metric, value: Value) -> i32 {
    // As Syzygy files have it, a checkmated side is one ply from its end.
    let plies = match (metric, value.outcome) {
        (Metric::Dtz, Outcome::Loss) => value.plies.max(1),
        _ => value.plies,
    };
    (value.outcome as i32).signum() * i32::from(plies)
}

/// A position that tables may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given {
    pub(super) board: PackedBoard,
    pub(super) counter: u16,
}

/// What the text of a position is.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    Position(Given),
    /// A position that no table has: of too many pieces, or with castling rights.
    Beyond,
    /// No position, for this reason.
    Bad(String),
}

/// The most pieces of a table.
pub(super) const MOST_PIECES: usize = 7;

/// Reads the first four fields of a FEN, which are the whole position, with a counter.
pub(super) fn content(fields: [&str; 4], counter: u16) -> Content {
    let [board, side, castling, passing] = fields;
    if board.bytes().filter(u8::is_ascii_alphabetic).count() > MOST_PIECES {
        return Content::Beyond;
    }
    let fen = format!("{board} {side} {castling} {passing} 0 1");
    let read = fen.parse::<Board>().map_err(|_| String::new());
    // The other reader says what is wrong.
    let read = read.or_else(|_| match GamePosition::parse(&fen, &Letters::default()) {
        Ok(position) => (position.fen().parse()).map_err(|_| "it is no position".to_owned()),
        Err(error) => Err(error.to_string()),
    });
    match read.map(|board| PackedBoard::try_from(&board)) {
        Ok(Ok(board)) => Content::Position(Given { board, counter }),
        Ok(Err(syzygy_tables::Error::Castling | syzygy_tables::Error::TooManyPieces(_))) => {
            Content::Beyond
        }
        Ok(Err(error)) => Content::Bad(error.to_string()),
        Err(error) => Content::Bad(error),
    }
}

/// Reads a FEN, of which the fields after the fourth may be missing.
pub(super) fn content_of_fen(fen: &str) -> Content {
    let fields: Vec<&str> = fen.split_whitespace().collect();
    let [board, side, castling, passing, ..] = fields[..] else {
        return Content::Bad(format!("{fen:?} has fewer than four fields"));
    };
    match fields.get(4).map_or(Ok(0), |text| counter(text)) {
        Ok(counter) => content([board, side, castling, passing], counter),
        Err(error) => Content::Bad(error),
    }
}

/// Reads a fifty-move counter.
pub(super) fn counter(text: &str) -> Result<u16, String> {
    let plies = text.parse().ok().filter(|&plies| plies <= 150);
    plies.ok_or_else(|| format!("the fifty-move counter is {text:?}: expected 0 to 150 plies"))
}

/// A format of positions in a stream.
pub(crate) trait Format: Sync {
    /// What an item is called by its number.
    const NOUN: &'static str = "line";

    /// What is read and written together.
    type Item: Send + Sync;

    /// The next item, with the number of the line that has its position; `None` at the end.
    fn read(&mut self, input: &mut dyn BufRead) -> io::Result<Option<(u64, Self::Item)>>;

    /// The position of an item, if it should have one.
    fn content(&self, item: &Self::Item) -> Option<Content>;

    /// What is written before all items.
    fn head(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Writes an item, with its label if there is one, and says whether it had another.
    fn write(&self, item: &Self::Item, label: Option<Label>, out: &mut Vec<u8>) -> bool;
}

/// Reads a line with its end into `line`; `false` at the end of the input.
pub(super) fn read_line(input: &mut dyn BufRead, line: &mut String) -> io::Result<bool> {
    line.clear();
    Ok(input.read_line(line)? > 0)
}
