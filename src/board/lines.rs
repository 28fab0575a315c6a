//! Lines of text with their ends.

use std::io::{self, BufRead};

/// The lines of a text, with their ends, which may be `\n`, `\r\n` or `\r`. A byte-order mark at the beginning is left out, and a
/// line that is too long is an error before it is held.
///
/// ```
/// use tbindex::Lines;
/// let mut lines = Lines::new("\u{feff}one\rtwo\r\nthree".as_bytes());
/// assert_eq!(lines.next_line()?.as_deref(), Some("one\r"));
/// assert_eq!(lines.next_line()?.as_deref(), Some("two\r\n"));
/// assert_eq!((lines.next_line()?.as_deref(), lines.number()), (Some("three"), 3));
/// assert_eq!(lines.next_line()?, None);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Lines<R> {
    input: R,
    number: u64,
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

impl<R: BufRead> Lines<R> {
    /// The most bytes of a line, or of a record of several lines. Records with a meaning have about a hundred.
    const MOST_BYTES: usize = 1 << 16;

    /// The lines of an input.
    #[must_use]
    pub const fn new(input: R) -> Lines<R> {
        Lines { input, number: 0 }
    }

    /// The number of the last line, from 1 on; 0 before the first.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// Adds the next line with its end to some bytes. Returns whether there was one.
    ///
    /// # Errors
    /// If the input can't be read, or the bytes become more than 64 KiB.
    pub fn add_line(&mut self, bytes: &mut Vec<u8>) -> io::Result<bool> {
        let begin = bytes.len();
        let mut ends = false;
        loop {
            let part = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                part => part?,
            };
            // The byte after a carriage return may be its line feed.
            let after_return = bytes.len() > begin && bytes.ends_with(b"\r");
            if after_return && !part.starts_with(b"\n") || part.is_empty() {
                break;
            }
            let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
            let (taken, feed) = match part.iter().position(is_end) {
                Some(at) => (at + 1, part[at] == b'\n'),
                None => (part.len(), false),
            };
            bytes.extend_from_slice(&part[..taken]);
            self.input.consume(taken);
            ends |= feed;
            if bytes.len() > Self::MOST_BYTES {
                self.number += 1;
                return Err(self.wrong("is longer than 64 KiB"));
            }
            if ends {
                break;
            }
        }
        if self.number == 0 && bytes[begin..].starts_with(BYTE_ORDER_MARK) {
            bytes.drain(begin..begin + BYTE_ORDER_MARK.len());
        }
        let any = bytes.len() > begin;
        self.number += u64::from(any);
        Ok(any)
    }

    /// The next line with its end, or `None` after the last.
    ///
    /// # Errors
    /// As of [`add_line`](Lines::add_line), or if the line is no UTF-8.
    pub fn next_line(&mut self) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        if !self.add_line(&mut line)? {
            return Ok(None);
        }
        let line = String::from_utf8(line).map_err(|_| self.wrong("is no UTF-8"))?;
        Ok(Some(line))
    }

    /// The error that the last line is wrong.
    pub fn wrong(&self, what: &str) -> io::Error {
        let message = format!("line {} {what}", self.number);
        io::Error::new(io::ErrorKind::InvalidData, message)
    }

    /// The input itself, for records without lines.
    pub const fn input(&mut self) -> &mut R {
        &mut self.input
    }
}
