//! Printing results.

use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;
use tbindex::store::{Overwrite, PartialFile};

/// Prints a text to standard output. Where nobody reads it, that is an error and not a panic.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
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

/// A progress bar on standard error. It shows nothing if that is no terminal.
pub(crate) fn progress(steps: u64, what: &'static str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr_with_hz(5));
    let style = "{elapsed_precise} [{wide_bar}] {human_pos}/{human_len} {msg} (ETA {eta})";
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
