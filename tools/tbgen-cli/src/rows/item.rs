//! Items of a stream: what is read and written together, such as a line with a position.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use anyhow::Context;
use syzygy_tables::batch::PackedBoard;
use tbgen::{BoardError, Evaluation, GamePosition, Letters};
use tbindex::{Lines, Rights};

/// A position that may have an answer.
#[derive(Clone, Debug)]
pub(crate) enum Given {
    /// One that tables may have, with its fifty-move counter.
    Packed(PackedBoard, u16),
    /// One with castling rights, which no table has.
    Castling(Box<GamePosition>),
}

/// The position of a text, `None` if it has too many pieces, or why it is no position.
pub(crate) type Content = Result<Option<Given>, String>;

/// The most pieces of a table.
pub(super) const MOST_PIECES: usize = 7;

/// Reads the position of a FEN or of a line of EPD, of which the fields after the second may be missing.
pub(crate) fn content(line: &str, rights: Rights) -> Content {
    let position = match GamePosition::parse_with(line, &Letters::default(), rights) {
        Err(BoardError::Count(_)) => return Ok(None),
        position => position.map_err(|error| error.to_string())?,
    };
    Ok(match position.packed() {
        Some(board) => Some(Given::Packed(board, position.counter())),
        None if position.position().occupied().count() > MOST_PIECES => None,
        None => Some(Given::Castling(Box::new(position))),
    })
}

/// A stream of positions.
pub(crate) struct Input {
    pub(super) lines: Lines<Box<dyn BufRead>>,
    /// How many records without lines were read.
    pub(super) records: u64,
}

impl Input {
    /// Opens a file, or standard input, which is named -.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Input> {
        let stream: Box<dyn BufRead> = if path == Path::new("-") {
            Box::new(BufReader::with_capacity(1 << 16, io::stdin().lock()))
        } else {
            let file = File::open(path);
            let file = file.with_context(|| format!("can't read {}", path.display()))?;
            Box::new(BufReader::with_capacity(1 << 20, file))
        };
        let (lines, records) = (Lines::new(stream), 0);
        Ok(Input { lines, records })
    }

    /// The next line, and its number.
    pub(crate) fn line(&mut self) -> io::Result<Option<(u64, String)>> {
        let line = self.lines.next_line()?;
        Ok(line.map(|line| (self.lines.number(), line)))
    }
}

/// A format of a stream of positions, which get labels.
pub(crate) trait Stream: Sync {
    /// The name of an item by its number.
    const NOUN: &'static str = "line";

    /// The items that are read and written together.
    type Item: Send + Sync;

    /// The next item, with the number of the line that has its position; `None` at the end.
    fn read(&self, input: &mut Input) -> io::Result<Option<(u64, Self::Item)>>;

    /// The position of an item, if it should have one.
    fn content(&self, item: &Self::Item, rights: Rights) -> Option<Content>;

    /// Writes an item, with its label if there is one, and says whether it had another.
    fn write(&self, item: &Self::Item, label: Option<Evaluation>, out: &mut Vec<u8>) -> bool;
}
