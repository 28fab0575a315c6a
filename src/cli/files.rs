//! What the commands that work on index files share.

use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};
use tbindex::Material;
use tbindex::store::StoreError;

use super::args::usage;
use super::interrupt;

/// The width of the words in a file of this material, 32 or 64.
pub(crate) fn word_bits(material: Material) -> Result<u32> {
    match material.piece_count() {
        0..=5 => Ok(32),
        6..=10 => Ok(64),
        more => Err(usage(format!(
            "{material} has {more} pieces: index files hold at most 10, what fits 64 bits"
        ))),
    }
}

/// A count as a JSON number; as a string beyond 64 bits, where JSON readers lose digits anyway.
pub(crate) fn json_count(count: u128) -> Value {
    match u64::try_from(count) {
        Ok(count) => json!(count),
        Err(_) => json!(count.to_string()),
    }
}

/// The folder that a file lies in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The most memory that this process had resident so far in bytes, where the system says so.
pub(crate) fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// The result of an operation of the library, which says that it was ended if it was interrupted.
pub(crate) fn unless_interrupted<T>(result: Result<T, StoreError>) -> Result<T> {
    if let Err(StoreError::Cancelled) = result {
        interrupt::check()?;
    }
    Ok(result?)
}
