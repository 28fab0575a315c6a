//! Items of a stream: what is read and written together, such as a line with a position.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
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

/// Why something of a stream is no item, and the bytes that may be passed on in its place: none if it is not held, or would say
/// something else in the output.
pub(crate) struct Bad {
    pub(crate) why: String,
    pub(crate) bytes: Vec<u8>,
}

impl Bad {
    /// The reason why something can't be passed on.
    pub(super) fn left_out(why: impl Into<String>) -> Bad {
        Bad {
            why: why.into(),
            bytes: Vec::new(),
        }
    }
}

/// The next of a stream with the number of its line, or why it is none; `None` at the end.
pub(crate) type Next<T> = io::Result<Option<(u64, Result<T, Bad>)>>;

/// A stream of positions.
pub(crate) struct Input {
    lines: Lines<Box<dyn BufRead>>,
    /// How many records without lines were read.
    records: u64,
}

/// The name of a stream in messages.
pub(crate) fn input_name(path: &Path) -> String {
    match path == Path::new("-") {
        true => "standard input".to_owned(),
        false => path.display().to_string(),
    }
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

    /// The next line.
    pub(crate) fn line(&mut self) -> Next<String> {
        self.text(|_, _| true)
    }

    /// The next lines as [`bytes`](Input::bytes) has them, which have to be UTF-8.
    pub(super) fn text(&mut self, is_end: impl FnMut(u64, Option<&[u8]>) -> bool) -> Next<String> {
        let next = self.bytes(is_end)?;
        Ok(next.map(|(number, bytes)| {
            let text = bytes.and_then(|bytes| {
                String::from_utf8(bytes).map_err(|error| Bad {
                    why: "it is no UTF-8".to_owned(),
                    bytes: error.into_bytes(),
                })
            });
            (number, text)
        }))
    }

    /// The next lines up to the last of an item, with the number of the first. The function is asked for each line, by its number
    /// and bytes, whether it is the last; there are no bytes if the item has become too long to be held.
    pub(super) fn bytes(
        &mut self,
        mut is_end: impl FnMut(u64, Option<&[u8]>) -> bool,
    ) -> Next<Vec<u8>> {
        let (mut bytes, mut first, mut is_long) = (Vec::new(), None, false);
        loop {
            let begin = bytes.len();
            let line = match self.lines.add_line(&mut bytes) {
                Ok(false) => break,
                Ok(true) => Some(&bytes[begin..]),
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    is_long = true;
                    None
                }
                Err(error) => return Err(error),
            };
            let number = self.lines.number;
            first.get_or_insert(number);
            let ends = is_end(number, line);
            if is_long {
                bytes.clear();
            }
            if ends {
                break;
            }
        }
        let bytes = match is_long {
            true => Err(Bad::left_out("it is longer than 64 KiB")),
            false => Ok(bytes),
        };
        Ok(first.map(|first| (first, bytes)))
    }

    /// Reads the next record of so many bytes, which has no lines, with its number.
    pub(super) fn record(&mut self, length: usize) -> Next<Vec<u8>> {
        let mut bytes = Vec::with_capacity(length);
        let mut record = self.lines.input.by_ref().take(length as u64);
        self.records += 1;
        Ok(match record.read_to_end(&mut bytes)? {
            0 => None,
            found if found == length => Some((self.records, Ok(bytes))),
            found => {
                let why = format!("it has {found} bytes: expected {length}");
                Some((self.records, Err(Bad { why, bytes })))
            }
        })
    }
}

/// A format of a stream of positions, which get labels.
pub(crate) trait Stream: Sync {
    /// The name of an item by its number.
    const NOUN: &'static str = "line";

    /// The items that are read and written together.
    type Item: Send + Sync;

    /// The next item, with the number of the line that has its position.
    fn read(&self, input: &mut Input) -> Next<Self::Item>;

    /// The position of an item, if it should have one.
    fn content(&self, item: &Self::Item, rights: Rights) -> Option<Content>;

    /// Writes an item, with its label if there is one, and says whether it had another.
    fn write(&self, item: &Self::Item, label: Option<Evaluation>, out: &mut Vec<u8>) -> bool;
}
