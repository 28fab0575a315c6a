//! Functions that commands on index files share.

use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};
use tbindex::store::{Contents, FileWord, Phase, Progress, StoreError, StoreErrorKind};
use tbindex::{Color, Material, Numbering};

use super::args::usage;
use super::interrupt::{self, Interrupted};
use super::output::progress;

/// The word of a file of this material.
pub(crate) fn word(material: Material) -> Result<FileWord> {
    match material.piece_count() {
        0..=10 => Ok(Contents::new(material, Numbering::Natural).word()),
        more => Err(usage(format!(
            "{material} has {more} pieces: index files hold at most 10, what fits 64 bits"
        ))),
    }
}

/// The side to move of a file's positions, if the file or the caller says it.
///
/// # Errors
/// If both do and they differ.
pub(crate) fn side(
    path: &Path,
    found: Option<Color>,
    asked: Option<Color>,
) -> Result<Option<Color>> {
    match (found, asked) {
        (Some(found), Some(side)) if found != side => Err(usage(format!(
            "{} holds positions with {found} to move, not {side}",
            path.display()
        ))),
        _ => Ok(found.or(asked)),
    }
}

/// A count as a JSON number, or as a string beyond 64 bits, where JSON readers would lose digits.
pub(crate) fn json_count(count: u128) -> Value {
    match u64::try_from(count) {
        Ok(count) => json!(count),
        Err(_) => json!(count.to_string()),
    }
}

/// The most memory in bytes that this process has had resident so far, or `None` if the system does not
/// tell.
pub(crate) fn peak_memory() -> Option<u64> {
    kibibytes("/proc/self/status", "VmHWM:")
}

/// The bytes of memory that a process can still have before others must give some back, or `None` if the system does
/// not tell.
pub(crate) fn available_memory() -> Option<u64> {
    kibibytes("/proc/meminfo", "MemAvailable:")
}

/// The value of a line of a file like `/proc/meminfo`, which is in kibibytes there, in bytes.
fn kibibytes(file: &str, key: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Does a long operation of the library under a progress bar, until an interrupt ends it.
pub(crate) fn watched<T>(
    operation: impl FnOnce(&mut dyn FnMut(Progress) -> Result<(), StoreError>) -> Result<T, StoreError>,
) -> Result<T> {
    interrupt::watch();
    let bar = progress(0, "");
    let mut phase = None;
    let result = operation(&mut |at: Progress| {
        if phase.replace(at.phase) != Some(at.phase) {
            bar.set_message(match at.phase {
                Phase::Reading => "indices read",
                Phase::Writing => "indices written",
                Phase::Checking => "bytes",
                Phase::Enumerating => "chunks",
                _ => "sorting",
            });
        }
        if let Some(total) = at.total {
            bar.set_length(total);
        }
        match at.phase {
            Phase::Sorting => bar.tick(),
            _ => bar.set_position(at.done),
        }
        interrupt::check().map_err(|_| StoreError::cancelled())
    });
    bar.finish_and_clear();
    result.map_err(|error| match error.kind {
        StoreErrorKind::Cancelled => Interrupted.into(),
        _ => error.into(),
    })
}
