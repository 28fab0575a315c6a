//! Items of a stream: what is read and written together, such as a line with a position.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use anyhow::Context;
use syzygy_tables::batch::PackedBoard;
use syzygy_tables::cozy_chess::Board;
use tbgen::{Evaluation, GamePosition, Letters};
use tbindex::{EpdLine, FenError, Lines, Rights};

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
    let line = EpdLine::new(line);
    if line.field_count < 2 {
        return Err(format!("{:?} has fewer than two fields", line.head));
    }
    if line.has_open_quote() {
        return Err("a quote of its operations is not closed".to_owned());
    }
    let mut fields = line.fields;
    match rights {
        Rights::Keep => {}
        Rights::Drop => fields[2..].fill("-"),
        Rights::Refuse if fields[2..] == ["-", "-"] => {}
        Rights::Refuse => return Err(FenError::Rights.to_string()),
    }
    let text = line.counter().unwrap_or("0");
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
        return Ok(Some(Given::Packed(board, counter)));
    }
    // The other reader says what is wrong, and knows rights.
    let position = GamePosition::parse(&fen, &Letters::default());
    let position = position.map_err(|error| error.to_string())?;
    Ok(match position.packed() {
        Some(board) => Some(Given::Packed(board, counter)),
        None if position.castling().is_empty() => None,
        None => Some(Given::Castling(Box::new(position.with_counter(counter)))),
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
