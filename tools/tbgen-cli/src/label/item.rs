//! Items of a stream: what is read and written together, such as a line with a position.

use std::io::{self, BufRead};

use syzygy_tables::batch::PackedBoard;
use syzygy_tables::cozy_chess::Board;
use tbgen::{GamePosition, Label, Letters, Metric, Value};
use tbindex::{EpdLine, FenError, Lines, Rights};

/// The label of a value, as if the fifty-move counter were 0.
pub(crate) fn label_of(metric: Metric, value: Value) -> Label {
    let label = Label::of_mate(value);
    match metric {
        Metric::Dtz => Label {
            dtz: Some(value.signed(metric)),
            dtm: None,
            ..label
        },
        _ => label,
    }
}

/// A position that tables may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packed {
    pub(super) board: PackedBoard,
    pub(super) counter: u16,
}

/// A position that may have an answer.
#[derive(Clone, Debug)]
pub(crate) enum Given {
    Packed(Packed),
    /// One with castling rights, which no table has.
    Castling(Box<GamePosition>),
}

/// The position of a text, `None` if it has too many pieces, or why it is no position.
pub(crate) type Content = Result<Option<Given>, String>;

/// The most pieces of a table.
pub(super) const MOST_PIECES: usize = 7;

/// Reads the first four fields of a FEN, which are the whole position, and a fifty-move counter.
pub(super) fn content(mut fields: [&str; 4], counter: Option<&str>, rights: Rights) -> Content {
    match rights {
        Rights::Keep => {}
        Rights::Drop => fields[2..].fill("-"),
        Rights::Refuse if fields[2..] == ["-", "-"] => {}
        Rights::Refuse => return Err(FenError::Rights.to_string()),
    }
    let text = counter.unwrap_or("0");
    let counter = text.parse().ok().filter(|&plies| plies <= 150);
    let counter = counter
        .ok_or_else(|| format!("the fifty-move counter is {text:?}: expected 0 to 150 plies"))?;
    if fields[0].bytes().filter(u8::is_ascii_alphabetic).count() > MOST_PIECES {
        return Ok(None);
    }
    let fen = fields.join(" ") + " 0 1";
    if fields[2] == "-"
        && let Ok(board) = fen.parse::<Board>()
        && let Ok(board) = PackedBoard::try_from(&board)
    {
        return Ok(Some(Given::Packed(Packed { board, counter })));
    }
    // The other reader says what is wrong, and knows rights.
    let position = GamePosition::parse(&fen, &Letters::default());
    let position = position.map_err(|error| error.to_string())?;
    Ok(match position.packed() {
        Some(board) => Some(Given::Packed(Packed { board, counter })),
        None if position.castling().is_empty() => None,
        None => Some(Given::Castling(Box::new(position.with_counter(counter)))),
    })
}

/// Reads a FEN, of which the fields after the second may be missing.
pub(super) fn content_of_fen(fen: &str, rights: Rights) -> Content {
    content_of_line(&EpdLine::new(fen), rights)
}

/// Reads the position of a line of FEN or EPD, of which the fields after the second may be missing.
pub(super) fn content_of_line(line: &EpdLine<'_>, rights: Rights) -> Content {
    if line.field_count < 2 {
        return Err(format!("{:?} has fewer than two fields", line.head));
    }
    if line.has_open_quote() {
        return Err("a quote of its operations is not closed".to_owned());
    }
    content(line.fields, line.counter(), rights)
}

/// A stream of positions.
pub(crate) struct Input<'a> {
    pub(super) lines: Lines<Box<dyn BufRead + 'a>>,
    /// How many records without lines were read.
    pub(super) records: u64,
}

impl<'a> Input<'a> {
    pub(crate) fn new(stream: impl BufRead + 'a) -> Input<'a> {
        let stream: Box<dyn BufRead + 'a> = Box::new(stream);
        Input {
            lines: Lines::new(stream),
            records: 0,
        }
    }
}

/// A format of positions in a stream.
pub(crate) trait Format: Sync {
    /// What an item is called by its number.
    const NOUN: &'static str = "line";

    /// What is read and written together.
    type Item: Send + Sync;

    /// The next item, with the number of the line that has its position; `None` at the end.
    fn read(&self, input: &mut Input<'_>) -> io::Result<Option<(u64, Self::Item)>>;

    /// The position of an item, if it should have one.
    fn content(&self, item: &Self::Item) -> Option<Content>;

    /// What is written before all items.
    fn head(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Writes an item, with its label if there is one, and says whether it had another.
    fn write(&self, item: &Self::Item, label: Option<Label>, out: &mut Vec<u8>) -> bool;
}
