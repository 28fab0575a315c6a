//! Lines of text with their ends.

use std::io::{self, BufRead};

/// The lines of a text, with their ends, which may be `\n`, `\r\n` or `\r`. A byte-order mark at the beginning is left out, and a
/// line that is too long is an error, and never held.
///
/// ```
/// use tbindex::Lines;
/// let mut lines = Lines::new("\u{feff}one\rtwo\r\nthree".as_bytes());
/// let mut text = Vec::new();
/// assert!(lines.add_line(&mut text)?);
/// assert_eq!(text, b"one\r");
/// assert!(lines.add_line(&mut text)?);
/// assert_eq!(text, b"one\rtwo\r\n");
/// assert!(lines.add_line(&mut text)?);
/// assert_eq!((text.ends_with(b"three"), lines.number), (true, 3));
/// assert!(!lines.add_line(&mut text)?);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Lines<R> {
    /// The input, which may be read on for records without lines.
    pub input: R,
    /// The number of the last line, from 1 on; 0 before the first.
    pub number: u64,
    /// Whether the rest of the last line, which is too long, is still in the input.
    is_cut: bool,
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

impl<R: BufRead> Lines<R> {
    /// The most bytes of a line, or of a record of several lines. Records with a meaning have about a hundred.
    const MOST_BYTES: usize = 1 << 16;

    /// The lines of an input.
    #[must_use]
    pub const fn new(input: R) -> Lines<R> {
        Lines {
            input,
            number: 0,
            is_cut: false,
        }
    }

    /// Adds the next line with its end to some bytes. Returns whether there was one.
    ///
    /// # Errors
    /// If the input can't be read, or the bytes become more than 64 KiB. The kind of the second error is `InvalidData`, and the
    /// next call goes on behind the line.
    pub fn add_line(&mut self, bytes: &mut Vec<u8>) -> io::Result<bool> {
        let mut rest = Vec::new();
        while std::mem::take(&mut self.is_cut) {
            rest.clear();
            self.add_part(&mut rest)?;
        }
        let begin = bytes.len();
        self.add_part(bytes)?;
        if self.number == 0 && bytes[begin..].starts_with(BYTE_ORDER_MARK) {
            bytes.drain(begin..begin + BYTE_ORDER_MARK.len());
        }
        let any = bytes.len() > begin;
        self.number += u64::from(any);
        if bytes.len() > Self::MOST_BYTES {
            let message = format!("line {} is longer than 64 KiB", self.number);
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        Ok(any)
    }

    /// Adds the input to some bytes up to the end of the line, or until they are too many.
    fn add_part(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        let begin = bytes.len();
        loop {
            let part = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                part => part?,
            };
            // The byte after a carriage return may be its line feed.
            let after_return = bytes.len() > begin && bytes.ends_with(b"\r");
            if after_return && !part.starts_with(b"\n") || part.is_empty() {
                return Ok(());
            }
            let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
            let taken = part.iter().position(is_end).map_or(part.len(), |at| at + 1);
            bytes.extend_from_slice(&part[..taken]);
            self.input.consume(taken);
            match bytes.last() {
                Some(b'\n') => return Ok(()),
                Some(b'\r') => {}
                _ if bytes.len() > Self::MOST_BYTES => {
                    self.is_cut = true;
                    return Ok(());
                }
                _ => {}
            }
        }
    }
}
