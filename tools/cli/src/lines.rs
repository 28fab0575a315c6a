//! Reads lines, and sees an interrupt even while no input comes.

use std::io::{self, BufReader, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use tbindex::Lines;

use super::interrupt;

/// Calls `each` with every line of the input and its line end, which the last line may lack. Errors call the input
/// `name`. A line that is too long
/// is an error, so input without line ends does not fill the memory.
pub(crate) fn for_each(
    name: &str,
    mut input: Box<dyn Read + Send>,
    mut each: impl FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    // Reading may block for ever, and a signal does not end it. So another thread reads, and is left behind
    // if need be.
    let (sender, parts) = sync_channel(4);
    thread::spawn(move || {
        loop {
            let mut part = vec![0; 1 << 16];
            let read = input.read(&mut part);
            let more = matches!(read, Ok(1..));
            let part = read.map(|length| {
                part.truncate(length);
                part
            });
            if sender.send(part).is_err() || !more {
                break;
            }
        }
    });
    let mut lines = Lines::new(BufReader::new(Parts {
        parts,
        part: io::Cursor::default(),
    }));
    let mut line = Vec::new();
    loop {
        line.clear();
        let more = lines.add_line(&mut line);
        // An interrupt ends the input, too.
        interrupt::check()?;
        if !more.with_context(|| format!("{name}: can't read it"))? {
            return Ok(());
        }
        each(&line)?;
    }
}

/// The lines that another thread reads.
struct Parts {
    parts: Receiver<io::Result<Vec<u8>>>,
    part: io::Cursor<Vec<u8>>,
}

impl Read for Parts {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.part.read(bytes)?;
            if read > 0 || interrupt::check().is_err() {
                return Ok(read);
            }
            match self.parts.recv_timeout(Duration::from_millis(100)) {
                Err(RecvTimeoutError::Timeout) => {}
                // The reader sends an empty part before it ends.
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
                Ok(part) => {
                    let part = part?;
                    if part.is_empty() {
                        return Ok(0);
                    }
                    self.part = io::Cursor::new(part);
                }
            }
        }
    }
}
