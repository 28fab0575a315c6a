//! Printing results.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;
use tbindex::store::{Overwrite, PartialFile};

/// Standard output, whose errors say that it is meant.
pub(crate) struct Standard(io::StdoutLock<'static>);

/// Standard output for many small writes. Whoever writes flushes it.
pub(crate) fn standard() -> BufWriter<Standard> {
    BufWriter::with_capacity(1 << 16, Standard(io::stdout().lock()))
}

fn named(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("can't print the results: {error}"))
}

impl Write for Standard {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(named)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(named)
    }
}

/// Prints a text to standard output. Where nobody reads it, that is an error and not a panic.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = standard();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Prints one JSON object to standard output.
pub(crate) fn print_json(value: &Value) -> anyhow::Result<()> {
    print(&format!("{value:#}\n"))
}

/// Whether the error is that the reader of standard output closed it.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// The columns that a progress bar needs to show more than its ends.
const BAR_COLUMNS: u16 = 80;

/// A progress bar on standard error. It shows nothing if that is no terminal, and only numbers if the terminal is
/// narrow.
pub(crate) fn progress(steps: u64, what: &'static str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr_with_hz(5));
    let (_, columns) = console::Term::stderr().size();
    let style = match columns < BAR_COLUMNS {
        true => "{percent}% of {msg} (ETA {eta})",
        false => "{elapsed_precise} [{wide_bar}] {human_pos}/{human_len} {msg} (ETA {eta})",
    };
    bar.with_style(
        ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()),
    )
    .with_message(what)
}

/// A count with a space between groups of three digits: 16 777 216.
pub(crate) fn grouped(count: u128) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A number of indices as people read it: `1 index`, `16 777 216 indices`.
pub(crate) fn indices(count: u128) -> String {
    match count {
        1 => "1 index".to_owned(),
        _ => format!("{} indices", grouped(count)),
    }
}

/// Says on standard error how many indices a new file has.
pub(crate) fn note_written(count: impl Into<u128>, path: &Path) {
    let path = path.display();
    note!("wrote {} to {path}", indices(count.into()));
}

/// Writes a text file whole or not at all.
///
/// # Errors
/// If the file exists and is not to be replaced, or can't be written.
pub(crate) fn write_text(path: &Path, text: &str, overwrite: Overwrite) -> anyhow::Result<()> {
    let mut file = PartialFile::create(path, overwrite)?;
    let written = file.write_all(text.as_bytes());
    written.with_context(|| format!("{}: can't write to the file", path.display()))?;
    Ok(file.finish()?)
}
