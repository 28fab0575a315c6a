//! Reads lines in such a way that an interrupt is seen even while no input comes.

use std::io::Read;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

use super::interrupt;

/// Calls `each` with every line of the input and its line end, which the last line may lack.
pub(crate) fn for_each(
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
    let mut line = Vec::new();
    loop {
        interrupt::check()?;
        let part = match parts.recv_timeout(Duration::from_millis(100)) {
            Err(RecvTimeoutError::Timeout) => continue,
            // The reader sends an empty part before it ends.
            Err(RecvTimeoutError::Disconnected) => Vec::new(),
            Ok(part) => part.context("cannot read the input")?,
        };
        if part.is_empty() {
            break;
        }
        for piece in part.split_inclusive(|&byte| byte == b'\n') {
            line.extend_from_slice(piece);
            if line.ends_with(b"\n") {
                each(&line)?;
                line.clear();
            }
        }
    }
    if !line.is_empty() {
        each(&line)?;
    }
    interrupt::check()
}
