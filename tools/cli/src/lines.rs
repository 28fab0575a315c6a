//! Reads lines, and sees an interrupt even while no input comes.

use std::io::Read;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::interrupt;

/// The most bytes that a line may have. Those with a meaning have about a hundred.
const MOST_BYTES: usize = 1 << 16;

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
    let (mut line, mut number) = (Vec::new(), 1u64);
    loop {
        interrupt::check()?;
        let part = match parts.recv_timeout(Duration::from_millis(100)) {
            Err(RecvTimeoutError::Timeout) => continue,
            // The reader sends an empty part before it ends.
            Err(RecvTimeoutError::Disconnected) => Vec::new(),
            Ok(part) => part.with_context(|| format!("{name}: can't read it"))?,
        };
        if part.is_empty() {
            break;
        }
        for piece in part.split_inclusive(|&byte| byte == b'\n') {
            if line.len() + piece.len() > MOST_BYTES {
                bail!("{name}: line {number} is longer than {MOST_BYTES} bytes");
            }
            line.extend_from_slice(piece);
            if line.ends_with(b"\n") {
                each(&line)?;
                line.clear();
                number += 1;
            }
        }
    }
    if !line.is_empty() {
        each(&line)?;
    }
    interrupt::check()
}
